/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Checks for uses of a variable after its scope, through a pointer that may point to the variable or to something else:
// null, an argument, another variable.
//
//   int *p = nullptr;                          p.to.t = false
//   if (n > 0) {                               t.alive = true
//     int t[4] = ...; p = &t[n & 3];           p.to.t = true
//   }                                          t.alive = false
//   if (p) *out = *p;                          if (p.to.t && !t.alive) report
//
// Without the check, the optimiser may replace such an access by any value, or drop it when it promotes variables. So
// the check is inserted at PipelineStart, before each access that may touch a variable which is not certainly in scope
// there. The analysis covers one function at a time. The check cannot be inserted at OptimizerLast, after inlining: the
// optimiser speculates loads of a merged pointer that the program does not make, also after the end of a scope. A
// function may return a pointer that was passed to it (std::max). Then the address decides which variable it is, while
// all variables are in scope. Functions without such an access stay unchanged.
//
// The accesses of a called function are not known yet, because the optimiser may inline the function. So a pointer to a
// variable that is out of scope is passed to the function through the result of an opaque call. This result has the
// bounds of a dead variable.
#ifndef GASAN_PASS_INSTRUMENT_BST_SCOPECHECKS_H
#define GASAN_PASS_INSTRUMENT_BST_SCOPECHECKS_H

#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

namespace gasan {

// Returns the variable that the opaque call `Pointer` stands for. Null: it is no such call.
llvm::AllocaInst *variableOutOfScope(llvm::Value &Pointer);

// Returns the address that the opaque call `Pointer` passes on. Null: it is no such call.
const llvm::Value *addressOutOfScope(const llvm::Value &Pointer);

// Removes the opaque calls. Must be called after all checks were inserted.
void lowerOutOfScope(llvm::Module &M);

// Runs after NameVariablesPass, which names the variables.
struct ScopeChecksPass : llvm::PassInfoMixin<ScopeChecksPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace gasan

#endif
