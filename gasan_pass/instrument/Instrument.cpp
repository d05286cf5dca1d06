// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the instrumentation of one module, and registers its passes.
#include "gasan_pass/instrument/Instrument.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/AsanCalls.h"
#include "gasan_pass/instrument/BackendLimits.h"
#include "gasan_pass/instrument/Coverage.h"
#include "gasan_pass/instrument/DeviceRuntime.h"
#include "gasan_pass/instrument/HandleAccess.h"
#include "gasan_pass/instrument/KeptDivisions.h"
#include "gasan_pass/instrument/Managed.h"
#include "gasan_pass/instrument/Params.h"
#include "gasan_pass/instrument/Prepare.h"
#include "gasan_pass/instrument/ShadowCheck.h"
#include "gasan_pass/instrument/SiteTable.h"
#include "gasan_pass/instrument/Trace.h"
#include "gasan_pass/instrument/ViewChecks.h"
#include "gasan_pass/instrument/WarpMasks.h"
#include "gasan_pass/instrument/bst/AddressFunctions.h"
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "gasan_pass/instrument/bst/CertainOverflows.h"
#include "gasan_pass/instrument/bst/DeviceHeap.h"
#include "gasan_pass/instrument/bst/FieldChecks.h"
#include "gasan_pass/instrument/bst/Frames.h"
#include "gasan_pass/instrument/bst/Lookups.h"
#include "gasan_pass/instrument/bst/Partitions.h"
#include "gasan_pass/instrument/bst/PointerLoads.h"
#include "gasan_pass/instrument/bst/Promises.h"
#include "gasan_pass/instrument/bst/Promote.h"
#include "gasan_pass/instrument/bst/RelativeSteps.h"
#include "gasan_pass/instrument/bst/ScopeChecks.h"
#include "gasan_pass/instrument/bst/SourceFaults.h"
#include "gasan_pass/instrument/bst/Tags.h"
#include "gasan_pass/instrument/bst/VariableNames.h"
#include "gasan_pass/instrument/proof/KernelVariants.h"
#include "gasan_pass/ptx/PtxEffects.h"
#include "shadow/encoding.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InlineAsm.h"
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

// Returns 0 for a granule without an encoding.
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

// Moves the static allocas to the top. Checks split the entry block, and an alloca outside of it would be dynamic.
void keepAllocasInEntry(Function &F) {
  BasicBlock &Entry = F.getEntryBlock();
  BasicBlock::iterator Top = Entry.getFirstNonPHIOrDbgOrAlloca();
  for (Instruction &I : make_early_inc_range(make_range(Top, Entry.end())))
    if (auto *Alloca = dyn_cast<AllocaInst>(&I); Alloca && Alloca->isStaticAlloca())
      Alloca->moveBefore(Top);
}

// Drops attributes that the optimiser derived about memory and termination, from the function and from calls of it.
// They do not hold for a function with checks: a check reads parameters and shadow, and may end the thread.
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

// Finishes a function after its instrumentation, whether or not it has checks.
void settle(Function &F) {
  // The result must not have the attribute: a later compilation of it (CPU image) may have its own ASan.
  unmark(F);
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
    if (Code == GASAN_CODE_HANDLES) // functions without checks, too: handles get everywhere
      Handles.translate(F);
    settle(F);
  }
}

// Brings the module into the form that the analysis of pointers expects.
void prepareBounds(Module &M) {
  markComputations(M);
  inlineHeapWrappers(M);
  for (Function &F : M)
    if (wantsInstrumentation(F)) {
      keepAllocasInEntry(F);
      promoteVariables(F);
    }
  inlineAddressFunctions(M);
  for (Function &F : M)
    if (wantsInstrumentation(F))
      loadPointers(F);
  dropPromises(M);
  for (Function &F : M)
    partitions::settle(F); // alignments are promises, so add these, which are true, after dropPromises()
  markRelativeSteps(M);
}

// A thread that goes on after a report needs a check at each access: no check may stand for another one.
void choosePlainChecks() {
  for (cl::opt<bool> *Saving : {&GroupChecks, &DominatedChecks, &LoopChecks, &HoistChecks, &IndexChecks, &BatchChecks,
                                &LookupChecks, &InlineReports, &PartialProof})
    *Saving = false;
}

void checkBounds(Module &M, SiteTable &Sites, TravellingBounds &Travelling) {
  defineParams(M, GASAN_CODE_BST);
  if (Recover) {
    setParamsFlag(M, GASAN_FLAG_RECOVER);
    choosePlainChecks();
  }
  replaceHeap(M, Sites);
  numberSourceFaults(M); // copies of kernels have the same numbers
  KernelVariants Variants(M);
  Frames Locals(M, Sites);
  lowerSourceFaults(M, Sites);
  if (Tags == "on")
    setParamsFlag(M, GASAN_FLAG_TAGS);
  VariableBounds Variables(M, Sites);
  BoundsCheck Checks(M, Sites, Variables, Travelling, Variants);
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
    if (Tags == "on") // functions without checks, too: tagged pointers get everywhere
      stripTags(F);
    settle(F);
  }
  lowerOutOfScope(M);
  Locals.finish();
  Variants.finish();
  if (Variants.lookNothingUp())
    moveParamsToGlobalMemory(M);
}

void instrumentFunctions(Module &M, unsigned Scale, gasan_code Code) {
  std::optional<TravellingBounds> Travelling;
  inlineHeaderFunctions(M); // first, since the site table reads the call graph
  if (Code == GASAN_CODE_BST) {
    traceInstructions(M);
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

// Limits the CPU time to a multiple of the CPU time used so far, in which the compiler parsed and optimised the
// program's kernels.
void limitTime() {
  rusage Usage;
  rlimit Limit;
  if (!TimeLimit || getrusage(RUSAGE_SELF, &Usage) || getrlimit(RLIMIT_CPU, &Limit))
    return;
  const rlim_t Used = Usage.ru_utime.tv_sec + Usage.ru_stime.tv_sec + 1, Most = 60 + TimeLimit * Used;
  if (Limit.rlim_cur != RLIM_INFINITY && Limit.rlim_cur < Most) // the user's own limit is lower
    return;
  Limit.rlim_cur = Most;
  setrlimit(RLIMIT_CPU, &Limit);
}

// Ends the compiler with a fatal error if the module is broken. Release builds of clang verify nothing, and their back
// end does not expect broken functions. The exit status of a fatal error makes the driver compile again without
// variants.
void verify(const Module &M) {
  bool BrokenDebugInfo; // ignored by the back end
  if (verifyModule(M, &errs(), &BrokenDebugInfo))
    report_fatal_error("gasan: the instrumentation has broken '" + Twine(M.getName()) +
                       "'; please report this as a bug of gasan");
}

// Writes the module for the CPU image of the oracle build. Its functions have marks instead of checks.
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

// Returns an error message if the options are wrong or the module cannot be instrumented, else "".
std::string findProblem(const Module &M) {
  auto NameAndValue = [](const cl::opt<std::string> &Option) { return ("-" + Option.ArgStr + "=" + Option).str(); };
  if (!shadowScale(Granule))
    return ("-gasan-granule=" + Twine(Granule) + " is not a shadow encoding; choose 8, 128 or 256").str();
  if (Mode != "shadow" && Mode != "bst")
    return NameAndValue(Mode) + ": choose shadow or bst";
  if (Mode == "bst" && (Pool != "window" || AsanCalls))
    return "-gasan-mode=bst works with addresses and with gasan's own checks only; choose -gasan-mode=shadow for "
           "-gasan-pool=handles and -gasan-asan-calls";
  if ((Tags != "on" && Tags != "off") || (Tags == "on" && Mode != "bst"))
    return NameAndValue(Tags) + " with " + NameAndValue(Mode) + ": choose on, with bst, or off";
  if (LaunchProof != "on" && LaunchProof != "off")
    return NameAndValue(LaunchProof) + ": choose on or off";
  if (Pool != "window" && Pool != "handles")
    return NameAndValue(Pool) + ": choose window or handles";
  if (M.getNamedGlobal(GASAN_SITES_SYMBOL))
    return ("'" + M.getName() + "' is instrumented already; give the linker the output of -gasan-prepare").str();
  return "";
}

// Tells ptxas that calls such as a report's do not return. Without an `exit` behind the call, the block that happens to
// follow in the file would be the call's successor.
void endThreads(Module &M) {
  InlineAsm *Exit = InlineAsm::get(FunctionType::get(Type::getVoidTy(M.getContext()), false), "exit;", "", true);
  for (Function &F : M)
    for (BasicBlock &Block : F)
      if (isa<UnreachableInst>(Block.getTerminator()))
        if (const auto *Call = dyn_cast_or_null<CallInst>(Block.getTerminator()->getPrevNode());
            Call && Call->doesNotReturn())
          CallInst::Create(Exit, "", Block.getTerminator()->getIterator());
}

struct InstrumentPass : PassInfoMixin<InstrumentPass> {
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module &M, ModuleAnalysisManager &Analyses) {
    if (!M.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    if (std::string Problem = findProblem(M); !Problem.empty()) {
      M.getContext().emitError("gasan: " + Problem);
      return PreservedAnalyses::all();
    }
    limitTime();
    prepareTrace();
    // In unreachable blocks, a phi may be its own only operand, which LLVM's searches for an object do not expect.
    for (Function &F : M)
      if (!F.isDeclaration())
        EliminateUnreachableBlocks(F);
    if (Coverage)
      insertCoverage(M, Analyses);
    if (Mode == "bst")
      instrumentFunctions(M, 0, GASAN_CODE_BST);
    else
      instrumentFunctions(M, shadowScale(Granule), Pool == "handles" ? GASAN_CODE_HANDLES : GASAN_CODE_WINDOW);
    traceLookups(M);
    if (Mode == "bst" && !DeviceRuntime.empty())
      expandLookups(M);
    if (!DeviceRuntime.empty() && !linkDeviceRuntime(M, DeviceRuntime, Granule))
      return PreservedAnalyses::none();
    if (Mode == "bst" && !DeviceRuntime.empty())
      dropCudaHeap(M);
    for (Function &F : M)
      avoidBackendFaults(F);
    verify(M);
    if (!CpuBitcode.empty())
      writeBitcode(M, CpuBitcode);
    for (Function &F : M)
      keepDivisions(F);
    if (!DeviceRuntime.empty())
      endThreads(M);
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
        else if (Name == "gasan-certain")
          Passes.addPass(createModuleToFunctionPassAdaptor(CertainOverflowsPass(/*InLoops=*/true)));
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
      Passes.addPass(PreparePass()); // an object for -fgpu-rdc has the marks of PreparePass
      if (!CpuBitcode.empty())
        Passes.addPass(WritePass());
    });
  };
  // Callbacks run in the order of their registration, and clang registers its own after the plugins'. So that clang's
  // AddressSanitizer pass comes first, ours is registered when the pipeline is built.
  bool AfterAsan = Instrument && AsanCalls;
  Builder.registerPipelineStartEPCallback(
      [&Builder, RegisterLast, AfterAsan](ModulePassManager &Passes, OptimizationLevel) {
        if (Mode == "bst") {
          Passes.addPass(FieldChecksPass());
          Passes.addPass(NameVariablesPass());
          Passes.addPass(ScopeChecksPass());
          Passes.addPass(PartitionsPass());
          Passes.addPass(createModuleToFunctionPassAdaptor(CertainOverflowsPass(/*InLoops=*/false)));
        }
        Passes.addPass(MarkPass());
        Passes.addPass(ManagedPass());
        if (AfterAsan)
          RegisterLast(Builder);
      });
  if (Mode == "bst")
    Builder.registerPeepholeEPCallback(
        [](FunctionPassManager &Passes, OptimizationLevel) { Passes.addPass(CertainOverflowsPass(/*InLoops=*/true)); });
  if (!AfterAsan)
    RegisterLast(Builder);
}

} // namespace gasan
