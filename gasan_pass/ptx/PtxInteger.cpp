// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/ptx/PtxInteger.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

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

// PTX clamps the amount: all bits are shifted out, or, for shr.s, only sign bits are left.
Value *ptxShift(IRBuilderBase &B, const PtxStatement &S, const PtxType &T, Value *V, Value *Amount) {
  Value *Big = B.CreateICmpUGE(Amount, B.getInt32(T.Bits));
  const bool Arithmetic = S.Opcode == "shr" && T.isSigned();
  Value *Safe = B.CreateSelect(Big, B.getInt32(Arithmetic ? T.Bits - 1 : 0), Amount);
  Safe = B.CreateZExtOrTrunc(Safe, V->getType());
  Value *Shifted = S.Opcode == "shl" ? B.CreateShl(V, Safe)
                   : Arithmetic      ? B.CreateAShr(V, Safe)
                                     : B.CreateLShr(V, Safe);
  return Arithmetic ? Shifted : B.CreateSelect(Big, ConstantInt::get(V->getType(), 0), Shifted);
}

} // namespace gasan
