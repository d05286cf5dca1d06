/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Variadic functions. NVPTX's backend has a caller put the arguments into a buffer and pass its address; here that is
// done at PipelineStart, so that checks see a variable of the caller's, and the CPU device code that needs no variadic
// calling convention of its own. Both are LLVM's ExpandVariadics.
#ifndef GASAN_PASS_INSTRUMENT_VARIADICS_H
#define GASAN_PASS_INSTRUMENT_VARIADICS_H

#include "llvm/IR/PassManager.h"

namespace gasan {

void expandVariadics(llvm::Module &M, llvm::ModuleAnalysisManager &Analyses);

} // namespace gasan

#endif
