/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The strings that a call of device printf reads. clang stores printf's arguments into a buffer and calls
// vprintf(format, buffer).
#ifndef GASAN_PASS_INSTRUMENT_PRINTFSTRINGS_H
#define GASAN_PASS_INSTRUMENT_PRINTFSTRINGS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"

namespace gasan {

struct PrintfString {
  llvm::Value *Pointer;
  llvm::Value *Most; // i64: printf reads no more bytes than these; all ones: it reads up to the terminator
  // Of a format that is not constant: its arguments' buffer, and of how many bytes (i64; all ones: any). Else null.
  llvm::Value *Arguments = nullptr, *Room = nullptr;
};

bool isPrintf(const llvm::CallBase &Call);

// How many bytes the arguments' buffer has. One that is not clang's own may have any number (all ones); a call without
// arguments has none.
uint64_t printfRoom(const llvm::Value *Buffer);

// The strings for %s of a constant format, or a format that is not constant. Leaves out terminated constants. Puts
// instructions before the call that access no memory but the buffer.
llvm::SmallVector<PrintfString, 2> findPrintfStrings(llvm::CallBase &Call);

} // namespace gasan

#endif
