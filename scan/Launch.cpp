/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Kernel launches: from the host's arguments to one thread that stands for all.
#include "scan/Executor.h"

#include "llvm/Demangle/Demangle.h"

using namespace llvm;

namespace gasan::scan {

static constexpr unsigned kExactRounds = 3, kMostRounds = 8;
static constexpr unsigned kFirstEnd = 200, kMostEnds = 16; // of threads that end early: variables, joined states
static constexpr uint64_t kMostShared = 232448; // dynamic and static bytes of a block, on each architecture so far

// clang names the host's stub of kernel `k` after the kernel: _Z16__device_stub__kPii for _Z1kPii.
Function *Executor::kernelOfStub(const Function &Stub) {
  if (!Device)
    return nullptr;
  const std::string Name = Stub.getName().str();
  const size_t Mark = Name.find("__device_stub__");
  if (Mark == std::string::npos)
    return nullptr;
  if (Function *Plain = Device->getFunction(Name.substr(0, Mark) + Name.substr(Mark + 15))) // extern "C"
    return Plain;
  // The length of the name stands before it, perhaps behind another digit: _ZN12_GLOBAL__N_116__device_stub__kEi.
  for (size_t Digits = Mark; Digits > 0 && isdigit(Name[Digits - 1]) && Mark - Digits < 4;) {
    Digits--;
    const unsigned long Length = std::stoul(Name.substr(Digits, Mark - Digits));
    if (Length > 15)
      if (Function *Kernel =
              Device->getFunction(Name.substr(0, Digits) + std::to_string(Length - 15) + Name.substr(Mark + 15)))
        return Kernel;
  }
  return nullptr;
}

bool Executor::callLaunch(const CallBase &Call, StringRef Name, Value &Result) {
  if (Name == "__cudaPushCallConfiguration") {
    NextShape.clear();
    for (unsigned I = 0; I < 5; I++)
      NextShape.push_back(argument(Call, I));
    Result = Value::integer(Nodes.constant(32, 0));
    return true;
  }
  if (Name == "__cudaPopCallConfiguration") { // grid, block: 12 bytes each; shared bytes; stream
    for (unsigned I : {0u, 1u, 2u}) {
      const Value Out = argument(Call, I);
      for (Target T : Out.Targets) {
        if (NextShape.size() != 5) {
          Memory.blur(Now, T.Root, "an unknown launch shape");
          continue;
        }
        Memory.store(Now, T, NextShape[I * 2], 8, Path);
        T.Offset = Nodes.add(T.Offset, Nodes.constant(64, 8));
        if (I < 2)
          Memory.store(Now, T, NextShape[I * 2 + 1], 4, Path);
      }
    }
    Result = Value::integer(Nodes.constant(32, 0));
    return true;
  }
  if (Name == "cudaLaunchKernel" || Name == "cudaLaunchCooperativeKernel") {
    const Value Code = argument(Call, 0), List = argument(Call, 5);
    Result = Value::integer(Nodes.constant(32, 0));
    Function *Kernel =
        Code.Targets.size() == 1 && Code.Targets[0].Root->Code ? kernelOfStub(*Code.Targets[0].Root->Code) : nullptr;
    if (!Kernel || Kernel->isDeclaration() || List.Targets.size() != 1) {
      giveUp("a launch through a pointer, or of a kernel without code here");
      return true;
    }
    NextShape.clear();
    for (unsigned I : {1, 2, 3, 4, 6})
      NextShape.push_back(argument(Call, I));
    std::vector<Value> Given;
    PointerType *Pointer = PointerType::get(Host.getContext(), 0);
    for (const Argument &A : Kernel->args()) {
      Target Entry = List.Targets[0];
      Entry.Offset = Nodes.add(Entry.Offset, Nodes.constant(64, 8 * A.getArgNo()));
      Value Place = Memory.load(Now, Entry, Pointer, Host.getDataLayout());
      if (!A.hasByValAttr())
        Place = load(Call, Place, A.getType());
      Given.push_back(Place);
    }
    launch(Call, *Kernel, Code.Targets[0].Root->Code->getName().str(), std::move(Given));
    return true;
  }
  return false;
}

// Returns the condition under which CUDA accepts the launch.
const Node *Executor::validShape(const Launch &L) {
  const uint64_t BlockLimits[3] = {1024, 1024, 64}, GridLimits[3] = {0x7fffffff, 65535, 65535};
  const Node *Result = Nodes.boolean(true), *Threads = Nodes.constant(32, 1);
  for (unsigned D = 0; D < 3; D++) {
    for (auto [Number, Limit] : {std::pair(L.Block[D], BlockLimits[D]), std::pair(L.Grid[D], GridLimits[D])}) {
      Result = Nodes.both(Result, Nodes.ult(Nodes.constant(32, 0), Number));
      Result = Nodes.both(Result, Nodes.ule(Number, Nodes.constant(32, Limit)));
    }
    Threads = Nodes.mul(Threads, L.Block[D]);
  }
  Result = Nodes.both(Result, Nodes.ule(Threads, Nodes.constant(32, 1024)));
  return Nodes.both(Result, Nodes.ule(L.SharedBytes, Nodes.constant(64, kMostShared)));
}

void Executor::launch(const CallBase &Call, Function &Kernel, const std::string &Stub, std::vector<Value> Given) {
  Launches.push_back({});
  Launch &L = Launches.back();
  L.Kernel = &Kernel;
  L.Number = Launches.size();
  L.Arguments = Given;
  L.Before = Now;
  L.Stub = Stub;
  const bool InStub = Top->Code->getName().contains("__device_stub__");
  const std::vector<Place> From = stack(Call);
  if (From.size() > size_t(InStub))
    L.At = From[InStub];
  auto part = [&](unsigned Index, unsigned Width) -> const Node * {
    const Value &V = NextShape[Index];
    return V.Form == Value::Integer
               ? Nodes.resize(V.Number, Width, false)
               : Nodes.createVariable(VariableKind::Unknown, Width, "shape", "an unknown launch shape")->Use;
  };
  for (unsigned I : {0u, 1u}) { // grid, block: x and y in one number, and z
    const Node **Out = I ? L.Block : L.Grid;
    const Node *XY = part(I * 2, 64);
    Out[0] = Nodes.trunc(XY, 32);
    Out[1] = Nodes.trunc(Nodes.make(Op::LShr, XY, Nodes.constant(64, 32)), 32);
    Out[2] = part(I * 2 + 1, 32);
  }
  L.SharedBytes = part(4, 64);
  NextShape.clear();
  const Node *Before = Path;
  Path = Nodes.both(Path, validShape(L));
  if (Path->isFalse()) {
    Path = Before; // CUDA refuses the launch, and the program goes on
    return;
  }
  const char *Letters[3] = {"x", "y", "z"};
  const uint64_t BlockLimits[3] = {1024, 1024, 64}, GridLimits[3] = {0x7fffffff, 65535, 65535};
  for (unsigned D = 0; D < 3; D++)
    for (bool Grid : {false, true}) {
      const Node *Count = Grid ? L.Grid[D] : L.Block[D];
      const Range R = Nodes.unsignedRange(Count);
      Variable *Index = variableFor(&Call, 100 + D * 2 + Grid, VariableKind::Thread, 32,
                                    std::string(Grid ? "blockIdx." : "threadIdx.") + Letters[D], "");
      Index->Facts.assign(1, Nodes.ult(Index->Use, Count));
      Index->High = uint64_t(std::min<__int128>(R.High, Grid ? GridLimits[D] : BlockLimits[D])) - 1;
      (Grid ? L.BlockIndex : L.Thread)[D] = Index->High ? Index->Use : Nodes.constant(32, 0);
    }
  Launched.insert(&Kernel);
  for (unsigned I = 0; I < Given.size() && I < Kernel.arg_size(); I++)
    if (Kernel.getArg(I)->hasByValAttr()) {
      Object *Copy = Memory.create(
          Space::Local, userName(*Kernel.getArg(I)),
          Nodes.constant(64, Host.getDataLayout().getTypeAllocSize(Kernel.getArg(I)->getParamByValType())));
      Now.change(Copy);
      const Value Mine = Memory.pointer(Copy);
      copy(Mine, Given[I], Copy->Size);
      Given[I] = Mine;
    }
  // The dynamic shared memory, and the static one, are new for each launch.
  for (GlobalVariable &Variable : Device->globals())
    if (Variable.getAddressSpace() == 3) {
      Object *Root = objectOf(&Variable);
      if (Root->Where == Space::DynamicShared)
        Root->Size = L.SharedBytes;
      Now.forget(Root);
      Now.change(Root);
    }
  Current = &L;
  Memory.WritesHost = false;
  Memory.WritesDevice = true;
  carveBase(Kernel);
  const Node *Valid = Path;
  const State After = afterOtherThreads(Call, Kernel, Given);
  Now = After;
  Path = Valid;
  call(Kernel, Given, &Call);
  Current = nullptr;
  Memory.WritesHost = true;
  Memory.WritesDevice = false;
  Now = After;
  Path = Before;
  if (IncompleteKernels.count(&Kernel)) // it may have written anything
    for (unsigned Number = 0; Number < Memory.count(); Number++) {
      Object *Root = Memory.byNumber(Number);
      if (Now.find(Root) && (Root->isDeviceHeap() || Root->Where == Space::DeviceVariable) &&
          !(Root->Source && Root->Source->isConstant()))
        Memory.blur(Now, Root, "memory that '" + Kernel.getName().str() + "' may write");
    }
}

// Adds the stores of threads that end before the kernel returns.
State Executor::joinEnds(const CallBase &Call, const State &Start, State Next) {
  unsigned Count = 0;
  for (const State &Stored : Ends) {
    bool Changed = false;
    State::compare(Stored, Start, [&](unsigned Number, const State::Slot &New, const State::Slot &) {
      Object *Root = Memory.byNumber(Number);
      if (Root->Where == Space::Local || !New)
        return;
      Changed = true;
      if (Count >= kMostEnds)
        Memory.blur(Next, Root, "memory that threads change before they end");
    });
    if (!Changed || Count >= kMostEnds)
      continue;
    // Some thread may have ended there, whatever this thread does.
    const Variable *Ended = variableFor(&Call, kFirstEnd + Count++, VariableKind::Unknown, 1, "a thread ended",
                                        "memory that threads change before they end");
    Next = Memory.join(Ended->Use, Stored, Next);
  }
  return Next;
}

// Returns memory as each thread may find it: other threads may have written before. The kernel is executed until
// another execution stores nothing new. What still changes then may have any value.
State Executor::afterOtherThreads(const CallBase &Call, Function &Kernel, const std::vector<Value> &Given) {
  const State Start = Now;
  const Node *Valid = Path;
  State After = Start;
  Quiet++;
  for (unsigned Round = 0;; Round++) {
    Now = After;
    Path = Valid;
    Ends.clear();
    call(Kernel, Given, &Call);
    const State Next = joinEnds(Call, After, Memory.join(Path, Now, After));
    bool Changed = false;
    State Wider = Next;
    State::compare(Next, After, [&](unsigned Number, const State::Slot &New, const State::Slot &Old) {
      Object *Root = Memory.byNumber(Number);
      const Contents *Before = Old ? Old.get() : Root->Initial.get();
      if (Root->Where == Space::Local || !Before || (New && *New == *Before)) { // Local: of one thread
        Wider.set(Number, Old);
        return;
      }
      Changed = true;
      if (Round >= kExactRounds)
        Memory.blur(Wider, Root, "memory that the kernel's threads change");
    });
    After = std::move(Wider);
    if (!Changed)
      break;
    if (Round == kMostRounds || Late) {
      giveUp("memory that threads change in too many ways");
      break;
    }
  }
  Quiet--;
  return After;
}

} // namespace gasan::scan
