// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translates video instructions of inline PTX: scalar ones (vadd) with any byte or half as operands, and SIMD ones
// (vadd2, vadd4).
#include "gasan_pass/ptx/PtxInteger.h"
#include "gasan_pass/retarget/PtxHandlers.h"

using namespace llvm;

namespace gasan::ptx {

namespace {

// Wide enough for every intermediate result of 32-bit operands, signed or not.
Type *wideType(PtxFunction &P) {
  return P.Builder.getInt64Ty();
}

Value *wideConstant(PtxFunction &P, int64_t Number) {
  return ConstantInt::getSigned(wideType(P), Number);
}

Value *extended(PtxFunction &P, Value *V, bool Signed) {
  return Signed ? P.Builder.CreateSExt(V, wideType(P)) : P.Builder.CreateZExt(V, wideType(P));
}

// Saturates to the range of a type of `Bits` bits.
Value *saturated(PtxFunction &P, Value *V, unsigned Bits, bool Signed) {
  const int64_t Least = Signed ? -(int64_t(1) << (Bits - 1)) : 0;
  const int64_t Most = (int64_t(1) << (Signed ? Bits - 1 : Bits)) - 1;
  V = P.Builder.CreateBinaryIntrinsic(Intrinsic::smax, V, wideConstant(P, Least));
  return P.Builder.CreateBinaryIntrinsic(Intrinsic::smin, V, wideConstant(P, Most));
}

// Computes the operation of the instruction's name, without "v" and number, on two wide values.
Value *combine(PtxFunction &P, const PtxStatement &S, StringRef Operation, Value *X, Value *Y) {
  IRBuilder<> &B = P.Builder;
  if (Operation == "add")
    return B.CreateAdd(X, Y);
  if (Operation == "sub")
    return B.CreateSub(X, Y);
  if (Operation == "avrg") { // rounded away from zero
    Value *Sum = B.CreateAdd(X, Y);
    Value *Up = B.CreateZExt(B.CreateICmpSGE(Sum, wideConstant(P, 0)), wideType(P));
    return B.CreateAShr(B.CreateAdd(Sum, Up), 1);
  }
  if (Operation == "absdiff")
    return B.CreateBinaryIntrinsic(Intrinsic::abs, B.CreateSub(X, Y), B.getFalse());
  if (Operation == "min" || Operation == "max")
    return B.CreateBinaryIntrinsic(Operation == "min" ? Intrinsic::smin : Intrinsic::smax, X, Y);
  if (Operation == "set") {
    const PtxType Wide{'s', 64};
    for (StringRef Modifier : S.Modifiers)
      if (std::optional<CmpInst::Predicate> Predicate = ptxComparison(Modifier, Wide))
        return B.CreateZExt(B.CreateICmp(*Predicate, X, Y), wideType(P));
  }
  if (Operation == "shl" || Operation == "shr") {
    Value *Amount = S.has("wrap") ? B.CreateAnd(Y, wideConstant(P, 31))
                                  : B.CreateBinaryIntrinsic(Intrinsic::umin, Y, wideConstant(P, 32));
    return Operation == "shl" ? B.CreateShl(X, Amount) : B.CreateAShr(X, Amount);
  }
  P.fail();
  return X;
}

struct ScalarOperand {
  std::string Register;
  unsigned First = 0, Bits = 32;
};

// "r.b2", "r.h1"
ScalarOperand parseSelector(StringRef Text) {
  auto [Register, Selector] = Text.rsplit('.');
  unsigned Index;
  const bool Byte = Selector.consume_front("b");
  if (Text.contains('.') && (Byte || Selector.consume_front("h")) && !Selector.getAsInteger(10, Index))
    return {Register.str(), Index * (Byte ? 8u : 16u), Byte ? 8u : 16u};
  return {Text.str()};
}

Value *readSelected(PtxFunction &P, StringRef Text, const PtxType &T) {
  const ScalarOperand Operand = parseSelector(Text.trim());
  Value *Word = P.Builder.CreateLShr(P.read(Operand.Register, kBits32), Operand.First);
  return extended(P, P.Builder.CreateTrunc(Word, P.Builder.getIntNTy(Operand.Bits)), T.isSigned());
}

void videoOf(PtxFunction &P, const PtxStatement &S, StringRef Operation, unsigned Lanes) {
  SmallVector<PtxType, 4> Types = typesOf(S);
  if (Operation == "set")
    Types.insert(Types.begin(), PtxType{'u', 32});
  // Source operands, and then the accumulator, which all SIMD forms have.
  if (Types.size() != 3 || !hasOperands(P, S, 4))
    return P.fail();
  IRBuilder<> &B = P.Builder;
  const unsigned Bits = 32 / Lanes;
  Type *Lane = B.getIntNTy(Bits);
  StringRef Target = S.Operands[0];
  unsigned Mask = (1u << Lanes) - 1;
  if (auto [Name, Selector] = Target.rsplit('.'); !Selector.empty()) { // d.h0, d.b31
    Mask = 0;
    for (char C : Selector.drop_front())
      Mask |= C >= '0' && C <= '3' ? 1u << (C - '0') : 0;
    Target = Name;
  }
  Value *X = P.read(S.Operands[1], kBits32), *Y = P.read(S.Operands[2], kBits32), *C = P.read(S.Operands[3], kBits32);
  Value *Result = S.has("add") ? C : B.getInt32(0);
  for (unsigned I = 0; I < Lanes; ++I) {
    auto Part = [&](Value *Word, const PtxType &T) {
      return extended(P, B.CreateTrunc(B.CreateLShr(Word, I * Bits), Lane), T.isSigned());
    };
    Value *One = nullptr;
    if (Mask >> I & 1) {
      One = combine(P, S, Operation, Part(X, Types[1]), Part(Y, Types[2]));
      if (S.has("sat"))
        One = saturated(P, One, Bits, Types[0].isSigned());
    }
    if (S.has("add")) {
      if (One) // with the extra bit of the wider lane
        Result = B.CreateAdd(Result, B.CreateTrunc(One, B.getInt32Ty()));
      continue;
    }
    Value *Bottom = One ? B.CreateTrunc(One, Lane) : B.CreateTrunc(B.CreateLShr(C, I * Bits), Lane);
    Result = B.CreateOr(Result, B.CreateShl(B.CreateZExt(Bottom, B.getInt32Ty()), I * Bits));
  }
  P.write(Target, Result);
}

} // namespace

// vadd4.TYPE.TYPE.TYPE{.sat} d{.mask}, a, b, c; with .add the lanes' results are added to c
void videoSimd(PtxFunction &P, const PtxStatement &S) {
  const StringRef Opcode(S.Opcode);
  videoOf(P, S, Opcode.drop_front().drop_back(), Opcode.back() - '0');
}

// vadd.TYPE.TYPE.TYPE{.sat}{.OPERATION} d, a{.part}, b{.part}{, c}
void videoScalar(PtxFunction &P, const PtxStatement &S) {
  const StringRef Operation = StringRef(S.Opcode).drop_front();
  SmallVector<PtxType, 4> Types = typesOf(S);
  if (Operation == "set")
    Types.insert(Types.begin(), PtxType{'u', 32});
  const bool Combines = S.has("add") || S.has("min") || S.has("max");
  if (Types.size() != 3 || S.Operands[0].find('.') != std::string::npos || !hasOperands(P, S, Combines ? 4 : 3))
    return P.fail(); // a part of d that takes the result, the rest from c
  const bool Signed = Types[0].isSigned();
  Value *V =
      combine(P, S, Operation, readSelected(P, S.Operands[1], Types[1]), readSelected(P, S.Operands[2], Types[2]));
  if (S.has("sat"))
    V = saturated(P, V, 32, Signed);
  V = P.Builder.CreateTrunc(V, P.Builder.getInt32Ty());
  if (Combines) {
    Value *Other = P.read(S.Operands[3], kBits32);
    if (S.has("add"))
      V = P.Builder.CreateAdd(V, Other);
    else
      V = P.Builder.CreateBinaryIntrinsic(S.has("min") ? (Signed ? Intrinsic::smin : Intrinsic::umin)
                                                       : (Signed ? Intrinsic::smax : Intrinsic::umax),
                                          V, Other);
  }
  P.write(S.Operands[0], V);
}

} // namespace gasan::ptx
