// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the steps in order.
#include "gasan_pass/retarget/Retarget.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/retarget/Steps.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace gasan {

namespace {

constexpr const char *kPassName = "gasan-retarget";

std::unique_ptr<Module> loadHelpers(LLVMContext &Context) {
  SMDiagnostic Error;
  std::unique_ptr<Module> Helpers = parseIRFile(CpuHelpers, Error, Context);
  if (!Helpers) {
    Error.print(kPassName, errs());
    report_fatal_error("gasan: -gasan-cpu-helpers must name the bitcode of the CPU device's helpers", false);
  }
  return Helpers;
}

void retarget(Module &M) {
  std::unique_ptr<Module> Helpers = loadHelpers(M.getContext());
  M.setTargetTriple(Helpers->getTargetTriple());
  M.setDataLayout(Helpers->getDataLayout());

  if (Devices == "auto")
    removeVariants(M);
  Image Device = collectImage(M);
  Device.HostChecks = wantsHostChecks(M);
  if (Devices == "cuda")
    removeCode(M, Device);
  adaptAttributes(M);
  const Unsupported Policy(M, Device.Kernels);
  lowerInlineAsm(M, *Helpers, Policy);
  lowerIntrinsics(M, *Helpers, Device.Arch, Policy);
  widenSyncScopes(M);
  redirectLibraryCalls(M);
  placeSharedMemory(M, Device);
  resolveDeclarations(M);
  guardArithmetic(M);
  flushSubnormals(M);
  insertPolls(M);
  hideSymbols(M);
  linkHelpers(M, std::move(Helpers));

  SmallPtrSet<Function *, 16> Waiting = findWaitingFunctions(M), ActiveMask = inlineActiveMaskFunctions(M);
  SmallVector<KernelEntries, 16> Entries;
  for (const Kernel &K : Device.Kernels) {
    Entries.push_back(createEntries(M, K, Waiting.contains(K.Body)));
    Entries.back().UsesActiveMask = ActiveMask.contains(K.Body);
  }
  emitImage(M, Device, Entries, CpuImageId);
  removeUnusedHelpers(M);
  weakenRuntime(M);
  if (Device.HostChecks)
    markForHostChecks(M);

  if (!M.getModuleFlag("PIC Level"))
    M.setPICLevel(PICLevel::BigPIC);
  if (verifyModule(M, &errs()))
    report_fatal_error(
        "gasan: the translation for the CPU device has broken the module; please report this as a bug of gasan");
}

struct RetargetPass : PassInfoMixin<RetargetPass> {
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (!isDeviceModule(M))
      return PreservedAnalyses::all();
    retarget(M);
    return PreservedAnalyses::none();
  }
};

// Ends the part of the pipeline that runs. Required passes still run after it.
struct SkipRestPass : PassInfoMixin<SkipRestPass> {
  static bool isRequired() { return true; }
  bool *Skips;

  PreservedAnalyses run(Module &, ModuleAnalysisManager &) {
    *Skips = true;
    return PreservedAnalyses::all();
  }
};

// Runs few passes in place of the optimiser's, since the code is optimised already as code for the GPU: those that
// inline, and remove what lowering and inlining have left.
void replaceOptimiser(PassBuilder &Builder, ModulePassManager &Manager) {
  static bool Skips = false;
  if (PassInstrumentationCallbacks *Callbacks = Builder.getPassInstrumentationCallbacks())
    Callbacks->registerShouldRunOptionalPassCallback([](StringRef, Any) { return !Skips; });
  FunctionPassManager Simplify;
  Simplify.addPass(SROAPass(SROAOptions::ModifyCFG));
  Simplify.addPass(EarlyCSEPass());
  Simplify.addPass(SimplifyCFGPass());
  Manager.addPass(AlwaysInlinerPass());
  Manager.addPass(createModuleToFunctionPassAdaptor(std::move(Simplify)));
  Manager.addPass(GlobalDCEPass());
  Manager.addPass(SkipRestPass{{}, &Skips});
}

} // namespace

void registerRetarget(PassBuilder &Builder) {
  Builder.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &Manager, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name != kPassName)
          return false;
        Manager.addPass(RetargetPass());
        return true;
      });
  Builder.registerPipelineStartEPCallback([&Builder](ModulePassManager &Manager, OptimizationLevel Level) {
    if (!Retarget)
      return;
    Manager.addPass(RetargetPass());
    // Beside code for GPUs, the image mostly runs in tests.
    if (Devices == "auto" && Level != OptimizationLevel::O0)
      replaceOptimiser(Builder, Manager);
  });
  Builder.registerOptimizerLastEPCallback([](ModulePassManager &Manager, OptimizationLevel, ThinOrFullLTOPhase) {
    if (Retarget)
      Manager.addPass(CoverageTablesPass());
  });
}

} // namespace gasan
