// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/Promises.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/WithCache.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr Attribute::AttrKind kPromised[] = {Attribute::Range, Attribute::NonNull, Attribute::Alignment,
                                             Attribute::Dereferenceable, Attribute::DereferenceableOrNull};
constexpr unsigned kPromisedOfLoads[] = {LLVMContext::MD_range, LLVMContext::MD_nonnull, LLVMContext::MD_align,
                                         LLVMContext::MD_dereferenceable, LLVMContext::MD_dereferenceable_or_null};

constexpr Attribute::AttrKind kPromisedMemory[] = {Attribute::Dereferenceable, Attribute::DereferenceableOrNull};
constexpr unsigned kPromisedMemoryOfLoads[] = {LLVMContext::MD_dereferenceable,
                                               LLVMContext::MD_dereferenceable_or_null};

void dropAttributes(Function &F, ArrayRef<Attribute::AttrKind> Kinds) {
  for (Attribute::AttrKind Kind : Kinds) {
    F.removeRetAttr(Kind);
    for (Argument &A : F.args())
      if (!A.hasPassPointeeByValueCopyAttr())
        A.removeAttr(Kind);
  }
}

void dropOfInstruction(Instruction &I, ArrayRef<Attribute::AttrKind> Kinds, ArrayRef<unsigned> OfLoads) {
  for (unsigned Kind : OfLoads)
    I.setMetadata(Kind, nullptr);
  if (auto *Call = dyn_cast<CallBase>(&I))
    for (Attribute::AttrKind Kind : Kinds) {
      Call->removeRetAttr(Kind);
      for (unsigned Index = 0, Count = Call->arg_size(); Index < Count; ++Index)
        if (!Call->isPassPointeeByValueArgument(Index))
          Call->removeParamAttr(Index, Kind);
    }
}

// Returns true if the operands certainly have no common bits. LLVM's flag `disjoint` may have been derived from a
// promise.
bool isCertainlyDisjoint(const Instruction &Or) {
  const SimplifyQuery Query(Or.getDataLayout(), /*TLI=*/nullptr, /*DT=*/nullptr, /*AC=*/nullptr, /*CXTI=*/nullptr,
                            /*UseInstrInfo=*/false);
  return haveNoCommonBitsSet(Or.getOperand(0), Or.getOperand(1), Query);
}

} // namespace

void dropPromises(Module &M) {
  for (Function &F : M) {
    if (!F.isIntrinsic())
      dropAttributes(F, kPromised);
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (isa<AssumeInst>(I))
        I.eraseFromParent();
      else if (!isa<IntrinsicInst>(I))
        dropOfInstruction(I, kPromised, kPromisedOfLoads);
  }
}

void dropPromisedMemory(Module &M) {
  for (Function &F : M) {
    if (!F.isIntrinsic())
      dropAttributes(F, kPromisedMemory);
    for (Instruction &I : instructions(F))
      if (!isa<IntrinsicInst>(I))
        dropOfInstruction(I, kPromisedMemory, kPromisedMemoryOfLoads);
  }
}

void dropAssumedConditions(Module &M) {
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (auto *Assume = dyn_cast<AssumeInst>(&I); Assume && !Assume->hasOperandBundles())
        Assume->eraseFromParent();
}

Value *withoutPromises(IRBuilderBase &B, Value *Offset, Value *Limit) {
  const SimplifyQuery Query(B.GetInsertBlock()->getDataLayout(), /*TLI=*/nullptr, /*DT=*/nullptr, /*AC=*/nullptr,
                            /*CXTI=*/nullptr, /*UseInstrInfo=*/false);
  return simplifyICmpInst(CmpInst::ICMP_ULT, Offset, Limit, Query) ? Offset : B.CreateFreeze(Offset);
}

PromiseFreeScope::Flags PromiseFreeScope::flagsOf(Instruction &I) {
  const bool MayWrap = isa<OverflowingBinaryOperator, TruncInst>(I);
  auto *Exact = dyn_cast<PossiblyExactOperator>(&I);
  auto *Or = dyn_cast<PossiblyDisjointInst>(&I);
  auto *Compare = dyn_cast<ICmpInst>(&I);
  auto *Address = dyn_cast<GetElementPtrInst>(&I);
  return {&I,
          MayWrap && I.hasNoUnsignedWrap(),
          MayWrap && I.hasNoSignedWrap(),
          Exact && Exact->isExact(),
          Or && Or->isDisjoint() && !isCertainlyDisjoint(*Or),
          isa<PossiblyNonNegInst>(I) && I.hasNonNeg(),
          Compare && Compare->hasSameSign(),
          Address ? Address->getNoWrapFlags() : GEPNoWrapFlags::none()};
}

void PromiseFreeScope::setFlags(Instruction &I, const Flags &To) {
  if (isa<OverflowingBinaryOperator, TruncInst>(I)) {
    I.setHasNoUnsignedWrap(To.HasNoUnsignedWrap);
    I.setHasNoSignedWrap(To.HasNoSignedWrap);
  }
  if (isa<PossiblyExactOperator>(I))
    I.setIsExact(To.IsExact);
  if (auto *Or = dyn_cast<PossiblyDisjointInst>(&I))
    Or->setIsDisjoint(To.IsDisjoint);
  if (isa<PossiblyNonNegInst>(I))
    I.setNonNeg(To.IsNonNegative);
  if (auto *Compare = dyn_cast<ICmpInst>(&I))
    Compare->setSameSign(To.HasSameSign);
  if (auto *Address = dyn_cast<GetElementPtrInst>(&I))
    Address->setNoWrapFlags(To.OfAddress);
}

PromiseFreeScope::PromiseFreeScope(Function &F) : F(F) {
  for (Attribute::AttrKind Kind : {Attribute::MustProgress, Attribute::WillReturn})
    if (F.hasFnAttribute(Kind)) {
      F.removeFnAttr(Kind);
      OfEnd.push_back(Kind);
    }
  for (Instruction &I : instructions(F)) {
    Flags Of = flagsOf(I);
    if (Of.HasNoUnsignedWrap || Of.HasNoSignedWrap || Of.IsExact || Of.IsDisjoint || Of.IsNonNegative ||
        Of.HasSameSign || Of.OfAddress != GEPNoWrapFlags::none()) {
      setFlags(I, {});
      Suspended.push_back(std::move(Of));
    }
    if (MDNode *Note = I.isTerminator() ? I.getMetadata(LLVMContext::MD_loop) : nullptr) {
      Loops.push_back({&I, Note});
      I.setMetadata(LLVMContext::MD_loop, nullptr);
    }
  }
}

PromiseFreeScope::~PromiseFreeScope() {
  for (Attribute::AttrKind Kind : OfEnd)
    F.addFnAttr(Kind);
  for (const Flags &Of : Suspended)
    if (Value *V = Of.Of)
      setFlags(*cast<Instruction>(V), Of);
  for (const LoopNote &Of : Loops)
    if (Value *V = Of.Of)
      cast<Instruction>(V)->setMetadata(LLVMContext::MD_loop, Of.Note);
}

} // namespace gasan
