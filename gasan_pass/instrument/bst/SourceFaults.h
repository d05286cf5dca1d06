/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Inserts checks at PipelineStart, where the source's types and scopes are still known, and gives them reports.
//
// The report is a call in a cold block, with the object's description as metadata. At OptimizerLast, the remaining
// calls become reports with sites.
#ifndef GASAN_PASS_INSTRUMENT_BST_SOURCEFAULTS_H
#define GASAN_PASS_INSTRUMENT_BST_SOURCEFAULTS_H

#include "gasan_pass/instrument/SiteTable.h"
#include "llvm/IR/IRBuilder.h"
#include <optional>

namespace gasan {

struct SourceAccess {
  llvm::Instruction *Where;
  llvm::Value *Pointer;
  uint64_t Size;
  gasan_access Kind;
};

// Returns the load, store or atomic that I is; CUDA's atomic functions count as atomics, copies do not count. Empty: I
// is none, or its size is not known.
std::optional<SourceAccess> sourceAccess(llvm::Instruction &I);

// Inserts before the access: if `Bad`, report the access, which does not return. The object begins at `Start`; the
// access may touch `Allowed` bytes of it.
void insertSourceFault(const SourceAccess &Access, llvm::Value *Bad, llvm::Value *Start, uint64_t Allowed,
                       const SourceObject &Object);

// Gives the remaining reports their sites, at OptimizerLast.
void lowerSourceFaults(llvm::Module &M, SiteTable &Sites);

// Returns the reports that lowerSourceFaults() left in the function. Must be called before other reports are inserted.
llvm::SmallVector<llvm::CallInst *, 4> sourceFaultsOf(llvm::Function &F);

} // namespace gasan

#endif
