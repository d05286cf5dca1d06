/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Intervals of expressions.
#include "scan/Expression.h"

#include <algorithm>

namespace gasan::scan {

static Range fullUnsigned(unsigned Width) {
  return {0, __int128(maskOf(Width))};
}

static Range fullSigned(unsigned Width) {
  const __int128 Half = __int128(1) << (Width - 1);
  return {-Half, Half - 1};
}

static bool holds(Range Outer, Range Inner) {
  return Outer.Low <= Inner.Low && Inner.High <= Outer.High;
}

static Range fourCorners(Range A, Range B) {
  // The factors have at most 64 bits, so the products fit but for the very largest unsigned ones.
  const __int128 Limit = __int128(1) << 62;
  if (A.Low < -Limit || A.High > Limit || B.Low < -Limit || B.High > Limit)
    return {-(__int128(1) << 126), __int128(1) << 126};
  const __int128 Products[4] = {A.Low * B.Low, A.Low * B.High, A.High * B.Low, A.High * B.High};
  return {*std::min_element(Products, Products + 4), *std::max_element(Products, Products + 4)};
}

Range exactRange(Op Operation, Range A, Range B) {
  switch (Operation) {
  case Op::Add:
    return {A.Low + B.Low, A.High + B.High};
  case Op::Sub:
    return {A.Low - B.High, A.High - B.Low};
  default:
    return fourCorners(A, B);
  }
}

Range Expressions::unsignedRange(const Node *A) {
  if (auto Found = Unsigned.find(A); Found != Unsigned.end())
    return Found->second;
  Range Result = computeUnsigned(A);
  return Unsigned[A] = Result;
}

Range Expressions::signedRange(const Node *A) {
  if (auto Found = Signed.find(A); Found != Signed.end())
    return Found->second;
  Range Result = computeSigned(A);
  return Signed[A] = Result;
}

void Expressions::forgetRanges() {
  Unsigned.clear();
  Signed.clear();
}

// Returns the unsigned interval that follows from a signed one.
static Range fromSigned(Range Signed, unsigned Width) {
  const __int128 All = __int128(maskOf(Width)) + 1;
  if (Signed.Low >= 0)
    return Signed;
  if (Signed.High < 0)
    return {Signed.Low + All, Signed.High + All};
  return fullUnsigned(Width);
}

static Range fromUnsigned(Range Unsigned, unsigned Width) {
  const __int128 All = __int128(maskOf(Width)) + 1, Half = All / 2;
  if (Unsigned.High < Half)
    return Unsigned;
  if (Unsigned.Low >= Half)
    return {Unsigned.Low - All, Unsigned.High - All};
  return fullSigned(Width);
}

static Range join(Range A, Range B) {
  return {std::min(A.Low, B.Low), std::max(A.High, B.High)};
}

Range Expressions::computeUnsigned(const Node *A) {
  const Range Full = fullUnsigned(A->Width);
  switch (A->Operation) {
  case Op::Const:
    return {__int128(A->Value), __int128(A->Value)};
  case Op::Var:
    return {__int128(A->Var->Low), __int128(A->Var->High)};
  case Op::Add:
  case Op::Sub:
  case Op::Mul: {
    Range Exact = exactRange(A->Operation, unsignedRange(A->Kids[0]), unsignedRange(A->Kids[1]));
    if (holds(Full, Exact))
      return Exact;
    Exact = exactRange(A->Operation, signedRange(A->Kids[0]), signedRange(A->Kids[1]));
    return holds(fullSigned(A->Width), Exact) ? fromSigned(Exact, A->Width) : Full;
  }
  case Op::UDiv: {
    const Range Left = unsignedRange(A->Kids[0]), Right = unsignedRange(A->Kids[1]);
    return Right.Low > 0 ? Range{Left.Low / Right.High, Left.High / Right.Low} : Full;
  }
  case Op::URem: {
    const Range Left = unsignedRange(A->Kids[0]), Right = unsignedRange(A->Kids[1]);
    return {0, Right.Low > 0 ? std::min(Left.High, Right.High - 1) : Left.High};
  }
  case Op::LShr: {
    const Range Left = unsignedRange(A->Kids[0]);
    if (A->Kids[1]->isConst() && A->Kids[1]->Value < A->Width)
      return {Left.Low >> A->Kids[1]->Value, Left.High >> A->Kids[1]->Value};
    return {0, Left.High};
  }
  case Op::And:
    return {0, std::min(unsignedRange(A->Kids[0]).High, unsignedRange(A->Kids[1]).High)};
  case Op::ZExt:
    return unsignedRange(A->Kids[0]);
  case Op::Trunc: {
    const Range Inner = unsignedRange(A->Kids[0]);
    return holds(Full, Inner) ? Inner : Full;
  }
  case Op::Concat: {
    const Range High = unsignedRange(A->Kids[0]), Low = unsignedRange(A->Kids[1]);
    const __int128 Unit = __int128(1) << A->Kids[1]->Width;
    return {High.Low * Unit + Low.Low, High.High * Unit + Low.High};
  }
  case Op::Ite:
    return join(unsignedRange(A->Kids[1]), unsignedRange(A->Kids[2]));
  case Op::SDiv:
  case Op::SRem:
  case Op::AShr:
  case Op::SExt:
    return fromSigned(signedRange(A), A->Width);
  default:
    return Full;
  }
}

Range Expressions::computeSigned(const Node *A) {
  const Range Full = fullSigned(A->Width);
  switch (A->Operation) {
  case Op::Add:
  case Op::Sub:
  case Op::Mul: {
    const Range Exact = exactRange(A->Operation, signedRange(A->Kids[0]), signedRange(A->Kids[1]));
    return holds(Full, Exact) ? Exact : fromUnsigned(unsignedRange(A), A->Width);
  }
  case Op::SDiv: {
    const Range Left = signedRange(A->Kids[0]), Right = signedRange(A->Kids[1]);
    if (Right.Low <= 0)
      return Full;
    const __int128 Quotients[4] = {Left.Low / Right.Low, Left.Low / Right.High, Left.High / Right.Low,
                                   Left.High / Right.High};
    return {*std::min_element(Quotients, Quotients + 4), *std::max_element(Quotients, Quotients + 4)};
  }
  case Op::SRem: {
    const Range Left = signedRange(A->Kids[0]), Right = signedRange(A->Kids[1]);
    if (Right.Low <= 0)
      return Full;
    const __int128 Most = Right.High - 1;
    return {Left.Low >= 0 ? 0 : std::max(-Most, Left.Low), Left.High <= 0 ? 0 : std::min(Most, Left.High)};
  }
  case Op::AShr: {
    const Range Left = signedRange(A->Kids[0]);
    if (A->Kids[1]->isConst() && A->Kids[1]->Value < A->Width)
      return {Left.Low >> A->Kids[1]->Value, Left.High >> A->Kids[1]->Value};
    return {std::min<__int128>(Left.Low, 0), std::max<__int128>(Left.High, 0)};
  }
  case Op::SExt:
    return signedRange(A->Kids[0]);
  case Op::Trunc: {
    const Range Inner = signedRange(A->Kids[0]);
    return holds(Full, Inner) ? Inner : fromUnsigned(unsignedRange(A), A->Width);
  }
  case Op::Ite:
    return join(signedRange(A->Kids[1]), signedRange(A->Kids[2]));
  default:
    return fromUnsigned(unsignedRange(A), A->Width);
  }
}

} // namespace gasan::scan
