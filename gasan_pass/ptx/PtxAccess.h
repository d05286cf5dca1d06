/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finds the memory accesses of an inline asm.
#ifndef GASAN_PASS_PTX_PTXACCESS_H
#define GASAN_PASS_PTX_PTXACCESS_H

#include "base/abi.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Alignment.h"

namespace gasan {

// One access. Its values are defined before the asm.
struct PtxAccess {
  gasan_access Kind;
  llvm::Value *Address; // a pointer
  llvm::Value *Size;    // bytes, of any integer type
  llvm::Align Alignment;
  llvm::Value *Guard; // i1: the access happens if this is true; null: always
};

struct PtxAccesses {
  llvm::SmallVector<PtxAccess, 2> Known; // in program order
  // Number of accesses whose address, or condition, only the asm itself computes.
  unsigned Unknown = 0;
};

// Inserts the instructions that compute the values before the asm, which stays as it is. They access no memory.
// WithShared: includes accesses to shared memory, in its own address space.
PtxAccesses findPtxAccesses(llvm::CallInst &Asm, bool WithShared = false);

} // namespace gasan

#endif
