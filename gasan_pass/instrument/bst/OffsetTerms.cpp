// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/OffsetTerms.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr size_t kMostValues = 64; // visited in one search
constexpr unsigned kGreatestShift = 56;
constexpr unsigned kMostLowBits = 32; // a mask of more bits may leave an offset of any size

class Search {
public:
  explicit Search(SmallVectorImpl<OffsetTerm> &Terms) : Terms(&Terms) {}

  void visit(Value *V, Factor Times) {
    if (!V->getType()->isIntegerTy() || ++Visited > kMostValues)
      return;
    auto *At = dyn_cast<Operator>(V);
    auto operand = [&](unsigned Index) { visit(At->getOperand(Index), Times); };
    switch (At ? At->getOpcode() : 0) {
    case Instruction::SExt:
    case Instruction::ZExt:
    case Instruction::Trunc:
    case Instruction::Freeze:
      return operand(0);
    case Instruction::Add:
      operand(0);
      return operand(1);
    case Instruction::Or:
      if (auto *Sum = dyn_cast<PossiblyDisjointInst>(At); Sum && Sum->isDisjoint()) {
        operand(0);
        operand(1);
      }
      return;
    case Instruction::Sub:
      operand(0);
      return visit(At->getOperand(1), {-Times.Up, Times.Down});
    case Instruction::Mul:
    case Instruction::Shl:
    case Instruction::SDiv:
    case Instruction::UDiv:
    case Instruction::AShr:
    case Instruction::LShr:
      return multiply(*At, Times);
    case Instruction::And:
      if (auto *Mask = dyn_cast<ConstantInt>(At->getOperand(1));
          Mask && Mask->getValue().getActiveBits() > kMostLowBits)
        operand(0);
      return;
    case Instruction::PHI:
      return merge(V, SmallVector<Value *, 4>(cast<PHINode>(V)->incoming_values()), Times);
    case Instruction::Select:
      return merge(V, {At->getOperand(1), At->getOperand(2)}, Times);
    default:
      if (!isa<ConstantInt, UndefValue>(V))
        Terms->push_back({V, Times});
    }
  }

private:
  SmallVectorImpl<OffsetTerm> *Terms;
  SmallPtrSet<Value *, 8> Seen; // phis and selects that were visited
  bool ComesAround = false;     // a loop's value is derived from itself
  size_t Visited = 0;

  // Returns true if the term may contain a distance between two objects. A parameter that is merged with another value
  // counts as an index.
  static bool mayLead(const OffsetTerm &T) {
    return isa<PtrToIntOperator, PtrToAddrOperator, LoadInst, AtomicRMWInst, AtomicCmpXchgInst, ExtractValueInst,
               ExtractElementInst>(T.V) ||
           (isa<CallBase>(T.V) && !isa<IntrinsicInst>(T.V));
  }

  // Returns true for an ordinary index. The constant 0 does not count as an index: a distance may be 0 on some paths.
  static bool isNumber(const Value *Way, ArrayRef<OffsetTerm> Of) {
    const auto *Constant = dyn_cast<ConstantInt>(Way);
    return none_of(Of, mayLead) && !isa<UndefValue>(Way) && !(Constant && Constant->isZero());
  }

  // Adds the terms of all incoming values if each is a distance. A value that is an index on one path counts as an
  // index: otherwise a distance on another path would hide the index's overflow.
  void merge(Value *V, ArrayRef<Value *> Ways, Factor Times) {
    if (!Seen.insert(V).second) {
      ComesAround = true;
      return;
    }
    SmallVectorImpl<OffsetTerm> *const Before = Terms;
    OffsetTerms All;
    bool IsIndex = false, CameAround = ComesAround;
    for (Value *Way : Ways) {
      OffsetTerms Own;
      Terms = &Own;
      ComesAround = false;
      visit(Way, Times);
      IsIndex |= !ComesAround && isNumber(Way, Own);
      CameAround |= ComesAround;
      All.append(Own);
    }
    Terms = Before;
    ComesAround = CameAround;
    if (IsIndex)
      Terms->push_back({V, Times});
    else
      Terms->append(All);
  }

  void multiply(Operator &At, Factor Times) {
    auto *By = dyn_cast<ConstantInt>(At.getOperand(1));
    unsigned Opcode = At.getOpcode();
    // PTX divides a distance by an element's size in this form, because the division is exact.
    if (By && Opcode == Instruction::Mul && By->getValue().getSignificantBits() > kGreatestShift && By->getValue()[0]) {
      By = ConstantInt::get(By->getContext(), By->getValue().multiplicativeInverse());
      Opcode = Instruction::SDiv;
    }
    if (!By || By->getValue().getSignificantBits() > kGreatestShift || By->isZero())
      return;
    const bool Shifts = Opcode == Instruction::Shl || Opcode == Instruction::AShr || Opcode == Instruction::LShr;
    if (Shifts && By->getValue().ugt(kGreatestShift))
      return;
    const int64_t Number = Shifts ? int64_t(1) << By->getZExtValue() : By->getSExtValue();
    int64_t &Changed = Opcode == Instruction::Mul || Opcode == Instruction::Shl ? Times.Up : Times.Down;
    if (MulOverflow(Changed, Number, Changed) || Changed == std::numeric_limits<int64_t>::min())
      return;
    if (Times.Up % Times.Down == 0)
      Times = {Times.Up / Times.Down, 1};
    else if (Times.Down % Times.Up == 0)
      Times = {1, Times.Down / Times.Up};
    visit(At.getOperand(0), Times);
  }
};

} // namespace

OffsetTerms termsOf(Value *Integer, Factor Times) {
  OffsetTerms Terms;
  Search(Terms).visit(Integer, Times);
  return Terms;
}

OffsetTerms termsOf(GEPOperator &Gep, const DataLayout &DL) {
  OffsetTerms Terms;
  SmallMapVector<Value *, APInt, 4> Variable;
  const unsigned Width = DL.getIndexTypeSizeInBits(Gep.getType());
  APInt Constant(Width, 0);
  if (Gep.getType()->isPointerTy() && Gep.collectOffset(DL, Width, Variable, Constant))
    for (const auto &[Index, Scale] : Variable)
      if (Scale.getSignificantBits() <= 32 && !Scale.isZero())
        Search(Terms).visit(Index, {Scale.getSExtValue(), 1});
  return Terms;
}

} // namespace gasan
