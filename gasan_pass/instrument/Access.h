/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finds the memory accesses of a function.
#ifndef GASAN_PASS_INSTRUMENT_ACCESS_H
#define GASAN_PASS_INSTRUMENT_ACCESS_H

#include "base/abi.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/Alignment.h"

namespace gasan {

struct Access {
  llvm::Instruction *Where = nullptr;
  llvm::Value *Pointer = nullptr;     // a vector of pointers for gather and scatter
  uint64_t Size = 0;                  // bytes; 0: the size is RunTimeSize
  llvm::Value *RunTimeSize = nullptr; // any integer type, unsigned
  llvm::Align Alignment;
  gasan_access Kind = GASAN_ACCESS_READ;
  // For one lane of a masked vector access: the access happens if Mask[Lane] is true.
  llvm::Value *Mask = nullptr;
  unsigned Lane = 0;
  llvm::Value *Guard = nullptr; // i1: the access happens if this is true; null: always
  // For a string that printf reads: the greatest number of bytes that printf reads up to the terminator (i64). Size and
  // RunTimeSize are then not set.
  llvm::Value *Most = nullptr;
  llvm::Value *Arguments = nullptr, *Room = nullptr; // for a printf format that is not constant (PrintfStrings.h)
};

// Returns true if the instruction may access memory. Returns true for all inline PTX, even if the asm is not marked as
// accessing memory.
bool mayAccessMemory(const llvm::Instruction &I);

// Returns false if the pointer certainly points into memory outside of every pool: shared, local, constant or parameter
// space.
bool mayTouchGlobal(const llvm::Value *Pointer);

struct FoundAccesses {
  llvm::SmallVector<Access, 16> Checkable; // in program order
  // Number of accesses (instructions, tensor copies, inline PTX) whose addresses the pass cannot determine.
  unsigned Uncheckable = 0;
};

enum class AccessSpaces {
  // Memory with shadow bytes. Excludes shared, local, constant and parameter space, and accesses that certainly stay
  // inside a variable.
  Global,
  All, // All memory that has bounds.
};

// Returns every access of F in these spaces, except accesses marked !nosanitize. Inserts instructions before inline PTX
// and tile accesses that compute the addresses; these instructions access no memory.
FoundAccesses findAccesses(llvm::Function &F, AccessSpaces Spaces);

} // namespace gasan

#endif
