/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "scan/Budget.h"
#include "scan/Replay.h"

using namespace llvm;

namespace gasan::scan {

static constexpr unsigned kMostHunted = 48; // checks of a place that a hunt asks about

static void undecided(Verdicts &V, const std::string &Reason) {
  if (V.Result < Finding::Undecided) {
    V.Result = Finding::Undecided;
    V.Reason = Reason;
  }
}

static void weaken(Verdicts &V, Finding Result) {
  V.Result = std::max(V.Result, Result);
}

// Returns the innermost place outside of the headers of clang and CUDA, such as that of atomicAdd().
static Place userPlace(const std::vector<Place> &Stack) {
  for (const Place &P : Stack)
    if (!isSystemFile(P.File))
      return P;
  return Stack.empty() ? Place() : Stack[0];
}

void Judge::describe(const Question &Q, const Answer &Case) {
  const Check &C = *Q.Of;
  Verdicts &V = *Q.About;
  const Assignment &Values = Case.Values;
  Evaluator Numbers(Values, Case.Contents);
  V.Kind = Q.Kind;
  V.Operation = C.Operation; // a copy reads and writes
  V.Result = Finding::Possible;
  V.Part = Q.Part;
  V.Stack = C.Stack;
  V.Allocated = C.Root ? C.Root->Allocated : Place();
  V.Freed = C.FreedAt;
  V.Lost = C.Lost;
  V.Root = C.Root;
  V.Bytes = Numbers.evaluate(C.Bytes);
  Witness &W = V.Values;
  W.Offset = Numbers.evaluate(C.Offset);
  W.Size = C.Limit ? Numbers.evaluate(C.Limit) : 0;
  W.Below = int64_t(W.Offset) < 0;
  W.Steps = makeRecipe(C, Case.Values, Case.Contents);
  if (NoArguments)
    W.Inputs.push_back({"argc", 1, false});
  std::vector<const Variable *> Inputs;
  for (auto [Var, Number] : Values)
    if (Var->Kind == VariableKind::Input && (Var->Name != "argc" || Values.size() == 1))
      Inputs.push_back(Var);
  llvm::sort(Inputs, [](const Variable *A, const Variable *B) { return A->Rank < B->Rank; });
  for (const Variable *Var : Inputs)
    W.Inputs.push_back({Var->Name, Var->Width == 1 ? int64_t(Values.at(Var)) : signedValue(Values.at(Var), Var->Width),
                        Var->Width == 1});
  if (!C.In)
    return;
  V.Launched = C.In->At;
  for (unsigned D = 0; D < 3; D++) {
    W.Grid[D] = Numbers.evaluate(C.In->Grid[D]);
    W.Block[D] = Numbers.evaluate(C.In->Block[D]);
    W.Thread[D] = Numbers.evaluate(C.In->Thread[D]);
    W.BlockIndex[D] = Numbers.evaluate(C.In->BlockIndex[D]);
  }
  W.SharedBytes = Numbers.evaluate(C.In->SharedBytes);
}

void Judge::ask(const Check &C, Verdicts &V, const Node *Wrong, Problem Kind, std::string Part) {
  const Node *All = Nodes.both(C.Path, Wrong);
  if (!All->isFalse())
    Open.push_back({&C, &V, Wrong, All, Kind, std::move(Part)});
}

// Returns the condition that the access leaves its memory.
const Node *Judge::leaves(const Check &C) {
  const Node *Behind = Nodes.ult(Nodes.sub(C.Limit, C.Bytes), C.Offset);
  return Nodes.either(Nodes.ult(C.Limit, C.Bytes), Behind);
}

// An access that stays in the dynamic shared memory must stay in its array of it, too.
void Judge::askPartition(const Check &C, Verdicts &V) {
  const std::vector<Partition> &All = C.In->Partitions;
  const auto Mine = llvm::find_if(All, [&](const Partition &P) { return P.Begin == C.Part; });
  if (Mine == All.end() || Mine->Shared || All.size() < 2)
    return;
  const Node *Wrong = Nodes.ult(C.Offset, C.Part), *Behind = C.Limit;
  for (const Partition &P : All) {
    if (P.Begin == C.Part)
      continue;
    const Node *Later = Nodes.ult(C.Part, P.Begin);
    Wrong = Nodes.either(Wrong, Nodes.both(Later, Nodes.ult(P.Begin, Nodes.add(C.Offset, C.Bytes))));
    Behind = Nodes.ite(Nodes.both(Later, Nodes.ult(P.Begin, Behind)), P.Begin, Behind);
  }
  Check &Inside = Made.emplace_back(C);
  Inside.Path =
      Nodes.both(C.Path, Nodes.both(Nodes.ule(C.Bytes, C.Limit), Nodes.ule(C.Offset, Nodes.sub(C.Limit, C.Bytes))));
  Inside.Limit = Nodes.sub(Behind, C.Part);
  Inside.Offset = Nodes.sub(C.Offset, C.Part);
  ask(Inside, V, Wrong, Problem::Bounds, Mine->Name);
}

// The same for arrays in structures, which the access may leave although it stays in its memory.
void Judge::askFields(const Check &C, Verdicts &V) {
  for (const FieldBounds &Field : C.ToStayIn) {
    Check &Inside = Made.emplace_back(C);
    Inside.Offset = Field.Offset;
    Inside.Limit = Nodes.constant(64, Field.Size);
    ask(Inside, V, leaves(Inside), Problem::Field, Field.Name);
  }
}

// Returns true if the question is settled.
bool Judge::prove(Question &Q, bool OnlyEasy) {
  Parts Rough = Engine.collect({Q.Of->Path, Q.Wrong}, /*Exact=*/false);
  Rough.CanHold = Q.CanHold;
  Q.Known = Engine.prove(Rough, OnlyEasy, Q.Known);
  Q.CanHold = Rough.CanHold;
  if (Q.Known == Proof::Whole || (Q.Known == Proof::WithoutWrap && !OnlyEasy)) {
    const Finding Result = Q.Known == Proof::Whole ? Finding::Proven : Finding::ProvenWithoutWrap;
    Done[Q.All] = Result;
    weaken(*Q.About, Result);
    return true;
  }
  if (!OnlyEasy) { // the access's own reason, rather than that of the way to it
    const Parts Mine = Engine.collect({Q.Wrong}, /*Exact=*/false);
    undecided(*Q.About, Mine.HasUnknown ? Mine.Reason : Rough.HasUnknown ? Rough.Reason : "the solver's limit");
  }
  return false;
}

// Returns true if the question is settled.
bool Judge::findWitness(Question &Q, bool OnlySmall, bool OnlyPossible) {
  const std::vector<const Node *> Conditions = {Q.Of->Path, Q.Wrong};
  Parts Exact = Engine.collect(Conditions, /*Exact=*/true);
  const bool HadUnknown = Exact.HasUnknown;
  if (HadUnknown && OnlyPossible) // the first analysis needs its time for proofs
    Exact = Engine.collectCertain(Conditions);
  if (Exact.HasUnknown) {
    if (OnlyPossible)
      findForAllPlaces(Q);
    return OnlyPossible;
  }
  if (OnlySmall)
    for (const Assignment &Values : Earlier)
      if (Engine.holds(Exact, Values) &&
          (!HadUnknown || Engine.holdsWithUnknown(Conditions, {{}, false, Values, {}}))) {
        describe(Q, {Verdict::Possible, false, Values, {}});
        return true;
      }
  Answer Case = Engine.find(Exact, OnlySmall);
  if (Case.Result != Verdict::Possible || (HadUnknown && !Engine.holdsWithUnknown(Conditions, Case)))
    return false;
  Engine.dropConditions(Exact, Case.Values);
  Earlier.push_back(Case.Values);
  describe(Q, Case);
  return true;
}

// Returns true if the question is settled.
bool Judge::answer(Question &Q, Step Work, bool OnlyPossible) {
  Verdicts &V = *Q.About;
  if (V.Result == Finding::Possible)
    return true;
  if (auto Found = Done.find(Q.All); Found != Done.end()) {
    weaken(V, Found->second);
    return true;
  }
  if (cpuTime() > End) {
    undecided(V, "the time for the file is over");
    return true;
  }
  if (Work == Step::SmallInputs || Work == Step::AnyInputs)
    return Q.Known == Proof::None && findWitness(Q, Work == Step::SmallInputs, OnlyPossible);
  // A proof does not help an access that is unknown because of another question.
  return !OnlyPossible && V.Result != Finding::Undecided && prove(Q, Work == Step::EasyProof);
}

void Judge::judge(const Check &C, bool OnlyPossible) {
  const Place Where = userPlace(C.Stack);
  const Key K = {C.Site, C.In ? C.In->Kernel : nullptr, C.Kind, Where};
  auto [Slot, New] = Results.try_emplace(K);
  Verdicts &V = Slot->second;
  if (New) {
    V.Kind = C.Kind;
    V.Where = Where;
    V.Function = Where.Function;
    V.Kernel = C.In ? C.In->Kernel->getName().str() : "";
    V.Operation = C.Operation;
    V.Api = C.Api;
    if (OnlyPossible)
      undecided(V, "code that the first analysis did not reach");
  }
  if (V.Result == Finding::Possible || (OnlyPossible && V.Result != Finding::Undecided))
    return;
  if (OnlyPossible && ++Hunted[K] > kMostHunted)
    return;
  if (!C.Unknown.empty()) {
    if (!OnlyPossible)
      undecided(V, C.Unknown);
    return askFields(C, V);
  }
  if (C.Kind == Problem::Leak)
    return ask(C, V, C.Freed ? Nodes.negate(C.Freed) : Nodes.boolean(true), Problem::Leak);
  if (C.Kind == Problem::DoubleFree)
    return ask(C, V, C.Freed, Problem::DoubleFree);
  if (C.Kind == Problem::InvalidFree)
    return ask(C, V, Nodes.negate(Nodes.eq(C.Offset, Nodes.constant(64, 0))), Problem::InvalidFree);
  ask(C, V, leaves(C), C.Kind);
  askFields(C, V);
  if (C.Part)
    askPartition(C, V);
  if (C.Freed)
    ask(C, V, C.Freed, Problem::UseAfterFree);
}

// An access with a question that a step cannot prove gets no more proofs in this step: without that proof, the others
// are of no use. Its other questions come last in the next steps.
void Judge::answerAll(Step Work, bool OnlyPossible) {
  const bool IsProof = Work == Step::EasyProof || Work == Step::HardProof;
  std::set<const Verdicts *> Stuck;
  std::vector<Question> Asked, Later;
  for (Question &Q : Open) {
    if (Stuck.count(Q.About)) {
      Later.push_back(std::move(Q));
    } else if (!answer(Q, Work, OnlyPossible)) {
      if (IsProof && !OnlyPossible)
        Stuck.insert(Q.About);
      Asked.push_back(std::move(Q));
    }
  }
  Open = std::move(Asked);
  Open.insert(Open.end(), std::make_move_iterator(Later.begin()), std::make_move_iterator(Later.end()));
}

void Judge::add(const Executor &From, bool OnlyPossible, int64_t Until) {
  End = Until;
  NoArguments = From.settings().NoArguments;
  for (bool Kernels : {true, false}) // the host's copies come last when the time is short
    for (const Check &C : From.Checks)
      if ((C.In != nullptr) == Kernels)
        judge(C, OnlyPossible);
  for (Step Work : {Step::EasyProof, Step::SmallInputs, Step::HardProof, Step::AnyInputs})
    answerAll(Work, OnlyPossible);
  Open.clear();
  Made.clear();
}

bool Judge::wantsHunt() const {
  for (const auto &[K, V] : Results)
    if (V.Result == Finding::Undecided)
      return true;
  return false;
}

// An access that no launch executes is proven; one of a kernel that nothing launches is undecided.
static void addOthers(std::vector<Verdicts> &Result, const Executor &First, const Module &Device) {
  for (const Function &Kernel : Device) {
    if (Kernel.getCallingConv() != CallingConv::PTX_Kernel || Kernel.isDeclaration())
      continue;
    const bool Launched = First.Launched.count(&Kernel);
    for (const BasicBlock &Block : Kernel)
      for (const Instruction &I : Block) {
        if (!isa<LoadInst>(I) && !isa<StoreInst>(I) && !I.isAtomic())
          continue;
        if (First.Executed.count(&I))
          continue;
        Verdicts V;
        V.Kind = Problem::Bounds;
        V.Where = placeOf(I);
        V.Kernel = Kernel.getName().str();
        V.Function = V.Where.Function;
        V.Operation = I.mayWriteToMemory() ? "write" : "read";
        if (!Launched)
          undecided(V, "nothing in these files launches the kernel");
        else if (auto Found = First.IncompleteKernels.find(&Kernel); Found != First.IncompleteKernels.end())
          undecided(V, Found->second);
        Result.push_back(V);
      }
  }
}

std::vector<Verdicts> Judge::finish(const Executor &First, const Module *Device) {
  std::vector<Verdicts> Result;
  for (auto &[K, V] : Results) {
    if (auto Found = First.IncompleteKernels.find(K.Kernel); Found != First.IncompleteKernels.end())
      undecided(V, Found->second);
    Result.push_back(V);
  }
  if (Device)
    addOthers(Result, First, *Device);
  if (!First.Incomplete.empty())
    for (Verdicts &V : Result)
      if (V.Result < Finding::Undecided)
        undecided(V, First.Incomplete);
  llvm::sort(Result, [](const Verdicts &A, const Verdicts &B) {
    return std::tie(A.Where.File, A.Where.Line, A.Where.Column, A.Kernel) <
           std::tie(B.Where.File, B.Where.Line, B.Where.Column, B.Kernel);
  });
  return Result;
}

} // namespace gasan::scan
