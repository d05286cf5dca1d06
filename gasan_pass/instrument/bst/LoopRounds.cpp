// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/LoopRounds.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/bst/Promises.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {
namespace {

constexpr unsigned kFewestRounds = 4;      // loops that certainly have fewer are not worth it
constexpr uint64_t kGreatest = 1ull << 31; // products of two such numbers do not wrap

bool isKnownSmall(const ConstantRange &Range, bool IsSigned) {
  return IsSigned ? Range.getSignedMin().getSignificantBits() <= 32 && Range.getSignedMax().getSignificantBits() <= 32
                  : Range.getUnsignedMax().ule(kGreatest);
}

// Returns true if the test runs in each round: only such a test determines when the loop ends.
bool isMadeEachRound(const BasicBlock &Exit, const Loop &L, const DominatorTree &Tree) {
  const auto *Branch = dyn_cast<BranchInst>(Exit.getTerminator());
  return Branch && Branch->isConditional() && Tree.dominates(&Exit, L.getLoopLatch());
}

} // namespace

// Returns an i1: the number is below the limit. Relies on no flags.
static Value *isBelow(BoundsBuilder &B, Value *Number, Value *Limit) {
  return B.CreateICmpULT(withoutPromises(B, Number, Limit), Limit);
}

GuessedRounds guessRounds(FunctionAnalyses &A, const Loop &L) {
  GuessedRounds Found;
  SmallVector<BasicBlock *, 4> Exits;
  L.getExitingBlocks(Exits);
  for (BasicBlock *Exit : Exits) {
    if (!L.getLoopLatch() || !isMadeEachRound(*Exit, L, A.Tree))
      continue;
    const SCEV *Count = A.Believing.getExitCount(&L, Exit, ScalarEvolution::SymbolicMaximum);
    if (!isa<SCEVCouldNotCompute>(Count))
      Found.push_back({Exit, Count});
  }
  return Found;
}

LoopRounds::LoopRounds(FunctionAnalyses &A, Loop &L, const GuessedRounds &Guesses)
    : A(A), SE(A.PromiseFree), L(L), Assuming(SE, L), Expander(SE, "gasan"), GuessExpander(A.Believing, "gasan"),
      At(L.getLoopPreheader()->getTerminator()), Certain(SE.getSymbolicMaxBackedgeTakenCount(&L)), Guesses(Guesses) {
  if (isa<SCEVCouldNotCompute>(Certain) || SE.getTypeSizeInBits(Certain->getType()) > 64 || !isExpandable(Certain))
    Certain = nullptr;
  erase_if(this->Guesses, [&](const auto &Guess) {
    const auto [Exit, Count] = Guess;
    // then Certain has it
    return !isa<SCEVCouldNotCompute>(SE.getExitCount(&L, Exit, ScalarEvolution::SymbolicMaximum)) ||
           SE.getTypeSizeInBits(Count->getType()) > 64 || !A.Believing.isLoopInvariant(Count, &L) ||
           !GuessExpander.isSafeToExpandAt(Count, At);
  });
}

bool LoopRounds::areCountable() {
  if (Certain)
    return SE.getUnsignedRangeMax(Certain).uge(kFewestRounds - 1);
  return any_of(
      Guesses, [&](const auto &Guess) { return A.Believing.getUnsignedRangeMax(Guess.second).uge(kFewestRounds - 1); });
}

bool LoopRounds::areFew() {
  return Certain && SE.getUnsignedRangeMax(Certain).ult(kFewestRounds - 1);
}

std::optional<LoopRounds::Line> LoopRounds::lineOf(Value *Pointer) {
  Line Of = {SE.getSCEV(Pointer), nullptr};
  if (!SE.isLoopInvariant(Of.Start, &L)) {
    const SCEVAddRecExpr *Linear = LoopChecks ? Assuming.getAsAddRec(Pointer) : nullptr;
    if (!Linear || Linear->getLoop() != &L || !Linear->isAffine())
      return std::nullopt;
    Of = {Linear->getStart(), Linear->getStepRecurrence(SE)};
  } else if (!HoistChecks) {
    return std::nullopt;
  }
  if (!isExpandable(Of.Start) || (Of.Step && !isExpandable(Of.Step)))
    return std::nullopt;
  return Of;
}

Value *LoopRounds::allGood(const Line &Of, Type *PointerType, int64_t Lowest, Value *Base, Value *Limit) {
  Value *Count = Of.Step ? rounds() : nullptr;
  BoundsBuilder B = builder();
  Value *Start = Expander.expandCodeFor(Of.Start, PointerType, At->getIterator());
  Value *First = B.CreateSub(B.CreateAdd(Numbers.of(B, Start), B.getInt64(Lowest)), Base);
  Value *Good = isBelow(B, First, Limit);
  if (!Of.Step)
    return Good;
  Value *Last = B.CreateAdd(First, B.CreateMul(small(B, Of.Step, /*IsSigned=*/true, Good), Count));
  return B.CreateAnd(Good, isBelow(B, Last, Limit));
}

std::optional<LoopRounds::Line> LoopRounds::lineOfIndex(Value *Index) {
  if (!LoopChecks || !Index->getType()->isIntegerTy(32))
    return std::nullopt;
  const auto *Linear = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Index));
  if (!Linear || Linear->getLoop() != &L || !Linear->isAffine() || !isExpandable(Linear->getStart()))
    return std::nullopt;
  const auto *Step = dyn_cast<SCEVConstant>(Linear->getStepRecurrence(SE));
  if (!Step || Step->getAPInt().abs().ugt(kGreatest >> 1))
    return std::nullopt;
  return Line{Linear->getStart(), Step};
}

// If the first index is good, the distance to the last one must not exceed the distance to the end of the good ones.
// Neither distance wraps, so neither does an index in between.
Value *LoopRounds::allBelow(const Line &Of, Value *Shift, Value *Count) {
  Value *Way = rounds();
  BoundsBuilder B = builder();
  Value *Start = Expander.expandCodeFor(Of.Start, B.getInt32Ty(), At->getIterator());
  Value *First = withoutPromises(B, B.CreateAdd(Start, Shift), Count);
  const APInt &Step = cast<SCEVConstant>(Of.Step)->getAPInt();
  Value *Room = Step.isNegative() ? B.CreateAdd(First, B.getInt32(1)) : B.CreateSub(Count, First);
  const SimplifyQuery Query(At->getDataLayout(), /*TLI=*/nullptr, /*DT=*/nullptr, /*AC=*/nullptr, /*CXTI=*/nullptr,
                            /*UseInstrInfo=*/false);
  if (Step.abs().isOne() && computeKnownBits(Way, Query).getMaxValue().ule(UINT32_MAX)) {
    Way = B.CreateTrunc(Way, B.getInt32Ty());
  } else {
    Way = B.CreateMul(Way, B.getInt64(Step.abs().getZExtValue()));
    Room = B.CreateZExt(Room, B.getInt64Ty());
  }
  return B.CreateAnd(B.CreateICmpULT(First, Count), isBelow(B, Way, Room));
}

Value *LoopRounds::areAsAssumed() {
  Value *All = Rounds ? IsRight : builder().getTrue();
  if (!Rounds) // no address changes
    return All;
  for (const SCEVPredicate *P : cast<SCEVUnionPredicate>(Assuming.getPredicate()).getPredicates()) {
    Value *Holds = holds(*P);
    All = builder().CreateAnd(All, Holds);
  }
  return All;
}

BoundsBuilder LoopRounds::builder() {
  return BoundsBuilder(At->getParent(), At->getIterator(), InstSimplifyFolder(At->getDataLayout()));
}

bool LoopRounds::isExpandable(const SCEV *S) {
  return SE.isLoopInvariant(S, &L) && Expander.isSafeToExpandAt(S, At);
}

// Returns the number of rounds: the certain number, or the minimum of the numbers that the tests give. A correct number
// is at most kGreatest.
Value *LoopRounds::rounds() {
  if (Rounds)
    return Rounds;
  BoundsBuilder B = builder();
  IsRight = B.getTrue();
  if (Certain)
    Rounds = small(B, Certain, /*IsSigned=*/false, IsRight);
  for (auto [Exit, Count] : Guesses) {
    // Freezes the guess, so that the tested number and the used number are the same.
    Value *Guess = B.CreateFreeze(GuessExpander.expandCodeFor(Count, Count->getType(), At->getIterator()));
    Guess = B.CreateZExtOrTrunc(Guess, B.getInt64Ty());
    Value *Ends = endsAt(*Exit, Guess);
    if (!Ends)
      continue;
    Value *IsGood = B.CreateAnd(Ends, B.CreateICmpULE(Guess, B.getInt64(kGreatest)));
    if (!Rounds) {
      Rounds = Guess;
      IsRight = IsGood;
      continue;
    }
    Value *IsBetter = B.CreateAnd(IsGood, B.CreateOr(B.CreateNot(IsRight), B.CreateICmpULT(Guess, Rounds)));
    Rounds = B.CreateSelect(IsBetter, Guess, Rounds);
    IsRight = B.CreateOr(IsRight, IsGood);
  }
  if (!Rounds) {
    Rounds = B.getInt64(0);
    IsRight = B.getFalse();
  }
  return Rounds;
}

// Returns S as an i64, and adds to `Good` that its absolute value is at most kGreatest.
Value *LoopRounds::small(BoundsBuilder &B, const SCEV *S, bool IsSigned, Value *&Good) {
  Value *V = Expander.expandCodeFor(S, S->getType(), At->getIterator());
  V = IsSigned ? B.CreateSExtOrTrunc(V, B.getInt64Ty()) : B.CreateZExtOrTrunc(V, B.getInt64Ty());
  if (isKnownSmall(IsSigned ? SE.getSignedRange(S) : SE.getUnsignedRange(S), IsSigned))
    return V;
  Value *Shifted = IsSigned ? B.CreateAdd(V, B.getInt64(kGreatest)) : V;
  Good = B.CreateAnd(Good, isBelow(B, Shifted, B.getInt64(IsSigned ? 2 * kGreatest : kGreatest + 1)));
  return V;
}

// Returns V's value in the round, computed with wrap-around as in the loop. Null: V is not linear.
Value *LoopRounds::valueAt(Value *V, Value *Round) {
  const SCEV *Whole = Assuming.getSCEV(V);
  const SCEVAddRecExpr *Linear = nullptr;
  if (!SE.isLoopInvariant(Whole, &L)) {
    Linear = Assuming.getAsAddRec(V);
    if (!Linear || Linear->getLoop() != &L || !Linear->isAffine() || !isExpandable(Linear->getStepRecurrence(SE)))
      return nullptr;
    Whole = Linear->getStart();
  }
  if (!isExpandable(Whole))
    return nullptr;
  BoundsBuilder B = builder();
  auto *Number = cast<IntegerType>(SE.getEffectiveSCEVType(V->getType()));
  Value *Start = Expander.expandCodeFor(Whole, Whole->getType(), At->getIterator());
  if (Start->getType()->isPointerTy())
    Start = B.CreatePtrToInt(Start, Number);
  if (!Linear)
    return Start;
  Value *Step = Expander.expandCodeFor(Linear->getStepRecurrence(SE), Number, At->getIterator());
  return B.CreateAdd(Start, B.CreateMul(Step, B.CreateZExtOrTrunc(Round, Number)));
}

// Returns an i1: the condition has this value in that round. Null: not known.
Value *LoopRounds::holdsAt(Value *Condition, bool Wanted, Value *Round) {
  if (match(Condition, m_Not(m_Value(Condition))))
    return holdsAt(Condition, !Wanted, Round);
  if (auto *Freeze = dyn_cast<FreezeInst>(Condition))
    return holdsAt(Freeze->getOperand(0), Wanted, Round);
  Value *Left, *Right;
  const bool IsAnd = match(Condition, m_LogicalAnd(m_Value(Left), m_Value(Right)));
  if (IsAnd || match(Condition, m_LogicalOr(m_Value(Left), m_Value(Right)))) {
    Left = holdsAt(Left, Wanted, Round);
    Right = holdsAt(Right, Wanted, Round);
    if (IsAnd == Wanted) // both must have the value
      return Left && Right ? builder().CreateAnd(Left, Right) : nullptr;
    return Left && Right ? builder().CreateOr(Left, Right) : Left ? Left : Right;
  }
  auto *Compare = dyn_cast<ICmpInst>(Condition);
  if (!Compare || Compare->getOperand(0)->getType()->isVectorTy())
    return nullptr;
  Left = valueAt(Compare->getOperand(0), Round);
  Right = Left ? valueAt(Compare->getOperand(1), Round) : nullptr;
  return Right ? builder().CreateICmp(Wanted ? Compare->getPredicate() : Compare->getInversePredicate(), Left, Right)
               : nullptr;
}

Value *LoopRounds::endsAt(const BasicBlock &Exit, Value *Round) {
  const auto *Branch = cast<BranchInst>(Exit.getTerminator());
  return holdsAt(Branch->getCondition(), !L.contains(Branch->getSuccessor(0)), Round);
}

// Returns an i1: the assumptions under which a value is linear hold in all rounds. For narrow sums, the first and the
// last value decide. In between, the line has the sum's values: they differ by a multiple of 2^bits, and both fit.
Value *LoopRounds::holds(const SCEVPredicate &P) {
  BoundsBuilder B = builder();
  if (isa<SCEVComparePredicate>(P))
    return B.CreateNot(Expander.expandCodeForPredicate(&P, At));
  const auto *Wrap = dyn_cast<SCEVWrapPredicate>(&P);
  const auto *Linear = Wrap ? dyn_cast<SCEVAddRecExpr>(Wrap->getExpr()) : nullptr;
  auto *Number = Linear ? dyn_cast<IntegerType>(Linear->getType()) : nullptr;
  if (!Number || Number->getBitWidth() > 32 || Linear->getLoop() != &L || !Linear->isAffine() ||
      !isExpandable(Linear->getStart()) || !isExpandable(Linear->getStepRecurrence(SE)))
    return B.getFalse();
  const unsigned Bits = Number->getBitWidth();
  Value *Start = Expander.expandCodeFor(Linear->getStart(), Number, At->getIterator());
  Value *Step =
      B.CreateSExt(Expander.expandCodeFor(Linear->getStepRecurrence(SE), Number, At->getIterator()), B.getInt64Ty());
  Value *Way = B.CreateMul(Step, Rounds), *Holds = B.getTrue();
  if (Wrap->getFlags() & SCEVWrapPredicate::IncrementNUSW) {
    Value *Last = B.CreateAdd(B.CreateZExt(Start, B.getInt64Ty()), Way);
    Holds = isBelow(B, Last, B.getInt64(uint64_t(1) << Bits));
  }
  if (Wrap->getFlags() & SCEVWrapPredicate::IncrementNSSW) {
    Value *Last = B.CreateAdd(B.CreateSExt(Start, B.getInt64Ty()), Way);
    Value *Fits = isBelow(B, B.CreateAdd(Last, B.getInt64(uint64_t(1) << (Bits - 1))), B.getInt64(uint64_t(1) << Bits));
    Holds = B.CreateAnd(Holds, Fits);
  }
  return Holds;
}

} // namespace gasan
