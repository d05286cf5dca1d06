// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/retarget/Steps.h"
#include "llvm/IR/DiagnosticInfo.h"

using namespace llvm;

namespace gasan {

void warnUnsupported(const Instruction &At, const Twine &What) {
  At.getContext().diagnose(DiagnosticInfoUnsupported(*At.getFunction(), What + " is not supported on the CPU device",
                                                     At.getDebugLoc(), DS_Warning));
}

void callUnsupported(Instruction &At, StringRef What) {
  IRBuilder<> Builder(&At);
  FunctionCallee Callee =
      At.getModule()->getOrInsertFunction("gasan_cpu_unsupported", Builder.getVoidTy(), Builder.getPtrTy());
  cast<Function>(Callee.getCallee())->addFnAttr(Attribute::NoReturn);
  Builder.CreateCall(Callee, Builder.CreateGlobalString(What, "gasan.unsupported", 0, At.getModule()));
}

Value *convertBits(IRBuilderBase &Builder, Value *V, Type *To) {
  if (V->getType() == To)
    return V;
  if (V->getType()->isPointerTy() && To->isPointerTy())
    return Builder.CreateAddrSpaceCast(V, To);
  return Builder.CreateBitOrPointerCast(V, To);
}

CallInst *callHelper(IRBuilderBase &Builder, const Function &Helper, ArrayRef<Value *> Arguments) {
  Module &M = *Builder.GetInsertBlock()->getModule();
  FunctionType *Type = Helper.getFunctionType();
  FunctionCallee Callee = M.getOrInsertFunction(Helper.getName(), Type);
  SmallVector<Value *, 8> Converted;
  for (auto [Argument, Parameter] : zip_equal(Arguments, Type->params()))
    Converted.push_back(convertBits(Builder, Argument, Parameter));
  CallInst *Call = Builder.CreateCall(Callee, Converted);
  // The call needs sign and zero extension, too; attributes of the function come with its definition.
  Call->setAttributes(Helper.getAttributes().removeFnAttributes(M.getContext()));
  if (Helper.hasFnAttribute(Attribute::Convergent))
    Call->setConvergent();
  return Call;
}

void moveToEntry(IRBuilderBase &Builder, Function &F) {
  BasicBlock &Entry = F.getEntryBlock();
  Builder.SetInsertPoint(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
  // Code at the entry has no line; the builder would take the next instruction's.
  Builder.SetCurrentDebugLocation(DebugLoc());
}

} // namespace gasan
