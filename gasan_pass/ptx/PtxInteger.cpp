// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/ptx/PtxInteger.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {

std::optional<CmpInst::Predicate> ptxComparison(StringRef Name, const PtxType &T) {
  if (T.isFloat())
    return StringSwitch<std::optional<CmpInst::Predicate>>(Name)
        .Case("eq", CmpInst::FCMP_OEQ)
        .Case("ne", CmpInst::FCMP_ONE)
        .Case("lt", CmpInst::FCMP_OLT)
        .Case("le", CmpInst::FCMP_OLE)
        .Case("gt", CmpInst::FCMP_OGT)
        .Case("ge", CmpInst::FCMP_OGE)
        .Case("equ", CmpInst::FCMP_UEQ)
        .Case("neu", CmpInst::FCMP_UNE)
        .Case("ltu", CmpInst::FCMP_ULT)
        .Case("leu", CmpInst::FCMP_ULE)
        .Case("gtu", CmpInst::FCMP_UGT)
        .Case("geu", CmpInst::FCMP_UGE)
        .Case("num", CmpInst::FCMP_ORD)
        .Case("nan", CmpInst::FCMP_UNO)
        .Default(std::nullopt);
  return StringSwitch<std::optional<CmpInst::Predicate>>(Name)
      .Case("eq", CmpInst::ICMP_EQ)
      .Case("ne", CmpInst::ICMP_NE)
      .Cases({"lt", "lo"}, T.isSigned() ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT)
      .Cases({"le", "ls"}, T.isSigned() ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE)
      .Cases({"gt", "hi"}, T.isSigned() ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT)
      .Cases({"ge", "hs"}, T.isSigned() ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE)
      .Default(std::nullopt);
}

Value *ptxProduct(IRBuilderBase &B, const PtxStatement &S, const PtxType &T, Value *X, Value *Y) {
  Type *Narrow = X->getType(), *Wide = B.getIntNTy(2 * T.Bits);
  auto Extend = [&](Value *V) { return T.isSigned() ? B.CreateSExt(V, Wide) : B.CreateZExt(V, Wide); };
  Value *Whole = B.CreateMul(Extend(X), Extend(Y));
  if (S.has("wide"))
    return Whole;
  if (S.has("hi"))
    Whole = B.CreateLShr(Whole, T.Bits);
  return B.CreateTrunc(Whole, Narrow);
}

// LLVM leaves both cases undefined, so the divisors 0 and -1 become 1. The divisor that remains does not depend on the
// dividend: the launch proof knows a divisor that is an argument.
Value *ptxDivision(IRBuilderBase &B, const PtxStatement &S, const PtxType &T, Value *X, Value *Y) {
  const bool IsQuotient = S.Opcode == "div";
  Constant *One = ConstantInt::get(Y->getType(), 1);
  const APInt *Known = nullptr;
  const bool IsKnown = match(Y, m_APInt(Known)) && !Known->isZero();
  if (!T.isSigned()) {
    Value *Safe = IsKnown ? Y : B.CreateBinaryIntrinsic(Intrinsic::umax, Y, One);
    return IsQuotient ? B.CreateUDiv(X, Safe) : B.CreateURem(X, Safe);
  }
  Value *Safe = Y;
  if (!IsKnown || Known->isAllOnes())
    Safe = B.CreateSelect(B.CreateICmpULT(B.CreateAdd(Y, One), ConstantInt::get(Y->getType(), 2)), One, Y);
  if (!IsQuotient)
    return B.CreateSRem(X, Safe);
  Value *IsMinusOne = B.CreateICmpEQ(Y, Constant::getAllOnesValue(Y->getType()));
  return B.CreateSelect(IsMinusOne, B.CreateNeg(X), B.CreateSDiv(X, Safe));
}

// PTX clamps the amount: all bits are shifted out, or, for shr.s, only sign bits are left.
Value *ptxShift(IRBuilderBase &B, const PtxStatement &S, const PtxType &T, Value *V, Value *Amount) {
  Value *Big = B.CreateICmpUGE(Amount, B.getInt32(T.Bits));
  const bool Arithmetic = S.Opcode == "shr" && T.isSigned();
  Value *Safe = B.CreateSelect(Big, B.getInt32(Arithmetic ? T.Bits - 1 : 0), Amount);
  Safe = B.CreateZExtOrTrunc(Safe, V->getType());
  Value *Shifted = S.Opcode == "shl" ? B.CreateShl(V, Safe)
                   : Arithmetic      ? B.CreateAShr(V, Safe)
                                     : B.CreateLShr(V, Safe);
  if (Arithmetic || match(Big, m_Zero()))
    return Shifted;
  return B.CreateSelect(Big, ConstantInt::get(V->getType(), 0), Shifted);
}

// Returns a number of type T whose lower bits are 1. Bits: i32.
static Value *lowBits(IRBuilderBase &B, IntegerType *T, Value *Bits) {
  Type *Wide = B.getIntNTy(2 * T->getBitWidth()); // all bits of T may be set
  Value *Number = B.CreateBinaryIntrinsic(Intrinsic::umin, Bits, B.getInt32(T->getBitWidth()));
  Value *Above = B.CreateShl(ConstantInt::get(Wide, 1), B.CreateZExt(Number, Wide));
  return B.CreateTrunc(B.CreateSub(Above, ConstantInt::get(Wide, 1)), T);
}

Value *ptxMask(IRBuilderBase &B, const PtxStatement &S, Value *Start, Value *Width) {
  if (S.has("wrap")) {
    Start = B.CreateAnd(Start, 31);
    Width = B.CreateAnd(Width, 31);
  }
  Value *Mask = B.CreateZExt(lowBits(B, B.getInt32Ty(), Width), B.getInt64Ty());
  Value *Amount = B.CreateBinaryIntrinsic(Intrinsic::umin, Start, B.getInt32(32));
  return B.CreateTrunc(B.CreateShl(Mask, B.CreateZExt(Amount, B.getInt64Ty())), B.getInt32Ty());
}

// PTX uses the lowest 8 bits of the start and the width.
Value *ptxField(IRBuilderBase &B, const PtxType &T, Value *V, Value *Start, Value *Width) {
  auto *Own = cast<IntegerType>(V->getType());
  Start = B.CreateAnd(Start, 255);
  Value *Beyond = B.CreateICmpUGE(Start, B.getInt32(T.Bits));
  Value *Amount = B.CreateZExtOrTrunc(B.CreateSelect(Beyond, B.getInt32(0), Start), Own);
  Value *Shifted = B.CreateSelect(Beyond, ConstantInt::get(Own, 0), B.CreateLShr(V, Amount));
  return B.CreateAnd(Shifted, lowBits(B, Own, B.CreateAnd(Width, 255)));
}

} // namespace gasan
