// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/Extents.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {

constexpr unsigned kMostLimits = 32; // only the nearest limits are used

const SourceLimit *SourceGuards::add(Value &Condition, bool IsTrue, const SourceLimit *Before, unsigned Depth) {
  Value *A, *B;
  CmpPredicate Kind;
  if (match(&Condition, m_Not(m_Value(A))))
    return add(*A, !IsTrue, Before, Depth);
  // `a && b` is true if its last operand is, which is evaluated only if the others are true.
  if (auto *Both = dyn_cast<PHINode>(&Condition); Both && IsTrue && Depth < 8) {
    for (unsigned I = 0; I < Both->getNumIncomingValues(); ++I)
      if (Value *Last = Both->getIncomingValue(I); !match(Last, m_Zero())) {
        const BasicBlock *From = Both->getIncomingBlock(I);
        if (any_of(Both->incoming_values(), [&](Value *V) { return V != Last && !match(V, m_Zero()); }))
          return Before;
        unsigned Count = 0;
        for (const SourceLimit *L = at(*From); L && Count < kMostLimits; L = L->Next, ++Count)
          Before = Limits.emplace_back(new SourceLimit{L->Index, L->AtMost, L->Where, Before}).get();
        return add(*Last, true, Before, Depth + 1);
      }
    return Before;
  }
  if (!match(&Condition, m_ICmp(Kind, m_Value(A), m_Value(B))) || !A->getType()->isIntegerTy())
    return Before;
  CmpInst::Predicate Holds = IsTrue ? CmpInst::Predicate(Kind) : CmpInst::getInversePredicate(Kind);
  auto AddLess = [&](Value *Index, Value *Below, int64_t Less) {
    Before = Limits
                 .emplace_back(new SourceLimit{Sums.of(Index), Sums.of(Below).plus(Sum::of(Less), -1),
                                               cast<Instruction>(&Condition), Before})
                 .get();
  };
  if (Holds == CmpInst::ICMP_EQ) {
    AddLess(A, B, 0);
    AddLess(B, A, 0);
  } else if (ICmpInst::isLT(Holds) || ICmpInst::isLE(Holds)) {
    AddLess(A, B, ICmpInst::isLT(Holds) ? 1 : 0);
  } else if (ICmpInst::isGT(Holds) || ICmpInst::isGE(Holds)) {
    AddLess(B, A, ICmpInst::isGT(Holds) ? 1 : 0);
  }
  return Before;
}

const SourceLimit *SourceGuards::at(const BasicBlock &Block) {
  // Starts from the nearest dominating block that is known; there can be many blocks.
  SmallVector<const BasicBlock *, 16> Chain;
  const SourceLimit *Result = Outer;
  for (const BasicBlock *B = &Block; B;) {
    if (auto Found = Known.find(B); Found != Known.end()) {
      Result = Found->second;
      break;
    }
    Chain.push_back(B);
    const DomTreeNode *Node = Dominators.getNode(B);
    B = Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
  }
  for (const BasicBlock *B : reverse(Chain)) {
    const BasicBlock *From = B->getSinglePredecessor();
    auto *Branch = From ? dyn_cast<BranchInst>(From->getTerminator()) : nullptr;
    if (Branch && Branch->isConditional() && Branch->getSuccessor(0) != Branch->getSuccessor(1))
      Result = add(*Branch->getCondition(), Branch->getSuccessor(0) == B, Result, 0);
    Known[B] = Result;
  }
  return Result;
}

const SourceLimit *SourceGuards::stillAt(const Instruction &I, const Leaves &All) {
  SmallVector<const SourceLimit *, kMostLimits> Fresh;
  unsigned Count = 0;
  bool AreAll = true;
  const SourceLimit *const First = at(*I.getParent());
  for (const SourceLimit *L = First; L && Count < kMostLimits; L = L->Next, ++Count) {
    const bool IsOwn = L->Where->getFunction() == I.getFunction(); // the others held at the call
    if (IsOwn && (All.mayChange(L->Index, *L->Where, I) || All.mayChange(L->AtMost, *L->Where, I)))
      AreAll = false;
    else
      Fresh.push_back(L);
  }
  if (AreAll)
    return First;
  const SourceLimit *Result = nullptr;
  for (const SourceLimit *L : reverse(Fresh))
    Result = Limits.emplace_back(new SourceLimit{L->Index, L->AtMost, L->Where, Result}).get();
  return Result;
}

namespace {

constexpr unsigned kMostSubstitutions = 8, kMostWays = 64;

// Judges an access by the sign of Beyond, the distance from the array's end to the access's end. Beyond depends on the
// launch's arguments and shape only.
Extent judge(const Leaves &All, const Sum &Beyond, const Sum &Size, int64_t Width) {
  // Compares the sum's greatest value with 0, assuming that each leaf is at least 1.
  auto IsWithin = [](const Sum &S) {
    int64_t Most = 0;
    for (const auto &[Product, Factor] : S.Factors) {
      if (Factor > 0 && !Product.empty())
        return false;
      Most += Factor;
    }
    return Most <= 0;
  };
  auto IsBeyond = [](const Sum &S) {
    return !S.isConstant() && all_of(S.Factors, [](const auto &Part) { return Part.second > 0 || Part.first.empty(); });
  };
  const Sum Most = All.withoutQuotients(Beyond, true);
  if (IsWithin(Beyond) || IsWithin(Most))
    return Extent::Within;
  if (Beyond.isConstant())
    return Beyond.constant() == Width ? Extent::OneMore : Extent::Beyond;
  if (Size.isConstant()) {
    Sum Numbers;
    for (const auto &[Product, Factor] : Beyond.Factors) {
      const int64_t Greatest = Product.size() == 1 && Factor > 0 ? All[Product[0]].GreatestNumber : -1;
      Numbers = Greatest >= 0 ? Numbers.plus(Sum::of(Greatest), Factor) : Numbers.plus({{{Product, Factor}}});
    }
    if (IsWithin(Numbers))
      return Extent::Within;
  }
  return IsBeyond(Beyond) || IsBeyond(All.withoutQuotients(Beyond, false)) ? Extent::Beyond : Extent::Open;
}

class Solver {
public:
  Solver(Leaves &Known, const Sum &ArraySize, int64_t Bytes, const SourceLimit *First)
      : All(Known), Size(ArraySize), Width(Bytes), Limits(First) {}

  // Returns the best answer of all limits: one limit suffices for Within.
  Extent best(const Sum &End, unsigned Depth) {
    const Sum::Product *Variable = nullptr;
    for (const auto &[Product, Factor] : End.Factors)
      if (Factor > 0 && !All.isUniform(Product)) {
        Variable = &Product;
        break;
      }
    if (!Variable) {
      Sum Rest;
      for (const auto &[Product, Factor] : End.Factors) // subtracted variables are at least 0, so they are left out
        if (All.isUniform(Product))
          Rest = Rest.plus({{{Product, Factor}}});
      return judge(All, Rest.plus(Size, -1), Size, Width);
    }
    if (Depth > kMostSubstitutions || ++Ways > kMostWays)
      return Extent::Beyond;
    const unsigned L = *find_if(*Variable, [&](unsigned L) { return !All[L].IsUniform; });
    std::optional<Extent> Result;
    auto Try = [&](const Sum &AtMost, int64_t Times) {
      if (std::optional<Sum> Less = replace(End, L, AtMost, Times)) {
        Extent Found = best(*Less, Depth + 1);
        Result = Result ? better(*Result, Found) : Found;
      }
    };
    if (All[L].Most)
      Try(*All[L].Most, 1);
    if (All[L].Divisor)
      tryQuotient(End, L, Depth, Try);
    unsigned Count = 0;
    for (const SourceLimit *Known = Limits; Known && Count < kMostLimits && Result != Extent::Within;
         Known = Known->Next, ++Count)
      if (auto Found = Known->Index.Factors.find({L}); Found != Known->Index.Factors.end() && Found->second > 0)
        Try(Known->AtMost.plus(Known->Index, -1).plus({{{{L}, 1}}}, Found->second), Found->second);
    return Result.value_or(Extent::Beyond);
  }

private:
  Leaves &All;
  const Sum &Size;
  const int64_t Width;
  const SourceLimit *const Limits;
  unsigned Ways = 0;

  static Extent better(Extent A, Extent B) {
    // If one limit says Beyond, and another one Open, the access is Beyond.
    for (Extent E : {Extent::Within, Extent::OneMore, Extent::Beyond})
      if (A == E || B == E)
        return E;
    return Extent::Open;
  }

  // Replaces the leaf L by AtMost / Times. Empty: L's factor is negative or not a multiple of Times, or L would remain.
  static std::optional<Sum> replace(const Sum &In, unsigned L, const Sum &AtMost, int64_t Times) {
    if (any_of(AtMost.Factors, [&](const auto &Part) { return is_contained(Part.first, L); }))
      return std::nullopt;
    Sum Result;
    for (const auto &[Product, Factor] : In.Factors) {
      auto At = find(Product, L);
      if (At == Product.end()) {
        Result = Result.plus({{{Product, Factor}}});
        continue;
      }
      Sum::Product Rest(Product);
      Rest.erase(Rest.begin() + (At - Product.begin()));
      if (Factor < 0 || Factor % Times || is_contained(Rest, L))
        return std::nullopt;
      Result = Result.plus(AtMost.times({{{Rest, Factor / Times}}}));
    }
    return Result;
  }

  // For `x / 32`: 32 times the quotient is at most x, and the quotient is at most that of x's own limit.
  template <typename Function>
  void tryQuotient(const Sum &End, unsigned L, unsigned Depth, Function &Try) {
    const Leaf Quotient = All[L];
    Try(Quotient.Dividend, Quotient.Divisor);
    if (Quotient.Dividend.Factors.size() != 1 || Quotient.Dividend.Factors.begin()->first.size() != 1)
      return;
    const auto &[Product, Factor] = *Quotient.Dividend.Factors.begin();
    auto TryLimit = [&](const Sum &AtMost) {
      const Sum Below = AtMost.plus(Sum::of(1));
      if (Below.isConstant() && Below.constant() > 0)
        Try(Sum::of((Below.constant() - 1) / Quotient.Divisor), 1);
      else if (All.isUniform(Below))
        Try(All.quotient(Below, Quotient.Divisor).plus(Sum::of(1), -1), 1);
    };
    if (Factor != 1)
      return;
    if (const std::optional<Sum> Most = All[Product[0]].Most)
      TryLimit(*Most);
    unsigned Count = 0;
    for (const SourceLimit *Known = Limits; Known && Count < kMostLimits; Known = Known->Next, ++Count)
      if (Known->Index.Factors == Quotient.Dividend.Factors)
        TryLimit(Known->AtMost);
  }
};

} // namespace

Extent extentOf(Leaves &All, const Sum &End, const Sum &Size, int64_t Width, const SourceLimit *Limits) {
  return Solver(All, Size, Width, Limits).best(End, 0);
}

} // namespace gasan
