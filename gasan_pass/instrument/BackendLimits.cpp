// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/BackendLimits.h"
#include "gasan_pass/instrument/bst/ScopeChecks.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;

namespace gasan {
namespace {

// Returns true for a local variable, and for a parameter of which the function has its own copy: no other thread has
// the address.
bool isPrivate(const Value *Object) {
  const auto *Parameter = dyn_cast<Argument>(Object);
  return isa<AllocaInst>(Object) || (Parameter && Parameter->hasByValAttr()) ||
         (Object->getType()->isPointerTy() &&
          Object->getType()->getPointerAddressSpace() == NVPTXAS::ADDRESS_SPACE_LOCAL);
}

// Looks through the calls that mark the end of a variable's scope: they are removed before code is generated.
bool pointsToPrivate(const Value *Pointer) {
  SmallVector<const Value *, 4> Left = {Pointer}, Objects;
  SmallPtrSet<const Value *, 8> Seen;
  bool IsPrivate = false;
  while (!Left.empty()) {
    Objects.clear();
    getUnderlyingObjects(Left.pop_back_val(), Objects, nullptr, /*MaxLookup=*/0);
    for (const Value *Object : Objects) {
      if (!Seen.insert(Object).second)
        continue;
      if (const Value *Address = addressOutOfScope(*Object))
        Left.push_back(Address);
      else if (isPrivate(Object))
        IsPrivate = true;
      else if (!isa<UndefValue, ConstantPointerNull>(Object))
        return false;
    }
  }
  return IsPrivate;
}

// Returns false for a user that the back end does not handle. A kernel's byval parameter is in read-only memory. The
// back end copies the parameter into a variable if it is written or its address escapes. To decide this, the back end
// walks the parameter's users transitively.
bool isUnderstood(const User &U) {
  if (isa<GetElementPtrInst>(U))
    return !U.getType()->isVectorTy();
  return isa<LoadInst, StoreInst, CallBase, AddrSpaceCastInst, BitCastInst, PtrToIntInst, PHINode, SelectInst>(U);
}

bool leadsToPointer(const User &U) {
  return isa<GetElementPtrInst, AddrSpaceCastInst, BitCastInst, PHINode, SelectInst>(U);
}

bool isUnderstoodWhereverUsed(const Argument &Parameter) {
  SmallVector<const Value *, 16> Left = {&Parameter};
  SmallPtrSet<const Value *, 16> Seen;
  while (!Left.empty())
    for (const User *U : Left.pop_back_val()->users())
      if (!isUnderstood(*U))
        return false;
      else if (leadsToPointer(*U) && Seen.insert(U).second)
        Left.push_back(U);
  return true;
}

// Copies the parameter into a variable, as the back end would. Afterwards the copy is the parameter's only use.
void copyToVariable(Argument &Parameter) {
  BasicBlock &Entry = Parameter.getParent()->getEntryBlock();
  IRBuilder<> B(&Entry, Entry.begin());
  Type *Content = Parameter.getParamByValType();
  AllocaInst *Variable = B.CreateAlloca(Content, nullptr, Parameter.getName());
  Align Alignment = std::max(Parameter.getParamAlign().valueOrOne(), Variable->getAlign());
  Variable->setAlignment(Alignment);
  Parameter.replaceAllUsesWith(Variable);
  for (Attribute::AttrKind NotRead : {Attribute::ReadNone, Attribute::WriteOnly})
    Parameter.removeAttr(NotRead);
  B.CreateMemCpy(Variable, Alignment, &Parameter, Parameter.getParamAlign(),
                 Variable->getDataLayout().getTypeAllocSize(Content));
}

// Replaces a pointer's mask by a subtraction. InferAddressSpaces erases the mask of a pointer whose space it finds, and
// SeparateConstOffsetFromGEP crashes on the result.
void moveInsteadOfMask(IntrinsicInst &Mask) {
  IRBuilder<> B(&Mask);
  Value *Pointer = Mask.getArgOperand(0), *Kept = Mask.getArgOperand(1);
  Value *Cleared = B.CreateAnd(B.CreatePtrToInt(Pointer, Kept->getType()), B.CreateNot(Kept));
  Mask.replaceAllUsesWith(B.CreateGEP(B.getInt8Ty(), Pointer, B.CreateNeg(Cleared)));
  Mask.eraseFromParent();
}

} // namespace

void expandPrivateAtomics(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *RMW = dyn_cast<AtomicRMWInst>(&I); RMW && pointsToPrivate(RMW->getPointerOperand()))
      lowerAtomicRMWInst(RMW);
    else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I);
             Exchange && pointsToPrivate(Exchange->getPointerOperand()))
      lowerAtomicCmpXchgInst(Exchange);
}

void avoidBackendFaults(Function &F) {
  if (F.isDeclaration())
    return;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I); Intrinsic && Intrinsic->getIntrinsicID() == Intrinsic::ptrmask)
      moveInsteadOfMask(*Intrinsic);
  if (F.getCallingConv() != CallingConv::PTX_Kernel)
    return;
  // A grid constant has one address in all threads, and must not be written.
  for (Argument &Parameter : F.args())
    if (Parameter.hasByValAttr() && !Parameter.hasAttribute("nvvm.grid_constant") &&
        !isUnderstoodWhereverUsed(Parameter))
      copyToVariable(Parameter);
}

} // namespace gasan
