/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/report_name.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gasan_rt/core/warn.h"
#include "gasan_rt/sanitizer/sanitizer.h"

/* A name that is being made. */
struct name {
  char *path;
  size_t size, length;
  bool has_pid;
  char why[256]; /* why there is no name; empty: no reason yet */
};

static char start_directory[PATH_MAX]; /* empty: not known */

__attribute__((constructor)) static void note_directory(void) {
  if (!getcwd(start_directory, sizeof start_directory))
    *start_directory = 0;
}

static void add(struct name *name, const char *text, size_t length) {
  if (length >= name->size - name->length) {
    snprintf(name->why, sizeof name->why, "the name is longer than %zu bytes", name->size - 1);
    return;
  }
  memcpy(name->path + name->length, text, length);
  name->length += length;
  name->path[name->length] = 0;
}

/* Adds the value of a variable. */
static void add_variable(struct name *name, const char *variable, size_t length) {
  char *copy = strndup(variable, length);
  const char *value = copy ? getenv(copy) : NULL;
  if (value)
    add(name, value, strlen(value));
  else
    gasan_rt_warn("WARNING: report_path has %%q{%s}, but the environment variable %s is not set; its place is empty",
                  copy ? copy : "", copy ? copy : "");
  free(copy);
}

/* Adds the value of the %p, %% or %q{NAME} at the beginning of the pattern. Returns the rest of the pattern. */
static const char *add_value(struct name *name, const char *pattern) {
  const char *end = strncmp(pattern, "%q{", 3) == 0 ? strchr(pattern, '}') : NULL;
  char pid[16];
  if (end && end > pattern + 3) {
    add_variable(name, pattern + 3, (size_t)(end - pattern - 3));
    return end + 1;
  }
  if (pattern[1] == 'p') {
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    add(name, pid, strlen(pid));
    name->has_pid = true;
  } else if (pattern[1] == '%') {
    add(name, "%", 1);
  } else {
    snprintf(name->why, sizeof name->why, "\"%.20s\" is none of %%p, %%q{NAME} and %%%%", pattern);
  }
  return pattern + 1 + (pattern[1] != 0);
}

const char *gasan_report_expand_path(char *path, size_t size, bool *has_pid) {
  static struct name name;
  const char *pattern = gasan_options()->report_path;
  name = (struct name){.path = path, .size = size};
  *path = 0;
  if (*pattern != '/' && *start_directory) {
    add(&name, start_directory, strlen(start_directory));
    add(&name, "/", 1);
  }
  while (*pattern && !*name.why) {
    const size_t plain = strcspn(pattern, "%");
    add(&name, pattern, plain);
    pattern += plain;
    if (*pattern)
      pattern = add_value(&name, pattern);
  }
  if (!*name.why && (!name.length || path[name.length - 1] == '/'))
    snprintf(name.why, sizeof name.why, "it names a folder; add the name of a file, for example %%p");
  *has_pid = name.has_pid;
  return *name.why ? name.why : NULL;
}
