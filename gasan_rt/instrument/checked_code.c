/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* dladdr, pipe2 */
#include "gasan_rt/instrument/checked_code.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/abi.h"
#include "base/beside.h"
#include "gasan_rt/core/warn.h"
#include "gasan_rt/instrument/code_cache.h"
#include "gasan_rt/instrument/code_image.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#define MOST_BYTES (64u << 20) /* of an image; larger ones would take many minutes */
#define QUIET_MS 2000
#define TEMPORARY "loaded.ptx': "

extern char **environ;

bool gasan_checked_code_wanted(void) {
  return strcmp(gasan_options()->instrument, "on") == 0;
}

static bool find_tool(char path[GASAN_CACHE_PATH]) {
  return gasan_path_beside((void *)find_tool, "../bin/gasan-ptxas", path, GASAN_CACHE_PATH) && !access(path, X_OK);
}

static void add_file(struct gasan_hash *hash, const char *path) {
  struct stat status = {0};
  stat(path, &status);
  gasan_hash_add(hash, path, strlen(path));
  gasan_hash_add(hash, &status.st_size, sizeof status.st_size);
  gasan_hash_add(hash, &status.st_mtim, sizeof status.st_mtim);
}

/* The tools and settings that decide about the result. */
static void add_tools(struct gasan_hash *hash, const char *tool) {
  static const char *const names[] = {"gasan/gasan-lift", "gasan/gasan_device.bc"};
  static const char *const settings[] = {"GASAN_PTXAS", "GASAN_PTXAS_FLAGS", "CUDA_HOME", "GASAN_CLANG"};
  char path[GASAN_CACHE_PATH];
  add_file(hash, tool);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (gasan_path_beside((void *)find_tool, names[i], path, sizeof path))
      add_file(hash, path);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    const char *value = getenv(settings[i]);
    gasan_hash_add(hash, value ? value : "", value ? strlen(value) : 0);
  }
}

/* Makes an environment without gasan's own libraries and options. The caller frees the array. */
static char **child_environment(void) {
  static const char *const left_out[] = {"LD_PRELOAD=", "GASAN_OPTIONS=", "NVTX_INJECTION64_PATH="};
  size_t count = 0, kept = 0;
  while (environ && environ[count])
    count++;
  char **copy = calloc(count + 1, sizeof *copy);
  for (size_t i = 0; copy && i < count; i++) {
    bool keep = true;
    for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
      keep &= strncmp(environ[i], left_out[k], strlen(left_out[k])) != 0;
    if (keep)
      copy[kept++] = environ[i];
  }
  return copy;
}

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits for the process. A program that ignores or collects SIGCHLD takes the status; the output's name then says
 * whether the process was successful. */
static void wait_for(pid_t child, size_t size) {
  const long start = now_ms();
  bool said = false;
  for (;;) {
    int status;
    const pid_t got = waitpid(child, &status, WNOHANG);
    if (got == child || (got < 0 && errno != EINTR && (errno != ECHILD || kill(child, 0))))
      break;
    if (!said && now_ms() - start > QUIET_MS) {
      gasan_rt_warn("putting checks into %zu KiB of code that the program loads; the result is kept for later runs",
                    (size + 1023) / 1024);
      said = true;
    }
    nanosleep(&(struct timespec){0, 2000000}, NULL);
  }
  if (said)
    gasan_rt_warn("the checks took %.1f s", (double)(now_ms() - start) / 1000);
}

/* Copies the first line that has a reason. */
static void read_reason(const char *path, char why[400]) {
  void *text;
  size_t size;
  snprintf(why, 400, "gasan-ptxas has failed");
  if (!gasan_cache_read(path, &text, &size))
    return;
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    const char *reason = strstr(line, "error: ");
    if (!reason && (strstr(line, "fatal") || strstr(line, "missing")))
      reason = line;
    if (reason) {
      const size_t skipped = strncmp(reason, "error: ", 7) ? 0 : 7;
      const char *place = strstr(reason, TEMPORARY); /* of gasan-ptxas, which the user does not know */
      snprintf(why, 400, "%s%s", place ? "PTX " : "", place ? place + strlen(TEMPORARY) : reason + skipped);
      break;
    }
  }
  free(text);
}

static bool run_tool(const char *tool, const char *input, const char *output, const char *errors, int architecture,
                     bool relocatable, size_t size) {
  char name[32];
  snprintf(name, sizeof name, "sm_%d", architecture);
  const char *const arguments[] = {tool, "--gasan-load", "-arch", name, input, "-o", output, relocatable ? "-c" : NULL,
                                   NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, by_default; /* the program may ignore SIGCHLD, which gasan-ptxas needs */
  char **environment = child_environment();
  pid_t child;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawnattr_init(&attributes);
  sigemptyset(&none);
  sigemptyset(&by_default);
  sigaddset(&by_default, SIGCHLD);
  sigaddset(&by_default, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &by_default);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const bool started =
      environment && !posix_spawn(&child, tool, &actions, &attributes, (char *const *)arguments, environment);
  if (started)
    wait_for(child, size);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  free(environment);
  return started && !access(output, R_OK);
}

/* Runs gasan-ptxas on the image. The files get other names than those of other processes and threads. */
static void make_new(const char *tool, const struct gasan_code_image *image, int architecture, bool relocatable,
                     const char *path, const char *why_path, struct gasan_checked_code *code) {
  static atomic_uint number;
  char input[GASAN_CACHE_PATH + 64], output[GASAN_CACHE_PATH + 64], errors[GASAN_CACHE_PATH + 64];
  const unsigned own = atomic_fetch_add(&number, 1);
  snprintf(input, sizeof input, "%s.%d-%u.in", path, (int)getpid(), own);
  snprintf(output, sizeof output, "%s.%d-%u.out", path, (int)getpid(), own);
  snprintf(errors, sizeof errors, "%s.%d-%u.err", path, (int)getpid(), own);
  if (!gasan_cache_write(input, image->data, image->size)) {
    snprintf(code->why, sizeof code->why, "cannot write '%s': %s", input, strerror(errno));
    return;
  }
  if (run_tool(tool, input, output, errors, architecture, relocatable, image->size) && !rename(output, path)) {
    gasan_cache_read(path, &code->data, &code->size);
    gasan_cache_trim(path, (uint64_t)gasan_options()->instrument_cache_mb << 20);
  } else {
    read_reason(errors, code->why);
    if (!strncmp(code->why, "PTX ", 4)) /* another reason may go away */
      gasan_cache_write(why_path, code->why, strlen(code->why));
  }
  unlink(input);
  unlink(output);
  unlink(errors);
}

/* Finds the PTX of a cubin that NVRTC has made. */
static bool ptx_of_cubin(const struct gasan_code_image *cubin, void **ptx, size_t *size) {
  struct gasan_hash hash = gasan_hash_start();
  char path[GASAN_CACHE_PATH];
  gasan_hash_add(&hash, cubin->data, cubin->size);
  return gasan_cache_path(&hash, ".ptx", path) && gasan_cache_read(path, ptx, size);
}

void gasan_checked_code_keep_ptx(const void *cubin, size_t size, const char *ptx) {
  struct gasan_hash hash = gasan_hash_start();
  char path[GASAN_CACHE_PATH];
  gasan_hash_add(&hash, cubin, size);
  if (gasan_checked_code_wanted() && gasan_cache_path(&hash, ".ptx", path) && access(path, R_OK))
    gasan_cache_write(path, ptx, strlen(ptx));
}

static void make_for(const struct gasan_code_image *image, int architecture, bool relocatable,
                     struct gasan_checked_code *code) {
  char tool[GASAN_CACHE_PATH], path[GASAN_CACHE_PATH], why_path[GASAN_CACHE_PATH];
  static const uint32_t version = GASAN_ABI_VERSION;
  void *reason;
  size_t size;
  struct gasan_hash hash = gasan_hash_start();
  if (!find_tool(tool)) {
    static atomic_bool warned;
    snprintf(code->why, sizeof code->why, "gasan-ptxas is not installed beside libgasan_rt.so");
    if (!atomic_exchange(&warned, true))
      gasan_rt_warn("GASAN_OPTIONS=instrument=on has no effect: %s", code->why);
    return;
  }
  gasan_hash_add(&hash, &version, sizeof version);
  gasan_hash_add(&hash, &architecture, sizeof architecture);
  gasan_hash_add(&hash, &relocatable, sizeof relocatable);
  add_tools(&hash, tool);
  gasan_hash_add(&hash, image->data, image->size);
  if (!gasan_cache_path(&hash, relocatable ? ".object" : ".image", path) || !gasan_cache_path(&hash, ".why", why_path))
    snprintf(code->why, sizeof code->why, "there is no folder for the results; set instrument_cache=FOLDER");
  else if (gasan_cache_read(path, &code->data, &code->size))
    return;
  else if (gasan_cache_read(why_path, &reason, &size)) {
    snprintf(code->why, sizeof code->why, "%s", (const char *)reason);
    free(reason);
  } else {
    make_new(tool, image, architecture, relocatable, path, why_path, code);
  }
}

void gasan_checked_code_make(const void *bytes, int architecture, bool relocatable, struct gasan_checked_code *code) {
  struct gasan_code_image image = gasan_code_image_at(bytes);
  void *ptx = NULL;
  *code = (struct gasan_checked_code){0};
  if (image.form == GASAN_CODE_CUBIN) {
    if (memmem(image.data, image.size, GASAN_PARAMS_SYMBOL, strlen(GASAN_PARAMS_SYMBOL)))
      return; /* it has checks already: Triton's, or what a linker has made of our object */
    if (!ptx_of_cubin(&image, &ptx, &image.size))
      snprintf(code->why, sizeof code->why, "it is machine code without PTX");
    else
      image = (struct gasan_code_image){GASAN_CODE_PTX, ptx, image.size};
  } else if (image.form == GASAN_CODE_CONTAINER && !gasan_code_image_has_ptx(&image, architecture)) {
    snprintf(code->why, sizeof code->why, "it has no PTX for sm_%d or an older GPU", architecture);
  } else if (image.form == GASAN_CODE_UNKNOWN) {
    snprintf(code->why, sizeof code->why, "it is in a form that gasan does not know");
  }
  if (!code->why[0] && image.size > MOST_BYTES)
    snprintf(code->why, sizeof code->why, "it has more than %u MiB", MOST_BYTES >> 20);
  if (!code->why[0])
    make_for(&image, architecture, relocatable, code);
  free(ptx);
}
