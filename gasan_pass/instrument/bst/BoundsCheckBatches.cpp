// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects the checks that one branch decides. In straight-line code, the instructions that do not depend on a checked
// load come first, then the conditions of all checks, combined with `or`, then the loads. A GPU then has all loads in
// flight at once; a branch before each load would make it wait. If a check fails, the cold path finds the first failing
// check in program order.
//
//   i = load index; check array[i]; x = load array[i]; j = load index + 1; check array[j]; y = load array[j]
//   i = load index; j = load index + 1; check array[i], array[j]; x = load array[i]; y = load array[j]
//
// Plain stores are late, too, and all memory operations after a late store: their order does not change. So stores
// whose addresses do not depend on each other are made one after the other, without a branch between them.
//
// Nothing moves across an operation that other threads can wait for (volatile stores, atomics, barriers, calls), nor
// across an exit: such an operation ends the batch, with the operation's own check as the last one. An access that the
// check of another access covers stays after the batch that has this check.
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/bst/Batches.h"
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gasan {

static bool isLookup(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  return Call && Call->getCalledFunction() && Call->getCalledFunction()->getName().starts_with("__gasan_bounds");
}

bool touchesNoMemory(const Instruction &I) {
  return isa<DbgInfoIntrinsic, AssumeInst>(I) || isLookup(I);
}

bool endsBatch(const Instruction &I) {
  if (touchesNoMemory(I))
    return false;
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return !Load->isSimple();
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return !Store->isSimple();
  const auto *Call = dyn_cast<CallBase>(&I);
  return I.isTerminator() || isa<AllocaInst>(I) || (Call && Call->isConvergent()) || I.mayWriteToMemory() ||
         !isGuaranteedToTransferExecutionToSuccessor(&I);
}

// Finds the batches block by block, and moves the late instructions after their batch's checks.
class BoundsCheck::Batching {
public:
  Batching(BoundsCheck &Of, ArrayRef<Check> Checks, SmallVectorImpl<Batch> &Found)
      : Unproven(Of.Unproven), CoveredBy(Of.CoveredBy), Found(Found) {
    for (const Check &C : Checks)
      At[C.MadeAt].push_back(&C);
  }

  void run(BasicBlock &Block) {
    for (Instruction &I : Block) {
      auto Here = At.find(&I);
      if (Here != At.end()) {
        if (!Members.empty() && (Members.size() + Here->second.size() > kMostTogether ||
                                 any_of(Here->second, [&](const Check *C) { return isLate(*C); })))
          close();
        Members.append(Here->second.begin(), Here->second.end());
        addLate(I);
      } else if (!Members.empty() &&
                 (keepsOrder(I) || mayBeCoveredHere(I) || any_of(I.operands(), [&](Value *V) { return isLate(V); }))) {
        addLate(I);
      }
      if (endsBatch(I))
        close();
    }
  }

private:
  const DenseMap<Instruction *, unsigned> &Unproven;
  const DenseMap<Instruction *, SmallVector<Instruction *, 1>> &CoveredBy;
  SmallVectorImpl<Batch> &Found;
  DenseMap<Instruction *, Batch> At;
  Batch Members;
  SmallSetVector<Instruction *, 32> Late; // instructions that come after the batch's checks
  bool StoresLate = false;                // a late instruction writes memory

  void addLate(Instruction &I) {
    Late.insert(&I);
    StoresLate |= I.mayWriteToMemory();
  }

  // Returns true if I accesses memory that a late instruction may access, one of them by a write.
  bool keepsOrder(const Instruction &I) const {
    return !touchesNoMemory(I) && (I.mayWriteToMemory() || (StoresLate && I.mayReadFromMemory()));
  }

  bool isLate(Value *V) const { return V && isa<Instruction>(V) && Late.contains(cast<Instruction>(V)); }
  bool isLate(const Check &C) const {
    return any_of(C.values(), [&](Value *V) { return isLate(V); });
  }

  // Returns true if a check of this batch may cover an access of I, which has no check of its own. If the access with
  // that check is not late, the check was made before this batch.
  bool mayBeCoveredHere(Instruction &I) const {
    const unsigned Count = Unproven.lookup(&I);
    if (!Count)
      return false;
    auto Covering = CoveredBy.find(&I);
    return Covering == CoveredBy.end() || Covering->second.size() < Count ||
           any_of(Covering->second, [&](Instruction *By) { return Late.contains(By); });
  }

  void close() {
    if (!Members.empty()) {
      Instruction *Last = Members.back()->MadeAt;
      for (Instruction *I : Late) {
        if (I == Last)
          break;
        I->moveBefore(Last->getIterator());
      }
      Found.push_back(std::move(Members));
    }
    Members.clear();
    Late.clear();
    StoresLate = false;
  }
};

void BoundsCheck::batch(Function &F, ArrayRef<Check> Checks, SmallVectorImpl<Batch> &Found) {
  if (!BatchChecks || F.hasOptNone()) {
    for (const Check &C : Checks)
      Found.push_back({&C});
    return;
  }
  Batching Blocks(*this, Checks, Found);
  for (BasicBlock &Block : F)
    Blocks.run(Block);
}

} // namespace gasan
