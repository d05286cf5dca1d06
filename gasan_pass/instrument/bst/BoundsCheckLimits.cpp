// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes the limits with which offsets are compared. Each limit is computed once for each object, width and
// alignment, right after the object's bounds.
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace gasan {

// Returns the number of offsets at which an access of Width bytes is in bounds. Null: there is no place for the code.
Value *BoundsCheck::limitOf(Value *Size, uint64_t Width, RootBounds &Roots) {
  if (Width == 1)
    return Size;
  auto [Entry, New] = Limits.try_emplace({Size, Width}, nullptr);
  if (!New)
    return Entry->second;
  std::optional<BasicBlock::iterator> At = Roots.behind(Size);
  if (!At)
    return nullptr;
  BoundsBuilder B(At->getNodeParent(), *At, InstSimplifyFolder(M.getDataLayout()));
  Value *Less = B.getInt64(Width - 1);
  if (auto *Known = dyn_cast<ConstantInt>(Size))
    return Entry->second = B.getInt64(Known->getZExtValue() < Width ? 0 : Known->getZExtValue() - (Width - 1));
  return Entry->second = B.CreateBinaryIntrinsic(Intrinsic::usub_sat, Size, Less, nullptr, "gasan.limit");
}

// Returns the limit, or 0 if the root is misaligned. Null: neither of limit and root dominates the other.
Value *BoundsCheck::alignedLimit(Value *Limit, Value *Root, Align Alignment, RootBounds &Roots) {
  auto [Entry, New] = AlignedLimits.try_emplace({Limit, {Root, Alignment.value()}}, nullptr);
  if (!New)
    return Entry->second;
  auto *LimitAt = dyn_cast<Instruction>(Limit), *RootAt = dyn_cast<Instruction>(Root);
  const bool LimitIsLater = LimitAt && (!RootAt || Roots.tree().dominates(RootAt, LimitAt));
  if (!LimitIsLater && LimitAt && !Roots.tree().dominates(LimitAt, RootAt))
    return nullptr;
  std::optional<BasicBlock::iterator> At = Roots.behind(LimitIsLater ? Limit : Root);
  if (!At)
    return nullptr;
  BoundsBuilder B(At->getNodeParent(), *At, InstSimplifyFolder(M.getDataLayout()));
  Value *Low = B.CreateAnd(B.CreatePtrToInt(Root, B.getInt64Ty()), Alignment.value() - 1);
  return Entry->second = B.CreateSelect(B.CreateIsNull(Low), Limit, B.getInt64(0));
}

// Drops the limits of single accesses that became a group, and unused counts of elements.
void BoundsCheck::dropUnusedLimits() {
  SmallVector<WeakTrackingVH, 32> Made(Counts.begin(), Counts.end()); // some use others
  for (const auto &Entry : AlignedLimits)
    if (auto *I = dyn_cast_or_null<Instruction>(Entry.second))
      Made.push_back(I);
  for (const auto &Entry : Limits)
    if (auto *I = dyn_cast_or_null<Instruction>(Entry.second))
      Made.push_back(I);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Made);
}

} // namespace gasan
