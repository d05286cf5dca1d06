// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Initialises the library lazily. Nothing runs in a constructor, because with LD_PRELOAD the symbolizer's process would
// run it, too.
#include "gasan_rt/sanitizer/RuntimeOptions.h"
#include "gasan_rt/sanitizer/SanitizerInternal.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#include "sanitizer_common/sanitizer_atomic.h"
#include "sanitizer_common/sanitizer_file.h"
#include "sanitizer_common/sanitizer_flags.h"
#include "sanitizer_common/sanitizer_interface_internal.h"
#include "sanitizer_common/sanitizer_libc.h"
#include "sanitizer_common/sanitizer_stacktrace.h"

#include <stdlib.h>

using namespace gasan;

// A program may define this function.
extern "C" SANITIZER_WEAK_ATTRIBUTE SANITIZER_INTERFACE_ATTRIBUTE const char *__gasan_default_options(void);

namespace {

// sanitizer_common chooses the protocol by the tool's name, which must begin with "llvm-symbolizer".
const char SymbolizerName[] = "gasan/llvm-symbolizer-gasan";

void setDefaults() {
  SetCommonFlagsDefaults();
  CommonFlags Flags;
  Flags.CopyFrom(*common_flags());
  Flags.malloc_context_size = 30;
  Flags.exitcode = 1;
  // Most CUDA programs do not free their memory at the end.
  Flags.detect_leaks = false;
  // Host code mostly has no frame pointers, which the fast unwinder needs.
  Flags.fast_unwind_on_malloc = false;
  OverrideCommonFlags(Flags);
}

/// Chooses the symbolizer: that of the option, else of the environment variable, else the one installed beside this
/// library, else sanitizer_common searches PATH.
void chooseSymbolizer() {
  static char Installed[kMaxPathLength];
  CommonFlags Flags;
  Flags.CopyFrom(*common_flags());
  if (!Flags.external_symbolizer_path)
    Flags.external_symbolizer_path = getenv("GASAN_SYMBOLIZER_PATH");
  if (!Flags.external_symbolizer_path) {
    internal_snprintf(Installed, sizeof Installed, "%s/%s", ownDirectory(), SymbolizerName);
    if (FileExists(Installed))
      Flags.external_symbolizer_path = Installed;
  }
  OverrideCommonFlags(Flags);
}

void readOptions() {
  // Messages about options name gasan; reports name AddressSanitizer.
  SanitizerToolName = "gasan";
  setDefaults();
  // The C library's getenv, unlike sanitizer_common's, sees variables that the program has set before its first CUDA
  // call.
  if (&__gasan_default_options)
    parseOptions(__gasan_default_options(), "__gasan_default_options()");
  parseOptions(getenv("GASAN_OPTIONS"), "GASAN_OPTIONS");
  chooseSymbolizer();
  InitializeCommonFlags();
  if (common_flags()->help)
    printOptions();
}

void printOwnStack() {
  BufferedStackTrace Stack;
  Stack.Unwind(StackTrace::GetCurrentPc(), GET_CURRENT_FRAME(), nullptr, false);
  Stack.Print();
}

} // namespace

void gasan::initialize() {
  static atomic_uint8_t Done;
  static Mutex Lock;
  if (LIKELY(atomic_load(&Done, memory_order_acquire)))
    return;
  __sanitizer::Lock Holder(&Lock);
  if (atomic_load(&Done, memory_order_relaxed))
    return;
  CacheBinaryName();
  initializeModules();
  readOptions();
  __sanitizer_set_report_path(common_flags()->log_path);
  initializeSuppressions(Options.suppressions);
  SanitizerToolName = "AddressSanitizer";
  SetCheckUnwindCallback(printOwnStack);
  Symbolizer::LateInitialize();
  initializeFork();
  atomic_store(&Done, 1, memory_order_release);
}

const struct gasan_options *gasan_options(void) {
  initialize();
  return &Options;
}

bool gasan_on_error_continues(void) {
  initialize();
  return !Options.halt_on_error && internal_strcmp(Options.on_error, "continue") == 0;
}

int gasan_verbosity(void) {
  initialize();
  return common_flags()->verbosity;
}

int gasan_exitcode(void) {
  initialize();
  return common_flags()->exitcode;
}

bool gasan_detect_leaks(void) {
  initialize();
  return common_flags()->detect_leaks;
}

size_t gasan_malloc_context_size(void) {
  initialize();
  return common_flags()->malloc_context_size;
}
