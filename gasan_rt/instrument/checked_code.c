/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* memmem */
#include "gasan_rt/instrument/checked_code.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/abi.h"
#include "gasan_rt/core/warn.h"
#include "gasan_rt/instrument/code_cache.h"
#include "gasan_rt/instrument/code_image.h"
#include "gasan_rt/instrument/lift_jobs.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#define MOST_BYTES (64u << 20) /* of the code; larger code would take many minutes */
#define QUIET_MS 2000

bool gasan_checked_code_wanted(void) {
  return strcmp(gasan_options()->instrument, "on") == 0;
}

/* All that a thread needs to make one piece of code. */
struct work {
  const struct gasan_code_image *images; /* PTX, or containers */
  size_t count;
  int architecture;
  bool relocatable;
  char tool[GASAN_CACHE_PATH];
  char path[GASAN_CACHE_PATH];     /* of the result */
  char why_path[GASAN_CACHE_PATH]; /* of the reason if the code cannot have checks */
  char **environment;              /* for the child process; NULL: not needed yet */
};

static size_t bytes_of(const struct work *work) {
  size_t bytes = 0;
  for (size_t i = 0; i < work->count; i++)
    bytes += work->images[i].size;
  return bytes;
}

struct progress {
  size_t bytes;
  long said_ms; /* 0: nothing was said */
};

/* Says once that the work takes long. `context`: a struct progress, or NULL if the program does not wait. */
static void say_progress(long ms, void *context) {
  struct progress *progress = context;
  if (!progress || ms <= QUIET_MS)
    return;
  if (!progress->said_ms)
    gasan_lift_jobs_say(progress->bytes);
  progress->said_ms = ms;
}

/* Says once, whatever the verbosity, that the folder for results has a problem: the user can do something about it. */
static void warn_of_folder(const char *why) {
  static atomic_bool warned;
  if (!atomic_exchange(&warned, true))
    gasan_rt_warn("instrument=on: %s; instrument_cache=FOLDER names another folder for checked code", why);
}

/* The names of the tool's files differ from those of other processes and threads. */
static char *own_name(const char *path, unsigned number, size_t input, const char *ending) {
  char *name = malloc(GASAN_CACHE_PATH + 64);
  if (name)
    snprintf(name, GASAN_CACHE_PATH + 64, "%s.%d-%u-%zu%s", path, (int)getpid(), number, input, ending);
  return name;
}

/* Writes the inputs. Returns false with a reason. */
static bool write_inputs(const struct work *work, unsigned number, char **inputs, char why[GASAN_WHY]) {
  for (size_t i = 0; i < work->count; i++) {
    inputs[i] = own_name(work->path, number, i, ".in");
    if (!inputs[i] || !gasan_cache_write(inputs[i], work->images[i].data, work->images[i].size)) {
      snprintf(why, GASAN_WHY, "cannot write '%.200s': %s", inputs[i] ? inputs[i] : "a file", strerror(errno));
      warn_of_folder(why);
      return false;
    }
  }
  return true;
}

/* Runs the tool. */
static void make_new(const struct work *work, struct gasan_checked_code *code, struct progress *progress) {
  static atomic_uint numbers;
  const unsigned number = atomic_fetch_add(&numbers, 1);
  char **inputs = calloc(work->count, sizeof *inputs);
  char *output = own_name(work->path, number, 0, ".out"), *errors = own_name(work->path, number, 0, ".err");
  snprintf(code->why, sizeof code->why, "there is no memory");
  if (inputs && output && errors && work->environment && write_inputs(work, number, inputs, code->why)) {
    const struct gasan_lift_run run = {.tool = work->tool,
                                       .environment = work->environment,
                                       .inputs = (const char *const *)inputs,
                                       .count = work->count,
                                       .output = output,
                                       .errors = errors,
                                       .architecture = work->architecture,
                                       .relocatable = work->relocatable};
    code->why[0] = 0;
    if (gasan_lift_tool_run(&run, say_progress, progress) && gasan_cache_read(output, &code->data, &code->size)) {
      if (!gasan_cache_store(work->path, code->data, code->size)) {
        /* The reason is for threads that wait for the file. */
        snprintf(code->why, sizeof code->why, "cannot write '%.200s': %s", work->path, strerror(errno));
        warn_of_folder(code->why);
      }
      gasan_cache_trim(work->path, (uint64_t)gasan_options()->instrument_cache_mb << 20);
    } else {
      gasan_lift_tool_reason(errors, code->why);
      if (!strncmp(code->why, "PTX ", 4)) /* another reason may go away */
        gasan_cache_store(work->why_path, code->why, strlen(code->why));
    }
    unlink(output);
    unlink(errors);
  }
  for (size_t i = 0; inputs && i < work->count; i++) {
    if (inputs[i])
      unlink(inputs[i]);
    free(inputs[i]);
  }
  free(inputs);
  free(output);
  free(errors);
}

/* Finds the tool and the names of the results. Returns false with a reason. */
static bool prepare(struct work *work, char why[GASAN_WHY]) {
  static const uint32_t version = GASAN_ABI_VERSION;
  struct gasan_hash hash = gasan_hash_start();
  if (!gasan_lift_tool_find(work->tool)) {
    static atomic_bool warned;
    snprintf(why, GASAN_WHY, "gasan-ptxas is not installed beside libgasan_rt.so");
    if (!atomic_exchange(&warned, true))
      gasan_rt_warn("GASAN_OPTIONS=instrument=on has no effect: %s", why);
    return false;
  }
  gasan_hash_add(&hash, &version, sizeof version);
  gasan_hash_add(&hash, &work->architecture, sizeof work->architecture);
  gasan_hash_add(&hash, &work->relocatable, sizeof work->relocatable);
  gasan_lift_tool_add(&hash, work->tool);
  for (size_t i = 0; i < work->count; i++) {
    gasan_hash_add(&hash, &work->images[i].size, sizeof work->images[i].size);
    gasan_hash_add(&hash, work->images[i].data, work->images[i].size);
  }
  if (gasan_cache_path(&hash, work->relocatable ? ".object" : ".image", work->path) &&
      gasan_cache_path(&hash, ".why", work->why_path))
    return true;
  snprintf(why, GASAN_WHY, "there is no folder for the results");
  warn_of_folder(why);
  return false;
}

/* Reads a result of before. */
static bool read_result(const struct work *work, struct gasan_checked_code *code) {
  void *reason;
  size_t size;
  if (gasan_cache_fetch(work->path, &code->data, &code->size))
    return true;
  if (!gasan_cache_fetch(work->why_path, &reason, &size))
    return false;
  snprintf(code->why, sizeof code->why, "%s", (const char *)reason);
  free(reason);
  return true;
}

static void make_for(const struct gasan_code_image *images, size_t count, int architecture, bool relocatable,
                     struct gasan_checked_code *code) {
  struct work work = {.images = images, .count = count, .architecture = architecture, .relocatable = relocatable};
  struct progress progress = {.bytes = bytes_of(&work)};
  if (!prepare(&work, code->why) || read_result(&work, code))
    return;
  work.environment = gasan_lift_tool_environment();
  if (gasan_lift_jobs_enter(work.path, code->why, say_progress, &progress)) {
    if (!read_result(&work, code))
      make_new(&work, code, &progress);
    gasan_lift_jobs_leave(work.path, code->why);
    if (code->data)
      code->why[0] = 0;
  } else if (!code->why[0]) {
    read_result(&work, code);
  }
  if (progress.said_ms)
    gasan_rt_warn("the checks took %.1f s", (double)progress.said_ms / 1000);
  free(work.environment);
}

/* Finds the PTX of a cubin that NVRTC has made. */
static bool ptx_of_cubin(const struct gasan_code_image *cubin, void **ptx, size_t *size) {
  struct gasan_hash hash = gasan_hash_start();
  char path[GASAN_CACHE_PATH];
  gasan_hash_add(&hash, cubin->data, cubin->size);
  return gasan_cache_path(&hash, ".ptx", path) && gasan_cache_fetch(path, ptx, size);
}

void gasan_checked_code_keep_ptx(const void *cubin, size_t size, const char *ptx) {
  struct gasan_hash hash = gasan_hash_start();
  char path[GASAN_CACHE_PATH];
  gasan_hash_add(&hash, cubin, size);
  if (gasan_checked_code_wanted() && gasan_cache_path(&hash, ".ptx", path) && access(path, R_OK))
    gasan_cache_store(path, ptx, strlen(ptx));
}

/* Code that may have checks. */
struct source {
  struct gasan_code_image image; /* PTX, or a container */
  void *ptx;                     /* from the folder, or NULL; the caller frees it */
};

/* Returns false with a reason; "": the code has checks already. */
static bool find_source(struct gasan_code_image found, int architecture, struct source *source, char why[GASAN_WHY]) {
  struct gasan_code_image *image = &source->image;
  *source = (struct source){.image = found};
  why[0] = 0;
  if (image->form == GASAN_CODE_CUBIN) {
    if (memmem(image->data, image->size, GASAN_PARAMS_SYMBOL, strlen(GASAN_PARAMS_SYMBOL)))
      return false; /* Triton's, or what a linker has made of our object */
    if (ptx_of_cubin(image, &source->ptx, &image->size))
      *image = (struct gasan_code_image){GASAN_CODE_PTX, source->ptx, image->size};
    else
      snprintf(why, GASAN_WHY, "it is machine code without PTX");
  } else if (image->form == GASAN_CODE_LTO) {
    snprintf(why, GASAN_WHY, GASAN_CODE_LTO_REASON);
  } else if (image->form == GASAN_CODE_CONTAINER && !gasan_code_image_has_ptx(image, architecture)) {
    if (gasan_code_image_has_lto(image))
      snprintf(why, GASAN_WHY, GASAN_CODE_LTO_REASON);
    else
      snprintf(why, GASAN_WHY, "it has no PTX for sm_%d or an older GPU", architecture);
  } else if (image->form == GASAN_CODE_UNKNOWN) {
    snprintf(why, GASAN_WHY, "it is in a form that gasan does not know");
  }
  if (!why[0] && image->size > MOST_BYTES)
    snprintf(why, GASAN_WHY, "it has more than %u MiB", MOST_BYTES >> 20);
  return !why[0];
}

void gasan_checked_code_make(const void *bytes, int architecture, struct gasan_checked_code *code) {
  struct source source;
  *code = (struct gasan_checked_code){0};
  if (find_source(gasan_code_image_at(bytes), architecture, &source, code->why))
    make_for(&source.image, 1, architecture, false, code);
  free(source.ptx);
}

void gasan_checked_code_make_linked(const struct gasan_code_image *images, size_t count, int architecture,
                                    bool is_object, struct gasan_checked_code *code) {
  struct gasan_code_image *found = calloc(count, sizeof *found);
  struct source *sources = calloc(count, sizeof *sources);
  size_t done = 0;
  *code = (struct gasan_checked_code){.why = "there is no memory"};
  while (found && sources && done < count && find_source(images[done], architecture, &sources[done], code->why)) {
    found[done] = sources[done].image;
    done++;
  }
  if (done == count)
    make_for(found, count, architecture, is_object, code);
  for (size_t i = 0; sources && i < count; i++)
    free(sources[i].ptx);
  free(found);
  free(sources);
}

bool gasan_checked_code_is_possible(const struct gasan_code_image *image, int architecture, char why[GASAN_WHY]) {
  struct source source;
  const bool possible = find_source(*image, architecture, &source, why);
  free(source.ptx);
  return possible;
}

/* The work of a thread, and its own copy of the code. */
struct expected {
  struct work work;
  struct gasan_code_image image;
};

static void make_expected(void *argument) {
  struct expected *expected = argument;
  struct gasan_checked_code code = {0};
  char why[GASAN_WHY];
  if (gasan_lift_jobs_enter(expected->work.path, why, say_progress, NULL)) {
    if (!read_result(&expected->work, &code))
      make_new(&expected->work, &code, NULL);
    gasan_lift_jobs_leave(expected->work.path, code.why);
  }
  free(code.data);
  free(expected->work.environment);
  free((void *)expected->image.data);
  free(expected);
}

/* Returns NULL if the code has no PTX, or was made before. The caller frees the work, with its parts. */
static struct expected *prepare_expected(const struct gasan_code_image *image, int architecture) {
  struct source source;
  char why[GASAN_WHY];
  struct expected *expected = calloc(1, sizeof *expected);
  void *copy = NULL;
  if (expected && find_source(*image, architecture, &source, why)) {
    expected->image = source.image;
    expected->work = (struct work){.images = &expected->image, .count = 1, .architecture = architecture};
    if (prepare(&expected->work, why) && access(expected->work.path, R_OK) && access(expected->work.why_path, R_OK))
      copy = calloc(1, source.image.size + 1);
    if (copy)
      expected->image.data = memcpy(copy, source.image.data, source.image.size);
    free(source.ptx);
  }
  if (!copy) {
    free(expected);
    return NULL;
  }
  expected->work.environment = gasan_lift_tool_environment();
  return expected;
}

bool gasan_checked_code_expect(const struct gasan_code_image *image, int architecture) {
  struct expected *expected = prepare_expected(image, architecture);
  if (!expected || gasan_lift_jobs_start(make_expected, expected, expected->image.size))
    return expected != NULL;
  free(expected->work.environment);
  free((void *)expected->image.data);
  free(expected);
  return false;
}
