/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Defines the functions that translate calls, and finds them by name. The table translate_calls.inc generates both. */
#include <pthread.h>
#include <string.h>

#include "gasan_rt/calls/translate.h"
#include "gasan_rt/calls/translate_arguments.h"
#include "gasan_rt/calls/translate_structs.h"
#include "gasan_rt/calls/translated_call.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/sanitizer/sanitizer.h"

/* The first declaration makes the compiler compare the row with CUDA's headers. */
#define GASAN_TRANSLATED(name, pin, translation, arguments, ...)                                                       \
  cudaError_t name(__VA_ARGS__);                                                                                       \
  static cudaError_t (*real_##name)(__VA_ARGS__);                                                                      \
  static cudaError_t translated_##name(__VA_ARGS__) {                                                                  \
    struct gasan_translated_call call;                                                                                 \
    gasan_translated_call_begin(&call, pin);                                                                           \
    bool valid = translation;                                                                                          \
    return gasan_translated_call_end(&call, valid ? real_##name arguments : gasan_set_error(cudaErrorInvalidValue));   \
  }
#define GASAN_ANSWERED(name, answer, arguments, ...)                                                                   \
  cudaError_t name(__VA_ARGS__);                                                                                       \
  static cudaError_t (*real_##name)(__VA_ARGS__);                                                                      \
  static cudaError_t translated_##name(__VA_ARGS__) {                                                                  \
    struct gasan_translated_call call;                                                                                 \
    gasan_translated_call_begin(&call, false);                                                                         \
    cudaError_t error = real_##name arguments;                                                                         \
    if (error == cudaSuccess)                                                                                          \
      answer;                                                                                                          \
    return gasan_translated_call_end(&call, error);                                                                    \
  }
#include "gasan_rt/calls/translate_calls.inc"
#undef GASAN_TRANSLATED
#undef GASAN_ANSWERED

static const struct {
  const char *symbol;
  void *translated;
  void *real; /* the variable for the device's own function */
} calls[] = {
#define GASAN_TRANSLATED(name, ...) {#name, (void *)translated_##name, &real_##name},
#define GASAN_ANSWERED GASAN_TRANSLATED
#include "gasan_rt/calls/translate_calls.inc"
};

static pthread_once_t find_need_once = PTHREAD_ONCE_INIT;
static bool is_needed;

static void find_need(void) {
  const struct gasan_device_kind *kind = gasan_rt_kind();
  const char *pool = gasan_options()->pool;
  is_needed = gasan_rt_tags() || strcmp(pool, "handles") == 0;
  for (int i = 0; i < kind->count() && strcmp(pool, "auto") == 0; i++)
    is_needed |= !kind->virtual_memory(i);
}

void *gasan_translate_call(const char *symbol, void *target) {
  pthread_once(&find_need_once, find_need);
  for (size_t i = 0; is_needed && i < sizeof calls / sizeof *calls; i++)
    if (strcmp(calls[i].symbol, symbol) == 0) {
      /* Each thread that comes here writes the same value. */
      memcpy(calls[i].real, &target, sizeof target);
      return calls[i].translated;
    }
  return target;
}
