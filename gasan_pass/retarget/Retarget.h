/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Retargets an instrumented NVPTX module to x86-64: the result registers itself as a CPU image (device/cpu/image.h).
#ifndef GASAN_PASS_RETARGET_RETARGET_H
#define GASAN_PASS_RETARGET_RETARGET_H

#include "llvm/Passes/PassBuilder.h"

namespace gasan {

// Registers the pass `gasan-retarget` by name (for opt), and, if -gasan-retarget is given, at PipelineStart.
void registerRetarget(llvm::PassBuilder &Builder);

} // namespace gasan

#endif
