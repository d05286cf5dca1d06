/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "scan/Replay.h"

#include <ctime>

using namespace llvm;

namespace gasan::scan {

static constexpr unsigned kMostHunted = 48; // checks of a place that a hunt asks about

// In milliseconds of this process, so that other processes do not change verdicts.
static int64_t now() {
  return int64_t(clock()) * 1000 / CLOCKS_PER_SEC;
}

Judge::Judge(Expressions &Nodes, unsigned Milliseconds, unsigned Seconds)
    : Nodes(Nodes), Engine(Nodes, Milliseconds), Seconds(Seconds), Started(now()) {}

bool Judge::isLate() const {
  return now() - Started > int64_t(Seconds) * 1000;
}

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
  for (const Place &P : Stack) {
    const StringRef File = P.File;
    if (!File.contains("/lib/clang/") && !File.starts_with("/usr/") && !File.starts_with(GASAN_CUDA_PATH))
      return P;
  }
  return Stack.empty() ? Place() : Stack[0];
}

void Judge::describe(const Check &C, Verdicts &V, Problem Kind, const Answer &Case) {
  const Assignment &Values = Case.Values;
  Evaluator Numbers(Values, Case.Contents);
  V.Kind = Kind;
  V.Result = Finding::Possible;
  V.Stack = C.Stack;
  V.Allocated = C.Root->Allocated;
  V.Freed = C.FreedAt;
  V.Lost = C.Lost;
  V.Root = C.Root;
  V.Bytes = Numbers.evaluate(C.Bytes);
  Witness &W = V.Values;
  W.Offset = Numbers.evaluate(C.Offset);
  W.Size = C.Limit ? Numbers.evaluate(C.Limit) : 0;
  W.Below = int64_t(W.Offset) < 0;
  W.Steps = makeRecipe(C, Case.Values, Case.Contents);
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

void Judge::judgeFormula(const Check &C, Verdicts &V, const Node *Wrong, Problem Kind, bool OnlyPossible) {
  const Node *All = Nodes.both(C.Path, Wrong);
  if (All->isFalse())
    return;
  if (auto Found = Done.find(All); Found != Done.end())
    return weaken(V, Found->second);
  if (isLate())
    return undecided(V, "the time for the file is over");
  Parts Exact = Engine.collect({C.Path, Wrong}, /*Exact=*/true);
  const bool HadUnknown = Exact.HasUnknown;
  const std::string Reason = HadUnknown ? Exact.Reason : "the solver's limit";
  if (HadUnknown && OnlyPossible) // the first analysis needs its time for proofs
    Exact = Engine.collectCertain({C.Path, Wrong});
  if (OnlyPossible && Exact.HasUnknown)
    return;
  if (!Exact.HasUnknown)
    for (const Assignment &Values : Earlier)
      if (Engine.holds(Exact, Values) &&
          (!HadUnknown || Engine.holdsWithUnknown({C.Path, Wrong}, {{}, false, Values, {}})))
        return describe(C, V, Kind, {Verdict::Possible, false, Values, {}});
  const Parts Rough = Engine.collect({C.Path, Wrong}, /*Exact=*/false);
  // Most proofs are easy for integers. Then small inputs are fast, then harder proofs, then any input.
  Proof Whole = OnlyPossible ? Proof::None : Engine.proveByIntegers(Rough, /*OnlyEasy=*/true);
  for (bool OnlySmall : {true, false}) {
    if (!OnlySmall && !OnlyPossible && Whole == Proof::None)
      Whole = Engine.proveByIntegers(Rough, /*OnlyEasy=*/false);
    if (Whole != Proof::None || Exact.HasUnknown)
      continue;
    Answer Case = Engine.find(Exact, OnlySmall);
    if (Case.Result == Verdict::Possible && (!HadUnknown || Engine.holdsWithUnknown({C.Path, Wrong}, Case))) {
      Engine.dropConditions(Exact, Case.Values);
      Earlier.push_back(Case.Values);
      return describe(C, V, Kind, Case);
    }
  }
  if (OnlyPossible)
    return;
  Finding Result = Finding::Proven;
  if (Whole != Proof::Whole && Engine.proveByBits(Rough, /*SignedMayWrap=*/true) != Verdict::Impossible) {
    Result = Finding::ProvenWithoutWrap;
    if (Whole == Proof::None &&
        (Rough.SignedOperations.empty() || Engine.proveByBits(Rough, /*SignedMayWrap=*/false) != Verdict::Impossible))
      return undecided(V, Reason);
  }
  Done[All] = Result;
  weaken(V, Result);
}

// An access that stays in the dynamic shared memory must stay in its array of it, too.
void Judge::judgePartition(const Check &C, Verdicts &V, bool OnlyPossible) {
  const std::vector<Partition> &All = C.In->Partitions;
  const auto Mine = llvm::find_if(All, [&](const Partition &P) { return P.Begin == C.Part; });
  if (Mine == All.end() || Mine->Shared || All.size() < 2)
    return;
  const Node *Wrong = Nodes.ult(C.Offset, C.Part), *End = C.Limit;
  for (const Partition &P : All) {
    if (P.Begin == C.Part)
      continue;
    const Node *Later = Nodes.ult(C.Part, P.Begin);
    Wrong = Nodes.either(Wrong, Nodes.both(Later, Nodes.ult(P.Begin, Nodes.add(C.Offset, C.Bytes))));
    End = Nodes.ite(Nodes.both(Later, Nodes.ult(P.Begin, End)), P.Begin, End);
  }
  Check Inside = C;
  Inside.Path =
      Nodes.both(C.Path, Nodes.both(Nodes.ule(C.Bytes, C.Limit), Nodes.ule(C.Offset, Nodes.sub(C.Limit, C.Bytes))));
  Inside.Limit = Nodes.sub(End, C.Part);
  Inside.Offset = Nodes.sub(C.Offset, C.Part);
  judgeFormula(Inside, V, Wrong, Problem::Bounds, OnlyPossible);
  if (V.Result == Finding::Possible)
    V.Partition = Mine->Name;
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
    return;
  }
  if (C.Kind == Problem::Leak)
    return judgeFormula(C, V, C.Freed ? Nodes.negate(C.Freed) : Nodes.boolean(true), Problem::Leak, OnlyPossible);
  if (C.Kind == Problem::DoubleFree)
    return judgeFormula(C, V, C.Freed, Problem::DoubleFree, OnlyPossible);
  if (C.Kind == Problem::InvalidFree)
    return judgeFormula(C, V, Nodes.negate(Nodes.eq(C.Offset, Nodes.constant(64, 0))), Problem::InvalidFree,
                        OnlyPossible);
  const Node *Behind = Nodes.ult(Nodes.sub(C.Limit, C.Bytes), C.Offset);
  const Node *Wrong = Nodes.either(Nodes.ult(C.Limit, C.Bytes), Behind);
  judgeFormula(C, V, Wrong, C.Kind, OnlyPossible);
  if (C.Part && V.Result != Finding::Possible)
    judgePartition(C, V, OnlyPossible);
  if (C.Freed && V.Result != Finding::Possible)
    judgeFormula(C, V, C.Freed, Problem::UseAfterFree, OnlyPossible);
}

void Judge::add(const Executor &From, bool OnlyPossible) {
  for (bool Kernels : {true, false}) // the host's copies come last when the time is short
    for (const Check &C : From.Checks)
      if ((C.In != nullptr) == Kernels)
        judge(C, OnlyPossible);
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
