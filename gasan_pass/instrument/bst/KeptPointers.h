/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Local pointers and references that are set once, in unoptimised code: what a load of one yields is known.
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

  // The pointer that the variable which `Loaded` is a load of has been set to; null: it is no such load. What the
  // pointer is made of is still the same there: no instruction that it uses can have been executed again since.
  const llvm::Value *valueOf(const llvm::Value &Loaded);

  // Is the variable used for nothing but to access the elements, of this type, that are counted from where it points?
  // Not if it is cast, compared, kept elsewhere or given to a function.
  static bool isOnlyIndexed(const llvm::Value &Loaded, const llvm::Type *Element);

private:
  llvm::Function &F;
  std::unique_ptr<llvm::DominatorTree> Tree;                              // made when somebody asks
  llvm::DenseMap<const llvm::AllocaInst *, const llvm::StoreInst *> Sets; // null: it is not set once

  const llvm::StoreInst *setOf(const llvm::AllocaInst &Variable);
};

} // namespace gasan

#endif
