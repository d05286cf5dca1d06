/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/architectures.h"
#include "driver/message.h"
#include "driver/process.h"

#include <stdlib.h>
#include <string.h>

const char *gasan_architectures_number(const char *name) {
  const char *underscore = strchr(name, '_');
  return underscore ? underscore + 1 : name;
}

bool gasan_architectures_is_family(const char *name) {
  return gasan_strings_end(name, "f");
}

const char *gasan_architectures_first(const char *name) {
  return gasan_architectures_is_family(name) ? gasan_strings_format("%.*s", (int)strlen(name) - 1, name) : name;
}

static int compare(const void *left, const void *right) {
  const char *a = gasan_architectures_number(*(const char *const *)left);
  const char *b = gasan_architectures_number(*(const char *const *)right);
  int difference = atoi(a) - atoi(b);
  return difference ? difference : strcmp(a, b);
}

void gasan_architectures_sort(struct gasan_strings *names) {
  if (names->count)
    qsort(names->items, names->count, sizeof *names->items, compare);
}

void gasan_architectures_reduce(struct gasan_strings *sorted, const struct gasan_arguments *arguments) {
  if (!sorted->count || !gasan_arguments_cpu_only(arguments))
    return;
  sorted->items += sorted->count - 1;
  sorted->count = 1;
}

static struct gasan_strings without(const struct gasan_strings *names, const char *removed) {
  struct gasan_strings rest = {0};
  for (size_t i = 0; i < names->count; i++)
    if (strcmp(removed, "all") != 0 && strcmp(removed, names->items[i]) != 0)
      gasan_strings_push(&rest, names->items[i]);
  return rest;
}

/* Adds this machine's architecture. Asks clang, which asks the CUDA driver; -### makes clang print the result. */
static void push_native(struct gasan_strings *names, const struct gasan_paths *paths) {
  static const char marker[] = "\"-target-cpu\" \"";
  struct gasan_strings command = {0};
  gasan_strings_push_each(&command, paths->clang, "-###", "-x", "cuda", "--offload-arch=native", "--cuda-device-only",
                          "-nocudainc", "-nocudalib", "-S", "/dev/null", "-o", "/dev/null", NULL);
  char *output, *errors;
  int status = gasan_process_ask(&command, &output, &errors);
  const char *found = strstr(errors, marker);
  if (status || !found)
    gasan_message_fatal("cannot find out this machine's GPU for --offload-arch=native; name it, for example "
                        "--offload-arch=sm_90");
  for (; found; found = strstr(found, marker)) {
    found += strlen(marker);
    char *name = gasan_strings_format("%.*s", (int)strcspn(found, "\""), found);
    if (!gasan_strings_contain(names, name))
      gasan_strings_push(names, name);
  }
}

static void add(struct gasan_strings *names, const char *name, const struct gasan_paths *paths) {
  if (!strcmp(name, "native"))
    push_native(names, paths);
  else if (!gasan_strings_contain(names, name))
    gasan_strings_push(names, name);
}

static void check(const char *name) {
  if (!gasan_strings_start(name, "sm_"))
    gasan_message_fatal(
        "unsupported GPU architecture '%s' for -fsanitize=gpu-address; name an NVIDIA GPU, for example sm_90", name);
}

struct gasan_strings gasan_architectures_choose(const struct gasan_arguments *arguments,
                                                const struct gasan_paths *paths) {
  struct gasan_strings names = {0};
  for (size_t i = 0; i < arguments->count; i++) {
    const struct gasan_argument *argument = &arguments->items[i];
    if (argument->role != GASAN_ROLE_ARCH)
      continue;
    struct gasan_strings values = gasan_strings_split(argument->value, ',');
    for (size_t j = 0; j < values.count; j++)
      if (gasan_strings_start(argument->text, "--no-"))
        names = without(&names, values.items[j]);
      else
        add(&names, values.items[j], paths);
  }
  if (!names.count)
    gasan_strings_push(&names, GASAN_DEFAULT_ARCHITECTURE);
  for (size_t i = 0; i < names.count; i++)
    check(names.items[i]);
  gasan_architectures_sort(&names);
  return names;
}
