/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "scan/Solver.h"
#include "scan/Cases.h"
#include "scan/Certain.h"
#include "scan/Translate.h"

#include <algorithm>

namespace gasan::scan {

static constexpr uint64_t kSmallInput = 64, kMediumInput = 4096;
static constexpr unsigned kMostChoices = 3; // so that a proof has at most 8 cases

struct Solver::Backend {
  z3::context Context;
};

Solver::Solver(Expressions &Nodes, unsigned Milliseconds)
    : Nodes(Nodes), Milliseconds(Milliseconds), Z3(std::make_unique<Backend>()) {}

Solver::~Solver() = default;

namespace {

class Collector {
public:
  Collector(Parts &Result, bool Exact, bool WithFacts = true, bool OfUnknown = true)
      : Result(Result), Exact(Exact), WithFacts(WithFacts), OfUnknown(OfUnknown) {}

  void condition(const Node *A) {
    Result.Conditions.push_back(A);
    visit(A);
  }

private:
  void visit(const Node *A) {
    if (!Seen.insert(A).second)
      return;
    for (unsigned I = 0; I < A->Count; I++)
      visit(A->Kids[I]);
    if (A->Signed)
      Result.SignedOperations.push_back(A);
    if (A->Operation >= Op::UDiv && A->Operation <= Op::SRem && !A->Kids[1]->isConst())
      Result.Divisors.push_back(A->Kids[1]);
    if (A->Operation == Op::Content)
      Result.Contents.push_back(A);
    if (A->Operation != Op::Var)
      return;
    Result.Variables.push_back(A->Var);
    const bool IsUnknown = A->Var->Kind == VariableKind::Unknown || A->Var->Kind == VariableKind::Address;
    if (IsUnknown && !Result.HasUnknown)
      Result.Reason = A->Var->Reason;
    Result.HasUnknown |= IsUnknown;
    if (!WithFacts || (IsUnknown && !OfUnknown))
      return;
    for (const Node *Fact : A->Var->Facts)
      condition(Fact);
    if (Exact)
      for (const Node *Fact : A->Var->Exact)
        condition(Fact);
  }

  Parts &Result;
  bool Exact, WithFacts, OfUnknown;
  std::set<const Node *> Seen;
};

} // namespace

static void sortVariables(Parts &Result) {
  std::sort(Result.Variables.begin(), Result.Variables.end(),
            [](const Variable *A, const Variable *B) { return A->Rank < B->Rank; });
}

Parts Solver::collect(const std::vector<const Node *> &Conditions, bool Exact) const {
  Parts Result;
  Collector Visitor(Result, Exact);
  for (const Node *Condition : Conditions)
    Visitor.condition(Condition);
  sortVariables(Result);
  return Result;
}

Parts Solver::collectCertain(const std::vector<const Node *> &Conditions) const {
  Parts All, Result;
  Collector Visitor(All, /*Exact=*/true, /*WithFacts=*/true, /*OfUnknown=*/false);
  for (const Node *Condition : Conditions)
    Visitor.condition(Condition);
  Certain Known(Nodes);
  Collector Reduced(Result, /*Exact=*/true, /*WithFacts=*/false);
  for (const Node *Condition : All.Conditions) {
    const Node *Mine = Known.isTrue(Condition);
    if (Mine->isFalse()) {
      Result = Parts();
      Result.HasUnknown = true;
      return Result;
    }
    Reduced.condition(Mine);
  }
  sortVariables(Result);
  return Result;
}

bool Solver::holdsWithUnknown(const std::vector<const Node *> &Conditions, const Answer &Case) const {
  const Parts All = collect(Conditions, /*Exact=*/true);
  uint64_t Noise = 0x9e3779b97f4a7c15;
  for (unsigned Try = 0; Try < 8; Try++) {
    Assignment Values = Case.Values;
    for (const Variable *Var : All.Variables)
      if (Var->Kind == VariableKind::Unknown || Var->Kind == VariableKind::Address) {
        Noise ^= Noise << 13, Noise ^= Noise >> 7, Noise ^= Noise << 17;
        Values[Var] = (Try == 0 ? 0 : Try == 1 ? ~0ull : Noise) & maskOf(Var->Width);
      }
    Evaluator Numbers(Values, Case.Contents);
    for (const Node *Condition : Conditions)
      if (!Numbers.evaluate(Condition))
        return false;
  }
  return true;
}

uint64_t Evaluator::evaluate(const Node *A) {
  if (A->isConst())
    return A->Value;
  if (auto Found = Done.find(A); Found != Done.end())
    return Found->second;
  uint64_t Result = 0;
  if (A->Operation == Op::Var) {
    auto Found = Values.find(A->Var);
    Result = Found == Values.end() ? A->Var->Low : Found->second;
  } else if (A->Operation == Op::Content) {
    auto Found = Contents.find(A);
    Result = Found == Contents.end() ? 0 : Found->second;
  } else if (A->Operation == Op::Ite) {
    Result = evaluate(A->Kids[0]) ? evaluate(A->Kids[1]) : evaluate(A->Kids[2]);
  } else if (A->Operation == Op::Concat) {
    Result = evaluate(A->Kids[0]) << A->Kids[1]->Width | evaluate(A->Kids[1]);
  } else {
    Result = compute(A->Operation, A->Width, A->Kids[0]->Width, evaluate(A->Kids[0]),
                     A->Count > 1 ? evaluate(A->Kids[1]) : 0);
  }
  return Done[A] = Result;
}

// Returns whether a signed operation keeps its sign with these numbers.
static bool keepsSign(const Node *A, Evaluator &Numbers) {
  const __int128 L = signedValue(Numbers.evaluate(A->Kids[0]), A->Width);
  const __int128 R = signedValue(Numbers.evaluate(A->Kids[1]), A->Width);
  const __int128 Exact = A->Operation == Op::Add ? L + R : A->Operation == Op::Sub ? L - R : L * R;
  return Exact == signedValue(uint64_t(Exact) & maskOf(A->Width), A->Width);
}

// Z3's own measure of work, so that a loaded machine changes no verdict. (Its timer may hang, in 4.8.12.)
static void limit(z3::context &Context, z3::solver &Engine, unsigned Milliseconds) {
  z3::params Options(Context);
  Options.set("rlimit", Milliseconds * 1500);
  Engine.set(Options);
}

namespace {

// Finds limits of variables in conditions like `n <= 15`.
class Limits {
public:
  Limits(Expressions &Nodes, const std::vector<const Node *> &Conditions) : Nodes(Nodes) {
    for (const Node *Condition : Conditions)
      split(Condition);
    for (int Round = 0; Round < 3; Round++)
      for (const Node *Part : Comparisons)
        learn(*Part);
  }

  std::map<const Variable *, uint64_t> Most, Least;

private:
  void split(const Node *A) {
    if (!Seen.insert(A).second)
      return;
    if (A->Operation == Op::And) {
      split(A->Kids[0]);
      split(A->Kids[1]);
    } else if (A->Operation >= Op::Ult && A->Operation <= Op::Sle) {
      Comparisons.push_back(A);
    }
  }

  void learn(const Node &A) {
    const Node *L = A.Kids[0], *R = A.Kids[1];
    const bool Signed = A.Operation == Op::Slt || A.Operation == Op::Sle;
    const bool Strict = A.Operation == Op::Slt || A.Operation == Op::Ult;
    if (Signed && R->Operation == Op::Var && L->isConst() && signedValue(L->Value, L->Width) >= (Strict ? -1 : 0))
      Positive.insert(R->Var);
    if (R->Operation == Op::Var && L->isConst() && (!Signed || Positive.count(R->Var)))
      Least[R->Var] = std::max(Least[R->Var], L->Value + Strict);
    if (L->Operation != Op::Var || (Signed && !Positive.count(L->Var) && Nodes.signedRange(L).Low < 0))
      return;
    uint64_t Limit;
    if (R->Operation == Op::Var && Most.count(R->Var) && (!Signed || Positive.count(R->Var)))
      Limit = Most[R->Var];
    else if (const Range Up = Signed ? Nodes.signedRange(R) : Nodes.unsignedRange(R); Up.High > 0)
      Limit = uint64_t(Up.High);
    else
      return;
    if (Strict && Limit)
      Limit--;
    auto [Slot, New] = Most.try_emplace(L->Var, Limit);
    Slot->second = std::min(Slot->second, Limit);
  }

  Expressions &Nodes;
  std::set<const Node *> Seen;
  std::vector<const Node *> Comparisons;
  std::set<const Variable *> Positive;
};

} // namespace

namespace {

// Narrows the intervals of variables while one question is answered.
class Narrowing {
public:
  Narrowing(Expressions &Nodes, const Parts &Formula, uint64_t InputLimit) : Nodes(Nodes) {
    const Limits Known(Nodes, Formula.Conditions);
    for (const Variable *Const : Formula.Variables) {
      Variable *Var = const_cast<Variable *>(Const);
      Saved.push_back({Var, {Var->Low, Var->High}});
      if (auto Found = Known.Most.find(Var); Found != Known.Most.end())
        Var->High = std::min(Var->High, Found->second);
      if (Var->Kind == VariableKind::Input && Var->Width > 8)
        Var->High = std::min(Var->High, std::max(InputLimit, Var->Low));
      if (auto Found = Known.Least.find(Var); Found != Known.Least.end() && Found->second <= Var->High)
        Var->Low = std::max(Var->Low, Found->second);
    }
    Nodes.forgetRanges();
  }
  ~Narrowing() {
    for (auto &[Var, Limits] : Saved)
      std::tie(Var->Low, Var->High) = Limits;
    Nodes.forgetRanges();
  }

  // Returns true for a comparison that the intervals decide. One of a variable with a constant is what they come from.
  bool isClear(const Node *A) const {
    if (A->Operation < Op::Ult || A->Operation > Op::Sle)
      return false;
    const Node *L = A->Kids[0], *R = A->Kids[1];
    if (L->Operation == Op::Var || R->Operation == Op::Var)
      return false;
    const bool Signed = A->Operation == Op::Slt || A->Operation == Op::Sle;
    const Range Left = Signed ? Nodes.signedRange(L) : Nodes.unsignedRange(L);
    const Range Right = Signed ? Nodes.signedRange(R) : Nodes.unsignedRange(R);
    return A->Operation == Op::Ult || A->Operation == Op::Slt ? Left.High < Right.Low : Left.High <= Right.Low;
  }

  // Returns true if a signed operation cannot wrap.
  bool keepsSign(const Node *A) const {
    const Range Exact = exactRange(A->Operation, Nodes.signedRange(A->Kids[0]), Nodes.signedRange(A->Kids[1]));
    const __int128 Half = __int128(1) << (A->Width - 1);
    return Exact.Low >= -Half && Exact.High < Half;
  }

private:
  Expressions &Nodes;
  std::vector<std::pair<Variable *, std::pair<uint64_t, uint64_t>>> Saved;
};

} // namespace

Answer Solver::askBits(const Parts &Formula, Question Kind, uint64_t InputLimit, unsigned Limit) {
  Queries++;
  const bool SignedMayWrap = Kind == Question::Proof, IsWitness = Kind == Question::Witness;
  std::vector<const Node *> All = Formula.Conditions;
  for (const Variable *Var : Formula.Variables) {
    if (Var->Low)
      All.push_back(Nodes.make(Op::Ule, Nodes.constant(Var->Width, Var->Low), Var->Use));
    if (Var->High != maskOf(Var->Width))
      All.push_back(Nodes.make(Op::Ule, Var->Use, Nodes.constant(Var->Width, Var->High)));
  }
  const Narrowing Narrow(Nodes, Formula, InputLimit);
  std::map<const Variable *, uint64_t> Most;
  for (const Variable *Var : Formula.Variables)
    Most[Var] = Var->High;
  BitTranslator Bits(Z3->Context, Most);
  z3::solver Engine = z3::tactic(Z3->Context, "qfbv").mk_solver();
  limit(Z3->Context, Engine, Limit);
  if (!SignedMayWrap)
    for (const Node *Operation : Formula.SignedOperations)
      if (!Narrow.keepsSign(Operation))
        Engine.add(Bits.keepsSign(Operation));
  if (IsWitness)
    for (const Node *Divisor : Formula.Divisors)
      All.push_back(Nodes.negate(Nodes.eq(Divisor, Nodes.constant(Divisor->Width, 0))));
  std::vector<const Node *> Work = All;
  std::set<const Node *> Seen;
  while (!Work.empty()) {
    const Node *Condition = Work.back();
    Work.pop_back();
    if (!Seen.insert(Condition).second || Narrow.isClear(Condition))
      continue;
    if (Condition->Operation == Op::And)
      Work.insert(Work.end(), {Condition->Kids[0], Condition->Kids[1]});
    else
      Engine.add(Bits.truth(Condition));
  }
  if (InputLimit != ~0ull)
    for (const Variable *Var : Formula.Variables)
      if (Var->Kind == VariableKind::Input && Var->Width > 8)
        Engine.add(z3::ule(Bits.translate(Var->Use), Z3->Context.bv_val(uint64_t(InputLimit), Var->Width)));
  for (size_t I = 0; I < Formula.Contents.size(); I++) // equal places have equal contents
    for (size_t J = 0; J < I; J++)
      if (Formula.Contents[I]->Value == Formula.Contents[J]->Value &&
          Formula.Contents[I]->Width == Formula.Contents[J]->Width)
        Engine.add(
            z3::implies(Bits.translate(Formula.Contents[I]->Kids[0]) == Bits.translate(Formula.Contents[J]->Kids[0]),
                        Bits.translate(Formula.Contents[I]) == Bits.translate(Formula.Contents[J])));
  Answer Result;
  const z3::check_result Found = Engine.check();
  if (Found == z3::unsat) {
    Result.Result = InputLimit == ~0ull ? Verdict::Impossible : Verdict::Undecided;
    Result.Excluded = true;
    return Result;
  }
  if (Found != z3::sat) {
    Timeouts++;
    return Result;
  }
  z3::model Model = Engine.get_model();
  for (const Variable *Var : Formula.Variables)
    Result.Values[Var] = Bits.valueIn(Model, Var->Use);
  std::map<const Node *, uint64_t> Contents;
  for (const Node *Content : Formula.Contents)
    Contents[Content] = Bits.valueIn(Model, Content);
  Result.Contents = Contents;
  Evaluator Again(Result.Values, Contents);
  for (const Node *Condition : All)
    if (!Again.evaluate(Condition))
      return Result;
  for (const Node *Operation : Formula.SignedOperations)
    if (!SignedMayWrap && !keepsSign(Operation, Again))
      return Result;
  Result.Result = Verdict::Possible;
  return Result;
}

Verdict Solver::askIntegers(const Parts &Formula, bool OnlyEasy) {
  Queries++;
  IntegerTranslator Integers(Z3->Context, Nodes);
  // Z3's tactics turn small integers into bits: some hard proofs need that, and easy ones take longer.
  z3::solver Engine = OnlyEasy ? z3::solver(Z3->Context, z3::solver::simple()) : z3::solver(Z3->Context);
  limit(Z3->Context, Engine, (OnlyEasy ? Milliseconds / 160 : Milliseconds / 8) + 1);
  for (const Node *Condition : Formula.Conditions)
    Engine.add(Integers.truth(Condition));
  for (const z3::expr &Side : Integers.sides())
    Engine.add(Side);
  const z3::check_result Found = Engine.check();
  return Found == z3::unsat ? Verdict::Impossible : Verdict::Undecided;
}

Proof Solver::proveByIntegers(const Parts &Formula, bool OnlyEasy) {
  try {
    const Narrowing Narrow(Nodes, Formula, ~0ull);
    if (askIntegers(Formula, OnlyEasy) != Verdict::Impossible)
      return Proof::None;
    for (const Node *A : Formula.SignedOperations)
      if (!Narrow.keepsSign(A))
        return Proof::WithoutWrap;
    return Proof::Whole;
  } catch (const z3::exception &) {
    return Proof::None;
  }
}

// Returns the weakest of the proofs for both values of Choice.
Proof Solver::proveCases(Parts &Formula, const Node *Choice, bool OnlyEasy, unsigned Depth) {
  Proof Result = Proof::Whole;
  for (bool Holds : {true, false}) {
    if (Result == Proof::None)
      break;
    const std::vector<const Node *> Conditions = conditionsOfCase(Nodes, Formula.Conditions, Choice, Holds);
    if (Conditions[0]->isFalse())
      continue;
    Parts Case;
    Collector Visitor(Case, /*Exact=*/false, /*WithFacts=*/false); // the facts are among the conditions
    for (const Node *Condition : Conditions)
      Visitor.condition(Condition);
    sortVariables(Case);
    Result = std::min(Result, prove(Case, OnlyEasy, Proof::None, Depth + 1));
    Formula.CanHold |= Case.CanHold;
  }
  return Result;
}

Proof Solver::prove(Parts &Formula, bool OnlyEasy, Proof Known, unsigned Depth) {
  if (const Node *Choice = Depth < kMostChoices && Known != Proof::Whole ? findChoice(Formula.Conditions) : nullptr)
    return std::max(Known, proveCases(Formula, Choice, OnlyEasy, Depth));
  Proof Result = Known;
  if (Known == Proof::None)
    Result = proveByIntegers(Formula, OnlyEasy);
  try {
    const unsigned Limit = (OnlyEasy ? Milliseconds / 8 : Milliseconds / 2) + 1;
    if (Result != Proof::Whole && !Formula.CanHold) {
      const Verdict Found = askBits(Formula, Question::Proof, ~0ull, Limit).Result;
      Formula.CanHold = Found == Verdict::Possible;
      if (Found == Verdict::Impossible)
        return Proof::Whole;
    }
    if (Result == Proof::None && !OnlyEasy && !Formula.SignedOperations.empty() &&
        askBits(Formula, Question::ProofWithoutWrap, ~0ull, Limit).Result == Verdict::Impossible)
      return Proof::WithoutWrap;
  } catch (const z3::exception &) {
  }
  return Result;
}

bool Solver::holds(const Parts &Formula, const Assignment &Values) const {
  Evaluator Numbers(Values, {});
  for (const Variable *Var : Formula.Variables)
    if (const uint64_t Number = Numbers.evaluate(Var->Use); Number < Var->Low || Number > Var->High)
      return false;
  for (const Node *Condition : Formula.Conditions)
    if (!Numbers.evaluate(Condition))
      return false;
  for (const Node *Operation : Formula.SignedOperations)
    if (!keepsSign(Operation, Numbers))
      return false;
  for (const Node *Divisor : Formula.Divisors)
    if (!Numbers.evaluate(Divisor))
      return false;
  return Formula.Contents.empty();
}

void Solver::dropConditions(const Parts &Formula, Assignment &Values) const {
  for (const Variable *Var : Formula.Variables)
    if (Var->Kind == VariableKind::Input && Var->Width == 1 && Values.count(Var) && Values[Var]) {
      Values[Var] = 0;
      if (!holds(Formula, Values))
        Values[Var] = 1;
    }
}

// Witnesses with small inputs are easy to replay, and solvers find them faster.
Answer Solver::tryInputs(const Parts &Formula, uint64_t Number) {
  std::map<const Variable *, const Node *> With;
  const Limits Known(Nodes, Formula.Conditions);
  Assignment Inputs;
  unsigned Index = 0, Conditions = 0, Condition = 0;
  for (const Variable *Var : Formula.Variables)
    Conditions += Var->Kind == VariableKind::Input && Var->Width == 1;
  for (const Variable *Var : Formula.Variables)
    if (Var->Kind == VariableKind::Input && Var->Width == 1) { // at most one of them: words exclude each other
      Inputs[Var] = Condition++ == Number % (Conditions + 1);
      With[Var] = Nodes.boolean(Inputs[Var]);
    } else if (Var->Kind == VariableKind::Input) {
      uint64_t Low = Var->Low, High = Var->High;
      if (auto Found = Known.Least.find(Var); Found != Known.Least.end())
        Low = std::max(Low, Found->second);
      if (auto Found = Known.Most.find(Var); Found != Known.Most.end())
        High = std::min(High, Found->second);
      // Sometimes different numbers for different inputs.
      const uint64_t Mine = Number & 1 ? Number : Number + 5 * Index++;
      Inputs[Var] = std::max(Low, std::min(High, Mine)) & maskOf(Var->Width);
      With[Var] = Nodes.constant(Var->Width, Inputs[Var]);
    }
  Parts Small;
  Collector Visitor(Small, /*Exact=*/false, /*WithFacts=*/false);
  std::unordered_map<const Node *, const Node *> Done;
  for (const Node *Condition : Formula.Conditions) {
    const Node *Fixed = Nodes.substitute(Condition, With, Done);
    if (Fixed->isFalse())
      return {};
    Visitor.condition(Fixed);
  }
  Answer Result = askBits(Small, Question::Witness, ~0ull, Milliseconds / 8 + 1);
  if (Result.Result != Verdict::Possible)
    return {};
  Result.Values.insert(Inputs.begin(), Inputs.end());
  // The contents of places that became constants have new expressions; their operations were checked above.
  if (Formula.Contents.empty() && !holds(Formula, Result.Values))
    return {};
  return Result;
}

Answer Solver::find(const Parts &Formula, bool OnlySmall) {
  auto tryAll = [&](std::initializer_list<uint64_t> Numbers) {
    for (uint64_t Number : Numbers)
      if (Answer Result = tryInputs(Formula, Number); Result.Result == Verdict::Possible)
        return Result;
    return Answer();
  };
  auto ask = [&](uint64_t InputLimit, unsigned Limit) {
    return askBits(Formula, Question::Witness, InputLimit, Limit);
  };
  try {
    if (!OnlySmall) {
      Answer Result = ask(kMediumInput, Milliseconds / 2 + 1);
      return Result.Result != Verdict::Undecided ? Result : ask(~0ull, Milliseconds / 2 + 1);
    }
    Answer Result = tryAll({1, 2, 4});
    if (Result.Result != Verdict::Possible)
      Result = ask(kSmallInput, Milliseconds / 2 + 1);
    if (Result.Result != Verdict::Possible)
      Result = Result.Excluded ? tryAll({65, 257, 1000}) : tryAll({3, 9, 16, 17, 33, 40, 65, 257, 1000});
    return Result;
  } catch (const z3::exception &) {
  }
  return {};
}

} // namespace gasan::scan
