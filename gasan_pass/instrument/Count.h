/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Code that counts what it checks and what it accesses (-gasan-count-checks): calls of the device runtime, whose
// counters print_stats=1 prints. To measure what optimisations save, not time.
#ifndef GASAN_PASS_INSTRUMENT_COUNT_H
#define GASAN_PASS_INSTRUMENT_COUNT_H

#include "gasan_pass/instrument/Access.h"

namespace gasan {

// A check is executed here.
void countCheck(llvm::Instruction &Where);

// An access happens here. To be called when it is decided what is checked: a call is in the way of analyses.
void countAccess(const Access &A);

} // namespace gasan

#endif
