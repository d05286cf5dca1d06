/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Buffers that a program carves out of dynamic shared memory: each has bounds of its own (Carving.h says which are
// buffers).
//
// Which variables there are is known at PipelineStart only: there, the address that a buffer begins with becomes the
// result of a call, which the optimiser can move, merge and drop, but not look through. At OptimizerLast the call is a
// root.
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

// Where a buffer begins.
bool isStart(const llvm::Value &V);
llvm::Value *addressOf(const llvm::Value &Start);
// Where the buffer that is laid behind it begins.
llvm::Value *endOf(const llvm::Value &Start);
// The region's variable, of which the buffer is a part. Null: not certain.
llvm::GlobalVariable *regionOf(const llvm::Value &Start);

// Before F is analysed, with its variables as values: the calls get the alignments of their addresses. A call whose
// region is not certain becomes its address.
void settle(llvm::Function &F);
// All checks of F are in their places: the calls become their addresses.
void leave(llvm::Function &F);

} // namespace partitions
} // namespace gasan

#endif
