// Arithmetic that x86 traps on or leaves undefined where a GPU gives a value.
#include "gasan_pass/retarget/Steps.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace gasan {

namespace {

bool isDivision(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem:
    // A constant divisor was checked by the compiler's own folding.
    return !isa<Constant>(I.getOperand(1));
  default:
    return false;
  }
}

// x / 0 is all ones and x % 0 is x, as on a GPU; MIN / -1 wraps. The division itself sees a divisor of 1 in these
// cases.
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

bool isSaturatingCast(const Instruction &I) {
  if (I.getOpcode() != Instruction::FPToSI && I.getOpcode() != Instruction::FPToUI)
    return false;
  unsigned Width = I.getType()->getScalarSizeInBits();
  return Width == 32 || Width == 64;
}

// PTX's cvt saturates; x86 gives its "indefinite" value.
void saturateCast(CastInst &Cast) {
  IRBuilder<> Builder(&Cast);
  Intrinsic::ID Id = Cast.getOpcode() == Instruction::FPToSI ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
  Value *Result = Builder.CreateIntrinsic(Id, {Cast.getType(), Cast.getSrcTy()}, {Cast.getOperand(0)});
  Cast.replaceAllUsesWith(Result);
  Cast.eraseFromParent();
}

} // namespace

void guardArithmetic(Module &M) {
  SmallVector<BinaryOperator *, 32> Divisions;
  SmallVector<CastInst *, 32> Casts;
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      if (isDivision(I))
        Divisions.push_back(cast<BinaryOperator>(&I));
      else if (isSaturatingCast(I))
        Casts.push_back(cast<CastInst>(&I));
    }
  for (BinaryOperator *Division : Divisions)
    guardDivision(*Division);
  for (CastInst *Cast : Casts)
    saturateCast(*Cast);
}

} // namespace gasan
