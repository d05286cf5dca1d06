/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Inserts the bounds check (cucatch 4.1.2) before each access of a function:
//
//   limit  = bounds.size -sat (width - 1)        once for each object and width, after the bounds
//   if (address - bounds.base >= limit)          a subtraction, a comparison and a branch
//     __gasan_report_bounds(...)                 does not return
//
// The same comparison finds misaligned accesses if the address is as aligned as its root: the limit is 0 if the root is
// misaligned. Otherwise the address is tested at the access.
//
// A function's checks pass through these stages, each in a file of its own:
//
//   BoundsCheckPlan        which accesses need a check, and the values that it compares
//   BoundsCheckLimits      the limits
//   BoundsCheckClaims      leave checks to the launch proof, in a kernel's variants
//   BoundsCheckGroups      join checks of accesses at constant distances
//   BoundsCheckDominated   drop checks that earlier checks cover
//   BoundsCheckIndices     compare an array's index instead of the address
//   BoundsCheckLoops       check a loop's accesses before the loop
//   BoundsCheckConditions  check conditional accesses before the condition
//   BoundsCheckBatches     collect checks that one branch decides
//   BoundsCheckLookups     let a check look up its pointer's bounds itself
//   BoundsCheckInsert      insert the comparisons
//   BoundsCheckReports     insert the cold code that reports
#ifndef GASAN_PASS_INSTRUMENT_BST_BOUNDSCHECK_H
#define GASAN_PASS_INSTRUMENT_BST_BOUNDSCHECK_H

#include "gasan_pass/instrument/Access.h"
#include "gasan_pass/instrument/bst/Addresses.h"
#include "gasan_pass/instrument/bst/FunctionAnalyses.h"
#include "gasan_pass/instrument/bst/LoopRounds.h"
#include "gasan_pass/instrument/bst/PlannedCheck.h"
#include "gasan_pass/instrument/bst/TravellingBounds.h"
#include "gasan_pass/instrument/proof/KernelVariants.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace gasan {

class BoundsCheck {
public:
  BoundsCheck(llvm::Module &M, SiteTable &Sites, VariableBounds &Variables, TravellingBounds &Travelling,
              KernelVariants &Variants);

  // Inserts the checks, and the code that passes bounds to called functions. WithChecks is false for a function that is
  // not instrumented itself but has to pass bounds on.
  void instrument(llvm::Function &F, bool WithChecks);

private:
  using Check = PlannedCheck;
  using Part = CheckPart;
  using Batch = llvm::SmallVector<const Check *, 1>; // in program order; one branch decides
  class Batching;
  struct LoopCopy;
  struct Point { // an access that is checked
    llvm::Instruction *Where;
    uint64_t Width;
    llvm::Align Alignment;
  };
  struct CommonReport { // the call of a report that several checks share
    llvm::BasicBlock *Block = nullptr;
    llvm::SmallVector<llvm::PHINode *, 7> Parts;
  };

  llvm::Module &M;
  SiteTable &Sites;
  VariableBounds &Variables;
  TravellingBounds &Travelling;
  KernelVariants &Variants;
  llvm::MDNode *Unlikely;
  // Memory may be freed between the lookup of its bounds and the access: the module frees heap memory, or the options
  // require checks for frees by other streams.
  bool MayBeFreed;
  llvm::FunctionCallee Report, ReportAligned; // declared at first use

  // The members below belong to the function that is being instrumented.
  llvm::Value *Failed = nullptr; // mask of the claims that do not hold, in a bounded variant
  std::optional<FunctionAnalyses> Facts;
  Addresses Numbers;                                                        // of checked pointers
  llvm::DenseMap<llvm::Value *, FunctionAnalyses::Offsets> Offsets;         // from variables, by pointer
  llvm::DenseMap<std::pair<llvm::Value *, uint64_t>, llvm::Value *> Limits; // by size and width
  llvm::DenseMap<std::pair<llvm::Value *, llvm::Value *>, llvm::SmallVector<Point, 2>> Checked; // by pointer and size
  llvm::DenseMap<std::pair<llvm::Value *, std::pair<llvm::Value *, uint64_t>>, llvm::Value *>
      AlignedLimits;                                   // by limit, root and alignment
  llvm::SmallVector<llvm::WeakTrackingVH, 8> Counts;   // of arrays' elements
  llvm::SmallVector<llvm::WeakTrackingVH, 8> Compared; // addresses
  llvm::SmallVector<llvm::WeakTrackingVH, 0> Copied;   // instructions of copied loops
  llvm::SmallPtrSet<const Check *, 8> LookingUp;       // checks that look up their pointers
  // For each instruction: the number of its accesses that are in bounds only if some check, their own or another,
  // passed.
  llvm::DenseMap<llvm::Instruction *, unsigned> Unproven;
  // Of an instruction's unproven accesses without checks of their own: the accesses whose checks cover them.
  llvm::DenseMap<llvm::Instruction *, llvm::SmallVector<llvm::Instruction *, 1>> CoveredBy;
  llvm::DenseMap<std::pair<llvm::BasicBlock *, unsigned>, CommonReport> CommonReports; // by loop; 1: of alignment
  llvm::BasicBlock *LoopHeader = nullptr; // of the innermost loop around the batch that is being inserted, or null
  bool SharesReports = false;             // the function has several checks

  // Stages of instrument().
  FunctionAnalyses &facts(llvm::Function &F) { return Facts ? *Facts : Facts.emplace(F); }
  llvm::SmallVector<Check, 16> planAll(llvm::Function &F, llvm::ArrayRef<Access> Accesses, RootBounds &Roots);
  void optimise(llvm::Function &F, llvm::SmallVectorImpl<Check> &Checks, RootBounds &Roots);
  void insertAll(llvm::Function &F, llvm::MutableArrayRef<Check> Checks);
  void forgetFunction();

  // BoundsCheckPlan.cpp
  void measureOffsets(llvm::Function &F, llvm::ArrayRef<Access> Accesses);
  std::optional<llvm::ConstantRange> offsetsFrom(const llvm::Value *Variable, llvm::Value *Pointer) const;
  bool isProven(const Access &A, const Bounds &B, llvm::Value *Root, RootBounds &Roots);
  bool isRepeated(const Access &A, llvm::Align Alignment, llvm::Value *Size, RootBounds &Roots);
  llvm::Value *sizeWithFrees(const Access &A, const Bounds &B);
  llvm::Value *stringSize(const Access &A, const Bounds &B);
  void checkArguments(const Access &Format, const Bounds &B, uint32_t Site);
  std::optional<Check> plan(const Access &A, RootBounds &Roots);

  // BoundsCheckLimits.cpp
  llvm::Value *limitOf(llvm::Value *Size, uint64_t Width, RootBounds &Roots);
  llvm::Value *alignedLimit(llvm::Value *Limit, llvm::Value *Root, llvm::Align Alignment, RootBounds &Roots);
  void dropUnusedLimits();

  // BoundsCheckClaims.cpp
  static ProvableCheck provable(const Check &C);
  void maskClaimed(llvm::Function &F, llvm::SmallVectorImpl<Check> &Checks);
  static void unmaskCheap(llvm::MutableArrayRef<Check> Checks);
  void dropClaimed(llvm::Function &F, llvm::SmallVectorImpl<Check> &Checks, RootBounds &Roots);
  llvm::Value *isMade(llvm::IRBuilderBase &B, const Check &C);
  llvm::Instruction *whereMade(const Check &C, llvm::Instruction *Before);

  // BoundsCheckGroups.cpp
  void group(llvm::Function &F, llvm::SmallVectorImpl<Check> &Checks, RootBounds &Roots);
  bool join(Check &First, const Check &Next, int64_t Distance, RootBounds &Roots);

  // BoundsCheckDominated.cpp
  void dropDominated(llvm::Function &F, llvm::SmallVectorImpl<Check> &Checks, RootBounds &Roots);

  // BoundsCheckIndices.cpp
  void useIndicesOfVariables(llvm::MutableArrayRef<Check> Checks, RootBounds &Roots);
  void useIndices(llvm::Function &F, llvm::MutableArrayRef<Check> Checks, RootBounds &Roots);

  // BoundsCheckLoops.cpp
  static void prepareLoops(llvm::Function &F);
  static std::optional<LoopCopy> planCopy(FunctionAnalyses &A, llvm::Loop &L, const GuessedRounds &Guesses,
                                          llvm::ArrayRef<Check> Checks);
  void copyChecks(const LoopCopy &Copy, llvm::ValueToValueMapTy &Map, llvm::SmallVectorImpl<Check> &Checks);
  void copyLoops(llvm::Function &F, llvm::SmallVectorImpl<Check> &Checks);
  void dropUnusedCopies();

  // BoundsCheckConditions.cpp
  static void moveBeforeConditions(llvm::Function &F, llvm::MutableArrayRef<Check> Checks);

  // BoundsCheckBatches.cpp
  void batch(llvm::Function &F, llvm::ArrayRef<Check> Checks, llvm::SmallVectorImpl<Batch> &Found);

  // BoundsCheckLookups.cpp
  llvm::CallInst *lookupFor(llvm::Function &F, const Check &C) const;
  void findLookups(llvm::Function &F, llvm::ArrayRef<Batch> Batches);
  void callCheck(const Check &C, llvm::Instruction *Before);

  // BoundsCheckInsert.cpp
  llvm::Value *isBad(BoundsBuilder &B, const Check &C);
  llvm::Value *reportedAddress(llvm::IRBuilderBase &B, const Check &C);
  void compare(const Check &C, llvm::Instruction *Before);
  void compare(llvm::ArrayRef<const Check *> Members, llvm::Instruction *Before);
  void compareAndRecover(const Check &C);
  void insert(const Batch &Members);
  void insert(llvm::ArrayRef<Batch> Batches, llvm::Function &F);

  // BoundsCheckReports.cpp
  llvm::FunctionCallee report(bool OfAlignment);
  void callReport(llvm::IRBuilderBase &B, const Check &C, llvm::Value *Address, llvm::Value *Width, llvm::Value *Site);
  void callGroupReport(llvm::IRBuilderBase &B, const Check &C, llvm::Value *First);
  CommonReport &commonReport(llvm::IRBuilderBase &Near, bool OfAlignment);
  llvm::Value *failsAlone(BoundsBuilder &B, const Check &C, llvm::Value *Address, llvm::Value *Width);
  void insertBatchReport(llvm::Instruction *ColdEnd, llvm::ArrayRef<const Check *> Members);
};

} // namespace gasan

#endif
