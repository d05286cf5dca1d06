// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Learns from checks. Behind an access to a variable, the index is in the variable's bounds: either the access was
// proven, or its check has ended the threads with other indices.
#include "gasan_pass/instrument/bst/IndexedAddress.h"
#include "gasan_pass/instrument/proof/KernelProof.h"
#include "gasan_pass/instrument/proof/OtherThreads.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {

// Returns the signed range of the indices with which an access to a variable is in bounds. Empty: the bounds do not
// limit the index, since a product with it may wrap, or no index is in bounds.
static std::optional<std::pair<int64_t, int64_t>> rangeInBounds(const IndexedAddress &To, int64_t LastOffset) {
  constexpr unsigned kMostBits = 31; // of all numbers, so that nothing overflows here
  const auto *Wide = dyn_cast<CastInst>(To.Index);
  const bool Wraps = To.Index->getType()->getScalarSizeInBits() > 32 &&
                     !(isa_and_nonnull<ZExtInst, SExtInst>(Wide) && Wide->getSrcTy()->getScalarSizeInBits() <= 32);
  if (!To.Scale.isStrictlyPositive() || (Wraps && !To.Scale.isOne()) || !To.Scale.isIntN(kMostBits) ||
      To.Constant.getSignificantBits() > kMostBits || LastOffset >= int64_t(1) << kMostBits)
    return std::nullopt;
  const int64_t Scale = To.Scale.getSExtValue(), Start = To.Constant.getSExtValue();
  int64_t First = divideCeilSigned(-Start, Scale);
  if (isa_and_nonnull<ZExtInst>(Wide))
    First = std::max<int64_t>(First, 0);
  const int64_t Last = divideFloorSigned(LastOffset - Start, Scale);
  return First <= Last ? std::optional(std::pair(First, Last)) : std::nullopt;
}

void KernelProof::learn(const ProvableCheck &Check) {
  Value *Root = Roots.steps().soleSource(Check.Pointer);
  if (!Root || !Roots.isVariable(Root) || Check.Guard || !Check.Width)
    return;
  const auto *Size = dyn_cast<ConstantInt>(Check.Of.Size);
  const Bounds Whole = Roots.of(Root); // its base may be in another address space
  if (!Size || Size->isMinusOne() || !(Check.Of.Size == Whole.Size && Check.Of.Object == Whole.Object) ||
      Size->getValue().ult(Check.Width))
    return;
  const std::optional<IndexedAddress> To =
      indexedAddress(Check.Pointer, Kernel.getDataLayout(), [](const Value *) { return true; });
  if (!To || To->Array != Root || comesFromOthers(To->Index))
    return;
  const auto Range = rangeInBounds(*To, int64_t(Size->getZExtValue() - Check.Width));
  if (!Range)
    return;
  const int64_t First = Range->first, Last = Range->second;
  Value *Index = To->Index, *Narrow;
  if (match(Index, m_SExt(m_Value(Narrow))) ||
      (match(Index, m_ZExt(m_Value(Narrow))) && Last <= maxIntN(Narrow->getType()->getScalarSizeInBits())))
    Index = Narrow;
  if (!BehindChecks)
    BehindChecks.emplace(Kernel, Nodes, Roots.steps(), Written);
  Guards &Learned = BehindChecks->guards();
  auto Says = [&](const CheckedIndex &Old) {
    return Old.First >= First && Old.Last <= Last && Learned.tree().dominates(Old.Where, Check.Where);
  };
  SmallVector<CheckedIndex, 2> &Before = CheckedIndices[Index];
  if (any_of(Before, Says))
    return;
  Before.push_back({Check.Where, First, Last});
  auto *Type = cast<IntegerType>(Index->getType());
  auto Add = [&](CmpInst::Predicate Predicate, int64_t Limit) {
    if (isIntN(Type->getBitWidth(), Limit)) // or else all numbers pass
      Learned.addBehind(*Check.Where, {Predicate, Index, ConstantInt::getSigned(Type, Limit), nullptr});
  };
  if (First == 0 && isIntN(Type->getBitWidth(), Last))
    return Add(CmpInst::ICMP_ULE, Last);
  Add(CmpInst::ICMP_SGE, First);
  Add(CmpInst::ICMP_SLE, Last);
}

} // namespace gasan
