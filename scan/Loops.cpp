/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Loops. The body is executed with variables for the values at the start of a round, as often as it takes until these
// values stand for every round (LoopStates.cpp). Then variables that move by equal steps become closed forms
// (LoopForms.cpp).
#include "scan/Loops.h"
#include "scan/Analyses.h"
#include "scan/Paths.h"

#include "llvm/ADT/Hashing.h"

using namespace llvm;

namespace gasan::scan {

static constexpr unsigned kMaxExplorations = 7, kMaxFreeRounds = 1024;
static constexpr uint64_t kUnrolledOnHost = 8, kUnrolledSteps = 30000;

// Executes one round, and returns the ways to the next one.
std::vector<Executor::Edge> Executor::runRound(const LoopPlan &Plan, const std::vector<Value> &Phis,
                                               const State &Start) {
  const BasicBlock &Header = *Plan.L.getHeader();
  Path = Plan.Before;
  Now = Start;
  size_t I = 0;
  for (const PHINode &Phi : Header.phis())
    Top->Values[&Phi] = Phis[I++];
  LoopDepth++;
  execute(Header);
  runBlocks(&Plan.L);
  LoopDepth--;
  std::vector<Edge> Result = std::move(Top->Pending[&Header]);
  Top->Pending.erase(&Header);
  return Result;
}

// Returns false if the loop goes on after so many rounds, although no input decides that.
bool Executor::unroll(const Loop &L, std::vector<Edge> Edges, unsigned Rounds) {
  const BasicBlock &Header = *L.getHeader();
  const uint64_t Outer = Context;
  unsigned Free = 0;
  bool Certain = false;
  for (unsigned Round = 0; Round < Rounds && !Edges.empty();) {
    if (!enter(Header, std::move(Edges)))
      break;
    const Node *Start = Path;
    Context = hash_combine(Outer, &Header, Round + Free);
    execute(Header);
    runBlocks(&L);
    Edges = std::move(Top->Pending[&Header]);
    Top->Pending.erase(&Header);
    Certain = Edges.size() == 1 && isSameCondition(Edges[0].Path, Start);
    if (Certain && Free == kMaxFreeRounds)
      break;
    if (Certain)
      Free++; // the number of rounds does not depend on inputs so far
    else
      Round++;
  }
  Context = Outer;
  if (Settings.Hunt)
    return Edges.empty() || !Certain;
  if (!Edges.empty())
    giveUp("a loop with more rounds than expected");
  return true;
}

void Executor::blurChanges(LoopPlan &Plan, bool Written) {
  const State Assumed = Plan.Assumed;
  State::compare(Assumed, Now, [&](unsigned Number, const State::Slot &Mine, const State::Slot &Theirs) {
    Object *Root = Memory.byNumber(Number);
    const Contents *Before = Mine ? Mine.get() : Root->Initial.get();
    if (Before && Theirs && (Written || !(*Theirs == *Before)))
      Memory.blur(Plan.Assumed, Root, "memory that a loop changes");
  });
}

// Executes rounds until the assumed values stand for every round. Returns false if the loop ends before a second round.
bool Executor::explore(LoopPlan &Plan) {
  Frame *Mine = Top;
  const auto Pending = Mine->Pending;
  const size_t Returns = Mine->Returns.size();
  Quiet++;
  bool Stable = false;
  for (unsigned Round = 0; Round < kMaxExplorations && !Stable; Round++) {
    if (Round >= kMaxExplorations - 3) // first memory that the last round changed, then all that it wrote
      blurChanges(Plan, /*Written=*/Round > kMaxExplorations - 3);
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
  const std::vector<Edge> Again = Edges;
  if (Settings.Hunt) {
    const auto Pending = Mine->Pending;
    const size_t Returns = Mine->Returns.size();
    if (unroll(L, std::move(Edges), Settings.Rounds) || Late)
      return;
    Mine->Pending = Pending;
    Mine->Returns.resize(Returns);
    Edges = Again; // as in the first analysis: one round stands for all
  }
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
    unroll(L, std::move(Once), 2);
    return;
  }
  findSteps(Plan);
  findPrimary(Plan);
  if (std::optional<uint64_t> Rounds = roundsOf(Plan); Rounds &&
                                                       *Rounds <= (Current ? kUnrolledRounds : kUnrolledOnHost) &&
                                                       *Rounds * Plan.StepsOfRound <= kUnrolledSteps)
    unroll(L, Again, unsigned(*Rounds) + 1);
  else
    finish(Plan);
}

} // namespace gasan::scan
