#include "gasan_pass/instrument/bst/Lookups.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gasan {
namespace {

struct Kind {
  const char *Name, *Any; // what the checks call, and what looks at every pointer
};
constexpr Kind kKinds[] = {{"__gasan_bounds", "__gasan_bounds_any"},
                           {"__gasan_bounds_global", "__gasan_bounds_global_any"},
                           {"__gasan_bounds_with_frames", "__gasan_bounds_any_with_frames"}};
constexpr size_t kMostTogether = 8; // what is found has to be kept in registers

const Kind *kindOf(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  const Kind *Found = Callee ? find_if(kKinds, [&](const Kind &K) { return Callee->getName() == K.Name; }) : std::end(kKinds);
  return Found == std::end(kKinds) ? nullptr : Found;
}

class Expansion {
public:
  explicit Expansion(Module &M)
      : M(M), I64(Type::getInt64Ty(M.getContext())), Unlikely(MDBuilder(M.getContext()).createUnlikelyBranchWeights()),
        Likely(MDBuilder(M.getContext()).createLikelyBranchWeights()) {}

  void run(BasicBlock &Block) {
    SmallVector<CallInst *, 4> Together;
    Instruction *Next = nullptr; // in another block by then, if this one is split
    for (Instruction *I = &Block.front(); I; I = Next) {
      Next = I->getNextNode();
      if (!kindOf(*I)) {
        if (I->mayHaveSideEffects()) // it may free something, or not return
          expand(Together);
        continue;
      }
      if (!Together.empty() && (Together.size() == kMostTogether || !moveUsersBehind(Together.front(), *I)))
        expand(Together);
      Together.push_back(cast<CallInst>(I));
      Next = I->getNextNode();
    }
    expand(Together);
  }

private:
  Module &M;
  Type *I64;
  MDNode *Unlikely, *Likely;

  // What is made of bounds that were looked up, from the first lookup on. False: the next lookup needs it.
  static bool moveUsersBehind(Instruction *First, Instruction &Next) {
    SmallPtrSet<Instruction *, 16> Users;
    SmallVector<Instruction *, 16> InOrder;
    for (Instruction *I = First; I != &Next; I = I->getNextNode()) {
      const bool IsLookup = kindOf(*I);
      const bool Uses = any_of(I->operands(), [&](Value *V) { return isa<Instruction>(V) && Users.contains(cast<Instruction>(V)); });
      if (Uses && (IsLookup || I->mayReadFromMemory() || isa<AllocaInst, PHINode>(I)))
        return false;
      if (Uses || IsLookup)
        Users.insert(I);
      if (Uses)
        InOrder.push_back(I);
    }
    if (any_of(Next.operands(), [&](Value *V) { return isa<Instruction>(V) && Users.contains(cast<Instruction>(V)); }))
      return false;
    Instruction *At = &Next;
    for (Instruction *I : InOrder) {
      I->moveAfter(At);
      At = I;
    }
    return true;
  }

  CallInst *call(IRBuilderBase &B, const char *Name, Type *Result, ArrayRef<Value *> Arguments) {
    SmallVector<Type *, 3> Types;
    for (Value *Argument : Arguments)
      Types.push_back(Argument->getType());
    CallInst *Call = B.CreateCall(M.getOrInsertFunction(Name, FunctionType::get(Result, Types, /*isVarArg=*/false)), Arguments);
    Call->setDoesNotThrow();
    return Call;
  }

  void expand(SmallVectorImpl<CallInst *> &Together) {
    if (Together.empty())
      return;
    CallInst *Last = Together.back();
    BasicBlock *Before = Last->getParent();
    IRBuilder<> B(Last);
    Value *Ready = call(B, "__gasan_lookup_ready", B.getInt1Ty(), {});
    BasicBlock *Done = SplitBlock(Before, Last);
    BasicBlock *Fast = BasicBlock::Create(M.getContext(), "gasan.find", Before->getParent(), Done);
    BasicBlock *Slow = BasicBlock::Create(M.getContext(), "gasan.look", Before->getParent());
    Before->getTerminator()->eraseFromParent();
    B.SetInsertPoint(Before);
    B.SetCurrentDebugLocation(Last->getDebugLoc());
    B.CreateCondBr(Ready, Fast, Slow, Likely);

    B.SetInsertPoint(Fast);
    StructType *FoundType = StructType::get(I64, I64);
    SmallVector<CallInst *, 4> Found;
    for (CallInst *Lookup : Together)
      Found.push_back(call(B, "__gasan_find_chunk", FoundType, {Lookup->getArgOperand(0)}));
    SmallVector<std::array<Value *, 2>, 4> Parts;
    Value *Missing = B.getFalse();
    for (CallInst *Each : Found) {
      Parts.push_back({B.CreateExtractValue(Each, 0), B.CreateExtractValue(Each, 1)});
      Missing = B.CreateOr(Missing, B.CreateIsNull(Parts.back()[1]));
    }
    B.CreateCondBr(Missing, Slow, Done, Unlikely);

    B.SetInsertPoint(Slow);
    SmallVector<CallInst *, 4> Looked;
    for (CallInst *Lookup : Together)
      Looked.push_back(call(B, kindOf(*Lookup)->Any, Lookup->getType(), {Lookup->getArgOperand(0), Lookup->getArgOperand(1)}));
    SmallVector<std::array<Value *, 3>, 4> LookedParts;
    for (CallInst *Each : Looked)
      LookedParts.push_back({B.CreateExtractValue(Each, 0), B.CreateExtractValue(Each, 1), B.CreateExtractValue(Each, 2)});
    B.CreateBr(Done);

    B.SetInsertPoint(Done, Done->begin());
    for (unsigned Index = 0; Index < Together.size(); ++Index) {
      std::array<Value *, 3> Fasts = {Parts[Index][0], Parts[Index][1], B.getInt32(0)};
      std::array<Value *, 3> Merged;
      for (unsigned Part = 0; Part < 3; ++Part) {
        PHINode *Phi = B.CreatePHI(Fasts[Part]->getType(), 2);
        Phi->addIncoming(Fasts[Part], Fast);
        Phi->addIncoming(LookedParts[Index][Part], Slow);
        Merged[Part] = Phi;
      }
      replace(Together[Index], Merged);
    }
    for (CallInst *Lookup : Together)
      Lookup->eraseFromParent();
    Together.clear();
  }

  static void replace(CallInst *Lookup, const std::array<Value *, 3> &Parts) {
    for (User *U : make_early_inc_range(Lookup->users())) {
      auto *Extract = cast<ExtractValueInst>(U);
      Extract->replaceAllUsesWith(Parts[Extract->getIndices()[0]]);
      Extract->eraseFromParent();
    }
  }
};

} // namespace

void expandLookups(Module &M) {
  Expansion Lookups(M);
  for (Function &F : M)
    for (BasicBlock &Block : make_early_inc_range(F))
      Lookups.run(Block);
  for (const Kind &K : kKinds)
    if (Function *F = M.getFunction(K.Name); F && F->use_empty())
      F->eraseFromParent();
}

} // namespace gasan
