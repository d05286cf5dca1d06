// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the operands with which an operation has results that a test lets through. All functions get N, the values that
// the operand has otherwise, and return a part of them.
#include "gasan_pass/instrument/proof/Formula.h"

using namespace llvm;

namespace gasan {

// Returns the values of N that break the promise of a sum with the constant, if Where is not empty.
Node Formulas::overflowing(const APInt &Constant, const BinaryOperator &Sum, bool Signed, Node N, Node Where) {
  const unsigned Bits = Nodes.bits(N);
  Node Result;
  if (Signed && Constant.isNonNegative())
    Result = Nodes.where(CmpInst::ICMP_SGT, N, Nodes.constant(APInt::getSignedMaxValue(Bits) - Constant));
  else if (Signed)
    Result = Nodes.where(CmpInst::ICMP_SLT, N, Nodes.constant(APInt::getSignedMinValue(Bits) - Constant));
  else if (Sum.getOpcode() == Instruction::Add)
    Result = Nodes.where(CmpInst::ICMP_UGT, N, Nodes.constant(APInt::getMaxValue(Bits) - Constant));
  else
    Result = Nodes.where(CmpInst::ICMP_ULT, N, Nodes.constant(-Constant));
  return Nodes.operate(GASAN_PROOF_IF, Bits, Result, Where);
}

// Returns the values of N whose absolute value is a value of Result. The smallest value has none.
Node Formulas::beforeAbsolute(Node N, Node Result) {
  const unsigned Bits = Nodes.bits(N);
  Node Negated = Nodes.operate(GASAN_PROOF_SUB, Bits, Nodes.constant(Bits, 0), Result);
  Node Before = unionOf(Nodes.where(CmpInst::ICMP_EQ, N, Result), Nodes.where(CmpInst::ICMP_EQ, N, Negated));
  return unionOf(Before, Nodes.where(CmpInst::ICMP_EQ, N, Nodes.constant(APInt::getSignedMinValue(Bits))));
}

// Returns the values of N that are truncated to a value of Low. A value that the truncation changes may be any.
Node Formulas::beforeTruncation(Node N, Node Low) {
  const unsigned Bits = Nodes.bits(N), LowBits = Nodes.bits(Low);
  Node Result = Nodes.where(CmpInst::ICMP_EQ, N, Nodes.resize(Low, Bits, /*Signed=*/true));
  Result =
      unionOf(Result, Nodes.where(CmpInst::ICMP_SGT, N, Nodes.constant(APInt::getSignedMaxValue(LowBits).sext(Bits))));
  Result =
      unionOf(Result, Nodes.where(CmpInst::ICMP_SLT, N, Nodes.constant(APInt::getSignedMinValue(LowBits).sext(Bits))));
  return Nodes.operate(GASAN_PROOF_WHERE_CONGRUENT, Bits, Result, Nodes.constant(APInt::getOneBitSet(Bits, LowBits)),
                       Nodes.resize(Low, Bits, /*Signed=*/false));
}

// Returns the values of N whose product with the constant is a value of Product. Where the product may wrap around, N
// may have any of its values.
Node Formulas::beforeProduct(Node N, const APInt &By, Node Product, bool IsUnsigned) {
  const unsigned Bits = Nodes.bits(N);
  Node Quotient = Nodes.operate(IsUnsigned ? GASAN_PROOF_UDIV : GASAN_PROOF_SDIV, Bits, Product, Nodes.constant(By));
  Node Result = Nodes.where(CmpInst::ICMP_EQ, N, Quotient);
  if (IsUnsigned)
    return unionOf(Result, Nodes.where(CmpInst::ICMP_UGT, N, Nodes.constant(APInt::getMaxValue(Bits).udiv(By))));
  Result = unionOf(Result, Nodes.where(CmpInst::ICMP_SGT, N, Nodes.constant(APInt::getSignedMaxValue(Bits).sdiv(By))));
  return unionOf(Result, Nodes.where(CmpInst::ICMP_SLT, N, Nodes.constant(APInt::getSignedMinValue(Bits).sdiv(By))));
}

// Returns the values of N that a mask of low bits, which is the divisor less 1 of a remainder, makes a value of Rest.
Node Formulas::beforeMask(Node N, Node Mask, Node Rest) {
  const unsigned Bits = Nodes.bits(N);
  return Nodes.operate(GASAN_PROOF_WHERE_CONGRUENT, Bits, N,
                       Nodes.operate(GASAN_PROOF_ADD, Bits, Mask, Nodes.constant(Bits, 1)), Rest);
}

// Returns the values of N whose remainder is a value of Rest: they are quotient * divisor + remainder.
Node Formulas::beforeRemainder(Node N, Node Divisor, bool IsSigned, Node Rest) {
  const unsigned Bits = Nodes.bits(N);
  Node Quotient = Nodes.operate(IsSigned ? GASAN_PROOF_SDIV : GASAN_PROOF_UDIV, Bits, N, Divisor);
  Node Sum = Nodes.operate(GASAN_PROOF_ADD, Bits, Nodes.operate(GASAN_PROOF_MUL, Bits, Quotient, Divisor), Rest);
  return Nodes.operate(GASAN_PROOF_WHERE_CONGRUENT, Bits, Nodes.where(CmpInst::ICMP_EQ, N, Sum), Divisor, Rest);
}

// Returns the values of N that a shift to the right makes a value of Result. A shift by all bits or more, which may
// have any result, excludes none.
Node Formulas::beforeShift(Node N, Node Amount, bool IsSigned, Node Result) {
  const unsigned Bits = Nodes.bits(N);
  Node First = Nodes.operate(GASAN_PROOF_SHL, Bits, Result, Amount);
  Node Lost =
      Nodes.operate(GASAN_PROOF_SUB, Bits, Nodes.operate(GASAN_PROOF_SHL, Bits, Nodes.constant(Bits, 1), Amount),
                    Nodes.constant(Bits, 1));
  N = Nodes.where(IsSigned ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE, N, First);
  return Nodes.where(IsSigned ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE, N,
                     Nodes.operate(GASAN_PROOF_ADD, Bits, First, Lost));
}

// Returns the values of N whose quotient by the divisor is a value of Result: N is quotient * divisor + remainder.
// Tests may bound the remainder, too.
Node Formulas::beforeDivision(const BinaryOperator &Quotient, Node N, Node Divisor, Node Result, const Relation &Key,
                              const Place *At) {
  const unsigned Bits = Nodes.bits(N);
  const bool IsSigned = Quotient.getOpcode() == Instruction::SDiv;
  Node Rest = Nodes.operate(IsSigned ? GASAN_PROOF_SREM : GASAN_PROOF_UREM, Bits, N, Divisor);
  auto Apply = [&](const Relation &R, const Place *Where) {
    const std::optional<Division> D = isInteger(R.Left) ? remainderOf(R.Left) : std::nullopt;
    if (D && D->IsSigned == IsSigned && D->Dividend == Quotient.getOperand(0) && D->Divisor == Quotient.getOperand(1))
      Rest = Nodes.where(R.Predicate, Rest, whileOpen(&Key, 0, [&] { return of(R.Right, Where); }));
  };
  for (const Place *P = At; P; P = P->Outer)
    for (const Relation &R : P->Known) {
      Apply(R, P);
      Apply(R.swapped(), P);
    }
  Node Product = Nodes.operate(GASAN_PROOF_MUL, Bits, Result, Divisor);
  return Nodes.where(CmpInst::ICMP_EQ, N, Nodes.operate(GASAN_PROOF_ADD, Bits, Product, Rest));
}

} // namespace gasan
