// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Implements -fgpu-flush-denormals-to-zero. In functions with the attribute, NVPTX selects instructions with .ftz. x86
// could only flush for all types and all code at once, so the pass inserts explicit code that flushes.
#include "gasan_pass/retarget/Steps.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gasan {

namespace {

constexpr const char *kMark = "denormal-fp-math-f32";

bool isFloat(const Value *V) {
  return V->getType()->getScalarType()->isFloatTy();
}

// Returns true for instructions with a .ftz form. Moves, negation, absolute values and conversions from integers have
// nothing to flush.
bool hasFlushingForm(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FDiv:
  case Instruction::FRem:
  case Instruction::FPTrunc:
    return isFloat(&I);
  case Instruction::FCmp:
  case Instruction::FPExt:
    return isFloat(I.getOperand(0));
  default:
    break;
  }
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  if (!Intrinsic || !isFloat(&I))
    return false;
  switch (Intrinsic->getIntrinsicID()) {
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
  case Intrinsic::sqrt:
  case Intrinsic::minnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::maximum:
  case Intrinsic::minimumnum:
  case Intrinsic::maximumnum:
  case Intrinsic::ceil:
  case Intrinsic::floor:
    return true;
  default:
    return false;
  }
}

Value *flushed(IRBuilder<> &Builder, Value *V) {
  Type *T = V->getType();
  Value *Smallest = ConstantFP::get(T, APFloat::getSmallestNormalized(APFloat::IEEEsingle()));
  Value *IsSmall = Builder.CreateFCmpOLT(Builder.CreateUnaryIntrinsic(Intrinsic::fabs, V), Smallest);
  return Builder.CreateSelect(IsSmall, Builder.CreateCopySign(ConstantFP::getZero(T), V), V);
}

void flushAround(Instruction &I, SmallPtrSetImpl<Value *> &Clean) {
  IRBuilder<> Builder(&I);
  const unsigned Count = isa<CallBase>(I) ? cast<CallBase>(I).arg_size() : I.getNumOperands();
  for (unsigned Operand = 0; Operand < Count; ++Operand) {
    Value *V = I.getOperand(Operand);
    if (isFloat(V) && !Clean.contains(V))
      I.setOperand(Operand, flushed(Builder, V));
  }
  if (!isFloat(&I))
    return;
  Builder.SetInsertPoint(I.getNextNode());
  SmallVector<Use *, 8> Uses(make_pointer_range(I.uses()));
  Value *Result = flushed(Builder, &I);
  for (Use *U : Uses)
    U->set(Result);
  Clean.insert(Result);
}

} // namespace

void flushSubnormals(Module &M) {
  for (Function &F : M) {
    if (F.isDeclaration() || F.getDenormalMode(APFloat::IEEEsingle()).Output != DenormalMode::PreserveSign)
      continue;
    SmallVector<Instruction *, 64> Found;
    for (Instruction &I : instructions(F))
      if (hasFlushingForm(I))
        Found.push_back(&I);
    SmallPtrSet<Value *, 32> Clean;
    for (Instruction *I : Found)
      flushAround(*I, Clean);
    // Without the mark, the optimiser does not treat subnormals as zeros in the comparisons inserted here.
    F.removeFnAttr(kMark);
  }
}

} // namespace gasan
