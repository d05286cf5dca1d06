/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The SIMT engine: runs the blocks of a grid over OS threads and a block's CUDA threads as fibers of one OS thread. */
#ifndef GASAN_DEVICE_CPU_ENGINE_H
#define GASAN_DEVICE_CPU_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "device/cpu/image.h"

#define GASAN_CPU_BLOCK_THREADS 1024u        /* most threads of a block */
#define GASAN_CPU_SHARED_LIMIT (227u << 10)  /* most static + dynamic shared memory of a block */
#define GASAN_CPU_SHARED_RESERVED 1024u      /* below the block's own: what %reserved_smem_offset_1 names */
#define GASAN_CPU_SHARED_DEFAULT (48u << 10) /* without cudaFuncSetAttribute */
#define GASAN_CPU_WORKSPACE_WORDS 64u

/* CUDA's error numbers that device code ends with. */
enum gasan_cpu_device_error {
  GASAN_CPU_ERROR_OUT_OF_MEMORY = 2,
  GASAN_CPU_ERROR_ILLEGAL_ADDRESS = 700,
  GASAN_CPU_ERROR_ASSERT = 710,
  GASAN_CPU_ERROR_STACK = 714,
  GASAN_CPU_ERROR_LAUNCH_FAILURE = 719,
  GASAN_CPU_ERROR_NOT_SUPPORTED = 801,
};

/* Where the blocks of a cooperative launch meet. */
struct gasan_cpu_grid {
  pthread_mutex_t lock;
  uint32_t arrived, live; /* blocks */
  _Atomic uint32_t generation;
  uint64_t workspace[GASAN_CPU_WORKSPACE_WORDS]
      __attribute__((aligned(64))); /* cooperative groups' own, zero at first */
};

struct gasan_cpu_launch {
  /* Set by the caller, already checked against the device's limits. */
  const struct gasan_cpu_kernel *kernel;
  void **arguments;
  uint32_t grid[3], block[3];
  uint32_t dynamic_shared;
  uint32_t stack_size; /* bytes of each thread, a multiple of the page size */
  bool cooperative;    /* all blocks run at the same time */
  uint64_t grid_id;

  /* The engine's. */
  uint64_t blocks, chunk;
  _Atomic uint64_t next;
  _Atomic int error;
  atomic_bool told_of_polling;
  atomic_bool has_more_threads;   /* than cores: some blocks poll */
  struct gasan_cpu_grid *meeting; /* NULL unless cooperative */
};

/* The kernel's symbol, as the program knows it: that of a variant (base/proof.h) is the symbol of the kernel that it is
 * of. */
const char *gasan_cpu_launch_name(const struct gasan_cpu_launch *launch);

/* Runs the grid to its end; returns 0 or the CUDA error that device code ended with. One launch at a time: the caller
 * holds the device. */
int gasan_cpu_engine_run(struct gasan_cpu_launch *launch);

#endif
