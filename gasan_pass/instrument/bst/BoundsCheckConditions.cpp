// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the checks of conditional accesses before the condition, so that one branch decides them together with others:
//
//   if (a) { check x[i]; x[i] = 1; }      check (a and x[i] is bad) or (b and x[j] is bad)
//   if (b) { check x[j]; x[j] = 2; }      if (a) x[i] = 1;
//                                         if (b) x[j] = 2;
//
// ptxas makes a block that only stores or loads a predicated instruction, without a branch. A branch to a report in
// this block would prevent that.
#include "gasan_pass/instrument/bst/Batches.h"
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr size_t kMostInstructions = 16; // of a block that may become predicated instructions
constexpr size_t kMostMoved = 8;         // instructions that compute one check's values

using Instructions = SmallSetVector<Instruction *, 16>;

// An `if` without `else`: Head ends in the condition, Body is executed if the condition is Wanted, Tail follows.
struct If {
  BasicBlock *Body, *Tail;
  bool Wanted;
};

std::optional<If> ifOf(BasicBlock &Head) {
  auto *Branch = dyn_cast<BranchInst>(Head.getTerminator());
  if (!Branch || !Branch->isConditional())
    return std::nullopt;
  for (bool Wanted : {true, false}) {
    BasicBlock *Body = Branch->getSuccessor(Wanted ? 0 : 1), *Tail = Branch->getSuccessor(Wanted ? 1 : 0);
    if (Body != Tail && Body->getSinglePredecessor() == &Head && Body->getSingleSuccessor() == Tail &&
        Body->size() <= kMostInstructions)
      return If{Body, Tail, Wanted};
  }
  return std::nullopt;
}

// Adds the instructions of From that compute V to Moved, in their order. Returns false if one of them must stay.
bool collect(Value *V, ArrayRef<const BasicBlock *> From, Instructions &Moved) {
  auto *I = dyn_cast_or_null<Instruction>(V);
  if (!I || !is_contained(From, I->getParent()) || Moved.contains(I))
    return true;
  if (isa<PHINode>(I) || I->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(I) || Moved.size() >= kMostMoved ||
      !all_of(I->operands(), [&](Value *Operand) { return collect(Operand, From, Moved); }))
    return false;
  Moved.insert(I);
  return Moved.size() <= kMostMoved;
}

class Conditions {
public:
  explicit Conditions(MutableArrayRef<PlannedCheck> Checks) {
    for (PlannedCheck &C : Checks)
      At[C.MadeAt].push_back(&C);
  }

  void run(BasicBlock &Head) {
    std::optional<If> Found = ifOf(Head);
    if (!Found)
      return;
    Instruction *To = Head.getTerminator();
    if (std::optional<SmallVector<PlannedCheck *, 4>> Own = checksOf(*Found->Body); Own && !Own->empty())
      move(*Own, {Found->Body}, To, &*Found);
    else
      return;
    // What follows is checked at the same place if it ends in another such condition: one branch then decides all of
    // it.
    if (At.lookup(To).empty() || !Found->Tail->hasNPredecessors(2) || At.lookup(Found->Tail->getTerminator()).empty() ||
        any_of(*Found->Body, [](const Instruction &I) { return !I.isTerminator() && endsBatch(I); }))
      return;
    if (std::optional<SmallVector<PlannedCheck *, 4>> Next = checksOf(*Found->Tail))
      move(*Next, {Found->Body, Found->Tail}, To, nullptr);
  }

private:
  DenseMap<Instruction *, SmallVector<PlannedCheck *, 1>> At; // by the instruction before which they are made

  // Returns the checks of the block, in their order. Empty: something in the block must happen before one of them.
  std::optional<SmallVector<PlannedCheck *, 4>> checksOf(BasicBlock &Block) const {
    SmallVector<PlannedCheck *, 4> Found;
    bool Ended = false;
    for (Instruction &I : Block) {
      const auto Own = At.lookup(&I);
      if (Ended && !Own.empty())
        return std::nullopt;
      Found.append(Own.begin(), Own.end());
      Ended |= endsBatch(I);
    }
    return Found;
  }

  // Moves all of the checks, or none.
  void move(ArrayRef<PlannedCheck *> Checks, ArrayRef<const BasicBlock *> From, Instruction *To, const If *Condition) {
    if (At.lookup(To).size() + Checks.size() > kMostTogether)
      return;
    Instructions Moved;
    for (PlannedCheck *C : Checks) {
      Instructions Own;
      if (!all_of(C->values(), [&](Value *V) { return collect(V, From, Own); }))
        return;
      Moved.insert(Own.begin(), Own.end());
    }
    for (Instruction *I : Moved) {
      I->dropUBImplyingAttrsAndUnknownMetadata();
      I->moveBefore(To->getIterator());
    }
    for (PlannedCheck *C : Checks) {
      if (Condition)
        guard(*C, To, Condition->Wanted);
      erase(At[C->MadeAt], C);
      C->MadeAt = To;
    }
    At[To].append(Checks.begin(), Checks.end());
  }

  static void guard(PlannedCheck &C, Instruction *To, bool Wanted) {
    IRBuilder<> B(To);
    Value *Holds = cast<BranchInst>(To)->getCondition();
    if (!Wanted)
      Holds = B.CreateNot(Holds);
    C.Guard = C.Guard ? B.CreateLogicalAnd(Holds, C.Guard) : Holds;
  }
};

} // namespace

void BoundsCheck::moveBeforeConditions(Function &F, MutableArrayRef<Check> Checks) {
  if (Checks.empty())
    return;
  Conditions Of(Checks);
  for (BasicBlock *Head : post_order(&F))
    Of.run(*Head);
}

} // namespace gasan
