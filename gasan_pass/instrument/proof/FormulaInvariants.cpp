// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop variables that stay between the values with which they begin, such as the ends of a binary search's range.
#include "gasan_pass/instrument/proof/Formula.h"
#include <functional>

using namespace llvm;

namespace gasan {

constexpr unsigned kMostVariables = 4, kMostVisited = 32;

// Adds the variables of L, of so many bits, of which V is made in one round. Returns false if V is made of too much.
bool Formulas::collectVariables(Value *V, const Loop &L, unsigned Bits, SmallVectorImpl<PHINode *> &Found,
                                unsigned &Work) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I) || !isInteger(I) || is_contained(Found, I))
    return true;
  if (++Work > kMostVisited)
    return false;
  auto Visit = [&](Value *Part) { return collectVariables(Part, L, Bits, Found, Work); };
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    if (Phi->getParent() != L.getHeader())
      return Loops.getLoopFor(Phi->getParent())->getHeader() == Phi->getParent() ||
             all_of(Phi->incoming_values(), Visit);
    if (bitsOf(Phi) != Bits)
      return true;
    Found.push_back(Phi);
    return Found.size() <= kMostVariables && Visit(Phi->getIncomingValueForBlock(L.getLoopLatch()));
  }
  if (auto *Select = dyn_cast<SelectInst>(I))
    return Visit(Select->getTrueValue()) && Visit(Select->getFalseValue());
  if (isa<BinaryOperator, CastInst, FreezeInst>(I))
    return all_of(I->operands(), Visit);
  return true;
}

// Handles several variables of which each round makes new ones: low, high and (low + high) / 2. If all begin between a
// least and a greatest number, and if numbers between these give a next value between these, then no round leaves the
// range. Whether the latter is so is computed at the launch: if a next value may lie outside, the result is any number.
std::optional<Node> Formulas::betweenStarts(PHINode &Phi, const Loop &L) {
  if (!Phi.getType()->isIntegerTy())
    return std::nullopt;
  const unsigned Bits = bitsOf(&Phi);
  SmallVector<PHINode *, kMostVariables> Found;
  unsigned Work = 0;
  if (!collectVariables(&Phi, L, Bits, Found, Work) || Found.size() < 2 ||
      any_of(Found, [&](PHINode *V) { return Open.contains(V); }))
    return std::nullopt;
  SmallVector<PHINode *, kMostVariables> Variables; // in the block's order: the nodes are the same for each of them
  for (PHINode &V : L.getHeader()->phis())
    if (is_contained(Found, &V))
      Variables.push_back(&V);
  const Place *Back = Conditions.onEdge(L.getLoopLatch(), L.getHeader());
  std::optional<Node> Least, Greatest;
  for (PHINode *V : Variables) {
    Value *Next = V->getIncomingValueForBlock(L.getLoopLatch());
    if (stepOf(*V, Next, L, Back)) // it is a recurrence, and leaves the range
      return std::nullopt;
    Node Start = startOf(*V, L);
    if (!Nodes.isBounded(Start))
      return std::nullopt;
    Least = Least ? Nodes.operate(GASAN_PROOF_SMIN, Bits, *Least, Start) : Start;
    Greatest = Greatest ? Nodes.operate(GASAN_PROOF_SMAX, Bits, *Greatest, Start) : Start;
  }
  const Node Any = Nodes.between(Bits, 0, maxUIntN(Bits));
  const Node Range = Nodes.where(CmpInst::ICMP_SLE, Nodes.where(CmpInst::ICMP_SGE, Any, *Least), *Greatest);
  Node Result = Range;
  auto NextOf = [&](PHINode &V) {
    Value *Next = V.getIncomingValueForBlock(L.getLoopLatch());
    auto *Merged = dyn_cast<PHINode>(Next);
    // The value after the loop is often this phi, which is in progress then. It is not made of itself in one round.
    const bool InProgress = Merged && Open.contains(Merged) && !is_contained(Variables, Merged);
    return InProgress ? anyIncoming(*Merged) : of(Next, Back);
  };
  auto Check = [&] {
    for (PHINode *V : Variables) {
      Node Next = NextOf(*V);
      Result = Nodes.unlessThereIs(Result, Nodes.where(CmpInst::ICMP_SLT, Next, *Least));
      Result = Nodes.unlessThereIs(Result, Nodes.where(CmpInst::ICMP_SGT, Next, *Greatest));
    }
  };
  std::function<void(size_t)> Assume = [&](size_t Index) {
    if (Index == Variables.size())
      return Check();
    whileOpen(Variables[Index], Range, [&] {
      Assume(Index + 1);
      return 0;
    });
  };
  Assume(0);
  return Result;
}

} // namespace gasan
