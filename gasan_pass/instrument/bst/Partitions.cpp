#include "gasan_pass/instrument/bst/Partitions.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/bst/VariableNames.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gasan {
namespace {

// Of each variable one: calls lose metadata, functions do not.
constexpr const char *kStart = "__gasan_partition.";

bool isRegion(const GlobalVariable &Variable) {
  return Variable.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED && Variable.isDeclaration();
}

// A local pointer, and what is known of it.
struct PointerVariable {
  StoreInst *Set = nullptr; // where it gets its value
  bool IsSetOnce = true;
  StringRef Mark; // "": none
};

StringRef markOf(const IntrinsicInst &Annotation) {
  auto *Text = dyn_cast<GlobalVariable>(Annotation.getArgOperand(1)->stripPointerCasts());
  auto *Data = Text && Text->hasInitializer() ? dyn_cast<ConstantDataArray>(Text->getInitializer()) : nullptr;
  return Data && Data->isCString() ? Data->getAsCString() : "";
}

class Finder {
public:
  explicit Finder(Function &F) : F(F) {}

  void run() {
    SmallVector<Instruction *, 4> Annotations;
    for (Instruction &I : instructions(F))
      look(I, Annotations);
    unsigned Count = 0;
    for (auto &[Variable, Known] : Variables)
      if (isPartition(Known) && regionOf(*Known.Set->getValueOperand()))
        begin(*Known.Set, *Variable, Count++);
    for (Instruction *I : Annotations) // the variable may become a value
      I->eraseFromParent();
  }

private:
  Function &F;
  MapVector<AllocaInst *, PointerVariable> Variables;

  void look(Instruction &I, SmallVectorImpl<Instruction *> &Annotations) {
    if (auto *Store = dyn_cast<StoreInst>(&I)) {
      auto *Variable = dyn_cast<AllocaInst>(Store->getPointerOperand());
      if (!Variable || !Variable->getAllocatedType()->isPointerTy())
        return;
      PointerVariable &Known = Variables[Variable];
      Known.IsSetOnce &= !Known.Set;
      Known.Set = Known.Set ? Known.Set : Store;
    } else if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I); Intrinsic && Intrinsic->getIntrinsicID() == Intrinsic::var_annotation) {
      auto *Variable = dyn_cast<AllocaInst>(Intrinsic->getArgOperand(0)->stripPointerCasts());
      StringRef Mark = markOf(*Intrinsic);
      if (!Variable || (Mark != kPartitionMark && Mark != kNoPartitionMark))
        return;
      Variables[Variable].Mark = Mark;
      Annotations.push_back(Intrinsic);
    }
  }

  bool isPartition(const PointerVariable &Known) const {
    if (!Known.Set || Known.Mark == kNoPartitionMark)
      return false;
    return Known.Mark == kPartitionMark || (Known.IsSetOnce && PartitionsWanted == "on");
  }

  // Through arithmetic and other variables that are set once.
  bool regionOf(Value &Pointer) {
    Value *At = &Pointer;
    for (unsigned Steps = 0; Steps < 100; ++Steps) {
      if (auto *Variable = dyn_cast<GlobalVariable>(At))
        return isRegion(*Variable);
      if (auto *Gep = dyn_cast<GEPOperator>(At)) {
        At = Gep->getPointerOperand();
      } else if (auto *Cast = dyn_cast<AddrSpaceCastOperator>(At)) {
        At = Cast->getPointerOperand();
      } else if (auto *Call = dyn_cast<CallInst>(At); Call && Partitions::isStart(*Call)) {
        At = Call->getArgOperand(0);
      } else if (auto *Load = dyn_cast<LoadInst>(At)) {
        auto Known = Variables.find(dyn_cast<AllocaInst>(Load->getPointerOperand()));
        if (Known == Variables.end() || !Known->second.Set || !Known->second.IsSetOnce)
          return false;
        At = Known->second.Set->getValueOperand();
      } else {
        return false;
      }
    }
    return false;
  }

  static void begin(StoreInst &Set, const AllocaInst &Variable, unsigned Number) {
    Module &M = *Set.getModule();
    Type *Pointer = PointerType::get(M.getContext(), 0);
    if (Set.getValueOperand()->getType() != Pointer)
      return;
    std::string Name = (kStart + Set.getFunction()->getName() + "." + Twine(Number)).str();
    FunctionCallee Entry = M.getOrInsertFunction(Name, Pointer, Pointer);
    auto *Start = cast<Function>(Entry.getCallee());
    Start->setDoesNotAccessMemory();
    Start->setDoesNotThrow();
    Start->addFnAttr(Attribute::WillReturn);
    Start->addFnAttr(Attribute::NoSync);
    Start->addFnAttr(Attribute::NoFree);
    Start->addFnAttr(Attribute::Speculatable);
    copyVariableName(Variable, *Start);
    Set.setOperand(0, IRBuilder<>(&Set).CreateCall(Entry, {Set.getValueOperand()}));
  }
};

} // namespace

PreservedAnalyses PartitionsPass::run(Module &M, ModuleAnalysisManager &) {
  if (!M.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  for (Function &F : M)
    if (F.hasFnAttribute(Attribute::SanitizeAddress)) // -fgpu-rdc's linked module has its calls already
      Finder(F).run();
  return PreservedAnalyses::none();
}

bool Partitions::isStart(const Value &V) {
  auto *Call = dyn_cast<CallInst>(&V);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Callee->getName().starts_with(kStart);
}

GlobalVariable *Partitions::regionOf(CallInst &Start) {
  Value *At = Start.getArgOperand(0);
  for (unsigned Steps = 0; Steps < 100; ++Steps) {
    At = At->stripInBoundsOffsets();
    if (auto *Variable = dyn_cast<GlobalVariable>(At))
      return isRegion(*Variable) ? Variable : nullptr;
    if (auto *Gep = dyn_cast<GEPOperator>(At))
      At = Gep->getPointerOperand();
    else if (isStart(*At))
      At = cast<CallInst>(At)->getArgOperand(0);
    else if (auto *Cast = dyn_cast<AddrSpaceCastOperator>(At))
      At = Cast->getPointerOperand();
    else
      return nullptr;
  }
  return nullptr;
}

void Partitions::enter(Function &F) {
  Starts.clear();
  for (Instruction &I : instructions(F))
    if (isStart(I))
      Starts.push_back(cast<CallInst>(&I));
  if (!Starts.empty())
    Tree.recalculate(F);
}

// A buffer that begins at the same address, or before, does not end this one.
Value *Partitions::sizeAt(CallInst &Start, const Bounds &B, Instruction &At) const {
  IRBuilder<> Builder(&At);
  Value *Size = B.Size;
  for (CallInst *Next : Starts) {
    if (Next == &Start || !Tree.dominates(Next, &At))
      continue;
    Value *Distance = Builder.CreateSub(Builder.CreatePtrToInt(Next, Builder.getInt64Ty()), B.Base);
    Value *Ends = Builder.CreateAnd(Builder.CreateICmpNE(Distance, Builder.getInt64(0)),
                                    Builder.CreateICmpULT(Distance, Size));
    Size = Builder.CreateSelect(Ends, Distance, Size);
  }
  return Size;
}

void Partitions::leave(Function &) {
  for (CallInst *Start : Starts) {
    Function *Callee = Start->getCalledFunction();
    Start->replaceAllUsesWith(Start->getArgOperand(0));
    Start->eraseFromParent();
    if (Callee->use_empty())
      Callee->eraseFromParent();
  }
  Starts.clear();
}

} // namespace gasan
