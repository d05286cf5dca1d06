/* gasan_rt/sanitizer from outside: each test runs the probe (sanitizer_probe.c with a shared library of
 * sanitizer_probe_api.c) in a separate process and checks its output and exit status. */
#include "greatest.h"

#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT_SIZE = 1 << 20 };

static char folder[] = "/tmp/gasan-sanitizer-test-XXXXXX";
static char out_text[TEXT_SIZE];
static char err_text[TEXT_SIZE];
static char log_text[TEXT_SIZE];

static void read_file(const char *path, char *text) {
  FILE *file = fopen(path, "r");
  size_t size = file ? fread(text, 1, TEXT_SIZE - 1, file) : 0;
  text[size] = '\0';
  if (file)
    fclose(file);
}

static void in_folder(char path[4096], const char *name) {
  snprintf(path, 4096, "%s/%s", folder, name);
}

static void redirect(int descriptor, const char *path) {
  int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  if (file < 0 || dup2(file, descriptor) < 0)
    _exit(98);
  close(file);
}

/* Runs the probe in the folder with GASAN_OPTIONS and ASAN_OPTIONS set (NULL: not set), its output going to out_text
 * and err_text. PATH is empty, so the probe uses the symbolizer in the library's folder. Returns wait's status. */
static int run_with_asan(const char *program, const char *role, const char *options, const char *asan_options) {
  char out_path[4096], err_path[4096];
  in_folder(out_path, "stdout");
  in_folder(err_path, "stderr");
  pid_t child = fork();
  if (child == 0) {
    unsetenv("GASAN_OPTIONS");
    unsetenv("GASAN_SYMBOLIZER_PATH");
    setenv("PATH", "/nonexistent", 1);
    if (options)
      setenv("GASAN_OPTIONS", options, 1);
    if (asan_options)
      setenv("ASAN_OPTIONS", asan_options, 1);
    alarm(60); /* a deadlock fails the test */
    redirect(STDOUT_FILENO, out_path);
    redirect(STDERR_FILENO, err_path);
    if (chdir(folder) == 0)
      execl(program, program, role, (char *)NULL);
    _exit(97);
  }
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child)
    return -1;
  read_file(out_path, out_text);
  read_file(err_path, err_text);
  return status;
}

static int run(const char *role, const char *options) {
  return run_with_asan(GASAN_TEST_PROBE, role, options, NULL);
}

static bool exited(int status, int code) {
  return WIFEXITED(status) && WEXITSTATUS(status) == code;
}

/* Replaces text's hexadecimal numbers by 0x and its folders by nothing: "in main /a/b/c.c:1:2" becomes "in main
 * c.c:1:2". */
static void normalize(char *text) {
  char *to = text;
  for (char *from = text; *from;) {
    if (from[0] == '0' && from[1] == 'x') {
      *to++ = *from++;
      *to++ = *from++;
      from += strspn(from, "0123456789abcdef");
    } else {
      *to++ = *from++;
      if (to[-1] == '/')
        while (to > text && to[-1] != ' ' && to[-1] != '(' && to[-1] != '\n')
          to--;
    }
  }
  *to = '\0';
}

/* Drops ":LINE:COLUMN" after each source file's name. */
static void drop_lines(char *text) {
  char *to = text;
  for (char *from = text; *from;) {
    *to++ = *from++;
    if (to - text >= 2 && to[-2] == '.' && to[-1] == 'c')
      from += strspn(from, ":0123456789");
  }
  *to = '\0';
}

static size_t count(const char *text, const char *what) {
  size_t found = 0;
  for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
    found++;
  return found;
}

static const char *one_file(const char *pattern, char path[4096]) {
  char full[4096];
  in_folder(full, pattern);
  glob_t found;
  path[0] = '\0';
  if (glob(full, 0, NULL, &found) == 0) {
    if (found.gl_pathc == 1)
      snprintf(path, 4096, "%s", found.gl_pathv[0]);
    globfree(&found);
  }
  read_file(path, log_text);
  return path;
}

#define ASSERT_HAS(text, what) ASSERTm(what, strstr(text, what) != NULL)
#define ASSERT_LACKS(text, what) ASSERTm(what, strstr(text, what) == NULL)

TEST report_has_the_launch_and_allocation_stacks(void) {
  ASSERT(exited(run("report", NULL), 1));
  ASSERT_STR_EQ("before\n", out_text);
  normalize(err_text);
  drop_lines(err_text);
  ASSERT_HAS(err_text, "    #0 scale(float*, int) scale.cu:12:10\n");
  ASSERT_HAS(err_text, "launched here by host thread T0:\n"
                       "    #2 0x in launch sanitizer_probe.c\n"
                       "    #3 0x in do_report sanitizer_probe.c\n"
                       "    #4 0x in main sanitizer_probe.c\n"
                       "next frame 5\n");
  ASSERT_HAS(err_text, "allocated here:\n"
                       "    #0 0x in cudaMalloc (libgasan_sanitizer_probe.so+0x)\n"
                       "    #1 0x in allocate sanitizer_probe.c\n"
                       "    #2 0x in do_report sanitizer_probe.c\n"
                       "    #3 0x in main sanitizer_probe.c\n"
                       "SUMMARY: AddressSanitizer: heap-buffer-overflow sanitizer_probe.c in launch\n");
  ASSERT_HAS(err_text, "==ABORTING\n");
  PASS();
}

TEST program_goes_on_with_halt_on_error_0(void) {
  ASSERT(exited(run("report", "halt_on_error=0"), 0));
  ASSERT_STR_EQ("before\nafter\n", out_text);
  ASSERT_LACKS(err_text, "ABORTING");
  PASS();
}

TEST stacks_are_cut_and_deduplicated(void) {
  ASSERT(exited(run("stacks", NULL), 0));
  ASSERT_STR_EQ("same stack same id 1\nother stack other id 1\n", out_text);
  ASSERT_LACKS(err_text, "_start");
  ASSERT_LACKS(err_text, "libc_start");
  ASSERT_LACKS(err_text, "capture_deep");
  normalize(err_text);
  drop_lines(err_text);
  ASSERT_EQ(4, count(err_text, " in recurse sanitizer_probe.c\n"));
  /* The C library's frames stay where the program called it. */
  const char *sorted = strstr(err_text, "sorted:\n");
  ASSERT(sorted != NULL);
  const char *compare = strstr(sorted, "    #1 0x in compare sanitizer_probe.c\n");
  ASSERT(compare != NULL);
  ASSERT_HAS(compare, " in qsort");
  ASSERT_HAS(err_text, "empty:\n    <empty stack>\n");
  ASSERT_HAS(err_text, "inlined:\n"
                       "    #0 0x in cudaMalloc (libgasan_sanitizer_probe.so+0x)\n"
                       "    #1 0x in allocate sanitizer_probe.c\n"
                       "    #2 0x in inlined sanitizer_probe.c\n"
                       "    #3 0x in do_stacks sanitizer_probe.c\n"
                       "    #4 0x in main sanitizer_probe.c\n");
  ASSERT_EQ(4, count(err_text, " in main sanitizer_probe.c\n"));
  PASS();
}

TEST malloc_context_size_counts_the_api_frame(void) {
  ASSERT(exited(run("stacks", "malloc_context_size=3"), 0));
  const char *sorted = strstr(err_text, "sorted:\n");
  ASSERT(sorted != NULL);
  *(char *)sorted = '\0';
  ASSERT_HAS(err_text, "    #2 ");
  ASSERT_LACKS(err_text, "    #3 ");
  PASS();
}

TEST thread_with_a_small_stack_reports(void) {
  ASSERT(exited(run("small-thread", NULL), 1));
  ASSERT_STR_EQ("main T0\n", out_text);
  normalize(err_text);
  drop_lines(err_text);
  ASSERT_HAS(err_text, "thread T1:\n"
                       "    #0 0x in cudaMalloc (libgasan_sanitizer_probe.so+0x)\n"
                       "    #1 0x in allocate sanitizer_probe.c\n"
                       "    #2 0x in thread_start sanitizer_probe.c\n"
                       "==");
  PASS();
}

TEST pieces_of_several_threads_do_not_mix(void) {
  ASSERT(exited(run("threads", NULL), 0));
  int pieces = 0;
  for (char *line = strtok(err_text, "\n"); line; line = strtok(NULL, "\n")) {
    int thread;
    ASSERT_EQ(1, sscanf(line, "thread %d line 0 of 10", &thread));
    for (int i = 0; i <= 10; i++) {
      char expected[64];
      if (i < 10)
        snprintf(expected, sizeof expected, "thread %d line %d of 10", thread, i);
      else
        snprintf(expected, sizeof expected, "thread %d end", thread);
      ASSERT_STR_EQ(expected, line);
      if (i < 10)
        line = strtok(NULL, "\n");
      ASSERT(line != NULL);
    }
    pieces++;
  }
  ASSERT_EQ(8 * 20, pieces);
  PASS();
}

TEST parent_and_child_of_a_fork_symbolize(void) {
  ASSERT(exited(run("fork", NULL), 0));
  ASSERT_STR_EQ("child 0\nchild 0\nchild 0\nchild 0\n", out_text);
  ASSERT_LACKS(err_text, "WARNING");
  normalize(err_text);
  drop_lines(err_text);
  ASSERT_EQ(81, count(err_text, " in cudaMalloc (libgasan_sanitizer_probe.so+0x)\n"));
  ASSERT_EQ(81, count(err_text, " in allocate sanitizer_probe.c\n"));
  ASSERT_EQ(81, count(err_text, " in do_fork sanitizer_probe.c\n"));
  ASSERT_EQ(81, count(err_text, " in main sanitizer_probe.c\n"));
  PASS();
}

TEST modules_loaded_later_are_symbolized(void) {
  ASSERT(exited(run("plugins", NULL), 0));
  ASSERT_STR_EQ("", out_text);
  ASSERT_EQ(2, count(err_text, " in plugin_allocate "));
  ASSERT(exited(run("plugins", "symbolize=0"), 0));
  ASSERT_HAS(err_text, "libsanitizer_probe_plugin_a.so+0x");
  ASSERT_HAS(err_text, "libsanitizer_probe_plugin_b.so+0x");
  PASS();
}

TEST texts_are_as_asan_prints_them(void) {
  ASSERT(exited(run("texts", NULL), 0));
  ASSERT_HAS(err_text, "    #0 scale(float*, int) /source/scale.cu:12:10\n"
                       "    #1 no_line /source/scale.cu\n"
                       "    #2 no_file\n"
                       "SUMMARY: AddressSanitizer: heap-buffer-overflow /source/scale.cu:12:10 in scale(float*, int)\n"
                       "SUMMARY: AddressSanitizer: leak\n");
  ASSERT_HAS(err_text, "Shadow bytes around the buggy address:\n"
                       "  0x700000001800: 80 80 80 80 80 80 80 80 80 80 80 80 80 80 80 80\n");
  ASSERT_HAS(err_text, "=>0x700000004000: 80 80 80 80 80[48]00 00 00 00 00 00 00 00 00 00\n"
                       "  0x700000004800: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n");
  ASSERT_HAS(err_text, "Shadow byte legend (one shadow byte represents 128 application bytes):\n"
                       "  Addressable:           80\n"
                       "  Partially addressable: 01 .. 7f\n"
                       "  Redzone or freed:      00\n");
  ASSERT_HAS(err_text, "=>0x700000004280: 00 00 00 00 00 00 00 00 00[fa]fa fa fa fa fa fa\n");
  ASSERT_HAS(err_text, "address:\n=>0x000000000000: 80 80[00]00");
  ASSERT_HAS(err_text, "cut plain\n");
  ASSERT_HAS(err_text, "1.50    42|ab   |abc%\n");
  PASS();
}

TEST frames_follow_format_and_prefix(void) {
  ASSERT(exited(run("texts", "strip_path_prefix=/source/"), 0));
  ASSERT_HAS(err_text, "    #0 scale(float*, int) scale.cu:12:10\n");
  ASSERT_HAS(err_text, "SUMMARY: AddressSanitizer: heap-buffer-overflow scale.cu:12:10 in scale(float*, int)\n");
  ASSERT(exited(run("report", "stack_trace_format='[%n] %p %% %f %S'"), 1));
  ASSERT_HAS(err_text, "\n[0] % scale(float*, int) /source/scale.cu:12:10\n");
  normalize(err_text);
  drop_lines(err_text);
  ASSERT_HAS(err_text, "\n[2] 0x % launch sanitizer_probe.c\n");
  PASS();
}

TEST frames_without_symbols_have_module_and_offset(void) {
  ASSERT(exited(run("report", "symbolize=0"), 1));
  normalize(err_text);
  ASSERT_HAS(err_text, "    #0 0x in cudaMalloc (libgasan_sanitizer_probe.so+0x)\n    #1 0x  (sanitizer_probe+0x)");
  ASSERT_LACKS(err_text, "in main");
  PASS();
}

TEST colours_follow_the_flag(void) {
  ASSERT(exited(run("report", "color=always"), 1));
  ASSERT_HAS(err_text, "\033[1m\033[31m==");
  ASSERT(exited(run("report", "color=auto"), 1));
  ASSERT_LACKS(err_text, "\033");
  PASS();
}

TEST options_are_parsed(void) {
  ASSERT(exited(run("options", NULL), 0));
  ASSERT_STR_EQ("device auto redzone 256 halt 1 verbosity 0 exitcode 1 context 30\n", out_text);
  ASSERT_STR_EQ("", err_text);
  ASSERT(exited(run("options", "device=cpu:redzone=512,halt_on_error=no verbosity=1:exitcode=23:malloc_context_size=7"),
                0));
  ASSERT_STR_EQ("device cpu redzone 512 halt 0 verbosity 1 exitcode 23 context 7\n", out_text);
  ASSERT(exited(run("set-options", NULL), 0));
  ASSERT_HAS(out_text, "redzone 4096");
  PASS();
}

TEST unknown_options_end_the_process(void) {
  ASSERT(exited(run("options", "redzoone=1:redzone=64"), 1));
  ASSERT_HAS(err_text, "gasan: ERROR: GASAN_OPTIONS=redzoone=1 is unknown; GASAN_OPTIONS=help=1 prints all options\n");
  ASSERT_STR_EQ("", out_text);
  PASS();
}

TEST invalid_values_end_the_process(void) {
  ASSERT(exited(run("options", "halt_on_error=maybe"), 1));
  ASSERT_HAS(err_text, "gasan: ERROR: GASAN_OPTIONS=halt_on_error=maybe is neither on nor off (0 or 1)\n");
  ASSERT(exited(run("options", "handle_segv=3"), 1));
  ASSERT_HAS(err_text, "gasan: ERROR: GASAN_OPTIONS=handle_segv=3 is no number (0, 1 or 2)\n");
  ASSERT(exited(run("options", "redzone=12x:exitcode=7"), 7));
  ASSERT_HAS(err_text, "gasan: ERROR: GASAN_OPTIONS=redzone=12x is no number (1 to 1073741824)\n");
  ASSERT(exited(run("options", "exitcode=0:redzone"), 1)); /* never 0 */
  ASSERT_HAS(err_text, "gasan: ERROR: GASAN_OPTIONS=redzone has no value; write name=value\n");
  ASSERT(exited(run("options", "log_path='a b"), 1));
  ASSERT_HAS(err_text, "gasan: ERROR: GASAN_OPTIONS=log_path=a b has a quote that does not end\n");
  PASS();
}

TEST each_wrong_option_is_named(void) {
  ASSERT(exited(run("options", "redzone=0,exitcode=256 nothing=:verbosity=1"), 1));
  ASSERT_HAS(err_text, "GASAN_OPTIONS=redzone=0 is out of range (1 to 1073741824)\n");
  ASSERT_HAS(err_text, "GASAN_OPTIONS=exitcode=256 is out of range (0 to 255)\n");
  ASSERT_HAS(err_text, "GASAN_OPTIONS=nothing= is unknown");
  ASSERT_LACKS(err_text, "verbosity");
  PASS();
}

static bool accepts(const char *name, const char *value) {
  char options[256];
  snprintf(options, sizeof options, "%s=%s", name, value);
  return exited(run("options", options), 0);
}

/* The line names the option, the value and the allowed values. */
static bool refuses(const char *name, const char *value, const char *allowed) {
  char line[256];
  snprintf(line, sizeof line, "gasan: ERROR: GASAN_OPTIONS=%s=%s is ", name, value);
  return !accepts(name, value) && strstr(err_text, line) && strstr(err_text, allowed);
}

static bool takes_its_range(const char *name, long long least, long long most) {
  char allowed[64], number[4][32];
  const long long values[] = {least, most, least - 1, most + 1};
  snprintf(allowed, sizeof allowed, " (%lld to %lld)", least, most);
  for (int i = 0; i < 4; i++)
    snprintf(number[i], sizeof number[i], "%lld", values[i]);
  return accepts(name, number[0]) && accepts(name, number[1]) && refuses(name, number[2], allowed) &&
         refuses(name, number[3], allowed) && refuses(name, "", allowed) && refuses(name, "-", allowed) &&
         refuses(name, "1x", allowed) && refuses(name, "99999999999999999999", allowed) &&
         refuses(name, "-99999999999999999999", allowed) && refuses(name, "4294967297", allowed);
}

static bool takes_its_words(const char *name, const char *words) {
  char word[64], allowed[64];
  snprintf(allowed, sizeof allowed, " or %s\n", strrchr(words, '|') + 1);
  while (*words) {
    size_t length = strcspn(words, "|");
    snprintf(word, sizeof word, "%.*s", (int)length, words);
    if (!accepts(name, word))
      return false;
    words += length + (words[length] == '|');
  }
  return refuses(name, "other", allowed) && refuses(name, "", allowed) && refuses(name, "a", allowed);
}

static bool takes_its_list(const char *name, const char *words) {
  char all[64], more[64], allowed[64];
  snprintf(all, sizeof all, "%s", words);
  for (char *bar = all; (bar = strchr(bar, '|'));)
    *bar = ',';
  snprintf(more, sizeof more, "%s,exitcode=7", all); /* a comma in front of an option ends the list */
  snprintf(allowed, sizeof allowed, "is not a list of %.*s", (int)strcspn(words, "|"), words);
  return takes_its_words(name, words) && accepts(name, all) && accepts(name, more) &&
         refuses(name, "text,other", allowed);
}

TEST each_option_takes_what_its_table_says(void) {
#define GASAN_SWITCH(name, value, description)                                                                         \
  ASSERTm(#name, accepts(#name, "0") && accepts(#name, "yes"));                                                        \
  ASSERTm(#name,                                                                                                       \
          refuses(#name, "2", "(0 or 1)") && refuses(#name, "", "(0 or 1)") && refuses(#name, "onn", "(0 or 1)"));
#define GASAN_NUMBER(name, value, least, most, description) ASSERTm(#name, takes_its_range(#name, least, most));
#define GASAN_CHOICE(name, value, words, description) ASSERTm(#name, takes_its_words(#name, words));
#define GASAN_LIST(name, value, words, description) ASSERTm(#name, takes_its_list(#name, words));
#define GASAN_TEXT(name, value, description)
#include "gasan_rt/core/options.inc"
  PASS();
}

TEST files_are_included(void) {
  char path[4096];
  in_folder(path, "more");
  FILE *file = fopen(path, "w");
  ASSERT(file);
  fputs("redzone=512\nverbosity=many\n", file);
  fclose(file);
  ASSERT(exited(run("options", "include=more"), 1));
  ASSERT_HAS(err_text, "gasan: ERROR: more: verbosity=many is no number");
  ASSERT(exited(run("options", "include=/no/such/file"), 1));
  ASSERT_HAS(err_text, "GASAN_OPTIONS=include=/no/such/file cannot be read\n");
  ASSERT(exited(run("options", "include_if_exists=/no/such/file:redzone=64"), 0));
  ASSERT_HAS(out_text, "redzone 64");
  PASS();
}

TEST help_prints_each_option_and_goes_on(void) {
  ASSERT(exited(run("options", "help=1"), 0));
  ASSERT_HAS(err_text, "Available flags for gasan:\n");
#define GASAN_OPTION(type, name, value, description) ASSERT_HAS(err_text, "\t" #name "\n\t\t- " description);
#include "gasan_rt/core/options.inc"
#undef GASAN_OPTION
  ASSERT_HAS(err_text, "\n\tlog_path\n");
  ASSERT_HAS(out_text, "device auto");
  PASS();
}

TEST process_ends_as_asked(void) {
  ASSERT(exited(run("report", "exitcode=42"), 42));
  int status = run("report", "abort_on_error=1:disable_coredump=1");
  ASSERT(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  PASS();
}

TEST report_goes_to_log_path(void) {
  char path[4096];
  ASSERT(exited(run("report", "log_path=./plain"), 1));
  ASSERT_STR_EQ("", err_text);
  ASSERTm("one file plain.PID", *one_file("plain.*", path));
  ASSERT_HAS(log_text, "==ERROR: AddressSanitizer: heap-buffer-overflow");
  ASSERT_HAS(log_text, "==ABORTING\n");
  ASSERT(exited(run("report", "log_path=./named:log_exe_name=1"), 1));
  ASSERTm("one file named.sanitizer_probe.PID", *one_file("named.sanitizer_probe.*", path));
  PASS();
}

TEST suppressions_match(void) {
  char path[4096];
  in_folder(path, "suppressions");
  FILE *file = fopen(path, "w");
  ASSERT(file != NULL);
  fputs("# comment\nkernel:scale*int\nalloc:^main$\n", file);
  fclose(file);
  ASSERT(exited(run("suppressions", "suppressions=./suppressions"), 0));
  ASSERT_STR_EQ("kernel scale 1\nkernel other 0\nfun scale 0\nstack alloc 1\nstack fun 0\n", out_text);
  ASSERT(exited(run("suppressions", NULL), 0));
  ASSERT_STR_EQ("kernel scale 0\nkernel other 0\nfun scale 0\nstack alloc 0\nstack fun 0\n", out_text);
  ASSERT(exited(run("suppressions", "suppressions=./missing"), 1));
  ASSERT_HAS(err_text, "gasan: failed to read suppressions file '");
  ASSERT_HAS(err_text, "/missing'\n");
  PASS();
}

TEST c_program_needs_no_cxx_library(void) {
  ASSERT(exited(run("libraries", NULL), 0));
  ASSERT_STR_EQ("libstdc++ 0\n", out_text);
  ASSERT_HAS(err_text, " in main ");
  PASS();
}

/* The host's ASan in the same process: each writes to its own log and ends the process in its own way. */
TEST host_asan_and_ours_stay_apart(void) {
#ifdef GASAN_TEST_PROBE_ASAN
  char path[4096];
  ASSERT(exited(run_with_asan(GASAN_TEST_PROBE_ASAN, "host-bug", "log_path=./ours1:exitcode=5",
                              "log_path=./host1:exitcode=7:redzone=64:symbolize=0"),
                7));
  ASSERT_STR_EQ("", err_text);
  ASSERT_HAS(out_text, "redzone 256");
  ASSERT(*one_file("host1.*", path));
  ASSERT_HAS(log_text, "AddressSanitizer: heap-buffer-overflow on address");
  ASSERTm("no log of ours", !*one_file("ours1.*", path));

  ASSERT(exited(
      run_with_asan(GASAN_TEST_PROBE_ASAN, "report", "log_path=./ours2:exitcode=5", "log_path=./host2:exitcode=7"), 5));
  ASSERT_STR_EQ("", err_text);
  ASSERTm("no log of the host's", !*one_file("host2.*", path));
  ASSERT(*one_file("ours2.*", path));
  ASSERT_HAS(log_text, "heap-buffer-overflow on address 0x000000001234");
  ASSERT_HAS(log_text, " in main ");

  ASSERT(exited(run_with_asan(GASAN_TEST_PROBE_ASAN, "report", "halt_on_error=0", "symbolize=0"), 0));
  PASS();
#else
  SKIPm("the compiler has no -fsanitize=address");
#endif
}

static size_t read_symbols(const char *arguments) {
  char command[8192];
  snprintf(command, sizeof command, "%s %s", GASAN_TEST_NM, arguments);
  FILE *pipe = popen(command, "r");
  size_t size = pipe ? fread(log_text, 1, TEXT_SIZE - 1, pipe) : 0;
  log_text[size] = '\0';
  if (pipe)
    pclose(pipe);
  return size;
}

/* Every symbol that the archive defines is ours by name, so that it can be linked together with another
 * sanitizer_common. It uses none of the other's symbols, and a library that links the archive exports none of its own.
 */
TEST symbols_are_our_own(void) {
  ASSERT(read_symbols("-g --format=just-symbols " GASAN_TEST_ARCHIVE) > 0);
  ASSERT_HAS(log_text, "gasan_stack_capture\n");
  ASSERT_LACKS(log_text, "\n__sanitizer_");
  ASSERT_LACKS(log_text, "11__sanitizer");
  ASSERT(read_symbols("-g --defined-only --format=just-symbols " GASAN_TEST_ARCHIVE) > 0);
  for (char *line = strtok(log_text, "\n"); line; line = strtok(NULL, "\n")) {
    size_t length = strlen(line);
    bool member_name = line[length - 1] == ':';
    bool ours = strncmp(line, "gasan_", 6) == 0 || strstr(line, "17__gasan_sanitizer") || strstr(line, "5gasan");
    ASSERTm(line, member_name || ours);
  }
  ASSERT(read_symbols("-D --defined-only --format=just-symbols " GASAN_TEST_PROBE_LIBRARY) > 0);
  for (char *line = strtok(log_text, "\n"); line; line = strtok(NULL, "\n"))
    ASSERTm(line, strncmp(line, "probe_", 6) == 0);
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  if (!mkdtemp(folder)) {
    perror("mkdtemp");
    return 1;
  }
  RUN_TEST(report_has_the_launch_and_allocation_stacks);
  RUN_TEST(program_goes_on_with_halt_on_error_0);
  RUN_TEST(stacks_are_cut_and_deduplicated);
  RUN_TEST(malloc_context_size_counts_the_api_frame);
  RUN_TEST(thread_with_a_small_stack_reports);
  RUN_TEST(pieces_of_several_threads_do_not_mix);
  RUN_TEST(parent_and_child_of_a_fork_symbolize);
  RUN_TEST(modules_loaded_later_are_symbolized);
  RUN_TEST(texts_are_as_asan_prints_them);
  RUN_TEST(frames_follow_format_and_prefix);
  RUN_TEST(frames_without_symbols_have_module_and_offset);
  RUN_TEST(colours_follow_the_flag);
  RUN_TEST(options_are_parsed);
  RUN_TEST(unknown_options_end_the_process);
  RUN_TEST(invalid_values_end_the_process);
  RUN_TEST(each_wrong_option_is_named);
  RUN_TEST(each_option_takes_what_its_table_says);
  RUN_TEST(files_are_included);
  RUN_TEST(help_prints_each_option_and_goes_on);
  RUN_TEST(process_ends_as_asked);
  RUN_TEST(report_goes_to_log_path);
  RUN_TEST(suppressions_match);
  RUN_TEST(c_program_needs_no_cxx_library);
  RUN_TEST(host_asan_and_ours_stay_apart);
  RUN_TEST(symbols_are_our_own);
  if (greatest_all_passed()) {
    char command[4200];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
      perror("rm");
  } else {
    printf("The probe's output is left in %s\n", folder);
  }
  GREATEST_MAIN_END();
}
