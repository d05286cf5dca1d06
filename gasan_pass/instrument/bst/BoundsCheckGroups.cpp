// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that are one (cucatch 4.6.1): accesses off the same bounds at constant distances from each other, in code that
// runs from the first to the last without a way out. What lies between the lowest and the highest byte is in bounds
// exactly if all are, because bounds have no holes. Where it is not, the cold path finds the first of them, in program
// order, that is wrong.
//
// Constant distances take it that 32-bit indices do not wrap: FunctionAnalyses::distance() says why that promise may be
// used.
//
// A check moves up to the group's first access, over other groups' checks: of two bugs in one stretch of straight-line
// code, the other one may be the first to be reported. An access that would not have happened is never blamed.
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr int64_t kGreatestSpan = 1 << 20;
constexpr unsigned kMostCovering = 16; // checks that a later one is compared with
constexpr unsigned kMostGroups = 8;    // that are open at once; older ones get no more members

// Instructions of one stretch run all or none.
class Stretches {
public:
  explicit Stretches(Function &F) {
    unsigned Number = 0;
    for (BasicBlock &Block : F) {
      ++Number;
      for (Instruction &I : Block) {
        Numbers[&I] = Number;
        Number += mayEnd(I);
      }
    }
  }
  unsigned of(const Instruction *I) const { return Numbers.lookup(I); }

private:
  DenseMap<const Instruction *, unsigned> Numbers;

  static bool mayEnd(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (Call && Call->getCalledFunction() && Call->getCalledFunction()->getName().starts_with("__gasan_bounds"))
      return false;
    return !isGuaranteedToTransferExecutionToSuccessor(&I);
  }
};

} // namespace

bool BoundsCheck::join(Check &First, const Check &Next, int64_t Distance, RootBounds &Roots) {
  Check Joined = First;
  const int64_t Width = cast<ConstantInt>(First.Width)->getSExtValue();
  if (Joined.Parts.empty())
    Joined.Parts.push_back({0, uint64_t(Width), First.Site});
  const int64_t NextWidth = cast<ConstantInt>(Next.Width)->getSExtValue();
  const int64_t End = std::max(First.Lowest + Width, Distance + NextWidth);
  Joined.Lowest = std::min(First.Lowest, Distance);
  Joined.IsNarrow = First.IsNarrow && Next.IsNarrow;
  Joined.ClaimBits = First.ClaimBits | Next.ClaimBits;
  const int64_t Span = End - Joined.Lowest;
  if (Span > kGreatestSpan)
    return false;
  Joined.Parts.push_back({Distance, uint64_t(NextWidth), Next.Site});
  Joined.Width = ConstantInt::get(First.Width->getType(), Span);
  Joined.Limit = limitOf(First.B.Size, Span, Roots);
  if (Joined.Limit && Joined.Alignment > 1) {
    Value *Aligner = Roots.steps().sourceAsAligned(First.Pointer, First.Alignment, M.getDataLayout());
    Joined.Limit = Aligner ? alignedLimit(Joined.Limit, Aligner, First.Alignment, Roots) : nullptr;
  }
  if (!Joined.Limit)
    return false;
  First = std::move(Joined);
  return true;
}

void BoundsCheck::group(Function &F, SmallVectorImpl<Check> &Checks, RootBounds &Roots) {
  if (Checks.size() < 2)
    return;
  FunctionAnalyses &Facts = facts(F);
  Stretches Runs(F);
  SmallVector<Check, 16> Result;
  SmallVector<size_t, 8> Open;
  unsigned Run = 0;
  for (Check &C : Checks) {
    if (unsigned Here = Runs.of(C.Where); Here != Run || !Here) {
      Open.clear();
      Run = Here;
    }
    const bool CanJoin = !C.Guard && C.Limit && isa<ConstantInt>(C.Width) && (C.Alignment == 1 || C.InLimit);
    auto Takes = [&](size_t Index) {
      Check &Group = Result[Index];
      if (!(Group.B == C.B) || Group.Alignment != C.Alignment || !Group.ClaimBits != !C.ClaimBits)
        return false;
      std::optional<int64_t> Distance = Facts.distance(Group.Pointer, C.Pointer);
      return Distance && join(Group, C, *Distance, Roots);
    };
    if (CanJoin && any_of(Open, Takes))
      continue;
    Result.push_back(std::move(C));
    if (CanJoin) {
      if (Open.size() == kMostGroups)
        Open.erase(Open.begin());
      Open.push_back(Result.size() - 1);
    }
  }
  Checks = std::move(Result);
}

void BoundsCheck::callGroupReport(IRBuilderBase &B, const Check &C, Value *First) {
  Value *Address = nullptr, *Width = nullptr, *Site = nullptr;
  for (const Part &P : reverse(C.Parts)) {
    Value *Own = B.CreateAdd(First, B.getInt64(P.Distance)), *OwnWidth = B.getInt64(P.Width),
          *OwnSite = B.getInt32(P.Site);
    if (!Address) {
      Address = Own, Width = OwnWidth, Site = OwnSite;
      continue;
    }
    Value *Offset = B.CreateSub(Own, C.B.Base);
    Value *Bad =
        B.CreateOr(B.CreateICmpUGE(Offset, C.B.Size), B.CreateICmpULT(B.CreateSub(C.B.Size, Offset), OwnWidth));
    if (C.Alignment > 1)
      Bad = B.CreateOr(Bad, B.CreateIsNotNull(B.CreateAnd(Own, C.Alignment.value() - 1)));
    Address = B.CreateSelect(Bad, Own, Address);
    Width = B.CreateSelect(Bad, OwnWidth, Width);
    Site = B.CreateSelect(Bad, OwnSite, Site);
  }
  callReport(B, C, Address, Width, Site);
}

// Checks behind others that compare as much of the same object, on every way.
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
    IsDropped[Index] = any_of(Others, [&](const Check *By) { return isCovered(C, *By); });
    if (!IsDropped[Index] && !C.Guard && Others.size() < kMostCovering)
      Others.push_back(&C);
  }
  SmallVector<Check, 16> Left;
  for (auto [C, Dropped] : zip(Checks, IsDropped))
    if (!Dropped)
      Left.push_back(std::move(C));
  Checks = std::move(Left);
}

} // namespace gasan
