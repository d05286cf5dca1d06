/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finds pointers into dynamic shared memory ("views") to buffers that end where another view begins (scuba IV-B).
//
//   extern __shared__ float region[];
//   float *left = region, *right = left + n;      left ends where right begins
//
// Views may overlap on purpose. So a view ends another one only if nothing in the kernel suggests that they overlap.
// The functions in Carving.cpp state the rules; each rule comes from real kernels. Marks in the source override the
// rules. The analysis reads kernels as clang emits them, before any optimisation.
#ifndef GASAN_PASS_INSTRUMENT_BST_CARVING_H
#define GASAN_PASS_INSTRUMENT_BST_CARVING_H

#include "gasan_pass/instrument/bst/ViewUses.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IntrinsicInst.h"

namespace gasan {

// The marks, __attribute__((annotate("..."))), on pointer variables.
constexpr const char *kPartitionMark = "gasan_partition", *kNoPartitionMark = "gasan_no_partition";

bool isDynamicShared(const llvm::GlobalVariable &Variable);
llvm::StringRef markOf(const llvm::IntrinsicInst &Annotation); // Returns "" if the annotation is none of the marks.

// A buffer from the address that `First` stores to the address that `End` stores. After `Last`, in the same block, no
// other view is derived from the first view's variable.
struct CarvedBuffer {
  llvm::StoreInst *First, *End, *Last;
};

class Carving {
public:
  explicit Carving(llvm::Function &Kernel) : F(Kernel), Sums(Kernel, All) {}

  std::vector<CarvedBuffer> find();

private:
  struct View {
    llvm::AllocaInst *Variable;
    llvm::StoreInst *Set;
    Sum Start;        // bytes from the region's beginning
    unsigned Stretch; // number of the stretch of code that does nothing else
    bool IsMarked;
  };
  llvm::Function &F;
  Leaves All;
  SourceSums Sums;
  std::unique_ptr<ViewUseFinder> Finder;
  std::vector<View> Views;
  std::map<const llvm::AllocaInst *, ViewUses> Known;
  llvm::DenseMap<const llvm::AllocaInst *, llvm::StringRef> Marks;

  void collect();
  std::optional<Sum> distanceOf(llvm::Value *Pointer, unsigned Depth = 0);
  const ViewUses &usesOf(const View &V);
  const View *endOf(const View &V) const;
  bool isBuffer(const View &V, const View &End);
  // Returns true if the use U of Own fits an array that ends where Next begins.
  bool allowsEnd(const ViewUses &Own, const ViewUses &Next, const ViewUse &U, const Sum &Size);
};

} // namespace gasan

#endif
