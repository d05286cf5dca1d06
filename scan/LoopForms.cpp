/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Closed forms of variables that a loop moves by equal steps, halves or doubles, in the number of the round.
#include "scan/Loops.h"

using namespace llvm;

namespace gasan::scan {

bool Executor::varies(const Node *A, const LoopPlan &Plan) {
  std::set<const Node *> Seen;
  std::vector<const Node *> Work = {A};
  const std::set<const Variable *> Used(Touched.begin() + Plan.FirstTouched, Touched.end());
  while (!Work.empty()) {
    const Node *Part = Work.back();
    Work.pop_back();
    if (!Seen.insert(Part).second)
      continue;
    if (Part->Operation == Op::Var && (Part->Var->Rank > Plan.FirstRank || Used.count(Part->Var)))
      return true;
    Work.insert(Work.end(), Part->Kids, Part->Kids + Part->Count);
  }
  return false;
}

// Returns the number by which a round changes the variable; NULL: not always by the same one.
const Node *Executor::stepOf(const Node *Latch, const Node *Variable, const LoopPlan &Plan) {
  if (Latch == Variable)
    return Nodes.constant(Latch->Width, 0);
  if (Latch->Operation != Op::Add && Latch->Operation != Op::Sub)
    return nullptr;
  for (unsigned I : {0u, 1u}) {
    if (I == 1 && Latch->Operation == Op::Sub)
      break;
    const Node *Inner = stepOf(Latch->Kids[I], Variable, Plan);
    if (Inner && !varies(Latch->Kids[1 - I], Plan))
      return Nodes.make(Latch->Operation, Inner, Latch->Kids[1 - I]);
  }
  return nullptr;
}

void Executor::findSteps(LoopPlan &Plan) {
  for (LoopPlan::Phi &P : Plan.Phis) {
    if (!P.Var)
      continue;
    const bool Pointer = P.Assumed.Form == Value::Pointer;
    const Node *Latch = Pointer ? P.Latch.Targets[0].Offset : P.Latch.Number;
    P.First = Pointer ? P.Start.Targets[0].Offset : P.Start.Number;
    if (!Latch || !P.First)
      continue;
    const Node *V = P.Var->Use;
    P.Signed = Latch->Signed;
    if (Latch == V) {
      P.Form = LoopPlan::Phi::Same;
    } else if (const Node *Step = stepOf(Latch, V, Plan)) {
      P.Form = LoopPlan::Phi::Affine;
      P.Step = Step;
    } else if (Latch->Count == 2 && Latch->Kids[0] == V && Latch->Kids[1]->isConst()) {
      const uint64_t Number = Latch->Kids[1]->Value;
      const bool Power = Number && !(Number & (Number - 1)) && Number > 1;
      if ((Latch->Operation == Op::LShr || Latch->Operation == Op::AShr) && Number && Number < V->Width) {
        P.Form = LoopPlan::Phi::Halves;
        P.Step = Latch->Kids[1];
      } else if ((Latch->Operation == Op::UDiv || Latch->Operation == Op::SDiv) && Power) {
        P.Form = LoopPlan::Phi::Halves;
        P.Step = Nodes.constant(V->Width, Log2_64(Number));
      } else if (Latch->Operation == Op::Mul && Power) {
        P.Form = LoopPlan::Phi::Doubles;
        P.Step = Nodes.constant(V->Width, Log2_64(Number));
      }
    }
  }
}

// Finds the variable that the header compares, and the limit.
void Executor::findPrimary(LoopPlan &Plan) {
  const Node *C = Plan.Stays;
  if (!C)
    return;
  bool Unequal = false;
  if (C->Operation == Op::Xor && C->Kids[1]->isTrue() && C->Kids[0]->Operation == Op::Eq) {
    Unequal = true;
    C = C->Kids[0];
  } else if (C->Operation < Op::Ult || C->Operation > Op::Sle) {
    return;
  }
  for (LoopPlan::Phi &P : Plan.Phis) {
    if (!P.Var || P.Form == LoopPlan::Phi::Any || P.Form == LoopPlan::Phi::Same)
      continue;
    for (unsigned Side : {0u, 1u}) {
      const Node *Mine = C->Kids[Side], *Other = C->Kids[1 - Side];
      const bool Direct = Mine == P.Var->Use;
      const bool Extended = (Mine->Operation == Op::SExt || Mine->Operation == Op::ZExt) && Mine->Kids[0] == P.Var->Use;
      const bool Moved = Mine->Operation == Op::Add && Mine->Kids[0] == P.Var->Use && Mine->Kids[1]->isConst();
      if ((!Direct && !Extended && !Moved) || varies(Other, Plan))
        continue;
      Plan.Primary = &P;
      Plan.Bound = Other;
      Plan.Direct = Direct;
      Plan.Up = Side == 0;
      Plan.Unequal = Unequal;
      Plan.Strict = Unequal || C->Operation == Op::Ult || C->Operation == Op::Slt;
      Plan.SignedOrder = C->Operation == Op::Slt || C->Operation == Op::Sle;
      return;
    }
  }
}

// Returns the claim, or a weaker one that also holds if the variable wraps on its way.
const Node *Executor::neverWraps(LoopPlan &Plan, const Node *Claim, bool AtExit) {
  LoopPlan::Phi &P = *Plan.Primary;
  const unsigned Width = P.Var->Width;
  const bool One = P.Step->isConst(Plan.Up ? 1 : maskOf(Width));
  if (Plan.Direct && One && Plan.Strict)
    return Claim; // ends before it could wrap
  if (P.Signed) { // an earlier value, whose step wraps: the program promises that there is none
    Variable *Earlier = variableFor(P.Code, 50 + AtExit, VariableKind::Round, Width, "earlier", "");
    const Node *Next = Nodes.add(Earlier->Use, P.Step, true);
    return Nodes.either(Claim, Plan.Up ? Nodes.slt(Next, Earlier->Use) : Nodes.slt(Earlier->Use, Next));
  }
  if (Plan.Direct && P.Step->isConst() && !Plan.SignedOrder) {
    const uint64_t Most = maskOf(Width), Size = Plan.Up ? P.Step->Value : (0 - P.Step->Value) & Most;
    const Node *Near = Plan.Up ? Nodes.ult(Nodes.constant(Width, Most - Size), Plan.Bound)
                               : Nodes.ult(Plan.Bound, Nodes.constant(Width, Size));
    return Nodes.either(Claim, Near);
  }
  return Nodes.boolean(true);
}

// Returns the primary variable's form in the body, or behind the loop.
const Node *Executor::setPrimary(LoopPlan &Plan, bool AtExit) {
  LoopPlan::Phi &P = *Plan.Primary;
  const unsigned Width = P.Var->Width;
  // A variable that doubles or halves may step over the value that it is compared with by `!=`.
  const bool StepsOver = P.Form != LoopPlan::Phi::Affine && Plan.Unequal &&
                         !(P.Form == LoopPlan::Phi::Halves && Plan.Bound && Plan.Bound->isConst(0));
  const VariableKind Kind = Plan.EndsEarly || StepsOver ? VariableKind::Unknown : VariableKind::Round;
  const std::string Name = userName(*P.Code).empty() ? "round" : userName(*P.Code);
  Variable *X = variableFor(P.Code, 20 + AtExit, Kind, Width, Name, "a loop that may end early");
  X->Kind = Kind;
  X->Facts.clear();
  X->Exact.clear();
  const Node *V = X->Use, *First = P.First;
  auto withValue = [&](const Node *Value) {
    std::unordered_map<const Node *, const Node *> Done;
    return Nodes.substitute(Plan.Stays, {{P.Var, Value}}, Done);
  };
  if (P.Form == LoopPlan::Phi::Affine) {
    const Node *Travel = Plan.Up ? Nodes.sub(V, First) : Nodes.sub(First, V);
    const Node *Size = Plan.Up ? P.Step : Nodes.sub(Nodes.constant(Width, 0), P.Step);
    const Node *Ahead = Plan.Up ? (Plan.SignedOrder ? Nodes.sle(First, V) : Nodes.ule(First, V))
                                : (Plan.SignedOrder ? Nodes.sle(V, First) : Nodes.ule(V, First));
    const Node *Positive = Nodes.slt(Nodes.constant(Width, 0), Size);
    if (Plan.Unequal && Plan.Direct && P.Step->isConst()) {
      const bool Rises = signedValue(P.Step->Value, Width) > 0;
      const Node *Way = Rises ? Nodes.sub(V, First) : Nodes.sub(First, V);
      const Node *All = Rises ? Nodes.sub(Plan.Bound, First) : Nodes.sub(First, Plan.Bound);
      const Node *Unit = Nodes.constant(Width, Rises ? P.Step->Value : 0 - P.Step->Value);
      const Node *Zero = Nodes.constant(Width, 0);
      const Node *Meets = Nodes.eq(Nodes.make(Op::URem, All, Unit), Zero);
      X->Facts.push_back(
          Nodes.either(Nodes.negate(Meets), Nodes.both(AtExit ? Nodes.eq(Way, All) : Nodes.ult(Way, All),
                                                       Nodes.eq(Nodes.make(Op::URem, Way, Unit), Zero))));
      X->Exact.push_back(Meets);
      return V;
    }
    if (!Plan.Unequal) {
      X->Facts.push_back(Nodes.either(Nodes.negate(Positive), neverWraps(Plan, Ahead, AtExit)));
      X->Exact.push_back(Nodes.both(Positive, Ahead));
    }
    if (!Size->isConst(1))
      (Size->isConst() ? X->Exact : X->Exact)
          .push_back(Nodes.eq(Nodes.make(Op::URem, Travel, Size), Nodes.constant(Width, 0)));
    if (AtExit)
      X->Facts.push_back(Nodes.either(Nodes.eq(V, First), withValue(Nodes.sub(V, P.Step))));
  } else {
    Variable *K = variableFor(P.Code, 30 + AtExit, Kind, Width, "round", "a loop that may end early");
    K->High = Width;
    const Node *Shift = Nodes.mul(K->Use, P.Step);
    if (P.Form == LoopPlan::Phi::Halves) {
      const Node *Zero = Nodes.constant(Width, 0);
      X->Facts.push_back(Nodes.either(Nodes.slt(First, Zero), Nodes.both(Nodes.sle(Zero, V), Nodes.sle(V, First))));
      X->Exact.push_back(Nodes.sle(Zero, First));
      X->Exact.push_back(Nodes.eq(V, Nodes.make(Op::LShr, First, Shift)));
    } else {
      X->Facts.push_back(Nodes.eq(V, Nodes.make(Op::Shl, First, Shift)));
      // Without lost bits: a greater variable would have ended the loop before.
      X->Exact.push_back(Nodes.eq(Nodes.make(Op::LShr, V, Shift), First));
      X->Exact.push_back(
          Nodes.both(Nodes.slt(Nodes.constant(Width, 0), First), Nodes.slt(Nodes.constant(Width, 0), V)));
    }
    if (AtExit && P.Form == LoopPlan::Phi::Halves)
      X->Exact.push_back(
          Nodes.either(Nodes.eq(V, First), withValue(Nodes.make(Op::LShr, First, Nodes.sub(Shift, P.Step)))));
    if (AtExit && P.Form == LoopPlan::Phi::Doubles)
      X->Exact.push_back(
          Nodes.either(Nodes.eq(V, First), withValue(Nodes.make(Op::Shl, First, Nodes.sub(Shift, P.Step)))));
  }
  return V;
}

void Executor::setForms(LoopPlan &Plan, bool AtExit) {
  const Node *Main = Plan.Primary ? setPrimary(Plan, AtExit) : nullptr;
  const Node *Round = nullptr; // the number of the round, 64 bits
  const char *Reason = "a value that a loop changes";
  if (Main && Plan.Primary->Form == LoopPlan::Phi::Affine &&
      (Plan.Primary->Step->isConst(1) || Plan.Primary->Step->isConst(maskOf(Main->Width)))) {
    const LoopPlan::Phi &P = *Plan.Primary;
    Round = Nodes.zext(P.Step->isConst(1) ? Nodes.sub(Main, P.First) : Nodes.sub(P.First, Main), 64);
  } else {
    Variable *K = variableFor(Plan.L.getHeader(), 40 + AtExit, VariableKind::Unknown, 64, "round", Reason);
    K->Facts.clear();
    Round = K->Use;
    if (Main && Plan.Primary->Form == LoopPlan::Phi::Affine) {
      const LoopPlan::Phi &P = *Plan.Primary;
      K->Kind = Plan.EndsEarly ? VariableKind::Unknown : VariableKind::Round;
      K->Facts.push_back(
          Nodes.eq(Main, Nodes.add(P.First, Nodes.mul(Nodes.resize(Round, Main->Width, false), P.Step))));
      if (P.Step->isConst() && !P.Step->isConst(0)) {
        const uint64_t Size =
            signedValue(P.Step->Value, Main->Width) < 0 ? (0 - P.Step->Value) & maskOf(Main->Width) : P.Step->Value;
        K->Exact.assign(1, Nodes.ule(Round, Nodes.constant(64, maskOf(Main->Width) / Size)));
      }
    }
  }
  for (LoopPlan::Phi &P : Plan.Phis) {
    P.Body = P.Assumed;
    if (!P.Var || !P.First)
      continue;
    const Node *Number = nullptr;
    if (P.Form == LoopPlan::Phi::Same)
      Number = P.First;
    else if (&P == Plan.Primary)
      Number = Main;
    else if (P.Form == LoopPlan::Phi::Affine)
      Number = Nodes.add(P.First, Nodes.mul(Nodes.resize(Round, P.Var->Width, false), P.Step));
    else if (P.Form == LoopPlan::Phi::Halves) { // of a positive number: between it and 0
      Variable *X = variableFor(P.Code, 20 + AtExit, VariableKind::Unknown, P.Var->Width, Reason, Reason);
      const Node *Zero = Nodes.constant(P.Var->Width, 0);
      X->Facts.assign(
          1, Nodes.either(Nodes.slt(P.First, Zero), Nodes.both(Nodes.sle(Zero, X->Use), Nodes.sle(X->Use, P.First))));
      Number = X->Use;
    }
    if (!Number)
      continue;
    if (P.Assumed.Form == Value::Pointer)
      P.Body.Targets[0].Offset = Number;
    else
      P.Body = Value::integer(Number);
  }
}

// Returns the number of rounds if it does not depend on inputs.
std::optional<uint64_t> Executor::roundsOf(const LoopPlan &Plan) {
  const LoopPlan::Phi *P = Plan.Primary;
  if (!P || !P->First->isConst() || !Plan.Bound->isConst() || !P->Step->isConst())
    return std::nullopt;
  uint64_t Number = P->First->Value;
  for (uint64_t Round = 0; Round <= kUnrolledRounds; Round++) {
    std::unordered_map<const Node *, const Node *> Done;
    if (Nodes.substitute(Plan.Stays, {{P->Var, Nodes.constant(P->Var->Width, Number)}}, Done)->isFalse())
      return Round;
    const uint64_t Old = Number;
    if (P->Form == LoopPlan::Phi::Affine)
      Number = (Number + P->Step->Value) & maskOf(P->Var->Width);
    else if (P->Form == LoopPlan::Phi::Halves)
      Number >>= P->Step->Value;
    else
      Number = (Number << P->Step->Value) & maskOf(P->Var->Width);
    if (Number == Old)
      return std::nullopt;
  }
  return std::nullopt;
}

} // namespace gasan::scan
