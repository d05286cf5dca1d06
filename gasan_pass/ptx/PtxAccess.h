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
  // Number of accesses whose address or condition is computed inside the asm, in a way that cannot be followed.
  unsigned Unknown = 0;
};

// Returns the accesses. Inserts instructions before the asm that compute the values; they access no memory. Leaves the
// asm unchanged. WithShared: includes accesses to shared memory, in its own address space.
PtxAccesses findPtxAccesses(llvm::CallInst &Asm, bool WithShared = false);

} // namespace gasan

#endif
