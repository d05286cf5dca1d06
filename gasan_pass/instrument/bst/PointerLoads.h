/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Loads pointers as pointers. The optimiser copies a small struct as integers, so the pointer in a struct that a kernel
// gets by value (each thrust::device_ptr is one) becomes an integer:
//
//   %n = load i64, ptr %functor          %p = load ptr, ptr %functor
//   %p = inttoptr i64 %n to ptr
//
// As a pointer, the value is an argument of the launch, whose bounds the launch supplies, and one root instead of one
// for each conversion. A sum of the number and another number stays a sum of numbers (isOfTwoNumbers()).
#ifndef GASAN_PASS_INSTRUMENT_BST_POINTERLOADS_H
#define GASAN_PASS_INSTRUMENT_BST_POINTERLOADS_H

#include "llvm/IR/Function.h"

namespace gasan {

void loadPointers(llvm::Function &F);

} // namespace gasan

#endif
