/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gasan-ptxas as a child process, which puts checks into code. Any thread; no lock. */
#ifndef GASAN_RT_LIFT_TOOL_H
#define GASAN_RT_LIFT_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "gasan_rt/instrument/code_cache.h"

#define GASAN_WHY 400 /* bytes of a reason */

/* Finds the tool beside libgasan_rt.so. */
bool gasan_lift_tool_find(char path[GASAN_CACHE_PATH]);
/* Adds the tools and settings that decide about the result. */
void gasan_lift_tool_add(struct gasan_hash *hash, const char *tool);

/* Copies the environment without gasan's own libraries and options, in one piece of memory that the caller frees. NULL:
 * there is no memory. Must be called by a thread of the program: the program may change its environment. */
char **gasan_lift_tool_environment(void);

struct gasan_lift_run {
  const char *tool;
  char **environment;
  const char *const *inputs; /* files; several become one object */
  size_t count;
  const char *output, *errors; /* files */
  int architecture;            /* 90 is sm_90 */
  bool relocatable;
};

/* Runs the tool, and calls `waiting` every 2 ms with the milliseconds since the start. Returns true if there is an
 * output. */
bool gasan_lift_tool_run(const struct gasan_lift_run *run, void (*waiting)(long ms, void *context), void *context);

/* Copies the reason of a failure out of the file with the tool's errors. */
void gasan_lift_tool_reason(const char *errors, char why[GASAN_WHY]);

#endif
