/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finds how a kernel, and the functions that it calls, use a pointer variable.
#ifndef GASAN_PASS_INSTRUMENT_BST_VIEWUSES_H
#define GASAN_PASS_INSTRUMENT_BST_VIEWUSES_H

#include "gasan_pass/instrument/bst/Extents.h"

namespace gasan {

struct ViewUse {
  Sum Offset, End;           // range of the accessed bytes, from the pointer
  int64_t Width;             // of the access; 0: known at run time only
  bool Loads, Stores;        // both: an atomic
  unsigned Order;            // position in the kernel's code
  const SourceLimit *Guards; // facts from the branches that were passed
  const SourceLimit *Limits; // those facts that still hold
};

struct ViewUses {
  std::vector<ViewUse> Accesses;
  bool AreAll = true; // there are no other uses
};

class ViewUseFinder {
public:
  // find() does not count pointers that are derived from Variable and stored in one of Others.
  ViewUseFinder(llvm::Function &Kernel, SourceSums &Sums, Leaves &Known);
  ViewUses find(llvm::AllocaInst &Variable, llvm::ArrayRef<llvm::AllocaInst *> Others);

private:
  struct Level { // the kernel, or a function that it calls
    llvm::Function &F;
    SourceSums &Sums;
    SourceGuards &Branches;
    unsigned Order; // position of the call
    unsigned Depth;
  };
  struct Pointer {
    llvm::Value *Address;
    Sum Offset;
  };

  llvm::Function &Kernel;
  SourceSums &Sums;
  Leaves &All;
  SourceGuards Branches;
  llvm::DenseMap<const llvm::Instruction *, unsigned> Orders;
  // Kept alive: their limits are used after the called functions have been left.
  std::vector<std::unique_ptr<SourceSums>> CalledSums;
  std::vector<std::unique_ptr<SourceGuards>> CalledBranches;
  llvm::SmallPtrSet<const llvm::AllocaInst *, 8> Seen;
  unsigned Work = 0;

  void follow(const Level &At, const Pointer &First, ViewUses &Result);
  bool followUse(const Level &At, const Pointer &From, llvm::Use &U, llvm::SmallVectorImpl<Pointer> &Left,
                 ViewUses &Result);
  bool followCall(const Level &At, const Pointer &From, llvm::Use &U, llvm::SmallVectorImpl<Pointer> &Left,
                  ViewUses &Result);
  void addAccess(const Level &At, const Pointer &From, const Sum &Bytes, llvm::Instruction &I, bool Loads, bool Stores,
                 ViewUses &Result);
};

} // namespace gasan

#endif
