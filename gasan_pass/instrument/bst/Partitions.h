/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Gives buffers that a program carves out of dynamic shared memory bounds of their own (Carving.h finds the buffers).
//
// The source's variables are known only at PipelineStart. There, a buffer's address becomes the result of a call that
// the optimiser can move, merge and drop, but not look through. At OptimizerLast this call is a root.
#ifndef GASAN_PASS_INSTRUMENT_BST_PARTITIONS_H
#define GASAN_PASS_INSTRUMENT_BST_PARTITIONS_H

#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

namespace gasan {

struct PartitionsPass : llvm::PassInfoMixin<PartitionsPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

namespace partitions {

// Returns true for the call that begins a buffer.
bool isStart(const llvm::Value &V);
llvm::Value *addressOf(const llvm::Value &Start);
// Returns the address where the next buffer begins.
llvm::Value *endOf(const llvm::Value &Start);
// Returns the variable of the region that the buffer is in. Null: not certain.
llvm::GlobalVariable *regionOf(const llvm::Value &Start);

// Gives each call the alignment of its address. Replaces a call whose region is not certain by its address. Must be
// called after F's variables were promoted and before F is analysed.
void settle(llvm::Function &F);
// Replaces the calls by their addresses. Must be called after F's checks were inserted.
void leave(llvm::Function &F);

} // namespace partitions
} // namespace gasan

#endif
