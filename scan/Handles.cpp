/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Streams and memory pools. All calls of CUDA are taken to succeed, but a program that gives an allocation a destroyed
// stream expects that the allocation fails. So memory is a leak only if its allocation got valid handles and flags.
#include "scan/Executor.h"

using namespace llvm;

namespace gasan::scan {

static constexpr char kStream[] = "stream", kPool[] = "pool";
static constexpr uint64_t kMostSpecial = 2; // cudaStreamLegacy, cudaStreamPerThread

bool Executor::callCudaHandle(const CallBase &Call, StringRef Name) {
  const bool Stream = Name.starts_with("cudaStreamCreate");
  if (Stream || Name == "cudaMemPoolCreate" || Name == "cudaDeviceGetDefaultMemPool" ||
      Name == "cudaDeviceGetMemPool") {
    Object *Root = Memory.create(Space::Host, Stream ? kStream : kPool, nullptr);
    Now.change(Root);
    for (const Target &T : argument(Call, 0).Targets)
      Memory.store(Now, T, Memory.pointer(Root), 8, Path);
    return true;
  }
  if (Name == "cudaStreamDestroy" || Name == "cudaMemPoolDestroy") {
    for (const Target &T : argument(Call, 0).Targets)
      if (T.Root->Where == Space::Host && Now.find(T.Root))
        Now.change(T.Root).Freed = Nodes.boolean(true);
    return true;
  }
  if (Name == "cudaDeviceReset") // ends all memory and handles; what the program still holds is no leak
    for (unsigned Number = 0; Number < Memory.count(); Number++)
      if (Object *Root = Memory.byNumber(Number); Root->isDeviceHeap())
        Root->Escaped = true;
  return false;
}

// Returns true if the handle was created, and is not destroyed on any way so far.
bool Executor::isValidHandle(const Value &Handle, StringRef Kind) const {
  if (Handle.Form != Value::Pointer || Handle.Targets.empty())
    return false;
  return all_of(Handle.Targets, [&](const Target &T) {
    if (T.Root->Where == Space::Null)
      return Kind == kStream && T.Offset->isConst() && T.Offset->Value <= kMostSpecial;
    const Contents *Known = Now.find(T.Root);
    return T.Root->Where == Space::Host && T.Root->Name == Kind && !T.Root->Size && !T.Root->Escaped && Known &&
           !Known->Freed;
  });
}

// Returns true if CUDA allocates the memory, as far as its handles and flags decide that.
bool Executor::isValidAllocation(const CallBase &Call, StringRef Name) {
  const auto isFlag = [&](unsigned Index, uint64_t Least, uint64_t Most) {
    const Node *Flags = argumentNumber(Call, Index, 32);
    return Flags->isConst() && Flags->Value >= Least && Flags->Value <= Most;
  };
  if (Name.starts_with("cudaMallocAsync"))
    return isValidHandle(argument(Call, 2), kStream);
  if (Name == "cudaMallocFromPoolAsync")
    return isValidHandle(argument(Call, 2), kPool) && isValidHandle(argument(Call, 3), kStream);
  if (Name == "cudaMallocManaged") // cudaMemAttachGlobal, cudaMemAttachHost
    return isFlag(2, 1, 2);
  return Name != "cudaHostAlloc" || isFlag(2, 0, 7);
}

} // namespace gasan::scan
