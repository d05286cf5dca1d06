/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Loops. The body is executed with variables for the values at the start of a round, as often as it takes until these
// values stand for every round. Then variables that move by equal steps become closed forms.
#include "scan/Analyses.h"
#include "scan/Paths.h"

#include "llvm/ADT/Hashing.h"

using namespace llvm;

namespace gasan::scan {

static constexpr unsigned kMaxExplorations = 6, kMaxTargets = 4, kMaxFreeRounds = 4096;
static constexpr uint64_t kUnrolledRounds = 72, kUnrolledOnHost = 8, kUnrolledSteps = 30000;

struct Executor::LoopPlan {
  explicit LoopPlan(const Loop &L) : L(L) {}

  struct Phi {
    enum Kind { Any, Same, Affine, Halves, Doubles } Form = Any;
    const PHINode *Code;
    Value Start, Assumed, Latch, Body;
    Variable *Var = nullptr;     // stands for the number, or for the offset of a pointer
    const Node *First = nullptr; // its value before the first round
    const Node *Step = nullptr;  // of Affine; of Halves and Doubles: the shift's width
    bool Signed = false;         // the program promises that the step does not wrap
  };

  const Loop &L;
  State Assumed;
  const Node *Before = nullptr; // the path to the loop
  std::vector<Phi> Phis;
  unsigned FirstRank = 0;
  size_t FirstTouched = 0;
  unsigned StepsOfRound = 0;
  const Node *Stays = nullptr; // the header's condition for another round; NULL: another block decides
  bool LatchReached = false;
  bool EndsEarly = false;      // a round may leave the loop, or end the program
  Phi *Primary = nullptr;      // the variable that the header's condition compares
  const Node *Bound = nullptr; // with this
  bool Direct = false, Up = false, SignedOrder = false, Strict = false, Unequal = false;
};

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

// Executes one round, and returns the ways to the next one.
std::vector<Executor::Edge> Executor::runRound(const LoopPlan &Plan, const std::vector<Value> &Phis,
                                               const State &Start) {
  const BasicBlock &Header = *Plan.L.getHeader();
  Path = Plan.Before;
  Now = Start;
  size_t I = 0;
  for (const PHINode &Phi : Header.phis())
    Top->Values[&Phi] = Phis[I++];
  execute(Header);
  runBlocks(&Plan.L);
  std::vector<Edge> Result = std::move(Top->Pending[&Header]);
  Top->Pending.erase(&Header);
  return Result;
}

void Executor::unroll(const Loop &L, std::vector<Edge> Edges, unsigned Rounds) {
  const BasicBlock &Header = *L.getHeader();
  const uint64_t Outer = Context;
  unsigned Free = 0;
  for (unsigned Round = 0; Round < Rounds && !Edges.empty();) {
    if (!enter(Header, std::move(Edges)))
      break;
    const Node *Start = Path;
    Context = hash_combine(Outer, &Header, Round + Free);
    execute(Header);
    runBlocks(&L);
    Edges = std::move(Top->Pending[&Header]);
    Top->Pending.erase(&Header);
    const bool Certain = Edges.size() == 1 && isSameCondition(Edges[0].Path, Start);
    if (Certain && Free < kMaxFreeRounds)
      Free++; // the number of rounds does not depend on inputs so far
    else
      Round++;
  }
  Context = Outer;
  if (!Edges.empty() && !Settings.Hunt)
    giveUp("a loop with more rounds than expected");
}

bool Executor::generaliseValue(LoopPlan &Plan, Value &Assumed, const Value &Latch, const void *Key, unsigned Index) {
  if (Assumed == Latch || Latch.Form == Value::Nothing || Assumed.Form == Value::Anything)
    return false;
  if (Latch.Form == Value::Anything) {
    Memory.markEscaped(Assumed);
    Assumed = Value::anything();
    return true;
  }
  const char *Reason = "a value that a loop changes";
  Memory.markEscaped(Latch);
  Memory.markEscaped(Assumed);
  if (Assumed.Form == Value::Nothing || Assumed.Form != Latch.Form ||
      (Assumed.Form == Value::Integer && Assumed.Number->Width != Latch.Number->Width)) {
    if (Assumed.Form == Value::Nothing && Latch.Form == Value::Integer) {
      Assumed =
          Value::integer(variableFor(Key, Index, VariableKind::Unknown, Latch.Number->Width, Reason, Reason)->Use);
      return true;
    }
    if (Assumed.Form == Value::Nothing && Latch.Form == Value::Real) {
      Assumed = Value::real();
      return true;
    }
    if (Latch.Form == Value::Pointer || Assumed.Form == Value::Pointer) {
      const Value Any = Memory.unknownPointer("a pointer that a loop changes");
      const bool Changed = !(Assumed == Any);
      Assumed = Any;
      return Changed;
    }
    Assumed = Value::anything();
    return true;
  }
  switch (Assumed.Form) {
  case Value::Integer: {
    Variable *Var = variableFor(Key, Index, VariableKind::Unknown, Latch.Number->Width, Reason, Reason);
    if (Assumed.Number == Var->Use)
      return false;
    Assumed = Value::integer(Var->Use);
    return true;
  }
  case Value::Real:
    if (!Assumed.Number)
      return false;
    Assumed = Value::real();
    return true;
  case Value::Parts: {
    bool Changed = false;
    for (size_t I = 0; I < std::min(Assumed.Elements.size(), Latch.Elements.size()); I++)
      Changed |= generaliseValue(Plan, Assumed.Elements[I], Latch.Elements[I], Key, Index * 64 + I + 1);
    return Changed;
  }
  default:
    break;
  }
  bool Changed = false;
  for (const Target &T : Latch.Targets) {
    const Contents *Old = Plan.Assumed.find(T.Root);
    const bool Inside = T.Root->Where != Space::Unknown && T.Root->Where != Space::Null &&
                        T.Root->Where != Space::Function && !Old; // allocated in the loop
    auto Same = find_if(Assumed.Targets, [&](const Target &U) { return U.Root == T.Root; });
    if (Inside || (Same == Assumed.Targets.end() && Assumed.Targets.size() >= kMaxTargets)) {
      const Value Any = Memory.unknownPointer("a pointer that a loop changes");
      Changed = !(Assumed == Any);
      Assumed = Any;
      return Changed;
    }
    if (Same == Assumed.Targets.end()) {
      Assumed.Targets.push_back({nullptr, T.Root, T.Offset});
      Changed = true;
    } else if (Same->Offset != T.Offset) {
      Variable *Var =
          variableFor(Key, Index * 8 + (Same - Assumed.Targets.begin()) + 1, VariableKind::Unknown, 64, Reason, Reason);
      Changed |= Same->Offset != Var->Use;
      Same->Offset = Var->Use;
    }
  }
  if (Assumed.Targets.size() > 1)
    for (size_t I = 0; I < Assumed.Targets.size(); I++)
      Assumed.Targets[I].Guard =
          variableFor(Key, 1000 + Index * 8 + I, VariableKind::Unknown, 1, Reason, "a pointer that a loop changes")
              ->Use;
  return Changed;
}

bool Executor::generaliseContents(LoopPlan &Plan, Object *Root, const Contents &Latch) {
  Contents &Mine = Plan.Assumed.change(Root);
  bool Changed = false;
  for (auto &[Offset, Old] : Mine.Cells) {
    if (Old.Content.Form == Value::Anything)
      continue;
    auto Found = Latch.Cells.find(Offset);
    if (Found == Latch.Cells.end() || Found->second.Size != Old.Size) {
      Changed = true;
      Old.Content = Value::anything();
    } else {
      Changed |= generaliseValue(Plan, Old.Content, Found->second.Content, Root, unsigned(Offset) * 64 + 5);
    }
  }
  for (const auto &[Offset, New] : Latch.Cells)
    if (!Mine.Cells.count(Offset) && Mine.Rest.Form != Background::Unknown) {
      Cell Fresh = {New.Size, Value()};
      if (Mine.Rest.Form == Background::Undefined)
        generaliseValue(Plan, Fresh.Content, New.Content, Root, unsigned(Offset) * 64 + 5);
      if (Fresh.Content.Form == Value::Nothing)
        Fresh.Content = Value::anything();
      Mine.Cells[Offset] = Fresh;
      Changed = true;
    }
  for (auto It = Mine.Cells.begin(); It != Mine.Cells.end(); ++It)
    if (auto Next = std::next(It); Next != Mine.Cells.end() && It->first + It->second.Size > Next->first) {
      Memory.blur(Plan.Assumed, Root, "memory that a loop changes");
      return true;
    }
  if (!(Mine.Rest == Latch.Rest)) {
    const Background Old = Mine.Rest;
    if (!Memory.joinTemplates(Mine, Latch)) {
      Mine.Cells.clear();
      Mine.Rest = Background::unknown("memory that a loop changes");
    }
    Changed |= !(Old == Mine.Rest);
  }
  if (Latch.Freed != Mine.Freed) {
    const Node *Some = variableFor(Root, 3, VariableKind::Unknown, 1, "freed", "memory that a loop frees")->Use;
    Changed |= Mine.Freed != Some;
    Mine.Freed = Some;
    Mine.FreedAt = Latch.FreedAt;
  }
  return Changed;
}

bool Executor::generalise(LoopPlan &Plan, const std::vector<Value> &Phis, const State &Latch) {
  bool Changed = false;
  for (size_t I = 0; I < Plan.Phis.size(); I++) {
    LoopPlan::Phi &P = Plan.Phis[I];
    P.Latch = Phis[I];
    if (P.Assumed.Form == Value::Integer)
      continue; // stands for any number already
    if (P.Assumed.Form == Value::Pointer && P.Assumed.Targets.size() == 1 && P.Var && P.Latch.Targets.size() == 1 &&
        P.Latch.Targets[0].Root == P.Assumed.Targets[0].Root)
      continue;
    Changed |= generaliseValue(Plan, P.Assumed, P.Latch, P.Code, 7);
    P.Var = nullptr;
  }
  const State Assumed = Plan.Assumed;
  State::compare(Assumed, Latch, [&](unsigned Number, const State::Slot &Mine, const State::Slot &Theirs) {
    Object *Root = Memory.byNumber(Number);
    if ((Mine || Root->Initial) && Theirs)
      Changed |= generaliseContents(Plan, Root, *Theirs);
  });
  return Changed;
}

// Executes rounds until the assumed values stand for every round. Returns false if the loop ends before a second round.
bool Executor::explore(LoopPlan &Plan) {
  Frame *Mine = Top;
  const auto Pending = Mine->Pending;
  const size_t Returns = Mine->Returns.size();
  Quiet++;
  bool Stable = false;
  for (unsigned Round = 0; Round < kMaxExplorations && !Stable; Round++) {
    if (Round == kMaxExplorations - 2) {
      const State Assumed = Plan.Assumed;
      State::compare(Assumed, Now, [&](unsigned Number, const State::Slot &Mine, const State::Slot &Theirs) {
        Object *Root = Memory.byNumber(Number);
        if ((Mine || Root->Initial) && Theirs)
          Memory.blur(Plan.Assumed, Root, "memory that a loop changes");
      });
    }
    std::vector<Value> Phis;
    for (const LoopPlan::Phi &P : Plan.Phis)
      Phis.push_back(P.Assumed);
    const unsigned Before = Steps;
    std::vector<Edge> Edges = runRound(Plan, Phis, Plan.Assumed);
    Plan.StepsOfRound = Steps - Before;
    Mine->Pending = Pending;
    Mine->Returns.resize(Returns);
    Plan.LatchReached = !Edges.empty();
    if (Edges.empty())
      break;
    std::vector<Value> Latch;
    enter(*Plan.L.getHeader(), std::move(Edges));
    for (const PHINode &Phi : Plan.L.getHeader()->phis())
      Latch.push_back(Top->Values[&Phi]);
    const Node *LatchPath = Path;
    Stable = !generalise(Plan, Latch, Now);
    const auto *Branch = dyn_cast<BranchInst>(Plan.L.getHeader()->getTerminator());
    Plan.Stays = nullptr;
    if (Branch && Branch->isConditional() &&
        Plan.L.contains(Branch->getSuccessor(0)) != Plan.L.contains(Branch->getSuccessor(1))) {
      Plan.Stays = number(Branch->getCondition(), 1, false);
      if (!Plan.L.contains(Branch->getSuccessor(0)))
        Plan.Stays = Nodes.negate(Plan.Stays);
    }
    Plan.EndsEarly =
        !isSameCondition(LatchPath, Nodes.both(Plan.Before, Plan.Stays ? Plan.Stays : Nodes.boolean(true)));
  }
  Quiet--;
  if (!Stable && Plan.LatchReached)
    giveUp("a loop whose memory the analysis does not follow");
  return Plan.LatchReached;
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

// Executes a round for the checks, and goes on behind the loop.
void Executor::finish(LoopPlan &Plan) {
  const BasicBlock *Header = Plan.L.getHeader();
  setForms(Plan, /*AtExit=*/false);
  std::vector<Value> Phis;
  for (const LoopPlan::Phi &P : Plan.Phis)
    Phis.push_back(P.Body);
  runRound(Plan, Phis, Plan.Assumed);
  Frame *Mine = Top;
  SmallVector<BasicBlock *, 4> Exits;
  Plan.L.getUniqueExitBlocks(Exits);
  if (Current && Exits.empty()) // other threads see the stores of one that stays here
    Ends.push_back(Plan.Assumed);
  auto dropFromHeader = [&](bool Outside) {
    for (auto &[Block, Edges] : Mine->Pending)
      if (Plan.L.contains(Block) != Outside)
        erase_if(Edges, [&](const Edge &E) { return E.From == Header; });
  };
  if (!Plan.Stays)
    return; // the ways that leave the loop are pending
  dropFromHeader(true);
  setForms(Plan, /*AtExit=*/true);
  size_t I = 0;
  for (const PHINode &Phi : Header->phis())
    Top->Values[&Phi] = Plan.Phis[I++].Body;
  Path = Plan.Before;
  Now = Plan.Assumed;
  Quiet++;
  execute(*Header);
  Quiet--;
  for (auto &[Block, Edges] : Mine->Pending)
    if (Plan.L.contains(Block))
      Edges.clear();
  const Node *Leaves = Nodes.boolean(true);
  if (Plan.EndsEarly)
    Leaves = variableFor(Header, 60, VariableKind::Unknown, 1, "loop ends", "a loop that may end early")->Use;
  for (auto &[Block, Edges] : Mine->Pending)
    for (Edge &E : Edges)
      if (E.From == Header && !Plan.L.contains(Block)) {
        if (Plan.Primary) { // the last value fulfils the condition, so the path needs no condition
          const Node *Last = Plan.Primary->Assumed.Form == Value::Pointer ? Plan.Primary->Body.Targets[0].Offset
                                                                          : Plan.Primary->Body.Number;
          std::unordered_map<const Node *, const Node *> Done;
          if (Last->Operation == Op::Var)
            Last->Var->Facts.push_back(Nodes.negate(Nodes.substitute(Plan.Stays, {{Plan.Primary->Var, Last}}, Done)));
        }
        E.Path = Nodes.both(Plan.Before, Leaves);
      }
  for (auto It = Mine->Pending.begin(); It != Mine->Pending.end(); ++It)
    if (It->second.empty())
      Mine->Pending.erase(It);
}

void Executor::runLoop(const Loop &L) {
  Frame *Mine = Top;
  const BasicBlock &Header = *L.getHeader();
  auto Found = Mine->Pending.find(&Header);
  if (Found == Mine->Pending.end() || Found->second.empty())
    return;
  std::vector<Edge> Edges = std::move(Found->second);
  Mine->Pending.erase(Found);
  if (Settings.Hunt)
    return unroll(L, std::move(Edges), Settings.Rounds);
  const std::vector<Edge> Again = Edges;
  enter(Header, std::move(Edges));
  LoopPlan Plan(L);
  Plan.Before = Path;
  Plan.Assumed = Now;
  Plan.FirstRank = Nodes.variableCount();
  Plan.FirstTouched = Touched.size();
  for (const PHINode &Phi : Header.phis()) {
    LoopPlan::Phi P;
    P.Code = &Phi;
    P.Start = P.Assumed = Mine->Values[&Phi];
    const char *Reason = "a value that a loop changes";
    if (P.Start.Form == Value::Integer) {
      P.Var = variableFor(&Phi, 10, VariableKind::Unknown, P.Start.Number->Width, Reason, Reason);
      P.Assumed = Value::integer(P.Var->Use);
    } else if (P.Start.Form == Value::Pointer && P.Start.Targets.size() == 1) {
      P.Var = variableFor(&Phi, 10, VariableKind::Unknown, 64, Reason, Reason);
      P.Assumed.Targets[0].Offset = P.Var->Use;
    } else if (P.Start.Form == Value::Real) {
      P.Assumed = Value::real();
    }
    Plan.Phis.push_back(P);
  }
  if (!explore(Plan)) { // at most one round
    Mine->Pending[&Header] = Again;
    std::vector<Edge> Once = std::move(Mine->Pending[&Header]);
    Mine->Pending.erase(&Header);
    return unroll(L, std::move(Once), 2);
  }
  findSteps(Plan);
  findPrimary(Plan);
  if (std::optional<uint64_t> Rounds = roundsOf(Plan); Rounds &&
                                                       *Rounds <= (Current ? kUnrolledRounds : kUnrolledOnHost) &&
                                                       *Rounds * Plan.StepsOfRound <= kUnrolledSteps)
    return unroll(L, Again, unsigned(*Rounds) + 1);
  finish(Plan);
}

} // namespace gasan::scan
