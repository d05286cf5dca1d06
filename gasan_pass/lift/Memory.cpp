// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, stores, atomic operations, conversions of addresses, and fences.
#include "gasan_pass/lift/FunctionLifter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace gasan::lift {

namespace {

StringRef spaceOf(const PtxStatement &S) {
  for (StringRef Modifier : S.Modifiers) {
    StringRef Space = Modifier.split("::").first;
    if (StringSwitch<bool>(Space).Cases({"global", "shared", "const", "local", "param"}, true).Default(false))
      return Space;
  }
  return "";
}

std::optional<StringRef> scopeOf(const PtxStatement &S) {
  for (StringRef Modifier : S.Modifiers)
    if (std::optional<StringRef> Scope = StringSwitch<std::optional<StringRef>>(Modifier)
                                             .Case("cta", StringRef("block"))
                                             .Case("cluster", StringRef("cluster"))
                                             .Case("gpu", StringRef("device"))
                                             .Case("sys", StringRef(""))
                                             .Default(std::nullopt))
      return Scope;
  return std::nullopt;
}

constexpr const char *kPlainWords = "weak volatile global shared shared::cta const local param param::entry "
                                    "param::func v2 v4";
constexpr const char *kAtomicWords = "relaxed acquire release cta cluster gpu sys global shared shared::cta";

unsigned vectorOf(const PtxStatement &S) {
  return S.has("v2") ? 2 : S.has("v4") ? 4 : 1;
}

} // namespace

// How a load or store is expressed in IR.
struct Access {
  bool IsAtomic, IsVolatile;
  Type *Memory; // an integer, a float or a vector of them
  Align Alignment;
  AtomicOrdering Order;
  SyncScope::ID Scope;
};

static std::optional<Access> describe(LLVMContext &Context, const PtxStatement &S, const PtxType &T) {
  Access A{};
  A.IsAtomic = S.has("relaxed") || S.has("acquire") || S.has("release");
  A.IsVolatile = S.has("volatile");
  Type *Scalar = registerType(Context, T);
  const unsigned Count = vectorOf(S);
  A.Memory = Count == 1 ? Scalar : FixedVectorType::get(Scalar, Count);
  A.Alignment = Align(Count * T.Bits / 8);
  if (A.IsAtomic) {
    std::optional<StringRef> Scope = scopeOf(S);
    if (!Scope || Count != 1)
      return std::nullopt;
    A.Order = S.has("relaxed")   ? AtomicOrdering::Monotonic
              : S.has("acquire") ? AtomicOrdering::Acquire
                                 : AtomicOrdering::Release;
    A.Scope = Context.getOrInsertSyncScopeID(*Scope);
  }
  return A;
}

bool FunctionLifter::load(const PtxStatement &S) {
  std::optional<PtxType> T = lastType(S);
  const bool IsConstant = S.has("nc"); // no other thread writes the memory while the kernel runs
  const bool IsParameter = spaceOf(S) == "param";
  const bool IsAtomic = S.has("relaxed") || S.has("acquire");
  if (!T || T->Bits < 8 || T->Bits > (IsParameter ? 128 : 64) || S.Operands.size() != 2 ||
      vectorOf(S) * T->Bits > 128 ||
      !hasOnly(S, IsAtomic ? kAtomicWords : (std::string(kPlainWords) + " nc").c_str())) {
    if (IsParameter)
      fail("a load of parameters in this form is not supported");
    return false;
  }
  std::optional<Access> A = describe(F.getContext(), S, *T);
  if (!A)
    return false;
  Value *Pointer = address(S.Operands[1], spaceOf(S));
  if (IsParameter) // parameters are packed
    A->Alignment = Align(1);
  auto LoadAt = [&](Value *Place, Type *Memory) {
    LoadInst *Load = B.CreateAlignedLoad(Memory, Place, A->Alignment, A->IsVolatile);
    if (IsParameter)
      Load->setNoSanitizeMetadata();
    if (A->IsAtomic)
      Load->setAtomic(A->Order, A->Scope);
    if (IsConstant)
      Load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(F.getContext(), {}));
    return Load;
  };
  if (vectorOf(S) == 1) {
    write(S.Operands[0], LoadAt(Pointer, A->Memory), *T);
    return true;
  }
  SmallVector<std::string, 4> Parts = splitPtxOperands(StringRef(S.Operands[0]).trim("{} \t"));
  if (Parts.size() != vectorOf(S)) {
    fail("expected a vector of registers");
    return true;
  }
  // A vector of parameters is several numbers, which the launch proof knows one by one.
  Value *Whole = IsParameter ? nullptr : LoadAt(Pointer, A->Memory);
  for (size_t I = 0; I < Parts.size(); ++I) {
    Value *Place = Whole ? nullptr : B.CreateConstGEP1_64(B.getInt8Ty(), Pointer, I * T->Bits / 8);
    write(Parts[I], Whole ? B.CreateExtractElement(Whole, I) : LoadAt(Place, A->Memory->getScalarType()), *T);
  }
  return true;
}

bool FunctionLifter::store(const PtxStatement &S) {
  std::optional<PtxType> T = lastType(S);
  const bool IsParameter = spaceOf(S) == "param";
  const bool IsAtomic = S.has("relaxed") || S.has("release");
  if (!T || T->Bits < 8 || T->Bits > (IsParameter ? 128 : 64) || S.Operands.size() != 2 ||
      vectorOf(S) * T->Bits > 128 || !hasOnly(S, IsAtomic ? kAtomicWords : kPlainWords)) {
    if (IsParameter)
      fail("a store of parameters in this form is not supported");
    return false;
  }
  std::optional<Access> A = describe(F.getContext(), S, *T);
  if (!A)
    return false;
  Value *V;
  if (vectorOf(S) == 1) {
    V = changeBits(B, readBits(S.Operands[1], T->Bits), A->Memory);
  } else {
    SmallVector<std::string, 4> Parts = splitPtxOperands(StringRef(S.Operands[1]).trim("{} \t"));
    if (Parts.size() != vectorOf(S)) {
      fail("expected a vector of registers");
      return true;
    }
    V = PoisonValue::get(A->Memory);
    Type *Scalar = A->Memory->getScalarType();
    for (size_t I = 0; I < Parts.size(); ++I)
      V = B.CreateInsertElement(V, changeBits(B, readBits(Parts[I], T->Bits), Scalar), I);
  }
  Value *Pointer = address(S.Operands[0], spaceOf(S));
  StoreInst *Store = B.CreateAlignedStore(V, Pointer, IsParameter ? Align(1) : A->Alignment, A->IsVolatile);
  if (IsParameter)
    Store->setNoSanitizeMetadata();
  if (A->IsAtomic)
    Store->setAtomic(A->Order, A->Scope);
  return true;
}

// atom and red, relaxed and for the GPU. For other orders and scopes LLVM's back end prints other instructions.
bool FunctionLifter::update(const PtxStatement &S) {
  std::optional<PtxType> T = lastType(S);
  const bool HasResult = S.Opcode == "atom";
  if (!T || !(T->Bits == 32 || T->Bits == 64) || T->Packed ||
      !hasOnly(S, "relaxed gpu global shared shared::cta add exch cas and or xor inc dec min max"))
    return false;
  using Op = AtomicRMWInst;
  const bool IsFloat = T->Kind == 'f';
  std::optional<AtomicRMWInst::BinOp> Operation;
  for (StringRef Modifier : S.Modifiers)
    if (auto Found = StringSwitch<std::optional<AtomicRMWInst::BinOp>>(Modifier)
                         .Case("add", IsFloat ? Op::FAdd : Op::Add)
                         .Case("exch", Op::Xchg)
                         .Case("and", Op::And)
                         .Case("or", Op::Or)
                         .Case("xor", Op::Xor)
                         .Case("inc", Op::UIncWrap)
                         .Case("dec", Op::UDecWrap)
                         .Case("min", T->isSigned() ? Op::Min : Op::UMin)
                         .Case("max", T->isSigned() ? Op::Max : Op::UMax)
                         .Default(std::nullopt))
      Operation = Found;
  const bool IsCompare = S.has("cas");
  if (S.Operands.size() != 2u + HasResult + IsCompare || (!Operation && !IsCompare) ||
      (IsFloat && Operation != Op::FAdd))
    return false;
  Value *Pointer = address(S.Operands[HasResult], spaceOf(S));
  const SyncScope::ID Scope = F.getContext().getOrInsertSyncScopeID("device");
  const auto Order = AtomicOrdering::Monotonic;
  Value *First = read(S.Operands[1 + HasResult], *T), *Old;
  if (IsCompare) {
    Value *New = read(S.Operands[2 + HasResult], *T);
    Old = B.CreateExtractValue(B.CreateAtomicCmpXchg(Pointer, First, New, MaybeAlign(), Order, Order, Scope), 0);
  } else {
    Old = B.CreateAtomicRMW(*Operation, Pointer, First, MaybeAlign(), Order, Scope);
  }
  if (HasResult)
    write(S.Operands[0], Old, PtxType{'b', T->Bits});
  return true;
}

// alloca.TYPE pointer, size{, alignment}; stacksave.TYPE d; stackrestore.TYPE s
bool FunctionLifter::allocate(const PtxStatement &S) {
  const unsigned Bits = S.has("u32") ? 32 : 64;
  const PtxType Number{'b', Bits};
  if ((!S.has("u64") && (!S.has("u32") || S.Opcode != "alloca")) || S.Operands.empty())
    return false;
  if (S.Opcode == "stacksave") {
    write(S.Operands[0], B.CreateStackSave(), Number);
    return true;
  }
  if (S.Opcode == "stackrestore") {
    B.CreateStackRestore(B.CreateIntToPtr(readBits(S.Operands[0], 64), B.getPtrTy()));
    return true;
  }
  std::optional<uint64_t> Alignment = S.Operands.size() > 2 ? readConstant(S.Operands[2], 64) : 8;
  if (S.Operands.size() < 2 || !Alignment || !isPowerOf2_64(*Alignment) || *Alignment > 4096)
    return false;
  AllocaInst *Memory = B.CreateAlloca(B.getInt8Ty(), readBits(S.Operands[1], 64));
  Memory->setAlignment(Align(*Alignment));
  write(S.Operands[0], B.CreateAddrSpaceCast(Memory, B.getPtrTy(addressSpace("local"))), Number);
  return true;
}

// cvta{.to}.SPACE.u64
bool FunctionLifter::convertAddress(const PtxStatement &S) {
  std::optional<PtxType> T = lastType(S);
  if (!T || S.Operands.size() != 2)
    return false;
  const StringRef Space = spaceOf(S);
  Value *Number = changeBits(B, readBits(S.Operands[1], T->Bits), B.getInt64Ty());
  if (!Space.empty() && Space != "param") { // the address of a parameter is generic here
    Type *In = B.getPtrTy(addressSpace(Space)), *Generic = B.getPtrTy();
    const bool ToSpace = S.has("to");
    Value *Pointer = B.CreateAddrSpaceCast(B.CreateIntToPtr(Number, ToSpace ? Generic : In), ToSpace ? In : Generic);
    Number = B.CreatePtrToInt(Pointer, B.getInt64Ty());
  }
  write(S.Operands[0], changeBits(B, Number, B.getIntNTy(T->Bits)), PtxType{'b', T->Bits});
  return true;
}

// fence{.sc|.acq_rel}.SCOPE
bool FunctionLifter::fence(const PtxStatement &S) {
  std::optional<StringRef> Scope = scopeOf(S);
  if (!Scope || !hasOnly(S, "sc acq_rel cta cluster gpu sys"))
    return false;
  B.CreateFence(S.has("sc") ? AtomicOrdering::SequentiallyConsistent : AtomicOrdering::AcquireRelease,
                F.getContext().getOrInsertSyncScopeID(*Scope));
  return true;
}

} // namespace gasan::lift
