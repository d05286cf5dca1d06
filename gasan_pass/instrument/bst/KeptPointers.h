/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Follows local pointer variables and references that are set exactly once, in unoptimised code: the value of a load
// from such a variable is known.
#ifndef GASAN_PASS_INSTRUMENT_BST_KEPTPOINTERS_H
#define GASAN_PASS_INSTRUMENT_BST_KEPTPOINTERS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include <memory>

namespace gasan {

class KeptPointers {
public:
  explicit KeptPointers(llvm::Function &F) : F(F) {}

  // Returns the pointer that was stored in the variable that `Loaded` loads. Null: `Loaded` is not such a load. The
  // pointer's operands still have the same values at the load: no instruction that computes them can have run again
  // since the store.
  const llvm::Value *valueOf(const llvm::Value &Loaded);

  // Returns true if the variable is only used to access elements of this type, counted from its value. Returns false if
  // it is cast, compared, stored elsewhere or passed to a function.
  static bool isOnlyIndexed(const llvm::Value &Loaded, const llvm::Type *Element);

private:
  llvm::Function &F;
  std::unique_ptr<llvm::DominatorTree> Tree;                              // made at first use
  llvm::DenseMap<const llvm::AllocaInst *, const llvm::StoreInst *> Sets; // null: the variable is not set exactly once

  const llvm::StoreInst *setOf(const llvm::AllocaInst &Variable);
};

} // namespace gasan

#endif
