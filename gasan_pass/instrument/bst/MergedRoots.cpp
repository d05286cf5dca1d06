// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/MergedRoots.h"
#include "gasan_pass/instrument/bst/PointerSteps.h"
#include "gasan_pass/instrument/bst/VirtualTables.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr size_t kMostValues = 32; // values that one merge is derived from

// Returns true for loads whose result must be looked up. For structures passed by value, the launch may supply the
// bounds; a class's virtual functions are in no table.
bool isLookedUp(const LoadInst &Load) {
  const auto *Structure = dyn_cast<Argument>(getUnderlyingObject(Load.getPointerOperand()));
  return !(Structure && Structure->hasByValAttr()) && !loadsVirtualTable(Load);
}

} // namespace

bool MergedRoots::runsAsOften(const Value &V, const BasicBlock &As) const {
  const auto *I = dyn_cast<Instruction>(&V);
  return Loops.getLoopFor(&As) == (I ? Loops.getLoopFor(I->getParent()) : nullptr);
}

bool MergedRoots::contains(Instruction &Merge) {
  auto [Entry, New] = Found.try_emplace(&Merge, false);
  return New ? Entry->second = find(Merge) : Entry->second;
}

// Returns true if all values from which the merge is derived would be looked up, are used by nothing but the merge, and
// would be looked up at least as often as the merge.
bool MergedRoots::find(Instruction &Merge) const {
  SmallSetVector<Value *, 8> Values, Merges;
  Merges.insert(&Merge);
  bool Loads = false;
  // Returns false if the value prevents the merge from being a root.
  auto take = [&](Value *V, const BasicBlock &At) {
    if (isa<ConstantPointerNull>(V))
      return true;
    if (Values.size() + Merges.size() > kMostValues || !runsAsOften(*V, At))
      return false;
    if (PointerSteps::isMerge(V)) // a value that comes around a loop is not loaded again
      return Merges.insert(V);
    Values.insert(V);
    const auto *Load = dyn_cast<LoadInst>(V);
    Loads |= Load != nullptr;
    return Load ? isLookedUp(*Load) : isa<Argument>(V) && IsLookedUp(*cast<Argument>(V));
  };
  for (size_t Index = 0; Index < Merges.size(); ++Index) {
    if (auto *Phi = dyn_cast<PHINode>(Merges[Index])) {
      for (unsigned Way = 0; Way < Phi->getNumIncomingValues(); ++Way)
        if (!take(Phi->getIncomingValue(Way), *Phi->getIncomingBlock(Way)))
          return false;
      continue;
    }
    auto *Select = cast<SelectInst>(Merges[Index]);
    if (!take(Select->getTrueValue(), *Select->getParent()) || !take(Select->getFalseValue(), *Select->getParent()))
      return false;
  }
  auto isOnlyMerged = [&](Value *V) {
    return V == &Merge || all_of(V->users(), [&](User *U) { return isa<ICmpInst>(U) || Merges.contains(U); });
  };
  return Loads && all_of(Values, isOnlyMerged) && all_of(Merges, isOnlyMerged);
}

} // namespace gasan
