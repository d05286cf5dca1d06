// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes addresses as integers, in a form in which the back end keeps all 64 bits.
#ifndef GASAN_PASS_INSTRUMENT_BST_ADDRESSES_H
#define GASAN_PASS_INSTRUMENT_BST_ADDRESSES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/ValueHandle.h"

namespace gasan {

// Computes the addresses of one function's pointers. The result equals ptrtoint, but offsets from variables are added
// as integers. A check then compares the offset only, and needs no conversion of the address.
//
// LLVM's InferAddressSpaces turns generic pointers to shared variables into pointers to shared memory, and their
// ptrtoint into cvta.shared, which converts only the lower 32 bits. Element 2^30 of an int array would then get the
// address of element 0, and its check would pass. So a phi or select of pointers with variable offsets gets a
// corresponding phi or select of addresses.
class Addresses {
public:
  // Returns the address, an i64 in the pointer's own address space.
  llvm::Value *of(llvm::IRBuilderBase &B, llvm::Value *Pointer);

  // Must be called at the end of a function.
  void clear() { Merged.clear(); }

private:
  llvm::DenseMap<llvm::Value *, llvm::WeakVH> Merged; // null: deleted, because nothing used it

  llvm::Value *ofMerge(llvm::Instruction &Merge);
};

// Returns the generic address of \p Shared, a 64-bit offset in shared memory. Keeps all 64 bits.
llvm::Value *sharedToGeneric(llvm::IRBuilderBase &B, llvm::Value *Shared);

} // namespace gasan

#endif
