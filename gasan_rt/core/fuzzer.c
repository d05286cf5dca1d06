/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "gasan_rt/core/fuzzer.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "base/export.h"
#include "gasan_rt/sanitizer/sanitizer.h"

/* The linker exports the program's definition because this library refers to it. */
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) __attribute__((weak));

bool gasan_fuzzer_has_target(void) {
  return LLVMFuzzerTestOneInput != NULL;
}

GASAN_EXPORT void __wrap___sanitizer_set_death_callback(void (*callback)(void));

/* Receives libFuzzer's callback, which writes the current input to a file. The driver's --wrap directs libFuzzer's call
 * here. The process ends either by a report of gasan or by one of the host's sanitizers, whose runtime is a part of the
 * program and has a function of the same name. Both get the callback. */
void __wrap___sanitizer_set_death_callback(void (*callback)(void)) {
  union {
    void *object;
    void (*function)(void (*)(void));
  } host = {dlsym(RTLD_DEFAULT, "__sanitizer_set_death_callback")};
  gasan_on_death(callback);
  if (host.object)
    host.function(callback);
}
