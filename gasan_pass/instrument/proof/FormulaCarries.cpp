// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds the upper bits of a number by a test of its lower bits, as for bits that straddle two words:
//
//   word = bit >> 5
//   if ((bit & 31) + width > 32)
//     words[word + 1]                    word <= (bit + width - 33) >> 5
//
// The interval of the bit does not show that the last number has no part in a word behind the end. The rule: bit is
// word * 32 + (bit & 31), and the test says that bit & 31 is at least 33 - width.
//
// The rule holds for whole numbers. It applies in launches in which all numbers are small (WholeNumbers.h).
#include "gasan_pass/instrument/proof/Formula.h"
#include "gasan_pass/instrument/proof/WholeNumbers.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {

// Narrows N, the result of a right shift.
Node Formulas::narrowByCarry(BinaryOperator &Shift, Node N, const Place *At) {
  Value *Number;
  const APInt *Amount;
  const unsigned Bits = bitsOf(&Shift);
  if (!match(&Shift, m_Shr(m_Value(Number), m_APInt(Amount))) || Amount->isZero() || Amount->ugt(16) ||
      Amount->uge(Bits) || cast<PossiblyExactOperator>(&Shift)->isExact())
    return N;
  auto Apply = [&](const Relation &R) {
    const bool Strict = R.Predicate == CmpInst::ICMP_SGT || R.Predicate == CmpInst::ICMP_UGT;
    const APInt *Least;
    Value *Low, *Width = nullptr;
    if ((!Strict && R.Predicate != CmpInst::ICMP_SGE && R.Predicate != CmpInst::ICMP_UGE) || !isInteger(R.Left) ||
        bitsOf(R.Left) != Bits || !match(R.Right, m_APInt(Least)) || Least->getActiveBits() > 30 || openItem(&R))
      return;
    const APInt Mask = APInt::getLowBitsSet(Bits, Amount->getZExtValue());
    auto IsLow = [&](Value *V) { return match(V, m_And(m_Specific(Number), m_SpecificInt(Mask))); };
    if (!IsLow(R.Left)) {
      if (!match(R.Left, m_Add(m_Value(Low), m_Value(Width))))
        return;
      if (!IsLow(Low))
        std::swap(Low, Width);
      if (!IsLow(Low))
        return;
    }
    WholeNumbers Whole(Nodes);
    Node Sum = Whole.small(Whole.extended(whileOpen(&R, 0, [&] { return of(Number, At); })));
    if (Width)
      Sum = Whole.plus(Sum, Whole.small(Whole.extended(whileOpen(&R, 0, [&] { return of(Width, At); }))));
    Sum = Whole.plus(Sum, Whole.constant(-int64_t(Least->getZExtValue()) - int64_t(Strict)));
    Node Most = Nodes.operate(GASAN_PROOF_ASHR, WholeNumbers::kBits, Sum, Nodes.constant(Amount->zext(64)));
    Node Narrowed = Nodes.where(CmpInst::ICMP_SLE, N, Nodes.resize(Most, Bits, false));
    N = Nodes.where(CmpInst::ICMP_EQ, N, Whole.resultOrAny(Narrowed));
  };
  for (const Place *P = At; P; P = P->Outer)
    for (const Relation &R : P->Known) {
      Apply(R);
      Apply(R.swapped());
    }
  return N;
}

} // namespace gasan
