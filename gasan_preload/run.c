/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The command `gasan`: runs programs that were not built with gasan, with libgasan_preload.so, and merges reports. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/coredump.h"
#include "gasan_preload/report_command.h"
#include "gasan_preload/self_test.h"

static const char usage[] =
    "Usage: gasan run [-o NAME=VALUE]... [--] COMMAND [ARGUMENT]...\n"
    "       gasan report [--format FORMAT] [--output FILE] [--baseline FILE]... FILE...\n"
    "       gasan doctor\n"
    "\n"
    "run     Runs a command whose CUDA code was not built with gasan. Accesses behind an allocation, or to freed "
    "memory,\n"
    "        stop the kernel. Copies and sets are checked before they are made. The first bug ends the process with a\n"
    "        report and exit code 1. Source lines of kernels need a build with gasan-clang++ or gasan-nvcc.\n"
    "report  Merges files of report_format=json, of many processes or runs. Equal reports become one, with their "
    "number.\n"
    "        The exit code is 1 if there are reports, and 2 if a file cannot be read.\n"
    "doctor  Says what gasan finds on this machine, and tests it with planted bugs.\n"
    "\n"
    "-o NAME=VALUE  An option of the runtime, as in GASAN_OPTIONS; docs/options.md lists them. Most used:\n"
    "                 guard=end|start|both  the guarded side of an allocation (default: end)\n"
    "                 guard_budget_mb=N     memory for guards of small allocations, in MiB\n"
    "                 instrument=on         put checks into kernels that are loaded as PTX (docs/lift.md)\n"
    "                 coredump=1            report the line of a kernel that the GPU stopped, by a GPU core dump\n"
    "                 serialize=1           let each launch wait, so that a report names one launch\n"
    "                 halt_on_error=0       go on after a report of a copy, a set or a free\n"
    "                 print_stats=1         say at the end what was checked and what was not\n"
    "\n"
    "--format FORMAT  text (default), json, sarif, junit or html\n"
    "--output FILE    Writes FILE instead of standard output.\n"
    "--baseline FILE  Leaves out the reports of FILE, a file of report_format=json or --format json. They are found\n"
    "                 again after lines have moved.\n"
    "\n"
    "The memory pools of PyTorch, JAX, TensorFlow and CuPy are switched off, so that each tensor or array is an\n"
    "allocation; docs/gasan-run.md names the variables. A variable that you set yourself stays; overflows inside the\n"
    "blocks of a pool are then not seen.\n"
    "Sub-allocators that name their blocks by NVTX's memory API or gasan/gasan.h are known: docs/suballocators.md.\n";

static int fail(const char *format, const char *what) {
  fprintf(stderr, "gasan: error: ");
  fprintf(stderr, format, what);
  fprintf(stderr, "\n");
  return 2;
}

/* Writes the path of libgasan_preload.so: in lib/ beside bin/, as in an installation and in the build folder. */
static bool find_preload(char path[PATH_MAX]) {
  static const char *const folders[] = {"lib", "lib64", "lib/x86_64-linux-gnu"};
  char own[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  if (length <= 0)
    return false;
  own[length] = 0;
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(own, '/');
    if (!slash)
      return false;
    *slash = 0;
  }
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (snprintf(path, PATH_MAX, "%s/%s/libgasan_preload.so", own, folders[i]) < PATH_MAX && !access(path, R_OK))
      return true;
  return false;
}

/* Puts the value before or behind that of a list in the environment. */
static void add_to_list(const char *name, const char *value, bool first) {
  const char *old = getenv(name);
  char *both = NULL;
  if (!old || !*old)
    setenv(name, value, 1);
  else if (asprintf(&both, "%s:%s", first ? value : old, first ? old : value) >= 0)
    setenv(name, both, 1);
  free(both);
}

/* Names libgasan_nvtx.so, which lies beside libgasan_preload.so, to NVTX, unless another tool is named. The runtime
 * does so, too, but a program may use NVTX before CUDA. */
static void name_nvtx(const char *preload) {
  static const char name[] = "libgasan_nvtx.so";
  char path[PATH_MAX];
  int folder = (int)(strrchr(preload, '/') + 1 - preload);
  if (snprintf(path, sizeof path, "%.*s%s", folder, preload, name) < PATH_MAX && !access(path, R_OK))
    setenv("NVTX_INJECTION64_PATH", path, 0);
}

/* Writes the path of the file that execvp would run. */
static bool find_command(const char *command, char path[PATH_MAX]) {
  const char *folder = getenv("PATH");
  if (strchr(command, '/'))
    return snprintf(path, PATH_MAX, "%s", command) < PATH_MAX;
  for (; folder && *folder; folder += strspn(folder, ":")) {
    int length = (int)strcspn(folder, ":");
    if (snprintf(path, PATH_MAX, "%.*s/%s", length, folder, command) < PATH_MAX && !access(path, X_OK))
      return true;
    folder += length;
  }
  return false;
}

/* Returns why the loader would not load a library first into this program; NULL: it will. A script is run by a program
 * that is not known here. */
static const char *refusal(const char *path) {
  unsigned char head[64];
  struct stat status;
  const char *why = NULL;
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  if (!fstat(fileno(file), &status) && status.st_mode & (S_ISUID | S_ISGID))
    why = "it runs as another user or group";
  Elf64_Ehdr *elf = (Elf64_Ehdr *)head;
  if (!why && fread(head, sizeof *elf, 1, file) == 1 && !memcmp(head, ELFMAG, SELFMAG) &&
      head[EI_CLASS] == ELFCLASS64) {
    bool dynamic = false;
    for (unsigned i = 0; i < elf->e_phnum; i++) {
      Elf64_Phdr part;
      if (!fseek(file, (long)(elf->e_phoff + i * (uint64_t)elf->e_phentsize), SEEK_SET) &&
          fread(&part, sizeof part, 1, file) == 1)
        dynamic |= part.p_type == PT_INTERP;
    }
    why = dynamic ? NULL : "it is linked statically";
  }
  fclose(file);
  return why;
}

/* Returns the number of arguments that are options of `run`; -1: an option is wrong. */
static int take_options(char **arguments) {
  int at = 0;
  for (; arguments[at] && arguments[at][0] == '-'; at++) {
    if (!strcmp(arguments[at], "--"))
      return at + 1;
    if (strcmp(arguments[at], "-o") != 0 || !arguments[at + 1] || !strchr(arguments[at + 1], '=')) {
      fail("unknown option %s; `gasan --help` lists the options, and -- ends them", arguments[at]);
      return -1;
    }
    add_to_list("GASAN_OPTIONS", arguments[++at], false);
  }
  return at;
}

/* Returns true if the last setting of a switch in GASAN_OPTIONS is on. */
static bool is_on(const char *name) {
  const char *options = getenv("GASAN_OPTIONS");
  bool on = false;
  for (size_t length = strlen(name); options && *options; options += strspn(options, ": ,\t\n")) {
    if (!strncmp(options, name, length) && options[length] == '=')
      on = strchr("1ty", options[length + 1]) && options[length + 1];
    options += strcspn(options, ": ,\t\n");
  }
  return on;
}

/* Lets the driver of the command write core dumps into a new temporary folder, which the runtime removes. The user's
 * own settings stay. */
static void set_core_dumps(void) {
  const char *parent = getenv("TMPDIR");
  char folder[PATH_MAX];
  int length =
      snprintf(folder, sizeof folder, "%s/" GASAN_COREDUMP_FOLDER "XXXXXX", parent && *parent ? parent : "/tmp");
  setenv("CUDA_ENABLE_COREDUMP_ON_EXCEPTION", "1", 1);
  setenv("CUDA_COREDUMP_GENERATION_FLAGS", GASAN_COREDUMP_FLAGS, 0);
  if (getenv("CUDA_COREDUMP_FILE") || length >= PATH_MAX - (int)sizeof GASAN_COREDUMP_FILE || !mkdtemp(folder))
    return;
  strcat(folder, GASAN_COREDUMP_FILE);
  setenv("CUDA_COREDUMP_FILE", folder, 1);
}

/* The environment variables by which frameworks make each tensor an allocation of the driver. The last is read by
 * python/sitecustomize.py. */
static const char *const pool_switches[][2] = {
    {"PYTORCH_NO_CUDA_MEMORY_CACHING", "1"},
    {"XLA_PYTHON_CLIENT_ALLOCATOR", "cuda_async"},
    {"XLA_PYTHON_CLIENT_PREALLOCATE", "false"},
    {"TF_GPU_ALLOCATOR", "cuda_malloc_async"},
    {"GASAN_CUPY_NO_POOL", "1"},
};

/* The user's own settings stay. */
static void switch_pools_off(const char *preload) {
  char folder[PATH_MAX];
  const int length = (int)(strrchr(preload, '/') - preload);
  for (size_t i = 0; i < sizeof pool_switches / sizeof *pool_switches; i++)
    setenv(pool_switches[i][0], pool_switches[i][1], 0);
  if (snprintf(folder, sizeof folder, "%.*s/gasan/python", length, preload) < PATH_MAX)
    add_to_list("PYTHONPATH", folder, true);
}

static int run(char **arguments) {
  char preload[PATH_MAX];
  int taken = take_options(arguments);
  if (taken < 0)
    return 2;
  arguments += taken;
  if (!arguments[0])
    return fail("no command is given%s; `gasan --help` shows how", "");
  if (!find_preload(preload))
    return fail("%s was not found in lib/ beside the folder of this program; install gasan again",
                "libgasan_preload.so");
  if (strpbrk(preload, " :$"))
    return fail("the loader cannot load %s, because the path has a space, a colon or a dollar; install gasan elsewhere",
                preload);
  char path[PATH_MAX];
  const char *why = find_command(arguments[0], path) ? refusal(path) : NULL;
  if (why) {
    fprintf(stderr, "gasan: error: %s cannot be checked: %s\n", path, why);
    return 2;
  }
  add_to_list("LD_PRELOAD", preload, true);
  switch_pools_off(preload);
  if (is_on("coredump"))
    set_core_dumps();
  name_nvtx(preload);
  execvp(arguments[0], arguments);
  fprintf(stderr, "gasan: error: %s: %s\n", arguments[0], strerror(errno));
  return errno == ENOENT ? 127 : 126;
}

/* Runs the self-test in a process of its own, as a user's program. Returns its exit code. */
static int run_self_test(const char *own, const char *what, FILE *output) {
  int ends[2], status = 0;
  if (pipe(ends))
    return -1;
  pid_t child = fork();
  if (!child) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    alarm(60); /* seconds: a test that hangs has failed */
    execl(own, own, "run", "--", own, "self-test", what, (char *)NULL);
    _exit(127);
  }
  close(ends[1]);
  FILE *input = fdopen(ends[0], "r");
  for (int c; input && (c = getc(input)) != EOF;)
    putc(c, output);
  if (input)
    fclose(input);
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Returns whether the self-test ends with this exit code and, if `text` is not NULL, prints it. */
static bool self_test_ok(const char *what, int code, const char *text) {
  char *output = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&output, &size);
  int got = run_self_test("/proc/self/exe", what, stream);
  fclose(stream);
  bool ok = got == code && (!text || strstr(output, text));
  printf("self-test %-9s %s\n", what, ok ? "passed" : "FAILED");
  if (!ok)
    printf("  it ended with exit code %d and printed:\n%s\n", got, output);
  free(output);
  return ok;
}

static int doctor(void) {
  char preload[PATH_MAX], text[256];
  bool ok = find_preload(preload);
  printf("library   %s\n", ok ? preload : "libgasan_preload.so was NOT found: install gasan again");
  bool driver = gasan_self_test_describe(text, sizeof text);
  printf("driver    %s\n", text);
  void *cudart = dlopen("libcudart.so.13", RTLD_LAZY);
  printf("cudart    %s\n", cudart ? "libcudart.so.13 (needed by code that is built with gasan only)"
                                  : "no libcudart.so.13 (needed by code that is built with gasan only)");
  printf("log       /dev/kmsg %s\n", access("/dev/kmsg", R_OK)
                                         ? "cannot be read: reports of stopped kernels have no address"
                                         : "can be read: reports of stopped kernels have the address's page");
  if (!ok || !driver)
    return 1;
  ok = self_test_ok("correct", 0, NULL);
  ok &= self_test_ok("overflow", 1, "ERROR: AddressSanitizer");
  ok &= self_test_ok("copy", 1, "heap-buffer-overflow");
  return !ok;
}

int main(int count, char **arguments) {
  const char *word = count > 1 ? arguments[1] : "";
  if (!strcmp(word, "--help") || !strcmp(word, "-h") ||
      ((!strcmp(word, "run") || !strcmp(word, "report")) && count > 2 && !strcmp(arguments[2], "--help"))) {
    fputs(usage, stdout);
    return 0;
  }
  if (!strcmp(word, "run"))
    return run(arguments + 2);
  if (!strcmp(word, "report"))
    return gasan_report_command(arguments + 2);
  if (!strcmp(word, "doctor") && count == 2)
    return doctor();
  if (!strcmp(word, "self-test") && count == 3)
    return gasan_self_test(arguments[2]);
  fputs(usage, stderr);
  return 2;
}
