/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Use of a variable after its scope, through a pointer that may be to it or to something else: null, an argument,
// another variable.
//
//   int *p = nullptr;                          p.to.t = false
//   if (n > 0) {                               t.alive = true
//     int t[4] = ...; p = &t[n & 3];           p.to.t = true
//   }                                          t.alive = false
//   if (p) *out = *p;                          if (p.to.t && !t.alive) report
//
// The optimiser may take the access for one of any value, or, where it makes values of variables, lose it. So the
// question is asked at PipelineStart, in front of each access that may go to a variable which is not certainly in scope
// there, in one function. Not at OptimizerLast, of what inlining has brought together: the optimiser makes loads of a
// merged pointer that the program does not make, behind the end of a scope too. A function may give back a pointer that
// it was given (std::max): then the address says, while all variables are in scope, which it is. Functions without such
// an access stay as they are.
//
// What a function that is called accesses is not known yet, and the optimiser may inline it. It gets a pointer to a
// variable that is out of scope by way of a call of nothing, which the optimiser does not see through and whose result
// has the bounds of such a variable.
#ifndef GASAN_PASS_INSTRUMENT_BST_SCOPECHECKS_H
#define GASAN_PASS_INSTRUMENT_BST_SCOPECHECKS_H

#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

namespace gasan {

// The variable that `Pointer` was made to point to when that was out of scope; null: it is no result of such a call.
llvm::AllocaInst *variableOutOfScope(llvm::Value &Pointer);

// The address that such a call passes on; null: `Pointer` is no result of such a call.
const llvm::Value *addressOutOfScope(const llvm::Value &Pointer);

// Takes these calls out. All checks are in their places.
void lowerOutOfScope(llvm::Module &M);

// Runs behind NameVariablesPass, which names the variables.
struct ScopeChecksPass : llvm::PassInfoMixin<ScopeChecksPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace gasan

#endif
