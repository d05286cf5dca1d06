// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guards arithmetic that traps or is undefined on x86 but has a defined value on a GPU.
#include "gasan_pass/retarget/Steps.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;

namespace gasan {

namespace {

bool isDivision(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem:
    // The compiler's folding has handled constant divisors.
    return !isa<Constant>(I.getOperand(1));
  default:
    return false;
  }
}

// Makes a division behave as on a GPU: x / 0 is all ones, x % 0 is x, and MIN / -1 wraps. In these cases the division
// itself gets the divisor 1.
void guardDivision(BinaryOperator &Division) {
  IRBuilder<> Builder(&Division);
  Type *T = Division.getType();
  const bool IsSigned = Division.getOpcode() == Instruction::SDiv || Division.getOpcode() == Instruction::SRem;
  const bool IsRemainder = Division.getOpcode() == Instruction::SRem || Division.getOpcode() == Instruction::URem;
  Constant *Zero = ConstantInt::get(T, 0), *One = ConstantInt::get(T, 1), *Ones = Constant::getAllOnesValue(T);

  Value *Dividend = Builder.CreateFreeze(Division.getOperand(0));
  Value *Divisor = Builder.CreateFreeze(Division.getOperand(1));
  Value *ByZero = Builder.CreateICmpEQ(Divisor, Zero);
  Value *ByMinusOne = IsSigned ? Builder.CreateICmpEQ(Divisor, Ones) : nullptr;
  Value *Special = IsSigned ? Builder.CreateOr(ByZero, ByMinusOne) : ByZero;

  Value *Safe = Builder.CreateSelect(Special, One, Divisor);
  Value *Result = Builder.CreateBinOp(Division.getOpcode(), Dividend, Safe);
  if (IsSigned)
    Result = Builder.CreateSelect(ByMinusOne, IsRemainder ? Zero : Builder.CreateNeg(Dividend), Result);
  Result = Builder.CreateSelect(ByZero, IsRemainder ? Dividend : Ones, Result);
  Division.replaceAllUsesWith(Result);
  Division.eraseFromParent();
}

// Returns true for a shift whose amount may be the width or more. LLVM calls its result poison. x86 takes the amount
// modulo the width. PTX shifts all bits out, on which libdevice's pow relies.
bool isWideShift(const Instruction &I) {
  const unsigned Width = I.getType()->getScalarSizeInBits();
  if (!I.isShift() || Width > 64 || isa<Constant>(I.getOperand(1)))
    return false;
  return computeKnownBits(I.getOperand(1), I.getDataLayout()).getMaxValue().uge(Width);
}

void clampShift(BinaryOperator &Shift) {
  Shift.dropPoisonGeneratingFlags();
  IRBuilder<> Builder(&Shift);
  Type *T = Shift.getType();
  const unsigned Width = T->getScalarSizeInBits();
  Value *Amount = Builder.CreateFreeze(Shift.getOperand(1));
  if (Shift.getOpcode() == Instruction::AShr) {
    Shift.setOperand(1, Builder.CreateBinaryIntrinsic(Intrinsic::umin, Amount, ConstantInt::get(T, Width - 1)));
    return;
  }
  Value *Within = Builder.CreateICmpULT(Amount, ConstantInt::get(T, Width));
  Value *Shifted = Builder.CreateBinOp(Shift.getOpcode(), Shift.getOperand(0), Amount);
  Shift.replaceAllUsesWith(Builder.CreateSelect(Within, Shifted, ConstantInt::get(T, 0)));
  Shift.eraseFromParent();
}

bool isCastToInteger(const Instruction &I) {
  if (I.getOpcode() != Instruction::FPToSI && I.getOpcode() != Instruction::FPToUI)
    return false;
  return I.getType()->getScalarSizeInBits() <= 64;
}

} // namespace

// PTX's cvt saturates, whereas x86 returns its "indefinite" value. NaN becomes 0, or only the top bit if either side
// has 64 bits.
Value *castToInteger(IRBuilderBase &Builder, Value *V, Type *T, bool Signed) {
  const unsigned Bits = T->getScalarSizeInBits();
  Value *Result =
      Builder.CreateIntrinsic(Signed ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat, {T, V->getType()}, {V});
  if (Bits != 64 && !V->getType()->getScalarType()->isDoubleTy())
    return Result;
  return Builder.CreateSelect(Builder.CreateFCmpUNO(V, V), ConstantInt::get(T, APInt::getSignMask(Bits)), Result);
}

// NVPTX converts to at least 16 bits; narrower integers are truncated from these.
static void replaceCast(CastInst &Cast) {
  IRBuilder<> Builder(&Cast);
  Type *T = Cast.getType(), *Whole = T->getScalarSizeInBits() < 16 ? T->getWithNewBitWidth(16) : T;
  Value *Result = castToInteger(Builder, Cast.getOperand(0), Whole, Cast.getOpcode() == Instruction::FPToSI);
  Cast.replaceAllUsesWith(Builder.CreateTrunc(Result, T));
  Cast.eraseFromParent();
}

void guardArithmetic(Module &M) {
  SmallVector<BinaryOperator *, 32> Divisions, Shifts;
  SmallVector<CastInst *, 32> Casts;
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      if (isDivision(I))
        Divisions.push_back(cast<BinaryOperator>(&I));
      else if (isWideShift(I))
        Shifts.push_back(cast<BinaryOperator>(&I));
      else if (isCastToInteger(I))
        Casts.push_back(cast<CastInst>(&I));
    }
  for (BinaryOperator *Division : Divisions)
    guardDivision(*Division);
  for (BinaryOperator *Shift : Shifts)
    clampShift(*Shift);
  for (CastInst *Cast : Casts)
    replaceCast(*Cast);
}

} // namespace gasan
