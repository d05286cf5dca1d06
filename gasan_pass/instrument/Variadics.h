/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Expands variadic functions at PipelineStart with LLVM's ExpandVariadics, as NVPTX's back end does later: the caller
// stores the arguments in a buffer and passes the buffer's address. After the early expansion, the checks see a
// variable of the caller, and the CPU device's code needs no variadic calling convention.
#ifndef GASAN_PASS_INSTRUMENT_VARIADICS_H
#define GASAN_PASS_INSTRUMENT_VARIADICS_H

#include "llvm/IR/PassManager.h"

namespace gasan {

void expandVariadics(llvm::Module &M, llvm::ModuleAnalysisManager &Analyses);

} // namespace gasan

#endif
