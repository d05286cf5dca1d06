/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Implements __managed__ variables, which clang 22 does not have in CUDA. driver/gasan_managed.h makes them annotated
// __device__ variables. This pass makes device code access them through a pointer, NAME__gasan_managed, which the host
// sets to its own variable's memory before the first launch. The device variable itself only stores the initial value.
//
// Runs at PipelineStart. With -fgpu-rdc it runs twice: the linked module shows which variables that another object
// declared are managed.
#ifndef GASAN_PASS_INSTRUMENT_MANAGED_H
#define GASAN_PASS_INSTRUMENT_MANAGED_H

#include "llvm/IR/PassManager.h"

namespace gasan {

struct ManagedPass : llvm::PassInfoMixin<ManagedPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace gasan

#endif
