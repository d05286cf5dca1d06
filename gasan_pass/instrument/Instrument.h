/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Instruments device code: inserts the checks and the site table, and links the device runtime.
#ifndef GASAN_PASS_INSTRUMENT_INSTRUMENT_H
#define GASAN_PASS_INSTRUMENT_INSTRUMENT_H

#include "llvm/Passes/PassBuilder.h"

namespace gasan {

// Registers the passes `gasan-mark`, `gasan-prepare` and `gasan-instrument` by name, for opt. If the options request
// them, also registers them at PipelineStart (mark) and at OptimizerLast (instrument or prepare). The passes change
// NVPTX modules only.
void registerInstrument(llvm::PassBuilder &Builder);

} // namespace gasan

#endif
