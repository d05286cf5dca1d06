/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Puts the bounds check (cucatch 4.1.2) before each access of a function:
//
//   limit  = bounds.size -sat (width - 1)        once a root and width, where the bounds are fetched
//   if (address - bounds.base >= limit)          a subtraction, a comparison and a branch
//     __gasan_report_bounds(...)                 does not return
//
// Accesses off one pointer in straight-line code are compared together; which of them is wrong is found out in the
// cold.
//
// Misaligned accesses are found by the same comparison where the address is as aligned as its root: then the limit is 0
// if the root is not. Else the address is tested at the access.
#ifndef GASAN_PASS_INSTRUMENT_BST_BOUNDSCHECK_H
#define GASAN_PASS_INSTRUMENT_BST_BOUNDSCHECK_H

#include "gasan_pass/instrument/Access.h"
#include "gasan_pass/instrument/bst/FunctionAnalyses.h"
#include "gasan_pass/instrument/bst/TravellingBounds.h"
#include "gasan_pass/instrument/proof/FastKernels.h"

namespace gasan {

class BoundsCheck {
public:
  BoundsCheck(llvm::Module &M, SiteTable &Sites, VariableBounds &Variables, TravellingBounds &Travelling,
              FastKernels &Fast);

  // The checks are left out of a function that is not to be instrumented; it may have to pass bounds on.
  void instrument(llvm::Function &F, bool WithChecks);

private:
  struct Part {       // one of several accesses
    int64_t Distance; // from the first one's pointer
    uint64_t Width;
    uint32_t Site;
  };
  struct Check {
    llvm::Instruction *Where;
    llvm::Value *Pointer;
    Bounds B;
    llvm::Value *Width; // i64
    llvm::Value *Limit; // null: the width is known at run time only
    llvm::Value *Guard; // i1; null: always
    uint32_t Site;
    llvm::Align Alignment; // that the hardware wants of the address; 1: it is met for certain
    bool InLimit;          // the limit is 0 if it is not met
    // Several accesses that all happen if the first does (BoundsCheckGroups.cpp). Limit is for what lies between the
    // lowest and the highest byte of theirs, from Pointer + Lowest on.
    int64_t Lowest = 0;
    llvm::SmallVector<Part, 0> Parts; // in program order; none: it is one access
    uint64_t ClaimBits = 0;           // made only if one of these claims does not hold; 0: always
    bool IsNarrow = false;            // the limit is small, and the offset a signed number of 31 bits
    // The check compares the index, less Back, with what Before and Count say (BoundsCheckIndices.cpp). Null: the
    // address is compared.
    llvm::Value *Index = nullptr, *Before = nullptr, *Count = nullptr;
    bool IsSignedIndex = false;
    unsigned IndexBits = 0;
    uint64_t Back = 0;
  };
  using Batch = llvm::SmallVector<const Check *, 1>; // in program order; one branch decides
  class Batching;
  struct Point { // an access that is checked
    llvm::Instruction *Where;
    uint64_t Width;
    llvm::Align Alignment;
  };

  llvm::Module &M;
  SiteTable &Sites;
  VariableBounds &Variables;
  TravellingBounds &Travelling;
  FastKernels &Fast;
  llvm::MDNode *Unlikely;
  bool MayBeFreed; // what is in bounds now may be free later: the module frees heap memory, or other streams are
                   // thought of
  llvm::FunctionCallee Report, ReportAligned;                               // declared at first use
  llvm::Value *Failed = nullptr;                                            // claims; in a bounded variant
  llvm::DenseMap<std::pair<llvm::Value *, uint64_t>, llvm::Value *> Limits; // by size and width
  llvm::DenseMap<std::pair<llvm::Value *, llvm::Value *>, llvm::SmallVector<Point, 2>> Checked; // by pointer and size

  llvm::DenseMap<std::pair<llvm::Value *, std::pair<llvm::Value *, uint64_t>>, llvm::Value *>
      AlignedLimits; // by limit, root and alignment
  llvm::SmallVector<llvm::WeakTrackingVH, 8> Counts;

  llvm::SmallVector<llvm::WeakTrackingVH, 0> Copied; // instructions of loops
  // Checks that look their pointers up.
  llvm::SmallPtrSet<const Check *, 8> LookingUp;
  // How many accesses of an instruction are good only if a check, their own or another one's, was passed.
  llvm::DenseMap<llvm::Instruction *, unsigned> Unproven;

  std::optional<FunctionAnalyses> Facts;                            // of the function, from the first question on
  llvm::DenseMap<llvm::Value *, FunctionAnalyses::Offsets> Offsets; // from variables, by pointer

  FunctionAnalyses &facts(llvm::Function &F) { return Facts ? *Facts : Facts.emplace(F); }
  struct CommonReport { // that checks of a loop share, or those outside of loops
    llvm::BasicBlock *Block = nullptr;
    llvm::SmallVector<llvm::PHINode *, 7> Parts;
  };
  llvm::DenseMap<std::pair<llvm::BasicBlock *, unsigned>, CommonReport> CommonReports; // by loop; 1: of alignment
  llvm::BasicBlock *LoopHeader =
      nullptr;                // of the innermost loop of the checks that are being inserted; null: there is none
  bool SharesReports = false; // the function has several checks

  std::optional<Check> plan(const Access &A, RootBounds &Roots);
  llvm::Value *limitOf(llvm::Value *Size, uint64_t Width, RootBounds &Roots);
  void dropUnusedLimits();
  void measureOffsets(llvm::Function &F, llvm::ArrayRef<Access> Accesses);
  std::optional<llvm::ConstantRange> offsetsFrom(const llvm::Value *Variable, llvm::Value *Pointer) const;
  bool isProven(const Access &A, const Bounds &B, llvm::Value *Root, RootBounds &Roots);
  bool isNarrow(const Access &A, const Bounds &B, llvm::Value *Root);
  bool isRepeated(const Access &A, llvm::Align Alignment, llvm::Value *Size, RootBounds &Roots);
  llvm::Value *alignedLimit(llvm::Value *Limit, llvm::Value *Root, llvm::Align Alignment, RootBounds &Roots);
  llvm::Value *stringSize(const Access &A, const Bounds &B);
  void checkArguments(const Access &Format, const Bounds &B, uint32_t Site);
  llvm::Value *sizeWithFrees(const Access &A, const Bounds &B);
  // Leaves checks to the host, in a kernel's variants.
  static ProvableCheck provable(const Check &C);
  void maskClaimed(llvm::Function &F, llvm::SmallVectorImpl<Check> &Checks);
  void dropClaimed(llvm::Function &F, llvm::SmallVectorImpl<Check> &Checks, RootBounds &Roots);
  // Joins checks of accesses at constant distances.
  void group(llvm::Function &F, llvm::SmallVectorImpl<Check> &Checks, RootBounds &Roots);
  void dropDominated(llvm::Function &F, llvm::SmallVectorImpl<Check> &Checks, RootBounds &Roots);
  bool join(Check &First, const Check &Next, int64_t Distance, RootBounds &Roots);
  // Loops that exist twice, with and without checks (BoundsCheckLoops.cpp).
  static void prepareLoops(llvm::Function &F);
  static llvm::SmallVector<llvm::Value **, 10> valuesOf(Check &C);
  void copyLoops(llvm::Function &F, llvm::SmallVectorImpl<Check> &Checks);
  void dropUnusedCopies();
  void useIndices(llvm::Function &F, llvm::MutableArrayRef<Check> Checks, RootBounds &Roots);
  // Moves what has to come behind its batch's checks.
  void batch(llvm::Function &F, llvm::ArrayRef<Check> Checks, llvm::SmallVectorImpl<Batch> &Found);
  void insert(llvm::ArrayRef<Batch> Batches, llvm::Function &F);
  void insert(const Batch &Members);
  void compare(llvm::ArrayRef<const Check *> Members, llvm::Instruction *Before);
  // BoundsCheckLookups.cpp
  llvm::CallInst *lookupFor(llvm::Function &F, const Check &C) const;
  void findLookups(llvm::Function &F, llvm::ArrayRef<Batch> Batches);
  void callCheck(const Check &C, llvm::Instruction *Before);
  CommonReport &commonReport(llvm::IRBuilderBase &Near, bool OfAlignment);
  void insertBatchReport(llvm::Instruction *ColdEnd, llvm::ArrayRef<const Check *> Members);
  llvm::Value *isBad(BoundsBuilder &B, const Check &C);
  llvm::Value *isMade(llvm::IRBuilderBase &B, const Check &C);
  // In a block of its own, if not all launches make the check.
  llvm::Instruction *whereMade(const Check &C, llvm::Instruction *Before);
  void compare(const Check &C, llvm::Instruction *Before);
  void callReport(llvm::IRBuilderBase &B, const Check &C, llvm::Value *Address, llvm::Value *Width, llvm::Value *Site);
  void callGroupReport(llvm::IRBuilderBase &B, const Check &C, llvm::Value *First);
  llvm::FunctionCallee report(bool OfAlignment);
};

} // namespace gasan

#endif
