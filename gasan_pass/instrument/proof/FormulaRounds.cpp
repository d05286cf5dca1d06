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
  return any_of(L.getHeader()->phis(),
                [&](PHINode &Phi) { return isInteger(&Phi) && isGeometric(Phi, L) && Nodes.isPoint(startOf(Phi, L)); });
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
    if (isInteger(&Phi) && isGeometric(Phi, *L))
      return Nodes.unlessThereIs(*Result, All[kMostRounds].Variables[&Phi]);
  return std::nullopt; // never: the loop has such a variable
}

} // namespace gasan
