/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finds the kernels that may run a function, and the kernels whose stack size is unknown, by walking the module's call
// graph from each kernel.
#ifndef GASAN_PASS_INSTRUMENT_REACH_H
#define GASAN_PASS_INSTRUMENT_REACH_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Module.h"
#include <vector>

namespace gasan {

class Reach {
public:
  explicit Reach(llvm::Module &M);

  const std::vector<llvm::Function *> &kernels() const { return Kernels; }

  // Returns ascending indices in kernels(). An indirect call may reach every function whose address is taken.
  const std::vector<uint32_t> &kernelsThatReach(const llvm::Function &F) const;

  // Returns true if the kernel may recurse, call through pointers, or have variables whose size is known at run time
  // only.
  bool hasUnknownStack(uint32_t Index) const { return UnknownStack.contains(Index); }
  bool hasUnknownStack() const { return !UnknownStack.empty(); }

private:
  std::vector<llvm::Function *> Kernels;
  llvm::DenseMap<const llvm::Function *, std::vector<uint32_t>> Reaching;
  llvm::DenseSet<uint32_t> UnknownStack;
};

} // namespace gasan

#endif
