/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What a kernel, and the functions that it calls, do with a pointer variable.
#ifndef GASAN_PASS_INSTRUMENT_BST_VIEWUSES_H
#define GASAN_PASS_INSTRUMENT_BST_VIEWUSES_H

#include "gasan_pass/instrument/bst/Extents.h"

namespace gasan {

struct ViewUse {
  Sum Offset, End;           // of the bytes that are accessed, from the pointer
  int64_t Width;             // of them; 0: known when it runs
  bool Loads, Stores;        // both: an atomic
  unsigned Order;            // in the kernel's code
  const SourceLimit *Guards; // that are passed
  const SourceLimit *Limits; // those that still hold
};

struct ViewUses {
  std::vector<ViewUse> Accesses;
  bool AreAll = true; // nothing else is done with it
};

class ViewUseFinder {
public:
  // Pointers that are derived from it and lie in one of Others do not count.
  ViewUseFinder(llvm::Function &Kernel, SourceSums &Sums, Leaves &Known);
  ViewUses find(llvm::AllocaInst &Variable, llvm::ArrayRef<llvm::AllocaInst *> Others);

private:
  struct Level { // of the kernel, or of a function that it calls
    llvm::Function &F;
    SourceSums &Sums;
    SourceGuards &Branches;
    unsigned Order; // of the call
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
  // Limits in functions that are called are used when the functions have been left.
  std::vector<std::unique_ptr<SourceSums>> CalledSums;
  std::vector<std::unique_ptr<SourceGuards>> CalledBranches;
  llvm::SmallPtrSet<const llvm::AllocaInst *, 8> Seen;
  unsigned Work = 0;

  void follow(const Level &At, Pointer First, ViewUses &Result);
  bool followUse(const Level &At, const Pointer &From, llvm::Use &U, llvm::SmallVectorImpl<Pointer> &Left,
                 ViewUses &Result);
  bool followCall(const Level &At, const Pointer &From, llvm::Use &U, llvm::SmallVectorImpl<Pointer> &Left,
                  ViewUses &Result);
  void addAccess(const Level &At, const Pointer &From, const Sum &Bytes, llvm::Instruction &I, bool Loads, bool Stores,
                 ViewUses &Result);
};

} // namespace gasan

#endif
