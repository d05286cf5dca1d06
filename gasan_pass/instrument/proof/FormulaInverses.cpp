// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes which operands let an operation have a result that passes a test. All functions get N, the operand's values
// without the test, and return a subset of them.
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

// Returns the values of N whose absolute value is in Result. The least value has no absolute value.
Node Formulas::beforeAbsolute(Node N, Node Result) {
  const unsigned Bits = Nodes.bits(N);
  Node Negated = Nodes.operate(GASAN_PROOF_SUB, Bits, Nodes.constant(Bits, 0), Result);
  Node Before = unionOf(Nodes.where(CmpInst::ICMP_EQ, N, Result), Nodes.where(CmpInst::ICMP_EQ, N, Negated));
  return unionOf(Before, Nodes.where(CmpInst::ICMP_EQ, N, Nodes.constant(APInt::getSignedMinValue(Bits))));
}

// Returns the values of N whose truncation is in Low. Of values that truncation changes, compares the low bits only.
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

// Returns the values of N whose product with the constant is in Product. Excludes no value whose product may wrap.
Node Formulas::beforeProduct(Node N, const APInt &By, Node Product, bool IsUnsigned) {
  const unsigned Bits = Nodes.bits(N);
  Node Quotient = Nodes.operate(IsUnsigned ? GASAN_PROOF_UDIV : GASAN_PROOF_SDIV, Bits, Product, Nodes.constant(By));
  Node Result = Nodes.where(CmpInst::ICMP_EQ, N, Quotient);
  if (IsUnsigned)
    return unionOf(Result, Nodes.where(CmpInst::ICMP_UGT, N, Nodes.constant(APInt::getMaxValue(Bits).udiv(By))));
  Result = unionOf(Result, Nodes.where(CmpInst::ICMP_SGT, N, Nodes.constant(APInt::getSignedMaxValue(Bits).sdiv(By))));
  return unionOf(Result, Nodes.where(CmpInst::ICMP_SLT, N, Nodes.constant(APInt::getSignedMinValue(Bits).sdiv(By))));
}

// Returns the values of N for which the masked result is in Result. A constant mask of adjacent bits selects a
// remainder: x & 31 < 8, or x & 24 == 0. Otherwise, or if the result is one value of the lowest bits, only these bits
// say something.
Node Formulas::beforeMask(Node N, Node Mask, Node Result, CmpInst::Predicate Test) {
  const unsigned Bits = Nodes.bits(N);
  unsigned First, Count;
  if (!isRemainderMask(Mask, First, Count) || (First == 0 && CmpInst::isEquality(Test)))
    return Nodes.operate(GASAN_PROOF_WHERE_CONGRUENT, Bits, N,
                         Nodes.operate(GASAN_PROOF_ADD, Bits, Mask, Nodes.constant(Bits, 1)), Result);
  if (Count == 1) // the result is 0 or the mask
    Result = Nodes.operate(GASAN_PROOF_MUL, Bits, Mask,
                           Nodes.operate(GASAN_PROOF_UMIN, Bits, Result, Nodes.constant(Bits, 1)));
  else if (First && Test == CmpInst::ICMP_NE) { // the next multiple of the lowest bit
    const Node Shift = Nodes.constant(Bits, First);
    Result = Nodes.operate(GASAN_PROOF_ADD, Bits, Result, Nodes.constant(Bits, maskTrailingOnes<uint64_t>(First)));
    Result = Nodes.operate(GASAN_PROOF_SHL, Bits, Nodes.operate(GASAN_PROOF_LSHR, Bits, Result, Shift), Shift);
  }
  Node Below = Nodes.between(Bits, 0, maskTrailingOnes<uint64_t>(First));
  return beforeRemainder(N, Nodes.constant(Bits, uint64_t(1) << (First + Count)), /*IsSigned=*/false,
                         First == 0 ? Result : Nodes.operate(GASAN_PROOF_ADD, Bits, Result, Below));
}

// Returns the values of N for which the difference of N from the minimum or maximum of N and Other is in Difference:
// any, if the difference may be 0, and otherwise Other less the difference.
Node Formulas::beforeExtreme(Node N, Node Other, Node Difference) {
  const unsigned Bits = Nodes.bits(N);
  const Node Zero = Nodes.constant(Bits, 0);
  return unionOf(Nodes.operate(GASAN_PROOF_IF, Bits, N, Nodes.where(CmpInst::ICMP_EQ, Difference, Zero)),
                 Nodes.operate(GASAN_PROOF_SUB, Bits, Other, Nodes.where(CmpInst::ICMP_NE, Difference, Zero)));
}

// Returns true if the mask is a constant of Count adjacent bits, the lowest of which is bit First, without the highest
// bit of the value.
bool Formulas::isRemainderMask(Node Mask, unsigned &First, unsigned &Count) {
  const std::optional<uint64_t> Constant = Nodes.constantOf(Mask);
  return Constant && isShiftedMask_64(*Constant, First, Count) && First + Count < Nodes.bits(Mask);
}

// Returns the values of N whose remainder is in Rest, as sums quotient * divisor + remainder.
Node Formulas::beforeRemainder(Node N, Node Divisor, bool IsSigned, Node Rest) {
  const unsigned Bits = Nodes.bits(N);
  Node Quotient = Nodes.operate(IsSigned ? GASAN_PROOF_SDIV : GASAN_PROOF_UDIV, Bits, N, Divisor);
  Node Sum = Nodes.operate(GASAN_PROOF_ADD, Bits, Nodes.operate(GASAN_PROOF_MUL, Bits, Quotient, Divisor), Rest);
  return Nodes.operate(GASAN_PROOF_WHERE_CONGRUENT, Bits, Nodes.where(CmpInst::ICMP_EQ, N, Sum), Divisor, Rest);
}

// Returns the values of N for which the right shift's result is in Result. A shift by all bits or more may have any
// result, and so excludes no value.
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

// Returns the values of N whose quotient is in Result, as sums quotient * divisor + remainder. Tests may bound the
// remainder, too.
Node Formulas::beforeDivision(const BinaryOperator &Quotient, Node N, Node Divisor, Node Result, const Relation &Key,
                              const Place *At) {
  const unsigned Bits = Nodes.bits(N);
  const bool IsSigned = Quotient.getOpcode() == Instruction::SDiv;
  Node Rest = Nodes.operate(IsSigned ? GASAN_PROOF_SREM : GASAN_PROOF_UREM, Bits, N, Divisor);
  auto Apply = [&](const Relation &R, const Place *Where) {
    const std::optional<Division> Multiple = isInteger(R.Left) ? multipleIn(R) : std::nullopt;
    const std::optional<Division> D = Multiple ? Multiple : isInteger(R.Left) ? remainderOf(R.Left) : std::nullopt;
    if (!D || D->IsSigned != IsSigned || D->Dividend != Quotient.getOperand(0) || D->Divisor != Quotient.getOperand(1))
      return;
    const Node Limit = whileOpen(&Key, 0, [&] { return Multiple ? Nodes.constant(Bits, 0) : of(R.Right, Where); });
    const Node Untested = Rest;
    Rest = Nodes.where(R.Predicate, Rest, Limit);
    if (!D->hasDivisor())
      Rest = unionOf(Rest, whileOpen(&Key, 0, [&] { return ifFactorIsZero(*D, Untested, Where); }));
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
