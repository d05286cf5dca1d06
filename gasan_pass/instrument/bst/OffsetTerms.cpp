#include "gasan_pass/instrument/bst/OffsetTerms.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr size_t kMostValues = 64; // of one search
constexpr unsigned kGreatestShift = 56;
constexpr unsigned kMostLowBits = 32; // what a mask of more bits leaves may still be an offset of any size

class Search {
public:
  explicit Search(SmallVectorImpl<OffsetTerm> &Terms) : Terms(Terms) {}

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
      if (auto *Mask = dyn_cast<ConstantInt>(At->getOperand(1)); Mask && Mask->getValue().getActiveBits() > kMostLowBits)
        operand(0);
      return;
    case Instruction::PHI:
      if (Seen.insert(V).second)
        for (Value *Incoming : cast<PHINode>(V)->incoming_values())
          visit(Incoming, Times);
      return;
    case Instruction::Select:
      if (Seen.insert(V).second) {
        operand(1);
        operand(2);
      }
      return;
    default:
      if (!isa<ConstantInt, UndefValue>(V))
        Terms.push_back({V, Times});
    }
  }

private:
  SmallVectorImpl<OffsetTerm> &Terms;
  SmallPtrSet<Value *, 8> Seen; // phis and selects
  size_t Visited = 0;

  void multiply(Operator &At, Factor Times) {
    auto *By = dyn_cast<ConstantInt>(At.getOperand(1));
    if (!By || By->getValue().getSignificantBits() > kGreatestShift || By->isZero())
      return;
    const unsigned Opcode = At.getOpcode();
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
