/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Reports without calls, in variants of kernels that call nothing else. What ptxas does to a kernel that calls
// anything, even what never returns: small local arrays stay in memory, and loops with atomics get a YIELD. And where
// ways out of one loop join in a report, a warp's threads come together there and not behind the loop
// (docs/internals/checks.md, Reports).
#ifndef GASAN_PASS_INSTRUMENT_INLINEREPORTS_H
#define GASAN_PASS_INSTRUMENT_INLINEREPORTS_H

#include "llvm/IR/Module.h"

namespace gasan {

// Before the device runtime is linked: such kernels get calls of the report that has no branch, in loops with atomics
// one for each check.
void chooseInlineReports(llvm::Module &M);

// Behind: inlines them.
void inlineReports(llvm::Module &M);

} // namespace gasan

#endif
