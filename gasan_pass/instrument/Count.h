/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Makes code count its checks and accesses (-gasan-count-checks): inserts calls of the device runtime, whose counters
// print_stats=1 prints. Measures what optimisations save. Not meant for measuring time.
#ifndef GASAN_PASS_INSTRUMENT_COUNT_H
#define GASAN_PASS_INSTRUMENT_COUNT_H

#include "gasan_pass/instrument/Access.h"

namespace gasan {

// Counts a check at this instruction.
void countCheck(llvm::Instruction &Where);

// Counts an access. Must be called after all decisions about checks: the call hinders analyses.
void countAccess(const Access &A);

} // namespace gasan

#endif
