/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Checks that are put in at PipelineStart, where the source's types and scopes are still known: the accesses that they
// are for, and their reports.
//
// The report is a call in a cold block, with the object's description as metadata. At OptimizerLast those that are left
// become reports with a site.
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

// The load, store or atomic that I is; CUDA's atomic functions are atomics. Empty: none, or its size is not known.
// Copies are not among them.
std::optional<SourceAccess> sourceAccess(llvm::Instruction &I);

// Puts in, in front of the access: if `Bad`, its report, which does not return. The object begins at `Start`; the
// access may touch `Allowed` bytes of it.
void insertSourceFault(const SourceAccess &Access, llvm::Value *Bad, llvm::Value *Start, uint64_t Allowed,
                       const SourceObject &Object);

// At OptimizerLast: gives what is left of the reports their sites.
void lowerSourceFaults(llvm::Module &M, SiteTable &Sites);

} // namespace gasan

#endif
