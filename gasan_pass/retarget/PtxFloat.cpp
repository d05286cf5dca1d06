// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translates floating-point arithmetic of inline PTX. f32 and f64 use a helper for each rounding mode. 16-bit types,
// which only round to nearest, use LLVM's own operations, which x86 computes in float and rounds once.
#include "gasan_pass/retarget/PtxHandlers.h"
#include "gasan_pass/retarget/Steps.h"

using namespace llvm;

namespace gasan::ptx {

Value *flushIfAsked(PtxFunction &P, const PtxStatement &S, Value *V) {
  const Type *Scalar = V->getType()->getScalarType();
  if (!S.has("ftz") || Scalar->isDoubleTy() || !Scalar->isFloatingPointTy())
    return V;
  IRBuilder<> &B = P.Builder;
  Constant *Smallest = ConstantFP::get(V->getType(), APFloat::getSmallestNormalized(Scalar->getFltSemantics()));
  Value *Tiny = B.CreateFCmpOLT(B.CreateUnaryIntrinsic(Intrinsic::fabs, V), Smallest);
  Value *Zero = B.CreateBinaryIntrinsic(Intrinsic::copysign, ConstantFP::get(V->getType(), 0.0), V);
  return B.CreateSelect(Tiny, Zero, V);
}

Value *saturateToUnit(PtxFunction &P, Value *V) {
  Constant *Zero = ConstantFP::get(V->getType(), 0.0), *One = ConstantFP::get(V->getType(), 1.0);
  Value *Low = P.Builder.CreateSelect(P.Builder.CreateFCmpOGT(V, Zero), V, Zero);
  return P.Builder.CreateSelect(P.Builder.CreateFCmpOLT(Low, One), Low, One);
}

namespace {

StringRef roundingOf(const PtxStatement &S) {
  for (StringRef Mode : {"rz", "rm", "rp"})
    if (S.has(Mode))
      return Mode;
  return "rn"; // PTX's default
}

void writeFloat(PtxFunction &P, const PtxStatement &S, Value *V) {
  V = flushIfAsked(P, S, V);
  P.write(S.Operands[0], S.has("sat") ? saturateToUnit(P, V) : V);
}

SmallVector<Value *, 3> readFloats(PtxFunction &P, const PtxStatement &S, const PtxType &T) {
  SmallVector<Value *, 3> Values;
  for (StringRef Operand : drop_begin(S.Operands))
    Values.push_back(flushIfAsked(P, S, P.read(Operand, T)));
  return Values;
}

} // namespace

void arithmeticFloat(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (!hasOperands(P, S, 2, 4))
    return;
  const StringRef Name = S.Opcode == "mad" ? StringRef("fma") : StringRef(S.Opcode);
  Value *Result = P.callHelper(Name + "_" + roundingOf(S) + (T.Bits == 32 ? "_f" : "_d"), readFloats(P, S, T));
  if (Result)
    writeFloat(P, S, Result);
}

void arithmeticHalf(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (!hasOperands(P, S, 3))
    return;
  SmallVector<Value *, 3> V = readFloats(P, S, T);
  writeFloat(P, S,
             S.Opcode == "add"   ? P.Builder.CreateFAdd(V[0], V[1])
             : S.Opcode == "sub" ? P.Builder.CreateFSub(V[0], V[1])
                                 : P.Builder.CreateFMul(V[0], V[1]));
}

// relu: a negative result becomes zero, NaN stays.
void fusedHalf(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (!hasOperands(P, S, 4))
    return;
  Value *Result = P.callHelper("fma_rn_" + S.Modifiers.back(), readFloats(P, S, T));
  if (!Result)
    return;
  Result = convertBits(P.Builder, Result, P.typeOf(T));
  if (S.has("relu")) {
    Constant *Zero = ConstantFP::get(Result->getType(), 0.0);
    Result = P.Builder.CreateSelect(P.Builder.CreateFCmpOLE(Result, Zero), Zero, Result);
  }
  writeFloat(P, S, Result);
}

// ex2 and tanh of 16-bit types: as a float's, rounded.
void approximateHalf(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (!hasOperands(P, S, 2))
    return;
  Value *V = flushIfAsked(P, S, P.read(S.Operands[1], T));
  IRBuilder<> &B = P.Builder;
  auto Approximate = [&](Value *Scalar) -> Value * {
    Value *Result = P.callHelper(S.Opcode + "_approx_f", {B.CreateFPExt(Scalar, B.getFloatTy())});
    return Result ? B.CreateFPTrunc(Result, Scalar->getType()) : Scalar;
  };
  if (!T.Packed)
    return writeFloat(P, S, Approximate(V));
  Value *Whole = V;
  for (uint64_t I : {0, 1})
    Whole = B.CreateInsertElement(Whole, Approximate(B.CreateExtractElement(V, I)), I);
  writeFloat(P, S, Whole);
}

// min{.ftz}{.NaN}{.xorsign.abs}.TYPE
void extremeFloat(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (!hasOperands(P, S, 3))
    return;
  IRBuilder<> &B = P.Builder;
  SmallVector<Value *, 3> V = readFloats(P, S, T);
  Value *X = V[0], *Y = V[1];
  if (S.has("abs")) {
    X = B.CreateUnaryIntrinsic(Intrinsic::fabs, X);
    Y = B.CreateUnaryIntrinsic(Intrinsic::fabs, Y);
  }
  const bool Minimum = S.Opcode == "min";
  // Without .NaN, a number wins over a NaN; -0 is less than +0 in both.
  Intrinsic::ID Id = S.has("NaN") ? (Minimum ? Intrinsic::minimum : Intrinsic::maximum)
                                  : (Minimum ? Intrinsic::minimumnum : Intrinsic::maximumnum);
  Value *Result = B.CreateBinaryIntrinsic(Id, X, Y);
  if (S.has("xorsign")) {
    Type *Bits = V[0]->getType()->getWithNewType(B.getIntNTy(V[0]->getType()->getScalarSizeInBits()));
    Value *Sign =
        B.CreateBitCast(B.CreateXor(B.CreateBitCast(V[0], Bits), B.CreateBitCast(V[1], Bits)), V[0]->getType());
    Result = B.CreateBinaryIntrinsic(Intrinsic::copysign, Result, Sign);
  }
  // A NaN result is the canonical NaN.
  unsigned Quiet = T.Kind == 'h' ? 0x7fff : T.Kind == 'z' ? 0x7fff : 0x7fffffff;
  if (T.Bits != 64) {
    Type *Element = B.getIntNTy(Result->getType()->getScalarSizeInBits());
    Value *Canonical =
        B.CreateBitCast(ConstantInt::get(Result->getType()->getWithNewType(Element), Quiet), Result->getType());
    Result = B.CreateSelect(B.CreateFCmpUNO(Result, Result), Canonical, Result);
  }
  P.write(S.Operands[0], Result);
}

void signOfFloat(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (!hasOperands(P, S, 2))
    return;
  Value *V = flushIfAsked(P, S, P.read(S.Operands[1], T));
  P.write(S.Operands[0],
          S.Opcode == "neg" ? P.Builder.CreateFNeg(V) : P.Builder.CreateUnaryIntrinsic(Intrinsic::fabs, V));
}

// copysign d, a, b: a's sign on b
void copySign(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (!hasOperands(P, S, 3))
    return;
  Value *Sign = P.read(S.Operands[1], T);
  P.write(S.Operands[0], P.Builder.CreateBinaryIntrinsic(Intrinsic::copysign, P.read(S.Operands[2], T), Sign));
}

// testp.PROPERTY.TYPE p, a
void testProperty(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (!hasOperands(P, S, 2))
    return;
  const FPClassTest Class = S.has("finite")       ? fcFinite
                            : S.has("infinite")   ? fcInf
                            : S.has("number")     ? ~fcNan & fcAllFlags
                            : S.has("notanumber") ? fcNan
                            : S.has("normal")     ? fcNormal
                                                  : fcSubnormal;
  P.write(S.Operands[0], P.Builder.createIsFPClass(P.read(S.Operands[1], T), Class));
}

} // namespace gasan::ptx
