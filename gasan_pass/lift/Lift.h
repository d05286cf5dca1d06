/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The lifter from PTX to LLVM IR, as a pass.
#ifndef GASAN_PASS_LIFT_LIFT_H
#define GASAN_PASS_LIFT_LIFT_H

#include "llvm/Passes/PassBuilder.h"

namespace gasan {

// Registers the pass `gasan-lift` by name, for opt, and, if -gasan-lift names a file, at PipelineStart. The pass fills
// an empty module with the file's code.
void registerLift(llvm::PassBuilder &Builder);
// Registers the lifter's last pass. Must be called when all other passes are registered.
void registerLiftEnd(llvm::PassBuilder &Builder);

} // namespace gasan

#endif
