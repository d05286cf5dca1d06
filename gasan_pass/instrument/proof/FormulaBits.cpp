// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handles sums of a number and some of its own bits, as in butterflies (bitonic sort, fast Fourier transform, tree
// scans):
//
//   i = 2 * t - (t & (distance - 1))      t, with the lowest bits taken from what comes above them
//   i + distance
//
// Intervals of the two operands ignore that both depend on t. But
//   c * x - (x & m)           is (c - 1) * x + (x & ~m), and
//   c * x - (x & m) + m + 1   is (c - 1) * x + (x | m) + 1,
// modulo 2^bits as well. If x has k bits, LLVM changes the upper bits of m, too: it uses distance + 2^k - 1 instead of
// distance - 1. For the bytes of an address in shared memory, LLVM shifts both terms: (x << 3) - ((x & m) << 2).
#include "gasan_pass/instrument/proof/Formula.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {
namespace {

// Minuend - ((X & M) << Scale)
struct Difference {
  BinaryOperator *Minuend = nullptr; // X << (Shift + Scale); null: X
  Value *X = nullptr, *Mask = nullptr;
  unsigned Shift = 0, Scale = 0;
};

bool hasPromises(const Value &V) {
  const auto *Sum = dyn_cast<OverflowingBinaryOperator>(&V);
  return Sum && (Sum->hasNoSignedWrap() || Sum->hasNoUnsignedWrap());
}

bool matchDifference(Value *V, Difference &D) {
  Value *Minuend, *Subtrahend, *A, *B;
  const APInt *Shift, *Scale;
  if (!match(V, m_Sub(m_Value(Minuend), m_Value(Subtrahend))))
    return false;
  if (match(Subtrahend, m_Shl(m_Value(A), m_APInt(Scale))) && Scale->ult(Scale->getBitWidth()) &&
      !hasPromises(*Subtrahend) && !hasPromises(*Minuend) && !hasPromises(*V)) {
    D.Scale = Scale->getZExtValue();
    Subtrahend = A;
  }
  if (!match(Subtrahend, m_And(m_Value(A), m_Value(B))))
    return false;
  for (auto [X, Mask] : {std::pair(A, B), std::pair(B, A)}) {
    D.X = X;
    D.Mask = Mask;
    if (Minuend == X && !D.Scale)
      return true;
    if (match(Minuend, m_Shl(m_Specific(X), m_APInt(Shift))) && Shift->ult(Shift->getBitWidth()) &&
        Shift->uge(D.Scale)) {
      D.Minuend = cast<BinaryOperator>(Minuend);
      D.Shift = Shift->getZExtValue() - D.Scale;
      return true;
    }
  }
  return false;
}

} // namespace

// Returns the node if I is such a difference, or the sum of such a difference and its mask's distance. Empty: I is
// neither.
std::optional<Node> Formulas::butterfly(BinaryOperator &I, const Place *At) {
  const unsigned Bits = bitsOf(&I);
  Difference D;
  Value *Distance = nullptr;
  unsigned Known = Bits; // number of the mask's lowest bits that are those of distance - 1
  if (I.getOpcode() == Instruction::Sub) {
    if (!matchDifference(&I, D))
      return std::nullopt;
  } else if (I.getOpcode() == Instruction::Add) {
    const APInt *Less = nullptr;
    auto isIt = [&](Value *First, Value *Second) {
      Distance = Second;
      return matchDifference(First, D) && !D.Scale && match(D.Mask, m_Add(m_Specific(Second), m_APInt(Less))) &&
             Less->isMask();
    };
    if (!isIt(I.getOperand(0), I.getOperand(1)) && !isIt(I.getOperand(1), I.getOperand(0)))
      return std::nullopt;
    Known = Less->countr_one();
  } else {
    return std::nullopt;
  }
  const auto *Subtraction =
      cast<BinaryOperator>(Distance ? (Distance == I.getOperand(0) ? I.getOperand(1) : I.getOperand(0)) : &I);
  // The promises of these must follow from x >= 0.
  if (D.Minuend && ((Subtraction->hasNoSignedWrap() && !D.Minuend->hasNoSignedWrap()) ||
                    (Subtraction->hasNoUnsignedWrap() && !D.Minuend->hasNoUnsignedWrap())))
    return std::nullopt;
  const uint64_t LowBits = maxUIntN(Known);
  Node X = of(D.X, At), Mask = of(D.Mask, At);
  if (Known < Bits)
    Mask = Nodes.operate(GASAN_PROOF_AND, Bits, Mask, Nodes.constant(Bits, LowBits));
  auto Sum = [&](unsigned In, Node X, Node Mask) {
    Node Above = Nodes.operate(GASAN_PROOF_MUL, In, X, Nodes.constant(In, (uint64_t(1) << D.Shift) - 1));
    Node Other =
        Distance ? Nodes.operate(GASAN_PROOF_ADD, In, Nodes.operate(GASAN_PROOF_OR, In, X, Mask), Nodes.constant(In, 1))
                 : Nodes.operate(GASAN_PROOF_AND, In, X,
                                 Nodes.operate(GASAN_PROOF_XOR, In, Mask, Nodes.constant(In, maxUIntN(In))));
    return Nodes.operate(GASAN_PROOF_ADD, In, Above, Other);
  };
  SmallVector<Node, 8> Otherwise; // if one of these is non-empty, the sum is any value
  if (Known < Bits) {
    Otherwise.push_back(Nodes.where(CmpInst::ICMP_UGT, X, Nodes.constant(Bits, LowBits)));
    Node Less = Nodes.operate(GASAN_PROOF_SUB, Bits, of(Distance, At), Nodes.constant(Bits, 1));
    Otherwise.push_back(Nodes.where(CmpInst::ICMP_UGT, Less, Nodes.constant(Bits, LowBits)));
  }
  if (D.Minuend)
    broken(*D.Minuend, X, Nodes.constant(Bits, D.Shift), Otherwise);
  const bool IsSigned = Subtraction->hasNoSignedWrap() || I.hasNoSignedWrap();
  if (IsSigned)
    Otherwise.push_back(Nodes.where(CmpInst::ICMP_SLT, X, Nodes.constant(Bits, 0)));
  if (IsSigned && Distance)
    Otherwise.push_back(Nodes.where(CmpInst::ICMP_SLT, Mask, Nodes.constant(Bits, 0)));
  constexpr unsigned kWide = 64;
  if (Distance && Bits <= kWide / 2 && (IsSigned || I.hasNoUnsignedWrap())) {
    Node Wide = Sum(kWide, Nodes.resize(X, kWide, false), Nodes.resize(Mask, kWide, false));
    Otherwise.push_back(Nodes.where(CmpInst::ICMP_UGT, Wide, Nodes.constant(kWide, maxUIntN(Bits - IsSigned))));
  }
  Node Result = Sum(Bits, X, Mask);
  if (D.Scale)
    Result = Nodes.operate(GASAN_PROOF_SHL, Bits, Result, Nodes.constant(Bits, D.Scale));
  for (Node N : Otherwise)
    Result = Nodes.unlessThereIs(Result, N);
  return Result;
}

} // namespace gasan
