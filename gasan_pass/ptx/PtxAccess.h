/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The memory accesses that an inline asm makes.
#ifndef GASAN_PASS_PTX_PTXACCESS_H
#define GASAN_PASS_PTX_PTXACCESS_H

#include "base/abi.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Alignment.h"

namespace gasan {

// Its values are there before the asm runs.
struct PtxAccess {
  gasan_access Kind;
  llvm::Value *Address; // a pointer
  llvm::Value *Size;    // bytes, of any integer type
  llvm::Align Alignment;
  llvm::Value *Guard; // i1: the access happens if it is true; null: always
};

struct PtxAccesses {
  llvm::SmallVector<PtxAccess, 2> Known; // in program order
  // Accesses that may happen, but where, or whether, only the asm itself finds out.
  unsigned Unknown = 0;
};

// Instructions that compute the values are put before the asm, which stays as it is. They access no memory. WithShared:
// of shared memory too, in its own address space.
PtxAccesses findPtxAccesses(llvm::CallInst &Asm, bool WithShared = false);

} // namespace gasan

#endif
