/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The CUDA thread that an OS thread is running now, as device code on the CPU device sees it, and the calls by which it
 * waits, ends or prints. Used by the helpers that are linked into every CPU image (device/cpu/helpers) and by the SIMT
 * engine. The context is in the runtime library's TLS, initial-exec, and is rewritten at every switch. */
#ifndef GASAN_DEVICE_CPU_THREAD_H
#define GASAN_DEVICE_CPU_THREAD_H

#include <stdint.h>

#include "base/warp.h"

struct gasan_cpu_thread {
  uint32_t tid[3], linear; /* 16 bytes, written by every switch; linear: index in the block */
  uint32_t ntid[3], nthreads;
  uint32_t ctaid[3], spin; /* spin: polls since the last switch */
  uint32_t nctaid[3], dynamic_shared;
  char *shared;            /* the block's shared memory; below 4 GiB, so that 32-bit shared addresses work */
  uint32_t shared_size;    /* static + dynamic */
  uint32_t fiber;          /* 1: runs as a fiber, may wait; 0: in the block's loop */
  uint64_t dynamic_offset; /* of the dynamic region in shared */
  uint64_t grid_workspace; /* cooperative launch; 0 else */
  uint64_t grid_id;
  char *stack_low, *stack_high; /* hold the stacks of the block's threads: for isspacep.local */
  uint64_t *frames;             /* a word for each thread of the block, for gasan_rt/kernel/frames.cu */
};

/* always_inline helpers must not cache the address across a switch to another OS thread: fibers stay on theirs. */
extern __thread struct gasan_cpu_thread gasan_cpu_thread __attribute__((tls_model("initial-exec")));

#define GASAN_CPU_CONVERGENT __attribute__((convergent))

enum gasan_cpu_reduction { GASAN_BARRIER_POPC, GASAN_BARRIER_AND, GASAN_BARRIER_OR };

#ifdef __cplusplus
extern "C" {
#endif

/* barrier 0..15; count 0: all threads of the block */
void gasan_cpu_barrier(uint32_t id, uint32_t count) GASAN_CPU_CONVERGENT;
uint32_t gasan_cpu_barrier_reduce(uint32_t id, uint32_t count, uint32_t reduction,
                                  uint32_t predicate) GASAN_CPU_CONVERGENT;
void gasan_cpu_barrier_arrive(uint32_t id, uint32_t count) GASAN_CPU_CONVERGENT;
/* operation: enum gasan_warp_operation; b, c: shfl's second and third operand; *predicate (may be NULL): shfl's or
 * match.all's predicate result */
uint32_t gasan_cpu_warp(uint32_t operation, uint32_t mask, uint64_t value, uint32_t b, uint32_t c,
                        uint32_t *predicate) GASAN_CPU_CONVERGENT;
uint32_t gasan_cpu_activemask(void) GASAN_CPU_CONVERGENT;
void gasan_cpu_grid_sync(void) GASAN_CPU_CONVERGENT;
void gasan_cpu_yield(void) GASAN_CPU_CONVERGENT; /* lets the other threads of the block run */
/* Ends the CUDA thread as PTX exit does. */
__attribute__((noreturn)) void gasan_cpu_exit(void);
/* Ends the launch with this cudaError (719 launch failure for trap). */
__attribute__((noreturn)) void gasan_cpu_trap(int error);
__attribute__((noreturn)) void gasan_cpu_unsupported(const char *what);
__attribute__((noreturn)) void gasan_cpu_assert_fail(const char *message, const char *file, uint32_t line,
                                                     const char *function, uint64_t char_size);
int gasan_cpu_vprintf(const char *format, const void *arguments);
void *gasan_cpu_malloc(uint64_t size);
void gasan_cpu_free(void *pointer);

#ifdef __cplusplus
}
#endif
#endif
