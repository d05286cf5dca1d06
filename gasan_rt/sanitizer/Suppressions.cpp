// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suppressions file, in ASan's format, and demangling of names that are matched or printed.
#include "gasan_rt/python/python.h"
#include "gasan_rt/sanitizer/SanitizerInternal.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#include "sanitizer_common/sanitizer_file.h"
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

static const char *SuppressionTypes[] = {
    "kernel", "fun", "file", "alloc", "leak",
#define GASAN_KIND(id, name) name,
#include "gasan_rt/report/kinds.inc"
#undef GASAN_KIND
};
alignas(64) static char ContextMemory[sizeof(SuppressionContext)];
static SuppressionContext *Context;

static bool isType(const char *Text, uptr Length) {
  for (const char *Type : SuppressionTypes)
    if (internal_strlen(Type) == Length && internal_strncmp(Type, Text, Length) == 0)
      return true;
  return false;
}

static bool isBlank(const char *Begin, const char *End) {
  while (Begin < End && (*Begin == ' ' || *Begin == '\t' || *Begin == '\r'))
    ++Begin;
  return Begin == End;
}

static void refuseLine(const char *Path, int Number, const char *Missing) {
  Report("gasan: ERROR: suppressions=%s: line %d has %s; write TYPE:PATTERN with the type kernel, fun, file, alloc or "
         "leak, or with a kind of error, for example heap-buffer-overflow\n",
         Path, Number, Missing);
  refuseExitcodeZero();
  Die();
}

/// Ends the process with the number of the first wrong line. sanitizer_common's parser does not name the line.
static void checkLines(const char *Path, const char *Text) {
  for (int Number = 1; *Text; ++Number) {
    const char *End = internal_strchrnul(Text, '\n'), *Begin = Text;
    while (Begin < End && (*Begin == ' ' || *Begin == '\t'))
      ++Begin;
    const char *Colon = Begin;
    while (Colon < End && *Colon != ':')
      ++Colon;
    const bool IsEmpty = Begin == End || *Begin == '#' || *Begin == '\r';
    if (!IsEmpty && (Colon == End || !isType(Begin, uptr(Colon - Begin))))
      refuseLine(Path, Number, "no type of suppressions");
    // An empty pattern matches all names, so it would suppress each error.
    if (!IsEmpty && isBlank(Colon + 1, End))
      refuseLine(Path, Number, "no pattern");
    Text = *End ? End + 1 : End;
  }
}

void gasan::initializeSuppressions(const char *Path) {
  char *Text;
  uptr Mapped, Length;
  Context = new (ContextMemory) SuppressionContext(SuppressionTypes, ARRAY_SIZE(SuppressionTypes));
  if (*Path && ReadFileToBuffer(Path, &Text, &Mapped, &Length)) {
    checkLines(Path, Text);
    UnmapOrDie(Text, Mapped);
  }
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

/// Returns true if Matches is true for the function and the file of a frame of the stack.
template <typename Matcher>
static bool anyFrame(uint32_t Stack, Matcher Matches) {
  ReportLock Lock;
  StackTrace Stored = StackDepotGet(Stack);
  Symbolizer *Source = freshSymbolizer();
  for (u32 I = StackFirstUserFrame; I < Stored.size; ++I) {
    if (leftOutFrames(Stored.trace[I]))
      continue;
    if (const gasan_python_frame *Python = gasan_python_find(Stored.trace[I])) {
      if (Matches(Python->function, Python->file))
        return true;
      continue;
    }
    uptr Pc = StackTrace::GetPreviousInstructionPc(Stored.trace[I]);
    SymbolizedStackHolder Frames(Source->SymbolizePC(Pc));
    for (const SymbolizedStack *Frame = Frames.get(); Frame; Frame = Frame->next)
      if (Matches(Frame->info.function, Frame->info.file))
        return true;
  }
  return false;
}

bool gasan_stack_suppressed(const char *type, uint32_t stack) {
  initialize();
  return Context->HasSuppressionType(type) &&
         anyFrame(stack, [&](const char *Function, const char *) { return Function && matches(type, Function); });
}

bool gasan_frame_suppressed(const char *kind, const char *function, const char *file) {
  initialize();
  return (function && (matches("fun", function) || matches(kind, function))) ||
         (file && (matches("file", file) || matches(kind, file)));
}

bool gasan_error_suppressed(const char *kind, uint32_t stack) {
  initialize();
  if (!Context->HasSuppressionType("fun") && !Context->HasSuppressionType("file") && !Context->HasSuppressionType(kind))
    return false;
  return anyFrame(stack,
                  [&](const char *Function, const char *File) { return gasan_frame_suppressed(kind, Function, File); });
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
