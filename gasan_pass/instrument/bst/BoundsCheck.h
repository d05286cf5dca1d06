// Puts the bounds check (cucatch 4.1.2) before each access of a function:
//
//   limit  = bounds.size -sat (width - 1)        once a root and width, where the bounds are fetched
//   if (address - bounds.base >= limit)          a subtraction, a comparison and a branch
//     __gasan_report_bounds(...)                 does not return
#ifndef GASAN_PASS_INSTRUMENT_BST_BOUNDSCHECK_H
#define GASAN_PASS_INSTRUMENT_BST_BOUNDSCHECK_H

#include "gasan_pass/instrument/Access.h"
#include "gasan_pass/instrument/bst/TravellingBounds.h"

namespace gasan {

class BoundsCheck {
public:
  BoundsCheck(llvm::Module &M, SiteTable &Sites, VariableBounds &Variables, TravellingBounds &Travelling);

  // The checks are left out of a function that is not to be instrumented; it may have to pass bounds on.
  void instrument(llvm::Function &F, bool WithChecks);

private:
  struct Check {
    llvm::Instruction *Where;
    llvm::Value *Pointer;
    Bounds B;
    llvm::Value *Width; // i64
    llvm::Value *Limit; // null: the width is known at run time only
    llvm::Value *Guard; // i1; null: always
    uint32_t Site;
  };
  using Point = std::pair<llvm::Instruction *, uint64_t>; // an access that is checked, and its width

  llvm::Module &M;
  SiteTable &Sites;
  VariableBounds &Variables;
  TravellingBounds &Travelling;
  llvm::MDNode *Unlikely;
  bool HeapFrees; // the module frees memory of the device heap
  llvm::FunctionCallee Report;
  llvm::DenseMap<std::pair<llvm::Value *, uint64_t>, llvm::Value *> Limits; // by size and width
  llvm::DenseMap<std::pair<llvm::Value *, llvm::Value *>, llvm::SmallVector<Point, 2>> Checked; // by pointer and size

  std::optional<Check> plan(const Access &A, RootBounds &Roots);
  llvm::Value *limitOf(llvm::Value *Size, uint64_t Width, RootBounds &Roots);
  bool isProven(const Access &A, const Bounds &B, llvm::Value *Root, RootBounds &Roots) const;
  bool isRepeated(const Access &A, llvm::Value *Pointer, llvm::Value *Size, RootBounds &Roots);
  llvm::Value *sizeWithFrees(const Access &A, const Bounds &B);
  void insert(const Check &C);
  void callReport(llvm::IRBuilderBase &B, const Check &C, llvm::Value *Address);
};

} // namespace gasan

#endif
