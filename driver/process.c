/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/process.h"
#include "driver/diagnostics.h"
#include "driver/file.h"
#include "driver/message.h"
#include "driver/phase_times.h"
#include "driver/response.h"
#include "driver/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_PARALLEL 2
#define ADVICE                                                                                                         \
  "; install LLVM 22 and the CUDA toolkit completely (Debian: apt-get install clang-22 lld-22 llvm-22; ./setup.sh in " \
  "gasan's sources installs both)"
/* Linux's limit is about 2 MiB for arguments and environment together. */
#define LONGEST_COMMAND (512 * 1024)

struct child {
  pid_t id;
  const struct gasan_strings *command;
  struct timespec start;
  const char *output, *errors; /* files, or NULL: not redirected */
};

/* The state of an attempt: a run of steps whose failure is not final. */
static struct {
  bool runs;
  struct gasan_strings diagnostics;
  rlim_t longest; /* CPU seconds of a program, rounded up; 0: none has ended */
} attempt;

static enum gasan_process_mode process_mode;
static volatile sig_atomic_t caught_signal;
static volatile pid_t running[MAX_PARALLEL]; /* for the signal handler; 0: none */
static const int deadly_signals[] = {SIGINT, SIGTERM, SIGHUP};
#define DEADLY_SIGNALS (sizeof deadly_signals / sizeof *deadly_signals)

static void on_signal(int number) {
  caught_signal = number;
  for (int i = 0; i < MAX_PARALLEL; i++)
    if (running[i])
      kill(running[i], SIGTERM);
}

void gasan_process_start(enum gasan_process_mode mode) {
  process_mode = mode;
  for (size_t i = 0; i < DEADLY_SIGNALS; i++) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, old;
    sigaction(deadly_signals[i], NULL, &old);
    if (old.sa_handler != SIG_IGN) /* under nohup */
      sigaction(deadly_signals[i], &action, NULL);
  }
}

bool gasan_process_runs(void) {
  return process_mode != GASAN_PROCESS_ONLY_PRINT;
}

/* If a signal was caught, ends the process by that signal, so that a shell or make sees it. */
static void end_if_interrupted(void) {
  if (!caught_signal)
    return;
  gasan_temporary_remove();
  signal(caught_signal, SIG_DFL);
  raise(caught_signal);
}

static void print_command(const struct gasan_strings *command) {
  for (size_t i = 0; i < command->count; i++) {
    fputs(" \"", stderr);
    for (const char *text = command->items[i]; *text; text++) {
      if (*text == '"' || *text == '\\' || *text == '$')
        fputc('\\', stderr);
      fputc(*text, stderr);
    }
    fputc('"', stderr);
  }
  fputc('\n', stderr);
}

/* Replaces the arguments of a command that is too long for Linux by a response file. All our long commands are those of
 * clang and lld, which accept response files, and of nvcc, which has an option for them. */
static struct gasan_strings shortened(const struct gasan_strings *command) {
  size_t length = 0;
  for (size_t i = 0; i < command->count; i++)
    length += strlen(command->items[i]) + 1 + sizeof(char *);
  if (length < LONGEST_COMMAND)
    return *command;
  struct gasan_strings arguments = {0}, result = {0};
  for (size_t i = 1; i < command->count; i++)
    gasan_strings_push(&arguments, command->items[i]);
  static int number;
  const char *path = gasan_temporary_private_path(gasan_strings_format("arguments-%d.rsp", number++));
  char *text = gasan_response_quote(&arguments);
  gasan_file_write(path, text, strlen(text));
  const bool is_nvcc = gasan_strings_end(command->items[0], "/nvcc");
  gasan_strings_push_each(&result, command->items[0],
                          gasan_strings_format("%s%s", is_nvcc ? "--options-file=" : "@", path), NULL);
  return result;
}

int gasan_process_replace(const struct gasan_strings *command) {
  if (!gasan_process_runs()) {
    print_command(command);
    return 0;
  }
  if (gasan_phase_times_are_wanted())
    return gasan_process_run_one(command);
  fflush(NULL);
  execv(command->items[0], (char *const *)command->items);
  gasan_message_fatal("cannot run '%s': %s" ADVICE, command->items[0], strerror(errno));
}

static void redirect(int descriptor, const char *path) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || dup2(file, descriptor) < 0)
    _exit(126);
}

static void limit_attempt(void) {
  const rlim_t slack = 60, grace = 5;
  struct rlimit limit;
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  if (!attempt.longest || getrlimit(RLIMIT_CPU, &limit))
    return;
  rlim_t most = slack + (rlim_t)atoi(GASAN_ATTEMPT_FACTOR) * attempt.longest;
  if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < most + grace)
    return; /* the user's limit is lower */
  setrlimit(RLIMIT_CPU, &(struct rlimit){most, most + grace});
}

static void become(const struct gasan_strings *command, const struct child *child, const sigset_t *mask) {
  for (size_t i = 0; i < DEADLY_SIGNALS; i++)
    if (signal(deadly_signals[i], SIG_DFL) == SIG_IGN)
      signal(deadly_signals[i], SIG_IGN);
  sigprocmask(SIG_SETMASK, mask, NULL);
  if (attempt.runs)
    limit_attempt();
  if (child->output)
    redirect(STDOUT_FILENO, child->output);
  if (child->errors)
    redirect(STDERR_FILENO, child->errors);
  execv(command->items[0], (char *const *)command->items);
  gasan_message_error("cannot run '%s': %s" ADVICE, command->items[0], strerror(errno));
  _exit(1);
}

static void start_child(const struct gasan_strings *command, struct child *child, int slot) {
  struct gasan_strings callable = shortened(command);
  sigset_t blocked, before;
  end_if_interrupted();
  sigfillset(&blocked);
  fflush(NULL);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  child->command = command;
  clock_gettime(CLOCK_MONOTONIC, &child->start);
  child->id = fork();
  if (!child->id)
    become(&callable, child, &before);
  if (child->id > 0)
    running[slot] = child->id;
  int error = errno;
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (child->id < 0)
    gasan_message_fatal("cannot start '%s': %s", command->items[0], strerror(error));
}

static int wait_child(struct child *child, int slot) {
  int status;
  struct rusage usage;
  while (wait4(child->id, &status, 0, &usage) < 0)
    if (errno != EINTR)
      gasan_message_fatal("wait4: %s", strerror(errno));
  running[slot] = 0;
  gasan_phase_times_add(child->command, &child->start, &usage);
  rlim_t seconds = (rlim_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + 1;
  if (attempt.longest < seconds)
    attempt.longest = seconds;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void print_diagnostics(const char *file) {
  const char *text = (const char *)gasan_file_read(file).data;
  if (attempt.runs)
    gasan_strings_push(&attempt.diagnostics, text);
  else
    gasan_diagnostics_print(text);
}

/* Runs commands in parallel. With -v, commands write to the terminal directly, and their output is neither sorted nor
 * filtered. */
static int run_group(const struct gasan_strings *commands, size_t count) {
  struct child children[MAX_PARALLEL] = {0};
  for (size_t i = 0; i < count; i++) {
    if (process_mode == GASAN_PROCESS_RUN)
      children[i].errors = gasan_temporary_private_path(gasan_strings_format("errors-%zu.txt", i));
    start_child(&commands[i], &children[i], (int)i);
  }
  int result = 0;
  for (size_t i = 0; i < count; i++) {
    int status = wait_child(&children[i], (int)i);
    if (children[i].errors && !result)
      print_diagnostics(children[i].errors);
    if (!result)
      result = status;
  }
  end_if_interrupted();
  return result;
}

int gasan_process_run(const struct gasan_strings *commands, size_t count) {
  size_t at_once = process_mode == GASAN_PROCESS_RUN ? MAX_PARALLEL : 1;
  int result = 0;
  for (size_t first = 0; first < count && !result; first += at_once) {
    size_t members = count - first < at_once ? count - first : at_once;
    for (size_t i = first; i < first + members; i++)
      if (process_mode != GASAN_PROCESS_RUN)
        print_command(&commands[i]);
    if (gasan_process_runs())
      result = run_group(&commands[first], members);
  }
  return result;
}

int gasan_process_run_one(const struct gasan_strings *command) {
  return gasan_process_run(command, 1);
}

void gasan_process_start_attempt(void) {
  memset(&attempt, 0, sizeof attempt);
  attempt.runs = true;
}

void gasan_process_end_attempt(bool print) {
  attempt.runs = false;
  for (size_t i = 0; print && i < attempt.diagnostics.count; i++)
    gasan_diagnostics_print(attempt.diagnostics.items[i]);
}

static char *take_text(const char *path) {
  char *text = (char *)gasan_file_read(path).data;
  unlink(path);
  return text;
}

/* Runs the command even with -###. Does not use temporary.c for its files, because with -### that module creates
 * nothing. */
int gasan_process_ask(const struct gasan_strings *command, char **output, char **errors) {
  char *folder = gasan_strings_format("%s/gasan-ask-XXXXXX", gasan_temporary_parent());
  if (!mkdtemp(folder))
    gasan_message_fatal("cannot create the folder '%s': %s", folder, strerror(errno));
  struct child child = {.output = gasan_strings_format("%s/output", folder),
                        .errors = gasan_strings_format("%s/errors", folder)};
  start_child(command, &child, 0);
  int status = wait_child(&child, 0);
  *output = take_text(child.output);
  *errors = take_text(child.errors);
  rmdir(folder);
  end_if_interrupted();
  return status;
}
