/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Computes the bounds of roots that are variables: allocas, module variables of any address space, and byval
// parameters.
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

  // Starts with the function F, and forgets the previous one. Must be called before anything is inserted into F.
  void enter(llvm::Function &F);

  // Returns the bounds. Empty: Root is not a variable. Must be called once for each root and function. Inserts
  // instructions after the root's definition; for arguments and module variables, in the entry block after the allocas.
  std::optional<Bounds> of(llvm::Value *Root);

  // Returns the size for an access `At` through a pointer that certainly points into the variable `Root`: 0 if the
  // variable is out of scope.
  llvm::Value *sizeAt(llvm::Value *Root, const Bounds &B, llvm::Instruction &At);

  // Must be called after F's checks were inserted.
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
