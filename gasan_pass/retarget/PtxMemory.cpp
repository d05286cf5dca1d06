// Loads, stores and atomics in inline PTX. Other threads may be on the other side of them, or they would be C++: all
// are at least volatile.
#include "gasan_pass/retarget/PtxFunction.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace gasan {

namespace {

constexpr AtomicOrdering kOrder = AtomicOrdering::SequentiallyConsistent;

bool isOrdered(const PtxStatement &S) {
  return S.has("acquire") || S.has("release") || S.has("relaxed") || S.has("acq_rel");
}

unsigned vectorSize(const PtxStatement &S) {
  return S.has("v2") ? 2 : S.has("v4") ? 4 : 1;
}

// Parameters and local memory have no address here that text could name.
bool isUnknownSpace(const PtxStatement &S) {
  return S.has("param") || S.has("param::entry") || S.has("local");
}

void load(PtxFunction &P, const PtxStatement &S, const PtxType &T) {
  const unsigned Count = vectorSize(S);
  if (S.Operands.size() < 2 || isUnknownSpace(S))
    return P.fail();
  Type *Element = P.Builder.getIntNTy(T.Bits);
  Value *Address = P.readAddress(S.Operands[1]);
  SmallVector<std::string, 4> Targets{S.Operands[0]};
  if (Count > 1)
    Targets = splitPtxOperands(StringRef(S.Operands[0]).drop_front().drop_back());
  if (Targets.size() != Count)
    return P.fail();
  for (unsigned I = 0; I < Count; ++I) {
    LoadInst *Load = P.Builder.CreateAlignedLoad(Element, P.Builder.CreateConstGEP1_32(Element, Address, I),
                                                 Align(T.Bits / 8), /*isVolatile=*/true);
    if (isOrdered(S))
      Load->setAtomic(kOrder);
    P.write(Targets[I], Load, T.isSigned());
  }
}

void store(PtxFunction &P, const PtxStatement &S, const PtxType &T) {
  const unsigned Count = vectorSize(S);
  if (S.Operands.size() < 2 || isUnknownSpace(S))
    return P.fail();
  Type *Element = P.Builder.getIntNTy(T.Bits);
  Value *Address = P.readAddress(S.Operands[0]);
  SmallVector<std::string, 4> Sources{S.Operands[1]};
  if (Count > 1)
    Sources = splitPtxOperands(StringRef(S.Operands[1]).drop_front().drop_back());
  if (Sources.size() != Count)
    return P.fail();
  for (unsigned I = 0; I < Count; ++I) {
    StoreInst *Store = P.Builder.CreateAlignedStore(
        P.read(Sources[I], PtxType{'b', T.Bits}), P.Builder.CreateConstGEP1_32(Element, Address, I), Align(T.Bits / 8),
        /*isVolatile=*/true);
    if (isOrdered(S))
      Store->setAtomic(kOrder);
  }
}

std::optional<AtomicRMWInst::BinOp> operationOf(const PtxStatement &S, const PtxType &T) {
  for (StringRef Modifier : S.Modifiers) {
    auto Found = StringSwitch<std::optional<AtomicRMWInst::BinOp>>(Modifier)
                     .Case("add", T.isFloat() ? AtomicRMWInst::FAdd : AtomicRMWInst::Add)
                     .Case("exch", AtomicRMWInst::Xchg)
                     .Case("and", AtomicRMWInst::And)
                     .Case("or", AtomicRMWInst::Or)
                     .Case("xor", AtomicRMWInst::Xor)
                     .Case("inc", AtomicRMWInst::UIncWrap)
                     .Case("dec", AtomicRMWInst::UDecWrap)
                     .Case("min", T.isSigned() ? AtomicRMWInst::Min : AtomicRMWInst::UMin)
                     .Case("max", T.isSigned() ? AtomicRMWInst::Max : AtomicRMWInst::UMax)
                     .Default(std::nullopt);
    if (Found)
      return Found;
  }
  return std::nullopt;
}

void update(PtxFunction &P, const PtxStatement &S, const PtxType &T, bool HasResult) {
  ArrayRef<std::string> Operands(S.Operands);
  if (Operands.size() < 2u + HasResult || vectorSize(S) != 1)
    return P.fail();
  StringRef Target = HasResult ? StringRef(Operands.consume_front()) : StringRef("_");
  Value *Address = P.readAddress(Operands[0]), *Old;
  if (S.has("cas")) {
    if (Operands.size() < 3)
      return P.fail();
    PtxType Bits{'b', T.Bits};
    Old = P.Builder.CreateExtractValue(P.Builder.CreateAtomicCmpXchg(Address, P.read(Operands[1], Bits),
                                                                     P.read(Operands[2], Bits), MaybeAlign(), kOrder,
                                                                     kOrder),
                                       0);
  } else {
    std::optional<AtomicRMWInst::BinOp> Operation = operationOf(S, T);
    if (!Operation || (T.isFloat() && *Operation != AtomicRMWInst::FAdd && *Operation != AtomicRMWInst::Xchg))
      return P.fail();
    Old = P.Builder.CreateAtomicRMW(*Operation, Address, P.read(Operands[1], T), MaybeAlign(), kOrder);
  }
  P.write(Target, Old);
}

} // namespace

bool translateMemoryStatement(PtxFunction &P, const PtxStatement &S) {
  const StringRef Opcode(S.Opcode);
  if (Opcode != "ld" && Opcode != "ldu" && Opcode != "st" && Opcode != "atom" && Opcode != "red")
    return false;
  std::optional<PtxType> T = S.Modifiers.empty() ? std::nullopt : parsePtxType(S.Modifiers.back());
  if (!T)
    P.fail();
  else if (Opcode == "st")
    store(P, S, *T);
  else if (Opcode == "atom" || Opcode == "red")
    update(P, S, *T, Opcode == "atom");
  else
    load(P, S, *T);
  return true;
}

} // namespace gasan
