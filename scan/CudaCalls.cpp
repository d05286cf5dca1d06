/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Functions of the CUDA runtime. All calls are taken to succeed: a program that goes on after a failed call is not the
// matter here, and `kMostBytes` excludes sizes with which an allocation fails on each device.
#include "scan/Executor.h"

#include "llvm/ADT/StringSet.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace gasan::scan {

static constexpr uint64_t kMostBytes = 1ull << 40;

Object *Executor::allocate(const CallBase &Call, Space Where, const Node *Bytes, const char *Api,
                           const std::string &Name) {
  Object *Root = Memory.create(Where, Name, Bytes);
  Root->Type = Where == Space::HostHeap ? "host heap" : "heap";
  Root->Api = Name.empty() && !Api ? nullptr : strdup(Api);
  Root->Site = &Call;
  for (const Place &P : stack(Call)) // not in a header of CUDA
    if (P.File.find("cuda_runtime.h") == std::string::npos) {
      Root->Allocated = P;
      break;
    }
  Contents &New = Now.change(Root);
  New.Exists = Path;
  Path = Nodes.both(Path, Nodes.ule(Bytes, Nodes.constant(64, kMostBytes)));
  return Root;
}

void Executor::release(const CallBase &Call, const Value &Pointer, const char *Api) {
  for (const Target &T : Pointer.Targets) {
    const Contents *Known = Now.find(T.Root);
    if (!Known || T.Root->Where == Space::Unknown || T.Root->Where == Space::Null)
      continue;
    Check New;
    New.Kind = Known->Freed ? Problem::DoubleFree : Problem::InvalidFree;
    New.Site = &Call;
    New.Stack = stack(Call);
    New.Api = Api;
    New.Root = T.Root;
    New.Offset = T.Offset;
    New.Bytes = Nodes.constant(64, 0);
    New.Path = Nodes.both(Path, T.Guard);
    New.Freed = Known->Freed;
    New.FreedAt = Known->FreedAt;
    if (Known->Freed || !T.Offset->isConst(0))
      record(New);
    Contents &Mine = Now.change(T.Root);
    const Node *Here = Nodes.both(Path, T.Guard);
    Mine.Freed = Mine.Freed ? Nodes.either(Mine.Freed, Here) : Here;
    for (const Place &P : New.Stack)
      if (P.File.find("cuda_runtime.h") == std::string::npos) {
        Mine.FreedAt = P;
        break;
      }
  }
}

bool Executor::callCudaAllocator(const CallBase &Call, StringRef Name, Value &Result) {
  struct Allocator {
    const char *Name;
    unsigned Bytes;
    Space Where;
  };
  static const Allocator Allocators[] = {{"cudaMalloc", 1, Space::Global},
                                         {"cudaMallocManaged", 1, Space::Managed},
                                         {"cudaMallocAsync", 1, Space::Global},
                                         {"cudaMallocAsync_ptsz", 1, Space::Global},
                                         {"cudaMallocHost", 1, Space::Managed},
                                         {"cudaHostAlloc", 1, Space::Managed},
                                         {"cudaMallocFromPoolAsync", 1, Space::Global}};
  for (const Allocator &A : Allocators)
    if (Name == A.Name) {
      const Value Out = argument(Call, 0);
      std::string Variable = nameOfTarget(Out, Call.getArgOperand(0));
      for (const Frame *F = Top; Variable.empty() && F && F->Site; F = F->Caller)
        if (F->Site->arg_size())
          Variable = userName(*F->Site->getArgOperand(0));
      Object *Root = allocate(Call, A.Where, argumentNumber(Call, A.Bytes, 64), A.Name, Variable);
      Root->Escaped |= !isValidAllocation(Call, Name);
      for (const Target &T : Out.Targets)
        Memory.store(Now, T, Memory.pointer(Root), 8, Path);
      return true;
    }
  if (Name == "cudaMallocPitch") {
    const Value Out = argument(Call, 0);
    const Node *Width = argumentNumber(Call, 2, 64), *Height = argumentNumber(Call, 3, 64);
    Variable *Pitch = Nodes.createVariable(VariableKind::Unknown, 64, "pitch", "the pitch of cudaMallocPitch");
    Pitch->High = kMostBytes;
    Pitch->Facts.push_back(Nodes.ule(Width, Pitch->Use));
    Pitch->Facts.push_back(Nodes.eq(Nodes.make(Op::And, Pitch->Use, Nodes.constant(64, 511)), Nodes.constant(64, 0)));
    Path = Nodes.both(Path, Nodes.ule(Height, Nodes.constant(64, 1 << 20)));
    Object *Root = allocate(Call, Space::Global, Nodes.mul(Pitch->Use, Height), "cudaMallocPitch",
                            nameOfTarget(Out, Call.getArgOperand(0)));
    for (const Target &T : Out.Targets)
      Memory.store(Now, T, Memory.pointer(Root), 8, Path);
    for (const Target &T : argument(Call, 1).Targets)
      Memory.store(Now, T, Value::integer(Pitch->Use), 8, Path);
    return true;
  }
  if (Name == "cudaFree" || Name == "cudaFreeHost" || Name == "cudaFreeAsync") {
    release(Call, argument(Call, 0),
            Name == "cudaFree"       ? "cudaFree"
            : Name == "cudaFreeHost" ? "cudaFreeHost"
                                     : "cudaFreeAsync");
    return true;
  }
  return false;
}

bool Executor::callCudaCopy(const CallBase &Call, StringRef Name, Value &Result) {
  const std::string Api = Name.str();
  const SaveAndRestore<bool> Writes(Memory.WritesDevice, true);
  if (Name == "cudaMemcpy" || Name == "cudaMemcpyAsync") {
    const Value To = argument(Call, 0), From = argument(Call, 1);
    const Node *Bytes = argumentNumber(Call, 2, 64);
    if (!Bytes->isConst(0)) {
      check(Call, From, Bytes, "read", Problem::CopySource, Api.c_str());
      check(Call, To, Bytes, "write", Problem::CopyTarget, Api.c_str());
    }
    copy(To, From, Bytes);
    return true;
  }
  if (Name == "cudaMemset" || Name == "cudaMemsetAsync") {
    const Value To = argument(Call, 0);
    const Node *Bytes = argumentNumber(Call, 2, 64);
    check(Call, To, Bytes, "write", Problem::CopyTarget, Api.c_str());
    for (const Target &T : To.Targets)
      Memory.clear(Now, T, Bytes, argumentNumber(Call, 1, 32)->isConst(0));
    return true;
  }
  if (Name.starts_with("cudaMemcpyToSymbol")) {
    for (const Target &From : argument(Call, 1).Targets)
      if (const Contents *Source = Now.find(From.Root))
        Memory.markEscaped(*Source);
    for (const Target &T : argument(Call, 0).Targets) // the host's variable stands for the device's
      if (T.Root->Source && Device)
        if (GlobalVariable *OnDevice = Device->getNamedGlobal(T.Root->Source->getName()))
          Memory.blur(Now, objectOf(OnDevice), "the contents of '" + T.Root->Name + "'");
    return true;
  }
  if (Name.starts_with("cudaMemcpy")) { // of rows, of peers, from symbols
    for (unsigned I = 0; I < Call.arg_size(); I++)
      if (Call.getArgOperand(I)->getType()->isPointerTy())
        for (const Target &T : argument(Call, I).Targets)
          if (T.Root->Where != Space::Function)
            Memory.blur(Now, T.Root, "memory that " + Api + " copies");
    return true;
  }
  return false;
}

bool Executor::callCuda(const CallBase &Call, StringRef Name, Value &Result) {
  if (!Name.starts_with("cuda") && !Name.starts_with("__cuda"))
    return false;
  if (Call.getCalledFunction() && !Call.getCalledFunction()->isDeclaration())
    return false; // a template of CUDA's headers
  if (Call.getType()->isIntegerTy())
    Result = Value::integer(Nodes.constant(Call.getType()->getIntegerBitWidth(), 0)); // cudaSuccess
  if (callCudaAllocator(Call, Name, Result) || callCudaCopy(Call, Name, Result) || callCudaHandle(Call, Name))
    return true;
  static const StringSet<> ReadOnly = {"cudaEventRecord",      "cudaStreamSynchronize", "cudaDeviceSynchronize",
                                       "cudaEventSynchronize", "cudaEventDestroy",      "cudaStreamDestroy",
                                       "cudaGetLastError",     "cudaPeekAtLastError",   "cudaFuncSetAttribute",
                                       "cudaMemPrefetchAsync", "cudaMemAdvise",         "cudaSetDevice"};
  if (!ReadOnly.contains(Name)) {
    const Value Kept = Result;
    Result = callUnknown(Call, Name.str());
    if (Kept.Form != Value::Nothing)
      Result = Kept;
  }
  if (Result.Form == Value::Nothing && !Call.getType()->isVoidTy())
    Result = any(Call, "the result of " + Name.str());
  return true;
}

} // namespace gasan::scan
