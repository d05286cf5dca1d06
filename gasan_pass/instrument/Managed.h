/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Implements __managed__ variables, which clang 22 does not support in CUDA. driver/gasan_managed.h turns them into
// annotated __device__ variables. This pass makes device code access such a variable through a pointer,
// NAME__gasan_managed. Before the first launch, the host stores the address of its own variable in the pointer. The
// device variable only holds the initial value.
//
// Runs at PipelineStart. With -fgpu-rdc it runs again on the linked module, where the definition of a variable that
// another object only declares shows whether the variable is managed.
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
