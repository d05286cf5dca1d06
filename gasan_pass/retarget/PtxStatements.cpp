// What each statement of inline PTX does. Statements whose helper has the same name (rcp.approx.ftz.f32:
// gasan_nvvm_rcp_ approx_ftz_f) need nothing here.
#include "gasan_pass/ptx/PtxInteger.h"
#include "gasan_pass/retarget/PtxFunction.h"

using namespace llvm;

namespace gasan {

namespace {

constexpr PtxType kBits32{'b', 32};
constexpr const char *kVoteModes[] = {"ballot", "all", "any", "uni"};

PtxType lastType(PtxFunction &P, const PtxStatement &S) {
  std::optional<PtxType> T = S.Modifiers.empty() ? std::nullopt : parsePtxType(S.Modifiers.back());
  if (!T)
    P.fail();
  return T.value_or(kBits32);
}

// "add.rn.ftz.f32": "add_rn_ftz_f"
std::string helperName(const PtxStatement &S) {
  std::string Name = S.Opcode;
  for (StringRef Modifier : S.Modifiers) {
    Name += '_';
    Name += Modifier == "f32" ? "f" : Modifier == "f64" ? "d" : Modifier.str();
  }
  return Name;
}

// The types of a helper's parameters and result say how to read and write the operands.
PtxType typeLike(const Type *T) {
  if (T->isPointerTy())
    return {'b', 64};
  char Kind = T->isFloatTy() || T->isDoubleTy() ? 'f' : T->isHalfTy() ? 'h' : T->isBFloatTy() ? 'z' : 'b';
  return {Kind, static_cast<unsigned>(T->getPrimitiveSizeInBits())};
}

void callByName(PtxFunction &P, const PtxStatement &S, const Twine &Name) {
  const Function *Helper = P.findHelper(Name);
  const bool HasResult = Helper && !Helper->getReturnType()->isVoidTy();
  if (!Helper || Helper->arg_size() + HasResult != S.Operands.size())
    return P.fail();
  SmallVector<Value *, 4> Arguments;
  for (const Argument &A : Helper->args()) {
    StringRef Operand = S.Operands[A.getArgNo() + HasResult];
    Arguments.push_back(Operand.starts_with("[") ? P.readAddress(Operand) : P.read(Operand, typeLike(A.getType())));
  }
  Value *Result = P.callHelper(Name, Arguments);
  if (HasResult && Result)
    P.write(S.Operands[0], Result);
}

// Most helpers' names have no type: "bmsk.clamp.b32" is bmsk_clamp.
void callWithoutType(PtxFunction &P, const PtxStatement &S) {
  std::string Name = helperName(S);
  if (!P.findHelper(Name) && !S.Modifiers.empty() && parsePtxType(S.Modifiers.back())) {
    PtxStatement Untyped = S;
    Untyped.Modifiers.pop_back();
    Name = helperName(Untyped);
  }
  callByName(P, S, Name);
}

void declare(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  for (StringRef Name : S.Operands)
    P.declare(Name, T);
}

void move(PtxFunction &P, const PtxStatement &S) {
  if (S.Operands.size() != 2)
    return P.fail();
  P.write(S.Operands[0], P.read(S.Operands[1], PtxType{'b', lastType(P, S).Bits}));
}

// Integer sums with a carry or borrow in (addc) and out (.cc). One bit more than the type holds them.
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

void floatArithmetic(PtxFunction &P, const PtxStatement &S, const PtxType &T) {
  if (T.Kind == 'f') {
    // The nearest mode is what PTX takes when none is given.
    PtxStatement Full = S;
    if (!S.has("rn") && !S.has("rz") && !S.has("rm") && !S.has("rp"))
      Full.Modifiers.insert(Full.Modifiers.begin(), "rn");
    if (Full.Opcode == "mad")
      Full.Opcode = "fma";
    return callByName(P, Full, helperName(Full));
  }
  if (S.Operands.size() != 3 || S.has("sat") || S.has("relu"))
    return P.fail();
  Value *A = P.read(S.Operands[1], T), *B = P.read(S.Operands[2], T);
  P.write(S.Operands[0], S.Opcode == "add"   ? P.Builder.CreateFAdd(A, B)
                         : S.Opcode == "sub" ? P.Builder.CreateFSub(A, B)
                                             : P.Builder.CreateFMul(A, B));
}

void addOrSubtract(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (T.isFloat())
    return floatArithmetic(P, S, T);
  if (S.Operands.size() != 3 || S.has("sat"))
    return P.fail();
  const StringRef Opcode(S.Opcode);
  addWithCarry(P, S, P.read(S.Operands[1], T), P.read(S.Operands[2], T), Opcode.starts_with("sub"),
               Opcode.ends_with("c"));
}

void multiply(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (T.isFloat())
    return floatArithmetic(P, S, T);
  if (S.Operands.size() != 3 || (!S.has("lo") && !S.has("hi") && !S.has("wide")))
    return P.fail();
  P.write(S.Operands[0], ptxProduct(P.Builder, S, T, P.read(S.Operands[1], T), P.read(S.Operands[2], T)), T.isSigned());
}

void multiplyAdd(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (T.isFloat())
    return floatArithmetic(P, S, T);
  if (S.Operands.size() != 4 || S.has("sat") || (!S.has("lo") && !S.has("hi") && !S.has("wide")))
    return P.fail();
  PtxType Sum = T;
  if (S.has("wide"))
    Sum.Bits *= 2;
  Value *Product = ptxProduct(P.Builder, S, T, P.read(S.Operands[1], T), P.read(S.Operands[2], T));
  addWithCarry(P, S, Product, P.read(S.Operands[3], Sum), false, StringRef(S.Opcode) == "madc");
}

void bitwise(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (S.Operands.size() != 3)
    return P.fail();
  Value *A = P.read(S.Operands[1], T), *B = P.read(S.Operands[2], T);
  P.write(S.Operands[0], S.Opcode == "and"  ? P.Builder.CreateAnd(A, B)
                         : S.Opcode == "or" ? P.Builder.CreateOr(A, B)
                                            : P.Builder.CreateXor(A, B));
}

void complement(PtxFunction &P, const PtxStatement &S) {
  if (S.Operands.size() != 2)
    return P.fail();
  P.write(S.Operands[0], P.Builder.CreateNot(P.read(S.Operands[1], lastType(P, S))));
}

void shift(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (S.Operands.size() != 3)
    return P.fail();
  Value *V = P.read(S.Operands[1], T), *Amount = P.read(S.Operands[2], kBits32);
  P.write(S.Operands[0], ptxShift(P.Builder, S, T, V, Amount), T.isSigned());
}

void minimumOrMaximum(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (T.isFloat() || S.Operands.size() != 3)
    return callByName(P, S, "f" + helperName(S));
  Value *A = P.read(S.Operands[1], T), *B = P.read(S.Operands[2], T);
  const bool Minimum = S.Opcode == "min";
  Value *Less = T.isSigned() ? P.Builder.CreateICmpSLT(A, B) : P.Builder.CreateICmpULT(A, B);
  P.write(S.Operands[0], P.Builder.CreateSelect(Less, Minimum ? A : B, Minimum ? B : A), T.isSigned());
}

void negate(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (S.Operands.size() != 2)
    return P.fail();
  Value *V = P.read(S.Operands[1], T);
  P.write(S.Operands[0], T.isFloat() ? P.Builder.CreateFNeg(V) : P.Builder.CreateNeg(V));
}

void absolute(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (S.Operands.size() != 2 || S.has("ftz"))
    return P.fail();
  Value *V = P.read(S.Operands[1], T);
  P.write(S.Operands[0], T.isFloat() ? P.Builder.CreateUnaryIntrinsic(Intrinsic::fabs, V)
                                     : P.Builder.CreateBinaryIntrinsic(Intrinsic::abs, V, P.Builder.getFalse()));
}

void countBits(PtxFunction &P, const PtxStatement &S) {
  if (S.Operands.size() != 2)
    return P.fail();
  Value *V = P.read(S.Operands[1], lastType(P, S));
  Value *Result = S.Opcode == "popc"  ? P.Builder.CreateUnaryIntrinsic(Intrinsic::ctpop, V)
                  : S.Opcode == "clz" ? P.Builder.CreateBinaryIntrinsic(Intrinsic::ctlz, V, P.Builder.getFalse())
                                      : P.Builder.CreateUnaryIntrinsic(Intrinsic::bitreverse, V);
  P.write(S.Operands[0], Result);
}

// setp.lt.s32 p, a, b
void setPredicate(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  std::optional<CmpInst::Predicate> Predicate = S.Modifiers.empty() ? std::nullopt : ptxComparison(S.Modifiers.front(), T);
  if (!Predicate || T.Packed || S.Operands.size() != 3 || S.Modifiers.size() - S.has("ftz") != 2)
    return P.fail();
  Value *A = P.read(S.Operands[1], T), *B = P.read(S.Operands[2], T);
  P.write(S.Operands[0], P.Builder.CreateCmp(*Predicate, A, B));
}

// set.gt.TO.FROM d, a, b: 1.0 or all ones where the comparison holds
void set(PtxFunction &P, const PtxStatement &S) {
  const PtxType From = lastType(P, S);
  std::optional<CmpInst::Predicate> Predicate =
      S.Modifiers.empty() ? std::nullopt : ptxComparison(S.Modifiers.front(), From);
  std::optional<PtxType> To = S.Modifiers.size() != 3 ? std::nullopt : parsePtxType(S.Modifiers[1]);
  if (!Predicate || !To || S.Operands.size() != 3)
    return P.fail();
  Value *Holds = P.Builder.CreateCmp(*Predicate, P.read(S.Operands[1], From), P.read(S.Operands[2], From));
  Type *Result = P.typeOf(*To);
  if (To->isFloat())
    return P.write(S.Operands[0], P.Builder.CreateUIToFP(Holds, Result));
  if (From.Packed)
    Result = FixedVectorType::get(P.Builder.getIntNTy(To->Bits / 2), 2);
  P.write(S.Operands[0], P.Builder.CreateSExt(Holds, Result));
}

void select(PtxFunction &P, const PtxStatement &S) {
  const PtxType T{'b', lastType(P, S).Bits};
  if (S.Operands.size() != 4)
    return P.fail();
  Value *A = P.read(S.Operands[1], T), *B = P.read(S.Operands[2], T);
  P.write(S.Operands[0], P.Builder.CreateSelect(P.read(S.Operands[3], PtxType{'p', 1}), A, B));
}

Value *roundToIntegral(PtxFunction &P, const PtxStatement &S, Value *V) {
  Intrinsic::ID Id = S.has("rni")   ? Intrinsic::rint
                     : S.has("rmi") ? Intrinsic::floor
                     : S.has("rpi") ? Intrinsic::ceil
                                    : Intrinsic::trunc;
  return P.Builder.CreateUnaryIntrinsic(Id, V);
}

// cvt.rn.f16x2.f32 d, high, low; cvt.rz.f16.f32 d, a. False if it is another conversion.
bool convertToNarrowFloat(PtxFunction &P, const PtxStatement &S) {
  const StringRef Mode = S.has("rz") ? "rz" : "rn", Last = S.has("relu") ? "_relu" : "";
  for (StringRef To : {"f16", "bf16", "f16x2", "bf16x2"})
    if (S.Modifiers.size() > 2 && S.Modifiers[S.Modifiers.size() - 2] == To && S.Modifiers.back() == "f32" &&
        (S.has("rn") || S.has("rz")) && !S.has("satfinite") && !S.has("ftz") && !S.has("sat")) {
      callByName(P, S, Twine(To.ends_with("x2") ? "ff2" : "f2") + To + "_" + Mode + Last);
      return true;
    }
  return false;
}

// cvt.ROUNDING.TO.FROM
void convert(PtxFunction &P, const PtxStatement &S) {
  if (convertToNarrowFloat(P, S))
    return;
  const size_t Count = S.Modifiers.size();
  std::optional<PtxType> To = Count < 2 ? std::nullopt : parsePtxType(S.Modifiers[Count - 2]);
  std::optional<PtxType> From = Count < 2 ? std::nullopt : parsePtxType(S.Modifiers[Count - 1]);
  // Directed rounding and saturation have intrinsics, which compilers use.
  if (!To || !From || S.Operands.size() != 2 || To->Packed || From->Packed || S.has("sat") || S.has("ftz") ||
      S.has("relu") || S.has("rz") || S.has("rm") || S.has("rp"))
    return P.fail();
  IRBuilder<> &B = P.Builder;
  Value *V = P.read(S.Operands[1], *From);
  Type *T = P.typeOf(*To);
  if (From->isFloat() && To->isFloat()) {
    if (From->Bits == To->Bits && From->Kind == To->Kind)
      V = roundToIntegral(P, S, V);
    else if (From->Bits == To->Bits)
      V = B.CreateFPTrunc(B.CreateFPExt(V, B.getFloatTy()), T);
    else
      V = B.CreateFPCast(V, T);
  } else if (From->isFloat()) {
    Intrinsic::ID Id = To->isSigned() ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
    V = B.CreateIntrinsic(Id, {T, V->getType()}, {roundToIntegral(P, S, V)});
  } else if (To->isFloat()) {
    V = From->isSigned() ? B.CreateSIToFP(V, T) : B.CreateUIToFP(V, T);
  } else {
    V = From->isSigned() ? B.CreateSExtOrTrunc(V, T) : B.CreateZExtOrTrunc(V, T);
  }
  P.write(S.Operands[0], V, To->isSigned());
}

// All address spaces are one here.
void convertAddress(PtxFunction &P, const PtxStatement &S) {
  if (S.Operands.size() != 2)
    return P.fail();
  P.write(S.Operands[0], P.read(S.Operands[1], lastType(P, S)));
}

void fence(PtxFunction &P, const PtxStatement &) {
  P.Builder.CreateFence(AtomicOrdering::SequentiallyConsistent);
}

// bar.sync a{, b}; bar.arrive a, b; bar.warp.sync mask; barrier is the same
void barrier(PtxFunction &P, const PtxStatement &S) {
  if (S.has("warp"))
    return callByName(P, S, "bar_warp_sync");
  const StringRef Count = S.Operands.size() > 1 ? "count" : "all";
  if (S.has("red"))
    return P.fail();
  callByName(P, S, Twine(S.has("arrive") ? "barrier_cta_arrive_" : "barrier_cta_sync_") + Count);
}

// vote.sync.MODE.b32 d, p, mask
void vote(PtxFunction &P, const PtxStatement &S) {
  const char *const *Mode = find_if(kVoteModes, [&](const char *Name) { return S.has(Name); });
  if (S.Operands.size() != 3 || !S.has("sync") || Mode == std::end(kVoteModes))
    return P.fail();
  Value *Result = P.callHelper(Twine("vote_") + *Mode + "_sync",
                               {P.read(S.Operands[2], kBits32), P.read(S.Operands[1], PtxType{'p', 1})});
  if (Result)
    P.write(S.Operands[0], Result);
}

// shfl.sync.MODE.b32 d{|p}, a, b, c, mask
void shuffle(PtxFunction &P, const PtxStatement &S) {
  if (S.Operands.size() != 5 || S.Modifiers.size() != 3 || S.Modifiers[0] != "sync")
    return P.fail();
  auto [Result, Valid] = StringRef(S.Operands[0]).split('|');
  IRBuilder<> &B = P.Builder;
  AllocaInst *ResultSlot = B.CreateAlloca(B.getInt32Ty()), *ValidSlot = B.CreateAlloca(B.getInt8Ty());
  P.callHelper("shfl_sync_" + S.Modifiers[1] + "_i32p",
               {P.read(S.Operands[4], kBits32), P.read(S.Operands[1], kBits32), P.read(S.Operands[2], kBits32),
                P.read(S.Operands[3], kBits32), ResultSlot, ValidSlot});
  P.write(Result, B.CreateLoad(B.getInt32Ty(), ResultSlot));
  if (!Valid.empty())
    P.write(Valid, B.CreateTrunc(B.CreateLoad(B.getInt8Ty(), ValidSlot), B.getInt1Ty()));
}

// redux.sync.OP.TYPE
void reduce(PtxFunction &P, const PtxStatement &S) {
  if (S.Modifiers.size() != 3)
    return P.fail();
  const bool IsUnsignedExtreme = S.Modifiers[2] == "u32" && (S.Modifiers[1] == "min" || S.Modifiers[1] == "max");
  callByName(P, S, Twine("redux_sync_") + (IsUnsignedExtreme ? "u" : "") + S.Modifiers[1]);
}

// shf.DIRECTION.MODE.b32 d, low, high, amount
void funnelShift(PtxFunction &P, const PtxStatement &S) {
  if (S.Operands.size() != 4)
    return P.fail();
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

void findLeadingBit(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (S.Operands.size() != 2)
    return P.fail();
  Value *Result = P.callHelper(Twine("flo_") + (T.isSigned() ? "s_i" : "u_i") + Twine(T.Bits),
                               {P.read(S.Operands[1], T), P.Builder.getInt1(S.has("shiftamt"))});
  if (Result)
    P.write(S.Operands[0], Result);
}

// lop3.b32 d, a, b, c, table: bit i of the table is the result for the three bits of i
void logic3(PtxFunction &P, const PtxStatement &S) {
  if (S.Operands.size() != 5 || S.Modifiers.size() != 1)
    return P.fail();
  Value *A = P.read(S.Operands[1], kBits32), *B = P.read(S.Operands[2], kBits32), *C = P.read(S.Operands[3], kBits32);
  Value *Table = P.read(S.Operands[4], kBits32), *Result = P.Builder.getInt32(0);
  for (unsigned I = 0; I < 8; ++I) {
    Value *Row = P.Builder.CreateAnd(I & 4 ? A : P.Builder.CreateNot(A), I & 2 ? B : P.Builder.CreateNot(B));
    Row = P.Builder.CreateAnd(Row, I & 1 ? C : P.Builder.CreateNot(C));
    Value *Wanted = P.Builder.CreateTrunc(P.Builder.CreateLShr(Table, I), P.Builder.getInt1Ty());
    Result = P.Builder.CreateOr(Result, P.Builder.CreateSelect(Wanted, Row, P.Builder.getInt32(0)));
  }
  P.write(S.Operands[0], Result);
}

// dp4a.TYPE.TYPE d, a, b, c
void dotProduct(PtxFunction &P, const PtxStatement &S) {
  if (S.Modifiers.size() != 2)
    return P.fail();
  callByName(P, S, Twine("idp4a_") + S.Modifiers[0].substr(0, 1) + "_" + S.Modifiers[1].substr(0, 1));
}

// cp.async.KIND.shared.global [to], [from], size{, source size}
void copyAsync(PtxFunction &P, const PtxStatement &S) {
  if (!S.has("async") || !S.has("global"))
    return callWithoutType(P, S);
  if (S.has("bulk") || S.Operands.size() < 3 || S.Operands.size() > 4 || StringRef(S.Operands.back()).starts_with("["))
    return P.fail();
  P.callHelper("cp_async", {P.readAddress(S.Operands[0]), P.readAddress(S.Operands[1]), P.read(S.Operands[2], kBits32),
                            P.read(S.Operands.back(), kBits32)});
}

void trap(PtxFunction &P, const PtxStatement &) {
  P.Builder.CreateIntrinsic(P.Builder.getVoidTy(), Intrinsic::trap, {});
}
void nothing(PtxFunction &, const PtxStatement &) {}

struct Rule {
  const char *Opcode;
  void (*Translate)(PtxFunction &, const PtxStatement &);
};

constexpr Rule kRules[] = {
    {".reg", declare},
    {"mov", move},
    {"add", addOrSubtract},
    {"addc", addOrSubtract},
    {"sub", addOrSubtract},
    {"subc", addOrSubtract},
    {"mul", multiply},
    {"mad", multiplyAdd},
    {"madc", multiplyAdd},
    {"and", bitwise},
    {"or", bitwise},
    {"xor", bitwise},
    {"not", complement},
    {"shl", shift},
    {"shr", shift},
    {"min", minimumOrMaximum},
    {"max", minimumOrMaximum},
    {"neg", negate},
    {"abs", absolute},
    {"popc", countBits},
    {"clz", countBits},
    {"brev", countBits},
    {"setp", setPredicate},
    {"selp", select},
    {"cvt", convert},
    {"cvta", convertAddress},
    {"membar", fence},
    {"fence", fence},
    {"bar", barrier},
    {"barrier", barrier},
    {"vote", vote},
    {"shfl", shuffle},
    {"redux", reduce},
    {"cp", copyAsync},
    {"dp4a", dotProduct},
    {"set", set},
    {"shf", funnelShift},
    {"bfind", findLeadingBit},
    {"lop3", logic3},
    {"trap", trap},
    {"brkpt", nothing},
    {"pmevent", nothing},
};

} // namespace

void translateStatement(PtxFunction &P, const PtxStatement &Statement) {
  if (translateMemoryStatement(P, Statement) || translateTextureStatement(P, Statement))
    return;
  for (const Rule &R : kRules)
    if (Statement.Opcode == R.Opcode)
      return R.Translate(P, Statement);
  callWithoutType(P, Statement);
}

} // namespace gasan
