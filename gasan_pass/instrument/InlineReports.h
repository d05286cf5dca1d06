/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Inlines reports in kernel variants that make no other calls. Any call, even one that never returns, makes ptxas keep
// small local arrays in memory and put a YIELD into loops with atomics. If the exits of one loop meet in a report,
// ptxas reconverges a warp's threads at the report instead of after the loop (docs/internals/checks.md, Reports).
#ifndef GASAN_PASS_INSTRUMENT_INLINEREPORTS_H
#define GASAN_PASS_INSTRUMENT_INLINEREPORTS_H

#include "llvm/IR/Module.h"

namespace gasan {

// Makes the checks of such kernels call the branch-free report function. In loops with atomics, each check has its own
// call. Must be called before the device runtime is linked.
void chooseInlineReports(llvm::Module &M);

// Inlines these calls. Must be called after the device runtime is linked.
void inlineReports(llvm::Module &M);

} // namespace gasan

#endif
