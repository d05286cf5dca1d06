// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Captures the calling thread's stack into the stack depot.
//
// In a Python program, the frames of the interpreter's C code make room for the Python frames that it runs. Frameworks
// have many frames of C code between the two; only the first and the last of them are kept, so that the user's lines
// are near the top.
#include "gasan_rt/python/python.h"
#include "gasan_rt/sanitizer/SanitizerInternal.h"
#include "gasan_rt/sanitizer/StackCache.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#include "sanitizer_common/sanitizer_atomic.h"
#include "sanitizer_common/sanitizer_flags.h"
#include "sanitizer_common/sanitizer_libc.h"
#include "sanitizer_common/sanitizer_stackdepot.h"
#include "sanitizer_common/sanitizer_stacktrace.h"

using namespace gasan;

namespace {

struct StackBounds {
  uptr Top;
  uptr Bottom;
};

/// Each thread reads its bounds once, because that takes 50 us.
const StackBounds &stackBounds() {
  static THREADLOCAL StackBounds Bounds;
  if (!Bounds.Top)
    GetThreadStackTopAndBottom(/*at_initialization=*/false, &Bounds.Top, &Bounds.Bottom);
  return Bounds;
}

bool endsBelowMain(const uptr *Trace, u32 Size) {
  return Size >= 2 && isSystemCode(Trace[Size - 2] - 1) && isExecutableCode(Trace[Size - 1] - 1);
}

/// Returns the number of frames without the frames that started main, the thread or a constructor. Those differ between
/// distributions.
u32 dropStartFrames(const uptr *Trace, u32 Size) {
  if (endsBelowMain(Trace, Size))
    --Size; // _start
  while (Size > 0 && isSystemCode(Trace[Size - 1] - 1))
    --Size;
  return Size;
}

/// The words of a stack while it is captured.
class Words {
public:
  Words(const char *Api, uptr ApiFrame) : Size(StackFirstUserFrame) {
    Trace[StackApiName] = reinterpret_cast<uptr>(Api);
    Trace[StackApiFrame] = ApiFrame;
  }

  void add(const uptr *Frames, u32 Count) {
    for (u32 I = 0; I < Count && Size < kStackTraceMax; ++I)
      Trace[Size++] = Frames[I];
  }

  /// Adds the frames of C code that lead from Python to the call, innermost first.
  void addBeforePython(const uptr *Frames, u32 Count) {
    if (Count <= 2 * KeptAtEachEnd)
      return add(Frames, Count);
    const uptr Between = makeLeftOut(Count - 2 * KeptAtEachEnd);
    add(Frames, KeptAtEachEnd);
    add(&Between, 1);
    add(Frames + Count - KeptAtEachEnd, KeptAtEachEnd);
  }

  u32 put() const { return StackDepotPut(StackTrace(Trace, Size)); }

private:
  static constexpr u32 KeptAtEachEnd = 4;
  uptr Trace[kStackTraceMax];
  u32 Size;
};

/// Returns how many of the frames come before the interpreter's.
u32 framesBeforeInterpreter(const uptr *Frames, u32 Count) {
  u32 Before = 0;
  while (Before < Count && !gasan_python_is_interpreter(Frames[Before] - 1))
    ++Before;
  return Before;
}

} // namespace

// sanitizer_common declares this for each runtime to define.
void BufferedStackTrace::UnwindImpl(uptr Pc, uptr Bp, void *Context, bool RequestFast, u32 MaxDepth) {
  if (!StackTrace::WillUseFastUnwind(RequestFast)) {
    UnwindSlow(Pc, MaxDepth);
    // Code without unwind tables stops the slow unwinder at once; then try frame pointers.
    if (size > 2 || size >= MaxDepth)
      return;
  }
  const StackBounds &Bounds = stackBounds();
  Unwind(MaxDepth, Pc, Bp, nullptr, Bounds.Top, Bounds.Bottom, true);
}

NOINLINE uint32_t gasan_stack_capture(const char *api) {
  initialize();
  GET_CALLER_PC_BP;
  u32 Depth = Min<u32>(common_flags()->malloc_context_size, MostContextFrames);
  u32 MostFrames = Depth ? Depth - 1 : 0; // without the API's
  const StackKey Key = {pc, bp, api, gasan_python_position(MostFrames)};
  if (u32 Known = findCachedStack(Key))
    return Known;
  BufferedStackTrace Full;
  Full.Unwind(pc, bp, nullptr, common_flags()->fast_unwind_on_malloc, Depth + ExtraFrames);
  if (Full.size == 0)
    return 0;

  // The API's frame is the outermost of our frames. If gasan is linked into the executable, our frames look like the
  // program's, so the API's frame is found as the caller's.
  u32 OwnFrames = 0;
  while (OwnFrames < Full.size && isOwnCode(Full.trace[OwnFrames] - 1))
    ++OwnFrames;
  u32 First = Max<u32>(OwnFrames, 1);
  u32 End = Full.size < Depth + ExtraFrames ? dropStartFrames(Full.trace, Full.size) : Full.size;

  Words Stored(api, Full.trace[First - 1]);
  const uptr *Frames = Full.trace + First;
  u32 Count = End > First ? End - First : 0;
  uptr Python[MostContextFrames];
  if (u32 PythonCount = Key.Python ? gasan_python_capture(Python, MostFrames) : 0) {
    Stored.addBeforePython(Frames, framesBeforeInterpreter(Frames, Count));
    Stored.add(Python, PythonCount);
  } else {
    Stored.add(Frames, Min(Count, MostFrames));
  }
  u32 Id = Stored.put();
  const StackBounds &Bounds = stackBounds();
  cacheStack(Key, Id, Bounds.Bottom, Bounds.Top);
  return Id;
}

size_t gasan_stack_frames(uint32_t stack, void **frames, size_t count) {
  initialize();
  StackTrace Stored = StackDepotGet(stack);
  size_t Copied = 0;
  for (u32 I = StackFirstUserFrame; I < Stored.size && Copied < count; ++I)
    if (!leftOutFrames(Stored.trace[I]) && !gasan_python_find(Stored.trace[I]))
      frames[Copied++] = reinterpret_cast<void *>(Stored.trace[I]);
  return Copied;
}

uint32_t gasan_thread_number(void) {
  static THREADLOCAL uint32_t Number;
  static THREADLOCAL bool Known;
  static atomic_uint32_t Last;
  if (!Known) {
    Known = true;
    bool IsMain = static_cast<uptr>(GetTid()) == static_cast<uptr>(internal_getpid());
    Number = IsMain ? 0 : atomic_fetch_add(&Last, 1, memory_order_relaxed) + 1;
  }
  return Number;
}
