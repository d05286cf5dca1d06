/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports the program's bugs. Each report copies its data before it prints, holds the report lock, and ends the process
 * unless halt_on_error=0. Only gasan_report_close, gasan_rt_fatal and base/check.c end the process. Any thread.
 *
 * The reports of calls (api_fault, overlap, double_free, bad_free, mismatch) return false if a suppression matches: the
 * caller must then make the call as if nothing were wrong.
 *
 * The folder report/ writes the text of all reports. It has no lock of its own. Each report holds the report lock of
 * gasan_rt/sanitizer, which is recursive; under it, the pool's lock is taken to describe a chunk. */
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

/* A launch. For a graph's kernel, also the stack that added the kernel to the graph (node_stack; 0: not known). */
struct gasan_report_launch {
  bool known;
  const char *kernel;     /* its device symbol; never freed */
  uint32_t stack, thread; /* of the launching host thread */
  uint32_t node_stack, node_thread;
  bool node_captured;
  bool is_left_out; /* by GASAN_OPTIONS=kernels, launch_skip or launch_count */
};

/* Memory outside the pools. */
struct gasan_report_range {
  bool known;
  bool is_variable; /* a module's variable: chunk.api is its name, and only base and size are known */
  struct gasan_chunk chunk;
};

/* An access by device threads. */
struct gasan_report_heap;
struct gasan_view;
struct gasan_proof_explanation;
struct gasan_device_fault {
  struct gasan_rt_device *state;
  struct gasan_record record;      /* of the first faulting thread in grid order */
  uint64_t threads;                /* the number of threads that faulted at this site in this launch */
  const struct gasan_sites *sites; /* NULL: the image's table could not be read */
  struct gasan_report_launch launch;
  struct gasan_report_range range;           /* the foreign range of the pointer's bounds, if it is one */
  const struct gasan_report_heap *heap;      /* the heap chunk of the pointer's bounds; NULL: it is none */
  const struct gasan_view *view;             /* the texture or surface object of the access; NULL: none is known */
  const struct gasan_proof_explanation *why; /* the values that make the index; NULL: not known */
};

/* A chunk of the device heap. Its allocation and free are described as faults of their threads. */
struct gasan_report_heap {
  uint64_t base;
  struct gasan_heap_chunk chunk;
  struct gasan_device_fault allocated, freed; /* freed: only if the chunk is freed */
};

void gasan_report_device_fault(const struct gasan_device_fault *fault);

/* A copy or set whose range is not inside one live allocation. */
struct gasan_api_fault {
  struct gasan_rt_device *state;          /* the owner of the range's pool; NULL: see `range` */
  const struct gasan_report_range *range; /* the foreign range */
  const struct gasan_chunk *freed;        /* not NULL: the chunk, whose free is pending in a stream */
  const char *api;                        /* "cudaMemcpy" */
  enum gasan_access access;               /* read or write */
  uint64_t address, size;                 /* the range (a row of it for 2D and 3D) */
  uint64_t fault;                         /* the first byte outside */
  size_t row, slice;                      /* in a copy or set of rows and slices; SIZE_MAX: it has none */
};
bool gasan_report_api_fault(const struct gasan_api_fault *fault);

/* Reports a copy between overlapping ranges in these chunks. A chunk that is NULL is not described. */
bool gasan_report_overlap(const char *api, uint64_t to, uint64_t from, uint64_t size,
                          const struct gasan_chunk *to_chunk, const struct gasan_chunk *from_chunk);

bool gasan_report_double_free(struct gasan_rt_device *state, const struct gasan_pool_caller *caller, uint64_t address,
                              const struct gasan_chunk *chunk);
/* Reports a free of an address that is not a chunk's start. chunk NULL: there is no chunk nearby. */
bool gasan_report_bad_free(struct gasan_rt_device *state, const struct gasan_pool_caller *caller, uint64_t address,
                           const struct gasan_chunk *chunk);
/* Reports that a live chunk is freed by the wrong function. */
bool gasan_report_mismatch(struct gasan_rt_device *state, const struct gasan_pool_caller *caller, uint64_t address,
                           const struct gasan_chunk *chunk);

/* Reports a finding of the CPU device. launch NULL: not known. `unchecked` is the reason why the kernel has no checks,
 * as a text that follows "the kernel", or NULL. */
struct gasan_cpu_finding;
void gasan_report_finding(struct gasan_rt_device *state, const struct gasan_cpu_finding *finding,
                          const struct gasan_report_launch *launch, const char *unchecked);
/* Warns that threads have polled memory for long. */
void gasan_report_polling(const struct gasan_cpu_finding *finding);

/* Begin and end each report. open prints the first line, which names the kind and continues with `rest`. close ends the
 * process unless halt_on_error=0. */
void gasan_report_open(enum gasan_kind kind, const char *rest);
void gasan_report_open_at(const struct gasan_device_fault *fault, enum gasan_kind kind, uint64_t address);
void gasan_report_close(void);
/* Returns "before", "after" or "inside of" for an address and a region; *distance is in bytes. */
const char *gasan_report_relation(uint64_t base, uint64_t size, uint64_t address, uint64_t *distance);
/* Prints the address's position relative to the chunk, and the stacks of allocation and free. */
void gasan_report_print_chunk(const struct gasan_chunk *chunk, uint64_t address);
void gasan_report_print_chunk_stacks(const struct gasan_chunk *chunk);
/* Does the same for a variable whose address the program has requested. */
void gasan_report_print_variable(const struct gasan_chunk *variable, uint64_t address);
void gasan_report_print_shadow(struct gasan_rt_device *state, uint64_t address);
/* Returns the kind of an access to the byte. If `found` is true, `chunk` is the chunk that explains the byte. */
enum gasan_kind gasan_report_kind_of(bool found, const struct gasan_chunk *chunk, uint64_t fault);
/* Writes "5" or "(5,2,1)". */
void gasan_report_shape(const uint32_t shape[3], char *text, size_t size);
/* Print parts of a report about device threads: "device thread (..) block (..) lane n"; the number of other threads;
 * the access; the site's frames, with the launch below them; the summary. site NULL: the site is not known. */
uint32_t gasan_report_lane(const struct gasan_record *record);
void gasan_report_print_thread(const struct gasan_record *record);
void gasan_report_print_more_threads(const struct gasan_device_fault *fault);
/* Returns "READ", or "WRITE" for all accesses that write (enum gasan_access). */
const char *gasan_report_access_name(uint32_t access);
void gasan_report_print_access(const struct gasan_device_fault *fault, const struct gasan_site *site);
void gasan_report_print_device_stack(const struct gasan_device_fault *fault, const struct gasan_site *site);
/* Prints an empty line, and the source line of the access with the values that make its index. */
void gasan_report_print_device_source(const struct gasan_device_fault *fault, const struct gasan_site *site);
void gasan_report_print_device_summary(const struct gasan_device_fault *fault, enum gasan_kind kind,
                                       const struct gasan_site *site);
/* Returns true also if GASAN_OPTIONS=kernels, launch_skip or launch_count leave the launch out. */
bool gasan_report_fault_suppressed(const struct gasan_device_fault *fault, const struct gasan_site *site,
                                   enum gasan_kind kind);
/* Returns true for a file of clang's or CUDA's headers, whose lines do not help the program's author. */
bool gasan_report_is_wrapper(const char *file);

/* Returns the number of reports so far. */
uint64_t gasan_report_count(void);

#endif
