// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of inline PTX, of values and of addresses.
#include "gasan_pass/retarget/PtxHandlers.h"
#include "gasan_pass/retarget/Steps.h"

using namespace llvm;

namespace gasan::ptx {

namespace {

Value *roundToIntegral(PtxFunction &P, const PtxStatement &S, Value *V) {
  Intrinsic::ID Id = S.has("rni")   ? Intrinsic::rint
                     : S.has("rmi") ? Intrinsic::floor
                     : S.has("rpi") ? Intrinsic::ceil
                                    : Intrinsic::trunc;
  return P.Builder.CreateUnaryIntrinsic(Id, V);
}

StringRef roundingOf(const PtxStatement &S) {
  for (StringRef Mode : {"rz", "rm", "rp"})
    if (S.has(Mode))
      return Mode;
  return "rn";
}

// Converts to f16 or bf16. `From` names V's type in helpers' names.
Value *narrow(PtxFunction &P, const PtxStatement &S, Value *V, StringRef From, Type *T) {
  const StringRef Mode = roundingOf(S), To = T->isHalfTy() ? "f16" : "bf16";
  if (From == "f" && Mode == "rn")
    return P.Builder.CreateFPTrunc(V, T);
  Value *Result = From == "f" && Mode == "rz" ? P.callHelper("f2" + To + "_rz", {V})
                                              : P.callHelper("cvt_" + Mode + "_" + To + "_" + From, {V});
  return Result ? gasan::convertBits(P.Builder, Result, T) : PoisonValue::get(T);
}

// Converts an integer, in a directed rounding mode through a helper (i2f.rz, cvt.rz.f16.s32).
Value *floatOfInteger(PtxFunction &P, const PtxStatement &S, Value *V, const PtxType &From, const PtxType &To) {
  IRBuilder<> &B = P.Builder;
  Type *T = P.typeOf(To);
  if (To.Kind != 'f')
    return narrow(P, S, V, ((From.isSigned() ? "s" : "u") + Twine(From.Bits)).str(), T);
  if (roundingOf(S) == "rn")
    return From.isSigned() ? B.CreateSIToFP(V, T) : B.CreateUIToFP(V, T);
  const bool Is64 = From.Bits == 64;
  V = From.isSigned() ? B.CreateSExt(V, B.getIntNTy(Is64 ? 64 : 32)) : B.CreateZExt(V, B.getIntNTy(Is64 ? 64 : 32));
  const StringRef Source = From.isSigned() ? (Is64 ? "ll" : "i") : (Is64 ? "ull" : "ui");
  Value *Result = P.callHelper(Source + "2" + (To.Bits == 32 ? "f_" : "d_") + roundingOf(S), {V});
  return Result ? Result : PoisonValue::get(T);
}

Value *floatOfFloat(PtxFunction &P, const PtxStatement &S, Value *V, const PtxType &From, const PtxType &To) {
  IRBuilder<> &B = P.Builder;
  Type *T = P.typeOf(To);
  if (V->getType() == T) {
    const bool Rounds = S.has("rni") || S.has("rzi") || S.has("rmi") || S.has("rpi");
    return Rounds ? roundToIntegral(P, S, V) : V;
  }
  if (From.Bits < To.Bits)
    return B.CreateFPExt(V, T);
  if (From.Bits == To.Bits) // f16 and bf16
    return narrow(P, S, B.CreateFPExt(V, B.getFloatTy()), "f", T);
  if (To.Bits == 16)
    return narrow(P, S, V, From.Bits == 32 ? "f" : "d", T);
  Value *Result = roundingOf(S) == "rn" ? B.CreateFPTrunc(V, T) : P.callHelper("d2f_" + roundingOf(S), {V});
  return Result ? Result : PoisonValue::get(T);
}

// Converts with saturation to the range of `To`, or truncates.
Value *integerOfInteger(PtxFunction &P, const PtxStatement &S, Value *V, const PtxType &From, const PtxType &To) {
  IRBuilder<> &B = P.Builder;
  if (!S.has("sat"))
    return From.isSigned() ? B.CreateSExtOrTrunc(V, P.typeOf(To)) : B.CreateZExtOrTrunc(V, P.typeOf(To));
  Type *Wide = B.getIntNTy(65); // represents every value of both types
  V = From.isSigned() ? B.CreateSExt(V, Wide) : B.CreateZExt(V, Wide);
  APInt Least = To.isSigned() ? APInt::getSignedMinValue(To.Bits).sext(65) : APInt(65, 0);
  APInt Most = To.isSigned() ? APInt::getSignedMaxValue(To.Bits).sext(65) : APInt::getMaxValue(To.Bits).zext(65);
  V = B.CreateBinaryIntrinsic(Intrinsic::smax, V, ConstantInt::get(Wide, Least));
  V = B.CreateBinaryIntrinsic(Intrinsic::smin, V, ConstantInt::get(Wide, Most));
  return B.CreateTrunc(V, P.typeOf(To));
}

Value *relu(PtxFunction &P, Value *V) {
  Constant *Zero = ConstantFP::get(V->getType(), 0.0);
  return P.Builder.CreateSelect(P.Builder.CreateFCmpOLE(V, Zero), Zero, V);
}

} // namespace

// cvt{.ROUNDING}{.ftz}{.sat}.TO.FROM d, a
void convert(PtxFunction &P, const PtxStatement &S) {
  SmallVector<PtxType, 4> Types = typesOf(S);
  if (Types.size() != 2 || !hasOperands(P, S, 2))
    return P.fail();
  const PtxType To = Types[0], From = Types[1];
  Value *V = flushIfAsked(P, S, P.read(S.Operands[1], From));
  if (S.has("relu"))
    V = relu(P, V);
  if (From.isFloat() && To.isFloat()) {
    V = flushIfAsked(P, S, floatOfFloat(P, S, V, From, To));
    if (S.has("sat"))
      V = saturateToUnit(P, V);
  } else if (From.isFloat()) {
    V = castToInteger(P.Builder, roundToIntegral(P, S, V), P.typeOf(To), To.isSigned());
  } else if (To.isFloat()) {
    V = floatOfInteger(P, S, V, From, To);
    if (S.has("sat"))
      V = saturateToUnit(P, V);
  } else {
    V = integerOfInteger(P, S, V, From, To);
  }
  P.write(S.Operands[0], V, To.isSigned());
}

// cvt.rn{.relu}{.satfinite}.f16x2.f32 d, high, low
void convertPair(PtxFunction &P, const PtxStatement &S) {
  const StringRef To = S.has("f16x2") ? "f16x2" : "bf16x2";
  callNamed(P, S,
            "ff2" + To + "_" + roundingOf(S) + (S.has("relu") ? "_relu" : "") +
                (S.has("satfinite") ? "_satfinite" : ""));
}

// cvt.rna{.relu}{.satfinite}.tf32.f32 d, a
void convertToTf32(PtxFunction &P, const PtxStatement &S) {
  callNamed(P, S,
            Twine("f2tf32_") + (S.has("rna") ? "rna" : roundingOf(S)) + (S.has("relu") ? "_relu" : "") +
                (S.has("satfinite") ? "_satfinite" : ""));
}

// cvt.pack.sat.TO.s32{.b32} d, a, b{, c}: a and b, saturated, in the lower bits (b lowest), with c's lower bits above
void convertPacked(PtxFunction &P, const PtxStatement &S) {
  SmallVector<PtxType, 4> Types = typesOf(S);
  if (Types.size() < 2 || !S.has("sat") || !hasOperands(P, S, Types.size() + 1))
    return P.fail();
  IRBuilder<> &B = P.Builder;
  const PtxType To = Types[0];
  auto Narrow = [&](unsigned I) {
    Value *V = integerOfInteger(P, S, P.read(S.Operands[I], Types[1]), Types[1], To);
    return B.CreateZExt(V, B.getInt32Ty());
  };
  Value *Result = B.CreateOr(B.CreateShl(Narrow(1), To.Bits), Narrow(2));
  if (Types.size() == 3 && To.Bits < 16)
    Result = B.CreateOr(Result, B.CreateShl(P.read(S.Operands[3], kBits32), 2 * To.Bits));
  P.write(S.Operands[0], Result);
}

// Copies the address: all address spaces are one here.
void convertAddress(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (hasOperands(P, S, 2))
    P.write(S.Operands[0], P.read(S.Operands[1], T));
}

// isspacep.SPACE p, a. The parameters of a kernel are local variables here.
void isSpace(PtxFunction &P, const PtxStatement &S) {
  if (S.Modifiers.size() != 1 || !hasOperands(P, S, 2))
    return P.fail();
  StringRef Space = S.Modifiers[0];
  Space = Space.starts_with("shared") ? "shared" : Space.starts_with("param") ? "local" : Space;
  Value *Address = P.Builder.CreateIntToPtr(P.read(S.Operands[1], kBits64), P.Builder.getPtrTy());
  if (Value *Result = P.callHelper("isspacep_" + Space, {Address}))
    P.write(S.Operands[0], Result);
}

// mapa.shared::cluster.TYPE d, a, block: a cluster is one block
void mapAddress(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (hasOperands(P, S, 3))
    P.write(S.Operands[0], P.read(S.Operands[1], T));
}

void rankOfAddress(PtxFunction &P, const PtxStatement &S) {
  if (hasOperands(P, S, 2))
    P.write(S.Operands[0], P.Builder.getInt32(0));
}

} // namespace gasan::ptx
