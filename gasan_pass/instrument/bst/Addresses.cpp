// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/Addresses.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/NVPTXAddrSpace.h"

namespace gasan {

using namespace llvm;

// Of such an object, InferAddressSpaces makes pointers into the object's own space.
static bool isInOwnSpace(const Value *Object) {
  const unsigned Space = Object->getType()->getPointerAddressSpace();
  return isa<AllocaInst>(Object) || Space == NVPTXAS::ADDRESS_SPACE_SHARED || Space == NVPTXAS::ADDRESS_SPACE_CONST;
}

// Returns ptrtoint, in the form in which RootBounds::translate gives the bases of variables: equal values then cancel.
static Value *numberOf(IRBuilderBase &B, Value *Pointer) {
  auto *Cast = dyn_cast<AddrSpaceCastOperator>(Pointer);
  if (Cast && Cast->getSrcAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED)
    return sharedToGeneric(B, B.CreatePtrToInt(Cast->getPointerOperand(), B.getInt64Ty()));
  return B.CreatePtrToInt(Pointer, B.getInt64Ty());
}

Value *addressOf(IRBuilderBase &B, Value *Pointer) {
  auto *Step = dyn_cast<GEPOperator>(Pointer);
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects);
  if (!Step || Step->getPointerAddressSpace() != NVPTXAS::ADDRESS_SPACE_GENERIC || none_of(Objects, isInOwnSpace))
    return B.CreatePtrToInt(Pointer, B.getInt64Ty());
  const DataLayout &Layout = B.GetInsertBlock()->getDataLayout();
  Value *Offset = B.getInt64(0);
  for (; Step; Step = dyn_cast<GEPOperator>(Pointer)) {
    Offset = B.CreateAdd(emitGEPOffset(&B, Layout, Step, /*NoAssumptions=*/true), Offset);
    Pointer = Step->getPointerOperand();
  }
  return B.CreateAdd(numberOf(B, Pointer), Offset);
}

Value *sharedToGeneric(IRBuilderBase &B, Value *Shared) {
  Constant *First = ConstantPointerNull::get(B.getPtrTy(NVPTXAS::ADDRESS_SPACE_SHARED));
  return B.CreateAdd(B.CreatePtrToInt(B.CreateAddrSpaceCast(First, B.getPtrTy()), B.getInt64Ty()), Shared);
}

} // namespace gasan
