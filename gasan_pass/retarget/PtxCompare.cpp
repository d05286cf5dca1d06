// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons and selections of inline PTX.
#include "gasan_pass/ptx/PtxInteger.h"
#include "gasan_pass/retarget/PtxHandlers.h"

using namespace llvm;

namespace gasan::ptx {

namespace {

// The name of the boolean operation after the comparison's, or an empty one.
StringRef booleanOf(const PtxStatement &S) {
  for (StringRef Name : {"and", "or", "xor"})
    if (S.has(Name))
      return Name;
  return StringRef();
}

// a COMPARE b {BOOLEAN c}, with its complement if `Negated`; the boolean comes after the comparison
Value *compareAndCombine(PtxFunction &P, const PtxStatement &S, const PtxType &T, bool Negated = false) {
  std::optional<CmpInst::Predicate> Predicate =
      S.Modifiers.empty() ? std::nullopt : ptxComparison(S.Modifiers.front(), T);
  const StringRef Boolean = booleanOf(S);
  if (!Predicate || S.Operands.size() != (Boolean.empty() ? 3 : 4)) {
    P.fail();
    return P.Builder.getFalse();
  }
  IRBuilder<> &B = P.Builder;
  Value *X = flushIfAsked(P, S, P.read(S.Operands[1], T)), *Y = flushIfAsked(P, S, P.read(S.Operands[2], T));
  Value *Holds = B.CreateCmp(*Predicate, X, Y);
  if (Negated)
    Holds = B.CreateNot(Holds);
  if (Boolean.empty())
    return Holds;
  Value *Other = P.read(S.Operands[3], kPredicate);
  if (T.Packed)
    Other = B.CreateVectorSplat(2, Other);
  return Boolean == "and"  ? B.CreateAnd(Holds, Other)
         : Boolean == "or" ? B.CreateOr(Holds, Other)
                           : B.CreateXor(Holds, Other);
}

} // namespace

// setp.lt{.BOOLEAN}.TYPE p{|q}, a, b{, c}: q gets the comparison's complement, of packed types the upper half's result.
void setPredicate(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  Value *Holds = compareAndCombine(P, S, T);
  if (P.failed())
    return;
  auto [First, Second] = StringRef(S.Operands[0]).split('|');
  if (T.Packed) {
    P.write(First, P.Builder.CreateExtractElement(Holds, uint64_t(0)));
    if (!Second.empty())
      P.write(Second, P.Builder.CreateExtractElement(Holds, uint64_t(1)));
    return;
  }
  Value *Other = Second.empty() ? nullptr : compareAndCombine(P, S, T, /*Negated=*/true);
  P.write(First, Holds);
  if (Other)
    P.write(Second, Other);
}

// set.gt{.BOOLEAN}.TO.FROM d, a, b{, c}: 1.0 or all ones where the comparison holds
void set(PtxFunction &P, const PtxStatement &S) {
  SmallVector<PtxType, 4> Types = typesOf(S);
  if (Types.size() != 2)
    return P.fail();
  const PtxType To = Types[0], From = Types[1];
  Value *Holds = compareAndCombine(P, S, From);
  if (P.failed())
    return;
  Type *Result = P.typeOf(To);
  if (To.isFloat())
    return P.write(S.Operands[0], P.Builder.CreateUIToFP(Holds, Result));
  if (From.Packed)
    Result = FixedVectorType::get(P.Builder.getIntNTy(To.Bits / 2), 2);
  P.write(S.Operands[0], P.Builder.CreateSExt(Holds, Result));
}

void select(PtxFunction &P, const PtxStatement &S) {
  const PtxType T{'b', lastType(P, S).Bits};
  if (!hasOperands(P, S, 4))
    return;
  Value *A = P.read(S.Operands[1], T), *B = P.read(S.Operands[2], T);
  P.write(S.Operands[0], P.Builder.CreateSelect(P.read(S.Operands[3], kPredicate), A, B));
}

// slct.TYPE.SIGN d, a, b, c: a where c >= 0
void selectBySign(PtxFunction &P, const PtxStatement &S) {
  SmallVector<PtxType, 4> Types = typesOf(S);
  if (Types.size() != 2 || !hasOperands(P, S, 4))
    return P.fail();
  const PtxType T{'b', Types[0].Bits};
  Value *Sign = flushIfAsked(P, S, P.read(S.Operands[3], Types[1]));
  Value *Zero = Constant::getNullValue(Sign->getType());
  Value *First = Types[1].isFloat() ? P.Builder.CreateFCmpOGE(Sign, Zero) : P.Builder.CreateICmpSGE(Sign, Zero);
  Value *A = P.read(S.Operands[1], T), *B = P.read(S.Operands[2], T);
  P.write(S.Operands[0], P.Builder.CreateSelect(First, A, B));
}

} // namespace gasan::ptx
