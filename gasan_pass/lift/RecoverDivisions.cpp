// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launch proof follows divisions and remainders, and not the code that nvcc makes of them:
//
//   x / 16 (signed)    (x + (x >> 31 >>> 28)) >> 4
//   x % 16             x - ((x + (x >> 31 >>> 28)) & -16); the mask may lack upper bits
//   x / 6 (signed)     high(x * m) + (x >>> 31), with m = 2^32 / 6, rounded up
//   x / 10 (unsigned)  high(x * m) >>> 3, with m = 2^35 / 10, rounded up, or x * m >>> 35 in twice the bits
//   x / 7 (unsigned)   ((x - high(x * m)) >>> 1) + high(x * m) >>> 2, for a factor m + 2^32
//
// A factor m and a shift by k in all are a division by d if and as long as m * d exceeds 2^k so little that the error
// does not reach the next integer, even for the greatest x.
#include "gasan_pass/lift/RecoverDivisions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan::lift {

namespace {

unsigned bitsOf(const Value *V) {
  return V->getType()->getIntegerBitWidth();
}

// Returns true if V is the upper half of the product X * Factor.
bool isHighProduct(Value *V, bool IsSigned, Value *&X, const APInt *&Factor) {
  Value *Wide;
  return match(V, m_Trunc(m_LShr(m_Mul(m_Value(Wide), m_APInt(Factor)), m_SpecificInt(bitsOf(V))))) &&
         Factor->getBitWidth() == 2 * bitsOf(V) &&
         (IsSigned ? match(Wide, m_SExt(m_Value(X))) : match(Wide, m_ZExt(m_Value(X)))) && bitsOf(X) == bitsOf(V);
}

// Returns V without a constant shift to the right, and the amount. The amount is 0 if there is no such shift.
Value *withoutShift(Value *V, bool IsSigned, unsigned &Amount) {
  Value *Inner;
  const APInt *By;
  Amount = 0;
  if (!(IsSigned ? match(V, m_AShr(m_Value(Inner), m_APInt(By))) : match(V, m_LShr(m_Value(Inner), m_APInt(By)))) ||
      By->uge(bitsOf(V)))
    return V;
  Amount = By->getZExtValue();
  return Inner;
}

// Returns the d of x * Factor / 2^Shift = x / d, rounded down, for all x from 0 to Greatest. Empty: there is none. For
// the absolute value of a negative x, the division may round up to the next integer, which it does not exceed.
std::optional<APInt> divisorOf(const APInt &Factor, unsigned Shift, const APInt &Greatest, bool IsNegative) {
  const unsigned Width = 4 * Greatest.getBitWidth() + 4; // of numbers that do not overflow
  const APInt M = Factor.zext(Width), Power = APInt::getOneBitSet(Width, Shift);
  const APInt Divisor = (Power + M - 1).udiv(M), Error = M * Divisor - Power;
  const APInt Most = Error * Greatest.zext(Width);
  if (!(IsNegative ? Most.ule(Power) : Most.ult(Power)) || Divisor.getActiveBits() >= Greatest.getBitWidth() ||
      !Divisor.ugt(1))
    return std::nullopt;
  return Divisor.trunc(Greatest.getBitWidth());
}

class Recovery {
public:
  explicit Recovery(Instruction &I) : I(I), B(&I) {}

  // Returns the division with the same result. Null: the instruction is no end of one.
  Value *run() {
    if (Value *Found = signedPower())
      return Found;
    if (Value *Found = signedRest())
      return Found;
    if (Value *Found = signedQuotient())
      return Found;
    return unsignedQuotient();
  }

private:
  Instruction &I;
  IRBuilder<> B;

  // Returns the x of x + (x < 0 ? 2^Power - 1 : 0). Null: V is something else.
  Value *dividend(Value *V, unsigned Power) {
    Value *X = nullptr, *Y = nullptr;
    const unsigned Bits = bitsOf(V);
    if (!Power || Power + 1 >= Bits || !match(V, m_Add(m_Value(X), m_Value(Y))))
      return nullptr;
    for (auto [Number, Added] : {std::pair(X, Y), std::pair(Y, X)}) {
      Value *Sign = nullptr;
      if (!match(Added, m_LShr(m_Value(Sign), m_SpecificInt(Bits - Power))))
        continue;
      if (match(Sign, m_AShr(m_Specific(Number), m_SpecificInt(Bits - 1))) || (Power == 1 && Sign == Number))
        return Number;
    }
    return nullptr;
  }

  Value *power(unsigned Exponent) { return ConstantInt::get(I.getType(), APInt::getOneBitSet(bitsOf(&I), Exponent)); }

  Value *signedPower() {
    unsigned Power;
    Value *Sum = withoutShift(&I, true, Power), *X = Sum == &I ? nullptr : dividend(Sum, Power);
    return X ? B.CreateSDiv(X, power(Power)) : nullptr;
  }

  Value *signedRest() {
    Value *X, *Sum;
    const APInt *Mask;
    if (!match(&I, m_Sub(m_Value(X), m_And(m_Value(Sum), m_APInt(Mask)))) || !Mask->isShiftedMask())
      return nullptr;
    // nvcc leaves out upper bits of the mask that each use of the result shifts out.
    const unsigned Power = Mask->countr_zero(), Missing = Mask->countl_zero();
    const APInt *Amount;
    if (Missing && !all_of(I.users(), [&](User *U) {
          return match(U, m_Shl(m_Specific(&I), m_APInt(Amount))) && Amount->uge(Missing);
        }))
      return nullptr;
    return dividend(Sum, Power) == X ? B.CreateSRem(X, power(Power)) : nullptr;
  }

  // high(x * m) >> s, plus 1 if that is negative. m may be m' + 2^bits: high(x * m') + x.
  Value *signedQuotient() {
    Value *A, *C;
    if (!match(&I, m_Add(m_Value(A), m_Value(C))))
      return nullptr;
    const unsigned Bits = bitsOf(&I);
    for (auto [Shifted, Last] : {std::pair(A, C), std::pair(C, A)}) {
      unsigned Shift;
      Value *Sum = withoutShift(Shifted, true, Shift), *High = Sum, *X, *Other, *Sign;
      const APInt *Factor;
      bool IsAdded = false;
      if (!isHighProduct(High, true, X, Factor)) {
        if (!match(Sum, m_Add(m_Value(High), m_Value(Other))))
          continue;
        if (!isHighProduct(High, true, X, Factor))
          std::swap(High, Other);
        if (!isHighProduct(High, true, X, Factor) || Other != X)
          continue;
        IsAdded = true;
      }
      if (!match(Last, m_LShr(m_Value(Sign), m_SpecificInt(Bits - 1))) || (Sign != Sum && Sign != Shifted && Sign != X))
        continue;
      const APInt Whole = *Factor + (IsAdded ? APInt::getOneBitSet(2 * Bits, Bits) : APInt::getZero(2 * Bits));
      // The absolute value of x is at most 2^(bits - 1). The product may be no multiple of 2^k, or -1 gets lost.
      if (!Whole.isStrictlyPositive() || Whole.isPowerOf2())
        continue;
      if (std::optional<APInt> Divisor = divisorOf(Whole, Bits + Shift, APInt::getSignedMinValue(Bits), true))
        return B.CreateSDiv(X, ConstantInt::get(I.getType(), *Divisor));
    }
    return nullptr;
  }

  // Returns true if I is zext(X) * Factor >>> bits + Shift, in twice the bits.
  bool isWideQuotient(Value *&X, const APInt *&Factor, unsigned &Shift) {
    Value *Wide;
    const APInt *By;
    const unsigned Bits = bitsOf(&I);
    if (!match(&I, m_Trunc(m_LShr(m_Mul(m_Value(Wide), m_APInt(Factor)), m_APInt(By)))) ||
        Factor->getBitWidth() != 2 * Bits || !match(Wide, m_ZExt(m_Value(X))) || bitsOf(X) != Bits || By->ule(Bits) ||
        By->uge(2 * Bits))
      return false;
    Shift = unsigned(By->getZExtValue()) - Bits;
    return true;
  }

  Value *unsignedQuotient() {
    unsigned Shift, Before;
    const unsigned Bits = bitsOf(&I);
    Value *Quotient = withoutShift(&I, false, Shift), *High = Quotient, *Number, *Half, *Other;
    const APInt *Factor;
    bool IsAdded = false;
    if (!isWideQuotient(Number, Factor, Shift) && !isHighProduct(High, false, Number, Factor)) {
      if (!match(Quotient, m_c_Add(m_LShr(m_Value(Half), m_One()), m_Value(High))) ||
          !isHighProduct(High, false, Number, Factor) || !match(Half, m_Sub(m_Value(Other), m_Specific(High))) ||
          Other != Number)
        return nullptr;
      IsAdded = true;
    }
    const APInt Whole = *Factor + (IsAdded ? APInt::getOneBitSet(2 * Bits, Bits) : APInt::getZero(2 * Bits));
    if (Whole.isZero())
      return nullptr;
    withoutShift(Number, false, Before);
    const APInt Greatest = APInt::getMaxValue(Bits).lshr(Before);
    std::optional<APInt> Divisor = divisorOf(Whole, Bits + Shift + IsAdded, Greatest, false);
    return Divisor ? B.CreateUDiv(Number, ConstantInt::get(I.getType(), *Divisor)) : nullptr;
  }
};

} // namespace

void recoverDivisions(Function &F) {
  SmallVector<WeakTrackingVH, 16> Candidates;
  for (Instruction &I : instructions(F))
    if (I.getType()->isIntegerTy(32) || I.getType()->isIntegerTy(64))
      switch (I.getOpcode()) {
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::AShr:
      case Instruction::LShr:
      case Instruction::Trunc:
        Candidates.push_back(&I);
      default:
        break;
      }
  // From the last one back: a quotient contains what may look like another one.
  for (WeakTrackingVH &Handle : reverse(Candidates))
    if (auto *I = dyn_cast_or_null<Instruction>(Handle))
      if (Value *Division = Recovery(*I).run()) {
        I->replaceAllUsesWith(Division);
        RecursivelyDeleteTriviallyDeadInstructions(I);
      }
}

} // namespace gasan::lift
