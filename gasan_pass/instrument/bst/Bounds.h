/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The bounds of the object that a pointer belongs to.
#ifndef GASAN_PASS_INSTRUMENT_BST_BOUNDS_H
#define GASAN_PASS_INSTRUMENT_BST_BOUNDS_H

#include "llvm/IR/Value.h"

namespace gasan {

// The pointer may touch [Base, Base + Size).
struct Bounds {
  llvm::Value *Base;   // i64: an address in the pointer's own address space
  llvm::Value *Size;   // i64: bytes; 0: nothing; ~0, with Base 0: not checked
  llvm::Value *Object; // i32: enum gasan_object_code, or a variable of the site table

  bool operator==(const Bounds &Other) const {
    return Base == Other.Base && Size == Other.Size && Object == Other.Object;
  }
};

} // namespace gasan

#endif
