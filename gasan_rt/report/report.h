/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports: what the user reads. Each snapshots what it prints before it prints, holds the report lock, and ends the
 * process unless halt_on_error=0. Only gasan_report_close, gasan_rt_fatal and base/check.c end the process. Any thread.
 */
#ifndef GASAN_RT_REPORT_H
#define GASAN_RT_REPORT_H

#include "base/heap.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/report/site_table.h"

enum gasan_kind {
#define GASAN_KIND(id, name) GASAN_KIND_##id,
#include "gasan_rt/report/kinds.inc"
#undef GASAN_KIND
};

const char *gasan_kind_name(enum gasan_kind kind);

/* A launch, and of a graph's kernel how it came into the graph (node_stack 0: not known). */
struct gasan_report_launch {
  bool known;
  const char *kernel;     /* its symbol on the device; lives for ever */
  uint32_t stack, thread; /* of the host thread that launched */
  uint32_t node_stack, node_thread;
  bool node_captured;
};

/* Memory that is in no pool. */
struct gasan_report_range {
  bool known;
  bool is_variable; /* of a module: chunk.api is its name, and only base and size are known */
  struct gasan_chunk chunk;
};

/* An access by device threads. */
struct gasan_report_heap;
struct gasan_view;
struct gasan_device_fault {
  struct gasan_rt_device *state;
  struct gasan_record record;      /* of the first faulting thread in grid order */
  uint64_t threads;                /* how many faulted at this site in this launch */
  const struct gasan_sites *sites; /* NULL: the image's table could not be read */
  struct gasan_report_launch launch;
  struct gasan_report_range range;      /* what the pointer's bounds are those of, if it is in no pool */
  const struct gasan_report_heap *heap; /* what they are those of in the device heap; NULL: nothing */
  const struct gasan_view *view;        /* the texture or surface object of the access; NULL: none that is known */
};

/* A chunk of the device heap. Its events are as if they were faults of their threads. */
struct gasan_report_heap {
  uint64_t base;
  struct gasan_heap_chunk chunk;
  struct gasan_device_fault allocated, freed; /* the second one, if it is freed */
};

void gasan_report_device_fault(const struct gasan_device_fault *fault);

/* A copy or set whose range is not inside one live allocation. */
struct gasan_api_fault {
  struct gasan_rt_device *state;          /* whose pool the range is in; NULL: */
  const struct gasan_report_range *range; /* what the range belongs to */
  const struct gasan_chunk *freed;        /* not NULL: the chunk, whose free is ahead in a stream */
  const char *api;                        /* "cudaMemcpy" */
  enum gasan_access access;               /* read or write */
  uint64_t address, size;                 /* the range (a row of it for 2D and 3D) */
  uint64_t fault;                         /* its first byte outside */
  size_t row, slice;                      /* of a copy or set of rows and of slices; SIZE_MAX: it is none */
};
/* False: it is suppressed; the call is to be made as if nothing were wrong. */
bool gasan_report_api_fault(const struct gasan_api_fault *fault);

/* A copy between overlapping ranges, in these chunks (NULL: nothing is said of it). False: it is suppressed. */
bool gasan_report_overlap(const char *api, uint64_t to, uint64_t from, uint64_t size,
                          const struct gasan_chunk *to_chunk, const struct gasan_chunk *from_chunk);

/* False: it is suppressed. */
bool gasan_report_double_free(struct gasan_rt_device *state, const struct gasan_pool_caller *caller, uint64_t address,
                              const struct gasan_chunk *chunk);
/* chunk NULL: the address is nowhere near the pool. */
bool gasan_report_bad_free(struct gasan_rt_device *state, const struct gasan_pool_caller *caller, uint64_t address,
                           const struct gasan_chunk *chunk);
/* The chunk is live, but its memory is not what this function frees. */
bool gasan_report_mismatch(struct gasan_rt_device *state, const struct gasan_pool_caller *caller, uint64_t address,
                           const struct gasan_chunk *chunk);

/* What the CPU device found out about a launch. launch NULL: it is not known; unchecked: why no access of its kernel is
 * checked, as what goes on behind "the kernel", or NULL. */
struct gasan_cpu_finding;
void gasan_report_finding(struct gasan_rt_device *state, const struct gasan_cpu_finding *finding,
                          const struct gasan_report_launch *launch, const char *unchecked);
/* A warning: threads poll memory for long. */
void gasan_report_polling(const struct gasan_cpu_finding *finding);

/* What every report begins and ends with: the first line, which names the kind and goes on with `rest`; the end of the
 * process, or not. */
void gasan_report_open(enum gasan_kind kind, const char *rest);
void gasan_report_open_at(const struct gasan_device_fault *fault, enum gasan_kind kind, uint64_t address);
void gasan_report_close(void);
/* "before", "after" or "inside of" a region, and how far. */
const char *gasan_report_relation(uint64_t base, uint64_t size, uint64_t address, uint64_t *distance);
/* Where the address lies from the chunk, and the stacks of its birth and end. */
void gasan_report_print_chunk(const struct gasan_chunk *chunk, uint64_t address);
/* The same of a variable whose address the program has asked for. */
void gasan_report_print_variable(const struct gasan_chunk *variable, uint64_t address);
void gasan_report_print_shadow(struct gasan_rt_device *state, uint64_t address);
/* What an access to the byte is, if `chunk` (found) is what explains it. */
enum gasan_kind gasan_report_kind_of(bool found, const struct gasan_chunk *chunk, uint64_t fault);
/* "5" or "(5,2,1)". */
void gasan_report_shape(const uint32_t shape[3], char *text, size_t size);
/* Parts of a report on what device threads did: "device thread (..) block (..) lane n"; how many did the same; the
 * access; the site's frames with the launch below them; the summary. site NULL: nobody knows where. */
uint32_t gasan_report_lane(const struct gasan_record *record);
void gasan_report_print_thread(const struct gasan_record *record);
void gasan_report_print_more_threads(const struct gasan_device_fault *fault);
/* Returns "READ", or "WRITE" for all that also write (enum gasan_access). */
const char *gasan_report_access_name(uint32_t access);
void gasan_report_print_access(const struct gasan_device_fault *fault, const struct gasan_site *site);
void gasan_report_print_device_stack(const struct gasan_device_fault *fault, const struct gasan_site *site);
void gasan_report_print_device_summary(const struct gasan_device_fault *fault, enum gasan_kind kind,
                                       const struct gasan_site *site);
bool gasan_report_fault_suppressed(const struct gasan_device_fault *fault, const struct gasan_site *site);
/* Is this a file of clang's or CUDA's headers, whose line no program's author looks for? */
bool gasan_report_is_wrapper(const char *file);

/* Reports so far. */
uint64_t gasan_report_count(void);

#endif
