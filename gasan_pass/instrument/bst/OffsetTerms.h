/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What an offset is a sum of.
#ifndef GASAN_PASS_INSTRUMENT_BST_OFFSETTERMS_H
#define GASAN_PASS_INSTRUMENT_BST_OFFSETTERMS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Operator.h"

namespace gasan {

// What a value is multiplied by: Up / Down.
struct Factor {
  int64_t Up = 1, Down = 1;
};

struct OffsetTerm {
  llvm::Value *V;
  Factor Times;

  bool isAdded() const { return Times.Up == Times.Down; } // as it is
  bool isSubtracted() const { return Times.Up == -Times.Down; }
};

using OffsetTerms = llvm::SmallVector<OffsetTerm, 4>;

// The values that the integer, multiplied by a number, is a sum of, also behind casts; of a phi or select, those of all
// ways, unless it is an ordinary index on one of them: then the phi or select itself. Example: (b - a) / 4, multiplied
// by 4, has the terms b and -a.
OffsetTerms termsOf(llvm::Value *Integer, Factor Times = {});

// Those of the bytes by which an address is moved.
OffsetTerms termsOf(llvm::GEPOperator &Gep, const llvm::DataLayout &DL);

} // namespace gasan

#endif
