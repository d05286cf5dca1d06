/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What reports call a variable, kept through the optimiser.
//
// The optimiser gets line tables only (anything more would be work for it, and of no use to ptxas), so the names are
// taken from clang's debug info at PipelineStart and put at the variables themselves.
#ifndef GASAN_PASS_INSTRUMENT_BST_VARIABLENAMES_H
#define GASAN_PASS_INSTRUMENT_BST_VARIABLENAMES_H

#include "gasan_pass/instrument/SiteTable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

namespace gasan {

// Runs before MarkPass, which completes what is left of the debug info.
struct NameVariablesPass : llvm::PassInfoMixin<NameVariablesPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

// Of a variable that no source names.
void nameVariable(llvm::AllocaInst &Variable, llvm::StringRef Name);

// To a function whose result takes the variable's place.
void copyVariableName(const llvm::AllocaInst &From, llvm::Function &To);

// Of an alloca, a module variable, a parameter in memory or a call of a function that has got a name (Partitions.h):
// all but the size. Where the optimiser has made a new variable of an old one, only the function is known.
SourceObject describeVariable(const llvm::Value &Variable);

} // namespace gasan

#endif
