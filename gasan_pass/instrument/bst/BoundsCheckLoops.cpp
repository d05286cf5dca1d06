// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes a loop's checks once, before the loop. The loop then exists twice. The copy without these checks runs if all
// addresses that they could compare are in bounds. Otherwise the original loop runs, with every check in its place. So
// a report is exact, and an access that would not have happened is never reported.
//
//   if (for each such check: first and last offset < limit, and the loop ends when LoopRounds expects it to)
//     copy without the checks
//   else
//     loop with the checks
//
// Relies on no promise: neither that the loop ends, nor that its variable reaches the compared end, nor that sums do
// not wrap.
//
// A loop with barriers or other convergent operations, which the threads of a warp run together, is not copied.
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "gasan_pass/instrument/bst/LoopRanges.h"
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

constexpr unsigned kMostInstructions = 400; // in a loop that is copied
constexpr unsigned kMostRanges = 8;         // compared before a loop

bool mayBeCopied(const Loop &L) {
  unsigned Count = 0;
  if (!L.isInnermost() || !L.isLoopSimplifyForm() || !L.isSafeToClone() || !L.hasDedicatedExits())
    return false;
  for (const BasicBlock *Block : L.blocks()) {
    Count += Block->size();
    for (const Instruction &I : *Block) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (isa<AllocaInst, LifetimeIntrinsic>(I) || (Call && Call->isConvergent()))
        return false;
    }
  }
  return Count <= kMostInstructions;
}

} // namespace

// Brings the loops into the form in which they can be copied. Must be called before the analyses of facts().
void BoundsCheck::prepareLoops(Function &F) {
  FunctionAnalyses A(F);
  for (Loop *L : A.Loops) {
    simplifyLoop(L, &A.Tree, &A.Loops, &A.Believing, &A.Assumptions, nullptr, /*PreserveLCSSA=*/false);
    formLCSSARecursively(*L, A.Tree, &A.Loops, &A.Believing);
  }
}

struct BoundsCheck::LoopCopy {
  Loop *L;
  Value *AllGood = nullptr;        // i1, before the loop: the copy may run
  SmallVector<bool, 16> IsLeftOut; // by check: the copy does not make it
  LoopNumbers Numbers;             // which the copy uses
};

static bool isInside(const Loop &L, const Value *V) {
  const auto *I = dyn_cast_or_null<Instruction>(V);
  return I && L.contains(I);
}

// Returns true if a check after the loop uses a value of the loop, which would have two definitions.
static bool isUsedBehind(const Loop &L, ArrayRef<PlannedCheck> Checks) {
  return any_of(Checks, [&](const PlannedCheck &C) {
    return !L.contains(C.Where) && any_of(C.values(), [&](const Value *V) { return isInside(L, V); });
  });
}

namespace {

struct MovedCheck { // made before the loop
  unsigned Index;
  LoopRounds::Line Line;
  bool OfIndex;                   // not of the address
  std::optional<LoopRange> Range; // instead of the line
};

bool isInvariant(const Loop &L, const PlannedCheck &C) {
  return none_of(std::initializer_list<Value *>{C.Limit, C.B.Base, C.Before, C.Count},
                 [&](const Value *V) { return isInside(L, V); });
}

// Returns how the check can be made before the loop. An index takes less code than an address, which has 64 bits and is
// linear only while the index does not wrap.
std::optional<MovedCheck> moved(LoopRounds &Rounds, const LoopRanges &Ranges, const Loop &L, const PlannedCheck &C,
                                unsigned Index) {
  if (!C.Limit || !isInvariant(L, C) || (C.Alignment > 1 && !C.InLimit))
    return std::nullopt;
  if (C.Count && C.IndexBits == 32 && Rounds.areCountable())
    if (const std::optional<LoopRounds::Line> Line = Rounds.lineOfIndex(C.Index))
      return MovedCheck{Index, *Line, true, {}};
  if (const std::optional<LoopRounds::Line> Line = Rounds.lineOf(C.Pointer);
      Line && (!Line->Step || Rounds.areCountable()))
    return MovedCheck{Index, *Line, false, {}};
  if (LoopRangeChecks && C.Count && C.Index->getType()->getIntegerBitWidth() == C.IndexBits)
    if (std::optional<LoopRange> Range = Ranges.of(C.Index, *C.Where->getParent()))
      return MovedCheck{Index, {}, true, std::move(Range)};
  return std::nullopt;
}

bool isMadeEachRound(FunctionAnalyses &A, const Loop &L, const PlannedCheck &C) {
  return A.Tree.dominates(C.Where->getParent(), L.getLoopLatch());
}

// Returns the checks that can be made before the loop.
SmallVector<MovedCheck, 8> findMovable(FunctionAnalyses &A, LoopRounds &Rounds, const Loop &L,
                                       ArrayRef<PlannedCheck> Checks) {
  const LoopRanges Ranges(A, L);
  SmallVector<MovedCheck, 8> Movable;
  bool IsBare = true, IsOftenBare = true;
  for (auto [Index, C] : enumerate(Checks)) {
    if (!L.contains(C.Where))
      continue;
    std::optional<MovedCheck> Own = Movable.size() < kMostRanges ? moved(Rounds, Ranges, L, C, Index) : std::nullopt;
    IsBare &= Own.has_value();
    IsOftenBare &= Own || !isMadeEachRound(A, L, C);
    if (Own)
      Movable.push_back(std::move(*Own));
  }
  if (!IsOftenBare)
    erase_if(Movable, [](const MovedCheck &M) { return M.Range.has_value(); });
  if (!Rounds.areCountable() && none_of(Movable, [](const MovedCheck &M) { return M.Range.has_value(); }))
    return {};
  // If other checks stay in the loop, a check of an index there costs next to nothing, and less than the computation
  // before the loop.
  if (!IsBare)
    erase_if(Movable, [&](const MovedCheck &M) {
      const PlannedCheck &C = Checks[M.Index];
      return C.Count && !C.IsOfVariable && M.Line.Step;
    });
  return Movable;
}

// Gives the exits' phis an edge from the copy for each edge from the loop.
void addExitsOfCopy(const Loop &L, ValueToValueMapTy &Map) {
  SmallVector<BasicBlock *, 8> Exits;
  L.getUniqueExitBlocks(Exits);
  for (BasicBlock *Exit : Exits)
    for (PHINode &Phi : Exit->phis())
      for (unsigned Index = 0, Count = Phi.getNumIncomingValues(); Index < Count; ++Index) {
        Value *Incoming = Phi.getIncomingValue(Index);
        if (!L.contains(Phi.getIncomingBlock(Index)))
          continue;
        auto Mapped = Map.find(Incoming);
        Phi.addIncoming(Mapped == Map.end() ? Incoming : static_cast<Value *>(Mapped->second),
                        cast<BasicBlock>(Map[Phi.getIncomingBlock(Index)]));
      }
}

// Copies the loop, with the branch on AllGood that chooses the copy. Returns the copy's blocks; Map leads from the
// loop's values to the copy's.
SmallVector<BasicBlock *, 8> cloneLoop(FunctionAnalyses &A, Loop &L, Value *AllGood, ValueToValueMapTy &Map) {
  formLCSSA(L, A.Tree, &A.Loops, nullptr);
  BasicBlock *Choice = L.getLoopPreheader();
  BasicBlock *Preheader = SplitBlock(Choice, Choice->getTerminator(), &A.Tree, &A.Loops);
  SmallVector<BasicBlock *, 8> Blocks;
  Loop *Bare = cloneLoopWithPreheader(Preheader, Choice, &L, Map, ".gasan", &A.Loops, &A.Tree, Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  Instruction *Old = Choice->getTerminator();
  BranchInst *Branch = BranchInst::Create(Bare->getLoopPreheader(), Preheader, AllGood, Old->getIterator());
  Branch->setMetadata(LLVMContext::MD_prof, MDBuilder(Choice->getContext()).createLikelyBranchWeights());
  Old->eraseFromParent();
  for (BasicBlock *Block : L.blocks()) {
    SmallVector<DomTreeNode *, 4> Children(A.Tree.getNode(Block)->children());
    for (DomTreeNode *Child : Children)
      if (!L.contains(Child->getBlock())) // both loops lead there
        A.Tree.changeImmediateDominator(Child, A.Tree.getNode(Choice));
  }
  addExitsOfCopy(L, Map);
  return Blocks;
}

// Compares the check's index before the loop, as BoundsCheck::isBad() does in it.
Value *allBelow(LoopRounds &Rounds, const Loop &L, const PlannedCheck &C, const MovedCheck &Moved,
                LoopNumbers &Numbers) {
  Instruction *At = L.getLoopPreheader()->getTerminator();
  BoundsBuilder B(At->getParent(), At->getIterator(), InstSimplifyFolder(At->getDataLayout()));
  Type *Number = B.getIntNTy(C.IndexBits);
  Value *Shift = ConstantInt::getSigned(Number, -C.Back);
  if (C.Before)
    Shift = B.CreateAdd(Shift, B.CreateTrunc(C.Before, Number));
  Value *Count = B.CreateTrunc(C.Count, Number);
  return Moved.Range ? allBelow(B, *Moved.Range, Shift, Count, Numbers) : Rounds.allBelow(Moved.Line, Shift, Count);
}

// Lets the copy use the numbers that were compared before it.
void useNumbers(const LoopNumbers &Numbers, ArrayRef<BasicBlock *> Copied) {
  for (const auto &[Of, Frozen] : Numbers)
    for (BasicBlock *Block : Copied)
      for (Instruction &I : *Block)
        I.replaceUsesOfWith(Of, Frozen);
}

} // namespace

// Inserts, before the loop, the comparisons of the checks that can be made there. Empty: the loop is not copied. Must
// be called in a PromiseFreeScope.
std::optional<BoundsCheck::LoopCopy> BoundsCheck::planCopy(FunctionAnalyses &A, Loop &L, const GuessedRounds &Guesses,
                                                           ArrayRef<Check> Checks) {
  if (isUsedBehind(L, Checks))
    return std::nullopt;
  LoopRounds Rounds(A, L, Guesses);
  if (Rounds.areFew())
    return std::nullopt;
  const SmallVector<MovedCheck, 8> Moved = findMovable(A, Rounds, L, Checks);
  if (Moved.empty())
    return std::nullopt;
  LoopCopy Copy = {&L, nullptr, {}, {}};
  Copy.IsLeftOut.resize(Checks.size());
  for (const MovedCheck &Check : Moved) {
    const PlannedCheck &C = Checks[Check.Index];
    Copy.IsLeftOut[Check.Index] = true;
    Value *Good = Check.OfIndex ? allBelow(Rounds, L, C, Check, Copy.Numbers)
                                : Rounds.allGood(Check.Line, C.Pointer->getType(), C.Lowest, C.B.Base, C.Limit);
    IRBuilder<> B(L.getLoopPreheader()->getTerminator());
    Copy.AllGood = Copy.AllGood ? B.CreateAnd(Copy.AllGood, Good) : Good;
  }
  Value *AreAsAssumed = Rounds.areAsAssumed();
  IRBuilder<> B(L.getLoopPreheader()->getTerminator());
  Copy.AllGood = B.CreateFreeze(B.CreateAnd(Copy.AllGood, AreAsAssumed));
  return Copy;
}

// Adds the copy's own checks to Checks, and the copy's accesses to Unproven.
void BoundsCheck::copyChecks(const LoopCopy &Copy, ValueToValueMapTy &Map, SmallVectorImpl<Check> &Checks) {
  const Loop &L = *Copy.L;
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block)
      if (unsigned Count = Unproven.lookup(&I)) {
        auto *Own = cast<Instruction>(Map[&I]);
        Unproven[Own] = Count;
        const SmallVector<Instruction *, 1> Covering = CoveredBy.lookup(&I);
        for (Instruction *By : Covering)
          CoveredBy[Own].push_back(L.contains(By) ? cast<Instruction>(Map[By]) : By);
      }
  for (size_t Index = 0, Count = Copy.IsLeftOut.size(); Index < Count; ++Index) {
    if (!L.contains(Checks[Index].Where))
      continue;
    if (Copy.IsLeftOut[Index]) {
      --Unproven[cast<Instruction>(Map[Checks[Index].Where])];
      continue;
    }
    Check C = Checks[Index];
    C.Where = cast<Instruction>(Map[C.Where]);
    for (Value **V : C.valueSlots())
      if (auto Mapped = *V ? Map.find(*V) : Map.end(); Mapped != Map.end())
        *V = Mapped->second;
    Checks.push_back(std::move(C));
  }
}

// Plans all copies before it makes the first one, because guesses and analyses describe the unchanged loops.
void BoundsCheck::copyLoops(Function &F, SmallVectorImpl<Check> &Checks) {
  FunctionAnalyses &A = facts(F);
  SmallVector<std::pair<Loop *, GuessedRounds>, 4> Candidates;
  for (Loop *L : A.Loops.getLoopsInPreorder())
    if (mayBeCopied(*L))
      Candidates.push_back({L, guessRounds(A, *L)});
  SmallVector<LoopCopy, 4> Copies;
  {
    PromiseFreeScope Scope(F);
    for (const auto &[L, Guesses] : Candidates)
      if (std::optional<LoopCopy> Copy = planCopy(A, *L, Guesses, Checks))
        Copies.push_back(std::move(*Copy));
  }
  for (const LoopCopy &Copy : Copies) {
    ValueToValueMapTy Map;
    const SmallVector<BasicBlock *, 8> Blocks = cloneLoop(A, *Copy.L, Copy.AllGood, Map);
    useNumbers(Copy.Numbers, Blocks);
    for (BasicBlock *Block : Blocks)
      for (Instruction &I : *Block)
        Copied.push_back(&I);
    copyChecks(Copy, Map, Checks);
  }
}

// Drops unused lookups, and their operands, from the copies. RootBounds drops those of the original loops.
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
