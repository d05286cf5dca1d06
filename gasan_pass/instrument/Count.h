/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Makes code count its checks and accesses (-gasan-count-checks). Inserts calls of the device runtime, whose counters
// print_stats=1 prints. The counts show what optimisations save; the run time of such code means nothing.
#ifndef GASAN_PASS_INSTRUMENT_COUNT_H
#define GASAN_PASS_INSTRUMENT_COUNT_H

#include "gasan_pass/instrument/Access.h"

namespace gasan {

// Inserts code that counts a check at this instruction.
void countCheck(llvm::Instruction &Where);

// Inserts code that counts an access. Must be called after all decisions about checks, because the inserted call
// hinders analyses.
void countAccess(const Access &A);

} // namespace gasan

#endif
