/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "scan/Executor.h"
#include "scan/Analyses.h"
#include "scan/Fields.h"
#include "scan/Paths.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfo.h"

using namespace llvm;

namespace gasan::scan {

static constexpr unsigned kMaxDepth = 64;

Executor::Executor(Expressions &Nodes, Module &Host, Module *Device, Options Settings)
    : Nodes(Nodes), Memory(Nodes), Host(Host), Device(Device), Settings(std::move(Settings)) {}

Executor::~Executor() = default;

Place placeOf(const Instruction &I) {
  Place Result;
  const DebugLoc &Loc = I.getDebugLoc();
  if (!Loc)
    return Result;
  Result.Line = Loc.getLine();
  Result.Column = Loc.getCol();
  if (const DISubprogram *Function = cast<DILocalScope>(Loc.getScope())->getSubprogram())
    Result.Function = Function->getName().str();
  const DIFile *File = cast<DIScope>(Loc.getScope())->getFile();
  Result.File = File->getFilename().str();
  return Result;
}

// Returns the name of a variable that has the value, perhaps after a conversion; empty: there is none.
std::string userName(const llvm::Value &V) {
  const llvm::Value *Work = &V;
  for (int Depth = 0; Depth < 3; Depth++) {
    SmallVector<DbgVariableRecord *, 4> Records;
    findDbgValues(const_cast<llvm::Value *>(Work), Records);
    for (const DbgVariableRecord *Record : Records)
      if (Record->getVariable() && !Record->getVariable()->getName().empty())
        return Record->getVariable()->getName().str();
    if (auto *Memory = dyn_cast<AllocaInst>(Work)) {
      for (const DbgVariableRecord *Record : findDVRDeclares(const_cast<AllocaInst *>(Memory)))
        return Record->getVariable()->getName().str();
      return "";
    }
    const llvm::Value *Next = nullptr;
    for (const User *U : Work->users())
      if (isa<CastInst>(U) || isa<PHINode>(U) || isa<SelectInst>(U))
        Next = U;
    if (!Next)
      return "";
    Work = Next;
  }
  return "";
}

bool isSystemFile(StringRef File) {
  return File.starts_with("/usr/") || File.contains("/lib/clang/") || File.contains("/include/c++/") ||
         File.starts_with(GASAN_CUDA_PATH);
}

Executor::Analyses &Executor::analysesOf(Function &Code) {
  std::unique_ptr<Analyses> &Slot = Known[&Code];
  if (!Slot)
    Slot = std::make_unique<Analyses>(Code);
  return *Slot;
}

const Effects &Executor::effectsOf(Function &Code) {
  return analysesOf(Code).Limit;
}

void Executor::giveUp(const std::string &Reason) {
  if (Current && !Late)
    IncompleteKernels.try_emplace(Current->Kernel, Reason);
  else if (Incomplete.empty())
    Incomplete = Reason;
}

Variable *Executor::variableFor(const void *Key, unsigned Index, VariableKind Kind, unsigned Width,
                                const std::string &Name, const std::string &Reason) {
  Variable *&Slot = Memoised[{Key, Index, Context}];
  if (!Slot)
    Slot = Nodes.createVariable(Kind, Width, Name, Reason);
  Slot->Repeats |= Kind == VariableKind::Input && LoopDepth;
  Touched.push_back(Slot);
  return Slot;
}

// Removes from A the conditions that B has, too. Where A or B holds and both cannot, the rest of A decides.
const Node *Executor::relative(const Node *A, const Node *B) {
  const std::vector<const Node *> Others = splitConditions(B);
  const std::set<const Node *> Common(Others.begin(), Others.end());
  const Node *Result = Nodes.boolean(true);
  for (const Node *Part : splitConditions(A))
    if (!Common.count(Part))
      Result = Nodes.both(Result, Part);
  return Result;
}

// Ends the program, or in a kernel the thread, whose stores stay.
void Executor::endProgram() {
  if (Current && !Path->isFalse())
    Ends.push_back(Now);
  Path = Nodes.boolean(false);
}

// Joins the ways that lead to a block. Returns false if there is none.
bool Executor::enter(const BasicBlock &Block, std::vector<Edge> Edges) {
  if (Edges.empty())
    return false;
  Path = Edges[0].Path;
  Now = std::move(Edges[0].Memory);
  std::vector<Value> Phis = std::move(Edges[0].Phis);
  PathJoin Paths(Nodes);
  Paths.add(Path);
  for (size_t I = 1; I < Edges.size(); I++) {
    const Node *Condition = relative(Edges[I].Path, Path);
    Now = Memory.join(Condition, Edges[I].Memory, Now);
    for (size_t J = 0; J < Phis.size(); J++)
      Phis[J] = Memory.choose(Condition, Edges[I].Phis[J], Phis[J]);
    Paths.add(Edges[I].Path);
    Path = Paths.condition();
  }
  size_t J = 0;
  for (const PHINode &Phi : Block.phis())
    Top->Values[&Phi] = Phis[J++];
  return true;
}

void Executor::go(const BasicBlock &From, const BasicBlock &To, const Node *Condition) {
  const Node *Way = Nodes.both(Path, Condition);
  if (Way->isFalse())
    return;
  Edge New = {&From, Way, Now, {}};
  for (const PHINode &Phi : To.phis())
    New.Phis.push_back(valueOf(Phi.getIncomingValueForBlock(&From)));
  Top->Pending[&To].push_back(std::move(New));
}

void Executor::terminate(const Instruction &Last) {
  const BasicBlock &Block = *Last.getParent();
  if (auto *Branch = dyn_cast<BranchInst>(&Last)) {
    if (Branch->isUnconditional())
      return go(Block, *Branch->getSuccessor(0), Nodes.boolean(true));
    const Node *Condition = number(Branch->getCondition(), 1, false);
    if (Branch->getSuccessor(0) == Branch->getSuccessor(1))
      return go(Block, *Branch->getSuccessor(0), Nodes.boolean(true));
    go(Block, *Branch->getSuccessor(0), Condition);
    return go(Block, *Branch->getSuccessor(1), Nodes.negate(Condition));
  }
  if (auto *Switch = dyn_cast<SwitchInst>(&Last)) {
    const Value V = valueOf(Switch->getCondition());
    const Node *Number = number(Switch->getCondition(), Switch->getCondition()->getType()->getIntegerBitWidth(), false);
    const Node *Other = Nodes.boolean(true);
    std::map<const BasicBlock *, const Node *> Ways; // one way to a block, whatever the number of its cases
    for (const auto &Case : Switch->cases()) {
      const Node *Is = Nodes.eq(Number, Nodes.constant(Number->Width, Case.getCaseValue()->getZExtValue()));
      const Node *&Way = Ways[Case.getCaseSuccessor()];
      Way = Way ? Nodes.either(Way, Is) : Is;
      Other = Nodes.both(Other, Nodes.negate(Is));
    }
    const Node *&Default = Ways[Switch->getDefaultDest()];
    Default = Default ? Nodes.either(Default, Other) : Other;
    for (auto [To, Condition] : Ways)
      go(Block, *To, Condition);
    return;
  }
  if (auto *End = dyn_cast<ReturnInst>(&Last)) {
    Top->Returns.push_back({Path, Now, End->getReturnValue() ? valueOf(End->getReturnValue()) : Value()});
    return;
  }
  if (auto *Invoke = dyn_cast<InvokeInst>(&Last))
    return go(Block, *Invoke->getNormalDest(), Nodes.boolean(true)); // exceptions end the program
  if (isa<UnreachableInst>(Last))
    return endProgram();
  if (!isa<ResumeInst>(Last))
    giveUp("a branch that the analysis does not know");
}

bool Executor::isLate() {
  Late = Late || cpuTime() > Until;
  return Late;
}

void Executor::execute(const BasicBlock &Block) {
  for (const Instruction &I : Block) {
    if (Path->isFalse())
      return;
    if (isa<PHINode>(I))
      continue;
    if (Late || ++Steps > Settings.Budget || (Steps % 16 == 0 && isLate())) {
      Late = true;
      giveUp("the program is too long for the analysis");
      Path = Nodes.boolean(false);
      return;
    }
    if (I.isTerminator() && !isa<InvokeInst>(I))
      return terminate(I);
    execute(I);
    if (isa<InvokeInst>(I) && !Path->isFalse())
      return terminate(I);
  }
}

// Runs the blocks of a loop, or of the function, whose incoming ways are pending; inner loops as a whole.
void Executor::runBlocks(const Loop *L) {
  Frame *Mine = Top;
  for (const BasicBlock *Block : Mine->Facts->Order) {
    if (L && (!L->contains(Block) || Block == L->getHeader()))
      continue;
    const Loop *Inner = Mine->Facts->Loops.getLoopFor(Block);
    if (Inner != L) {
      if (Inner && Inner->getParentLoop() == L && Inner->getHeader() == Block)
        runLoop(*Inner);
      continue;
    }
    auto Found = Mine->Pending.find(Block);
    if (Found == Mine->Pending.end())
      continue;
    std::vector<Edge> Edges = std::move(Found->second);
    Mine->Pending.erase(Found);
    if (enter(*Block, std::move(Edges)))
      execute(*Block);
  }
}

Value Executor::call(Function &Code, std::vector<Value> Given, const CallBase *Site) {
  if (Top && Top->Depth > kMaxDepth) {
    giveUp("'" + Code.getName().str() + "' calls itself");
    Path = Nodes.boolean(false);
    return Value();
  }
  Frame New;
  New.Code = &Code;
  New.Facts = &analysesOf(Code);
  New.Caller = Top;
  New.Site = Site;
  New.Depth = Top ? Top->Depth + 1 : 0;
  for (size_t I = 0; I < Given.size() && I < Code.arg_size(); I++)
    New.Values[Code.getArg(I)] = Given[I];
  if (New.Facts->Irreducible)
    giveUp("a loop with two entries in '" + Code.getName().str() + "'");
  const uint64_t Before = Context;
  Context = hash_combine(Context, Site, &Code);
  Top = &New;
  execute(Code.getEntryBlock());
  runBlocks(nullptr);
  Top = New.Caller;
  Context = Before;
  if (New.Returns.empty()) {
    Path = Nodes.boolean(false);
    return Value();
  }
  Path = New.Returns[0].Path;
  Now = std::move(New.Returns[0].Memory);
  Value Result = New.Returns[0].Result;
  PathJoin Paths(Nodes);
  Paths.add(Path);
  for (size_t I = 1; I < New.Returns.size(); I++) {
    const Node *Condition = relative(New.Returns[I].Path, Path);
    Now = Memory.join(Condition, New.Returns[I].Memory, Now);
    Result = Memory.choose(Condition, New.Returns[I].Result, Result);
    Paths.add(New.Returns[I].Path);
    Path = Paths.condition();
  }
  return Result;
}

void Executor::runEntry(Function &Code, bool ArgumentsAreInput) {
  std::vector<Value> Given;
  for (Argument &A : Code.args()) {
    const std::string Name = userName(A).empty() ? ("argument " + std::to_string(A.getArgNo() + 1)) : userName(A);
    if (Code.getName() == "main" && A.getArgNo() == 0) {
      Variable *Count = Nodes.createVariable(VariableKind::Input, 32, Name);
      Count->Low = 1;
      Count->High = 1 << 16;
      ArgumentCount = Settings.NoArguments ? Nodes.constant(32, 1) : Count->Use;
      Given.push_back(Value::integer(ArgumentCount));
    } else if (Code.getName() == "main" && A.getArgNo() == 1) {
      Object *Arguments = Memory.create(Space::Text, Name, nullptr);
      Now.change(Arguments);
      Given.push_back(Memory.pointer(Arguments));
    } else if (A.getType()->isIntegerTy() && A.getType()->getIntegerBitWidth() <= 64 && ArgumentsAreInput) {
      Given.push_back(
          Value::integer(Nodes.createVariable(VariableKind::Input, A.getType()->getIntegerBitWidth(), Name)->Use));
    } else {
      Given.push_back(any(A, "'" + Name + "', an argument of '" + Code.getName().str() + "', which callers choose"));
    }
  }
  call(Code, std::move(Given), nullptr);
}

Function *Executor::entry() const {
  for (Function &Code : Host)
    if (!Settings.Entry.empty() && !Code.isDeclaration() && Code.getSubprogram() &&
        Code.getSubprogram()->getName() == Settings.Entry)
      return &Code;
  Function *Main = Host.getFunction(Settings.Entry.empty() ? "main" : Settings.Entry);
  return Main && !Main->isDeclaration() ? Main : nullptr;
}

void Executor::run(int64_t End) {
  Until = End;
  Path = Nodes.boolean(true);
  if (GlobalVariable *Constructors = Host.getNamedGlobal("llvm.global_ctors"))
    if (auto *List = dyn_cast_or_null<ConstantArray>(Constructors->getInitializer()))
      for (const Use &Entry : List->operands())
        if (auto *Code = dyn_cast<Function>(cast<Constant>(Entry)->getOperand(1)); Code && !Code->isDeclaration())
          runEntry(*Code, false);
  if (Function *Main = entry())
    return runEntry(*Main, !Settings.Entry.empty());
  const State Start = Now;
  for (Function &Code : Host) {
    if (Code.isDeclaration() || Code.hasLocalLinkage() || Code.hasLinkOnceLinkage() ||
        Code.hasAvailableExternallyLinkage() || Code.getName().contains("__device_stub__"))
      continue;
    Path = Nodes.boolean(true);
    Now = Start;
    runEntry(Code, false);
  }
}

} // namespace gasan::scan
