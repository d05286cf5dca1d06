/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Inserts checks at PipelineStart, where the source's types and scopes are still known, and gives them reports.
//
// The report is a call in a cold block, with the object's description as metadata. At OptimizerLast, the remaining
// calls become reports with sites.
#ifndef GASAN_PASS_INSTRUMENT_BST_SOURCEFAULTS_H
#define GASAN_PASS_INSTRUMENT_BST_SOURCEFAULTS_H

#include "gasan_pass/instrument/SiteTable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include <optional>

namespace gasan {

struct SourceAccess {
  llvm::Instruction *Where;
  llvm::Value *Pointer;
  uint64_t Size;
  gasan_access Kind;
};

// Describes the load, store or atomic that I is. CUDA's atomic functions count as atomics; copies do not count. Empty:
// I is none of these, or its size is not known.
std::optional<SourceAccess> sourceAccess(llvm::Instruction &I);

// Inserts before the access: if `Bad`, report the access, which does not return. The object begins at `Start`; the
// access may touch `Allowed` bytes of it.
void insertSourceFault(const SourceAccess &Access, llvm::Value *Bad, llvm::Value *Start, uint64_t Allowed,
                       const SourceObject &Object);

// Gives the remaining reports numbers, at OptimizerLast. Copies of a function have the same numbers.
void numberSourceFaults(llvm::Module &M);

// Gives the remaining reports their sites, after numberSourceFaults().
void lowerSourceFaults(llvm::Module &M, SiteTable &Sites);

// Returns the reports that lowerSourceFaults() left in the function or in a copy of it.
llvm::SmallVector<llvm::CallInst *, 4> sourceFaultsOf(llvm::Function &F);

// Returns the report's number in its module.
unsigned numberOfSourceFault(const llvm::CallInst &Fault);

// Returns the branches of the check that lead to the report. Checks of an unrolled loop may share a report. Empty: the
// report is also reached in other ways.
llvm::SmallVector<llvm::BranchInst *, 4> branchesToFault(const llvm::CallInst &Fault);

// Removes a check that never fails. Leaves a check without branchesToFault() unchanged.
void dropSourceFault(llvm::CallInst &Fault);

// Makes the check fail only if IsOn, an i1 that dominates the check, is true. Leaves a check without branchesToFault()
// unchanged.
void guardSourceFault(llvm::CallInst &Fault, llvm::Value &IsOn);

} // namespace gasan

#endif
