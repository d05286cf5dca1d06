/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/toolkit.h"
#include "driver/architectures.h"
#include "driver/file.h"
#include "driver/message.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Toolkits as 10 * major + minor. */
#define FIRST_TOOLKIT 120
#define ANY_LATER 9999

/* The first toolkit and the first architecture with families of GPUs (sm_100f). */
#define FAMILIES 129
#define FIRST_FAMILY 100

/* The toolkits whose ptxas knows an architecture, which clang 22 knows, too. The letter a is possible from sm_90 on,
 * f from sm_100 on. */
static const struct range {
  int number, first, last;
} ranges[] = {
    {50, FIRST_TOOLKIT, 129},
    {52, FIRST_TOOLKIT, 129},
    {53, FIRST_TOOLKIT, 129},
    {60, FIRST_TOOLKIT, 129},
    {61, FIRST_TOOLKIT, 129},
    {62, FIRST_TOOLKIT, 129},
    {70, FIRST_TOOLKIT, 129},
    {72, FIRST_TOOLKIT, 129},
    {75, FIRST_TOOLKIT, ANY_LATER},
    {80, FIRST_TOOLKIT, ANY_LATER},
    {86, FIRST_TOOLKIT, ANY_LATER},
    {87, FIRST_TOOLKIT, ANY_LATER},
    {88, 130, ANY_LATER},
    {89, FIRST_TOOLKIT, ANY_LATER},
    {90, FIRST_TOOLKIT, ANY_LATER},
    {100, 128, ANY_LATER},
    {101, 128, 129},
    {103, 129, ANY_LATER},
    {110, 130, ANY_LATER},
    {120, 128, ANY_LATER},
    {121, 129, ANY_LATER},
};

struct gasan_toolkit_version gasan_toolkit_version(const char *cuda_folder) {
  static const char macro[] = "#define CUDA_VERSION ";
  struct gasan_bytes header;
  struct gasan_toolkit_version version = {0, 0};
  if (!gasan_file_try_read(gasan_strings_format("%s/include/cuda.h", cuda_folder), &header))
    return version;
  const char *found = strstr((const char *)header.data, macro);
  int number = found ? atoi(found + strlen(macro)) : 0;
  return (struct gasan_toolkit_version){number / 1000, number % 1000 / 10};
}

static bool is_same_file(const char *left, const char *right) {
  char *real_left = realpath(left, NULL), *real_right = realpath(right, NULL);
  return real_left && real_right && !strcmp(real_left, real_right);
}

void gasan_toolkit_push_includes(const char *cuda_folder, struct gasan_strings *command) {
  static const char *const others[] = {"/usr/local/include/cuda.h", "/usr/include/cuda.h"};
  const char *own = gasan_strings_format("%s/include/cuda.h", cuda_folder);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (!access(others[i], R_OK) && !access(own, R_OK) && !is_same_file(others[i], own)) {
      gasan_strings_push_each(command, "-isystem", gasan_strings_format("%s/include", cuda_folder), NULL);
      return;
    }
}

static const struct range *find_range(const char *architecture) {
  int number = atoi(gasan_architectures_number(architecture));
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    if (ranges[i].number == number)
      return &ranges[i];
  return NULL;
}

struct gasan_strings gasan_toolkit_architectures(const char *cuda_folder, bool major) {
  struct gasan_toolkit_version version = gasan_toolkit_version(cuda_folder);
  struct gasan_strings numbers = {0};
  int number = 10 * version.major + version.minor, generation = 0;
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    if (number < ranges[i].first || number > ranges[i].last || (major && ranges[i].number / 10 == generation))
      continue;
    generation = ranges[i].number / 10;
    gasan_strings_push(&numbers, gasan_strings_format("%d", ranges[i].number));
  }
  return numbers;
}

/* Refuses names that clang 22 does not know. */
static void check_name(const char *name, const struct range *range) {
  const char *number = gasan_architectures_number(name), *letter = number + strspn(number, "0123456789");
  if (range && gasan_architectures_is_family(name) && range->number >= FIRST_FAMILY)
    return;
  if (!range || (*letter && (strcmp(letter, "a") != 0 || range->number < 90)))
    gasan_message_fatal(
        "clang 22 does not know the GPU architecture '%s'; name the newest one that the GPU can run, for "
        "example sm_90 or sm_120",
        name);
}

void gasan_toolkit_check(const char *cuda_folder, const struct gasan_strings *architectures) {
  struct gasan_toolkit_version version = gasan_toolkit_version(cuda_folder);
  int number = 10 * version.major + version.minor;
  if (number && number < FIRST_TOOLKIT)
    gasan_message_fatal("CUDA %d.%d in '%s' is too old: gasan needs 12.0 or later; name another toolkit with "
                        "--cuda-path= or CUDA_HOME",
                        version.major, version.minor, cuda_folder);
  for (size_t i = 0; i < architectures->count; i++) {
    const char *name = architectures->items[i];
    const struct range *range = find_range(name);
    check_name(name, range);
    const bool is_early_family = gasan_architectures_is_family(name) && range->first < FAMILIES;
    const int first = is_early_family ? FAMILIES : range->first;
    if (number && number < first)
      gasan_message_fatal("'%s' needs CUDA %d.%d or later, and '%s' is CUDA %d.%d; name another toolkit with "
                          "--cuda-path= or CUDA_HOME, or another architecture",
                          name, first / 10, first % 10, cuda_folder, version.major, version.minor);
    if (number > range->last)
      gasan_message_fatal("'%s' needs CUDA %d.%d or earlier, and '%s' is CUDA %d.%d; name another toolkit with "
                          "--cuda-path= or CUDA_HOME, or another architecture%s",
                          name, range->last / 10, range->last % 10, cuda_folder, version.major, version.minor,
                          range->number == 101 ? " (CUDA 13 calls this one sm_110)" : "");
  }
}

const char *gasan_toolkit_ptx_feature(const char *architecture) {
  const struct range *range = find_range(architecture);
  if (range && range->first >= 130)
    return "+ptx90";
  return gasan_architectures_is_family(architecture) ? "+ptx88" : NULL;
}
