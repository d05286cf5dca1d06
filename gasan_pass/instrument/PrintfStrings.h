/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finds the strings that a call of device printf reads. clang stores printf's arguments into a buffer and calls
// vprintf(format, buffer).
#ifndef GASAN_PASS_INSTRUMENT_PRINTFSTRINGS_H
#define GASAN_PASS_INSTRUMENT_PRINTFSTRINGS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"

namespace gasan {

struct PrintfString {
  llvm::Value *Pointer;
  llvm::Value *Most; // i64: the most bytes that printf reads; all ones: up to the terminator
  // For a format that is not constant: the buffer of its arguments, and the buffer's size in bytes (i64; all ones:
  // unknown). Otherwise null.
  llvm::Value *Arguments = nullptr, *Room = nullptr;
};

bool isPrintf(const llvm::CallBase &Call);

// Returns the size of the arguments' buffer in bytes: all ones for a buffer that is not clang's own, 0 for a call
// without arguments.
uint64_t printfRoom(const llvm::Value *Buffer);

// Returns the %s strings of a constant format, or the format itself if it is not constant. Omits string constants that
// are terminated. May insert instructions before the call; they access no memory but the buffer.
llvm::SmallVector<PrintfString, 2> findPrintfStrings(llvm::CallBase &Call);

} // namespace gasan

#endif
