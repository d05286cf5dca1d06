/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/core/start.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/cuda/cuda.h"
#include "gasan_rt/core/door.h"
#include "gasan_rt/core/finish.h"
#include "gasan_rt/core/fuzzer.h"
#include "gasan_rt/core/hooks.h"
#include "gasan_rt/core/warn.h"
#include "gasan_rt/evidence/evidence.h"
#include "gasan_rt/python/python.h"
#include "gasan_rt/sanitizer/sanitizer.h"
#include "pool/pool.h"

static const struct gasan_device_kind *_Atomic started_kind;
static pthread_once_t start_once = PTHREAD_ONCE_INIT;
static bool tags; /* set by start_runtime */

/* Returns NULL without a usable GPU. *broken: there is a GPU, but it cannot be used. */
static const struct gasan_device_kind *start_cuda(const char **why, bool *broken) {
  gasan_cuda_set_runtime(gasan_options()->cudart);
  if (gasan_door_is_open())
    gasan_cuda_set_driver_only();
  if (!gasan_evidence_start(gasan_options()->coredump, gasan_options()->serialize))
    gasan_rt_warn("GASAN_OPTIONS=coredump=1 has no effect: no folder can be made in TMPDIR (or /tmp)");
  struct gasan_status status = gasan_device_cuda.start(why);
  *broken = status.code == GASAN_ERR_DEVICE;
  return gasan_ok(status) ? &gasan_device_cuda : NULL;
}

/* Returns true for the random order; *seed is then its seed. */
static bool read_schedule(uint64_t *seed) {
  const char *schedule = gasan_options()->schedule, *prefix = "random:";
  if (strcmp(schedule, "index") == 0)
    return false;
  const char *digits = schedule + strlen(prefix);
  if (strncmp(schedule, prefix, strlen(prefix)) != 0 || !*digits || strlen(digits) > 9 ||
      digits[strspn(digits, "0123456789")])
    gasan_rt_fatal("GASAN_OPTIONS=schedule=%s is unknown; use index, or random:SEED with a number from 0 to 999999999",
                   schedule);
  *seed = strtoull(digits, NULL, 10);
  return true;
}

static const struct gasan_device_kind *start_cpu(const char **why) {
  uint64_t seed;
  const bool random = read_schedule(&seed), repeats = random || gasan_fuzzer_has_target();
  if (random)
    gasan_cpu_set_random_order(seed);
  gasan_cpu_set_threads(gasan_options()->cpu_threads || !repeats ? gasan_options()->cpu_threads : 1);
  gasan_cpu_set_reporter(gasan_rt_hooks()->found);
  return gasan_ok(gasan_device_cpu.start(why)) ? &gasan_device_cpu : NULL;
}

static const struct gasan_device_kind *choose_kind(void) {
  const char *wanted = gasan_options()->device;
  const char *why = "";
  const struct gasan_device_kind *kind = NULL;
  bool broken = false, automatic = strcmp(wanted, "auto") == 0;
  if (gasan_cpu_only()) {
    if (strcmp(wanted, "cuda") == 0)
      gasan_rt_fatal("GASAN_OPTIONS=device=cuda, but the program was compiled with -fsanitize-gpu-address-%s: it runs "
                     "on the CPU device only",
                     gasan_cpu_host_checks() ? "checks=host" : "devices=cpu");
    wanted = "cpu";
  }
  if (strcmp(wanted, "cpu") != 0)
    kind = start_cuda(&why, &broken);
  if (!kind && !automatic && strcmp(wanted, "cuda") == 0)
    gasan_rt_fatal("GASAN_OPTIONS=device=cuda, but %s; GASAN_OPTIONS=device=cpu runs without a GPU", why);
  if (!kind) {
    if (automatic && (broken || gasan_door_is_open() || gasan_verbosity() >= 1))
      gasan_rt_warn("no GPU is used: %s", why);
    kind = start_cpu(&why);
    if (!kind)
      gasan_rt_fatal("the CPU device cannot run here: %s", why);
  }
  return kind;
}

/* A program has one shadow with one granule, and either all its pointers have tags or none. All modules are registered
 * before the first CUDA call, except those of libraries that are loaded later. */
struct gasan_cpu_checks gasan_rt_image_checks(void) {
  struct gasan_cpu_checks checks;
  if (!gasan_cpu_images_agree(&checks))
    gasan_rt_fatal("%s was compiled with -fsanitize-gpu-address-%s=%s, but %s with %s; compile both with the same",
                   checks.file, checks.option, checks.value, checks.other_file, checks.other_value);
  return checks;
}

bool gasan_rt_tags(void) {
  gasan_rt_kind();
  return tags;
}

/* True in the forked child of a process that has started the runtime. CUDA does not work there, and neither does gasan:
 * locks and device threads are in the state that they had in the parent. So the child does not touch our state of the
 * devices. */
static _Atomic bool forked;

static void note_fork(void) {
  atomic_store(&forked, true);
  gasan_cpu_refuse();
}

bool gasan_rt_forked(void) {
  return atomic_load_explicit(&forked, memory_order_relaxed);
}

/* If all code of a program is in one mode, only that mode's data is needed. A program without device code may load
 * libraries of either mode. */
uint32_t gasan_rt_shadow_scale(const struct gasan_cpu_checks *checks) {
  return checks->scale ? checks->scale : checks->bounds ? 0 : GASAN_SCALE_128;
}

/* Checks that the options' table cannot express. */
static void check_window_size(const struct gasan_cpu_checks *checks) {
  int wanted = gasan_options()->window_size_gb;
  uint64_t greatest = gasan_pool_greatest_window(gasan_rt_shadow_scale(checks)) >> 30;
  greatest = greatest < 1024 ? greatest : 1024;
  if (wanted && (wanted < 4 || wanted & (wanted - 1) || (uint64_t)wanted > greatest))
    gasan_rt_fatal("GASAN_OPTIONS=window_size_gb=%d is out of range (0, or a power of two from 4 to %llu)", wanted,
                   (unsigned long long)greatest);
}

static void start_runtime(void) {
  struct gasan_cpu_checks checks = gasan_rt_image_checks();
  tags = checks.tags;
  check_window_size(&checks);
  if (tags && strcmp(gasan_options()->pool, "handles") == 0)
    gasan_rt_fatal(
        "GASAN_OPTIONS=pool=handles, but the program was built with -fsanitize-gpu-address-tags: both need the "
        "upper bits of pointers; use pool=window");
  pthread_atfork(NULL, NULL, note_fork);
  const struct gasan_device_kind *kind = choose_kind();
  gasan_rt_hooks()->registered(kind);
  atomic_store(&started_kind, kind);
  gasan_finish_at_exit();
  const bool has_python = gasan_door_is_open() || getenv("GASAN_PYTHON"); /* set by gasan.run_ptx */
  if (has_python && gasan_options()->python_frames)
    gasan_python_start(gasan_rt_warn);
  if (gasan_verbosity() >= 1) {
    struct gasan_device *device;
    char name[256] = "?";
    if (gasan_ok(kind->open(0, &device)))
      kind->describe(device, name, sizeof name);
    gasan_rt_warn("kernels run on the %s device (%s)", kind->name, name);
  }
}

const struct gasan_device_kind *gasan_rt_kind(void) {
  const struct gasan_device_kind *kind = atomic_load_explicit(&started_kind, memory_order_acquire);
  if (kind)
    return kind;
  pthread_once(&start_once, start_runtime);
  return atomic_load(&started_kind);
}

bool gasan_rt_started(void) {
  return atomic_load(&started_kind) != NULL && !gasan_rt_forked();
}
