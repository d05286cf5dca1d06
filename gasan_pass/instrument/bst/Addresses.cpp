// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/Addresses.h"
#include "gasan_pass/instrument/bst/PointerSteps.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/NVPTXAddrSpace.h"

namespace gasan {

using namespace llvm;

// Returns true if InferAddressSpaces turns generic pointers to this object into pointers to the object's own space.
static bool isInOwnSpace(const Value *Object) {
  const unsigned Space = Object->getType()->getPointerAddressSpace();
  return isa<AllocaInst>(Object) || Space == NVPTXAS::ADDRESS_SPACE_SHARED || Space == NVPTXAS::ADDRESS_SPACE_CONST;
}

// Returns ptrtoint in the form that RootBounds::translate uses for the bases of variables, so that equal values cancel.
static Value *numberOf(IRBuilderBase &B, Value *Pointer) {
  auto *Cast = dyn_cast<AddrSpaceCastOperator>(Pointer);
  if (Cast && Cast->getSrcAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED)
    return sharedToGeneric(B, B.CreatePtrToInt(Cast->getPointerOperand(), B.getInt64Ty()));
  return B.CreatePtrToInt(Pointer, B.getInt64Ty());
}

// Returns true if the merge may yield a pointer to which a variable offset was added.
static bool mergesMoved(const Value *Merge) {
  constexpr unsigned kMost = 64;
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 16> Pending = {Merge};
  while (!Pending.empty() && Seen.size() < kMost) {
    const Value *At = Pending.pop_back_val();
    if (!Seen.insert(At).second)
      continue;
    if (const auto *Step = dyn_cast<GEPOperator>(At); Step && !Step->hasAllConstantIndices())
      return true;
    if (PointerSteps::isMerge(At) || isa<GEPOperator, AddrSpaceCastOperator>(At))
      for (const Value *From : cast<User>(At)->operand_values())
        if (From->getType()->isPointerTy())
          Pending.push_back(From);
  }
  return !Pending.empty();
}

Value *Addresses::ofMerge(Instruction &Merge) {
  if (Value *Known = Merged.lookup(&Merge))
    return Known;
  IRBuilder<> B(&Merge);
  if (auto *Select = dyn_cast<SelectInst>(&Merge)) {
    Value *True = of(B, Select->getTrueValue()), *False = of(B, Select->getFalseValue());
    Value *Number = B.CreateSelect(Select->getCondition(), True, False);
    Merged[&Merge] = Number;
    return Number;
  }
  auto *Phi = cast<PHINode>(&Merge);
  PHINode *Number = B.CreatePHI(B.getInt64Ty(), Phi->getNumIncomingValues(), "gasan.address");
  Merged[&Merge] = Number;               // the phi may be derived from itself
  DenseMap<BasicBlock *, Value *> Known; // a block may come in twice
  for (auto [Incoming, From] : zip(Phi->incoming_values(), Phi->blocks())) {
    Value *&Own = Known[From];
    if (!Own) {
      B.SetInsertPoint(From->getTerminator());
      Own = of(B, Incoming);
    }
    Number->addIncoming(Own, From);
  }
  return Number;
}

Value *Addresses::of(IRBuilderBase &B, Value *Pointer) {
  constexpr unsigned kMostSteps = 64;
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects, /*LI=*/nullptr, kMostSteps);
  if (Pointer->getType()->getPointerAddressSpace() != NVPTXAS::ADDRESS_SPACE_GENERIC || none_of(Objects, isInOwnSpace))
    return B.CreatePtrToInt(Pointer, B.getInt64Ty());
  const DataLayout &Layout = B.GetInsertBlock()->getDataLayout();
  Value *Offset = B.getInt64(0);
  auto *Step = dyn_cast<GEPOperator>(Pointer);
  for (; Step; Step = dyn_cast<GEPOperator>(Pointer)) {
    Offset = B.CreateAdd(emitGEPOffset(&B, Layout, Step, /*NoAssumptions=*/true), Offset);
    Pointer = Step->getPointerOperand();
  }
  const bool IsMoved = PointerSteps::isMerge(Pointer) && mergesMoved(Pointer);
  return B.CreateAdd(IsMoved ? ofMerge(cast<Instruction>(*Pointer)) : numberOf(B, Pointer), Offset);
}

Value *sharedToGeneric(IRBuilderBase &B, Value *Shared) {
  Constant *First = ConstantPointerNull::get(B.getPtrTy(NVPTXAS::ADDRESS_SPACE_SHARED));
  return B.CreateAdd(B.CreatePtrToInt(B.CreateAddrSpaceCast(First, B.getPtrTy()), B.getInt64Ty()), Shared);
}

} // namespace gasan
