// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the index of an element (array[i], with elements of 2^n bytes) instead of its address. A kernel's variants
// get the number of elements from each pointer argument on as a hidden argument (gasan_hidden in base/proof_table.h).
// This leaves one comparison with an invariant value, in 32 bits if the index has no more bits. Signed indices are
// counted from the object's first element, because they may lead before the argument.
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "gasan_pass/instrument/bst/GoodIndices.h"
#include "gasan_pass/instrument/bst/IndexedAddress.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include <map>

using namespace llvm;

namespace gasan {
namespace {

constexpr int64_t kFarthest = 1 << 20; // bytes that constants add; the host allows as many (proof/decide.c)
constexpr unsigned kGreatestShift = 16;
constexpr unsigned kAddressBits = 64;

struct Element {
  Value *Array;
  Value *Index;
  bool IsSigned;
  unsigned Bits;  // of the index, 32 or 64
  unsigned Shift; // log2 of the elements' size
  int64_t Start;  // bytes from the array to element 0
};

// Replaces the index by the narrower value that was extended to the address width.
void narrow(Element &E) {
  E.IsSigned = true;
  if (isa<ZExtInst>(E.Index) || isa<SExtInst>(E.Index)) {
    auto *Wide = cast<CastInst>(E.Index);
    if (Wide->getSrcTy()->getIntegerBitWidth() <= 32 && Wide->getDestTy()->isIntegerTy(kAddressBits)) {
      E.IsSigned = isa<SExtInst>(Wide);
      E.Index = Wide->getOperand(0);
    }
  }
  E.Bits = E.Index->getType()->getIntegerBitWidth() <= 32 ? 32 : kAddressBits;
}

bool isGlobalOrGeneric(const Value *Pointer) {
  const unsigned Space = Pointer->getType()->getPointerAddressSpace();
  return Space == NVPTXAS::ADDRESS_SPACE_GENERIC || Space == NVPTXAS::ADDRESS_SPACE_GLOBAL;
}

// Returns the element that Pointer points to. Empty: Pointer is not an element of an array with elements of 2^n bytes.
std::optional<Element> elementOf(Value *Pointer, const DataLayout &DL) {
  const std::optional<IndexedAddress> Of = indexedAddress(Pointer, DL, isGlobalOrGeneric);
  if (!Of || !Of->Scale.isPowerOf2() || Of->Scale.logBase2() > kGreatestShift || !Of->Index->getType()->isIntegerTy() ||
      Of->Index->getType()->getIntegerBitWidth() > kAddressBits || Of->Constant.getSignificantBits() > 32)
    return std::nullopt;
  Element E = {Of->Array, Of->Index, false, 0, unsigned(Of->Scale.logBase2()), Of->Constant.getSExtValue()};
  narrow(E);
  // Without `inbounds` or nusw, a large index may have the address of a small one. The promise of these flags may be
  // used (Promises.h): an index whose multiple wraps is larger than every count, so the same check reports it.
  if (E.Bits == kAddressBits && Of->MayWrap)
    return std::nullopt;
  return E;
}

bool isAnySpace(const Value *) {
  return true;
}

} // namespace

// Compares the indices of shared arrays, whose size the code knows. Not of local arrays: where no address is compared,
// ptxas may keep an array in registers, and find an element by comparing its index with each number.
void BoundsCheck::useIndicesOfVariables(MutableArrayRef<Check> Checks, RootBounds &Roots) {
  const DataLayout &DL = M.getDataLayout();
  for (Check &C : Checks) {
    if (C.Count || !C.Limit || (C.Alignment > 1 && !C.InLimit))
      continue;
    const std::optional<IndexedAddress> Of = indexedAddress(C.Pointer, DL, isAnySpace);
    if (!Of || Of->Array != Roots.steps().soleSource(C.Pointer) || !Roots.isVariable(Of->Array) ||
        isa<AllocaInst>(Of->Array) || !(Roots.of(Of->Array).Size == C.B.Size) || !Of->Index->getType()->isIntegerTy() ||
        !Of->Scale.isStrictlyPositive() || Of->Scale.sgt(kFarthest) || Of->Constant.abs().ugt(kFarthest))
      continue;
    Element E = {Of->Array, Of->Index, false, 0, 0, 0};
    narrow(E);
    if (E.Bits != 32)
      continue;
    const Multiple Offset = {E.Index, E.IsSigned, Of->Scale.getSExtValue(), Of->Constant.getSExtValue() + C.Lowest};
    const std::optional<GoodIndices> Good = goodIndices(Offset, C.Limit, DL);
    if (!Good)
      continue;
    C.Index = E.Index;
    C.IsSignedIndex = E.IsSigned;
    C.IsOfVariable = true;
    C.IndexBits = 32;
    C.Back = Good->First;
    C.Count = Good->Count;
    Counts.push_back(C.Count);
  }
}

void BoundsCheck::useIndices(Function &F, MutableArrayRef<Check> Checks, RootBounds &Roots) {
  std::map<std::tuple<Value *, uint64_t, uint64_t, uint64_t, unsigned, unsigned, bool>, std::optional<Elements>> Known;
  for (Check &C : Checks) {
    auto *Width = dyn_cast<ConstantInt>(C.Width);
    if (!Width || !C.Limit || isa<Constant>(C.Limit) || (C.Alignment > 1 && !C.InLimit))
      continue;
    std::optional<Element> E = elementOf(C.Pointer, M.getDataLayout());
    if (!E || E->Array != Roots.steps().soleSource(C.Pointer) || Roots.isVariable(E->Array) ||
        !(Roots.of(E->Array).Size == C.B.Size))
      continue;
    const int64_t Size = int64_t(1) << E->Shift;
    int64_t Start = E->Start + C.Lowest, Back = 0;
    if (Start < 0) {
      Back = divideCeil(uint64_t(-Start), uint64_t(Size));
      Start += Back * Size;
    }
    if (Back > (E->IsSigned ? kFarthest : 0) || Start > kFarthest || Width->getZExtValue() > kFarthest)
      continue;
    auto [Entry, New] = Known.try_emplace(
        {E->Array, Width->getZExtValue(), C.Alignment.value(), Start, E->Shift, E->Bits, E->IsSigned}, std::nullopt);
    std::optional<BasicBlock::iterator> At = New ? Roots.behind(E->Array) : std::nullopt;
    if (At)
      Entry->second = Variants.askForElements(F, *E->Array,
                                              {0, 0, uint32_t(Width->getZExtValue()), uint32_t(C.Alignment.value()),
                                               uint32_t(Start), uint8_t(E->Shift), uint8_t(E->Bits), E->IsSigned, 0},
                                              *At);
    if (!Entry->second)
      continue;
    C.Index = E->Index;
    C.IsSignedIndex = E->IsSigned;
    C.IndexBits = E->Bits;
    C.Back = Back;
    C.Before = E->IsSigned ? Entry->second->Before : nullptr;
    C.Count = Entry->second->Count;
    for (Value *Hidden : {Entry->second->Before, C.Count})
      Counts.push_back(Hidden);
  }
}

} // namespace gasan
