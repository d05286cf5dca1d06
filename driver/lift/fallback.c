/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/lift/fallback.h"
#include "driver/message.h"
#include "driver/process.h"
#include "driver/response.h"
#include "driver/strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLANG_REPORTED_ERRORS 1

/* Options with which a command compiles nothing or for the host only, prints its steps, or links device code. */
static const char *const excluding[] = {"-E",
                                        "--preprocess",
                                        "-M",
                                        "-MM",
                                        "--generate-dependencies",
                                        "-cuda",
                                        "--cuda",
                                        "-dlink",
                                        "--device-link",
                                        "-lib",
                                        "--lib",
                                        "-run",
                                        "--run",
                                        "-v",
                                        "--verbose",
                                        "-dryrun",
                                        "--dryrun",
                                        "-###",
                                        "-time",
                                        "--time",
                                        "-keep",
                                        "--keep",
                                        "-save-temps",
                                        "-h",
                                        "--help",
                                        "-V",
                                        "--version",
                                        NULL};

static bool excludes(const char *text) {
  return gasan_strings_is_one_of(text, excluding) || gasan_strings_start(text, "--front-end=") ||
         gasan_strings_start(text, "-fno-sanitize=") || gasan_strings_start(text, "-time=") ||
         gasan_strings_start(text, "--time=");
}

static struct gasan_strings clang_options(void) {
  const char *more = getenv("GASAN_NVCC_FLAGS");
  return gasan_response_words(more ? more : "");
}

bool gasan_fallback_is_possible(const struct gasan_strings *arguments) {
  struct gasan_strings words = clang_options();
  bool has_cuda = false;
  for (size_t i = 0; i < arguments->count; i++) {
    const char *text = arguments->items[i];
    if (excludes(text))
      return false;
    has_cuda |= *text != '-' && gasan_strings_end(text, ".cu");
  }
  for (size_t i = 0; i < words.count; i++)
    if (!strcmp(words.items[i], "-fno-sanitize=gpu-address"))
      return false;
  return has_cuda && !access(gasan_paths_cuda_tool(gasan_paths_cuda(NULL), "nvcc"), X_OK);
}

static int ask(const char *front_end, const struct gasan_strings *arguments, const struct gasan_paths *paths,
               char **output, char **errors) {
  struct gasan_strings command = {0};
  /* The name makes the driver gasan-nvcc. It is a link beside the executable, in the build folder and installed. */
  const char *slash = strrchr(paths->executable, '/');
  gasan_strings_push(&command,
                     gasan_strings_format("%.*sgasan-nvcc", (int)(slash + 1 - paths->executable), paths->executable));
  gasan_strings_push(&command, front_end);
  gasan_strings_push_all(&command, arguments);
  if (isatty(STDERR_FILENO) && strstr(front_end, "clang"))
    gasan_strings_push_each(&command, "-Xcompiler", "-fcolor-diagnostics", NULL);
  return gasan_process_ask(&command, output, errors);
}

/* Returns the first line with an error. */
static const char *first_error(const char *errors) {
  const char *found = strstr(errors, "error:"), *start = found;
  if (!found)
    return "an error without a text";
  while (start > errors && start[-1] != '\n')
    start--;
  return gasan_strings_format("%.*s", (int)strcspn(start, "\n"), start);
}

int gasan_fallback_run(const struct gasan_strings *arguments, const struct gasan_paths *paths) {
  char *output, *errors, *nvcc_output, *nvcc_errors;
  gasan_process_start(GASAN_PROCESS_RUN);
  int result = ask("--front-end=clang", arguments, paths, &output, &errors);
  const bool is_own = gasan_strings_start(first_error(errors), "gasan-nvcc:"); /* a wrong option, a missing file */
  if (result == CLANG_REPORTED_ERRORS && !is_own) {
    if (!ask("--front-end=nvcc", arguments, paths, &nvcc_output, &nvcc_errors)) {
      fputs(nvcc_output, stdout);
      fputs(nvcc_errors, stderr);
      gasan_message_warning("clang refuses this source, so nvcc's front end has compiled it; checks do not know local "
                            "arrays and fields in it (--front-end=nvcc: no warning). clang's first error:\n  %s",
                            first_error(errors));
      return 0;
    }
  }
  fputs(output, stdout);
  fputs(errors, stderr);
  return result;
}
