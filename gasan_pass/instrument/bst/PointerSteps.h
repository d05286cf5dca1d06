/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Follows a pointer back to its source, without inserting any instruction.
#ifndef GASAN_PASS_INSTRUMENT_BST_POINTERSTEPS_H
#define GASAN_PASS_INSTRUMENT_BST_POINTERSTEPS_H

#include "gasan_pass/instrument/bst/MergedRoots.h"
#include "gasan_pass/instrument/bst/VariableBounds.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Operator.h"

namespace gasan {

class PointerSteps {
public:
  // Merged: the merges that are roots; null: no merge is one.
  explicit PointerSteps(std::unique_ptr<MergedRoots> Merged = nullptr) : Merged(std::move(Merged)) {}

  // Returns the pointer to the same object from which `Pointer` is computed by arithmetic or a cast. Null: `Pointer` is
  // a source, or its origin is not certain. Never guesses: an integer computed from two pointers has no certain origin.
  llvm::Value *stepFrom(llvm::Value *Pointer);

  // Returns true for a phi or select of pointers.
  static bool isMerge(const llvm::Value *Pointer);
  // Returns true for a merge that is a root.
  bool isRoot(llvm::Value *Merge) {
    return Merged && isMerge(Merge) && Merged->contains(*llvm::cast<llvm::Instruction>(Merge));
  }

  // Returns the only root from which the pointer is derived on all paths through phis and selects. Null: there are
  // several.
  llvm::Value *soleSource(llvm::Value *Pointer);

  // Returns soleSource() if all steps from that root to the pointer are multiples of the alignment. Otherwise null.
  llvm::Value *sourceAsAligned(llvm::Value *Pointer, llvm::Align Alignment, const llvm::DataLayout &DL);

private:
  std::unique_ptr<MergedRoots> Merged;
  struct Inside {                          // the pointer inside of an integer
    enum { None, One, Unsure, Open } Kind; // Open: a phi that its other incoming values decide
    llvm::Value *Pointer;
  };

  llvm::DenseMap<llvm::Value *, llvm::Value *> Soles;
  llvm::DenseMap<llvm::Value *, llvm::Value *> Integers;

  llvm::Value *pointerInside(llvm::Value *Integer);
  Inside look(llvm::Value *Integer, llvm::SmallDenseMap<llvm::Value *, Inside, 8> &Seen, unsigned Depth);
  static Inside sum(Inside A, Inside B);
  Inside difference(Inside A, Inside B);
  Inside merge(Inside A, Inside B);
};

} // namespace gasan

#endif
