/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What a pointer is made of, without any instruction being made.
#ifndef GASAN_PASS_INSTRUMENT_BST_POINTERSTEPS_H
#define GASAN_PASS_INSTRUMENT_BST_POINTERSTEPS_H

#include "gasan_pass/instrument/bst/MergedRoots.h"
#include "gasan_pass/instrument/bst/VariableBounds.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Operator.h"

namespace gasan {

class PointerSteps {
public:
  // Null: no merge is a root.
  explicit PointerSteps(std::unique_ptr<MergedRoots> Merged = nullptr) : Merged(std::move(Merged)) {}

  // The pointer that `Pointer` is made of by arithmetic or a cast, and so shares the object with; null: it is a source,
  // or that is not certain. Never a guess: of integers that two pointers went into, nothing is known.
  llvm::Value *stepFrom(llvm::Value *Pointer);

  // A phi or select of pointers.
  static bool isMerge(const llvm::Value *Pointer);
  // One that is looked up as what it is.
  bool isRoot(llvm::Value *Merge) {
    return Merged && isMerge(Merge) && Merged->contains(*llvm::cast<llvm::Instruction>(Merge));
  }

  // The one root that the pointer is made of, in phis and selects the same on all ways; null: there are several.
  llvm::Value *soleSource(llvm::Value *Pointer);

  // Its soleSource(), if all steps from there are multiples of the alignment; else null.
  llvm::Value *sourceAsAligned(llvm::Value *Pointer, llvm::Align Alignment, const llvm::DataLayout &DL);

private:
  std::unique_ptr<MergedRoots> Merged;
  struct Inside {                          // an integer
    enum { None, One, Unsure, Open } Kind; // Open: a phi whose other ways say what it is
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
