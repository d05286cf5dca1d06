// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates the first rounds of a loop one by one, if each round doubles or halves a variable:
//
//   for (int stride = n / 2; stride > 0; stride /= 2) {
//     int low = tid & (stride - 1), i = 2 * (tid - low) + low;
//     ... shared[i] ... shared[i + stride] ...
//   }
//
// The greatest values of tid, low and stride together lie outside the array, but they do not occur in the same round.
// Such a loop has few rounds, and in each the variable has one value, which the launch's arguments determine.
//
// The same is done for a counter with few rounds that a test compares with another number, if a pointer moves beside
// it. nvcc writes such loops for the diagonals of a matrix:
//
//   for (int m = 14; m != -1; m--, at += 4)
//     if (tid <= m)
//       ... tile[at - 64 * tid] ...
#include "gasan_pass/instrument/proof/Formula.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {

constexpr unsigned kMostRounds = 16;        // of a loop; in later rounds, all values are possible
constexpr unsigned kMostRoundWork = 100000; // values of one kernel

// Returns true if each round multiplies or divides the variable by a constant.
static bool isGeometric(PHINode &Phi, const Loop &L) {
  Value *Next = Phi.getIncomingValueForBlock(L.getLoopLatch());
  auto Variable = m_Specific(&Phi);
  return Phi.getType()->isIntegerTy() &&
         (match(Next, m_Shl(Variable, m_ConstantInt())) || match(Next, m_LShr(Variable, m_ConstantInt())) ||
          match(Next, m_AShr(Variable, m_ConstantInt())) || match(Next, m_Mul(Variable, m_ConstantInt())) ||
          match(Next, m_UDiv(Variable, m_ConstantInt())) || match(Next, m_SDiv(Variable, m_ConstantInt())) ||
          match(Next, m_Add(Variable, Variable)));
}

// Returns true if the variable starts with a constant, moves by a constant, and ends the loop in one of the first
// rounds.
static bool countsFewRounds(PHINode &Phi, const Loop &L) {
  const APInt *Start = nullptr, *Step = nullptr;
  if (!Phi.getType()->isIntegerTy() || !L.getLoopPredecessor() ||
      !match(Phi.getIncomingValueForBlock(L.getLoopPredecessor()), m_APInt(Start)) ||
      !match(Phi.getIncomingValueForBlock(L.getLoopLatch()), m_Add(m_Specific(&Phi), m_APInt(Step))))
    return false;
  SmallVector<BasicBlock *, 4> Exits;
  L.getExitingBlocks(Exits);
  return any_of(Exits, [&](const BasicBlock *Exit) {
    const auto *Branch = dyn_cast<BranchInst>(Exit->getTerminator());
    const auto *Test = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
    const APInt *Limit = nullptr, *Added = nullptr;
    if (!Test || !match(Test->getOperand(1), m_APInt(Limit)))
      return false;
    if (Test->getOperand(0) != &Phi && !match(Test->getOperand(0), m_Add(m_Specific(&Phi), m_APInt(Added))))
      return false;
    APInt Value = Added ? *Start + *Added : *Start;
    for (unsigned Round = 0; Round < kMostRounds; ++Round, Value += *Step)
      if (ICmpInst::compare(Value, *Limit, Test->getPredicate()) != L.contains(Branch->getSuccessor(0)))
        return true;
    return false;
  });
}

// Returns true if the loop compares the variable, or its sum with a constant, with a number that is no constant.
static bool isComparedWithNumber(PHINode &Phi, const Loop &L) {
  auto IsCompared = [&](const Value &V) {
    return any_of(V.users(), [&](const User *U) {
      const auto *Test = dyn_cast<ICmpInst>(U);
      return Test && L.contains(Test) && !isa<Constant>(Test->getOperand(Test->getOperand(0) == &V ? 1 : 0));
    });
  };
  return IsCompared(Phi) || any_of(Phi.users(), [&](const User *U) {
           return match(U, m_Add(m_Specific(&Phi), m_ConstantInt())) && IsCompared(*U);
         });
}

// Returns true if the variable has one number in each round, so that the rounds differ.
static bool decidesRounds(PHINode &Phi, const Loop &L) {
  if (isGeometric(Phi, L))
    return true;
  return any_of(L.getHeader()->phis(), [](const PHINode &Other) { return Other.getType()->isPointerTy(); }) &&
         countsFewRounds(Phi, L) && isComparedWithNumber(Phi, L);
}

// Returns true if the values of a round stay inside the loop, so that the next execution of the loop does not depend on
// them.
static bool isClosed(const Loop &L) {
  if (L.isOutermost())
    return true;
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block)
      if (any_of(I.users(), [&](const User *U) { return !L.contains(cast<Instruction>(U)); }))
        return false;
  return true;
}

bool Formulas::isWorthRounds(const Loop &L) {
  if (!L.getLoopLatch() || !isClosed(L))
    return false;
  ReversePostOrderTraversal<const Function *> Order(&Kernel); // a cycle that is no loop may start L again
  if (containsIrreducibleCFG<const BasicBlock *>(Order, Loops))
    return false;
  return any_of(L.getHeader()->phis(), [&](PHINode &Phi) {
    return isInteger(&Phi) && decidesRounds(Phi, L) && Nodes.isPoint(startOf(Phi, L));
  });
}

Node Formulas::during(const Loop &L, LoopRound &R, function_ref<Node()> Evaluate) {
  auto Exchange = [&] {
    std::swap(Known, R.Known);
    std::swap(KnownTimes, R.KnownTimes);
  };
  const unsigned Before = Work;
  Exchange();
  RoundOf = &L;
  Now = &R;
  const Node Result = Evaluate();
  RoundOf = nullptr;
  Now = nullptr;
  Exchange();
  RoundWork += Work - Before;
  Work = Before; // the rounds take nothing from what is evaluated without them
  return Result;
}

// Returns the rounds, and then one entry for all further rounds. Variables of outer loops, and numbers of rounds, have
// the values of all executions, because the tests that end L, which bound them, concern L's last round.
std::vector<Formulas::LoopRound> &Formulas::roundsOf(const Loop &L) {
  if (auto Found = Rounds.find(&L); Found != Rounds.end())
    return Found->second;
  if (!isWorthRounds(L))
    return Rounds[&L];
  auto VariablesOf = [&](const Loop &Of) {
    SmallVector<PHINode *, 8> Variables;
    for (PHINode &Phi : Of.getHeader()->phis())
      if (isInteger(&Phi) || (Phi.getType()->isPointerTy() && Steps.soleSource(&Phi)))
        Variables.push_back(&Phi);
    return Variables;
  };
  std::vector<LoopRound> Made(kMostRounds + 1);
  for (unsigned Number = 0; Number < Made.size(); ++Number)
    Made[Number].Number = Number;
  for (LoopRound &R : Made)
    for (const Loop *Outer = &L; Outer; Outer = Outer->getParentLoop()) {
      R.KnownTimes[Outer] = timesOf(*Outer);
      for (PHINode *Phi : VariablesOf(*Outer))
        if (Outer != &L)
          R.Variables[Phi] = phi(*Phi);
    }
  const SmallVector<PHINode *, 8> Variables = VariablesOf(L);
  for (PHINode *Phi : Variables)
    Made[0].Variables[Phi] = startOf(*Phi, L);
  for (unsigned Number = 0; Number < kMostRounds; ++Number)
    for (PHINode *Phi : Variables)
      Made[Number + 1].Variables[Phi] =
          during(L, Made[Number], [&] { return incoming(*Phi, Phi->getBasicBlockIndex(L.getLoopLatch())); });
  return Rounds[&L] = std::move(Made);
}

// Narrows N, the values of a pointer of the loop's header, in a round of the loop. A pointer that moves by a constant
// is the start plus a constant in this round, and at the place, tests of this round bound the numbers in the start.
Node Formulas::inRound(PHINode &Pointer, Node N, const Place *At) {
  if (!Now || Pointer.getParent() != RoundOf->getHeader() || !RoundOf->getLoopPredecessor())
    return N;
  const DataLayout &DL = Kernel.getDataLayout();
  APInt Step(bitsOf(&Pointer), 0);
  const Value *Next = Pointer.getIncomingValueForBlock(RoundOf->getLoopLatch());
  if (DL.getIndexTypeSizeInBits(Pointer.getType()) != bitsOf(&Pointer) ||
      Next->stripAndAccumulateConstantOffsets(DL, Step, /*AllowNonInbounds=*/true) != &Pointer)
    return N;
  const Node Start = of(Pointer.getIncomingValueForBlock(RoundOf->getLoopPredecessor()), At);
  return Nodes.where(CmpInst::ICMP_EQ, N, sumOfOffsets(Start, Nodes.constant(Step * Now->Number)));
}

std::optional<Node> Formulas::inEachRound(const BasicBlock &Block, function_ref<Node()> Evaluate) {
  const Loop *L = RoundWork < kMostRoundWork ? Loops.getLoopFor(&Block) : nullptr;
  while (L && roundsOf(*L).empty())
    L = L->getParentLoop();
  if (!L)
    return std::nullopt;
  std::vector<LoopRound> &All = roundsOf(*L);
  std::optional<Node> Result;
  bool Changes = false;
  for (unsigned Number = 0; Number < kMostRounds; ++Number) {
    const Node Own = during(*L, All[Number], Evaluate);
    Changes |= Result && Own != *Result;
    Result = unionOf(Result, Own);
    if (Number == 1 && !Changes)
      return std::nullopt;
  }
  for (PHINode &Phi : L->getHeader()->phis())
    if (isInteger(&Phi) && decidesRounds(Phi, *L))
      return Nodes.unlessThereIs(*Result, All[kMostRounds].Variables[&Phi]);
  return std::nullopt; // never: the loop has such a variable
}

} // namespace gasan
