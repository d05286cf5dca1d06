/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What may be part of a batch of checks (BoundsCheckBatches.cpp).
#ifndef GASAN_PASS_INSTRUMENT_BST_BATCHES_H
#define GASAN_PASS_INSTRUMENT_BST_BATCHES_H

#include "llvm/IR/Instruction.h"

namespace gasan {

inline constexpr size_t kMostTogether = 8; // checks of a batch: addresses and loaded values stay in registers

// Returns true for calls that LLVM takes for accesses, but that neither read nor write the program's memory.
bool touchesNoMemory(const llvm::Instruction &I);

// Returns true if the checks of accesses after I may not be made before I: other threads can wait for I, or I may end
// the thread.
bool endsBatch(const llvm::Instruction &I);

} // namespace gasan

#endif
