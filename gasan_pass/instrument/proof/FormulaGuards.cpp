// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Narrows values by the guards that dominate a place.
#include "gasan_pass/instrument/proof/Formula.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {
namespace {

// One step from the expression that a guard tests to the requested value.
struct TestStep {
  enum {
    Same,
    Add,
    AddOther,
    SubtractFrom,
    Absolute,
    SignExtend,
    ZeroExtend,
    Truncate,
    Multiply,
    Mask,
    Remainder,
    Quotient,
    Shift
  } Kind;
  APInt Constant; // of a sum or product
  unsigned Bits;  // of the step's result
  const BinaryOperator *Sum = nullptr;
  Value *Other = nullptr;           // the other term; the minuend; the mask; the divisor; the number of bits
  bool IsSigned = false;            // of a division or a shift to the right
  Formulas::Division Division = {}; // of a remainder
};

using TestPath = SmallVector<TestStep, 4>;

TestStep restOf(const Formulas::Division &D, unsigned Bits) {
  return {TestStep::Remainder, APInt(), Bits, nullptr, D.Divisor, D.IsSigned, D};
}

bool isUpperBound(CmpInst::Predicate P) {
  return P == CmpInst::ICMP_EQ || P == CmpInst::ICMP_ULT || P == CmpInst::ICMP_ULE || P == CmpInst::ICMP_SLT ||
         P == CmpInst::ICMP_SLE;
}

bool isSignedAbove(CmpInst::Predicate P) {
  return P == CmpInst::ICMP_SGT || P == CmpInst::ICMP_SGE;
}

// Adds the values that it passes to Passed, if there is such a set.
bool leadsTo(Value *Tested, Value *V, const Relation &R, TestPath &Path, SmallPtrSetImpl<Value *> *Passed = nullptr) {
  constexpr size_t kLongest = 6;
  if (Passed)
    Passed->insert(Tested);
  if (Tested == V)
    return true;
  if (Path.size() == kLongest)
    return false;
  auto Through = [&](Value *Operand, const TestStep &Step) {
    Path.push_back(Step);
    if (leadsTo(Operand, V, R, Path, Passed))
      return true;
    Path.pop_back();
    return false;
  };
  Value *A, *B;
  const APInt *C, *Other;
  const unsigned Bits = Tested->getType()->isIntegerTy() ? Tested->getType()->getIntegerBitWidth() : 0;
  if (match(Tested, m_Freeze(m_Value(A))))
    return Through(A, {TestStep::Same, APInt(), Bits});
  if (match(Tested, m_Add(m_Value(A), m_APInt(C))))
    return Through(A, {TestStep::Add, *C, Bits, dyn_cast<BinaryOperator>(Tested)});
  if (Formulas::isSum(Tested, A, C))
    return Through(A, {TestStep::Add, *C, Bits});
  if (match(Tested, m_Sub(m_Value(A), m_APInt(C))) && !C->isMinSignedValue())
    return Through(A, {TestStep::Add, -*C, Bits, dyn_cast<BinaryOperator>(Tested)});
  if (const std::optional<Formulas::Division> D = Bits ? Formulas::remainderOf(Tested) : std::nullopt)
    return Through(D->Dividend, restOf(*D, Bits));
  if (match(Tested, m_Sub(m_Value(B), m_Value(A))) && !isa<Constant>(A))
    return Through(A, {TestStep::SubtractFrom, APInt(), Bits, dyn_cast<BinaryOperator>(Tested), B});
  // A lower bound of a sum bounds each term (relatedSum() handles upper bounds). A lower bound of an absolute value
  // bounds the value on both sides.
  if (isSignedAbove(R.Predicate) && match(Tested, m_Add(m_Value(A), m_Value(B)))) {
    auto *Sum = dyn_cast<BinaryOperator>(Tested);
    return Through(A, {TestStep::AddOther, APInt(), Bits, Sum, B}) ||
           Through(B, {TestStep::AddOther, APInt(), Bits, Sum, A});
  }
  if (isSignedAbove(R.Predicate) && match(Tested, m_Intrinsic<Intrinsic::abs>(m_Value(A))))
    return Through(A, {TestStep::Absolute, APInt(), Bits});
  if (match(Tested, m_SExt(m_Value(A))))
    return Through(A, {TestStep::SignExtend, APInt(), Bits});
  if (match(Tested, m_ZExt(m_Value(A))))
    return Through(A, {TestStep::ZeroExtend, APInt(), Bits});
  if (match(Tested, m_Trunc(m_Value(A))))
    return Through(A, {TestStep::Truncate, APInt(), Bits});
  if (match(Tested, m_AShr(m_Shl(m_Value(A), m_APInt(C)), m_APInt(Other))) && *C == *Other && C->ult(Bits)) {
    // The lowest bits of A, sign-extended.
    Path.push_back({TestStep::SignExtend, APInt(), Bits});
    if (Through(A, {TestStep::Truncate, APInt(), Bits - unsigned(C->getZExtValue())}))
      return true;
    Path.pop_back();
    return false;
  }
  if (match(Tested, m_And(m_Value(A), m_Value(B)))) {
    auto Masked = [&](Value *X, Value *Mask) { return Through(X, {TestStep::Mask, APInt(), Bits, nullptr, Mask}); };
    return Masked(A, B) || Masked(B, A);
  }
  if (match(Tested, m_Mul(m_Value(A), m_APInt(C))) && C->isStrictlyPositive())
    return Through(A, {TestStep::Multiply, *C, Bits});
  if (match(Tested, m_Shl(m_Value(A), m_APInt(C))) && C->ult(Bits - 1))
    return Through(A, {TestStep::Multiply, APInt::getOneBitSet(Bits, C->getZExtValue()), Bits});
  if ((match(Tested, m_UDiv(m_Value(A), m_Value(B))) || match(Tested, m_SDiv(m_Value(A), m_Value(B)))) &&
      !cast<PossiblyExactOperator>(Tested)->isExact()) // which promises that there is no remainder
    return Through(A, {TestStep::Quotient, APInt(), Bits, dyn_cast<BinaryOperator>(Tested), B,
                       match(Tested, m_SDiv(m_Value(), m_Value()))});
  if ((match(Tested, m_LShr(m_Value(A), m_Value(B))) || match(Tested, m_AShr(m_Value(A), m_Value(B)))) &&
      !cast<PossiblyExactOperator>(Tested)->isExact())
    return Through(A, {TestStep::Shift, APInt(), Bits, nullptr, B,
                       cast<BinaryOperator>(Tested)->getOpcode() == Instruction::AShr});
  // An upper bound of a maximum, or a lower bound of a minimum, bounds each operand. So does an upper bound of A | B.
  if (Tested != R.Left || !Bits)
    return false;
  const bool Below = R.Predicate == CmpInst::ICMP_SLT || R.Predicate == CmpInst::ICMP_SLE;
  const bool UnsignedBelow = R.Predicate == CmpInst::ICMP_ULT || R.Predicate == CmpInst::ICMP_ULE;
  const bool Above = isSignedAbove(R.Predicate);
  const bool UnsignedAbove = R.Predicate == CmpInst::ICMP_UGT || R.Predicate == CmpInst::ICMP_UGE;
  const bool BitsBelow = UnsignedBelow || (R.Predicate == CmpInst::ICMP_EQ && match(R.Right, m_Zero())) ||
                         (R.Predicate == CmpInst::ICMP_SGT && match(R.Right, m_AllOnes())) ||
                         (R.Predicate == CmpInst::ICMP_SGE && match(R.Right, m_Zero()));
  if ((Below && match(Tested, m_SMax(m_Value(A), m_Value(B)))) ||
      (Above && match(Tested, m_SMin(m_Value(A), m_Value(B)))) ||
      (UnsignedBelow && match(Tested, m_UMax(m_Value(A), m_Value(B)))) ||
      (UnsignedAbove && match(Tested, m_UMin(m_Value(A), m_Value(B)))) ||
      (BitsBelow && match(Tested, m_Or(m_Value(A), m_Value(B)))))
    return Through(A, {TestStep::Same, APInt(), Bits}) || Through(B, {TestStep::Same, APInt(), Bits});
  return false;
}

// A sum of a constant and the minimum or maximum of two numbers.
struct Extreme {
  Value *Other; // number
  APInt Added;
};

// Empty: Sum is not such a sum of V and another number.
std::optional<Extreme> extremeOf(Value *Sum, const Value *V) {
  const APInt *Added = nullptr;
  if (Value *Inner; match(Sum, m_Add(m_Value(Inner), m_APInt(Added))))
    Sum = Inner;
  auto *Both = dyn_cast<MinMaxIntrinsic>(Sum);
  if (!Both || (Both->getLHS() != V && Both->getRHS() != V))
    return std::nullopt;
  return Extreme{Both->getLHS() == V ? Both->getRHS() : Both->getLHS(),
                 Added ? *Added : APInt::getZero(Sum->getType()->getIntegerBitWidth())};
}

// Which values break the promise of a sum and, computed in more bits, pass a test that the wrapped sum fails. The
// optimiser may compute and test a promised sum in more bits.
enum class Escape { None, PastNegative, All }; // PastNegative: none unless the limit is negative

Escape escapeOf(ArrayRef<TestStep> ToSum, CmpInst::Predicate Predicate, bool Signed) {
  const TestStep &Sum = ToSum.back();
  if (Predicate == CmpInst::ICMP_EQ && none_of(ToSum, [](const TestStep &S) { return S.Other; }))
    return Escape::None;
  auto Keeps = [&](const TestStep &Step) {
    return Step.Kind == TestStep::Same || Step.Kind == (Signed ? TestStep::SignExtend : TestStep::ZeroExtend);
  };
  if (!all_of(ToSum.drop_back(), Keeps))
    return Escape::All;
  const bool Less = Predicate == CmpInst::ICMP_SLT || Predicate == CmpInst::ICMP_SLE;
  const bool Greater = isSignedAbove(Predicate);
  const bool UnsignedLess = Predicate == CmpInst::ICMP_ULT || Predicate == CmpInst::ICMP_ULE;
  const bool Up = Signed ? Sum.Constant.isStrictlyPositive() : Sum.Sum->getOpcode() == Instruction::Add;
  if (Up ? UnsignedLess || (Signed && Less) : Signed && (UnsignedLess || Greater))
    return Up && UnsignedLess && Signed ? Escape::PastNegative : Escape::None;
  return Escape::All;
}

} // namespace

// Returns true for integers, and for equality of pointers with one source.
bool Formulas::isComparable(const Relation &R) {
  if (isInteger(R.Left))
    return true;
  if (!R.Left->getType()->isPointerTy() || !CmpInst::isEquality(R.Predicate))
    return false;
  Value *Source = Steps.soleSource(R.Left);
  return Source && Source == Steps.soleSource(R.Right);
}

// Returns true for `x >> n == 0`, into which LLVM turns x < 1 << n.
bool Formulas::isTestOfShift(const Relation &R) {
  return R.Predicate == CmpInst::ICMP_EQ && match(R.Left, m_Shr(m_Value(), m_Value()));
}

bool Formulas::speaksOf(const Relation &R, Value *V) {
  TestPath Path, Other;
  return leadsTo(R.Left, V, R, Path) || leadsTo(R.Right, V, R.swapped(), Other);
}

// Narrows N, the values of V at the place Innermost, by a relation that holds at the place At. Does nothing in phases
// to which the relation does not belong.
Node Formulas::refineBy(const Relation &R, const Relation &Key, Value *V, Node N, const Place *At,
                        const Place *Innermost, RefinePhase Phase) {
  TestPath Path;
  const std::optional<Division> Multiple = multipleIn(R);
  if (Multiple)
    Path.push_back(restOf(*Multiple, bitsOf(R.Left)));
  if (!leadsTo(R.Left, V, R, Path) || !isComparable(R))
    return N;
  // Relations that set a range's ends come first, then those that round the ends, then those that cut an end off.
  auto Rounds = [](const TestStep &S) {
    return S.Kind == TestStep::Mask || S.Kind == TestStep::Remainder || S.Kind == TestStep::Quotient ||
           S.Kind == TestStep::Shift;
  };
  if (Phase != (R.Predicate == CmpInst::ICMP_NE ? CutsOff : any_of(Path, Rounds) ? Round : Set))
    return N;
  if (openItem(&Key))
    return N;
  Node Limit = whileOpen(&Key, 0, [&] { return Multiple ? Nodes.constant(bitsOf(R.Left), 0) : of(R.Right, At); });
  auto HasNoUse = [&](const TestStep &S) {
    if (S.Kind == TestStep::Mask) { // of use if it says something of a remainder or of the low bits
      const auto *Mask = dyn_cast<ConstantInt>(S.Other);
      if (R.Predicate == CmpInst::ICMP_NE)
        return !Nodes.isPoint(Limit) ||
               !(match(S.Other, m_Power2()) || (Mask && Mask->getValue().isShiftedMask() && !Mask->getValue()[0]));
      return Mask && Mask->getValue().isShiftedMask() ? !isUpperBound(R.Predicate) && !Nodes.isPoint(Limit)
                                                      : R.Predicate != CmpInst::ICMP_EQ || !Nodes.isPoint(Limit);
    }
    if (S.Kind == TestStep::Shift) // a number that is not small is no index
      return !isUpperBound(R.Predicate);
    return S.Kind == TestStep::Remainder && !Nodes.isPoint(Limit);
  };
  if (any_of(Path, HasNoUse))
    return N;
  SmallVector<Node, 4> Before(Path.size()), Others(Path.size());
  for (size_t Index = Path.size(); Index-- > 0;) {
    const TestStep &Step = Path[Index];
    Before[Index] = N;
    if (Step.Other)
      Others[Index] = whileOpen(&Key, 0, [&] { return of(Step.Other, At); });
    if (Step.Kind == TestStep::SubtractFrom) {
      N = Nodes.operate(GASAN_PROOF_SUB, Step.Bits, Others[Index], N);
    } else if (Step.Kind == TestStep::AddOther) {
      N = Nodes.operate(GASAN_PROOF_ADD, Step.Bits, N, Others[Index]);
    } else if (Step.Kind == TestStep::Absolute) {
      N = absolute(N);
    } else if (Step.Kind == TestStep::Mask) {
      N = Nodes.operate(GASAN_PROOF_AND, Step.Bits, N, Others[Index]);
    } else if (Step.Kind == TestStep::Remainder) {
      N = whileOpen(&Key, 0, [&] { return remainder(Step.Division, N, At); });
    } else if (Step.Kind == TestStep::Multiply) {
      N = Nodes.operate(GASAN_PROOF_MUL, Step.Bits, N, Nodes.constant(Step.Constant));
    } else if (Step.Kind == TestStep::Quotient) {
      N = Nodes.operate(Step.IsSigned ? GASAN_PROOF_SDIV : GASAN_PROOF_UDIV, Step.Bits, N, Others[Index]);
    } else if (Step.Kind == TestStep::Shift) {
      N = Nodes.operate(Step.IsSigned ? GASAN_PROOF_ASHR : GASAN_PROOF_LSHR, Step.Bits, N, Others[Index]);
    } else if (Step.Kind == TestStep::Add) {
      N = Nodes.operate(GASAN_PROOF_ADD, Step.Bits, N, Nodes.constant(Step.Constant));
    } else if (Step.Kind != TestStep::Same) {
      N = Nodes.resize(N, Step.Bits, Step.Kind == TestStep::SignExtend);
    }
  }
  N = Nodes.where(R.Predicate, N, Limit);
  for (size_t Index = 0; Index < Path.size(); ++Index) {
    const TestStep &Step = Path[Index];
    const unsigned Bits = Index + 1 < Path.size() ? Path[Index + 1].Bits : bitsOf(V);
    if (Step.Kind == TestStep::Truncate) {
      N = beforeTruncation(Before[Index], N);
      continue;
    }
    if (Step.Kind == TestStep::Mask) {
      N = beforeMask(Before[Index], Others[Index], N, R.Predicate);
      continue;
    }
    if (Step.Kind == TestStep::Remainder) {
      Node Passed = Nodes.where(CmpInst::ICMP_EQ, Before[Index], N);
      N = beforeRemainder(Before[Index], Others[Index], Step.IsSigned, N);
      if (!Step.Division.hasDivisor())
        N = unionOf(N, whileOpen(&Key, 0, [&] { return ifFactorIsZero(Step.Division, Passed, At); }));
      continue;
    }
    if (Step.Kind == TestStep::Multiply) {
      N = beforeProduct(Before[Index], Step.Constant, N, CmpInst::isUnsigned(R.Predicate));
      continue;
    }
    if (Step.Kind == TestStep::Quotient) {
      N = beforeDivision(*Step.Sum, Before[Index], Others[Index], N, Key, Innermost);
      continue;
    }
    if (Step.Kind == TestStep::Shift) {
      N = beforeShift(Before[Index], Others[Index], Step.IsSigned, N);
      continue;
    }
    if (Step.Kind == TestStep::Absolute) {
      N = beforeAbsolute(Before[Index], N);
      continue;
    }
    if (Step.Kind == TestStep::SubtractFrom || Step.Kind == TestStep::AddOther) {
      const bool IsSum = Step.Kind == TestStep::AddOther;
      SmallVector<Node, 4> Broken;
      broken(*Step.Sum, IsSum ? Before[Index] : Others[Index], IsSum ? Others[Index] : Before[Index], Broken);
      Node Operand = Nodes.operate(GASAN_PROOF_SUB, Bits, IsSum ? N : Others[Index], IsSum ? Others[Index] : N);
      if (std::optional<Extreme> E = IsSum ? std::nullopt : extremeOf(Step.Other, Step.Sum->getOperand(1)))
        Operand = beforeExtreme(Before[Index], whileOpen(&Key, 0, [&] { return of(E->Other, At); }),
                                Nodes.operate(GASAN_PROOF_SUB, Bits, N, Nodes.constant(E->Added)));
      N = Nodes.where(CmpInst::ICMP_EQ, Before[Index], Operand);
      for (Node B : Broken)
        N = unionOf(N, Nodes.operate(GASAN_PROOF_IF, Bits, Before[Index], B));
      continue;
    }
    if (Step.Kind != TestStep::Add) {
      N = Nodes.resize(N, Bits, false);
      continue;
    }
    N = Nodes.operate(GASAN_PROOF_SUB, Step.Bits, N, Nodes.constant(Step.Constant));
    for (bool Signed : {true, false})
      if (Step.Sum && (Signed ? Step.Sum->hasNoSignedWrap() : Step.Sum->hasNoUnsignedWrap()))
        if (const Escape Way = escapeOf(ArrayRef(Path).take_front(Index + 1), R.Predicate, Signed); Way != Escape::None)
          N = unionOf(N, overflowing(Step.Constant, *Step.Sum, Signed, Before[Index],
                                     Way == Escape::PastNegative
                                         ? Nodes.where(CmpInst::ICMP_SLT, Limit, Nodes.constant(Nodes.bits(Limit), 0))
                                         : Limit));
  }
  return N;
}

// Returns true if a test implies A >= B.
bool Formulas::isAtLeast(Value *A, Value *B, const Place *At, bool Signed) {
  auto Says = [&](const Relation &R) {
    return R.Left == A && R.Right == B &&
           (R.Predicate == CmpInst::ICMP_EQ || R.Predicate == (Signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE) ||
            R.Predicate == (Signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT));
  };
  for (const Place *P = At; P; P = P->Outer)
    if (any_of(P->Known, [&](const Relation &R) { return Says(R) || Says(R.swapped()); }))
      return true;
  return false;
}

// Returns the place's tests by the values to which they lead. A place with many tests encloses many values, and a test
// leads to few of them.
const Formulas::Tests &Formulas::testsOf(const Place &P) {
  std::unique_ptr<Tests> &Known = TestsOf[&P];
  if (Known)
    return *Known;
  Known = std::make_unique<Tests>();
  for (const Relation &R : P.Known)
    for (bool IsSwapped : {false, true}) {
      const Relation Tested = IsSwapped ? R.swapped() : R;
      SmallPtrSet<Value *, 8> Passed;
      TestPath Path;
      leadsTo(Tested.Left, nullptr, Tested, Path, &Passed);
      for (Value *V : Passed)
        (*Known)[V].push_back({&P, &R, IsSwapped});
    }
  return *Known;
}

// Narrows N by all guards.
Node Formulas::refine(Value *V, Node N, const Place *At) {
  if (Nodes.isPoint(N))
    return N;
  SmallVector<PlacedTest, 8> OfValue;
  for (const Place *P = At; P; P = P->Outer) {
    if (P->Known.empty())
      continue;
    const Tests &OfPlace = testsOf(*P);
    if (auto Found = OfPlace.find(V); Found != OfPlace.end())
      OfValue.append(Found->second.begin(), Found->second.end());
  }
  for (RefinePhase Phase : {Set, Round, CutsOff})
    for (const PlacedTest &T : OfValue)
      N = refineBy(T.IsSwapped ? T.Of->swapped() : *T.Of, *T.Of, V, N, T.At, At, Phase);
  if (auto *Phi = dyn_cast<PHINode>(V))
    N = byCounterBeside(*Phi, N, At);
  return byCounter(V, N, At);
}

// Tests of other values do not narrow a value that is fixed for a launch, such as a kernel's argument. Instead, the
// node becomes empty if one of these tests is never true in the launch.
Node Formulas::ifReached(Node N, const Place *At, const Place *From) {
  const bool IsArgument = Nodes.isPoint(N) && !Nodes.isConstant(N);
  auto Point = [&](Value *V) -> std::optional<Node> {
    if (auto *Address = dyn_cast<PtrToIntOperator>(V); Address && bitsOf(V) == 64) // a test for null in code from PTX
      V = Address->getPointerOperand()->stripPointerCasts();
    if (isa<ConstantPointerNull>(V) && V->getType()->getPointerAddressSpace() == 0)
      return Nodes.constant(64, 0);
    if (V->getType()->isPointerTy()) {
      std::optional<ArgumentPart> Part = argumentPart(*V, Written);
      return Part ? std::optional(Nodes.argument(64, Part->Number, Part->Offset)) : std::nullopt;
    }
    if (!isInteger(V))
      return std::nullopt;
    Node Result = of(V, At);
    return Nodes.isPoint(Result) ? std::optional(Result) : std::nullopt;
  };
  for (const Place *P = At; P && P != From; P = P->Outer)
    for (const Relation &R : P->Known) {
      std::optional<Node> Left, Right;
      if (IsArgument && CmpInst::isRelational(R.Predicate) && isInteger(R.Left) && !openItem(&R)) {
        Node Tested = whileOpen(&R, 0, [&] { return of(R.Left, P); });
        Node Limit = whileOpen(&R, 0, [&] { return of(R.Right, P); });
        if (Nodes.isBounded(Tested) || (Nodes.isPoint(Tested) && Nodes.isPoint(Limit))) {
          Left = Tested;
          Right = Limit;
        }
      } else {
        Left = Point(R.Left);
        Right = Left ? Point(R.Right) : std::nullopt;
      }
      if (Right)
        N = Nodes.operate(GASAN_PROOF_IF, Nodes.bits(N), N, Nodes.where(R.Predicate, *Left, *Right));
    }
  return N;
}

// Returns true for a value from which compilers choose the rounds of an unrolled loop: a number of rounds, or some bits
// of it.
static bool countsRounds(Value *V) {
  Value *Inner, *Greatest;
  if (match(V, m_Add(m_Value(Inner), m_ConstantInt())))
    V = Inner;
  return match(V, m_CombineOr(m_And(m_Value(), m_ConstantInt()), m_LShr(m_Value(), m_ConstantInt()))) ||
         (match(V, m_Sub(m_Value(Greatest), m_Value())) && extremeOf(Greatest, cast<BinaryOperator>(V)->getOperand(1)));
}

Node Formulas::whereReached(const Place *At) {
  Node N = ifReached(Nodes.constant(64, 0), At);
  SmallDenseSet<Node, 8> Tested;
  for (const Place *P = At; P; P = P->Outer)
    for (const Relation &R : P->Known) {
      if (!isa<ConstantInt>(R.Right) || !isInteger(R.Left) || !countsRounds(R.Left) || openItem(&R))
        continue;
      const Node Number = of(R.Left, At);
      if (Nodes.isComputed(Number) && Nodes.isBounded(Number) && Tested.insert(Number).second)
        N = Nodes.operate(GASAN_PROOF_IF, Nodes.bits(N), N, Number);
    }
  return N;
}

} // namespace gasan
