/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Expands variadic functions. NVPTX's backend makes a caller put the arguments into a buffer and pass the buffer's
// address. This pass does so at PipelineStart. Then the checks see a variable of the caller, and the CPU device's code
// needs no variadic calling convention. Both use LLVM's ExpandVariadics.
#ifndef GASAN_PASS_INSTRUMENT_VARIADICS_H
#define GASAN_PASS_INSTRUMENT_VARIADICS_H

#include "llvm/IR/PassManager.h"

namespace gasan {

void expandVariadics(llvm::Module &M, llvm::ModuleAnalysisManager &Analyses);

} // namespace gasan

#endif
