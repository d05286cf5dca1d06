// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/Count.h"
#include "gasan_pass/instrument/Trace.h"
#include "gasan_pass/instrument/bst/DeviceHeap.h"
#include "gasan_pass/instrument/bst/Promises.h"
#include "gasan_pass/instrument/bst/Vectors.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace gasan {

BoundsCheck::BoundsCheck(Module &M, SiteTable &Sites, VariableBounds &Variables, TravellingBounds &Travelling,
                         KernelVariants &Variants)
    : M(M), Sites(Sites), Variables(Variables), Travelling(Travelling), Variants(Variants),
      Unlikely(MDBuilder(M.getContext()).createUnlikelyBranchWeights()), MayBeFreed(StrictTemporal || freesHeap(M)) {}

// Device functions that make calls spill the registers live across them, and every separate report call adds more.
static bool isBetweenCalls(const Function &F) {
  return F.getCallingConv() != CallingConv::PTX_Kernel && any_of(instructions(F), [](const Instruction &I) {
           const auto *Call = dyn_cast<CallInst>(&I);
           const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
           return Call && !Call->isInlineAsm() &&
                  !(Callee && (Callee->isIntrinsic() || Callee->getName().starts_with("__gasan_")));
         });
}

SmallVector<BoundsCheck::Check, 16> BoundsCheck::planAll(Function &F, ArrayRef<Access> Accesses, RootBounds &Roots) {
  SmallVector<Check, 16> Checks;
  for (const Access &A : Accesses)
    if (std::optional<Check> C = plan(A, Roots)) {
      Roots.nameSite(C->B, C->Site);
      Checks.push_back(*C);
    }
  return Checks;
}

void BoundsCheck::optimise(Function &F, SmallVectorImpl<Check> &Checks, RootBounds &Roots) {
  dropClaimed(F, Checks, Roots);
  if (GroupChecks)
    group(F, Checks, Roots);
  if (DominatedChecks)
    dropDominated(F, Checks, Roots);
}

void BoundsCheck::insertAll(Function &F, MutableArrayRef<Check> Checks) {
  for (Check &C : Checks)
    C.MadeAt = C.Where;
  if (BatchChecks && !F.hasOptNone())
    moveBeforeConditions(F, Checks);
  SharesReports = Checks.size() >= SharedReportsFrom || (Checks.size() > 1 && isBetweenCalls(F));
  SmallVector<Batch, 16> Batches;
  batch(F, Checks, Batches);
  if (LookupChecks && Tags != "on") // the page map has no tagged addresses, so each lookup of one is a call
    findLookups(F, Batches);
  insert(Batches, F);
}

void BoundsCheck::forgetFunction() {
  Numbers.clear();
  Offsets.clear();
  Limits.clear();
  AlignedLimits.clear();
  Counts.clear();
  Checked.clear();
  LookingUp.clear();
  Unproven.clear();
  CoveredBy.clear();
}

// Only insertAll() splits blocks: until then, the analyses must find the blocks unchanged.
void BoundsCheck::instrument(Function &F, bool WithChecks) {
  const bool CopiesLoops = WithChecks && (LoopChecks || HoistChecks) && !F.hasOptNone();
  if (CopiesLoops)
    prepareLoops(F);
  FoundAccesses Found;
  if (WithChecks)
    Found = findAccesses(F, AccessSpaces::All);
  for (const Access &A : Found.Checkable)
    ++Unproven[A.Where];
  joinVectors(F, Found.Checkable);
  if (StaticProof && !F.hasOptNone())
    measureOffsets(F, Found.Checkable);
  Variables.enter(F);
  RootBounds Roots(F, Variables, MergedLookups && !MayBeFreed && !F.hasOptNone());
  Travelling.arrive(F, Roots);
  SmallVector<Check, 16> Checks = planAll(F, Found.Checkable, Roots);
  Travelling.leave(F, Roots, Variables);
  optimise(F, Checks, Roots);
  for (const Access &A : Found.Checkable) {
    countAccess(A);
    if (Trace)
      traceAccess(A, Sites.add(A));
  }
  if (IndexChecks && KernelVariants::isVariant(F))
    useIndices(F, Checks, Roots);
  if (IndexChecks)
    useIndicesOfVariables(Checks, Roots);
  if (WithChecks && !KernelVariants::isVariant(F))
    Variants.noteChecks(F, Checks.size());
  unmaskCheap(Checks);
  if (CopiesLoops)
    copyLoops(F, Checks);
  Facts.reset();
  insertAll(F, Checks);
  dropUnusedLimits(); // before Roots.finish(), which drops unused bounds: limits use bounds
  Roots.finish();
  Variables.leave(F);
  if (!KernelVariants::isVariant(F))
    Sites.addUnchecked(Found.Uncheckable);
  dropUnusedCopies();
  forgetFunction();
}

} // namespace gasan
