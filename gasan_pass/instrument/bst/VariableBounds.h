/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The bounds of roots that are variables: allocas, module variables of any address space, byval parameters.
#ifndef GASAN_PASS_INSTRUMENT_BST_VARIABLEBOUNDS_H
#define GASAN_PASS_INSTRUMENT_BST_VARIABLEBOUNDS_H

#include "gasan_pass/instrument/SiteTable.h"
#include "gasan_pass/instrument/bst/Bounds.h"
#include "gasan_pass/instrument/bst/Scopes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include <optional>

namespace gasan {

class VariableBounds {
public:
  VariableBounds(llvm::Module &M, SiteTable &Sites);

  // F is instrumented next; what was said of another function is forgotten. Nothing was put into F yet.
  void enter(llvm::Function &F);

  // Empty: it is no variable. Each root is asked for once a function. Instructions go behind the root's definition; of
  // arguments and module variables, to the entry block's first insertion point behind the allocas.
  std::optional<Bounds> of(llvm::Value *Root);

  // The size for an access `At` by a pointer that certainly points into the variable `Root`: 0 where it is out of
  // scope.
  llvm::Value *sizeAt(llvm::Value *Root, const Bounds &B, llvm::Instruction &At);

  // All checks of F are in their places.
  void leave(llvm::Function &F);

private:
  llvm::Module &M;
  SiteTable &Sites;
  llvm::Function *Current = nullptr;
  Scopes LocalScopes;

  llvm::Constant *object(const llvm::Value &Variable, uint64_t Size);
  Bounds ofAlloca(llvm::AllocaInst &Alloca);
  Bounds ofOutOfScope(llvm::AllocaInst &Variable);
  Bounds ofParameter(llvm::Argument &Parameter);
  Bounds ofGlobal(llvm::GlobalVariable &Variable);
  std::optional<Bounds> ofPartition(llvm::CallInst &Start);
  Bounds ofManaged(llvm::LoadInst &Pointer, const llvm::GlobalVariable &Variable);
  llvm::Instruction *entryPoint();
};

} // namespace gasan

#endif
