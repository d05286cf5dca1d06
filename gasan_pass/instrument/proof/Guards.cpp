// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/proof/Guards.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {

constexpr unsigned kDeepest = 16;

Place *Guards::make(const Place *Outer) {
  Places.push_back(std::make_unique<Place>(Place{Outer, {}, {}}));
  return Places.back().get();
}

void Guards::learnFromChecks(Place &At, const BasicBlock *From) {
  if (auto Found = Shown.find(From); Found != Shown.end())
    for (const ShownRelation &R : Found->second)
      At.Known.push_back(R.Of);
}

// A flag that is true was set on one of the paths on which it may be true. So everything that holds on all of these
// paths holds.
void Guards::learnFromFlag(Place &At, PHINode &Flag, bool Truth, const BasicBlock *From, unsigned Depth) {
  BasicBlock *Joint = nullptr;
  Value *Only = nullptr; // the flag's value, if there is only one such way
  for (auto [Index, Incoming] : enumerate(Flag.incoming_values())) {
    const auto *Constant = dyn_cast<ConstantInt>(Incoming);
    if (Constant && Constant->isOne() != Truth)
      continue;
    BasicBlock *Way = Flag.getIncomingBlock(Index);
    Only = Joint ? nullptr : Incoming.get();
    Joint = Joint ? Tree.findNearestCommonDominator(Joint, Way) : Way;
  }
  const DomTreeNode *Node = Tree.getNode(Flag.getParent());
  if (!Joint || !Node || !Node->getIDom())
    return;
  // Accepts only values that are the same at the flag and at the test.
  auto IsLasting = [&](const Value *V) {
    const auto *I = dyn_cast<Instruction>(V);
    return !I || Tree.properlyDominates(I->getParent(), Flag.getParent());
  };
  const Place *Outside = at(Node->getIDom()->getBlock());
  SmallVector<Relation, 4> Found;
  for (const Place *P = Only ? onEdge(Joint, Flag.getParent()) : at(Joint); P && P != Outside; P = P->Outer)
    for (const Relation &R : P->Known)
      if (IsLasting(R.Left) && IsLasting(R.Right))
        Found.push_back({R.Predicate, R.Left, R.Right, From});
  At.Known.append(Found.begin(), Found.end());
  if (Only && isa<Instruction>(Only) && IsLasting(Only))
    learn(At, Only, Truth, From, Depth + 1);
}

// If the minimum of two numbers is c, both are at least c.
void Guards::learnFromExtreme(Place &At, Value *Extreme, Value *C, const BasicBlock *From) {
  if (match(C, m_MaxOrMin(m_Value(), m_Value())))
    std::swap(Extreme, C);
  if (auto *Both = dyn_cast<MinMaxIntrinsic>(Extreme)) {
    const CmpInst::Predicate Outside = ICmpInst::getNonStrictPredicate(Both->getPredicate()); // of the extreme itself
    for (Value *Operand : {Both->getLHS(), Both->getRHS()})
      At.Known.push_back({CmpInst::getSwappedPredicate(Outside), Operand, C, From});
  }
}

// In C, `a & b` of two conditions is a number: `and (zext a), (zext b)`. If the number is not 0, both conditions are
// true. If the number of an OR is 0, both are false.
void Guards::learnFromNumber(Place &At, Value *Number, bool Truth, const BasicBlock *From, unsigned Depth) {
  Value *A, *B;
  if (Depth > kDeepest)
    return;
  if (match(Number, m_ZExt(m_Value(A))))
    return A->getType()->isIntegerTy(1) ? learn(At, A, Truth, From, Depth + 1)
                                        : learnFromNumber(At, A, Truth, From, Depth + 1);
  if (Truth ? match(Number, m_And(m_Value(A), m_Value(B))) : match(Number, m_Or(m_Value(A), m_Value(B)))) {
    learnFromNumber(At, A, Truth, From, Depth + 1);
    learnFromNumber(At, B, Truth, From, Depth + 1);
  }
}

void Guards::learnFromFloats(Place &At, FCmpInst &Compare, bool Truth, const BasicBlock *From) {
  static const std::pair<CmpInst::Predicate, CmpInst::Predicate> OfOrdinals[] = {
      {CmpInst::FCMP_OEQ, CmpInst::ICMP_EQ},  {CmpInst::FCMP_OGT, CmpInst::ICMP_SGT},
      {CmpInst::FCMP_OGE, CmpInst::ICMP_SGE}, {CmpInst::FCMP_OLT, CmpInst::ICMP_SLT},
      {CmpInst::FCMP_OLE, CmpInst::ICMP_SLE},
  };
  const CmpInst::Predicate Predicate = Truth ? Compare.getPredicate() : Compare.getInversePredicate();
  for (auto [Float, Integer] : OfOrdinals)
    if (FCmpInst::getOrderedPredicate(Predicate) == Float)
      At.Floats.push_back(
          {{Integer, Compare.getOperand(0), Compare.getOperand(1), From}, FCmpInst::isOrdered(Predicate)});
}

// If "a and b" is true, both are true; if "a or b" is false, both are false.
void Guards::learn(Place &At, Value *Condition, bool Truth, const BasicBlock *From, unsigned Depth) {
  if (!Condition->getType()->isIntegerTy(1) || Depth > kDeepest)
    return;
  Value *A, *B;
  if (match(Condition, m_Not(m_Value(A))))
    return learn(At, A, !Truth, From, Depth + 1);
  if (match(Condition, m_Freeze(m_Value(A))))
    return learn(At, A, Truth, From, Depth + 1);
  if (Truth ? match(Condition, m_LogicalAnd(m_Value(A), m_Value(B)))
            : match(Condition, m_LogicalOr(m_Value(A), m_Value(B)))) {
    learn(At, A, Truth, From, Depth + 1);
    learn(At, B, Truth, From, Depth + 1);
    return;
  }
  if (auto *Compare = dyn_cast<ICmpInst>(Condition)) {
    CmpInst::Predicate Predicate = Truth ? Compare->getPredicate() : Compare->getInversePredicate();
    At.Known.push_back({Predicate, Compare->getOperand(0), Compare->getOperand(1), From});
    if (ICmpInst::isEquality(Predicate) && match(Compare->getOperand(1), m_Zero()))
      learnFromNumber(At, Compare->getOperand(0), Predicate == CmpInst::ICMP_NE, From, Depth + 1);
    if (Predicate == CmpInst::ICMP_EQ)
      learnFromExtreme(At, Compare->getOperand(0), Compare->getOperand(1), From);
    return;
  }
  if (auto *Compare = dyn_cast<FCmpInst>(Condition))
    learnFromFloats(At, *Compare, Truth, From);
  if (auto *Flag = dyn_cast<PHINode>(Condition))
    learnFromFlag(At, *Flag, Truth, From, Depth);
  if (!isa<Constant>(Condition))
    At.Known.push_back({CmpInst::ICMP_EQ, Condition, ConstantInt::getBool(Condition->getType(), Truth), From});
}

void Guards::learnFromEdge(Place &At, BasicBlock *From, BasicBlock *To) {
  Instruction *End = From->getTerminator();
  if (auto *Branch = dyn_cast<BranchInst>(End)) {
    if (Branch->isConditional() && Branch->getSuccessor(0) != Branch->getSuccessor(1))
      learn(At, Branch->getCondition(), Branch->getSuccessor(0) == To, From);
    return;
  }
  auto *Switch = dyn_cast<SwitchInst>(End);
  constexpr unsigned kMostCases = 8;
  if (Switch && Switch->getDefaultDest() == To && Switch->getNumCases() <= kMostCases &&
      none_of(Switch->cases(), [&](const auto &Case) { return Case.getCaseSuccessor() == To; }))
    for (const auto &Case : Switch->cases())
      At.Known.push_back({CmpInst::ICMP_NE, Switch->getCondition(), Case.getCaseValue(), From});
  if (Switch && Switch->getDefaultDest() != To)
    if (ConstantInt *Case = Switch->findCaseDest(To)) // the only case that leads there
      At.Known.push_back({CmpInst::ICMP_EQ, Switch->getCondition(), Case, From});
}

const Place *Guards::at(const BasicBlock *Block) {
  if (auto Known = Blocks.find(Block); Known != Blocks.end())
    return Known->second;
  const DomTreeNode *Node = Tree.getNode(Block);
  SmallVector<const DomTreeNode *, 32> Chain; // the dominator tree may be as deep as the function is long
  const Place *Outer = nullptr;
  for (; Node; Node = Node->getIDom()) {
    if (auto Known = Blocks.find(Node->getBlock()); Known != Blocks.end()) {
      Outer = Known->second;
      break;
    }
    Chain.push_back(Node);
  }
  for (const DomTreeNode *Next : reverse(Chain)) {
    Place *New = make(Outer);
    if (const DomTreeNode *Above = Next->getIDom()) {
      BasicBlock *From = Above->getBlock(), *To = Next->getBlock();
      learnFromChecks(*New, From);
      if (is_contained(successors(From), To) && Tree.dominates(BasicBlockEdge(From, To), To))
        learnFromEdge(*New, From, To);
    }
    Outer = Blocks[Next->getBlock()] = New;
  }
  return Outer ? Outer : Blocks[Block] = make(nullptr);
}

void Guards::addBehind(const Instruction &I, const Relation &R) {
  constexpr size_t kMost = 32; // of a block: each has its own place
  SmallVectorImpl<ShownRelation> &OfBlock = Shown[I.getParent()];
  assert(OfBlock.empty() || OfBlock.back().Behind == &I || OfBlock.back().Behind->comesBefore(&I));
  if (OfBlock.size() < kMost)
    OfBlock.push_back({&I, R});
}

const Place *Guards::before(const Instruction &I) {
  const BasicBlock *Block = I.getParent();
  auto Found = Shown.find(Block);
  const size_t Count = Found == Shown.end()
                           ? 0
                           : count_if(Found->second, [&](const ShownRelation &R) { return R.Behind->comesBefore(&I); });
  const Place *Outer = at(Block);
  for (size_t Index = 0; Index < Count; ++Index) {
    const Place *&Known = Inside[{Block, Index}];
    if (!Known) {
      Place *New = make(Outer);
      New->Known.push_back(Found->second[Index].Of);
      Known = New;
    }
    Outer = Known;
  }
  return Outer;
}

const Place *Guards::above(const BasicBlock *Block) {
  const DomTreeNode *Node = Tree.getNode(Block);
  return Node && Node->getIDom() ? at(Node->getIDom()->getBlock()) : nullptr;
}

const Place *Guards::onEdge(BasicBlock *From, BasicBlock *To) {
  const Place *Outer = at(From);
  const Place *&Known = Edges[{From, To}];
  if (Known)
    return Known;
  Place *New = make(Outer);
  learnFromChecks(*New, From);
  learnFromEdge(*New, From, To);
  return Known = New;
}

const Place *Guards::with(const Place *Outer, Value *Condition, bool Truth) {
  const Place *&Known = Conditions[{Outer, {Condition, Truth}}];
  if (Known)
    return Known;
  Place *New = make(Outer);
  learn(*New, Condition, Truth, nullptr);
  return Known = New;
}

} // namespace gasan
