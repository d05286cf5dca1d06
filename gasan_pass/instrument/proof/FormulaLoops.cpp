// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes loop variables, and the number of a loop's rounds.
#include "gasan_pass/instrument/proof/Formula.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {

constexpr unsigned kMostSteps = 64; // changes of a variable in one round

Node Formulas::startOf(PHINode &Phi, const Loop &L) {
  std::optional<Node> Result;
  for (unsigned Index = 0; Index < Phi.getNumIncomingValues(); ++Index)
    if (!L.contains(Phi.getIncomingBlock(Index)))
      Result = unionOf(Result, incoming(Phi, Index));
  return Result ? *Result : anything(&Phi); // never anything: a loop has an entry
}

// Returns the sum that an inner loop adds to a variable of L that passes through the inner loop. `V` is the inner
// loop's result at first, and is set to the value that enters the inner loop; both belong to one round of L.
std::optional<Node> Formulas::stepOfInner(Value *&V, const Loop &L) {
  auto *Phi = dyn_cast<PHINode>(V);
  if (!Phi || !L.contains(Phi))
    return std::nullopt;
  if (Phi->getNumIncomingValues() == 1) { // an LCSSA phi
    V = Phi->getIncomingValue(0);
    return Nodes.constant(bitsOf(Phi), 0);
  }
  const Loop *Inner = Loops.getLoopFor(Phi->getParent());
  if (Inner == &L || Inner->getHeader() != Phi->getParent() || !Inner->getLoopLatch() ||
      Phi->getNumIncomingValues() != 2)
    return std::nullopt;
  const Place *Back = Conditions.onEdge(Inner->getLoopLatch(), Inner->getHeader());
  std::optional<Node> Step = stepOf(*Phi, Phi->getIncomingValueForBlock(Inner->getLoopLatch()), *Inner, Back);
  std::optional<Node> Times = Step ? timesOf(*Inner) : std::nullopt;
  if (!Times)
    return std::nullopt;
  V = Phi->getIncomingValue(Phi->getIncomingBlock(0) == Inner->getLoopLatch() ? 1 : 0);
  return Nodes.operate(GASAN_PROOF_RECURRENCE, bitsOf(Phi), Nodes.constant(bitsOf(Phi), 0), *Step, *Times);
}

// Returns the union of the changes on the edges into a merge inside of the loop: `at += full ? 3 : 1`. Empty: the value
// is no such merge, or one of its values is no sum with the variable.
std::optional<Node> Formulas::stepOfMerge(PHINode &Phi, Value *V, const Loop &L, const Place *At, unsigned &Work) {
  auto *Merge = dyn_cast<PHINode>(V);
  if (!Merge || !L.contains(Merge) || Loops.isLoopHeader(Merge->getParent()))
    return std::nullopt;
  std::optional<Node> Result;
  for (BasicBlock *From : Merge->blocks()) {
    std::optional<Node> Step = stepOf(Phi, Merge->getIncomingValueForBlock(From), L, At, &Work);
    if (!Step)
      return std::nullopt;
    const Place *Edge = Conditions.onEdge(From, Merge->getParent());
    Result = unionOf(Result, ifReached(*Step, Edge, Conditions.above(Merge->getParent())));
  }
  return Result;
}

// Returns the change of the variable in one round. Each addition is the same in all rounds, but inner loops may repeat
// it a varying number of times. All operands must be known where the next value is computed. Choices: counts the
// additions if tests may choose among several; null: they may not.
std::optional<Node> Formulas::stepOf(PHINode &Phi, Value *Next, const Loop &L, const Place *At, unsigned *Choices) {
  const unsigned Bits = bitsOf(&Phi);
  Node Step = Nodes.constant(Bits, 0);
  for (unsigned Count = 0; Next != &Phi; ++Count) {
    Value *From = nullptr, *By = nullptr;
    if (Count == kMostSteps || (Choices && ++*Choices == kMostSteps))
      return std::nullopt;
    if (std::optional<Node> Added = stepOfInner(Next, L)) {
      Step = Nodes.operate(GASAN_PROOF_ADD, Bits, Step, *Added);
      continue;
    }
    if (std::optional<Node> Chosen = Choices ? stepOfMerge(Phi, Next, L, At, *Choices) : std::nullopt)
      return Nodes.operate(GASAN_PROOF_ADD, Bits, Step, *Chosen);
    if (auto *Gep = dyn_cast<GEPOperator>(Next)) {
      std::optional<Node> Moved = sumOfIndices(*Gep, At, &L);
      if (!Moved || Steps.stepFrom(Next) != Gep->getPointerOperand())
        return std::nullopt;
      Step = Nodes.operate(GASAN_PROOF_ADD, Bits, Step, *Moved);
      Next = Gep->getPointerOperand();
      continue;
    }
    if (!match(Next, m_Add(m_Value(From), m_Value(By))) && !match(Next, m_Sub(m_Value(From), m_Value(By))))
      return std::nullopt;
    const bool Less = cast<BinaryOperator>(Next)->getOpcode() == Instruction::Sub;
    if (!Less && L.isLoopInvariant(From))
      std::swap(From, By);
    if (!L.isLoopInvariant(By) || L.isLoopInvariant(From))
      return std::nullopt;
    Step = Nodes.operate(Less ? GASAN_PROOF_SUB : GASAN_PROOF_ADD, Bits, Step, of(By, At));
    Next = From;
  }
  return Step;
}

// Handles a variable that each round either keeps or replaces by a value that does not depend on it, such as the place
// of the smallest element so far. Empty: the variable is not of this kind.
std::optional<Node> Formulas::passedOn(PHINode &Phi, Value *Next, const Loop &L) {
  constexpr size_t kMost = 64;
  struct Way {
    Value *V;
    const Place *At;
  };
  SmallVector<Way, 8> Ways = {{Next, Conditions.onEdge(L.getLoopLatch(), L.getHeader())}};
  Node Result = startOf(Phi, L);
  bool IsKept = false;
  size_t Count = 0;
  while (!Ways.empty()) {
    if (Count++ == kMost)
      return std::nullopt;
    Value *V = Ways.back().V;
    const Place *At = Ways.pop_back_val().At;
    if (V == &Phi) {
      IsKept = true;
      continue;
    }
    auto *Merged = dyn_cast<PHINode>(V);
    if (Merged && L.contains(Merged) && Loops.getLoopFor(Merged->getParent())->getHeader() != Merged->getParent()) {
      for (BasicBlock *From : Merged->blocks())
        Ways.push_back({Merged->getIncomingValueForBlock(From), Conditions.onEdge(From, Merged->getParent())});
    } else if (auto *Select = dyn_cast<SelectInst>(V); Select && Select->getCondition()->getType()->isIntegerTy(1)) {
      Ways.push_back({Select->getTrueValue(), Conditions.with(At, Select->getCondition(), true)});
      Ways.push_back({Select->getFalseValue(), Conditions.with(At, Select->getCondition(), false)});
    } else {
      Result = unionOf(Result, whileOpen(&Phi, anything(&Phi), [&] { return of(V, At); }));
    }
  }
  return IsKept ? std::optional(Result) : std::nullopt;
}

// Handles a variable that alternates between few values: one minus itself, itself with an invariant's bits flipped, or
// several variables that exchange their values, such as the numbers of two buffers.
std::optional<Node> Formulas::exchanging(PHINode &Phi, Value *Next, const Loop &L) {
  constexpr unsigned kMost = 4;
  Value *By;
  const unsigned Bits = bitsOf(&Phi);
  const bool IsFlipped = match(Next, m_c_Xor(m_Specific(&Phi), m_Value(By)));
  if ((IsFlipped || match(Next, m_Sub(m_Value(By), m_Specific(&Phi)))) && L.isLoopInvariant(By)) {
    Node Start = startOf(Phi, L), Other = of(By, Conditions.at(L.getHeader()));
    Node Second = IsFlipped ? Nodes.operate(GASAN_PROOF_XOR, Bits, Start, Other)
                            : ifExact(*cast<BinaryOperator>(Next), Other, Start,
                                      Nodes.operate(GASAN_PROOF_SUB, Bits, Other, Start));
    return unionOf(Start, Second);
  }
  Node Result = startOf(Phi, L);
  for (unsigned Count = 0; Count < kMost && Next != &Phi; ++Count) {
    auto *Other = dyn_cast<PHINode>(Next);
    if (!Other || Other->getParent() != Phi.getParent())
      return std::nullopt;
    Result = unionOf(Result, startOf(*Other, L));
    Next = Other->getIncomingValueForBlock(L.getLoopLatch());
  }
  return Next == &Phi ? std::optional(Result) : std::nullopt;
}

// Handles a variable that only approaches 0: s /= 2.
std::optional<Node> Formulas::shrinking(PHINode &Phi, Value *Next, Node Start) {
  const APInt *By;
  const unsigned Bits = bitsOf(&Phi);
  if (match(Next, m_LShr(m_Specific(&Phi), m_Value())) || // a division by 0 may have any result
      (match(Next, m_UDiv(m_Specific(&Phi), m_APInt(By))) && !By->isZero()) ||
      match(Next, m_c_And(m_Specific(&Phi), m_Value())))
    return Nodes.where(CmpInst::ICMP_ULE, anything(&Phi), Start);
  if (match(Next, m_AShr(m_Specific(&Phi), m_Value())) ||
      (match(Next, m_SDiv(m_Specific(&Phi), m_APInt(By))) && By->isStrictlyPositive())) {
    Node Zero = Nodes.constant(Bits, 0);
    Node Above = Nodes.where(CmpInst::ICMP_SGE, anything(&Phi), Nodes.operate(GASAN_PROOF_SMIN, Bits, Start, Zero));
    return Nodes.where(CmpInst::ICMP_SLE, Above, Nodes.operate(GASAN_PROOF_SMAX, Bits, Start, Zero));
  }
  return std::nullopt;
}

// Handles a variable that each round multiplies by a power of two: s <<= 1.
std::optional<Node> Formulas::growing(PHINode &Phi, Value *Next, Node Start, const Loop &L) {
  const unsigned Bits = bitsOf(&Phi);
  const APInt *By = nullptr;
  unsigned Shift; // in each round
  if (match(Next, m_Shl(m_Specific(&Phi), m_APInt(By))) && By->ult(Bits))
    Shift = By->getZExtValue();
  else if (match(Next, m_Mul(m_Specific(&Phi), m_APInt(By))) && By->isPowerOf2())
    Shift = By->logBase2();
  else if (match(Next, m_Add(m_Specific(&Phi), m_Specific(&Phi))))
    Shift = 1;
  else
    return std::nullopt;
  const std::optional<Node> Times = timesOf(L);
  if (!Times)
    return growingBesideCount(Phi, L);
  Node Amount = Nodes.operate(GASAN_PROOF_MUL, 64, *Times, Nodes.constant(64, Shift));
  Node Result = Nodes.operate(GASAN_PROOF_SHL, Bits, Start, Nodes.resize(Amount, Bits, false));
  return ifExact(*cast<BinaryOperator>(Next), Result, By ? Nodes.constant(*By) : Result, Result);
}

// Narrows N, the values of V in a loop that does not change V, by the tests on the edges into the loop. For the
// remaining rounds of an unrolled loop, LLVM makes a second loop. The second loop is entered either because there are
// too few rounds for the unrolled loop, or from the unrolled loop because rounds are left. Only both tests together say
// that there is a round.
Node Formulas::atEntry(Value *V, Node N, const Loop &L) {
  BasicBlock *Block = L.getLoopPreheader();
  while (Block && Block->getSinglePredecessor())
    Block = Block->getSinglePredecessor();
  const auto *Definition = dyn_cast<Instruction>(V);
  if (!Block || !Definition || !Conditions.tree().properlyDominates(Definition->getParent(), Block))
    return N;
  std::optional<Node> Ways = onWaysTo(*Block, V);
  return Ways ? Nodes.where(CmpInst::ICMP_EQ, N, *Ways) : N;
}

// Returns the number of rounds of a loop that ends when a variable equals a limit. If variable and limit are multiples
// of the step, compares the quotients, with a step of 1.
Node Formulas::timesToEqual(PHINode &Phi, const Loop &L, Node Start, Node Step, Value *Limit, Node Of) {
  const SimplifyQuery Query = withoutPromises(Kernel.getDataLayout());
  const unsigned Bits = Nodes.bits(Start);
  for (unsigned Zeros = 1; Zeros < Bits - 1; ++Zeros)
    for (int64_t By : {1, -1}) {
      if (!Nodes.isConstant(Step, APInt(Bits, By, /*isSigned=*/true).shl(Zeros).getZExtValue()))
        continue;
      auto IsMultiple = [&](Value *V) { return computeKnownBits(V, Query).countMinTrailingZeros() >= Zeros; };
      bool All = isInteger(&Phi) && IsMultiple(Limit);
      for (unsigned Index = 0; All && Index < Phi.getNumIncomingValues(); ++Index)
        All = L.contains(Phi.getIncomingBlock(Index)) || IsMultiple(Phi.getIncomingValue(Index));
      if (!All)
        return Nodes.times(CmpInst::ICMP_NE, Start, Step, Of);
      auto Quotient = [&](Node N) { return Nodes.operate(GASAN_PROOF_LSHR, Bits, N, Nodes.constant(Bits, Zeros)); };
      return Nodes.times(CmpInst::ICMP_NE, Quotient(Start), Nodes.constant(APInt(Bits, By, /*isSigned=*/true)),
                         Quotient(Of));
    }
  return Nodes.times(CmpInst::ICMP_NE, Start, Step, Of);
}

// Returns the number of rounds of a loop that counts from First to First + D, modulo 2^bits. After D rounds, the
// variable is equal to the end. The result is better than that of the intervals of First and of the end if these differ
// between the threads and D does not. If D may be 0, or negative, the loop may begin behind its end, so any number of
// rounds is possible. Empty: R is not such a test.
std::optional<Node> Formulas::timesByDistance(const Relation &R, PHINode &Phi, const Loop &L, Node Step) {
  Value *Distance;
  const bool IsTest = R.Predicate == CmpInst::ICMP_SLT || R.Predicate == CmpInst::ICMP_ULT ||
                      (R.Predicate == CmpInst::ICMP_NE && L.isLoopInvariant(R.Right));
  if (!IsTest || !isInteger(&Phi) || !Nodes.isConstant(Step, 1) || !L.getLoopPredecessor() ||
      !match(R.Right, m_c_Add(m_Specific(Phi.getIncomingValueForBlock(L.getLoopPredecessor())), m_Value(Distance))))
    return std::nullopt;
  const unsigned Bits = bitsOf(&Phi);
  const Node D = of(Distance, Conditions.at(L.getHeader()));
  const Node Times = Nodes.times(R.Predicate, Nodes.constant(Bits, 0), Step, D);
  if (R.Predicate == CmpInst::ICMP_NE)
    return Times;
  return Nodes.unlessThereIs(Times, Nodes.where(R.Predicate, D, Nodes.constant(Bits, 1)));
}

// Returns the number of rounds that the relation allows as a test of this variable. Empty: the relation is not such a
// test.
std::optional<Node> Formulas::timesBy(const Relation &R, PHINode &Phi, const Loop &L, const Place *At) {
  Value *Next = Phi.getIncomingValueForBlock(L.getLoopLatch()), *Tested = R.Left;
  if (R.Predicate == CmpInst::ICMP_EQ || !isComparable(R))
    return std::nullopt;
  if (R.Predicate == CmpInst::ICMP_NE && !L.isLoopInvariant(R.Right))
    return std::nullopt;
  const APInt *Constant = nullptr;
  Value *Inner;
  if (Tested != Next && Tested != &Phi && match(Tested, m_Add(m_Value(Inner), m_APInt(Constant))))
    Tested = Inner;
  if (Tested != Next && Tested != &Phi && !Constant && match(Tested, m_Trunc(m_Value(Inner))))
    Tested = Inner; // less than the variable, modulo 2^bits
  if (Tested != Next && Tested != &Phi)
    return std::nullopt;
  std::optional<Node> Step = stepOf(Phi, Next, L, At);
  if (!Step || Next == &Phi)
    return std::nullopt;
  const unsigned Bits = bitsOf(R.Left);
  Node Start = Nodes.resize(startOf(Phi, L), Bits, false), By = Nodes.resize(*Step, Bits, false);
  if (Constant) {
    Node Added = Nodes.constant(*Constant);
    Start = ifExact(*cast<BinaryOperator>(R.Left), Start, Added, Nodes.operate(GASAN_PROOF_ADD, Bits, Start, Added));
  }
  Node Limit = of(R.Right, At);
  if (R.Predicate == CmpInst::ICMP_NE && !Nodes.isPoint(Limit))
    Limit = atEntry(R.Right, Limit, L);
  const std::optional<Node> ByDistance = R.Left == Next ? timesByDistance(R, Phi, L, By) : std::nullopt;
  if (R.Left == Next && !ByDistance && R.Predicate == CmpInst::ICMP_NE && !Nodes.isPoint(Limit))
    return timesToEqual(Phi, L, Start, By, R.Right, Limit);
  if (Tested == Next) {
    const Node Times = Nodes.times(R.Predicate, Start, By, Limit);
    return ByDistance ? Nodes.operate(GASAN_PROOF_UMIN, 64, Times, *ByDistance) : Times;
  }
  Node Later = Nodes.times(R.Predicate, Nodes.where(R.Predicate, Start, Limit), By, Limit);
  return unionOf(Nodes.constant(64, 0), Nodes.operate(GASAN_PROOF_ADD, 64, Nodes.constant(64, 1), Later));
}

// Returns the number of times that the back edge is taken: the minimum over the tests on the way to it.
std::optional<Node> Formulas::timesOf(const Loop &L) {
  if (auto Found = KnownTimes.find(&L); Found != KnownTimes.end())
    return Found->second;
  if (openItem(&L))
    return std::nullopt;
  const unsigned Outer = std::exchange(Low, kNone);
  const Place *At = Conditions.onEdge(L.getLoopLatch(), L.getHeader());
  std::optional<Node> Result = whileOpen(&L, 0, [&] {
    std::optional<Node> Least;
    auto Say = [&](std::optional<Node> Times) {
      if (Times && Nodes.isBounded(*Times))
        Least = Least ? Nodes.operate(GASAN_PROOF_UMIN, 64, *Least, *Times) : *Times;
    };
    for (const Place *P = At; P; P = P->Outer)
      for (const Relation &R : P->Known) {
        if (!R.From || !L.contains(R.From))
          continue;
        for (PHINode &Phi : L.getHeader()->phis())
          if (isInteger(&Phi) || Phi.getType()->isPointerTy()) {
            Say(timesBy(R, Phi, L, At));
            Say(timesBy(R.swapped(), Phi, L, At));
          }
      }
    return Least;
  });
  if (Low == kNone)
    KnownTimes[&L] = Result;
  Low = std::min(Low, Outer);
  return Result;
}

// Returns true if a test in the loop narrows the variable, or its next value, to a range.
bool Formulas::isTestedInOrder(PHINode &Phi, Value *Next, const Loop &L, const Place *Back) {
  auto Says = [&](const Relation &R) {
    return R.From && L.contains(R.From) && (!CmpInst::isEquality(R.Predicate) || isTestOfShift(R)) &&
           (speaksOf(R, &Phi) || speaksOf(R, Next));
  };
  for (const Place *P = Back; P; P = P->Outer)
    if (any_of(P->Known, Says))
      return true;
  return false;
}

// Returns the loop variable that V is, or whose next value V is (then IsNext is true). Null: V is neither.
PHINode *Formulas::variableOf(Value *V, bool &IsNext) {
  auto *I = dyn_cast<Instruction>(V);
  const Loop *L = I && isInteger(I) ? Loops.getLoopFor(I->getParent()) : nullptr;
  if (!L || !L->getLoopLatch())
    return nullptr;
  for (PHINode &Phi : L->getHeader()->phis()) {
    IsNext = Phi.getIncomingValueForBlock(L->getLoopLatch()) == V;
    if (&Phi == V || IsNext)
      return &Phi;
  }
  return nullptr;
}

// Narrows a loop variable, or its next value, after a test for equality that ends the loop. The test fixes the value of
// another variable of the loop, which counts the rounds, and so the values of all variables with a constant step.
Node Formulas::byCounter(Value *V, Node N, const Place *At) {
  bool IsNext, IsNextCounter;
  PHINode *Phi = variableOf(V, IsNext);
  if (!Phi)
    return N;
  const Loop &L = *Loops.getLoopFor(Phi->getParent());
  if (RoundOf && L.contains(RoundOf)) // the tests that end RoundOf are about its last round
    return N;
  const Place *Back = Conditions.onEdge(L.getLoopLatch(), L.getHeader());
  auto StepOf = [&](PHINode &Of) { return stepOf(Of, Of.getIncomingValueForBlock(L.getLoopLatch()), L, Back); };
  const unsigned Bits = bitsOf(Phi);
  auto Apply = [&](const Relation &R, const Relation &Key, const Place *Where) {
    PHINode *Counter = variableOf(R.Left, IsNextCounter);
    if (!Counter || Counter == Phi || Counter->getParent() != Phi->getParent() || bitsOf(Counter) < Bits ||
        !L.isLoopInvariant(R.Right) || !L.contains(R.From) ||
        !Conditions.tree().dominates(cast<Instruction>(V), R.From->getTerminator()) || openItem(&Key))
      return;
    whileOpen(&Key, 0, [&] {
      std::optional<Node> Step = StepOf(*Phi), CounterStep = StepOf(*Counter);
      const bool Up = CounterStep && Nodes.isConstant(*CounterStep, 1);
      const bool Down = CounterStep && Nodes.isConstant(*CounterStep, maxUIntN(bitsOf(Counter)));
      if (!Step || !Nodes.isPoint(*Step) || (!Up && !Down))
        return 0;
      Node Limit = of(R.Right, Where), First = startOf(*Counter, L);
      Node Rounds = Nodes.operate(GASAN_PROOF_SUB, bitsOf(Counter), Up ? Limit : First, Up ? First : Limit);
      Rounds = Nodes.operate(GASAN_PROOF_ADD, bitsOf(Counter), Rounds,
                             Nodes.constant(APInt(bitsOf(Counter), int(IsNext) - int(IsNextCounter), true)));
      Node Moved = Nodes.operate(GASAN_PROOF_MUL, Bits, Nodes.resize(Rounds, Bits, false), *Step);
      N = Nodes.where(CmpInst::ICMP_EQ, N, Nodes.operate(GASAN_PROOF_ADD, Bits, startOf(*Phi, L), Moved));
      return 0;
    });
  };
  for (const Place *P = At; P; P = P->Outer)
    for (const Relation &R : P->Known)
      if (R.Predicate == CmpInst::ICMP_EQ && R.From && isInteger(R.Left)) {
        Apply(R, R, P);
        Apply(R.swapped(), R, P);
      }
  return N;
}

// Returns the range that Spans derives for the variable.
std::optional<Node> Formulas::withinSpan(PHINode &Phi, const Loop &L) {
  std::optional<Walk> W = Walks.walkOf(Phi, L);
  if (!W)
    return std::nullopt;
  const Place *At = Conditions.at(L.getHeader());
  const unsigned Bits = bitsOf(&Phi);
  Node First = of(W->First, At), End = of(W->End, At), Step = Nodes.constant(W->Step);
  const CmpInst::Predicate AtLeast = W->Signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE;
  const APInt Least = W->Signed ? APInt::getSignedMinValue(Bits) : APInt::getZero(Bits);
  Node Last = Nodes.operate(GASAN_PROOF_SUB, Bits, Nodes.where(AtLeast, End, Nodes.constant(Least + W->Step)), Step);
  Node Result = Nodes.where(AtLeast, anything(&Phi), First);
  Result = Nodes.where(CmpInst::getSwappedPredicate(AtLeast), Result, Last);
  if (W->Distance)
    Result = ifExact(*W->Distance, End, First, Result, /*NeverBelow=*/!W->Signed);
  return ifExact(*W->Next, Result, Step, Result);
}

Node Formulas::loopVariable(PHINode &Phi, const Loop &L) {
  Node Start = startOf(Phi, L);
  Value *Next = Phi.getIncomingValueForBlock(L.getLoopLatch());
  if (Next == &Phi)
    return Start;
  if (std::optional<Node> InTurn = exchanging(Phi, Next, L))
    return *InTurn;
  const Place *Back = Conditions.onEdge(L.getLoopLatch(), L.getHeader());
  if (std::optional<Node> Ring = stepOf(Phi, Next, L, Back) ? std::nullopt : aroundRing(Phi))
    return *Ring;
  const std::optional<Node> Between = betweenStarts(Phi, L);
  auto Narrowed = [&](Node N) { return Between ? Nodes.where(CmpInst::ICMP_EQ, N, *Between) : N; };
  if (std::optional<Node> Kept = passedOn(Phi, Next, L))
    return Narrowed(*Kept);
  auto StartOrNext = [&](Node Assumed) {
    return unionOf(Start, whileOpen(&Phi, Assumed, [&] { return of(Next, Back); }));
  };
  if (Phi.getType()->isIntegerTy()) {
    std::optional<Node> Moves = shrinking(Phi, Next, Start); // for example until it is 0
    if (!Moves)
      Moves = growing(Phi, Next, Start, L);
    if (Moves)
      return Nodes.where(CmpInst::ICMP_EQ, StartOrNext(*Moves), *Moves);
  }
  Node Assumed = anything(&Phi);
  std::optional<Node> Step = stepOf(Phi, Next, L, Back);
  unsigned Choices = 0;
  const bool IsChosen = !Step && (Step = stepOf(Phi, Next, L, Back, &Choices));
  std::optional<Node> Times = Step ? timesOf(L) : std::nullopt;
  const bool KeepsLowBits = Step && !Nodes.isOdd(*Step); // after any number of rounds
  if (Times || KeepsLowBits)
    Assumed = Nodes.operate(GASAN_PROOF_RECURRENCE, bitsOf(&Phi), Start, *Step,
                            Times ? *Times : Nodes.between(64, 0, UINT64_MAX));
  const bool Exact = Times && Nodes.isPoint(Start) && Nodes.isPoint(*Step); // no test narrows it further
  const std::optional<Node> Within = Exact ? std::nullopt : withinSpan(Phi, L);
  if (Within)
    Assumed = Nodes.where(CmpInst::ICMP_EQ, Assumed, *Within);
  const Node Before = Assumed;
  if (Step && !Exact)
    Assumed = besideUnrolled(Phi, L, narrowUnrolled(Phi, L, Assumed));
  if (Exact || (Step && !IsChosen && !isTestedInOrder(Phi, Next, L, Back)))
    return Assumed;
  Node Result = Narrowed(StartOrNext(Assumed));
  return Times || KeepsLowBits || Within || Assumed != Before ? Nodes.where(CmpInst::ICMP_EQ, Result, Assumed)
                                                              : Result; // the intersection
}

} // namespace gasan
