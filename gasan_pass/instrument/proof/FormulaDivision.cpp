// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognises the remainder of a division, and the sum of a quotient's multiple and the remainder. For a GPU, LLVM
// computes the right side of
//
//   row = i / width             q = i / width
//   column = i % width          r = i - q * width
//   row * width + column        q * width + (i - q * width)
//
// The intervals of i and q * width do not show that r is less than width, nor that the sum is i.
#include "gasan_pass/instrument/proof/Formula.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {
namespace {

// Returns true if V is (dividend / divisor) * divisor.
bool matchMultiple(Value *V, Value *Dividend, Formulas::Division &D) {
  Value *A, *B;
  if (!match(V, m_Mul(m_Value(A), m_Value(B))))
    return false;
  D.Dividend = Dividend;
  for (auto [Factor, Divisor] : {std::pair(A, B), std::pair(B, A)}) {
    Value *Quotient = Factor;
    match(Factor, m_Freeze(m_Value(Quotient)));
    D.Divisor = Divisor;
    D.IsSigned = match(Quotient, m_SDiv(m_Specific(Dividend), m_Specific(Divisor)));
    if (D.IsSigned || match(Quotient, m_UDiv(m_Specific(Dividend), m_Specific(Divisor))))
      return true;
  }
  return false;
}

// Returns true if V is dividend - (dividend / divisor) * divisor. Sets Multiple to the subtrahend.
bool matchRemainder(Value *V, Formulas::Division &D, Value *&Multiple) {
  Value *Dividend;
  return match(V, m_Sub(m_Value(Dividend), m_Value(Multiple))) && matchMultiple(Multiple, Dividend, D);
}

} // namespace

std::optional<Formulas::Division> Formulas::remainderOf(Value *V) {
  Division D;
  Value *Multiple;
  if (match(V, m_URem(m_Value(D.Dividend), m_Value(D.Divisor))))
    return D;
  D.IsSigned = match(V, m_SRem(m_Value(D.Dividend), m_Value(D.Divisor)));
  return D.IsSigned || matchRemainder(V, D, Multiple) ? std::optional(D) : std::nullopt;
}

// Returns the node if I is such a remainder or sum. Empty: I is neither.
//
// Where the division is defined, these instructions cannot break their promises. Where it is undefined, a remainder is
// any value. A division by 0 does not change the sum; the least value divided by -1 makes the sum any value.
std::optional<Node> Formulas::division(BinaryOperator &I, const Place *At) {
  const unsigned Bits = bitsOf(&I);
  Division D;
  Value *Multiple;
  if (matchRemainder(&I, D, Multiple))
    return Nodes.operate(D.IsSigned ? GASAN_PROOF_SREM : GASAN_PROOF_UREM, Bits, of(D.Dividend, At), of(D.Divisor, At));
  if (I.getOpcode() != Instruction::Add)
    return std::nullopt;
  for (unsigned Index : {0, 1})
    if (matchRemainder(I.getOperand(Index), D, Multiple) && Multiple == I.getOperand(1 - Index)) {
      Node Sum = of(D.Dividend, At);
      if (!D.IsSigned)
        return Sum;
      Node Least = Nodes.where(CmpInst::ICMP_EQ, Sum, Nodes.constant(APInt::getSignedMinValue(Bits)));
      Node MinusOne = Nodes.where(CmpInst::ICMP_EQ, of(D.Divisor, At), Nodes.constant(APInt::getAllOnes(Bits)));
      return Nodes.unlessThereIs(Sum, Nodes.operate(GASAN_PROOF_IF, Bits, Least, MinusOne));
    }
  return std::nullopt;
}

} // namespace gasan
