// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_rt/sanitizer/StackCache.h"

#include "gasan_rt/python/python.h"

#include "sanitizer_common/sanitizer_common.h"

#include <pthread.h>
#include <unwind.h>

namespace gasan {
namespace {

// A training step launches from a few hundred places. The memory of an entry that is not used is not touched.
constexpr u32 Sets = 128;
constexpr u32 SetEntries = 4;
constexpr u32 MostFrames = 96;

struct ReturnAddress {
  uptr Place;
  uptr Value;
};

struct Entry {
  StackKey Key;
  u32 Id;
  u32 Frames;
  ReturnAddress Addresses[MostFrames];
};

struct Set {
  u32 Next;
  Entry Stacks[SetEntries];
};

struct Cache {
  Set All[Sets];
};

THREADLOCAL Cache *Mine;
pthread_key_t CacheKey;
pthread_once_t KeyOnce = PTHREAD_ONCE_INIT;

void freeCache(void *Memory) {
  Mine = nullptr;
  UnmapOrDie(Memory, sizeof(Cache));
}

void makeKey() {
  pthread_key_create(&CacheKey, freeCache);
}

Cache *ensureCache() {
  if (!Mine) {
    pthread_once(&KeyOnce, makeKey);
    Mine = static_cast<Cache *>(MmapOrDie(sizeof(Cache), "launch stacks"));
    pthread_setspecific(CacheKey, Mine);
  }
  return Mine;
}

bool isSame(const StackKey &A, const StackKey &B) {
  return A.Pc == B.Pc && A.Frame == B.Frame && A.Api == B.Api && A.Python == B.Python;
}

Set &setOf(Cache &Of, const StackKey &Key) {
  u64 Hash = (Key.Pc ^ Key.Python) * 0x9e3779b97f4a7c15ull;
  Hash = (Hash ^ Key.Frame ^ reinterpret_cast<uptr>(Key.Api)) * 0x9e3779b97f4a7c15ull;
  return Of.All[(Hash >> 32) % Sets];
}

bool stillHolds(const Entry &Stack) {
  for (u32 I = 0; I < Stack.Frames; ++I)
    if (*reinterpret_cast<const uptr *>(Stack.Addresses[I].Place) != Stack.Addresses[I].Value)
      return false;
  return true;
}

struct Walk {
  Entry *Stack;
  uptr Bottom, Top;
  bool Whole;
};

// In a frame, the unwinder's canonical frame address is the callee's, and the return address into the frame is right
// below it.
_Unwind_Reason_Code visitFrame(_Unwind_Context *Context, void *Argument) {
  Walk &W = *static_cast<Walk *>(Argument);
  uptr Address = _Unwind_GetIP(Context), Place = _Unwind_GetCFA(Context) - sizeof(uptr);
  if (!Address)
    return _URC_NO_REASON; // the end of the stack
  if (Place < W.Stack->Key.Frame)
    return _URC_NO_REASON; // our own
  if (W.Stack->Key.Python && gasan_python_is_interpreter(Address - 1))
    return _URC_NORMAL_STOP; // the stack goes on with the Python frames, which the key has
  if (Place < W.Bottom || Place >= W.Top || W.Stack->Frames == MostFrames ||
      *reinterpret_cast<const uptr *>(Place) != Address) {
    W.Whole = false;
    return _URC_NORMAL_STOP;
  }
  W.Stack->Addresses[W.Stack->Frames++] = {Place, Address};
  return _URC_NO_REASON;
}

} // namespace

u32 findCachedStack(const StackKey &Key) {
  if (!Mine)
    return 0;
  for (const Entry &Stack : setOf(*Mine, Key).Stacks)
    if (Stack.Id && isSame(Stack.Key, Key))
      return stillHolds(Stack) ? Stack.Id : 0;
  return 0;
}

void cacheStack(const StackKey &Key, u32 Id, uptr Bottom, uptr Top) {
  Set &Found = setOf(*ensureCache(), Key);
  Entry *Stack = nullptr;
  for (Entry &Known : Found.Stacks)
    if (Known.Id && isSame(Known.Key, Key))
      Stack = &Known;
  if (!Stack)
    Stack = &Found.Stacks[Found.Next++ % SetEntries];
  Stack->Key = Key;
  Stack->Id = 0;
  Stack->Frames = 0;
  Walk W = {Stack, Bottom, Top, true};
  _Unwind_Backtrace(visitFrame, &W);
  if (W.Whole && Stack->Frames)
    Stack->Id = Id;
}

} // namespace gasan
