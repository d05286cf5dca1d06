// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bit operations of inline PTX.
#include "gasan_pass/ptx/PtxInteger.h"
#include "gasan_pass/retarget/PtxHandlers.h"

using namespace llvm;

namespace gasan::ptx {

void bitwise(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (!hasOperands(P, S, 3))
    return;
  Value *A = P.read(S.Operands[1], T), *B = P.read(S.Operands[2], T);
  P.write(S.Operands[0], S.Opcode == "and"  ? P.Builder.CreateAnd(A, B)
                         : S.Opcode == "or" ? P.Builder.CreateOr(A, B)
                                            : P.Builder.CreateXor(A, B));
}

// not: bit by bit; cnot: as C does, 1 for 0 and 0 for the rest
void complement(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (!hasOperands(P, S, 2))
    return;
  Value *V = P.read(S.Operands[1], T);
  if (S.Opcode == "not")
    return P.write(S.Operands[0], P.Builder.CreateNot(V));
  P.write(S.Operands[0],
          P.Builder.CreateZExt(P.Builder.CreateICmpEQ(V, ConstantInt::get(V->getType(), 0)), V->getType()));
}

void shift(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (!hasOperands(P, S, 3))
    return;
  Value *V = P.read(S.Operands[1], T);
  P.write(S.Operands[0], ptxShift(P.Builder, S, T, V, P.read(S.Operands[2], kBits32)), T.isSigned());
}

// shf.DIRECTION.MODE.b32 d, low, high, amount
void funnelShift(PtxFunction &P, const PtxStatement &S) {
  if (!hasOperands(P, S, 4))
    return;
  Value *Low = P.read(S.Operands[1], kBits32), *High = P.read(S.Operands[2], kBits32);
  Value *Amount = P.read(S.Operands[3], kBits32);
  Value *Result;
  if (S.has("clamp"))
    Result = P.callHelper(S.has("l") ? "fshl_clamp_i32" : "fshr_clamp_i32", {High, Low, Amount});
  else
    Result = P.Builder.CreateIntrinsic(S.has("l") ? Intrinsic::fshl : Intrinsic::fshr, {P.Builder.getInt32Ty()},
                                       {High, Low, Amount});
  if (Result)
    P.write(S.Operands[0], Result);
}

void countBits(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (!hasOperands(P, S, 2))
    return;
  Value *V = P.read(S.Operands[1], T);
  Value *Result = S.Opcode == "popc"  ? P.Builder.CreateUnaryIntrinsic(Intrinsic::ctpop, V)
                  : S.Opcode == "clz" ? P.Builder.CreateBinaryIntrinsic(Intrinsic::ctlz, V, P.Builder.getFalse())
                                      : P.Builder.CreateUnaryIntrinsic(Intrinsic::bitreverse, V);
  P.write(S.Operands[0], Result);
}

void findLeadingBit(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (!hasOperands(P, S, 2))
    return;
  Value *Result = P.callHelper(Twine("flo_") + (T.isSigned() ? "s_i" : "u_i") + Twine(T.Bits),
                               {P.read(S.Operands[1], T), P.Builder.getInt1(S.has("shiftamt"))});
  if (Result)
    P.write(S.Operands[0], Result);
}

// szext.MODE.TYPE d, a, n: the lower n bits of a, extended
void extend(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  callNamed(P, S, Twine(T.isSigned() ? "sext_" : "zext_") + (S.has("clamp") ? "clamp" : "wrap"));
}

// lop3.b32 d, a, b, c, table: bit i of the table is the result for the three bits of i
// lop3.BOOLEAN.b32 d|p, a, b, c, table, q: p = (d != 0) BOOLEAN q
void logic3(PtxFunction &P, const PtxStatement &S) {
  const bool HasPredicate = S.has("or") || S.has("and");
  if (!hasOperands(P, S, HasPredicate ? 6 : 5))
    return;
  IRBuilder<> &Build = P.Builder;
  Value *A = P.read(S.Operands[1], kBits32), *B = P.read(S.Operands[2], kBits32), *C = P.read(S.Operands[3], kBits32);
  Value *Table = P.read(S.Operands[4], kBits32), *Result = Build.getInt32(0);
  for (unsigned I = 0; I < 8; ++I) {
    Value *Row = Build.CreateAnd(I & 4 ? A : Build.CreateNot(A), I & 2 ? B : Build.CreateNot(B));
    Row = Build.CreateAnd(Row, I & 1 ? C : Build.CreateNot(C));
    Value *Wanted = Build.CreateTrunc(Build.CreateLShr(Table, I), Build.getInt1Ty());
    Result = Build.CreateOr(Result, Build.CreateSelect(Wanted, Row, Build.getInt32(0)));
  }
  auto [Target, Predicate] = StringRef(S.Operands[0]).split('|');
  if (HasPredicate) {
    Value *Some = Build.CreateICmpNE(Result, Build.getInt32(0)), *Other = P.read(S.Operands[5], kPredicate);
    P.write(Predicate, S.has("or") ? Build.CreateOr(Some, Other) : Build.CreateAnd(Some, Other));
  }
  P.write(Target, Result);
}

// prmt.b32{.MODE} d, a, b, selector
void permute(PtxFunction &P, const PtxStatement &S) {
  if (!hasOperands(P, S, 4))
    return;
  const StringRef Mode = S.Modifiers.back();
  if (Mode == "b32")
    return callNamed(P, S, "prmt");
  SmallVector<Value *, 3> Arguments{P.read(S.Operands[1], kBits32), P.read(S.Operands[2], kBits32),
                                    P.read(S.Operands[3], kBits32)};
  if (Mode != "f4e" && Mode != "b4e")
    Arguments.erase(Arguments.begin() + 1); // these take all from a
  if (Value *Result = P.callHelper("prmt_" + Mode, Arguments))
    P.write(S.Operands[0], Result);
}

} // namespace gasan::ptx
