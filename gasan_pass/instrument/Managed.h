/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// __managed__ variables, which clang 22 does not have in CUDA. driver/gasan_managed.h makes them annotated __device__
// variables; this pass lets device code reach them through a pointer, NAME__gasan_managed, that the host sets to the
// memory of its own variable before the first launch. The device's variable itself only holds the initial value.
//
// It runs at PipelineStart. With -fgpu-rdc that is twice: what another object declared becomes known in the linked
// module.
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
