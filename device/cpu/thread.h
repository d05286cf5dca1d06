/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The context of the CUDA thread that an OS thread runs now, and the calls by which device code waits, ends or prints.
 * The helpers that are linked into every CPU image (device/cpu/helpers) use both; the SIMT engine implements them. The
 * context is in the runtime library's initial-exec TLS; every switch to another CUDA thread rewrites it. */
#ifndef GASAN_DEVICE_CPU_THREAD_H
#define GASAN_DEVICE_CPU_THREAD_H

#include <stdint.h>

#include "base/warp.h"

struct gasan_cpu_thread {
  uint32_t tid[3], linear; /* 16 bytes that every switch writes; linear: index in the block */
  uint32_t ntid[3], nthreads;
  uint32_t ctaid[3], spin; /* spin: polls since the last switch */
  uint32_t nctaid[3], dynamic_shared;
  char *shared;            /* the block's shared memory; below 4 GiB, so that 32-bit shared addresses work */
  uint32_t shared_size;    /* bytes, static and dynamic */
  uint32_t fiber;          /* 1: a fiber, which may wait; 0: an iteration of the block's loop */
  uint64_t dynamic_offset; /* of the dynamic region in shared */
  uint64_t grid_workspace; /* of a cooperative launch; otherwise 0 */
  uint64_t grid_id;
  char *stack_low, *stack_high; /* all stacks of the block's threads are between them (for isspacep.local) */
  uint64_t *frames;             /* a word for each thread of the block, for gasan_rt/kernel/frames.cu */
};

extern __thread struct gasan_cpu_thread gasan_cpu_thread __attribute__((tls_model("initial-exec")));

#define GASAN_CPU_CONVERGENT __attribute__((convergent))

enum gasan_cpu_reduction { GASAN_BARRIER_POPC, GASAN_BARRIER_AND, GASAN_BARRIER_OR };

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the address of gasan_cpu_thread. Images need this function, because a linker would resolve a weak
 * thread-local variable to zero. The result may be reused, since a fiber never moves to another OS thread. */
__attribute__((const, nothrow)) struct gasan_cpu_thread *gasan_cpu_this_thread(void);

/* bar.sync, bar.red and bar.arrive. `id`: 0 to 15. `count`: 0 for all threads of the block. */
void gasan_cpu_barrier(uint32_t id, uint32_t count) GASAN_CPU_CONVERGENT;
uint32_t gasan_cpu_barrier_reduce(uint32_t id, uint32_t count, uint32_t reduction,
                                  uint32_t predicate) GASAN_CPU_CONVERGENT;
void gasan_cpu_barrier_arrive(uint32_t id, uint32_t count) GASAN_CPU_CONVERGENT;
/* Executes a warp operation and returns its result. `operation`: enum gasan_warp_operation. b, c: the second and third
 * operand of shfl. *predicate (may be NULL): the predicate that shfl and match.all return. */
uint32_t gasan_cpu_warp(uint32_t operation, uint32_t mask, uint64_t value, uint32_t b, uint32_t c,
                        uint32_t *predicate) GASAN_CPU_CONVERGENT;
uint32_t gasan_cpu_activemask(void) GASAN_CPU_CONVERGENT;
void gasan_cpu_grid_sync(void) GASAN_CPU_CONVERGENT;
/* Lets the other threads of the block run. */
void gasan_cpu_yield(void) GASAN_CPU_CONVERGENT;
/* Ends the CUDA thread like PTX exit. */
__attribute__((noreturn)) void gasan_cpu_exit(void);
/* Ends the launch with a cudaError; 0 stands for 719, the launch failure that trap causes. */
__attribute__((noreturn)) void gasan_cpu_trap(int error);
/* Ends the launch with cudaErrorNotSupported and prints `what`. */
__attribute__((noreturn)) void gasan_cpu_unsupported(const char *what);
/* CUDA's __assertfail, vprintf, malloc and free. */
__attribute__((noreturn)) void gasan_cpu_assert_fail(const char *message, const char *file, uint32_t line,
                                                     const char *function, uint64_t char_size);
int gasan_cpu_vprintf(const char *format, const void *arguments);
void *gasan_cpu_malloc(uint64_t size);
void gasan_cpu_free(void *pointer);

#ifdef __cplusplus
}
#endif
#endif
