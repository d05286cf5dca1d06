// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translates loads, stores and atomics of inline PTX. Programs write these as PTX because other threads take part, so
// all of them are at least volatile.
#include "gasan_pass/retarget/PtxHandlers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace gasan::ptx {

namespace {

constexpr AtomicOrdering kOrder = AtomicOrdering::SequentiallyConsistent;

bool isOrdered(const PtxStatement &S) {
  return S.has("acquire") || S.has("release") || S.has("relaxed") || S.has("acq_rel");
}

unsigned vectorSize(const PtxStatement &S) {
  return S.has("v2") ? 2 : S.has("v4") ? 4 : S.has("v8") ? 8 : 1;
}

// Returns the registers of "{a, b}", or the single one.
SmallVector<std::string, 4> elementsOf(PtxFunction &P, const PtxStatement &S, StringRef Operand) {
  SmallVector<std::string, 4> Elements{Operand.str()};
  if (vectorSize(S) > 1 && Operand.consume_front("{") && Operand.consume_back("}"))
    Elements = splitPtxOperands(Operand);
  if (Elements.size() != vectorSize(S))
    P.fail();
  return Elements;
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

} // namespace

void load(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  const bool HasPolicy = S.has("L2::cache_hint");
  if (!hasOperands(P, S, 2 + HasPolicy))
    return;
  Type *Element = P.Builder.getIntNTy(T.Bits);
  Value *Address = P.readAddress(S.Operands[1]);
  SmallVector<std::string, 4> Targets = elementsOf(P, S, S.Operands[0]);
  SmallVector<Value *, 4> Values; // a target may be part of the address
  for (unsigned I = 0; I < Targets.size(); ++I) {
    LoadInst *Load = P.Builder.CreateAlignedLoad(Element, P.Builder.CreateConstGEP1_32(Element, Address, I),
                                                 Align(T.Bits / 8), /*isVolatile=*/true);
    if (isOrdered(S))
      Load->setAtomic(kOrder);
    Values.push_back(Load);
  }
  for (auto [Target, V] : zip(Targets, Values))
    P.write(Target, V, T.isSigned());
}

void store(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  const bool HasPolicy = S.has("L2::cache_hint");
  if (!hasOperands(P, S, 2 + HasPolicy))
    return;
  Type *Element = P.Builder.getIntNTy(T.Bits);
  Value *Address = P.readAddress(S.Operands[0]);
  SmallVector<std::string, 4> Sources = elementsOf(P, S, S.Operands[1]);
  for (unsigned I = 0; I < Sources.size(); ++I) {
    StoreInst *Store = P.Builder.CreateAlignedStore(
        P.read(Sources[I], PtxType{'b', T.Bits}), P.Builder.CreateConstGEP1_32(Element, Address, I), Align(T.Bits / 8),
        /*isVolatile=*/true);
    if (isOrdered(S))
      Store->setAtomic(kOrder);
  }
}

// atom.OP.TYPE d, [a], b{, c}; red.OP.TYPE [a], b.
void update(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  const bool HasResult = S.Opcode == "atom", Swaps = S.has("cas");
  if (!hasOperands(P, S, 2 + HasResult + Swaps + S.has("L2::cache_hint")))
    return;
  ArrayRef<std::string> Operands(S.Operands);
  const StringRef Target = HasResult ? StringRef(Operands.consume_front()) : StringRef("_");
  Value *Address = P.readAddress(Operands[0]), *Old;
  if (Swaps) {
    PtxType Bits{'b', T.Bits};
    Value *Expected = P.read(Operands[1], Bits), *New = P.read(Operands[2], Bits);
    Old = P.Builder.CreateExtractValue(
        P.Builder.CreateAtomicCmpXchg(Address, Expected, New, MaybeAlign(), kOrder, kOrder), 0);
  } else {
    std::optional<AtomicRMWInst::BinOp> Operation = operationOf(S, T);
    if (!Operation || (T.isFloat() && *Operation != AtomicRMWInst::FAdd && *Operation != AtomicRMWInst::Xchg))
      return P.fail();
    Old = P.Builder.CreateAtomicRMW(*Operation, Address, P.read(Operands[1], T), MaybeAlign(), kOrder);
  }
  P.write(Target, Old);
}

} // namespace gasan::ptx
