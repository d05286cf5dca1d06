// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop variables that go around a few numbers, such as the stage of a pipeline and its place in shared memory:
//
//   place += stage == 3 ? -384 : 128
//   stage = stage == 3 ? 0 : stage + 1
//
// All numbers are constants, so the compiler can list them. A state has the last value of each phi on which the
// variable depends. Each edge into a block of such phis leads from a state to another one, unless a condition of the
// edge does not hold in the state.
#include "gasan_pass/instrument/proof/Formula.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/ConstantRange.h"
#include <set>

using namespace llvm;

namespace gasan {
namespace {

constexpr unsigned kMostVariables = 8, kMostStates = 256, kMostNumbers = 4, kDeepest = 12, kMostWork = 50000;

class Ring {
public:
  Ring(Guards &Conditions, const LoopInfo &Loops, const DataLayout &DL)
      : Conditions(Conditions), Loops(Loops), DL(DL) {}

  // Returns the smallest range with all values of the variable. Empty: they are not known, or too many.
  std::optional<ConstantRange> of(PHINode &Phi) {
    if (!collect(&Phi, 0))
      return std::nullopt;
    std::set<State> Known;
    SmallVector<State, 16> Pending = {State(Variables.size())};
    ConstantRange Range = ConstantRange::getEmpty(bitsOf(Phi));
    while (!Pending.empty()) {
      const State S = Pending.pop_back_val();
      if (!Known.insert(S).second)
        continue;
      if (Known.size() > kMostStates)
        return std::nullopt;
      if (const ConstantInt *Value = S[indexOf(&Phi)])
        Range = Range.unionWith(ConstantRange(Value->getValue()), ConstantRange::Signed);
      for (BasicBlock *Block : Blocks)
        for (BasicBlock *From : predecessors(Block))
          if (!follow(S, *From, *Block, Pending))
            return std::nullopt;
    }
    return Range;
  }

private:
  using State = std::vector<ConstantInt *>; // by variable; null: the phi has not been reached
  // The values that a number may have in a state. No value: it is not known. Empty: it has not been reached.
  using Numbers = SmallVector<ConstantInt *, 2>;

  Guards &Conditions;
  const LoopInfo &Loops;
  const DataLayout &DL;
  SetVector<PHINode *> Variables;
  SetVector<BasicBlock *> Blocks; // of the variables
  mutable unsigned Work = 0;

  static unsigned bitsOf(const Value &V) { return V.getType()->getIntegerBitWidth(); }
  size_t indexOf(const PHINode *Phi) const { return find(Variables, Phi) - Variables.begin(); }

  // Products and shifts are left to other analyses, which find how they grow.
  static bool isComputed(const Value *V) {
    const unsigned Opcode = isa<BinaryOperator>(V) ? cast<BinaryOperator>(V)->getOpcode() : 0;
    return isa<ZExtInst, SExtInst, TruncInst, ICmpInst>(V) || Opcode == Instruction::Add ||
           Opcode == Instruction::Sub || Instruction::isBitwiseLogicOp(Opcode);
  }

  // Adds the variables of which V is made. Returns false if V is made of other things than constants, too.
  bool collect(Value *V, unsigned Depth) {
    if (!V->getType()->isIntegerTy() || Depth > kDeepest || ++Work > kMostWork)
      return false;
    if (isa<ConstantInt>(V))
      return true;
    auto Visit = [&](Value *Operand) { return collect(Operand, Depth + 1); };
    if (auto *Phi = dyn_cast<PHINode>(V)) {
      if (!Variables.insert(Phi))
        return true;
      Blocks.insert(Phi->getParent());
      if (Variables.size() > kMostVariables || !all_of(Phi->incoming_values(), Visit))
        return false;
      for (BasicBlock *From : Phi->blocks())
        collectConditions(*From, *Phi->getParent(), Depth);
      return true;
    }
    if (auto *Select = dyn_cast<SelectInst>(V)) {
      tryCollect(Select->getCondition(), Depth + 1);
      return Visit(Select->getTrueValue()) && Visit(Select->getFalseValue());
    }
    return isComputed(V) && all_of(cast<Instruction>(V)->operands(), Visit);
  }

  // A condition that is made of something else may hold or not.
  void tryCollect(Value *Condition, unsigned Depth) {
    const auto VariablesBefore = Variables;
    const auto BlocksBefore = Blocks;
    if (collect(Condition, Depth))
      return;
    Variables = VariablesBefore;
    Blocks = BlocksBefore;
  }

  // Adds what decides between the ways that meet in a block. A loop's own test would add its counter.
  void collectConditions(BasicBlock &From, BasicBlock &To, unsigned Depth) {
    if (Loops.isLoopHeader(&To))
      return;
    for (const Place *P = Conditions.onEdge(&From, &To); P; P = P->Outer)
      for (const Relation &R : P->Known)
        if (R.From && Loops.getLoopFor(R.From) == Loops.getLoopFor(&To) && isa<ConstantInt>(R.Right))
          tryCollect(R.Left, Depth + 1);
  }

  // Adds the states that the edge leads to. Returns false if these are too many.
  bool follow(const State &S, BasicBlock &From, BasicBlock &To, SmallVectorImpl<State> &Found) const {
    for (const Place *P = Conditions.onEdge(&From, &To); P; P = P->Outer)
      for (const Relation &R : P->Known)
        if (compared(R.Predicate, R.Left, R.Right, S, 0) == false)
          return true;
    SmallVector<State, 4> Next = {S};
    for (PHINode &Phi : To.phis()) {
      if (!Variables.contains(&Phi))
        continue;
      const std::optional<Numbers> Values = evaluate(Phi.getIncomingValueForBlock(&From), S, 0);
      if (!Values)
        return true;
      if (Values->empty())
        return false;
      const SmallVector<State, 4> Before = std::move(Next);
      Next.clear();
      for (const State &Each : Before)
        for (ConstantInt *Value : *Values) {
          Next.push_back(Each);
          Next.back()[indexOf(&Phi)] = Value;
        }
      if (Next.size() > kMostNumbers)
        return false;
    }
    Found.append(Next);
    return true;
  }

  // Returns whether the comparison holds. Empty: it may or may not.
  std::optional<bool> compared(CmpInst::Predicate Predicate, Value *Left, Value *Right, const State &S,
                               unsigned Depth) const {
    if (!Left->getType()->isIntegerTy())
      return std::nullopt;
    const std::optional<Numbers> A = evaluate(Left, S, Depth), B = evaluate(Right, S, Depth);
    if (!A || !B || A->size() != 1 || B->size() != 1)
      return std::nullopt;
    const APInt &One = A->front()->getValue(), &Other = B->front()->getValue();
    if (CmpInst::isUnsigned(Predicate) && One.isNegative() != Other.isNegative())
      return std::nullopt; // it may have been signed (samesign)
    return ICmpInst::compare(One, Other, Predicate);
  }

  std::optional<Numbers> evaluate(Value *V, const State &S, unsigned Depth) const {
    if (auto *Constant = dyn_cast<ConstantInt>(V))
      return Numbers{Constant};
    if (auto *Phi = dyn_cast<PHINode>(V)) {
      if (!Variables.contains(Phi))
        return Numbers();
      ConstantInt *Value = S[indexOf(Phi)];
      return Value ? std::optional(Numbers{Value}) : std::nullopt;
    }
    if (Depth > kDeepest || ++Work > kMostWork || !(isa<SelectInst>(V) || isComputed(V)))
      return Numbers();
    if (auto *Select = dyn_cast<SelectInst>(V))
      return chosen(*Select, S, Depth);
    auto *I = cast<Instruction>(V);
    const std::optional<Numbers> A = evaluate(I->getOperand(0), S, Depth + 1);
    const std::optional<Numbers> B =
        I->getNumOperands() > 1 ? evaluate(I->getOperand(1), S, Depth + 1) : std::optional(Numbers{nullptr});
    if (!A || !B)
      return std::nullopt;
    Numbers Result;
    for (ConstantInt *Left : *A)
      for (ConstantInt *Right : *B)
        if (!add(Result, compute(*I, Left, Right)))
          return Numbers();
    return Result;
  }

  std::optional<Numbers> chosen(SelectInst &Select, const State &S, unsigned Depth) const {
    std::optional<bool> Truth;
    if (auto *Compare = dyn_cast<ICmpInst>(Select.getCondition()))
      Truth = compared(Compare->getPredicate(), Compare->getOperand(0), Compare->getOperand(1), S, Depth + 1);
    Numbers Result;
    for (bool Way : {true, false}) {
      if (Truth && *Truth != Way)
        continue;
      const std::optional<Numbers> Arm = evaluate(Select.getOperand(Way ? 1 : 2), S, Depth + 1);
      if (!Arm)
        return std::nullopt;
      if (Arm->empty() || !all_of(*Arm, [&](ConstantInt *Value) { return add(Result, Value); }))
        return Numbers();
    }
    return Result;
  }

  // Returns true if code generation may rely on a promise that does not hold for these numbers: then it may compute the
  // number in more bits, so the number is not known.
  static bool breaksPromise(const Instruction &I, const APInt &Left, const APInt *Right) {
    bool Overflows = false;
    if (const auto *Sum = dyn_cast<OverflowingBinaryOperator>(&I)) {
      const bool IsAdd = I.getOpcode() == Instruction::Add; // else a difference
      if (Sum->hasNoSignedWrap())
        (void)(IsAdd ? Left.sadd_ov(*Right, Overflows) : Left.ssub_ov(*Right, Overflows));
      if (Sum->hasNoUnsignedWrap() && !Overflows)
        (void)(IsAdd ? Left.uadd_ov(*Right, Overflows) : Left.usub_ov(*Right, Overflows));
      return Overflows;
    }
    if (const auto *Cut = dyn_cast<TruncInst>(&I)) {
      const unsigned Bits = I.getType()->getIntegerBitWidth();
      return (Cut->hasNoSignedWrap() && !Left.isSignedIntN(Bits)) || (Cut->hasNoUnsignedWrap() && !Left.isIntN(Bits));
    }
    if (const auto *Or = dyn_cast<PossiblyDisjointInst>(&I))
      return Or->isDisjoint() && Left.intersects(*Right);
    if (const auto *Compare = dyn_cast<ICmpInst>(&I))
      return Compare->hasSameSign() && Left.isNegative() != Right->isNegative();
    return isa<PossiblyNonNegInst>(&I) && I.hasNonNeg() && Left.isNegative();
  }

  // Computes as if sums could wrap. Returns null for a number that the language does not define.
  ConstantInt *compute(const Instruction &I, ConstantInt *Left, ConstantInt *Right) const {
    if (breaksPromise(I, Left->getValue(), Right ? &Right->getValue() : nullptr))
      return nullptr;
    Constant *Result = isa<CastInst>(I) ? ConstantFoldCastOperand(I.getOpcode(), Left, I.getType(), DL)
                       : isa<ICmpInst>(I)
                           ? ConstantFoldCompareInstOperands(cast<ICmpInst>(I).getPredicate(), Left, Right, DL)
                           : ConstantFoldBinaryOpOperands(I.getOpcode(), Left, Right, DL);
    return dyn_cast_or_null<ConstantInt>(Result);
  }

  static bool add(Numbers &To, ConstantInt *Value) {
    if (Value && !is_contained(To, Value))
      To.push_back(Value);
    return Value && To.size() <= kMostNumbers;
  }
};

} // namespace

// Returns the variable's range, if no number that is unknown before the launch decides it.
std::optional<Node> Formulas::aroundRing(PHINode &Phi) {
  if (!isInteger(&Phi))
    return std::nullopt;
  const std::optional<ConstantRange> Range = Ring(Conditions, Loops, Phi.getDataLayout()).of(Phi);
  if (!Range || Range->isEmptySet() || Range->getSignedMin().isNegative())
    return std::nullopt;
  return Nodes.between(bitsOf(&Phi), Range->getSignedMin().getZExtValue(), Range->getSignedMax().getZExtValue());
}

} // namespace gasan
