// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instrumentation of one module, and where its passes run.
#include "gasan_pass/instrument/Instrument.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/AsanCalls.h"
#include "gasan_pass/instrument/BackendLimits.h"
#include "gasan_pass/instrument/DeviceRuntime.h"
#include "gasan_pass/instrument/HandleAccess.h"
#include "gasan_pass/instrument/Managed.h"
#include "gasan_pass/instrument/Params.h"
#include "gasan_pass/instrument/Prepare.h"
#include "gasan_pass/instrument/ShadowCheck.h"
#include "gasan_pass/instrument/SiteTable.h"
#include "gasan_pass/instrument/ViewChecks.h"
#include "gasan_pass/instrument/WarpMasks.h"
#include "gasan_pass/instrument/bst/AddressFunctions.h"
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "gasan_pass/instrument/bst/DeviceHeap.h"
#include "gasan_pass/instrument/bst/FieldChecks.h"
#include "gasan_pass/instrument/bst/Frames.h"
#include "gasan_pass/instrument/bst/Lookups.h"
#include "gasan_pass/instrument/bst/Partitions.h"
#include "gasan_pass/instrument/bst/Promises.h"
#include "gasan_pass/instrument/bst/Promote.h"
#include "gasan_pass/instrument/bst/RelativeSteps.h"
#include "gasan_pass/instrument/bst/ScopeChecks.h"
#include "gasan_pass/instrument/bst/SourceFaults.h"
#include "gasan_pass/instrument/bst/Tags.h"
#include "gasan_pass/instrument/bst/VariableNames.h"
#include "gasan_pass/instrument/proof/FastKernels.h"
#include "shadow/encoding.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <sys/resource.h>

using namespace llvm;

namespace gasan {
namespace {

// 0: not a granule that there is an encoding for.
unsigned shadowScale(unsigned Granule) {
  switch (Granule) {
  case 8:
    return GASAN_SCALE_8;
  case 128:
    return GASAN_SCALE_128;
  case 256:
    return GASAN_SCALE_256;
  default:
    return 0;
  }
}

// The entry block is about to be split; an alloca that left it would be a dynamic one.
void keepAllocasInEntry(Function &F) {
  BasicBlock &Entry = F.getEntryBlock();
  BasicBlock::iterator Top = Entry.getFirstNonPHIOrDbgOrAlloca();
  for (Instruction &I : make_early_inc_range(make_range(Top, Entry.end())))
    if (auto *Alloca = dyn_cast<AllocaInst>(&I); Alloca && Alloca->isStaticAlloca())
      Alloca->moveBefore(Top);
}

// What the optimiser found out about memory and termination is no longer true of a function with checks, of its
// callers, and of the calls themselves: a check reads params and shadow, and may end the thread.
void dropStaleFacts(Function &F) {
  static const Attribute::AttrKind Stale[] = {Attribute::Memory, Attribute::WillReturn, Attribute::NoSync,
                                              Attribute::NoFree, Attribute::Speculatable};
  for (Attribute::AttrKind Kind : Stale)
    F.removeFnAttr(Kind);
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && !isa<IntrinsicInst>(Call) && !Call->isInlineAsm())
      for (Attribute::AttrKind Kind : Stale)
        Call->removeFnAttr(Kind);
}

// What is left to do with every function, instrumented or not.
void settle(Function &F) {
  // Out of the result: a later compilation of it (CPU image) may have its own ASan.
  F.removeFnAttr(kSanitizeAttr);
  F.removeFnAttr(Attribute::SanitizeAddress);
  if (!isLibdevice(F) && !F.isIntrinsic())
    dropStaleFacts(F);
}

void checkShadow(Module &M, SiteTable &Sites, unsigned Scale, gasan_code Code) {
  ShadowCheck Checks(M, Scale, Code);
  HandleAccess Handles(M);
  for (Function &F : M) {
    if (!AsanCalls && wantsInstrumentation(F)) {
      keepAllocasInEntry(F);
      FoundAccesses Found = findAccesses(F, AccessSpaces::Global);
      for (const Access &A : Found.Checkable)
        if (Code == GASAN_CODE_HANDLES)
          Handles.check(A, Sites.add(A));
        else
          Checks.insert(A, Sites.add(A));
      Sites.addUnchecked(Found.Uncheckable);
      checkWarpMasks(F, Sites);
      checkViews(F, Sites);
    }
    expandPrivateAtomics(F);
    if (Code == GASAN_CODE_HANDLES) // in what is not checked, too: handles get everywhere
      Handles.translate(F);
    settle(F);
  }
}

// Makes of the module what the analysis of pointers is for.
void prepareBounds(Module &M) {
  inlineHeapWrappers(M);
  for (Function &F : M)
    if (wantsInstrumentation(F)) {
      keepAllocasInEntry(F);
      promoteVariables(F);
    }
  inlineAddressFunctions(M);
  dropPromises(M);
  for (Function &F : M)
    partitions::settle(F); // alignments are promises, and these are true
  markRelativeSteps(M);
}

void checkBounds(Module &M, SiteTable &Sites, TravellingBounds &Travelling) {
  defineParams(M, GASAN_CODE_BST);
  replaceHeap(M, Sites);
  FastKernels Fast(M);
  Frames Locals(M, Sites);
  lowerSourceFaults(M, Sites);
  if (Tags == "on")
    setParamsFlag(M, GASAN_FLAG_TAGS);
  VariableBounds Variables(M, Sites);
  BoundsCheck Checks(M, Sites, Variables, Travelling, Fast);
  for (Function &F : M) {
    const bool WithChecks = wantsInstrumentation(F);
    if (WithChecks || Travelling.concerns(F))
      Checks.instrument(F, WithChecks);
    expandPrivateAtomics(F);
    if (WithChecks) {
      Locals.move(F);
      checkWarpMasks(F, Sites);
      checkViews(F, Sites);
    }
    if (Tags == "on") // in what is not checked, too: tagged pointers get everywhere
      stripTags(F);
    settle(F);
  }
  lowerOutOfScope(M);
  Locals.finish();
  Fast.finish();
}

void instrumentFunctions(Module &M, unsigned Scale, gasan_code Code) {
  std::optional<TravellingBounds> Travelling;
  inlineHeaderFunctions(M); // first: the table asks who calls whom
  if (Code == GASAN_CODE_BST) {
    prepareBounds(M);
    Travelling.emplace(M);
  } else {
    showHeap(M);
  }
  SiteTable Sites(M);
  if (Travelling)
    checkBounds(M, Sites, *Travelling);
  else
    checkShadow(M, Sites, Scale, Code);
  numberAsanCalls(M, Sites);
  if (Sites.calls().hasUnknownStack())
    setParamsFlag(M, GASAN_FLAG_UNKNOWN_STACK);
  Sites.emit(Scale, Code);
}

void writeBitcode(Module &M, StringRef Path) {
  std::error_code Error;
  raw_fd_ostream Out(Path, Error, sys::fs::OF_None);
  if (!Error) {
    WriteBitcodeToFile(M, Out);
    Out.close();
    Error = Out.error();
    Out.clear_error();
  }
  if (Error)
    M.getContext().emitError("gasan: cannot write the instrumented module to '" + Path + "': " + Error.message());
}

// What was done until now is the kernels' own: parsing and optimising them.
void limitTime() {
  rusage Usage;
  rlimit Limit;
  if (!TimeLimit || getrusage(RUSAGE_SELF, &Usage) || getrlimit(RLIMIT_CPU, &Limit))
    return;
  const rlim_t Used = Usage.ru_utime.tv_sec + Usage.ru_stime.tv_sec + 1, Most = 60 + TimeLimit * Used;
  if (Limit.rlim_cur != RLIM_INFINITY && Limit.rlim_cur < Most) // the user's own
    return;
  Limit.rlim_cur = Most;
  setrlimit(RLIMIT_CPU, &Limit);
}

// Release builds of clang verify nothing, and their back end does anything with a broken function. The status of a
// fatal error says to the driver that variants may be at fault.
void verify(const Module &M) {
  bool BrokenDebugInfo; // which the back end ignores
  if (verifyModule(M, &errs(), &BrokenDebugInfo))
    report_fatal_error("gasan: the instrumentation has broken '" + Twine(M.getName()) +
                       "'; please report this as a bug of gasan");
}

// The oracle build's half of PreparePass: what is to be retargeted carries marks in place of checks.
struct WritePass : PassInfoMixin<WritePass> {
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (!M.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    showHeap(M);
    writeBitcode(M, CpuBitcode);
    if (!KeepDebug)
      StripDebugInfo(M);
    return PreservedAnalyses::none();
  }
};

struct InstrumentPass : PassInfoMixin<InstrumentPass> {
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (!M.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    unsigned Scale = shadowScale(Granule);
    if (!Scale) {
      M.getContext().emitError("gasan: -gasan-granule=" + Twine(Granule) +
                               " is not a shadow encoding; choose 8, 128 or 256");
      return PreservedAnalyses::all();
    }
    if (Mode != "shadow" && Mode != "bst") {
      M.getContext().emitError("gasan: -gasan-mode=" + Mode + ": choose shadow or bst");
      return PreservedAnalyses::all();
    }
    if (Mode == "bst" && (Pool != "window" || AsanCalls)) {
      M.getContext().emitError("gasan: -gasan-mode=bst works with addresses and with gasan's own checks only; choose "
                               "-gasan-mode=shadow for -gasan-pool=handles and -gasan-asan-calls");
      return PreservedAnalyses::all();
    }
    if ((Tags != "on" && Tags != "off") || (Tags == "on" && Mode != "bst")) {
      M.getContext().emitError("gasan: -gasan-tags=" + Tags + " with -gasan-mode=" + Mode +
                               ": choose on, with bst, or off");
      return PreservedAnalyses::all();
    }
    for (const cl::opt<std::string> *Switch : {&LaunchProof, &HiddenArguments})
      if (*Switch != "on" && *Switch != "off") {
        M.getContext().emitError("gasan: -" + Switch->ArgStr + "=" + *Switch + ": choose on or off");
        return PreservedAnalyses::all();
      }
    if (Pool != "window" && Pool != "handles") {
      M.getContext().emitError("gasan: -gasan-pool=" + Pool + ": choose window or handles");
      return PreservedAnalyses::all();
    }
    if (M.getNamedGlobal(GASAN_SITES_SYMBOL)) {
      M.getContext().emitError("gasan: '" + M.getName() +
                               "' is instrumented already; give the linker what -gasan-prepare made");
      return PreservedAnalyses::all();
    }
    limitTime();
    for (Function &F :
         M) // there, a phi may be its own only operand, which LLVM's searches for an address's object do not expect
      if (!F.isDeclaration())
        EliminateUnreachableBlocks(F);
    if (Mode == "bst")
      instrumentFunctions(M, 0, GASAN_CODE_BST);
    else
      instrumentFunctions(M, Scale, Pool == "handles" ? GASAN_CODE_HANDLES : GASAN_CODE_WINDOW);
    if (Mode == "bst" && !DeviceRuntime.empty())
      expandLookups(M);
    if (!DeviceRuntime.empty() && !linkDeviceRuntime(M, DeviceRuntime, Granule))
      return PreservedAnalyses::none();
    for (Function &F : M)
      avoidBackendFaults(F);
    verify(M);
    if (!CpuBitcode.empty())
      writeBitcode(M, CpuBitcode);
    if (!KeepDebug)
      StripDebugInfo(M);
    return PreservedAnalyses::none();
  }
};

} // namespace

void registerInstrument(PassBuilder &Builder) {
  Builder.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &Passes, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name == "gasan-fields")
          Passes.addPass(FieldChecksPass());
        else if (Name == "gasan-partitions")
          Passes.addPass(PartitionsPass());
        else if (Name == "gasan-names")
          Passes.addPass(NameVariablesPass());
        else if (Name == "gasan-scopes")
          Passes.addPass(ScopeChecksPass());
        else if (Name == "gasan-mark")
          Passes.addPass(MarkPass());
        else if (Name == "gasan-managed")
          Passes.addPass(ManagedPass());
        else if (Name == "gasan-prepare")
          Passes.addPass(PreparePass());
        else if (Name == "gasan-instrument")
          Passes.addPass(InstrumentPass());
        else
          return false;
        return true;
      });
  if (!Prepare && !Instrument)
    return;
  auto RegisterLast = [](PassBuilder &Builder) {
    Builder.registerOptimizerLastEPCallback([](ModulePassManager &Passes, OptimizationLevel, ThinOrFullLTOPhase) {
      if (Instrument) {
        Passes.addPass(InstrumentPass());
        return;
      }
      Passes.addPass(PreparePass()); // an object for -fgpu-rdc carries the marks of PreparePass
      if (!CpuBitcode.empty())
        Passes.addPass(WritePass());
    });
  };
  // Callbacks run in the order of their registration, and clang registers its own after the plugins': for its
  // AddressSanitizer pass to come first, ours waits until the pipeline is built.
  bool AfterAsan = Instrument && AsanCalls;
  Builder.registerPipelineStartEPCallback(
      [&Builder, RegisterLast, AfterAsan](ModulePassManager &Passes, OptimizationLevel) {
        if (Mode == "bst") {
          Passes.addPass(FieldChecksPass());
          Passes.addPass(NameVariablesPass());
          Passes.addPass(ScopeChecksPass());
          Passes.addPass(PartitionsPass());
        }
        Passes.addPass(MarkPass());
        Passes.addPass(ManagedPass());
        if (AfterAsan)
          RegisterLast(Builder);
      });
  if (!AfterAsan)
    RegisterLast(Builder);
}

} // namespace gasan
