/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ABI between a CPU image (a kernel module retargeted to x86-64 by gasan_pass) and the CPU device.
 *
 * The image is linked into the program. A constructor of priority 101 in it calls gasan_cpu_register_image. The host
 * object's fat binary (what __cudaRegisterFatBinary gets) ends, behind the bytes that its own header counts, with
 * GASAN_CPU_TRAILER and the NUL-terminated id; that pairs the two. Everything has static storage. */
#ifndef GASAN_DEVICE_CPU_IMAGE_H
#define GASAN_DEVICE_CPU_IMAGE_H

#include <stdint.h>

#define GASAN_CPU_IMAGE_MAGIC 0x0031555043534147ull /* "GASCPU1\0" */
#define GASAN_CPU_TRAILER "GASANCPU"                /* 8 bytes, no NUL, then the id with NUL */

struct gasan_cpu_kernel {
  const char *name; /* symbol, as the host registers it */
  /* Runs one CUDA thread: `arguments` points to each argument, as in cudaLaunchKernel. */
  void (*thread)(void **arguments);
  /* Runs all threads of a block one after the other, from the context's linear index on; NULL if the kernel may wait
   * for another thread (barrier, warp operation, polling loop, grid sync): such a kernel runs on fibers. */
  void (*block)(void **arguments);
  const uint32_t *parameter_sizes; /* bytes */
  uint32_t parameter_count;
  uint32_t flags;                 /* GASAN_CPU_KERNEL_* */
  uint64_t static_shared;         /* bytes of static __shared__ */
  uint64_t dynamic_shared_offset; /* where the dynamic region starts in the block's shared memory */
  uint32_t max_threads;           /* __launch_bounds__, 0: none */
  uint32_t reserved;
};

#define GASAN_CPU_KERNEL_ACTIVEMASK 1u /* uses activemask: lanes must stall to be counted */

struct gasan_cpu_variable {
  const char *name;
  void *address;
  uint64_t size;
};

struct gasan_cpu_image {
  uint64_t magic;
  uint32_t abi_version;
  uint32_t arch; /* 80 for sm_80: the capability that it was compiled for */
  const char *id;
  uint32_t kernel_count, variable_count;
  const struct gasan_cpu_kernel *kernels;
  const struct gasan_cpu_variable
      *variables;        /* __device__, __constant__, and GASAN_PARAMS_SYMBOL, GASAN_SITES_SYMBOL */
  uint32_t flags;        /* GASAN_CPU_IMAGE_* */
  uint32_t shadow_scale; /* of its checks: log2 of the bytes that a shadow byte stands for; 0: it has none */
};

/* In the object that holds an image with checks: a byte for each, so that the link sees objects that do not fit. It is
 * not part of the program. */
#define GASAN_CPU_NOTE_SECTION ".gasan.checks"
#define GASAN_CPU_NOTE_SCALE 0x1fu /* these bits are its shadow_scale */
#define GASAN_CPU_NOTE_TAGS 0x80u

/* Has no checks of ours: the host's AddressSanitizer instruments it. Tests use it to cross-check our verdicts. */
#define GASAN_CPU_IMAGE_HOST_CHECKS 1u
/* Its checks compare bounds (GASAN_CODE_BST). */
#define GASAN_CPU_IMAGE_BOUNDS 2u
/* It strips the tags of pointers (GASAN_FLAG_TAGS). */
#define GASAN_CPU_IMAGE_TAGS 4u

#ifdef __cplusplus
extern "C"
#endif
    void gasan_cpu_register_image(const struct gasan_cpu_image *image);

#endif
