/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "scan/Solver.h"
#include "scan/Translate.h"

#include <algorithm>

namespace gasan::scan {

struct Solver::Backend {
  z3::context Context;
};

Solver::Solver(Expressions &Nodes, unsigned Milliseconds)
    : Nodes(Nodes), Milliseconds(Milliseconds), Z3(std::make_unique<Backend>()) {}

Solver::~Solver() = default;

namespace {

class Collector {
public:
  Collector(Parts &Result, bool Exact) : Result(Result), Exact(Exact) {}

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
    if (A->Operation == Op::Content)
      Result.Contents.push_back(A);
    if (A->Operation != Op::Var)
      return;
    Result.Variables.push_back(A->Var);
    if (A->Var->Kind == VariableKind::Unknown || A->Var->Kind == VariableKind::Address) {
      if (!Result.HasUnknown)
        Result.Reason = A->Var->Reason;
      Result.HasUnknown = true;
    }
    for (const Node *Fact : A->Var->Facts)
      condition(Fact);
    if (Exact)
      for (const Node *Fact : A->Var->Exact)
        condition(Fact);
  }

  Parts &Result;
  bool Exact;
  std::set<const Node *> Seen;
};

} // namespace

Parts Solver::collect(const std::vector<const Node *> &Conditions, bool Exact) const {
  Parts Result;
  Collector Visitor(Result, Exact);
  for (const Node *Condition : Conditions)
    Visitor.condition(Condition);
  std::sort(Result.Variables.begin(), Result.Variables.end(),
            [](const Variable *A, const Variable *B) { return A->Rank < B->Rank; });
  return Result;
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

const Node *keepsSign(Expressions &Nodes, const Node *A) {
  const Node *Left = A->Kids[0], *Right = A->Kids[1], *Zero = Nodes.constant(A->Width, 0);
  switch (A->Operation) {
  case Op::Add: // wraps if both have one sign and the sum has the other
    return Nodes.ite(Nodes.slt(Left, Zero), Nodes.either(Nodes.sle(Zero, Right), Nodes.slt(A, Zero)),
                     Nodes.either(Nodes.slt(Right, Zero), Nodes.sle(Zero, A)));
  case Op::Sub:
    return Nodes.ite(Nodes.slt(Left, Zero), Nodes.either(Nodes.slt(Right, Zero), Nodes.slt(A, Zero)),
                     Nodes.either(Nodes.sle(Zero, Right), Nodes.sle(Zero, A)));
  default:
    if (A->Width > 32) // compare with the division's result
      return Nodes.either(
          Nodes.eq(Left, Zero),
          Nodes.both(Nodes.eq(Nodes.make(Op::SDiv, A, Left), Right),
                     Nodes.negate(Nodes.both(Nodes.eq(Left, Nodes.constant(A->Width, ~0ull)),
                                             Nodes.eq(Right, Nodes.constant(A->Width, 1ull << (A->Width - 1)))))));
    return Nodes.eq(Nodes.sext(A, 64), Nodes.mul(Nodes.sext(Left, 64), Nodes.sext(Right, 64)));
  }
}

// Prefer witnesses with small inputs: these runs are easy to replay, and solvers find them faster.
static const uint64_t kInputLimits[] = {64, 4096, ~0ull};

Answer Solver::askBits(const Parts &Formula, bool SignedMayWrap, uint64_t InputLimit, unsigned Limit) {
  Queries++;
  BitTranslator Bits(Z3->Context);
  z3::solver Engine = z3::tactic(Z3->Context, "qfbv").mk_solver();
  z3::params Options(Z3->Context);
  Options.set("timeout", Limit);
  Engine.set(Options);
  std::vector<const Node *> All = Formula.Conditions;
  if (!SignedMayWrap)
    for (const Node *Operation : Formula.SignedOperations)
      All.push_back(keepsSign(Nodes, Operation));
  for (const Variable *Var : Formula.Variables) {
    if (Var->Low)
      All.push_back(Nodes.make(Op::Ule, Nodes.constant(Var->Width, Var->Low), Var->Use));
    if (Var->High != maskOf(Var->Width))
      All.push_back(Nodes.make(Op::Ule, Var->Use, Nodes.constant(Var->Width, Var->High)));
  }
  for (const Node *Condition : All)
    Engine.add(Bits.truth(Condition));
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
  Evaluator Again(Result.Values, Contents);
  for (const Node *Condition : All)
    if (!Again.evaluate(Condition))
      return Result;
  Result.Result = Verdict::Possible;
  return Result;
}

Verdict Solver::askIntegers(const Parts &Formula, unsigned Limit) {
  Queries++;
  IntegerTranslator Integers(Z3->Context, Nodes);
  z3::solver Engine(Z3->Context);
  z3::params Options(Z3->Context);
  Options.set("timeout", Limit);
  Engine.set(Options);
  for (const Node *Condition : Formula.Conditions)
    Engine.add(Integers.truth(Condition));
  for (const z3::expr &Side : Integers.sides())
    Engine.add(Side);
  const z3::check_result Found = Engine.check();
  return Found == z3::unsat ? Verdict::Impossible : Verdict::Undecided;
}

Answer Solver::decide(const Parts &Formula, bool SignedMayWrap) {
  for (const Node *Condition : Formula.Conditions)
    if (Condition->isFalse())
      return {Verdict::Impossible, {}};
  try {
    // Without a wrap of signed numbers, integers decide products, which are slow as bits. Small inputs are fast.
    Answer Result = askBits(Formula, SignedMayWrap, kInputLimits[0], Milliseconds / 4 + 1);
    if (Result.Result != Verdict::Undecided)
      return Result;
    if (!SignedMayWrap && askIntegers(Formula, Milliseconds / 2 + 1) == Verdict::Impossible)
      return {Verdict::Impossible, {}};
    for (uint64_t InputLimit : {kInputLimits[2], kInputLimits[1]}) {
      Result = askBits(Formula, SignedMayWrap, InputLimit, Milliseconds);
      if (Result.Result != Verdict::Undecided)
        return Result;
    }
    return {Verdict::Undecided, {}};
  } catch (const z3::exception &) {
    return {Verdict::Undecided, {}};
  }
}

} // namespace gasan::scan
