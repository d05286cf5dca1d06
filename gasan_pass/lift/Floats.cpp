// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions, and instructions for floating-point numbers only.
#include "gasan_pass/lift/FunctionLifter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace gasan::lift {

namespace {

bool isPlainInteger(const PtxType &T) {
  return (T.Kind == 'u' || T.Kind == 's') && T.Bits <= 64;
}

// Returns the mode of a rounding to integers: rni is rn. Empty: there is none.
StringRef integerRounding(const PtxStatement &S) {
  for (StringRef Modifier : S.Modifiers)
    if (StringSwitch<bool>(Modifier).Cases({"rni", "rzi", "rmi", "rpi"}, true).Default(false))
      return Modifier.drop_back();
  return "";
}

} // namespace

// cvt{.rounding}.TO.FROM
bool FunctionLifter::convert(const PtxStatement &S) {
  SmallVector<PtxType, 2> Types;
  for (StringRef Modifier : S.Modifiers)
    if (std::optional<PtxType> T = parsePtxType(Modifier))
      Types.push_back(*T);
  if (Types.size() != 2 || S.Operands.size() != 2 || Types[0].Packed || Types[1].Packed)
    return false;
  const PtxType To = Types[0], From = Types[1];
  if (isPlainInteger(To) && isPlainInteger(From)) {
    if (S.Modifiers.size() != 2)
      return false;
    Value *X = readBits(S.Operands[1], From.Bits);
    Type *Wide = B.getIntNTy(To.Bits);
    X = From.isSigned() ? B.CreateSExtOrTrunc(X, Wide) : B.CreateZExtOrTrunc(X, Wide);
    write(S.Operands[0], X, To);
    return true;
  }
  if (isPlainInteger(From) && To.Kind == 'f') {
    if (!hasOnly(S, "rn"))
      return false;
    Value *X = readBits(S.Operands[1], From.Bits);
    Type *T = valueType(F.getContext(), To);
    write(S.Operands[0], From.isSigned() ? B.CreateSIToFP(X, T) : B.CreateUIToFP(X, T), To);
    return true;
  }
  if (From.Kind == 'f' && (isPlainInteger(To) || (To.Kind == 'f' && To.Bits == From.Bits)))
    return isPlainInteger(To) ? toInteger(S, To, From) : toWhole(S, From);
  const bool HasHalf = To.Kind == 'h' || From.Kind == 'h';
  const bool IsPlain = (To.Kind == 'f' || To.Kind == 'h') && (From.Kind == 'f' || From.Kind == 'h');
  if (!IsPlain || FlushesFloats || To.Bits == From.Bits || (HasHalf && (To.Bits == 64 || From.Bits == 64)))
    return false;
  const bool Narrows = To.Bits < From.Bits;
  if (!hasOnly(S, Narrows ? "rn" : "") || (Narrows && !S.has("rn")))
    return false;
  Value *X = read(S.Operands[1], From);
  Type *T = valueType(F.getContext(), To);
  write(S.Operands[0], Narrows ? B.CreateFPTrunc(X, T) : B.CreateFPExt(X, T), PtxType{'b', To.Bits});
  return true;
}

// cvt.rzi.s32.f32 and its like, with the results that PTX defines for large numbers and NaN
bool FunctionLifter::toInteger(const PtxStatement &S, const PtxType &To, const PtxType &From) {
  const StringRef Mode = integerRounding(S);
  if (Mode.empty() || (To.Bits != 32 && To.Bits != 64) || To.Kind == 'b' || S.Modifiers.size() != 3u + S.has("ftz") ||
      (From.Bits != 32 && S.has("ftz")))
    return false;
  const Intrinsic::ID Conversion =
      Intrinsic::lookupIntrinsicID((Twine("llvm.nvvm.") + (From.Bits == 32 ? "f2" : "d2") + (To.isSigned() ? "" : "u") +
                                    (To.Bits == 32 ? "i." : "ll.") + Mode + (S.has("ftz") ? ".ftz" : ""))
                                       .str());
  if (Conversion == Intrinsic::not_intrinsic)
    return false;
  write(S.Operands[0], B.CreateIntrinsic(Conversion, {}, {read(S.Operands[1], From)}), PtxType{'b', To.Bits});
  return true;
}

// cvt.rmi.f32.f32 and its like
bool FunctionLifter::toWhole(const PtxStatement &S, const PtxType &T) {
  const StringRef Mode = integerRounding(S);
  if (Mode.empty() || S.Modifiers.size() != 3u + S.has("ftz") || (T.Bits == 32 ? !hasFlush(S) : S.has("ftz")))
    return false;
  const Intrinsic::ID Rounding = StringSwitch<Intrinsic::ID>(Mode)
                                     .Case("rm", Intrinsic::floor)
                                     .Case("rp", Intrinsic::ceil)
                                     .Case("rz", Intrinsic::trunc)
                                     .Default(Intrinsic::roundeven);
  write(S.Operands[0], B.CreateUnaryIntrinsic(Rounding, read(S.Operands[1], T)), T);
  return true;
}

// fma.rn, and mad.rn, which is the same
bool FunctionLifter::fuse(const PtxStatement &S) {
  std::optional<PtxType> T = lastType(S);
  if (!T || T->Kind != 'f' || S.Operands.size() != 4 || !hasOnly(S, "rn ftz") || !S.has("rn") ||
      (T->Bits == 32 && !hasFlush(S)))
    return false;
  Value *X = read(S.Operands[1], *T), *Y = read(S.Operands[2], *T), *Z = read(S.Operands[3], *T);
  write(S.Operands[0], B.CreateIntrinsic(Intrinsic::fma, {X->getType()}, {X, Y, Z}), *T);
  return true;
}

// sqrt.rn
bool FunctionLifter::root(const PtxStatement &S) {
  std::optional<PtxType> T = lastType(S);
  if (!T || T->Kind != 'f' || S.Operands.size() != 2 || !S.has("rn") || !hasOnly(S, "rn ftz") ||
      (T->Bits == 32 && !hasFlush(S)))
    return false;
  write(S.Operands[0], B.CreateUnaryIntrinsic(Intrinsic::sqrt, read(S.Operands[1], *T)), *T);
  return true;
}

} // namespace gasan::lift
