/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Preserves the variables' names for reports through all optimisations.
//
// The optimiser gets line tables only: anything more costs compile time and is of no use to ptxas. So the names are
// taken from clang's debug info at PipelineStart and attached to the variables themselves.
#ifndef GASAN_PASS_INSTRUMENT_BST_VARIABLENAMES_H
#define GASAN_PASS_INSTRUMENT_BST_VARIABLENAMES_H

#include "gasan_pass/instrument/SiteTable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

namespace gasan {

// Runs before MarkPass, which completes the remaining debug info.
struct NameVariablesPass : llvm::PassInfoMixin<NameVariablesPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

// Names a variable that has no name in the source.
void nameVariable(llvm::AllocaInst &Variable, llvm::StringRef Name);

// Gives the name to a function whose result replaces the variable.
void copyVariableName(const llvm::AllocaInst &From, llvm::Function &To);

// Describes an alloca, a module variable, a parameter in memory, or a call of a function that got a name
// (Partitions.h), except for the size. For a variable that the optimiser created, only the function is known.
SourceObject describeVariable(const llvm::Value &Variable);

} // namespace gasan

#endif
