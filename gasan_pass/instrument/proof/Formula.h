/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Which values the integers of a kernel may have, and its pointers' offsets from their roots: nodes of its program.
//
// A value is asked for at a place: what the guards there say of it, of what it is made of and of what is made of it
// goes in. Loop variables are recurrences where the loop's tests say how often it goes round (FormulaLoops.cpp);
// otherwise what one round makes of any value. Flags that promise something (nsw, inbounds, llvm.assume) are not
// believed: where the program breaks the promise, its access is still to be found, whatever the code generator makes of
// it (ifExact()).
#ifndef GASAN_PASS_INSTRUMENT_PROOF_FORMULA_H
#define GASAN_PASS_INSTRUMENT_PROOF_FORMULA_H

#include "gasan_pass/instrument/bst/PointerSteps.h"
#include "gasan_pass/instrument/proof/ArgumentPart.h"
#include "gasan_pass/instrument/proof/Guards.h"
#include "gasan_pass/instrument/proof/Program.h"
#include "gasan_pass/instrument/proof/Spans.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IntrinsicInst.h"

namespace gasan {

class Formulas {
public:
  // The values at the places `At` have to be there: their definitions dominate.
  Formulas(llvm::Function &Kernel, Program &Nodes, PointerSteps &Steps, const llvm::BitVector &WrittenStructures);

  // An integer of 64 bits at most, or a pointer: its offset from PointerSteps::soleSource(), which has to be.
  Node of(llvm::Value *V, const Place *At);

  // The node, or nothing where arguments alone say that nobody comes from the place `From` (null: the kernel's entry)
  // to `At`.
  Node ifReached(Node N, const Place *At, const Place *From = nullptr);

  Guards &guards() { return Conditions; }

private:
  struct Item { // that is being worked out: what asks for it meanwhile gets less than it will be
    unsigned Depth;
    Node Assumed;
  };
  static constexpr unsigned kNone = ~0u;

  llvm::Function &Kernel;
  Program &Nodes;
  PointerSteps &Steps;
  Guards Conditions;
  llvm::LoopInfo Loops;
  Spans Walks;
  const llvm::BitVector &Written;
  llvm::DenseMap<std::pair<llvm::Value *, const Place *>, Node> Known;
  llvm::DenseMap<const llvm::Loop *, std::optional<Node>> KnownTimes;
  llvm::DenseMap<const void *, Item> Open; // relations, phis, loops
  unsigned Low = kNone;                    // the outermost open item that was asked for: what hangs on it is not kept
  unsigned Work = 0, Depth = 0;

  static bool isInteger(const llvm::Value *V);
  unsigned bitsOf(const llvm::Value *V) const;
  Node anything(llvm::Value *V) { return Nodes.anything(bitsOf(V), *V); }

  template <typename Make>
  auto whileOpen(const void *Key, Node Assumed, Make Do);
  const Item *openItem(const void *Key);

  Node structure(llvm::Value *V, const Place *At);
  Node binary(llvm::BinaryOperator &I, const Place *At);
  Node ifExact(const llvm::BinaryOperator &I, Node A, Node B, Node Result, bool NeverBelow = false);
  void broken(const llvm::BinaryOperator &I, Node A, Node B, llvm::SmallVectorImpl<Node> &Otherwise,
              bool NeverBelow = false);
  std::optional<Node> butterfly(llvm::BinaryOperator &I, const Place *At); // FormulaBits.cpp
  Node intrinsic(llvm::IntrinsicInst &I, const Place *At);
  Node select(llvm::SelectInst &I, const Place *At);
  Node offset(llvm::Value *Pointer, const Place *At);
  std::optional<Node> sumOfIndices(llvm::GEPOperator &Gep, const Place *At, const llvm::Loop *InvariantIn);
  Node sumOfOffsets(Node A, Node B);
  Node phi(llvm::PHINode &Phi);
  Node incoming(llvm::PHINode &Phi, unsigned Index);

  static bool isAtLeast(llvm::Value *A, llvm::Value *B, const Place *At, bool Signed);
  Node refine(llvm::Value *V, Node N, const Place *At);
  Node refineBy(const Relation &R, const Relation &Key, llvm::Value *V, Node N, const Place *At);
  Node overflowing(const llvm::APInt &Constant, const llvm::BinaryOperator &Sum, bool Signed, Node N, Node Where);
  bool isComparable(const Relation &R);
  static bool speaksOf(const Relation &R, llvm::Value *V);

  Node unionOf(std::optional<Node> A, Node B) { return A ? Nodes.operate(GASAN_PROOF_UNION, Nodes.bits(B), *A, B) : B; }
  Node startOf(llvm::PHINode &Phi, const llvm::Loop &L);
  static bool isTestedInOrder(llvm::PHINode &Phi, llvm::Value *Next, const llvm::Loop &L, const Place *Back);
  Node loopVariable(llvm::PHINode &Phi, const llvm::Loop &L);
  std::optional<Node> withinSpan(llvm::PHINode &Phi, const llvm::Loop &L);
  std::optional<Node> shrinking(llvm::PHINode &Phi, llvm::Value *Next, Node Start);
  std::optional<Node> stepOf(llvm::PHINode &Phi, llvm::Value *Next, const llvm::Loop &L, const Place *At);
  std::optional<Node> stepOfInner(llvm::Value *&V, const llvm::Loop &L);
  Node timesToEqual(llvm::PHINode &Phi, const llvm::Loop &L, Node Start, Node Step, llvm::Value *Limit, Node Of);
  std::optional<Node> timesOf(const llvm::Loop &L);
  std::optional<Node> timesBy(const Relation &R, llvm::PHINode &Phi, const llvm::Loop &L, const Place *At);
};

template <typename Make>
auto Formulas::whileOpen(const void *Key, Node Assumed, Make Do) {
  const unsigned Own = Open.size();
  Open[Key] = {Own, Assumed};
  auto Result = Do();
  Open.erase(Key);
  if (Low != kNone && Low >= Own) // it hangs on nothing but this, which is worked out
    Low = kNone;
  return Result;
}

} // namespace gasan

#endif
