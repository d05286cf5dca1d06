// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/proof/Polynomial.h"
#include "gasan_pass/instrument/proof/Formula.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {

constexpr size_t kMostTerms = 24;
constexpr size_t kMostFactors = 6;
constexpr unsigned kDeepest = 24;

static int64_t product(int64_t A, int64_t B) {
  return int64_t(uint64_t(A) * uint64_t(B));
}

void Polynomial::add(const Product &P, int64_t Coefficient) {
  auto [Term, IsNew] = Terms.try_emplace(P, 0);
  Term->second = SignExtend64(uint64_t(Term->second) + uint64_t(Coefficient), Bits);
  if (!Term->second)
    Terms.erase(Term);
}

Polynomial Polynomial::plus(const Polynomial &Other, int64_t Factor) const {
  Polynomial Result = *this;
  for (const auto &[P, Coefficient] : Other.Terms)
    Result.add(P, product(Coefficient, Factor));
  Result.Minima.insert(Other.Minima.begin(), Other.Minima.end());
  return Result;
}

std::optional<Polynomial> Polynomial::times(const Polynomial &Other) const {
  Polynomial Result(Bits);
  if (Terms.size() * Other.Terms.size() > kMostTerms)
    return std::nullopt;
  for (const auto &[P, Coefficient] : Terms)
    for (const auto &[Q, Factor] : Other.Terms) {
      Product Both = P;
      Both.append(Q.begin(), Q.end());
      if (Both.size() > kMostFactors)
        return std::nullopt;
      sort(Both);
      Result.add(Both, product(Coefficient, Factor));
    }
  Result.Minima = Minima;
  Result.Minima.insert(Other.Minima.begin(), Other.Minima.end());
  return Result;
}

std::optional<Polynomial> Polynomial::quotient(const Polynomial &By) const {
  if (By.isZero() || any_of(By.Terms, [](const auto &Term) { return Term.second == INT64_MIN; }))
    return std::nullopt;
  const auto &[Lead, LeadCoefficient] = *By.Terms.rbegin();
  if (LeadCoefficient < 0) { // -1 divides all coefficients but the least one
    std::optional<Polynomial> Negated = quotient(Polynomial(Bits).minus(By));
    return Negated ? std::optional(Polynomial(Bits).minus(*Negated)) : std::nullopt;
  }
  Polynomial Rest = *this, Result(Bits);
  for (size_t Count = 0; !Rest.isZero(); ++Count) {
    const Product *Found = nullptr;
    Product Other;
    int64_t Factor = 0;
    for (const auto &[P, Coefficient] : Rest.Terms) {
      Other.clear();
      if (Coefficient % LeadCoefficient == 0 && includes(P, Lead)) {
        std::set_difference(P.begin(), P.end(), Lead.begin(), Lead.end(), std::back_inserter(Other));
        Factor = Coefficient / LeadCoefficient;
        Found = &P;
        break;
      }
    }
    if (!Found || Count == kMostTerms)
      return std::nullopt;
    Polynomial Term(Bits);
    Term.add(Other, Factor);
    std::optional<Polynomial> Multiple = By.times(Term);
    if (!Multiple)
      return std::nullopt;
    Rest = Rest.minus(*Multiple);
    Result = Result.plus(Term);
  }
  return Result;
}

std::optional<int64_t> Polynomial::constant() const {
  if (Terms.empty())
    return 0;
  return Terms.size() == 1 && Terms.begin()->first.empty() ? std::optional(Terms.begin()->second) : std::nullopt;
}

std::optional<unsigned> Polynomials::onlyAtom(const Polynomial &P) {
  if (P.terms().size() != 1 || P.terms().begin()->first.size() != 1)
    return std::nullopt;
  return P.terms().begin()->first.front();
}

Polynomial Polynomials::atomOf(Value *V, unsigned Bits) {
  auto [Known, IsNew] = Numbers.try_emplace(V, Atoms.size());
  if (IsNew)
    Atoms.push_back(V);
  Polynomial Result(Bits);
  Result.add({Known->second}, 1);
  return Result;
}

// Returns the minimum of Q and 0. All minima of equal polynomials are one atom.
Polynomial Polynomials::minimumOf(const Polynomial &Q) {
  Polynomial Result(Q.bits());
  unsigned Atom = Atoms.size();
  for (const auto &[Number, Known] : Minima)
    if (Known == Q)
      Atom = Number;
  if (Minima.try_emplace(Atom, Q).second)
    Atoms.push_back(nullptr);
  Result.add({Atom}, 1);
  Result.addMinimum(Atom);
  for (unsigned Inner : Q.minima())
    Result.addMinimum(Inner);
  return Result;
}

// Returns the start and the step of a variable that a constant is added to in each round. Empty: V is none.
static std::optional<std::pair<int64_t, int64_t>> countOf(const PHINode &Phi, const BasicBlock *&From) {
  const APInt *Start, *Step;
  if (Phi.getNumIncomingValues() != 2)
    return std::nullopt;
  for (unsigned Index : {0, 1})
    if (match(Phi.getIncomingValue(1 - Index), m_Add(m_Specific(&Phi), m_APInt(Step))) &&
        match(Phi.getIncomingValue(Index), m_APInt(Start)) && Start->getSignificantBits() <= 31 &&
        Step->getSignificantBits() <= 31) {
      From = Phi.getIncomingBlock(Index);
      return std::pair(Start->getSExtValue(), Step->getSExtValue());
    }
  return std::nullopt;
}

// Returns the variable that counts the same rounds in steps of 1. Null: there is none.
static PHINode *counterBeside(PHINode &Phi, int64_t &Start, std::pair<int64_t, int64_t> &Own) {
  const BasicBlock *From = nullptr, *Also = nullptr;
  const auto Count = countOf(Phi, From);
  if (!Count || Count->second == 1)
    return nullptr;
  Own = *Count;
  for (PHINode &Other : Phi.getParent()->phis())
    if (const auto Counter = Other.getType() == Phi.getType() ? countOf(Other, Also) : std::nullopt;
        Counter && Counter->second == 1 && Also == From) {
      Start = Counter->first;
      return &Other;
    }
  return nullptr;
}

Polynomial Polynomials::expand(Value *V, unsigned Bits, bool Whole, SmallVectorImpl<Narrow> *Casts, unsigned Depth) {
  if (auto *Constant = dyn_cast<ConstantInt>(V))
    return Polynomial(Bits, Constant->getValue().getSExtValue());
  Value *A, *B;
  const APInt *C;
  if (Depth > kDeepest)
    return atomOf(V, Bits);
  auto Of = [&](Value *Operand) { return expand(Operand, Bits, Whole, Casts, Depth + 1); };
  auto Small = [&](Polynomial P) { return P.terms().size() > kMostTerms ? atomOf(V, Bits) : P; };
  if (match(V, m_Freeze(m_Value(A))))
    return Of(A);
  if (match(V, m_Add(m_Value(A), m_Value(B))))
    return Small(Of(A).plus(Of(B)));
  if (match(V, m_Sub(m_Value(A), m_Value(B))))
    return Small(Of(A).minus(Of(B)));
  if (match(V, m_Not(m_Value(A))))
    return Polynomial(Bits, -1).minus(Of(A));
  if (Formulas::isSum(V, A, C))
    return Of(A).plus(C->getSExtValue());
  if (match(V, m_Shl(m_Value(A), m_APInt(C))) && C->ult(32))
    return Polynomial(Bits).plus(Of(A), int64_t(1) << C->getZExtValue());
  if (match(V, m_Mul(m_Value(A), m_Value(B))))
    return Of(A).times(Of(B)).value_or(atomOf(V, Bits));
  constexpr unsigned kSmall = 29;
  const bool IsLess = match(V, m_SMin(m_Value(A), m_APInt(C)));
  if ((IsLess || match(V, m_SMax(m_Value(A), m_APInt(C)))) && C->getSignificantBits() <= kSmall) {
    const Polynomial Constant(Bits, C->getSExtValue());
    return IsLess ? Constant.plus(minimumOf(Of(A).minus(Constant))) : Constant.minus(minimumOf(Constant.minus(Of(A))));
  }
  int64_t Start;
  std::pair<int64_t, int64_t> Own;
  if (auto *Phi = dyn_cast<PHINode>(V))
    if (PHINode *Counter = counterBeside(*Phi, Start, Own))
      return Polynomial(Bits, Own.first).plus(atomOf(Counter, Bits).plus(-Start), Own.second);
  if (!Whole && match(V, m_Trunc(m_Value(A))) && bitsOf(A) <= 64) // a sum of residues is the residue of the sum
    return Of(A);
  if (Whole && isa<SExtInst, ZExtInst>(V) && bitsOf(cast<CastInst>(V)->getOperand(0)) >= 32) {
    A = cast<CastInst>(V)->getOperand(0);
    if (none_of(*Casts, [&](const Narrow &N) { return N.V == A; }) || isa<ZExtInst>(V))
      Casts->push_back({A, isa<SExtInst>(V)});
    return Of(A);
  }
  return atomOf(V, Bits);
}

} // namespace gasan
