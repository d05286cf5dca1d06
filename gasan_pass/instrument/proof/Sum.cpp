// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/proof/Sum.h"

using namespace llvm;

namespace gasan {

const Polynomial &Formulas::Sum::of(Value *V) {
  const Polynomial &Result = P.of(V);
  Minima.insert(Result.minima().begin(), Result.minima().end());
  return Result;
}

Polynomial Formulas::Sum::whole(Value *V, SmallVectorImpl<Polynomials::Narrow> &Casts) {
  Polynomial Result = P.whole(V, Casts);
  Minima.insert(Result.minima().begin(), Result.minima().end());
  return Result;
}

bool Formulas::Sum::requireMinima(WholeNumbers &Whole, const Place *At, const BasicBlock &Block) const {
  return all_of(Minima, [&](unsigned Atom) {
    const Polynomial *Q = P.minimum(Atom);
    std::optional<Node> N = isKnownIn(*Q, Block) ? value(Whole, *Q, At) : std::nullopt;
    if (N)
      limited(Whole, *N);
    return N.has_value();
  });
}

bool Formulas::Sum::isKnownIn(const Polynomial &Of, const BasicBlock &Block) const {
  return all_of(Of.terms(), [&](const auto &Term) {
    return all_of(Term.first, [&](unsigned Atom) {
      const Polynomial *Q = P.minimum(Atom);
      auto *I = Q ? nullptr : dyn_cast<Instruction>(P.atom(Atom));
      return Q ? isKnownIn(*Q, Block) : !I || F.Conditions.tree().dominates(I, &Block);
    });
  });
}

bool Formulas::Sum::anyRelation(const Place *At, function_ref<bool(const Relation &)> Do) const {
  for (const Place *Where = At; Where; Where = Where->Outer)
    for (const Relation &R : Where->Known)
      if (isInteger(R.Left) && (Do(R) || Do(R.swapped())))
        return true;
  return false;
}

std::optional<Node> Formulas::Sum::value(WholeNumbers &Whole, const Polynomial &Of, const Place *At) const {
  constexpr int64_t kMostCoefficient = 1 << 20;
  std::optional<Node> Sum;
  for (const auto &[Product, Coefficient] : Of.terms()) {
    if (std::abs(Coefficient) > (Product.empty() ? kGreatest : kMostCoefficient))
      return std::nullopt;
    std::optional<Node> Term;
    for (unsigned Atom : Product) {
      Node Factor;
      if (const Polynomial *Q = P.minimum(Atom)) {
        std::optional<Node> Inside = value(Whole, *Q, At);
        if (!Inside)
          return std::nullopt;
        Factor = F.Nodes.operate(GASAN_PROOF_SMIN, WholeNumbers::kBits, limited(Whole, *Inside), Whole.constant(0));
      } else {
        Factor = limited(Whole, Whole.extended(F.of(P.atom(Atom), At), /*Signed=*/true));
      }
      Term = Term ? limited(Whole, Whole.times(*Term, Factor)) : Factor;
    }
    if (!Term)
      Term = Whole.constant(Coefficient);
    else if (Coefficient != 1)
      Term = Whole.times(*Term, Whole.constant(Coefficient));
    Sum = Sum ? Whole.plus(*Sum, *Term) : *Term;
  }
  return Sum ? *Sum : Whole.constant(0);
}

Node Formulas::Sum::limited(WholeNumbers &Whole, Node N) {
  Whole.refuse(CmpInst::ICMP_UGT, Whole.plus(N, Whole.constant(kGreatest)), Whole.constant(2 * kGreatest));
  return N;
}

std::optional<Polynomial> Formulas::Sum::offset(Value *Pointer, SmallVectorImpl<Polynomials::Narrow> &Casts) {
  Polynomial Total(64);
  for (Value *From; (From = F.Steps.isMerge(Pointer) ? nullptr : F.Steps.stepFrom(Pointer)); Pointer = From)
    if (std::optional<Polynomial> Moved = moved(Pointer, Casts))
      Total = Total.plus(*Moved);
    else
      return std::nullopt;
  return F.Steps.isMerge(Pointer) && !F.Steps.isRoot(Pointer) ? std::nullopt : std::optional(Total);
}

std::optional<Polynomial> Formulas::Sum::moved(Value *Pointer, SmallVectorImpl<Polynomials::Narrow> &Casts) {
  auto *Gep = dyn_cast<GEPOperator>(Pointer);
  if (!Gep)
    return isa<AddrSpaceCastOperator, BitCastOperator, FreezeInst>(Pointer) ? std::optional(Polynomial(64))
                                                                            : std::nullopt;
  SmallMapVector<Value *, APInt, 4> Scales;
  APInt Constant(64, 0);
  const DataLayout &DL = F.Kernel.getDataLayout();
  if (DL.getIndexTypeSizeInBits(Gep->getType()) != 64 || !Gep->collectOffset(DL, 64, Scales, Constant))
    return std::nullopt;
  Polynomial Total(64, Constant.getSExtValue());
  for (const auto &[Index, Scale] : Scales) {
    if (!isInteger(Index) || F.bitsOf(Index) < 32)
      return std::nullopt;
    if (F.bitsOf(Index) < 64)
      Casts.push_back({Index, true});
    Total = Total.plus(whole(Index, Casts), Scale.getSExtValue());
  }
  return Total;
}

bool Formulas::Sum::require(WholeNumbers &Whole, ArrayRef<Polynomials::Narrow> Casts, const Place *At) {
  for (const Polynomials::Narrow &Cast : Casts) {
    SmallVector<Polynomials::Narrow, 4> Inner;
    std::optional<Node> Inside = F.bitsOf(Cast.V) == 32 ? value(Whole, whole(Cast.V, Inner), At) : std::nullopt;
    if (!Inside)
      return false;
    Node Above = Cast.IsSigned ? Whole.plus(*Inside, Whole.constant(int64_t(1) << 31)) : *Inside;
    Whole.refuse(CmpInst::ICMP_UGT, Above, Whole.constant(UINT32_MAX));
  }
  return true;
}

} // namespace gasan
