/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Which views of dynamic shared memory are buffers that end where another view begins (scuba IV-B).
//
//   extern __shared__ float region[];
//   float *left = region, *right = left + n;      left ends where right begins
//
// Views may overlap on purpose. So a view ends another one only if nothing in the kernel says that they do: the rules
// are at Carving.cpp's functions, and each comes from real kernels. The marks overrule them. In a kernel as clang emits
// it only.
#ifndef GASAN_PASS_INSTRUMENT_BST_CARVING_H
#define GASAN_PASS_INSTRUMENT_BST_CARVING_H

#include "gasan_pass/instrument/bst/ViewUses.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IntrinsicInst.h"

namespace gasan {

// The marks, __attribute__((annotate("..."))), at pointer variables.
constexpr const char *kPartitionMark = "gasan_partition", *kNoPartitionMark = "gasan_no_partition";

bool isDynamicShared(const llvm::GlobalVariable &Variable);
llvm::StringRef markOf(const llvm::IntrinsicInst &Annotation); // "": none

// The buffer that begins with the value of `First` ends with that of `End`. In the same block, nothing is made of the
// first one's variable for the other views behind `Last`.
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
    Sum Start;        // from the region's beginning, in bytes
    unsigned Stretch; // of code in which nothing else happens
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
  // May Own's use U be one of an array that ends where Next begins?
  bool allowsEnd(const ViewUses &Own, const ViewUses &Next, const ViewUse &U, const Sum &Size);
};

} // namespace gasan

#endif
