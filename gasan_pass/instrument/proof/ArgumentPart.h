/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finds the values in a kernel that the host knows: arguments, and members of structures passed by value.
#ifndef GASAN_PASS_INSTRUMENT_PROOF_ARGUMENTPART_H
#define GASAN_PASS_INSTRUMENT_PROOF_ARGUMENTPART_H

#include "llvm/ADT/BitVector.h"
#include "llvm/IR/Function.h"
#include <optional>

namespace gasan {

struct ArgumentPart {
  unsigned Number;
  uint64_t Offset; // bytes
};

// Returns, by number, the arguments passed by value that the kernel may write to. Must be called before anything is
// inserted.
llvm::BitVector writtenStructures(const llvm::Function &Kernel);

std::optional<ArgumentPart> argumentPart(const llvm::Value &V, const llvm::BitVector &Written);

} // namespace gasan

#endif
