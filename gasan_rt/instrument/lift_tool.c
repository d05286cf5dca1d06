/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* dladdr */
#include "gasan_rt/instrument/lift_tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/beside.h"

#define TEMPORARY "/loaded-" /* the tool's file for an input, with its number */

extern char **environ;

bool gasan_lift_tool_find(char path[GASAN_CACHE_PATH]) {
  return gasan_path_beside((void *)gasan_lift_tool_find, "../bin/gasan-ptxas", path, GASAN_CACHE_PATH) &&
         !access(path, X_OK);
}

static void add_file(struct gasan_hash *hash, const char *path) {
  struct stat status = {0};
  stat(path, &status);
  gasan_hash_add(hash, path, strlen(path));
  gasan_hash_add(hash, &status.st_size, sizeof status.st_size);
  gasan_hash_add(hash, &status.st_mtim, sizeof status.st_mtim);
}

void gasan_lift_tool_add(struct gasan_hash *hash, const char *tool) {
  static const char *const names[] = {"gasan/gasan-lift", "gasan/gasan_device.bc"};
  static const char *const settings[] = {"GASAN_PTXAS", "GASAN_PTXAS_FLAGS", "CUDA_HOME", "GASAN_CLANG"};
  char path[GASAN_CACHE_PATH];
  add_file(hash, tool);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (gasan_path_beside((void *)gasan_lift_tool_find, names[i], path, sizeof path))
      add_file(hash, path);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    const char *value = getenv(settings[i]);
    gasan_hash_add(hash, value ? value : "", value ? strlen(value) : 0);
  }
}

char **gasan_lift_tool_environment(void) {
  static const char *const left_out[] = {"LD_PRELOAD=", "GASAN_OPTIONS=", "NVTX_INJECTION64_PATH="};
  size_t count = 0, bytes = 0, kept = 0;
  for (; environ && environ[count]; count++)
    bytes += strlen(environ[count]) + 1;
  char **copy = calloc(1, (count + 1) * sizeof *copy + bytes), *text = copy ? (char *)(copy + count + 1) : NULL;
  for (size_t i = 0; copy && i < count; i++) {
    bool keep = true;
    for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
      keep &= strncmp(environ[i], left_out[k], strlen(left_out[k])) != 0;
    if (!keep)
      continue;
    copy[kept++] = text;
    text = stpcpy(text, environ[i]) + 1;
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
static void wait_for(pid_t child, void (*waiting)(long ms, void *context), void *context) {
  const long start = now_ms();
  for (;;) {
    int status;
    const pid_t got = waitpid(child, &status, WNOHANG);
    if (got == child || (got < 0 && errno != EINTR && (errno != ECHILD || kill(child, 0))))
      return;
    waiting(now_ms() - start, context);
    nanosleep(&(struct timespec){0, 2000000}, NULL);
  }
}

static pid_t start(const struct gasan_lift_run *run, const char *const *arguments) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, by_default; /* the program may ignore SIGCHLD, which gasan-ptxas needs */
  pid_t child = -1;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, run->errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawnattr_init(&attributes);
  sigemptyset(&none);
  sigemptyset(&by_default);
  sigaddset(&by_default, SIGCHLD);
  sigaddset(&by_default, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &by_default);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  if (posix_spawn(&child, run->tool, &actions, &attributes, (char *const *)arguments, run->environment))
    child = -1;
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return child;
}

bool gasan_lift_tool_run(const struct gasan_lift_run *run, void (*waiting)(long ms, void *context), void *context) {
  char name[32];
  const char **arguments = calloc(run->count + 8, sizeof *arguments), **end = arguments;
  if (!arguments)
    return false;
  snprintf(name, sizeof name, "sm_%d", run->architecture);
  *end++ = run->tool;
  *end++ = "--gasan-load";
  *end++ = "-arch";
  *end++ = name;
  for (size_t i = 0; i < run->count; i++)
    *end++ = run->inputs[i];
  *end++ = "-o";
  *end++ = run->output;
  if (run->relocatable)
    *end = "-c";
  const pid_t child = start(run, arguments);
  if (child > 0)
    wait_for(child, waiting, context);
  free(arguments);
  return child > 0 && !access(run->output, R_OK);
}

/* Writes a reason without the name of a temporary file, which the user does not know. */
static void shorten(const char *reason, char why[GASAN_WHY]) {
  const char *place = strstr(reason, TEMPORARY);
  char *rest;
  const unsigned long number = place ? strtoul(place + strlen(TEMPORARY), &rest, 10) : 0;
  const char *text = number ? strstr(rest, "': ") : NULL;
  if (text && number > 1)
    snprintf(why, GASAN_WHY, "PTX (input %lu of the link) %s", number, text + strlen("': "));
  else if (text)
    snprintf(why, GASAN_WHY, "PTX %s", text + strlen("': "));
  else
    snprintf(why, GASAN_WHY, "%s", reason);
}

void gasan_lift_tool_reason(const char *errors, char why[GASAN_WHY]) {
  static const char error[] = "error: ";
  void *text;
  char *rest;
  size_t size;
  snprintf(why, GASAN_WHY, "gasan-ptxas has failed");
  if (!gasan_cache_read(errors, &text, &size))
    return;
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    const char *reason = strstr(line, error);
    if (!reason && !strstr(line, "fatal") && !strstr(line, "missing"))
      continue;
    shorten(reason ? reason + strlen(error) : line, why);
    break;
  }
  free(text);
}
