/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Inlines reports in variants of kernels that call nothing else. A call, even one that never returns, makes ptxas keep
// small local arrays in memory, and put a YIELD into loops with atomics. And if the exits of one loop meet in a report,
// ptxas reconverges a warp's threads there and not behind the loop (docs/internals/checks.md, Reports).
#ifndef GASAN_PASS_INSTRUMENT_INLINEREPORTS_H
#define GASAN_PASS_INSTRUMENT_INLINEREPORTS_H

#include "llvm/IR/Module.h"

namespace gasan {

// Makes such kernels call the report that has no branch; in loops with atomics, each check has its own call. Must be
// called before the device runtime is linked.
void chooseInlineReports(llvm::Module &M);

// Inlines these calls. Must be called after the device runtime is linked.
void inlineReports(llvm::Module &M);

} // namespace gasan

#endif
