/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Which functions are to be instrumented, kept true through the optimiser.
//
// clang marks them `sanitize_address`. The optimiser knows that attribute: it does not inline a function that has it
// into one that has not, or the other way round, and does not invent loads in it. So it stays until OptimizerLast,
// where our pass takes it away: LLVM's own AddressSanitizer pass, which clang puts behind ours there, finds nothing to
// do.
//   PipelineStart   MarkPass: variadic functions are expanded (Variadics.h); accesses of exempt functions become
//   !nosanitize, which survives always_inline; linkage
//                   names that the debug info left out are put in; "gasan-sanitize" of an earlier compilation
//                   (-fgpu-rdc: the linked module is optimised again) becomes sanitize_address again
//   OptimizerLast   InstrumentPass; or, compiling for -fgpu-rdc, PreparePass: sanitize_address becomes "gasan-sanitize"
#ifndef GASAN_PASS_INSTRUMENT_PREPARE_H
#define GASAN_PASS_INSTRUMENT_PREPARE_H

#include "llvm/IR/PassManager.h"

namespace gasan {

// Functions of the CUDA toolkit's math library, which clang has linked in before the first pass.
bool isLibdevice(const llvm::Function &F);

// Is the function to be instrumented? False for libdevice and the device runtime.
bool wantsInstrumentation(const llvm::Function &F);

struct MarkPass : llvm::PassInfoMixin<MarkPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

struct PreparePass : llvm::PassInfoMixin<PreparePass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace gasan

#endif
