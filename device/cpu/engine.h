/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The SIMT engine: runs the blocks of a grid over OS threads, and the CUDA threads of a block as fibers of one OS
 * thread. */
#ifndef GASAN_DEVICE_CPU_ENGINE_H
#define GASAN_DEVICE_CPU_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "device/cpu/image.h"

#define GASAN_CPU_BLOCK_THREADS 1024u        /* most threads of a block */
#define GASAN_CPU_SHARED_LIMIT (227u << 10)  /* most static and dynamic shared memory of a block */
#define GASAN_CPU_SHARED_RESERVED 1024u      /* bytes below the block's own shared memory: %reserved_smem_offset_1 */
#define GASAN_CPU_SHARED_DEFAULT (48u << 10) /* limit without cudaFuncSetAttribute */
#define GASAN_CPU_WORKSPACE_WORDS 64u

/* CUDA's error numbers with which device code ends. */
enum gasan_cpu_device_error {
  GASAN_CPU_ERROR_OUT_OF_MEMORY = 2,
  GASAN_CPU_ERROR_ILLEGAL_ADDRESS = 700,
  GASAN_CPU_ERROR_ASSERT = 710,
  GASAN_CPU_ERROR_STACK = 714,
  GASAN_CPU_ERROR_LAUNCH_FAILURE = 719,
  GASAN_CPU_ERROR_NOT_SUPPORTED = 801,
};

/* The barrier of a cooperative launch's blocks. */
struct gasan_cpu_grid {
  pthread_mutex_t lock;
  uint32_t arrived, live; /* blocks */
  _Atomic uint32_t generation;
  /* Owned by cooperative groups; zero at the start of the launch. */
  uint64_t workspace[GASAN_CPU_WORKSPACE_WORDS] __attribute__((aligned(64)));
};

struct gasan_cpu_worker;

struct gasan_cpu_launch {
  /* Set by the caller, who has checked them against the device's limits. */
  const struct gasan_cpu_kernel *kernel;
  void **arguments;
  uint32_t grid[3], block[3];
  uint32_t dynamic_shared;
  uint32_t stack_size; /* bytes for each thread, a multiple of the page size */
  bool cooperative;    /* all blocks run at the same time */
  uint64_t grid_id;

  /* Set by the engine. */
  uint64_t blocks, chunk;
  _Atomic uint64_t next; /* block that no worker has yet */
  _Atomic int error;     /* CUDA error, 0: none */
  atomic_bool polling_reported;
  atomic_bool has_more_threads;   /* there are more threads than cores, because blocks poll */
  struct gasan_cpu_grid *meeting; /* NULL unless cooperative */
  /* Starts an OS thread for blocks that have not begun, if there are any. The worker's block may be waiting for such a
   * block. */
  void (*start_more)(struct gasan_cpu_worker *worker);
};

/* launch.c */

/* Returns the kernel's symbol under which the program knows it: for a variant (base/proof_table.h), the symbol of the
 * full kernel. */
const char *gasan_cpu_launch_name(const struct gasan_cpu_launch *launch);
/* Makes the launch fail with a CUDA error. If the launch has failed already, keeps its first error and returns
 * false. */
bool gasan_cpu_launch_fail(struct gasan_cpu_launch *launch, int error);

/* engine.c */

/* Runs the grid to its end. Returns 0, or the CUDA error with which device code ended. Runs one launch at a time: the
 * caller must hold the device's lock. */
int gasan_cpu_engine_run(struct gasan_cpu_launch *launch);

#endif
