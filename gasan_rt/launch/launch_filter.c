/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/launch_filter.h"

#include <pthread.h>
#include <regex.h>
#include <stdatomic.h>

#include "gasan_rt/core/warn.h"
#include "gasan_rt/sanitizer/sanitizer.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static regex_t pattern;
static _Atomic uint64_t wanted_launches;

static void compile_pattern(void) {
  char why[128];
  const int error = regcomp(&pattern, gasan_options()->kernels, REG_EXTENDED | REG_NOSUB);
  if (!error)
    return;
  regerror(error, &pattern, why, sizeof why);
  gasan_rt_fatal("GASAN_OPTIONS=kernels=%s is no extended regular expression (%s)", gasan_options()->kernels, why);
}

static bool is_wanted(const char *name) {
  if (!*gasan_options()->kernels)
    return true;
  pthread_once(&once, compile_pattern);
  return name && regexec(&pattern, name, 0, NULL, 0) == 0;
}

static bool is_kernel_wanted(const struct gasan_kernel *kernel) {
  if (!*gasan_options()->kernels)
    return true;
  int known = atomic_load_explicit(&kernel->wanted, memory_order_relaxed); /* 1: no, 2: yes */
  if (!known) {
    known = is_wanted(gasan_kernel_title(kernel).text) ? 2 : 1;
    atomic_store_explicit(&((struct gasan_kernel *)kernel)->wanted, known, memory_order_relaxed);
  }
  return known == 2;
}

bool gasan_launch_filter_leaves_out(const struct gasan_kernel *kernel, const char *name) {
  const uint64_t skip = (uint64_t)gasan_options()->launch_skip, count = (uint64_t)gasan_options()->launch_count;
  if (kernel ? !is_kernel_wanted(kernel) : !is_wanted(name))
    return true;
  if (!skip && !count)
    return false;
  const uint64_t number = atomic_fetch_add(&wanted_launches, 1);
  return number < skip || (count && number - skip >= count);
}

bool gasan_launch_filter_leaves_kernel_out(const struct gasan_kernel *kernel) {
  return kernel && !is_kernel_wanted(kernel);
}
