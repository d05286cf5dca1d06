#include "gasan_pass/instrument/bst/Lookups.h"
#include "shadow/bounds.h"
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

  using Pair = std::array<Value *, 2>; // base and size

  Pair find(IRBuilderBase &B, const char *Name, ArrayRef<Value *> Arguments) {
    CallInst *Found = call(B, Name, StructType::get(I64, I64), Arguments);
    return {B.CreateExtractValue(Found, 0), B.CreateExtractValue(Found, 1)};
  }

  // Without a branch: what is known already has a look at the table of zeros.
  Pair findBlock(IRBuilderBase &B, Value *Pointer, const Pair &Page, Value *IsChunk) {
    if (!IsChunk)
      return find(B, "__gasan_find_block", {Pointer, Page[0]});
    Value *None = B.getInt64(GASAN_NO_BLOCK_TABLE);
    const Pair Found = find(B, "__gasan_find_block", {Pointer, B.CreateSelect(IsChunk, None, Page[0])});
    return {B.CreateSelect(IsChunk, Page[0], Found[0]), B.CreateSelect(IsChunk, Page[1], Found[1])};
  }

  // In three steps, each for all of them: are they mapped; are they in pages of one chunk; are the others in blocks of living chunks? What
  // fails is looked up by a call.
  void expand(SmallVectorImpl<CallInst *> &Together) {
    if (Together.empty())
      return;
    CallInst *Last = Together.back();
    BasicBlock *Before = Last->getParent();
    BasicBlock *Done = SplitBlock(Before, Last);
    auto Create = [&](const char *Name, BasicBlock *Next) { return BasicBlock::Create(M.getContext(), Name, Before->getParent(), Next); };
    BasicBlock *Page = Create("gasan.find", Done), *Block = Create("gasan.block", nullptr), *Slow = Create("gasan.look", nullptr);
    Before->getTerminator()->eraseFromParent();
    IRBuilder<> B(Before);
    B.SetCurrentDebugLocation(Last->getDebugLoc());
    auto All = [&](auto Holds) {
      Value *So = B.getTrue();
      for (size_t Index = 0; Index < Together.size(); ++Index)
        So = B.CreateAnd(So, Holds(Index));
      return So;
    };
    auto Pointer = [&](size_t Index) { return Together[Index]->getArgOperand(0); };
    B.CreateCondBr(All([&](size_t Index) { return call(B, "__gasan_is_mapped", B.getInt1Ty(), Pointer(Index)); }), Page, Slow, Likely);

    B.SetInsertPoint(Page);
    SmallVector<Pair, 4> Pages, Blocks;
    SmallVector<Value *, 4> AreChunks;
    Value *Least = nullptr; // one comparison for all
    for (size_t Index = 0; Index < Together.size(); ++Index) {
      Pages.push_back(find(B, "__gasan_find_page", Pointer(Index)));
      AreChunks.push_back(call(B, "__gasan_is_chunk", B.getInt32Ty(), Pages[Index][0]));
      Least = Index ? B.CreateBinaryIntrinsic(Intrinsic::umin, Least, AreChunks[Index]) : AreChunks[Index];
    }
    B.CreateCondBr(B.CreateIsNotNull(Least), Done, Block, Likely);

    B.SetInsertPoint(Block);
    for (size_t Index = 0; Index < Together.size(); ++Index)
      Blocks.push_back(findBlock(B, Pointer(Index), Pages[Index], Together.size() > 1 ? B.CreateIsNotNull(AreChunks[Index]) : nullptr));
    B.CreateCondBr(All([&](size_t Index) { return B.CreateIsNotNull(Blocks[Index][1]); }), Done, Slow, Likely);

    B.SetInsertPoint(Slow);
    SmallVector<CallInst *, 4> Looked;
    for (CallInst *Lookup : Together)
      Looked.push_back(call(B, kindOf(*Lookup)->Any, Lookup->getType(), {Lookup->getArgOperand(0), Lookup->getArgOperand(1)}));
    SmallVector<std::array<Value *, 3>, 4> LookedParts;
    for (CallInst *Each : Looked)
      LookedParts.push_back({B.CreateExtractValue(Each, 0), B.CreateExtractValue(Each, 1), B.CreateExtractValue(Each, 2)});
    B.CreateBr(Done);

    B.SetInsertPoint(Done, Done->begin());
    for (size_t Index = 0; Index < Together.size(); ++Index) {
      Value *Memory = B.getInt32(GASAN_OBJECT_MEMORY);
      const std::array<Value *, 3> FromPage = {Pages[Index][0], Pages[Index][1], Memory};
      const std::array<Value *, 3> FromBlock = {Blocks[Index][0], Blocks[Index][1], Memory};
      std::array<Value *, 3> Merged;
      for (unsigned Part = 0; Part < 3; ++Part) {
        PHINode *Phi = B.CreatePHI(FromPage[Part]->getType(), 3);
        Phi->addIncoming(FromPage[Part], Page);
        Phi->addIncoming(FromBlock[Part], Block);
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
