// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drops a check if, on every path, another check compares the same bytes of the same object.
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gasan {

namespace {

constexpr unsigned kMostCovering = 16; // checks that a later check is compared with

} // namespace

void BoundsCheck::dropDominated(Function &F, SmallVectorImpl<Check> &Checks, RootBounds &Roots) {
  FunctionAnalyses &Facts = facts(F);
  DenseMap<std::pair<Value *, Value *>, SmallVector<Check *, 4>> Before; // by base and size
  auto isCovered = [&](const Check &C, const Check &By) {
    if (By.ClaimBits && (!C.ClaimBits || (C.ClaimBits & ~By.ClaimBits)))
      return false;
    if (C.Alignment > By.Alignment || !Roots.tree().dominates(By.Where, C.Where))
      return false;
    std::optional<int64_t> Distance = Facts.distance(By.Pointer, C.Pointer);
    const int64_t Width = cast<ConstantInt>(C.Width)->getSExtValue(),
                  ByWidth = cast<ConstantInt>(By.Width)->getSExtValue();
    return Distance && *Distance % int64_t(C.Alignment.value()) == 0 && *Distance + C.Lowest >= By.Lowest &&
           *Distance + C.Lowest + Width <= By.Lowest + ByWidth;
  };
  SmallVector<bool, 16> IsDropped(Checks.size());
  for (size_t Index = 0, Count = Checks.size(); Index < Count; ++Index) {
    Check &C = Checks[Index];
    if (!C.Limit || !isa<ConstantInt>(C.Width))
      continue;
    SmallVector<Check *, 4> &Others = Before[{C.B.Base, C.B.Size}];
    auto By = find_if(Others, [&](const Check *Other) { return isCovered(C, *Other); });
    IsDropped[Index] = By != Others.end();
    if (IsDropped[Index])
      CoveredBy[C.Where].push_back((*By)->Where);
    else if (!C.Guard && Others.size() < kMostCovering)
      Others.push_back(&C);
  }
  SmallVector<Check, 16> Left;
  for (auto [C, Dropped] : zip(Checks, IsDropped))
    if (!Dropped)
      Left.push_back(std::move(C));
  Checks = std::move(Left);
}

} // namespace gasan
