// Buffers that a program lays into dynamic shared memory (scuba IV-B): from the start of one to the start of the next.
//
//   extern __shared__ float region[];
//   float *left = region, *right = left + n;
//
// A pointer variable that is set once, to an address in the region, begins a buffer, if the option asks for it or the variable is
// marked; GASAN_NO_PARTITION excepts one. Which variables there are is known at PipelineStart only: there, the address becomes the
// result of a call, which the optimiser can move, merge and drop, but not look through. At OptimizerLast it is a root.
#ifndef GASAN_PASS_INSTRUMENT_BST_PARTITIONS_H
#define GASAN_PASS_INSTRUMENT_BST_PARTITIONS_H

#include "gasan_pass/instrument/bst/Bounds.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

namespace gasan {

// The marks, __attribute__((annotate("..."))), at pointer variables.
constexpr const char *kPartitionMark = "gasan_partition", *kNoPartitionMark = "gasan_no_partition";

struct PartitionsPass : llvm::PassInfoMixin<PartitionsPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

class Partitions {
public:
  // Nothing was put into F yet.
  void enter(llvm::Function &F);

  // Where a buffer begins.
  static bool isStart(const llvm::Value &V);
  // The region's variable, of which the buffer is a part. Null: not certain.
  static llvm::GlobalVariable *regionOf(llvm::CallInst &Start);
  // The size for an access `At` by a pointer to this buffer: up to the next one of those that have begun by then.
  llvm::Value *sizeAt(llvm::CallInst &Start, const Bounds &B, llvm::Instruction &At) const;

  // All checks of F are in their places: the calls become what they were given.
  void leave(llvm::Function &F);

private:
  llvm::SmallVector<llvm::CallInst *, 4> Starts;
  llvm::DominatorTree Tree;
};

} // namespace gasan

#endif
