// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Implements the report's channel: the lock, plain text, colours, and the end of the process.
#include "gasan_rt/sanitizer/SanitizerInternal.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#include "sanitizer_common/sanitizer_allocator_internal.h"
#include "sanitizer_common/sanitizer_atomic.h"
#include "sanitizer_common/sanitizer_flags.h"
#include "sanitizer_common/sanitizer_libc.h"
#include "sanitizer_common/sanitizer_mutex.h"
#include "sanitizer_common/sanitizer_report_decorator.h"
#include "sanitizer_common/sanitizer_stacktrace_printer.h"

#include <stdarg.h>
#include <stdio.h>

using namespace gasan;

namespace {

// sanitizer_common's ScopedErrorReportLock ends the process when the same thread takes it twice.
Mutex ReportMutex;
atomic_uintptr_t ReportOwner;          // GetThreadSelf(): unlike thread ids, a fork does not change it
int ReportDepth;                       // guarded by ReportMutex
const gasan_report_observer *Observer; // guarded by ReportMutex
bool IsQuiet;                          // guarded by ReportMutex
char LastSummary[384];                 // guarded by ReportMutex
void (*ReportCallback)(const char *);  // guarded by ReportMutex
char *DeliveredText;                   // guarded by ReportMutex
uptr DeliveredLength, DeliveredSize;   // guarded by ReportMutex

/// ASan's colours for the parts of a report.
class Decorator : public SanitizerCommonDecorator {
public:
  const char *color(gasan_report_color Color) const {
    switch (Color) {
    case GASAN_COLOR_ERROR:
      return Error();
    case GASAN_COLOR_ACCESS:
      return Blue();
    case GASAN_COLOR_LOCATION:
      return Green();
    case GASAN_COLOR_ALLOCATION:
      return Magenta();
    case GASAN_COLOR_FRAME: // ASan prints frames without colour
    case GASAN_COLOR_DEFAULT:
      break;
    }
    return Default();
  }
};

} // namespace

void gasan_report_begin(void) {
  initialize();
  uptr Self = GetThreadSelf();
  if (atomic_load(&ReportOwner, memory_order_relaxed) != Self) {
    ReportMutex.Lock();
    atomic_store(&ReportOwner, Self, memory_order_relaxed);
  }
  ++ReportDepth;
}

void gasan_report_end(void) {
  CHECK_EQ(atomic_load(&ReportOwner, memory_order_relaxed), GetThreadSelf());
  if (--ReportDepth == 0) {
    atomic_store(&ReportOwner, 0, memory_order_relaxed);
    ReportMutex.Unlock();
  }
}

void gasan_report_observe(const struct gasan_report_observer *observer, bool is_quiet) {
  Observer = observer;
  IsQuiet = is_quiet;
}

/// Keeps the text of the current report for the callback, without the escape sequences of colours.
static void keepText(const char *Text) {
  constexpr uptr MostText = 1 << 20;
  while (*Text && DeliveredLength < MostText) {
    if (*Text == '\033') {
      while (*Text && *Text != 'm')
        ++Text;
      Text += *Text == 'm';
      continue;
    }
    if (DeliveredLength + 1 >= DeliveredSize) {
      DeliveredSize = DeliveredSize ? 2 * DeliveredSize : 4096;
      DeliveredText = static_cast<char *>(InternalRealloc(DeliveredText, DeliveredSize));
    }
    DeliveredText[DeliveredLength++] = *Text++;
    DeliveredText[DeliveredLength] = 0;
  }
}

void gasan_set_report_callback(void (*callback)(const char *report)) {
  gasan_report_begin();
  ReportCallback = callback;
  gasan_report_end();
}

void gasan_report_deliver(void) {
  if (ReportCallback && DeliveredLength)
    ReportCallback(DeliveredText);
  DeliveredLength = 0;
}

void gasan::writeReport(const char *Text) {
  const bool IsReport = atomic_load(&ReportOwner, memory_order_relaxed) == GetThreadSelf();
  if (IsReport && ReportCallback)
    keepText(Text);
  if (IsReport && Observer)
    Observer->text(Text);
  if (!IsReport || !IsQuiet)
    RawWrite(Text);
}

static gasan_printed_frame printedFrame(const AddressInfo &Info) {
  const char *Prefix = common_flags()->strip_path_prefix;
  return {Info.function,     Info.file ? StripPathPrefix(Info.file, Prefix) : nullptr,
          Info.module,       Info.line,
          Info.column,       Info.address,
          Info.module_offset};
}

void gasan::observeFrame(const AddressInfo &Info) {
  if (!Observer)
    return;
  const gasan_printed_frame Frame = printedFrame(Info);
  Observer->frame(&Frame);
}

/// Keeps the place for gasan_report_last_summary.
static void keepSummary(const AddressInfo *Info) {
  if (!Info) {
    internal_strlcpy(LastSummary, "at an unknown place", sizeof LastSummary);
    return;
  }
  const gasan_printed_frame Frame = printedFrame(*Info);
  const char *Function = Info->function ? Info->function : "an unknown function";
  if (!Frame.file)
    internal_snprintf(LastSummary, sizeof LastSummary, "in %s", Function);
  else if (Frame.column > 0)
    internal_snprintf(LastSummary, sizeof LastSummary, "%s:%d:%d in %s", Frame.file, Frame.line, Frame.column,
                      Function);
  else
    internal_snprintf(LastSummary, sizeof LastSummary, "%s:%d in %s", Frame.file, Frame.line, Function);
}

const char *gasan_report_last_summary(void) {
  return LastSummary;
}

void gasan::writeSummary(const char *Kind, const AddressInfo *Info) {
  keepSummary(Info);
  if (ReportCallback) {
    const char *Pieces[] = {"SUMMARY: AddressSanitizer: ", Kind, Info ? " " : "", Info ? LastSummary : "", "\n"};
    for (const char *Piece : Pieces)
      keepText(Piece);
  }
  if (Observer && Info) {
    const gasan_printed_frame Frame = printedFrame(*Info);
    Observer->summary(&Frame);
  }
  if (IsQuiet)
    return;
  if (Info)
    ReportErrorSummary(Kind, *Info);
  else
    ReportErrorSummary(Kind);
}

gasan::ReportLock::ReportLock() {
  gasan_report_begin();
}

gasan::ReportLock::~ReportLock() {
  gasan_report_end();
}

// The C library formats: sanitizer_common's printf supports only a part of the format attribute's conversions.
void gasan_printf(const char *format, ...) {
  initialize();
  char Short[512];
  va_list Arguments;
  va_start(Arguments, format);
  int Length = vsnprintf(Short, sizeof Short, format, Arguments);
  va_end(Arguments);
  if (Length < static_cast<int>(sizeof Short)) {
    writeReport(Length < 0 ? format : Short);
    return;
  }
  char *Long = static_cast<char *>(InternalAlloc(Length + 1));
  va_start(Arguments, format);
  vsnprintf(Long, Length + 1, format, Arguments);
  va_end(Arguments);
  writeReport(Long);
  InternalFree(Long);
}

const char *gasan_color(enum gasan_report_color color) {
  initialize();
  return Decorator().color(color);
}

void gasan_on_death(void (*callback)(void)) {
  SetUserDieCallback(callback);
}

void gasan_exit(void) {
  initialize();
  fflush(nullptr);
  Die();
}

void gasan_fail(void) {
  initialize();
  refuseExitcodeZero();
  IsQuiet = false;
  gasan_die();
}

void gasan_die(void) {
  initialize();
  if (!IsQuiet)
    Report("ABORTING\n");
  Die();
}
