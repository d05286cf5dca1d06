/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Decides whether the address of a local variable may be stored to memory or leave its function.
#ifndef GASAN_PASS_INSTRUMENT_BST_ESCAPE_H
#define GASAN_PASS_INSTRUMENT_BST_ESCAPE_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstrTypes.h"

namespace gasan {

class Escape {
public:
  // Returns false only if the address certainly does not escape. Looks into called functions.
  bool mayEscape(const llvm::Value &Pointer);

private:
  llvm::DenseMap<const llvm::Argument *, bool> Known; // false while the argument is being examined

  bool escapesBy(const llvm::Use &U, llvm::SmallVectorImpl<const llvm::Value *> &Derived);
  bool escapesInto(const llvm::CallBase &Call, unsigned Argument);
};

} // namespace gasan

#endif
