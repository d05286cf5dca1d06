/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Recognises the address of an array's element: a pointer plus one multiple of one index.
#ifndef GASAN_PASS_INSTRUMENT_BST_INDEXEDADDRESS_H
#define GASAN_PASS_INSTRUMENT_BST_INDEXEDADDRESS_H

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Value.h"
#include <optional>

namespace gasan {

// Array + Scale * Index + Constant, in bytes. Scale and Constant have 64 bits.
struct IndexedAddress {
  llvm::Value *Array, *Index;
  llvm::APInt Scale, Constant;
  bool MayWrap; // no flag promises that sum and product do not wrap
};

// Looks through GEPs and casts of address spaces. Empty: the address has another number of variable terms, or Accepts()
// refuses a pointer on the way, or the array.
std::optional<IndexedAddress> indexedAddress(llvm::Value *Pointer, const llvm::DataLayout &DL,
                                             llvm::function_ref<bool(const llvm::Value *)> Accepts);

} // namespace gasan

#endif
