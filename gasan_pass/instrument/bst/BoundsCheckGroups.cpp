// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins checks (cucatch 4.6.1) of accesses that use the same bounds, are at constant distances from each other, and are
// in code that runs from the first to the last without an exit. Bounds have no holes, so the range from the lowest to
// the highest byte is in bounds exactly if all accesses are. If it is not, the cold path finds the first failing access
// in program order.
//
// Constant distances rely on the promise that 32-bit indices do not wrap; FunctionAnalyses::distance() says why this
// promise may be used. distanceInVariable() needs no promise.
//
// A check moves up to the group's first access, across checks of other groups. Of two bugs in one stretch of
// straight-line code, the later one may thus be reported first. An access that would not have happened is never
// reported.
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "gasan_pass/instrument/bst/IndexedAddress.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gasan {

namespace {

constexpr int64_t kGreatestSpan = 1 << 20;
constexpr unsigned kMostGroups = 8; // that are open at once; older ones get no more members

// Numbers the stretches of straight-line code. Either all instructions of a stretch run, or none.
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

// The address of an element: Factor * Index + Start bytes into a variable.
struct Element {
  const Value *Variable;
  Value *Index; // 32 bits
  bool IsSigned;
  uint64_t Factor;
  int64_t Start;
};

constexpr int64_t kGreatestVariable = (int64_t(1) << 31) - 2 * kGreatestSpan;

bool isSmallVariable(const Value *V, const Value *Size) {
  if (isa<GlobalVariable>(V) && V->getType()->getPointerAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED)
    return true;
  const auto *Known = dyn_cast<ConstantInt>(Size);
  return isa<GlobalVariable, AllocaInst>(V) && Known && Known->getValue().ule(kGreatestVariable);
}

// Empty: Pointer is not such an address.
std::optional<Element> elementOf(Value *Pointer, const DataLayout &DL) {
  const std::optional<IndexedAddress> Of = indexedAddress(Pointer, DL, [](const Value *) { return true; });
  auto *Wide = Of ? dyn_cast<CastInst>(Of->Index) : nullptr;
  if (!isa_and_nonnull<ZExtInst, SExtInst>(Wide) || !Wide->getSrcTy()->isIntegerTy(32) ||
      !Of->Scale.isStrictlyPositive() || Of->Scale.uge(kGreatestSpan) || Of->Constant.getSignificantBits() > 20)
    return std::nullopt;
  return Element{Of->Array, Wide->getOperand(0), isa<SExtInst>(Wide), Of->Scale.getZExtValue(),
                 Of->Constant.getSExtValue()};
}

} // namespace

// Returns the distance from First's access to Next's, both in one variable of less than 2^31 bytes, if their 32-bit
// indices differ by a constant. The sum may wrap: `array[i]` and `array[i + 1]` then are 2^32 elements apart. If
// array[i], and the place that is one element behind it, are in the variable, then i + 1 is small and has not wrapped.
// An unsigned index is small only if nothing is subtracted from it. Empty: the distance is not known.
static std::optional<int64_t> distanceInVariable(FunctionAnalyses &Facts, const PlannedCheck &First,
                                                 const PlannedCheck &Next, const DataLayout &DL) {
  const std::optional<Element> From = elementOf(First.Pointer, DL), To = elementOf(Next.Pointer, DL);
  if (!From || !To || From->Variable != To->Variable || From->IsSigned != To->IsSigned || From->Factor != To->Factor ||
      !isSmallVariable(From->Variable, First.B.Size))
    return std::nullopt;
  const auto *Apart = dyn_cast<SCEVConstant>(
      Facts.Believing.getMinusSCEV(Facts.Believing.getSCEV(To->Index), Facts.Believing.getSCEV(From->Index)));
  if (!Apart)
    return std::nullopt;
  const int64_t Elements = Apart->getAPInt().getSExtValue();
  if (std::abs(Elements) > kGreatestSpan || (!From->IsSigned && (Elements < 0 || From->Start > 0 || To->Start > 0)))
    return std::nullopt;
  return Elements * int64_t(From->Factor) + To->Start - From->Start;
}

// Adds the check Next, Distance bytes from First's pointer, to the group First. Returns false, and changes nothing, if
// the group would span too much.
bool BoundsCheck::join(Check &First, const Check &Next, int64_t Distance, RootBounds &Roots) {
  Check Joined = First;
  const int64_t Width = cast<ConstantInt>(First.Width)->getSExtValue();
  if (Joined.Parts.empty())
    Joined.Parts.push_back({0, uint64_t(Width), First.Site});
  const int64_t NextWidth = cast<ConstantInt>(Next.Width)->getSExtValue();
  const int64_t End = std::max(First.Lowest + Width, Distance + NextWidth);
  Joined.Lowest = std::min(First.Lowest, Distance);
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
      if (!Distance)
        Distance = distanceInVariable(Facts, Group, C, M.getDataLayout());
      if (!Distance || !join(Group, C, *Distance, Roots))
        return false;
      CoveredBy[C.Where].push_back(Group.Where);
      return true;
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

} // namespace gasan
