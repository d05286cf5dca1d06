// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves, integers, bits, comparisons and selections.
#include "gasan_pass/lift/FunctionLifter.h"
#include "gasan_pass/ptx/PtxInteger.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gasan::lift {

namespace {

bool isInteger(const std::optional<PtxType> &T) {
  return T && (T->Kind == 'u' || T->Kind == 's' || T->Kind == 'b') && !T->Packed && T->Bits >= 16 && T->Bits <= 64;
}

bool isFloatOf(const std::optional<PtxType> &T) {
  return T && T->Kind == 'f';
}

} // namespace

bool FunctionLifter::move(const PtxStatement &S) {
  std::optional<PtxType> T = lastType(S);
  if (!T || S.Operands.size() != 2 || S.Modifiers.size() != 1)
    return false;
  const PtxType Bits{'b', T->Bits};
  write(S.Operands[0], readBits(S.Operands[1], T->Bits), Bits);
  return true;
}

// add and sub of integers and floating-point numbers. Without a rounding, ptxas may fuse a product and a sum, as LLVM
// may with `contract`.
bool FunctionLifter::arithmetic(const PtxStatement &S) {
  std::optional<PtxType> T = lastType(S);
  if (S.Operands.size() != 3)
    return false;
  if (isInteger(T) && S.has("cc"))
    return carry(S);
  const bool IsFloat = isFloatOf(T) && hasOnly(S, "rn ftz") && (T->Bits == 64 || hasFlush(S));
  if (!IsFloat && !(isInteger(T) && S.Modifiers.size() == 1))
    return false;
  Value *X = read(S.Operands[1], *T), *Y = read(S.Operands[2], *T), *Result;
  if (IsFloat) {
    Result = S.Opcode == "add" ? B.CreateFAdd(X, Y) : B.CreateFSub(X, Y);
    if (auto *I = dyn_cast<Instruction>(Result); I && isa<FPMathOperator>(I))
      I->setHasAllowContract(!S.has("rn"));
  } else {
    Result = S.Opcode == "add" ? B.CreateAdd(X, Y) : B.CreateSub(X, Y);
  }
  write(S.Operands[0], Result, PtxType{'b', T->Bits});
  return true;
}

// add.cc, addc, sub.cc, subc, mad.cc, madc: the carry is a register of the function.
bool FunctionLifter::carry(const PtxStatement &S) {
  std::optional<PtxType> T = lastType(S);
  const bool IsMad = StringRef(S.Opcode).starts_with("mad");
  if (!isInteger(T) || S.Operands.size() != (IsMad ? 4u : 3u) || !hasOnly(S, "cc lo hi"))
    return false;
  Value *X = read(S.Operands[1], *T), *Y = read(S.Operands[2], *T);
  if (IsMad) {
    X = ptxProduct(B, S, *T, X, Y);
    Y = read(S.Operands[3], *T);
  }
  const bool IsSub = StringRef(S.Opcode).starts_with("sub");
  const Intrinsic::ID Step = IsSub ? Intrinsic::usub_with_overflow : Intrinsic::uadd_with_overflow;
  Value *First = B.CreateBinaryIntrinsic(Step, X, Y);
  Value *Result = B.CreateExtractValue(First, 0), *Out = B.CreateExtractValue(First, 1);
  if (StringRef(S.Opcode).ends_with("c")) {
    Value *In = B.CreateZExt(B.CreateLoad(B.getInt1Ty(), Carry), X->getType());
    Value *Second = B.CreateBinaryIntrinsic(Step, Result, In);
    Result = B.CreateExtractValue(Second, 0);
    Out = B.CreateOr(Out, B.CreateExtractValue(Second, 1));
  }
  if (S.has("cc"))
    B.CreateStore(Out, Carry);
  write(S.Operands[0], Result, PtxType{'b', T->Bits});
  return true;
}

bool FunctionLifter::multiply(const PtxStatement &S) {
  std::optional<PtxType> T = lastType(S);
  const bool IsMad = S.Opcode == "mad";
  if (S.Operands.size() != (IsMad ? 4u : 3u))
    return false;
  if (isFloatOf(T)) {
    if (IsMad)
      return fuse(S);
    if (!hasOnly(S, "rn ftz") || (T->Bits == 32 && !hasFlush(S)))
      return false;
    Value *Result = B.CreateFMul(read(S.Operands[1], *T), read(S.Operands[2], *T));
    if (auto *I = dyn_cast<Instruction>(Result); I && isa<FPMathOperator>(I))
      I->setHasAllowContract(!S.has("rn"));
    write(S.Operands[0], Result, *T);
    return true;
  }
  if (isInteger(T) && S.has("cc"))
    return carry(S);
  if (!isInteger(T) || !hasOnly(S, "lo hi wide") || (S.has("wide") && T->Bits > 32))
    return false;
  Value *X = read(S.Operands[1], *T), *Y = read(S.Operands[2], *T);
  const PtxType Result{'b', S.has("wide") ? 2 * T->Bits : T->Bits};
  Value *Product = S.has("lo") ? B.CreateMul(X, Y) : ptxProduct(B, S, *T, X, Y);
  if (IsMad)
    Product = B.CreateAdd(Product, readBits(S.Operands[3], Result.Bits));
  write(S.Operands[0], Product, Result);
  return true;
}

bool FunctionLifter::divide(const PtxStatement &S) {
  std::optional<PtxType> T = lastType(S);
  if (S.Operands.size() != 3)
    return false;
  if (isFloatOf(T)) {
    if (S.Opcode != "div" || !S.has("rn") || !hasOnly(S, "rn ftz") || (T->Bits == 32 && !hasFlush(S)))
      return false;
    write(S.Operands[0], B.CreateFDiv(read(S.Operands[1], *T), read(S.Operands[2], *T)), *T);
    return true;
  }
  if (!isInteger(T) || T->Kind == 'b' || S.Modifiers.size() != 1)
    return false;
  write(S.Operands[0], ptxDivision(B, S, *T, read(S.Operands[1], *T), read(S.Operands[2], *T)), PtxType{'b', T->Bits});
  return true;
}

// min, max. Of a number and a NaN, min.f32 returns the number, as llvm.minnum does.
bool FunctionLifter::extreme(const PtxStatement &S) {
  std::optional<PtxType> T = lastType(S);
  if (S.Operands.size() != 3)
    return false;
  const bool IsMin = S.Opcode == "min";
  Intrinsic::ID Kind;
  if (isFloatOf(T) && hasOnly(S, "ftz") && (T->Bits == 64 || hasFlush(S)))
    Kind = IsMin ? Intrinsic::minnum : Intrinsic::maxnum;
  else if (isInteger(T) && T->Kind != 'b' && S.Modifiers.size() == 1)
    Kind = T->isSigned() ? IsMin ? Intrinsic::smin : Intrinsic::smax : IsMin ? Intrinsic::umin : Intrinsic::umax;
  else
    return false;
  write(S.Operands[0], B.CreateBinaryIntrinsic(Kind, read(S.Operands[1], *T), read(S.Operands[2], *T)),
        PtxType{'b', T->Bits});
  return true;
}

// neg, abs
bool FunctionLifter::sign(const PtxStatement &S) {
  std::optional<PtxType> T = lastType(S);
  if (S.Operands.size() != 2)
    return false;
  const bool IsFloat = isFloatOf(T) && hasOnly(S, "ftz") && (T->Bits == 64 || hasFlush(S));
  if (!IsFloat && !(isInteger(T) && S.Modifiers.size() == 1))
    return false;
  Value *X = read(S.Operands[1], *T);
  Value *Result = IsFloat             ? S.Opcode == "neg" ? B.CreateFNeg(X) : B.CreateUnaryIntrinsic(Intrinsic::fabs, X)
                  : S.Opcode == "neg" ? B.CreateNeg(X)
                                      : B.CreateBinaryIntrinsic(Intrinsic::abs, X, B.getFalse());
  write(S.Operands[0], Result, PtxType{'b', T->Bits});
  return true;
}

// and, or, xor, not
bool FunctionLifter::bitwise(const PtxStatement &S) {
  std::optional<PtxType> T = lastType(S);
  if (!T || (T->Kind != 'b' && T->Kind != 'p') || S.Modifiers.size() != 1 ||
      S.Operands.size() != (S.Opcode == "not" ? 2u : 3u))
    return false;
  Value *X = readBits(S.Operands[1], T->Bits), *Result;
  if (S.Opcode == "not") {
    Result = B.CreateNot(X);
  } else {
    Value *Y = readBits(S.Operands[2], T->Bits);
    Result = S.Opcode == "and" ? B.CreateAnd(X, Y) : S.Opcode == "or" ? B.CreateOr(X, Y) : B.CreateXor(X, Y);
  }
  write(S.Operands[0], Result, *T);
  return true;
}

// PTX clamps large amounts. With an amount that is not constant, one instruction would become three.
bool FunctionLifter::shift(const PtxStatement &S) {
  std::optional<PtxType> T = lastType(S);
  if (!isInteger(T) || S.Operands.size() != 3 || S.Modifiers.size() != 1)
    return false;
  std::optional<uint64_t> Amount = readConstant(S.Operands[2], 32);
  if (!Amount || *Amount > UINT32_MAX)
    return false;
  write(S.Operands[0], ptxShift(B, S, *T, read(S.Operands[1], *T), B.getInt32(*Amount)), PtxType{'b', T->Bits});
  return true;
}

// shf.l.wrap d, low, high, amount
bool FunctionLifter::funnelShift(const PtxStatement &S) {
  if (S.Operands.size() != 4 || !S.has("wrap") || !S.has("b32"))
    return false;
  Value *Low = readBits(S.Operands[1], 32), *High = readBits(S.Operands[2], 32), *Amount = readBits(S.Operands[3], 32);
  const Intrinsic::ID Kind = S.has("l") ? Intrinsic::fshl : Intrinsic::fshr;
  write(S.Operands[0], B.CreateIntrinsic(Kind, {B.getInt32Ty()}, {High, Low, Amount}), PtxType{'b', 32});
  return true;
}

bool FunctionLifter::countBits(const PtxStatement &S) {
  std::optional<PtxType> T = lastType(S);
  if (!T || S.Operands.size() != 2 || (T->Bits != 32 && T->Bits != 64))
    return false;
  Value *X = readBits(S.Operands[1], T->Bits), *Result;
  if (S.Opcode == "brev") {
    write(S.Operands[0], B.CreateUnaryIntrinsic(Intrinsic::bitreverse, X), *T);
    return true;
  }
  Result = S.Opcode == "popc" ? B.CreateUnaryIntrinsic(Intrinsic::ctpop, X)
                              : B.CreateBinaryIntrinsic(Intrinsic::ctlz, X, B.getFalse());
  write(S.Operands[0], B.CreateZExtOrTrunc(Result, B.getInt32Ty()), PtxType{'b', 32});
  return true;
}

// bfe with constant start and width
bool FunctionLifter::field(const PtxStatement &S) {
  std::optional<PtxType> T = lastType(S);
  if (!T || T->Kind != 'u' || S.Operands.size() != 4)
    return false;
  std::optional<uint64_t> Start = readConstant(S.Operands[2], 32), Width = readConstant(S.Operands[3], 32);
  if (!Start || !Width)
    return false;
  write(S.Operands[0], ptxField(B, *T, read(S.Operands[1], *T), B.getInt32(*Start), B.getInt32(*Width)), *T);
  return true;
}

bool FunctionLifter::select(const PtxStatement &S) {
  std::optional<PtxType> T = lastType(S);
  if (!T || S.Operands.size() != 4 || S.Modifiers.size() != 1)
    return false;
  Value *X = readBits(S.Operands[1], T->Bits), *Y = readBits(S.Operands[2], T->Bits);
  write(S.Operands[0], B.CreateSelect(readBits(S.Operands[3], 1), X, Y), PtxType{'b', T->Bits});
  return true;
}

// setp.COMPARE{.and|.or|.xor}{.ftz}.TYPE p{|q}, a, b{, {!}c}
bool FunctionLifter::compare(const PtxStatement &S) {
  std::optional<PtxType> T = lastType(S);
  const bool HasOperation = S.has("and") || S.has("or") || S.has("xor");
  if (S.Operands.size() != (HasOperation ? 4u : 3u) || S.Modifiers.size() != 2u + HasOperation + S.has("ftz"))
    return false;
  const bool IsFloat = isFloatOf(T) && (T->Bits == 64 || hasFlush(S));
  if (!IsFloat && !isInteger(T))
    return false;
  std::optional<CmpInst::Predicate> Predicate = ptxComparison(S.Modifiers[0], *T);
  if (!Predicate)
    return false;
  Value *X = read(S.Operands[1], *T), *Y = read(S.Operands[2], *T);
  Value *Holds = IsFloat ? B.CreateFCmp(*Predicate, X, Y) : B.CreateICmp(*Predicate, X, Y);
  Value *Not = B.CreateNot(Holds);
  if (HasOperation) {
    Value *C = readBits(S.Operands[3], 1);
    auto Join = [&](Value *V) {
      return S.has("and") ? B.CreateAnd(V, C) : S.has("or") ? B.CreateOr(V, C) : B.CreateXor(V, C);
    };
    Holds = Join(Holds);
    Not = Join(Not);
  }
  auto [First, Second] = StringRef(S.Operands[0]).split('|');
  const PtxType Bit{'p', 1};
  write(First, Holds, Bit);
  if (!Second.empty())
    write(Second, Not, Bit);
  return true;
}

} // namespace gasan::lift
