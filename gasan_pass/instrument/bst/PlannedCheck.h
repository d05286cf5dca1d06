/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A check between the decision that an access needs it and its insertion into the code (BoundsCheck.h).
#ifndef GASAN_PASS_INSTRUMENT_BST_PLANNEDCHECK_H
#define GASAN_PASS_INSTRUMENT_BST_PLANNEDCHECK_H

#include "gasan_pass/instrument/bst/Bounds.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instruction.h"
#include "llvm/Support/Alignment.h"

namespace gasan {

// One of several accesses that are checked together.
struct CheckPart {
  int64_t Distance; // bytes from the first access's pointer
  uint64_t Width;
  uint32_t Site;
};

struct PlannedCheck {
  llvm::Instruction *Where; // the access
  llvm::Value *Pointer;
  Bounds B;
  llvm::Value *Width; // i64
  llvm::Value *Limit; // null: the width is known at run time only
  llvm::Value *Guard; // i1; null: the access always happens
  uint32_t Site;
  llvm::Align Alignment; // the alignment that the hardware needs; 1: the address has it for certain
  bool InLimit;          // the limit is 0 if the address is misaligned, so no separate test is needed

  // Accesses that all happen if the first one does (BoundsCheckGroups.cpp), in program order. Empty: a single access.
  // With parts, Width and Limit are those of the bytes from the lowest part, at Pointer + Lowest, to the highest.
  int64_t Lowest = 0;
  llvm::SmallVector<CheckPart, 0> Parts;

  llvm::Instruction *MadeAt = nullptr; // the access, or an earlier instruction before which the check is made

  uint64_t ClaimBits = 0; // the check is made only if one of these claims does not hold; 0: always

  // The check compares Index - Back + Before with Count (BoundsCheckIndices.cpp), in IndexBits bits. Null: it compares
  // the address; Before: nothing is added.
  llvm::Value *Index = nullptr, *Before = nullptr, *Count = nullptr;
  bool IsSignedIndex = false;
  bool IsOfVariable = false; // a promise about the index could decide the comparison, because Count may be a constant
  unsigned IndexBits = 0;
  int64_t Back = 0;

  // The values that the check's code will use. Some are null.
  llvm::SmallVector<llvm::Value *, 10> values() const {
    return {Pointer, B.Base, B.Size, B.Object, Width, Limit, Guard, Index, Before, Count};
  }
  llvm::SmallVector<llvm::Value **, 10> valueSlots() {
    return {&Pointer, &B.Base, &B.Size, &B.Object, &Width, &Limit, &Guard, &Index, &Before, &Count};
  }
};

} // namespace gasan

#endif
