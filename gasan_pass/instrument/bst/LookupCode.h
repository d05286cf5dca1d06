/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Helps to call the device runtime's functions that look up pointers.
#ifndef GASAN_PASS_INSTRUMENT_BST_LOOKUPCODE_H
#define GASAN_PASS_INSTRUMENT_BST_LOOKUPCODE_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

namespace gasan {

struct LookupKind {
  const char *Name, *Any; // the name that instrumented code calls, and the function for every kind of pointer
};

// Returns null if I is no call of one of these.
inline const LookupKind *lookupKind(const llvm::Instruction &I, llvm::ArrayRef<LookupKind> Kinds) {
  const auto *Call = llvm::dyn_cast<llvm::CallInst>(&I);
  const llvm::Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  const LookupKind *Found =
      Callee ? llvm::find_if(Kinds, [&](const LookupKind &K) { return Callee->getName() == K.Name; }) : Kinds.end();
  return Found == Kinds.end() ? nullptr : Found;
}

inline void eraseUnused(llvm::Module &M, llvm::ArrayRef<LookupKind> Kinds) {
  for (const LookupKind &K : Kinds)
    if (llvm::Function *F = M.getFunction(K.Name); F && F->use_empty())
      F->eraseFromParent();
}

class LookupCode {
protected:
  using Pair = std::array<llvm::Value *, 2>; // base and size

  llvm::Module &M;
  llvm::Type *I64;
  llvm::MDNode *Likely;

  explicit LookupCode(llvm::Module &M)
      : M(M), I64(llvm::Type::getInt64Ty(M.getContext())),
        Likely(llvm::MDBuilder(M.getContext()).createLikelyBranchWeights()) {}

  llvm::CallInst *call(llvm::IRBuilderBase &B, const char *Name, llvm::Type *Result,
                       llvm::ArrayRef<llvm::Value *> Arguments) {
    llvm::SmallVector<llvm::Type *, 5> Types;
    for (llvm::Value *Argument : Arguments)
      Types.push_back(Argument->getType());
    auto *Type = llvm::FunctionType::get(Result, Types, /*isVarArg=*/false);
    llvm::CallInst *Call = B.CreateCall(M.getOrInsertFunction(Name, Type), Arguments);
    Call->setDoesNotThrow();
    return Call;
  }

  Pair find(llvm::IRBuilderBase &B, const char *Name, llvm::ArrayRef<llvm::Value *> Arguments) {
    llvm::CallInst *Found = call(B, Name, llvm::StructType::get(I64, I64), Arguments);
    return {B.CreateExtractValue(Found, 0), B.CreateExtractValue(Found, 1)};
  }
};

} // namespace gasan

#endif
