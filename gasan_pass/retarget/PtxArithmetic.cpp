// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer arithmetic of inline PTX.
#include "gasan_pass/ptx/PtxInteger.h"
#include "gasan_pass/retarget/PtxHandlers.h"

using namespace llvm;

namespace gasan::ptx {

namespace {

Value *extendTo(PtxFunction &P, Value *V, Type *Wide, bool Signed) {
  return Signed ? P.Builder.CreateSExt(V, Wide) : P.Builder.CreateZExt(V, Wide);
}

// Translates sums with a carry or borrow in (addc) and out (.cc), in one bit more than the type has.
void addWithCarry(PtxFunction &P, const PtxStatement &S, Value *A, Value *B, bool Subtract, bool CarryIn) {
  Type *Narrow = A->getType(), *Wide = P.Builder.getIntNTy(Narrow->getIntegerBitWidth() + 1);
  auto Extend = [&](Value *V) { return P.Builder.CreateZExt(V, Wide); };
  Value *Sum = Subtract ? P.Builder.CreateSub(Extend(A), Extend(B)) : P.Builder.CreateAdd(Extend(A), Extend(B));
  if (CarryIn)
    Sum = Subtract ? P.Builder.CreateSub(Sum, Extend(P.readCarry())) : P.Builder.CreateAdd(Sum, Extend(P.readCarry()));
  if (S.has("cc"))
    P.writeCarry(P.Builder.CreateTrunc(P.Builder.CreateLShr(Sum, Narrow->getIntegerBitWidth()), P.Builder.getInt1Ty()));
  P.write(S.Operands[0], P.Builder.CreateTrunc(Sum, Narrow));
}

void addSaturated(PtxFunction &P, const PtxStatement &S, Value *A, Value *B, bool Subtract) {
  P.write(S.Operands[0], P.Builder.CreateBinaryIntrinsic(Subtract ? Intrinsic::ssub_sat : Intrinsic::sadd_sat, A, B));
}

Value *product(PtxFunction &P, const PtxStatement &S, const PtxType &T) {
  Value *A = P.read(S.Operands[1], T);
  return ptxProduct(P.Builder, S, T, A, P.read(S.Operands[2], T));
}

bool namesHalf(PtxFunction &P, const PtxStatement &S) {
  if (S.has("lo") + S.has("hi") + S.has("wide") != 1)
    P.fail();
  return !P.failed();
}

} // namespace

void addInteger(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (!hasOperands(P, S, 3))
    return;
  Value *A = P.read(S.Operands[1], T), *B = P.read(S.Operands[2], T);
  const StringRef Opcode(S.Opcode);
  if (S.has("sat"))
    return addSaturated(P, S, A, B, Opcode == "sub");
  addWithCarry(P, S, A, B, Opcode.starts_with("sub"), Opcode.ends_with("c"));
}

void multiplyInteger(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (hasOperands(P, S, 3) && namesHalf(P, S))
    P.write(S.Operands[0], product(P, S, T), T.isSigned());
}

void multiplyAddInteger(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (!hasOperands(P, S, 4) || !namesHalf(P, S))
    return;
  PtxType Sum = T;
  if (S.has("wide"))
    Sum.Bits *= 2;
  Value *Product = product(P, S, T), *Addend = P.read(S.Operands[3], Sum);
  if (S.has("sat"))
    return addSaturated(P, S, Product, Addend, false);
  addWithCarry(P, S, Product, Addend, false, StringRef(S.Opcode) == "madc");
}

// Translates products of the lower 24 bits: the lower (.lo) or upper (.hi) 32 bits of the 48.
void multiply24(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  const bool Adds = S.Opcode == "mad24";
  if (!hasOperands(P, S, Adds ? 4 : 3) || !namesHalf(P, S))
    return;
  IRBuilder<> &B = P.Builder;
  auto Read = [&](unsigned I) {
    Value *Low = B.CreateTrunc(P.read(S.Operands[I], T), B.getIntNTy(24));
    return extendTo(P, Low, B.getInt64Ty(), T.isSigned());
  };
  Value *A = Read(1), *Whole = B.CreateMul(A, Read(2));
  if (S.has("hi"))
    Whole = B.CreateLShr(Whole, 16);
  Value *Half = B.CreateTrunc(Whole, B.getInt32Ty());
  if (!Adds)
    return P.write(S.Operands[0], Half);
  Value *Addend = P.read(S.Operands[3], T);
  if (S.has("sat"))
    return addSaturated(P, S, Half, Addend, false);
  P.write(S.Operands[0], B.CreateAdd(Half, Addend));
}

void divideInteger(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (!hasOperands(P, S, 3))
    return;
  Value *A = P.read(S.Operands[1], T), *B = P.read(S.Operands[2], T);
  const bool Remainder = S.Opcode == "rem";
  Value *Result = T.isSigned() ? (Remainder ? P.Builder.CreateSRem(A, B) : P.Builder.CreateSDiv(A, B))
                               : (Remainder ? P.Builder.CreateURem(A, B) : P.Builder.CreateUDiv(A, B));
  P.write(S.Operands[0], Result, T.isSigned());
}

// sad d, a, b, c: c + |a - b|
void sumOfDifference(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (!hasOperands(P, S, 4))
    return;
  IRBuilder<> &B = P.Builder;
  Value *X = P.read(S.Operands[1], T), *Y = P.read(S.Operands[2], T);
  Value *Less = T.isSigned() ? B.CreateICmpSLT(X, Y) : B.CreateICmpULT(X, Y);
  Value *Difference = B.CreateSelect(Less, B.CreateSub(Y, X), B.CreateSub(X, Y));
  P.write(S.Operands[0], B.CreateAdd(P.read(S.Operands[3], T), Difference), T.isSigned());
}

static Value *extreme(PtxFunction &P, const PtxStatement &S, bool Signed, Value *A, Value *B) {
  const bool Minimum = S.Opcode == "min";
  Intrinsic::ID Id =
      Signed ? (Minimum ? Intrinsic::smin : Intrinsic::smax) : (Minimum ? Intrinsic::umin : Intrinsic::umax);
  Value *Result = P.Builder.CreateBinaryIntrinsic(Id, A, B);
  return S.has("relu") ? P.Builder.CreateBinaryIntrinsic(Intrinsic::smax, Result, Constant::getNullValue(A->getType()))
                       : Result;
}

// min, max{.relu} d, a, b. With relu, a negative result becomes zero.
void extremeInteger(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (!hasOperands(P, S, 3))
    return;
  Value *A = P.read(S.Operands[1], T);
  P.write(S.Operands[0], extreme(P, S, T.isSigned(), A, P.read(S.Operands[2], T)), T.isSigned());
}

// add, min, max{.relu} d, a, b of the two 16-bit halves of a register.
void packedIntegers(PtxFunction &P, const PtxStatement &S) {
  if (!hasOperands(P, S, 3))
    return;
  IRBuilder<> &B = P.Builder;
  auto Read = [&](unsigned I) {
    return B.CreateBitCast(P.read(S.Operands[I], kBits32), FixedVectorType::get(B.getInt16Ty(), 2));
  };
  Value *X = Read(1), *Y = Read(2);
  Value *Result = S.Opcode == "add" ? B.CreateAdd(X, Y) : extreme(P, S, S.has("s16x2"), X, Y);
  P.write(S.Operands[0], B.CreateBitCast(Result, B.getInt32Ty()));
}

void negateInteger(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (hasOperands(P, S, 2))
    P.write(S.Operands[0], P.Builder.CreateNeg(P.read(S.Operands[1], T)), T.isSigned());
}

void absoluteInteger(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (hasOperands(P, S, 2))
    P.write(S.Operands[0],
            P.Builder.CreateBinaryIntrinsic(Intrinsic::abs, P.read(S.Operands[1], T), P.Builder.getFalse()),
            T.isSigned());
}

// dp4a.TYPE.TYPE d, a, b, c
void dotProduct4(PtxFunction &P, const PtxStatement &S) {
  if (S.Modifiers.size() != 2)
    return P.fail();
  callNamed(P, S, Twine("idp4a_") + S.Modifiers[0].substr(0, 1) + "_" + S.Modifiers[1].substr(0, 1));
}

// dp2a.HALF.TYPE.TYPE d, a, b, c: HALF of b's four bytes
void dotProduct2(PtxFunction &P, const PtxStatement &S) {
  if (S.Modifiers.size() != 3 || !hasOperands(P, S, 4))
    return P.fail();
  Value *Result = P.callHelper(Twine("idp2a_") + S.Modifiers[1].substr(0, 1) + "_" + S.Modifiers[2].substr(0, 1),
                               {P.read(S.Operands[1], kBits32), P.read(S.Operands[2], kBits32),
                                P.Builder.getInt1(S.has("hi")), P.read(S.Operands[3], kBits32)});
  if (Result)
    P.write(S.Operands[0], Result);
}

} // namespace gasan::ptx
