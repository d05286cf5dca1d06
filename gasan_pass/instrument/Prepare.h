/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Marks the functions to instrument, and preserves the marks through all optimisations.
//
// clang marks these functions `sanitize_address`. The attribute also restricts the optimiser. It does not inline
// between marked and unmarked functions. In marked functions it does not speculate loads, nor reuse a value that
// another block has loaded. In bounds mode the latter restriction costs time and saves no report: the optimiser
// speculates a load only where the memory certainly exists, such a load is in bounds, and the checks of scopes are
// inserted before the optimiser runs. So bounds mode marks the functions `sanitize_memtag`, which only restricts
// inlining. At OptimizerLast our pass removes the marks, so LLVM's own AddressSanitizer pass, which clang runs after
// ours, has nothing to do.
//
//   PipelineStart   MarkPass: expands variadic functions (Variadics.h); makes calls agree with the functions of other
//                   files (LinkedCalls.h); marks accesses of exempt functions !nosanitize, which survives
//                   always_inline; adds linkage names that the debug info lacks; turns "gasan-sanitize" of an earlier
//                   compilation (-fgpu-rdc: the linked module is optimised again) back into sanitize_address; in bounds
//                   mode, turns sanitize_address into "gasan-sanitize" with sanitize_memtag
//   OptimizerLast   InstrumentPass; or, compiling for -fgpu-rdc, PreparePass: turns sanitize_address into
//                   "gasan-sanitize", and removes sanitize_memtag
#ifndef GASAN_PASS_INSTRUMENT_PREPARE_H
#define GASAN_PASS_INSTRUMENT_PREPARE_H

#include "llvm/IR/PassManager.h"

namespace gasan {

// Returns true for functions of the CUDA toolkit's math library, which clang links in before the first pass.
bool isLibdevice(const llvm::Function &F);

// Returns true if the function is to be instrumented. Returns false for libdevice and the device runtime.
bool wantsInstrumentation(const llvm::Function &F);

// Removes all marks.
void unmark(llvm::Function &F);

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
