// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose checks are made once, before the loop: it exists twice then, and the copy without those checks runs if
// all that they could ever compare is in bounds. Else the loop runs as it was, with every check in its place, so that a
// report is exact and no access is blamed that would not have happened.
//
//   if (for each such check: first and last offset < limit, and the loop ends as soon as is assumed)   LoopRounds
//     copy without the checks
//   else
//     loop with the checks
//
// No promise is believed: neither that the loop ends, nor that it meets the end that it is compared with, nor that sums
// do not wrap.
//
// Nothing is copied that may not be: barriers and other convergent operations, which the threads of a warp run
// together.
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "gasan_pass/instrument/bst/LoopRounds.h"
#include "gasan_pass/instrument/bst/Promises.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr unsigned kMostInstructions = 400; // of a loop that is copied
constexpr unsigned kMostRanges = 8;         // that are compared before a loop

bool mayBeCopied(const Loop &L) {
  unsigned Count = 0;
  if (!L.isInnermost() || !L.isLoopSimplifyForm() || !L.isSafeToClone() || !L.hasDedicatedExits())
    return false;
  for (const BasicBlock *Block : L.blocks()) {
    Count += Block->size();
    for (const Instruction &I : *Block) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (isa<AllocaInst, LifetimeIntrinsic>(I) || (Call && (Call->isConvergent() || Call->isInlineAsm())))
        return false;
    }
  }
  return Count <= kMostInstructions;
}

} // namespace

void BoundsCheck::prepareLoops(Function &F) {
  FunctionAnalyses A(F);
  for (Loop *L : A.Loops) {
    simplifyLoop(L, &A.Tree, &A.Loops, &A.Believing, &A.Assumptions, nullptr, /*PreserveLCSSA=*/false);
    formLCSSARecursively(*L, A.Tree, &A.Loops, &A.Believing);
  }
}

// What the check uses.
SmallVector<Value **, 10> BoundsCheck::valuesOf(Check &C) {
  return {&C.Pointer, &C.B.Base, &C.B.Size, &C.B.Object, &C.Width, &C.Limit, &C.Guard, &C.Index, &C.Before, &C.Count};
}

void BoundsCheck::copyLoops(Function &F, SmallVectorImpl<Check> &Checks) {
  struct Copy {
    Loop *L;
    Value *AllGood;
    SmallVector<bool, 16> IsLeftOut; // by check
  };
  FunctionAnalyses &A = facts(F);
  SmallVector<Copy, 4> Copies;
  SmallVector<std::pair<Loop *, GuessedRounds>, 4> Candidates;
  for (Loop *L : A.Loops.getLoopsInPreorder())
    if (mayBeCopied(*L))
      Candidates.push_back({L, guessRounds(A, *L)});
  std::optional<PromiseFreeScope> Scope(std::in_place, F);
  for (const auto &[Found, Guesses] : Candidates) {
    Loop *L = Found;
    auto isInside = [&](Value *V) { return V && isa<Instruction>(V) && L->contains(cast<Instruction>(V)); };
    if (any_of(Checks, [&](Check &C) { // what is used behind the loop would have two definitions
          return !L->contains(C.Where) && any_of(valuesOf(C), [&](Value **V) { return isInside(*V); });
        }))
      continue;
    LoopRounds R(A, *L, Guesses);
    if (!R.areCountable())
      continue;
    Copy New = {L, nullptr, {}};
    New.IsLeftOut.resize(Checks.size());
    SmallVector<std::pair<unsigned, LoopRounds::Line>, 8> Lines; // by check
    bool IsBare = true;
    for (auto [Index, C] : enumerate(Checks)) {
      if (!L->contains(C.Where))
        continue;
      std::optional<LoopRounds::Line> Of;
      if (C.Limit && !isInside(C.Limit) && !isInside(C.B.Base) && (C.Alignment == 1 || C.InLimit) &&
          Lines.size() < kMostRanges)
        Of = R.lineOf(C.Pointer);
      IsBare &= Of.has_value();
      if (Of)
        Lines.push_back({Index, *Of});
    }
    // Where checks are left anyway, one of an index costs next to nothing beside them, and less than what has to be
    // found out before the loop.
    if (!IsBare)
      erase_if(Lines, [&](const auto &Line) { return Checks[Line.first].Count && Line.second.Step; });
    if (Lines.empty())
      continue;
    for (const auto &[Index, Of] : Lines) {
      const Check &C = Checks[Index];
      New.IsLeftOut[Index] = true;
      Value *Good = R.allGood(Of, C.Pointer->getType(), C.Lowest, C.B.Base, C.Limit);
      IRBuilder<> B(L->getLoopPreheader()->getTerminator());
      New.AllGood = New.AllGood ? B.CreateAnd(New.AllGood, Good) : Good;
    }
    Value *AreAsAssumed = R.areAsAssumed();
    IRBuilder<> B(L->getLoopPreheader()->getTerminator());
    New.AllGood = B.CreateFreeze(B.CreateAnd(New.AllGood, AreAsAssumed));
    Copies.push_back(std::move(New));
  }
  Scope.reset();
  for (const Copy &Next : Copies) {
    Loop *L = Next.L;
    formLCSSA(*L, A.Tree, &A.Loops, nullptr);
    BasicBlock *Choice = L->getLoopPreheader();
    BasicBlock *Preheader = SplitBlock(Choice, Choice->getTerminator(), &A.Tree, &A.Loops);
    ValueToValueMapTy Map;
    SmallVector<BasicBlock *, 8> Blocks, Exits;
    Loop *Bare = cloneLoopWithPreheader(Preheader, Choice, L, Map, ".gasan", &A.Loops, &A.Tree, Blocks);
    remapInstructionsInBlocks(Blocks, Map);
    Instruction *Old = Choice->getTerminator();
    BranchInst *Branch = BranchInst::Create(Bare->getLoopPreheader(), Preheader, Next.AllGood, Old->getIterator());
    Branch->setMetadata(LLVMContext::MD_prof, MDBuilder(F.getContext()).createLikelyBranchWeights());
    Old->eraseFromParent();
    for (BasicBlock *Block : L->blocks()) {
      SmallVector<DomTreeNode *, 4> Children(A.Tree.getNode(Block)->children());
      for (DomTreeNode *Child : Children)
        if (!L->contains(Child->getBlock())) // both loops lead there
          A.Tree.changeImmediateDominator(Child, A.Tree.getNode(Choice));
    }
    L->getUniqueExitBlocks(Exits);
    for (BasicBlock *Exit : Exits)
      for (PHINode &Phi : Exit->phis())
        for (unsigned Index = 0, Count = Phi.getNumIncomingValues(); Index < Count; ++Index) {
          Value *Incoming = Phi.getIncomingValue(Index);
          if (!L->contains(Phi.getIncomingBlock(Index)))
            continue;
          auto Mapped = Map.find(Incoming);
          Phi.addIncoming(Mapped == Map.end() ? Incoming : static_cast<Value *>(Mapped->second),
                          cast<BasicBlock>(Map[Phi.getIncomingBlock(Index)]));
        }
    for (BasicBlock *Block : L->blocks())
      for (Instruction &I : *Block)
        if (unsigned Count = Unproven.lookup(&I))
          Unproven[cast<Instruction>(Map[&I])] = Count;
    for (size_t Index = 0, Count = Next.IsLeftOut.size(); Index < Count; ++Index) {
      if (!L->contains(Checks[Index].Where))
        continue;
      if (Next.IsLeftOut[Index]) {
        --Unproven[cast<Instruction>(Map[Checks[Index].Where])];
        continue;
      }
      Check C = Checks[Index];
      C.Where = cast<Instruction>(Map[C.Where]);
      for (Value **V : valuesOf(C))
        if (auto Mapped = *V ? Map.find(*V) : Map.end(); Mapped != Map.end())
          *V = Mapped->second;
      Checks.push_back(std::move(C));
    }
    for (BasicBlock *Block : Blocks)
      for (Instruction &I : *Block)
        Copied.push_back(&I);
  }
}

// RootBounds takes out of the loops what nobody uses; their copies are ours.
void BoundsCheck::dropUnusedCopies() {
  bool Changed = true;
  while (Changed) {
    Changed = false;
    for (WeakTrackingVH &Handle : reverse(Copied)) {
      auto *I = dyn_cast_or_null<Instruction>(Handle);
      auto *Call = dyn_cast_or_null<CallInst>(I);
      const bool IsLookup =
          Call && Call->getCalledFunction() && Call->getCalledFunction()->getName().starts_with("__gasan_bounds");
      if (!I || !I->use_empty() || !(IsLookup || isInstructionTriviallyDead(I)))
        continue;
      Handle = nullptr;
      I->eraseFromParent();
      Changed = true;
    }
  }
  Copied.clear();
}

} // namespace gasan
