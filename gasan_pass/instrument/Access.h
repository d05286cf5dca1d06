/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The memory accesses of a function.
#ifndef GASAN_PASS_INSTRUMENT_ACCESS_H
#define GASAN_PASS_INSTRUMENT_ACCESS_H

#include "base/abi.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/Alignment.h"

namespace gasan {

struct Access {
  llvm::Instruction *Where = nullptr;
  llvm::Value *Pointer = nullptr;     // a vector of them for gather and scatter
  uint64_t Size = 0;                  // bytes; 0: RunTimeSize says it
  llvm::Value *RunTimeSize = nullptr; // any integer type, unsigned
  llvm::Align Alignment;
  gasan_access Kind = GASAN_ACCESS_READ;
  // One lane of a masked vector access: it happens if Mask[Lane] is true.
  llvm::Value *Mask = nullptr;
  unsigned Lane = 0;
  llvm::Value *Guard = nullptr; // i1: it happens if this is true; null: always
  // Of a string: printf reads up to its terminator, at most so many bytes (i64). Size and RunTimeSize are not set then.
  llvm::Value *Most = nullptr;
  llvm::Value *Arguments = nullptr, *Room = nullptr; // of a format that is not constant (PrintfStrings.h)
};

// Inline PTX too, whatever it claims of itself.
bool mayAccessMemory(const llvm::Instruction &I);

// False: it points into memory that is none of the pool's for certain (shared, local, constant and parameter space).
bool mayTouchGlobal(const llvm::Value *Pointer);

struct FoundAccesses {
  llvm::SmallVector<Access, 16> Checkable; // in program order
  // Accesses by instructions, tensor copies and inline PTX, of which it is not known what they touch.
  unsigned Uncheckable = 0;
};

enum class AccessSpaces {
  Global, // what has a shadow byte: no shared, local, constant or parameter space, nothing that certainly stays in a
          // variable
  All,    // what has bounds
};

// Every access of F in these spaces but those that are marked !nosanitize. Puts instructions that compute addresses
// before inline PTX and tile accesses; they access no memory themselves.
FoundAccesses findAccesses(llvm::Function &F, AccessSpaces Spaces);

} // namespace gasan

#endif
