/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Makes code trace its lookups and accesses (-gasan-trace). Inserts calls of the device runtime, which write records
// into a buffer (base/trace_format.h). Each access then has a check of its own: the savings are off.
#ifndef GASAN_PASS_INSTRUMENT_TRACE_H
#define GASAN_PASS_INSTRUMENT_TRACE_H

#include "gasan_pass/instrument/Access.h"

namespace gasan {

// Switches off all savings, so that each access and each root shows in the trace. Does nothing without -gasan-trace, as
// do the functions below.
void prepareTrace();
// Inserts code that counts the instructions of each block. Must be called before the checks are inserted.
void traceInstructions(llvm::Module &M);
// Inserts code that traces the access.
void traceAccess(const Access &A, uint32_t Site);
// Inserts code that traces each lookup of bounds. Must be called before expandLookups().
void traceLookups(llvm::Module &M);

} // namespace gasan

#endif
