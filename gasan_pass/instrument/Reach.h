// Which kernels may run a function: the module's call graph, walked from each kernel.
#ifndef GASAN_PASS_INSTRUMENT_REACH_H
#define GASAN_PASS_INSTRUMENT_REACH_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Module.h"
#include <vector>

namespace gasan {

class Reach {
public:
  explicit Reach(llvm::Module &M);

  const std::vector<llvm::Function *> &kernels() const { return Kernels; }

  // Ascending indices in kernels(). An indirect call may reach every function whose address is taken.
  const std::vector<uint32_t> &kernelsThatReach(const llvm::Function &F) const;

private:
  std::vector<llvm::Function *> Kernels;
  llvm::DenseMap<const llvm::Function *, std::vector<uint32_t>> Reaching;
};

} // namespace gasan

#endif
