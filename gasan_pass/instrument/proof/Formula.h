/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Computes the values that the integers of a kernel may have, and the offsets of its pointers from their roots, as
// nodes of the kernel's program.
//
// Values are evaluated at a program point. Dominating branch conditions on the value, its operands, or expressions
// derived from it narrow the result. A loop variable is a recurrence if the loop's tests bound the number of rounds
// (FormulaLoops.cpp); otherwise it is the start value or any result of one round. Flags that promise results (nsw,
// inbounds, llvm.assume) are not believed. If the program breaks the promise, its access must still be found, whatever
// the code generator makes of it (ifExact()).
#ifndef GASAN_PASS_INSTRUMENT_PROOF_FORMULA_H
#define GASAN_PASS_INSTRUMENT_PROOF_FORMULA_H

#include "gasan_pass/instrument/bst/PointerSteps.h"
#include "gasan_pass/instrument/proof/ArgumentPart.h"
#include "gasan_pass/instrument/proof/Guards.h"
#include "gasan_pass/instrument/proof/Polynomial.h"
#include "gasan_pass/instrument/proof/Program.h"
#include "gasan_pass/instrument/proof/Spans.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ValueHandle.h"

namespace gasan {

class WholeNumbers;

class Formulas {
public:
  // Each value that is requested at a place `At` must be defined there: its definition dominates the place.
  Formulas(llvm::Function &Kernel, Program &Nodes, PointerSteps &Steps, const WrittenBytes &Written);
  ~Formulas();
  Formulas(const Formulas &) = delete;
  Formulas &operator=(const Formulas &) = delete;

  // Returns the node of an integer of at most 64 bits, or of a pointer's offset from its PointerSteps::soleSource(),
  // which must exist.
  Node of(llvm::Value *V, const Place *At);

  // Starts a claim, which may use up a share of the kernel's work. Beyond this share, a node is any value.
  void startClaim();

  // Returns the node of the pointer at an access. If several paths with different tests lead to the access's block, the
  // node has the pointer's values on all of these paths.
  Node ofAccess(llvm::Value *Pointer, llvm::Instruction &Access);

  // Returns the node of an integer at the block's end, with the same treatment of paths as ofAccess().
  Node ofInteger(llvm::Value *V, llvm::BasicBlock &Block);

  // Returns the union of a node's values over all rounds of a loop. The loop is the innermost one around the block that
  // doubles or halves a variable (a butterfly's distance, a tree's width). `Evaluate` returns the node for one round,
  // in which the loop's variables have the values of that round. Empty: there is no such loop, or the node is the same
  // in all rounds.
  std::optional<Node> inEachRound(const llvm::BasicBlock &Block, llvm::function_ref<Node()> Evaluate);

  // Returns the node. The node is empty in launches whose arguments alone rule out every path from the place `From`
  // (null: the kernel's entry) to `At`.
  Node ifReached(Node N, const Place *At, const Place *From = nullptr);

  // Returns a node that is empty in launches in which no thread reaches `At`: a test of arguments, or of a loop's
  // number of rounds, rules the place out. A loop that was unrolled tests bits of this number. Tests of other numbers
  // would cost more evaluation in each launch than they prove.
  Node whereReached(const Place *At);

  // Returns a query for known bits that believes no flags.
  static llvm::SimplifyQuery withoutPromises(const llvm::DataLayout &DL);

  // Returns true if V is A + C: an addition, or an OR with bits that A does not have. Relies on no promise.
  static bool isSum(llvm::Value *V, llvm::Value *&A, const llvm::APInt *&C);

  // Returns true if the divisor is the factor, or 1 where the factor is 0, as in code from PTX. KnowsMinusOne: it may
  // be 1 where the factor is -1, too.
  static bool isSafeDivisor(llvm::Value *Divisor, const llvm::Value *Factor, bool IsSigned, bool KnowsMinusOne);

  struct Division {
    llvm::Value *Dividend = nullptr, *Divisor = nullptr;
    // Of the quotient, in the remainder: the divisor. Where the divisor is 1, it may be 0; or it may be -1, and the
    // remainder is 0.
    llvm::Value *Factor = nullptr;
    bool IsSigned = false;

    bool hasDivisor() const { return Factor == Divisor; }
  };
  // Returns the division of which V is the remainder, dividend - quotient * factor. Empty: V is not a remainder.
  static std::optional<Division> remainderOf(llvm::Value *V);
  // Returns the division if the relation tests for a remainder of 0 by comparing x with x / divisor * factor.
  static std::optional<Division> multipleIn(const Relation &R);

  Guards &guards() { return Conditions; }

private:
  struct Item { // in progress; a request for it meanwhile gets the assumed node
    unsigned Depth;
    Node Assumed;
  };
  static constexpr unsigned kNone = ~0u;
  struct PlacedTest { // a relation, or the relation with exchanged operands
    const Place *At;
    const Relation *Of;
    bool IsSwapped;
  };
  using Tests = llvm::DenseMap<llvm::Value *, llvm::SmallVector<PlacedTest, 2>>;
  struct LoopRound { // of a loop: what is known in it
    unsigned Number = 0;
    llvm::DenseMap<llvm::PHINode *, Node> Variables;
    llvm::DenseMap<std::pair<llvm::Value *, const Place *>, Node> Known;
    llvm::DenseMap<const llvm::Loop *, std::optional<Node>> KnownTimes;
  };

  llvm::Function &Kernel;
  Program &Nodes;
  PointerSteps &Steps;
  Guards Conditions;
  llvm::LoopInfo Loops;
  Spans Walks;
  Polynomials Sums;
  const WrittenBytes &Written;
  llvm::DenseMap<std::pair<llvm::Value *, const Place *>, Node> Known;
  llvm::DenseMap<const llvm::Loop *, std::optional<Node>> KnownTimes;
  llvm::DenseMap<const Place *, std::unique_ptr<Tests>> TestsOf;
  llvm::DenseMap<const void *, Item> Open; // by relation, phi or loop
  // Outermost open item that was requested. Results that depend on an open item are not cached.
  unsigned Low = kNone;
  unsigned Work = 0, WorkLimit = 0, RoundWork = 0, Depth = 0, Selected = 0;
  llvm::DenseMap<const llvm::Loop *, std::vector<LoopRound>> Rounds;
  const llvm::Loop *RoundOf = nullptr; // values are those of one round of this loop
  const LoopRound *Now = nullptr;
  // Instructions of ours, which the destructor deletes: the results of inline PTX, and copies of expressions.
  llvm::DenseMap<llvm::CallInst *, llvm::WeakVH> AsmResults;
  llvm::SmallVector<llvm::WeakVH, 0> Copies;
  std::map<std::tuple<llvm::PHINode *, llvm::PHINode *, int64_t>, llvm::Value *> ReducedIndices;

  static bool isInteger(const llvm::Value *V);
  static bool isFloat(const llvm::Value *V); // of 32 or 64 bits
  unsigned bitsOf(const llvm::Value *V) const;
  Node anything(llvm::Value *V) { return Nodes.anything(bitsOf(V), *V); }

  template <typename Make>
  auto whileOpen(const void *Key, Node Assumed, Make Do);
  const Item *openItem(const void *Key);

  llvm::Value *resultOfAsm(llvm::CallInst &Asm);
  std::optional<Node> onWaysTo(llvm::BasicBlock &Block, llvm::Value *V);
  Node structure(llvm::Value *V, const Place *At);
  std::optional<Node> argumentElement(llvm::Value *V, const Place *At);
  Node unionOf(std::optional<Node> A, Node B) { return A ? Nodes.operate(GASAN_PROOF_UNION, Nodes.bits(B), *A, B) : B; }
  Node binary(llvm::BinaryOperator &I, const Place *At);
  std::optional<Node> distributed(llvm::BinaryOperator &I, gasan_proof_operation Operation, const Place *At);
  Node exactQuotient(const llvm::BinaryOperator &I, gasan_proof_operation Division, Node A, Node B);
  Node ifExact(const llvm::BinaryOperator &I, Node A, Node B, Node Result, bool NeverBelow = false);
  void broken(const llvm::BinaryOperator &I, Node A, Node B, llvm::SmallVectorImpl<Node> &Otherwise,
              bool NeverBelow = false);
  Node intrinsic(llvm::IntrinsicInst &I, const Place *At);
  Node absolute(Node A);
  Node select(llvm::SelectInst &I, const Place *At);
  Node offset(llvm::Value *Pointer, const Place *At);
  std::optional<Node> sumOfIndices(llvm::GEPOperator &Gep, const Place *At, const llvm::Loop *InvariantIn);
  Node sumOfOffsets(Node A, Node B);
  Node phi(llvm::PHINode &Phi);
  Node incoming(llvm::PHINode &Phi, unsigned Index);
  Node anyIncoming(llvm::PHINode &Phi);

  // FormulaBits.cpp, FormulaDivision.cpp
  std::optional<Node> butterfly(llvm::BinaryOperator &I, const Place *At);
  Node remainder(const Division &D, Node N, const Place *At);
  Node ifFactorIsZero(const Division &D, Node N, const Place *At);
  std::optional<Node> division(llvm::BinaryOperator &I, const Place *At);

  // FormulaFloats.cpp
  Node ofFloat(llvm::Value *V, const Place *At);
  std::optional<Node> integerOfFloat(llvm::Value *V, const Place *At);
  std::optional<Node> floatIntrinsic(llvm::IntrinsicInst &I, const Place *At);
  Node narrowFloat(llvm::Value *V, Node N, const Place *At);

  // FormulaSums.cpp
  std::optional<Node> relatedSum(llvm::Value *V, llvm::Value *W, Node Sum, const Place *At,
                                 const llvm::Value *Self = nullptr);
  Node narrowByTerms(llvm::BinaryOperator &Addition, Node Sum, const Place *At);
  Node narrowDifference(llvm::BinaryOperator &Subtraction, Node Difference, const Place *At);
  Node narrowBySteps(llvm::Value *Pointer, Node Offset, const Place *At);

  // FormulaProducts.cpp
  Node productOfStarts(WholeNumbers &Whole, llvm::PHINode &A, llvm::PHINode &B, const llvm::Loop &L);
  std::optional<Node> growingBesideCount(llvm::PHINode &Phi, const llvm::Loop &L);
  Node narrowProduct(llvm::BinaryOperator &Product, Node N, const Place *At);

  // FormulaWindows.cpp
  struct Window;
  struct WindowNumber;
  struct WindowRange;
  void rangeInLoop(const WindowNumber &Of, llvm::PHINode &Phi, const llvm::Loop &L, const llvm::Value &Stride,
                   llvm::Value *Minuend, WindowRange &Range);
  WindowRange rangeOf(const WindowNumber &Of, const llvm::Value &Stride, llvm::Value *Minuend, const Place *At);
  std::optional<Node> inWindow(llvm::BinaryOperator &Subtraction, llvm::Value *Stride, const WindowNumber &Of,
                               Node Difference, const Place *At);
  Node narrowInWindow(llvm::BinaryOperator &Subtraction, Node Difference, const Place *At);

  // FormulaUnrolled.cpp
  struct Sum;
  struct Unrolled;
  Node narrowUnrolled(llvm::PHINode &Phi, const llvm::Loop &L, Node N);
  Node besideUnrolled(llvm::PHINode &Phi, const llvm::Loop &L, Node N);

  // FormulaBounds.cpp
  struct Replacement;
  Node narrowByBounds(llvm::Value *Pointer, Node Offset, const llvm::BasicBlock &Block);

  // FormulaReduced.cpp
  struct Reduced;
  Node narrowReduced(llvm::Value *Pointer, Node Offset, const llvm::BasicBlock &Block);

  // FormulaCarries.cpp
  Node narrowByCarry(llvm::BinaryOperator &Shift, Node N, const Place *At);

  // FormulaGuards.cpp
  static bool isAtLeast(llvm::Value *A, llvm::Value *B, const Place *At, bool Signed);
  enum RefinePhase { Set, Round, CutsOff };
  const Tests &testsOf(const Place &P);
  Node refine(llvm::Value *V, Node N, const Place *At);
  Node refineBy(const Relation &R, const Relation &Key, llvm::Value *V, Node N, const Place *At, const Place *Innermost,
                RefinePhase Phase);
  bool isComparable(const Relation &R);
  static bool isTestOfShift(const Relation &R);
  static bool speaksOf(const Relation &R, llvm::Value *V);

  // FormulaInverses.cpp
  Node overflowing(const llvm::APInt &Constant, const llvm::BinaryOperator &Sum, bool Signed, Node N, Node Where);
  Node beforeAbsolute(Node N, Node Result);
  Node beforeTruncation(Node N, Node Low);
  Node beforeMask(Node N, Node Mask, Node Result, llvm::CmpInst::Predicate Test);
  Node beforeExtreme(Node N, Node Other, Node Difference);
  bool isRemainderMask(Node Mask, unsigned &First, unsigned &Count);
  Node beforeRemainder(Node N, Node Divisor, bool IsSigned, Node Rest);
  Node beforeShift(Node N, Node Amount, bool IsSigned, Node Result);
  Node beforeProduct(Node N, const llvm::APInt &By, Node Product, bool IsUnsigned);
  Node beforeDivision(const llvm::BinaryOperator &Quotient, Node N, Node Divisor, Node Result, const Relation &Key,
                      const Place *At);

  // FormulaRounds.cpp
  Node during(const llvm::Loop &L, LoopRound &R, llvm::function_ref<Node()> Evaluate);
  bool isWorthRounds(const llvm::Loop &L);
  Node inRound(llvm::PHINode &Pointer, Node N, const Place *At);
  std::vector<LoopRound> &roundsOf(const llvm::Loop &L);

  // FormulaCounters.cpp
  Node byCounterBeside(llvm::PHINode &Variable, Node N, const Place *At);

  // FormulaInvariants.cpp
  bool collectVariables(llvm::Value *V, const llvm::Loop &L, unsigned Bits,
                        llvm::SmallVectorImpl<llvm::PHINode *> &Found, unsigned &Work);
  std::optional<Node> betweenStarts(llvm::PHINode &Phi, const llvm::Loop &L);

  // FormulaRings.cpp
  std::optional<Node> aroundRing(llvm::PHINode &Phi);

  // FormulaLoops.cpp
  Node startOf(llvm::PHINode &Phi, const llvm::Loop &L);
  static bool isTestedInOrder(llvm::PHINode &Phi, llvm::Value *Next, const llvm::Loop &L, const Place *Back);
  Node loopVariable(llvm::PHINode &Phi, const llvm::Loop &L);
  llvm::PHINode *variableOf(llvm::Value *V, bool &IsNext);
  Node byCounter(llvm::Value *V, Node N, const Place *At);
  std::optional<Node> withinSpan(llvm::PHINode &Phi, const llvm::Loop &L);
  std::optional<Node> passedOn(llvm::PHINode &Phi, llvm::Value *Next, const llvm::Loop &L);
  std::optional<Node> exchanging(llvm::PHINode &Phi, llvm::Value *Next, const llvm::Loop &L);
  std::optional<Node> shrinking(llvm::PHINode &Phi, llvm::Value *Next, Node Start);
  std::optional<Node> growing(llvm::PHINode &Phi, llvm::Value *Next, Node Start, const llvm::Loop &L);
  std::optional<Node> stepOf(llvm::PHINode &Phi, llvm::Value *Next, const llvm::Loop &L, const Place *At,
                             unsigned *Choices = nullptr);
  std::optional<Node> stepOfMerge(llvm::PHINode &Phi, llvm::Value *V, const llvm::Loop &L, const Place *At,
                                  unsigned &Work);
  std::optional<Node> stepOfInner(llvm::Value *&V, const llvm::Loop &L);
  Node atEntry(llvm::Value *V, Node N, const llvm::Loop &L);
  Node timesToEqual(llvm::PHINode &Phi, const llvm::Loop &L, Node Start, Node Step, llvm::Value *Limit, Node Of);
  std::optional<Node> timesOf(const llvm::Loop &L);
  std::optional<Node> timesByDistance(const Relation &R, llvm::PHINode &Phi, const llvm::Loop &L, Node Step);
  std::optional<Node> timesBy(const Relation &R, llvm::PHINode &Phi, const llvm::Loop &L, const Place *At);
};

template <typename Make>
auto Formulas::whileOpen(const void *Key, Node Assumed, Make Do) {
  const unsigned Own = Open.size();
  Open[Key] = {Own, Assumed};
  auto Result = Do();
  Open.erase(Key);
  if (Low != kNone && Low >= Own) // it depends on this item only, which is complete
    Low = kNone;
  return Result;
}

} // namespace gasan

#endif
