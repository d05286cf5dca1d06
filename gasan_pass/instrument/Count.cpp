// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/Count.h"
#include "gasan_pass/Options.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gasan {
namespace {

void add(IRBuilderBase &B, const char *Counter, Value *HowMany) {
  Module &M = *B.GetInsertBlock()->getModule();
  FunctionCallee Callee = M.getOrInsertFunction(Counter, B.getVoidTy(), B.getInt32Ty());
  if (auto *F = dyn_cast<Function>(Callee.getCallee()))
    for (Attribute::AttrKind Kind : {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoCallback})
      F->addFnAttr(Kind);
  B.CreateCall(Callee, {HowMany});
}

} // namespace

void countCheck(Instruction &Where) {
  if (!CountChecks)
    return;
  IRBuilder<> B(&Where);
  add(B, "__gasan_count_checks", B.getInt32(1));
}

void countAccess(const Access &A) {
  if (!CountChecks)
    return;
  IRBuilder<> B(A.Where);
  Value *Happens = B.getInt32(1);
  for (Value *Condition : {A.Guard, A.Mask ? B.CreateExtractElement(A.Mask, A.Lane) : nullptr})
    if (Condition)
      Happens = B.CreateAnd(Happens, B.CreateZExt(B.CreateFreeze(Condition), B.getInt32Ty()));
  add(B, "__gasan_count_accesses", Happens);
}

} // namespace gasan
