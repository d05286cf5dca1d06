// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/LinkedCalls.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gasan {

static bool isScalar(const Type *T) {
  return T->isIntegerTy() || T->isFloatingPointTy() || T->isVectorTy() || T->isPointerTy();
}

// Converts between numbers and pointers; a wider integer has the sign of the value if its attribute says so.
static Value *convertScalar(IRBuilderBase &B, Value *V, Type *To, bool IsSigned) {
  const DataLayout &Layout = B.GetInsertBlock()->getDataLayout();
  if (V->getType() == To)
    return V;
  if (V->getType()->isPointerTy() && To->isPointerTy())
    return B.CreateAddrSpaceCast(V, To);
  if (V->getType()->isPointerTy())
    V = B.CreatePtrToInt(V, B.getIntNTy(Layout.getTypeSizeInBits(V->getType())));
  else if (!V->getType()->isIntegerTy())
    V = B.CreateBitCast(V, B.getIntNTy(Layout.getTypeSizeInBits(V->getType())));
  Type *Bits = B.getIntNTy(Layout.getTypeSizeInBits(To));
  V = IsSigned ? B.CreateSExtOrTrunc(V, Bits) : B.CreateZExtOrTrunc(V, Bits);
  return To->isPointerTy() ? B.CreateIntToPtr(V, To) : B.CreateBitCast(V, To);
}

// Converts a result, through memory if it is an aggregate. Returns null if the sizes differ.
static Value *convertResult(IRBuilderBase &B, Value *V, Type *To, Function &Caller, bool IsSigned) {
  if (isScalar(V->getType()) && isScalar(To))
    return convertScalar(B, V, To, IsSigned);
  const DataLayout &Layout = Caller.getDataLayout();
  if (Layout.getTypeAllocSize(V->getType()) != Layout.getTypeAllocSize(To))
    return nullptr;
  IRBuilder<> AtStart(&Caller.getEntryBlock(), Caller.getEntryBlock().getFirstInsertionPt());
  const Align Alignment = std::max(Layout.getABITypeAlign(V->getType()), Layout.getABITypeAlign(To));
  AllocaInst *Memory = AtStart.CreateAlloca(V->getType());
  Memory->setAlignment(Alignment);
  B.CreateStore(V, Memory)->setNoSanitizeMetadata();
  LoadInst *Result = B.CreateLoad(To, Memory);
  Result->setNoSanitizeMetadata();
  return Result;
}

// Returns false if the call cannot be converted.
static bool convertCall(CallInst &Call, Function &F) {
  FunctionType *T = F.getFunctionType();
  const bool NeedsResult = !Call.use_empty();
  if (T->isVarArg() || Call.arg_size() != T->getNumParams() || (NeedsResult && T->getReturnType()->isVoidTy()))
    return false;
  IRBuilder<> B(&Call);
  SmallVector<Value *, 8> Arguments;
  for (unsigned I = 0; I < Call.arg_size(); ++I) {
    Value *Given = Call.getArgOperand(I);
    Type *Wanted = T->getParamType(I);
    if (Given->getType() != Wanted && (!isScalar(Given->getType()) || !isScalar(Wanted) ||
                                       Call.isByValArgument(I) != F.hasParamAttribute(I, Attribute::ByVal)))
      return false;
    Arguments.push_back(convertScalar(B, Given, Wanted, Call.paramHasAttr(I, Attribute::SExt)));
  }
  CallInst *Now = B.CreateCall(&F, Arguments);
  const AttributeList Defined = F.getAttributes();
  SmallVector<AttributeSet, 8> OfParameters;
  for (unsigned I = 0; I < Call.arg_size(); ++I)
    OfParameters.push_back(Defined.getParamAttrs(I));
  Now->setAttributes(
      AttributeList::get(F.getContext(), Call.getAttributes().getFnAttrs(), Defined.getRetAttrs(), OfParameters));
  Now->setCallingConv(F.getCallingConv());
  Now->copyMetadata(Call);
  if (NeedsResult) {
    Value *Result = convertResult(B, Now, Call.getType(), *Call.getFunction(), F.hasRetAttribute(Attribute::SExt));
    if (!Result) {
      Now->eraseFromParent();
      return false;
    }
    Call.replaceAllUsesWith(Result);
  }
  Call.eraseFromParent();
  return true;
}

void joinLinkedCalls(Module &M) {
  for (Function &F : M) {
    if (F.isIntrinsic())
      continue;
    for (User *U : make_early_inc_range(F.users())) {
      auto *Call = dyn_cast<CallInst>(U);
      if (!Call || Call->getCalledOperand() != &F || Call->getFunctionType() == F.getFunctionType())
        continue;
      if (convertCall(*Call, F) || F.isDeclaration())
        continue;
      M.getContext().emitError("gasan: '" + demangle(Call->getFunction()->getName()) + "' calls '" +
                               demangle(F.getName()) + "' with other parameters than another file defines it with");
      return;
    }
  }
}

} // namespace gasan
