// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/HandleAccess.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/AddressOperands.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace gasan {
namespace {

bool mayBeHandle(const Value *Operand) {
  if (isa<Constant>(Operand))
    return false; // a variable, or an address made up by the program
  return Operand->getType()->isIntegerTy() || mayTouchGlobal(Operand);
}

} // namespace

Value *HandleAccess::callAccess(IRBuilderBase &B, Value *Pointer, Value *Size, uint32_t Site) {
  Type *I64 = B.getInt64Ty();
  FunctionCallee Entry = M.getOrInsertFunction("__gasan_access", I64, I64, I64, B.getInt32Ty());
  return B.CreateCall(Entry, {B.CreatePtrToInt(Pointer, I64), Size, B.getInt32(Site)});
}

Value *HandleAccess::callTranslate(IRBuilderBase &B, Value *Address) {
  FunctionCallee Entry = M.getOrInsertFunction("__gasan_translate", B.getInt64Ty(), B.getInt64Ty());
  return B.CreateCall(Entry, {Address});
}

void HandleAccess::replace(IRBuilderBase &B, Use &Operand, Value *Address) {
  Type *Wanted = Operand->getType();
  Operand.set(Wanted->isPointerTy() ? B.CreateIntToPtr(Address, Wanted) : Address);
  Translated.insert(&Operand);
}

void HandleAccess::check(const Access &A, uint32_t Site) {
  IRBuilder<> B(A.Where);
  Value *Pointer = A.Pointer;
  Value *Size = A.RunTimeSize ? B.CreateZExtOrTrunc(A.RunTimeSize, B.getInt64Ty()) : B.getInt64(A.Size);
  if (A.Mask) { // a lane that is switched off accesses 0 bytes
    Size = B.CreateSelect(B.CreateExtractElement(A.Mask, A.Lane), Size, B.getInt64(0));
    Pointer = Pointer->getType()->isVectorTy() ? B.CreateExtractElement(Pointer, A.Lane)
                                               : B.CreateConstGEP1_64(B.getInt8Ty(), Pointer, A.Lane * A.Size);
  }
  if (A.Guard)
    Size = B.CreateSelect(B.CreateFreeze(A.Guard), Size, B.getInt64(0));
  Value *Address = callAccess(B, Pointer, Size, Site);
  if (A.Mask || A.Guard)
    return;
  for (Use *Operand : addressOperands(*A.Where))
    if (Operand->get() == A.Pointer && !Translated.contains(Operand)) {
      replace(B, *Operand, Address);
      break;
    }
}

void HandleAccess::translateOperand(Use &Operand) {
  IRBuilder<> B(cast<Instruction>(Operand.getUser()));
  Value *Old = Operand.get();
  if (auto *Vector = dyn_cast<FixedVectorType>(Old->getType())) {
    Value *New = Old;
    for (unsigned Lane = 0; Lane < Vector->getNumElements(); ++Lane) {
      Value *Address = B.CreatePtrToInt(B.CreateExtractElement(Old, Lane), B.getInt64Ty());
      New = B.CreateInsertElement(New, B.CreateIntToPtr(callTranslate(B, Address), Vector->getElementType()), Lane);
    }
    Operand.set(New);
    return;
  }
  Value *Address = Old->getType()->isPointerTy() ? B.CreatePtrToInt(Old, B.getInt64Ty()) : Old;
  replace(B, Operand, callTranslate(B, Address));
}

void HandleAccess::translate(Function &F) {
  if (F.hasFnAttribute(kRuntimeAttr))
    return;
  SmallVector<Instruction *, 64> Accessing;
  for (Instruction &I : instructions(F))
    if (mayAccessMemory(I))
      Accessing.push_back(&I);
  for (Instruction *I : Accessing)
    for (Use *Operand : addressOperands(*I))
      if (!Translated.contains(Operand) && mayBeHandle(Operand->get()))
        translateOperand(*Operand);
  Translated.clear();
}

} // namespace gasan
