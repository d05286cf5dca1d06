/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "scan/Translate.h"

namespace gasan::scan {

z3::expr BitTranslator::translate(const Node *A) {
  if (auto Found = Done.find(A); Found != Done.end())
    return Found->second;
  z3::expr Result = build(A);
  Done.emplace(A, Result);
  return Result;
}

z3::expr BitTranslator::build(const Node *A) {
  if (A->isConst())
    return Context.bv_val(uint64_t(A->Value), A->Width);
  if (A->Operation == Op::Var)
    if (auto Limit = Limits.find(A->Var); Limit != Limits.end()) {
      unsigned Bits = 1;
      while (Bits < A->Width && Limit->second >> Bits)
        Bits++;
      if (Bits < A->Width)
        return z3::zext(Context.bv_const(("n" + std::to_string(A->Id)).c_str(), Bits), A->Width - Bits);
    }
  if (A->Operation == Op::Var || A->Operation == Op::Content)
    return Context.bv_const(("n" + std::to_string(A->Id)).c_str(), A->Width);
  const z3::expr L = translate(A->Kids[0]);
  switch (A->Operation) {
  case Op::ZExt:
    return z3::zext(L, A->Width - A->Kids[0]->Width);
  case Op::SExt:
    return z3::sext(L, A->Width - A->Kids[0]->Width);
  case Op::Trunc:
    return L.extract(A->Width - 1, 0);
  case Op::Ite:
    return z3::ite(L == Context.bv_val(1, 1), translate(A->Kids[1]), translate(A->Kids[2]));
  default:
    break;
  }
  const z3::expr R = translate(A->Kids[1]);
  switch (A->Operation) {
  case Op::Add:
    return L + R;
  case Op::Sub:
    return L - R;
  case Op::Mul:
    return L * R;
  case Op::UDiv:
    return z3::udiv(L, R);
  case Op::SDiv:
    return L / R;
  case Op::URem:
    return z3::urem(L, R);
  case Op::SRem:
    return z3::srem(L, R);
  case Op::Shl:
    return z3::shl(L, R);
  case Op::LShr:
    return z3::lshr(L, R);
  case Op::AShr:
    return z3::ashr(L, R);
  case Op::And:
    return L & R;
  case Op::Or:
    return L | R;
  case Op::Xor:
    return L ^ R;
  case Op::Concat:
    return z3::concat(L, R);
  case Op::Eq:
    return bit(L == R);
  case Op::Ult:
    return bit(z3::ult(L, R));
  case Op::Ule:
    return bit(z3::ule(L, R));
  case Op::Slt:
    return bit(L < R);
  default:
    return bit(L <= R);
  }
}

// The condition that a signed operation does not wrap.
z3::expr BitTranslator::keepsSign(const Node *A) {
  const z3::expr L = translate(A->Kids[0]), R = translate(A->Kids[1]);
  switch (A->Operation) {
  case Op::Add:
    return z3::bvadd_no_overflow(L, R, true) && z3::bvadd_no_underflow(L, R);
  case Op::Sub:
    return z3::bvsub_no_overflow(L, R) && z3::bvsub_no_underflow(L, R, true);
  default:
    return z3::bvmul_no_overflow(L, R, true) && z3::bvmul_no_underflow(L, R);
  }
}

uint64_t BitTranslator::valueIn(const z3::model &Model, const Node *A) {
  return Model.eval(translate(A), true).get_numeral_uint64();
}

z3::expr IntegerTranslator::power(unsigned Exponent) {
  z3::expr Result = Context.int_val(1);
  const z3::expr Half = Context.int_val(uint64_t(1) << 32);
  for (; Exponent >= 32; Exponent -= 32)
    Result = Result * Half;
  return (Result * Context.int_val(uint64_t(1) << Exponent)).simplify();
}

z3::expr IntegerTranslator::fresh(const Node *A) {
  z3::expr Result = Context.int_const(("i" + std::to_string(A->Id)).c_str());
  const Range Limits = Nodes.signedRange(A);
  Sides.push_back(Result >= number(Limits.Low));
  Sides.push_back(Result <= number(Limits.High));
  return Result;
}

z3::expr IntegerTranslator::wrap(const z3::expr &Exact, const Node *A, Range Limits) {
  const __int128 Half = __int128(1) << (A->Width - 1);
  if (Limits.Low >= -Half && Limits.High < Half)
    return Exact;
  z3::expr Result = fresh(A);
  if (A->Signed) {
    Sides.push_back(Result == Exact);
    return Result;
  }
  z3::expr Wraps = Context.int_const(("q" + std::to_string(A->Id)).c_str());
  Sides.push_back(Result == Exact - Wraps * power(A->Width));
  return Result;
}

z3::expr IntegerTranslator::asSigned(const Node *A) {
  if (auto Found = Done.find(A); Found != Done.end())
    return Found->second;
  z3::expr Result = buildSigned(A);
  Done.emplace(A, Result);
  return Result;
}

z3::expr IntegerTranslator::asUnsigned(const Node *A) {
  if (A->Operation == Op::ZExt)
    return asUnsigned(A->Kids[0]);
  const z3::expr Signed = asSigned(A);
  if (Nodes.signedRange(A).Low >= 0)
    return Signed;
  return z3::ite(Signed < 0, Signed + power(A->Width), Signed);
}

z3::expr IntegerTranslator::buildSigned(const Node *A) {
  if (A->Width == 1)
    return z3::ite(truth(A), Context.int_val(-1), Context.int_val(0));
  const Node *L = A->Kids[0], *R = A->Kids[1];
  switch (A->Operation) {
  case Op::Const:
    return number(signedValue(A->Value, A->Width));
  case Op::Add:
  case Op::Sub:
  case Op::Mul: {
    const z3::expr Left = asSigned(L), Right = asSigned(R);
    const z3::expr Exact = A->Operation == Op::Add   ? Left + Right
                           : A->Operation == Op::Sub ? Left - Right
                                                     : Left * Right;
    return wrap(Exact, A, exactRange(A->Operation, Nodes.signedRange(L), Nodes.signedRange(R)));
  }
  case Op::UDiv:
  case Op::URem:
  case Op::SDiv:
  case Op::SRem: {
    const bool Signed = A->Operation == Op::SDiv || A->Operation == Op::SRem;
    if (Signed ? Nodes.signedRange(R).Low <= 0 : Nodes.unsignedRange(R).Low <= 0)
      return fresh(A);
    const z3::expr Left = Signed ? asSigned(L) : asUnsigned(L), Right = Signed ? asSigned(R) : asUnsigned(R);
    z3::expr Quotient = Left / Right; // rounds down for a positive divisor; C rounds to 0
    if (Signed && Nodes.signedRange(L).Low < 0)
      Quotient = z3::ite(Left >= 0, Quotient, -((-Left) / Right));
    const bool Divides = A->Operation == Op::UDiv || A->Operation == Op::SDiv;
    return wrap(Divides ? Quotient : Left - Quotient * Right, A,
                Signed ? Nodes.signedRange(A) : Nodes.unsignedRange(A));
  }
  case Op::LShr:
    if (R->isConst() && R->Value < A->Width)
      return wrap(asUnsigned(L) / power(unsigned(R->Value)), A, Nodes.unsignedRange(A));
    return fresh(A);
  case Op::And:
    if (R->isConst() && R->Value < 1ull << 62 && (R->Value & (R->Value + 1)) == 0) // a remainder of a power of 2
      return wrap(z3::mod(asSigned(L), number(__int128(R->Value) + 1)), A, Nodes.unsignedRange(A));
    return fresh(A);
  case Op::ZExt:
    return asUnsigned(L);
  case Op::SExt:
    return asSigned(L);
  case Op::Trunc:
    return wrap(asSigned(L), A, Nodes.signedRange(L));
  case Op::Concat:
    return wrap(asSigned(L) * power(R->Width) + asUnsigned(R), A, {-(__int128(1) << 100), __int128(1) << 100});
  case Op::Ite:
    return z3::ite(truth(L), asSigned(R), asSigned(A->Kids[2]));
  default:
    return fresh(A);
  }
}

z3::expr IntegerTranslator::truth(const Node *A) {
  if (auto Found = Truths.find(A); Found != Truths.end())
    return Found->second;
  z3::expr Result = buildTruth(A);
  Truths.emplace(A, Result);
  return Result;
}

z3::expr IntegerTranslator::buildTruth(const Node *A) {
  const Node *L = A->Kids[0], *R = A->Kids[1];
  switch (A->Operation) {
  case Op::Const:
    return Context.bool_val(A->Value != 0);
  case Op::And:
    return truth(L) && truth(R);
  case Op::Or:
    return truth(L) || truth(R);
  case Op::Xor:
    return truth(L) != truth(R);
  case Op::Eq:
    return L->Width == 1 ? truth(L) == truth(R) : asSigned(L) == asSigned(R);
  case Op::Ult:
    return asUnsigned(L) < asUnsigned(R);
  case Op::Ule:
    return asUnsigned(L) <= asUnsigned(R);
  case Op::Slt:
    return asSigned(L) < asSigned(R);
  case Op::Sle:
    return asSigned(L) <= asSigned(R);
  case Op::Ite:
    return z3::ite(truth(L), truth(R), truth(A->Kids[2]));
  default:
    return Context.bool_const(("b" + std::to_string(A->Id)).c_str());
  }
}

} // namespace gasan::scan
