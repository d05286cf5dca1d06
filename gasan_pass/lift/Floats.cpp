// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions, and instructions for floating-point numbers only.
#include "gasan_pass/lift/FunctionLifter.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gasan::lift {

namespace {

bool isPlainInteger(const PtxType &T) {
  return (T.Kind == 'u' || T.Kind == 's') && T.Bits <= 64;
}

} // namespace

// cvt{.rounding}.TO.FROM. Conversions of floating-point numbers to integers saturate, which LLVM's do not, so they stay
// text.
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
