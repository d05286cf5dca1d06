/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Splits an offset into the terms of a sum.
#ifndef GASAN_PASS_INSTRUMENT_BST_OFFSETTERMS_H
#define GASAN_PASS_INSTRUMENT_BST_OFFSETTERMS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Operator.h"

namespace gasan {

// A factor: Up / Down.
struct Factor {
  int64_t Up = 1, Down = 1;
};

struct OffsetTerm {
  llvm::Value *V;
  Factor Times;

  bool isAdded() const { return Times.Up == Times.Down; } // with the factor 1
  bool isSubtracted() const { return Times.Up == -Times.Down; }
};

using OffsetTerms = llvm::SmallVector<OffsetTerm, 4>;

// Returns the terms of the integer multiplied by a number. Looks through casts. The terms of a phi or select are those
// of all incoming values; if the phi or select is an ordinary index on one path, it is a term itself. Example: (b - a)
// / 4, multiplied by 4, has the terms b and -a.
OffsetTerms termsOf(llvm::Value *Integer, Factor Times = {});

// Returns the terms of the bytes that the GEP adds.
OffsetTerms termsOf(llvm::GEPOperator &Gep, const llvm::DataLayout &DL);

} // namespace gasan

#endif
