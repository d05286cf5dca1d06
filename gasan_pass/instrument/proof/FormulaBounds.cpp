// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds an offset by putting the greatest value of one number in its place, as for the last tile of rows:
//
//   count = min(32, length - start)
//   if (t < count * 64)
//     rows[start * 64 + t]               start * 64 + t <= length * 64 - 1
//
// The intervals of start and t do not show this. If t becomes count * 64 - 1, and then the minimum becomes length -
// start, both starts cancel out. Tests bound the number, or the rules about unrolled loops.
//
// The rule holds for whole numbers. It applies in launches in which no operation can wrap: all numbers and tested sums
// lie between -2^30 and 2^30. In other launches, the offset has the values that follow from its operands.
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/proof/Unrolled.h"

using namespace llvm;

namespace gasan {

constexpr unsigned kMostReplaced = 3;
constexpr unsigned kMostTries = 48;

struct Formulas::Replacement : Formulas::Sum {
  const Place *At;
  Polynomial Whole; // the offset
  std::function<void(const Polynomial &, ArrayRef<std::function<bool(WholeNumbers &)>>)> Found;
  SmallVector<Polynomial::Product, 4> Replaced = {};
  SmallVector<std::function<bool(WholeNumbers &)>, 4> Needs = {};
  unsigned Tries = 0;

  static Polynomial extended(const Polynomial &Of) {
    Polynomial Result(64);
    for (const auto &[Product, Coefficient] : Of.terms())
      Result.add(Product, Coefficient);
    return Result;
  }

  // Returns true if a number cancels out that was not replaced.
  bool isBetter(const Polynomial &Of) const {
    return any_of(Whole.terms(), [&](const auto &Term) {
      return !Term.first.empty() && !is_contained(Replaced, Term.first) && !Of.terms().count(Term.first);
    });
  }

  // Tries the bound `Most` in place of the number.
  void replace(const Polynomial &Of, const Polynomial::Product &Number, int64_t Coefficient, const Polynomial &Most,
               std::function<bool(WholeNumbers &)> Need) {
    if (Tries++ >= kMostTries)
      return;
    Polynomial Result = Of.plus(extended(Most), Coefficient);
    Result.add(Number, -Coefficient);
    Replaced.push_back(Number);
    Needs.push_back(std::move(Need));
    if (isBetter(Result))
      Found(Result, Needs);
    else
      run(Result);
    Needs.pop_back();
    Replaced.pop_back();
  }

  bool need(WholeNumbers &Numbers, const Polynomial &Of, bool IsUnsigned, const Place *Where) {
    std::optional<Node> N = value(Numbers, Of, Where);
    if (N)
      limited(Numbers, *N);
    if (N && IsUnsigned)
      Numbers.small(*N);
    return N.has_value();
  }

  void byTests(const Polynomial &Of, const Polynomial::Product &Number, int64_t Coefficient, Value *V) {
    const unsigned Bits = F.bitsOf(V);
    anyRelation(At, [&](const Relation &R) {
      const bool Strict = R.Predicate == CmpInst::ICMP_SLT || R.Predicate == CmpInst::ICMP_ULT;
      if ((!Strict && R.Predicate != CmpInst::ICMP_SLE && R.Predicate != CmpInst::ICMP_ULE) ||
          F.bitsOf(R.Left) != Bits || isa<ConstantInt>(R.Right))
        return false;
      const std::optional<int64_t> More = P.of(R.Left).minus(P.of(V)).constant();
      if (!More || std::abs(*More) > Unrolled::kMostMore || F.openItem(&R))
        return false;
      const bool IsUnsigned = CmpInst::isUnsigned(R.Predicate);
      const Polynomial Left = of(R.Left), Right = of(R.Right); // and notes their minima
      replace(Of, Number, Coefficient, Right.plus(-*More - int64_t(Strict)), [=](WholeNumbers &Numbers) {
        return need(Numbers, Left, false, At) && need(Numbers, Right, IsUnsigned, At);
      });
      return false;
    });
  }

  void run(const Polynomial &Of) {
    if (Replaced.size() >= kMostReplaced)
      return;
    for (const auto &[Product, Coefficient] : Of.terms()) {
      if (Product.size() != 1 || Coefficient <= 0 || is_contained(Replaced, Product))
        continue;
      if (const Polynomial *Q = P.minimum(Product.front())) {
        replace(Of, Product, Coefficient, *Q, [=](WholeNumbers &Numbers) { return need(Numbers, *Q, false, At); });
        continue;
      }
      Value *V = P.atom(Product.front());
      if (F.bitsOf(V) != 32)
        continue;
      auto *Phi = dyn_cast<PHINode>(V);
      const Loop *L = Phi ? F.Loops.getLoopFor(Phi->getParent()) : nullptr;
      if (L && L->getHeader() == Phi->getParent()) {
        auto Loop = std::make_shared<Unrolled>(Unrolled{{F, P}, *L, *Phi});
        if (Loop->isUnrolled())
          replace(Of, Product, Coefficient, Loop->greatest(), [=](WholeNumbers &Numbers) {
            return Loop->require(Numbers) && need(Numbers, Loop->greatest(), false, Loop->Outside);
          });
      }
      byTests(Of, Product, Coefficient, V);
    }
  }
};

static int64_t constantIn(const Polynomial &Of) {
  auto Found = Of.terms().find({});
  return Found == Of.terms().end() ? 0 : Found->second;
}

// Narrows the offset of a pointer from above.
Node Formulas::narrowByBounds(Value *Pointer, Node Offset, const BasicBlock &Block) {
  const Place *At = Conditions.at(&Block);
  SmallVector<Polynomials::Narrow, 4> Casts;
  if (!Kernel.hasFnAttribute(kLiftedAttr)) // other code has one index, which FormulaSums bounds at less cost
    return Offset;
  Replacement R = {{*this, Sums}, At, Polynomial(64), nullptr};
  std::optional<Polynomial> Whole = R.offset(Pointer, Casts);
  if (!Whole || std::abs(constantIn(*Whole)) > Sum::kGreatest)
    return Offset;
  R.Whole = *Whole;
  R.Found = [&](const Polynomial &Most, ArrayRef<std::function<bool(WholeNumbers &)>> Needs) {
    WholeNumbers Numbers(Nodes);
    // The constants stay outside, so that accesses at constant distances have the same node.
    auto Variable = [](const Polynomial &Of) { return Of.plus(-constantIn(Of)); };
    std::optional<Node> Greatest = R.value(Numbers, Variable(Most), At), Own = R.value(Numbers, Variable(*Whole), At);
    if (!Greatest || !Own || !R.require(Numbers, Casts, At) || !R.requireMinima(Numbers, At, Block) ||
        !all_of(Needs, [&](const auto &Need) { return Need(Numbers); }))
      return;
    int64_t Moved;
    Node Rest = Nodes.splitConstant(Offset, Moved);
    const int64_t More = int64_t(uint64_t(constantIn(Most)) - uint64_t(Moved));
    Node Narrowed = Nodes.where(CmpInst::ICMP_SLE, Rest, Numbers.plus(*Greatest, Numbers.constant(More)));
    Rest = Nodes.where(CmpInst::ICMP_EQ, Rest, Numbers.resultOrAny(Narrowed));
    Offset = Numbers.plus(Rest, Numbers.constant(Moved));
  };
  R.run(*Whole);
  return Offset;
}

} // namespace gasan
