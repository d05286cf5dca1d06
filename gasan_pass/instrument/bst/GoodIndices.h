/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Turns the limit of an offset into a limit of the index: 4 * i + 8 >= 40 where i + 2 >= 10.
#ifndef GASAN_PASS_INSTRUMENT_BST_GOODINDICES_H
#define GASAN_PASS_INSTRUMENT_BST_GOODINDICES_H

#include "llvm/IR/IRBuilder.h"
#include <optional>

namespace gasan {

// Factor * Index + Start, in bytes, without a sum or product that wraps.
struct Multiple {
  llvm::Value *Index; // of at most 32 bits
  bool IsSigned;
  int64_t Factor, Start; // Factor > 0
};

// The indices of good accesses: First to First + Count - 1.
struct GoodIndices {
  int64_t First;      // fits into 32 bits
  llvm::Value *Count; // i32
};

// Returns the indices with 0 <= Factor * Index + Start < \p Limit (an i64). Computes a count that is no constant once,
// right behind the limit. Empty: the comparison needs 64 bits.
std::optional<GoodIndices> goodIndices(const Multiple &Of, llvm::Value *Limit, const llvm::DataLayout &DL);

} // namespace gasan

#endif
