// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/lift/Lift.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/lift/LocalChoices.h"
#include "gasan_pass/lift/LoopTests.h"
#include "gasan_pass/lift/ModuleLifter.h"
#include "gasan_pass/lift/ParameterCopies.h"
#include "gasan_pass/lift/RecoverDivisions.h"
#include "gasan_pass/lift/RecoverPointers.h"
#include "gasan_pass/lift/WideDivisions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr const char *kLayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64";

// Returns the location of the load behind a value: through bits as another type, an element of a vector, and a choice
// of a load or another value. Deeper chains are not followed.
DebugLoc loadLocation(const Value *V, unsigned Depth = 4) {
  if (const auto *Load = dyn_cast<LoadInst>(V))
    return Load->getDebugLoc();
  if (Depth && (isa<BitCastInst>(V) || isa<ExtractElementInst>(V)))
    return loadLocation(cast<Instruction>(V)->getOperand(0), Depth - 1);
  if (const auto *Choice = dyn_cast<PHINode>(V); Depth && Choice)
    for (const Value *Incoming : Choice->incoming_values())
      if (DebugLoc Found = loadLocation(Incoming, Depth - 1))
        return Found;
  return DebugLoc();
}

// PTX loads numbers as bits, and a mov makes them floats, perhaps in another line. LLVM joins both to a load with the
// mov's location, so the mov gets the load's.
void keepLoadLocations(Function &F) {
  for (Instruction &I : instructions(F))
    if (isa<BitCastInst>(I))
      if (DebugLoc Location = loadLocation(I.getOperand(0)))
        I.setDebugLoc(Location);
}

// Registers that have no value yet have some value in PTX. In LLVM a branch on such a value is undefined, and the
// optimiser removes both ways. So the value becomes 0.
void defineRegisters(Function &F) {
  for (Instruction &I : instructions(F)) {
    const bool IsStart = isa<InsertElementInst, InsertValueInst, ShuffleVectorInst>(I); // of a vector that is built
    for (Use &Operand : I.operands())
      if (isa<UndefValue>(Operand) && !(IsStart && Operand.getOperandNo() == 0))
        Operand.set(Constant::getNullValue(Operand->getType()));
  }
}

struct LiftPass : PassInfoMixin<LiftPass> {
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module &M, ModuleAnalysisManager &Analyses) {
    FunctionAnalysisManager &InFunctions = Analyses.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    for (const std::string &Path : LiftFiles) {
      const bool IsFirst = &Path == &*LiftFiles.begin();
      auto Other = std::make_unique<Module>(Path, M.getContext());
      Module &Target = IsFirst ? M : *Other;
      Target.setDataLayout(M.getDataLayout());
      std::string Error = lift(Target, Path, InFunctions);
      if (Error.empty() && !IsFirst)
        Error = disagreement(M, Target);
      if (!Error.empty()) {
        M.getContext().emitError("gasan-lift: '" + Path + "': " + Error);
        empty(Target);
        empty(M);
        return PreservedAnalyses::none();
      }
      if (!IsFirst && Linker::linkModules(M, std::move(Other))) { // the linker has said why
        empty(M);
        return PreservedAnalyses::none();
      }
    }
    return PreservedAnalyses::none();
  }

private:
  // Fills the module. Returns why it cannot.
  static std::string lift(Module &M, const std::string &Path, FunctionAnalysisManager &InFunctions) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> File = MemoryBuffer::getFileOrSTDIN(Path);
    if (!File)
      return "cannot be read: " + File.getError().message();
    std::string Error;
    std::optional<lift::SyntaxTree> Tree = lift::parseModule((*File)->getBuffer(), Error);
    if (!Tree)
      return Error;
    M.setTargetTriple(Triple("nvptx64-nvidia-cuda"));
    if (M.getDataLayout().isDefault())
      M.setDataLayout(kLayout);
    lift::ModuleLifter Lifter(M, std::move(*Tree));
    Error = Lifter.run();
    if (!Error.empty())
      return Error;
    simplify(M, InFunctions);
    if (LiftStats)
      for (const auto &[Opcode, Count] : Lifter.asmCounts())
        errs() << "gasan-lift: asm " << Opcode << ' ' << Count << '\n';
    return "";
  }

  // Returns an error if a file knows a name in another way than the files before. LLVM's linker would join them.
  static std::string disagreement(const Module &M, const Module &Other) {
    for (const GlobalValue &Value : Other.global_values()) {
      const GlobalValue *Before = Value.hasLocalLinkage() ? nullptr : M.getNamedValue(Value.getName());
      if (Before && !Before->hasLocalLinkage() &&
          (Before->getValueType()->isFunctionTy() != Value.getValueType()->isFunctionTy() ||
           Before->getAddressSpace() != Value.getAddressSpace()))
        return ("'" + Value.getName() + "' is something else in another file of the link").str();
    }
    return "";
  }

  // Empties a module that may be broken, and that later passes must not see.
  static void empty(Module &M) {
    M.dropAllReferences();
    for (NamedMDNode &List : make_early_inc_range(M.named_metadata()))
      List.eraseFromParent();
    while (!M.alias_empty())
      M.alias_begin()->eraseFromParent();
    while (!M.empty())
      erase(*M.begin());
    while (!M.global_empty())
      erase(*M.global_begin());
  }

  template <typename T>
  static void erase(T &Global) {
    Global.replaceAllUsesWith(PoisonValue::get(Global.getType()));
    Global.eraseFromParent();
  }

  // Turns registers into values, and addresses into pointers.
  static void simplify(Module &M, FunctionAnalysisManager &InFunctions) {
    FunctionPassManager Promote;
    Promote.addPass(SROAPass(SROAOptions::PreserveCFG));
    SmallVector<Function *, 16> Functions;
    for (Function &F : M)
      if (!F.isDeclaration())
        Functions.push_back(&F);
    lift::UnclearParameters Unclear;
    for (Function *F : Functions) {
      EliminateUnreachableBlocks(*F);
      InFunctions.invalidate(*F, Promote.run(*F, InFunctions));
      defineRegisters(*F);
      lift::recoverPointers(*F, Unclear);
    }
    InFunctions.clear();
    for (Function *&F : Functions)
      F = lift::recoverParameters(*F, Unclear);
    for (Function *F : Functions) {
      lift::recoverPointers(*F, Unclear); // now of calls
      InFunctions.invalidate(*F, DCEPass().run(*F, InFunctions));
      lift::removeParameterCopies(*F);
      lift::moveBeforeChoices(*F);
      lift::recoverDivisions(*F);
      keepLoadLocations(*F);
    }
    InFunctions.clear(); // the linker moves functions
  }
};

} // namespace

void registerLift(PassBuilder &Builder) {
  Builder.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &Passes, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name != "gasan-lift")
          return false;
        Passes.addPass(LiftPass());
        return true;
      });
  Builder.registerPipelineStartEPCallback([](ModulePassManager &Passes, OptimizationLevel) {
    if (!LiftFiles.empty())
      Passes.addPass(LiftPass());
  });
  if (!LiftFiles.empty()) // in front of the checks, whose passes are registered later
    Builder.registerOptimizerLastEPCallback([](ModulePassManager &Passes, OptimizationLevel, ThinOrFullLTOPhase) {
      Passes.addPass(createModuleToFunctionPassAdaptor(lift::LoopTestsPass()));
    });
}

void registerLiftEnd(PassBuilder &Builder) {
  if (LiftFiles.empty() || Prepare) // the checks come later
    return;
  Builder.registerOptimizerLastEPCallback([](ModulePassManager &Passes, OptimizationLevel, ThinOrFullLTOPhase) {
    Passes.addPass(createModuleToFunctionPassAdaptor(lift::WideDivisionsPass()));
  });
}

} // namespace gasan
