// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suppressions file, in ASan's format, and demangling of names that are matched or printed.
#include "gasan_rt/python/python.h"
#include "gasan_rt/sanitizer/SanitizerInternal.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#include "sanitizer_common/sanitizer_libc.h"
#include "sanitizer_common/sanitizer_placement_new.h"
#include "sanitizer_common/sanitizer_stackdepot.h"
#include "sanitizer_common/sanitizer_stacktrace.h"
#include "sanitizer_common/sanitizer_suppressions.h"

#include <dlfcn.h>
#include <stdlib.h>

using namespace gasan;

// Weak, because a C program has no C++ runtime library.
extern "C" SANITIZER_WEAK_ATTRIBUTE char *__cxa_demangle(const char *Mangled, char *Buffer, size_t *Length,
                                                         int *Status);

static const char *SuppressionTypes[] = {"kernel", "fun", "alloc", "leak"};
alignas(64) static char ContextMemory[sizeof(SuppressionContext)];
static SuppressionContext *Context;

void gasan::initializeSuppressions(const char *Path) {
  Context = new (ContextMemory) SuppressionContext(SuppressionTypes, ARRAY_SIZE(SuppressionTypes));
  Context->ParseFromFile(Path);
}

static bool matches(const char *Type, const char *Text) {
  Suppression *Found = nullptr;
  if (!Context->Match(Text, Type, &Found))
    return false;
  atomic_fetch_add(&Found->hit_count, 1, memory_order_relaxed);
  return true;
}

bool gasan_suppressed(const char *type, const char *text) {
  initialize();
  return text && matches(type, text);
}

bool gasan_stack_suppressed(const char *type, uint32_t stack) {
  initialize();
  if (!Context->HasSuppressionType(type))
    return false;
  ReportLock Lock;
  StackTrace Stored = StackDepotGet(stack);
  Symbolizer *Source = freshSymbolizer();
  for (u32 I = StackFirstUserFrame; I < Stored.size; ++I) {
    if (leftOutFrames(Stored.trace[I]))
      continue;
    if (const gasan_python_frame *Python = gasan_python_find(Stored.trace[I])) {
      if (matches(type, Python->function))
        return true;
      continue;
    }
    uptr Pc = StackTrace::GetPreviousInstructionPc(Stored.trace[I]);
    SymbolizedStackHolder Frames(Source->SymbolizePC(Pc));
    for (const SymbolizedStack *Frame = Frames.get(); Frame; Frame = Frame->next)
      if (Frame->info.function && matches(type, Frame->info.function))
        return true;
  }
  return false;
}

namespace {

using DemangleFunction = char *(*)(const char *, char *, size_t *, int *);

/// A C program has no demangler of its own; a Python program has one in a library whose names others do not see.
DemangleFunction findDemangler() {
  static const DemangleFunction Found = [] {
    if (&__cxa_demangle)
      return DemangleFunction(__cxa_demangle);
    void *Library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    return Library ? reinterpret_cast<DemangleFunction>(dlsym(Library, "__cxa_demangle")) : nullptr;
  }();
  return Found;
}

} // namespace

void gasan_demangle(const char *name, char *text, size_t size) {
  if (size == 0)
    return;
  DemangleFunction Demangle = internal_strncmp(name, "_Z", 2) == 0 ? findDemangler() : nullptr;
  // Frees the name, which sanitizer_common's demangler does not: the host's LeakSanitizer would report it.
  char *Demangled = Demangle ? Demangle(name, nullptr, nullptr, nullptr) : nullptr;
  internal_strlcpy(text, Demangled ? Demangled : name, size);
  free(Demangled);
}
