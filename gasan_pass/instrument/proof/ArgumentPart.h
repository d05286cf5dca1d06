/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What of a kernel's values the host knows: arguments, and members of structures that are passed by value.
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

// By number: the arguments by value that the kernel may write to. Asked for before anything is put in.
llvm::BitVector writtenStructures(const llvm::Function &Kernel);

std::optional<ArgumentPart> argumentPart(const llvm::Value &V, const llvm::BitVector &Written);

} // namespace gasan

#endif
