/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ABI between a CPU image (a kernel module retargeted to x86-64 by gasan_pass) and the CPU device.
 *
 * The image is linked into the program. Its constructor, of priority 101, calls gasan_cpu_register_image. The image
 * refers to all functions and variables of the runtime by weak symbols, so that any linker can link it
 * (helpers/registration.c). The host object's fat binary (the argument of __cudaRegisterFatBinary) has a struct
 * gasan_cpu_trailer after the bytes that its own header counts. The fat binary finds its image by the id in it. All
 * data has static storage. */
#ifndef GASAN_DEVICE_CPU_IMAGE_H
#define GASAN_DEVICE_CPU_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#define GASAN_CPU_IMAGE_MAGIC 0x0031555043534147ull /* "GASCPU1\0" */

/* A fat binary without code, whose header is longer than others. CUDA's cuobjdump and nvdisasm expect nothing but fat
 * binaries in the section. */
struct gasan_cpu_trailer {
  uint32_t magic;                /* GASAN_FAT_BINARY_MAGIC */
  uint16_t version, header_size; /* 1; bytes of this struct */
  uint64_t size;                 /* 0 */
  uint64_t kind;                 /* GASAN_CPU_TRAILER_KIND */
  char id[32];                   /* of the image, NUL-terminated */
};

#define GASAN_FAT_BINARY_MAGIC 0xba55ed50u
#define GASAN_CPU_TRAILER_KIND 0x5550434e41534147ull /* "GASANCPU" */

struct gasan_cpu_kernel {
  const char *name; /* symbol, as the host registers it */
  /* Runs one CUDA thread. `arguments` has a pointer to each argument, as in cudaLaunchKernel. */
  void (*thread)(void **arguments);
  /* Runs the threads of a block one after the other, from the context's linear index on. NULL: a thread of the kernel
   * may wait for another thread (barrier, warp operation, polling loop, grid sync), so the threads run as fibers. */
  void (*block)(void **arguments);
  const uint32_t *parameter_sizes; /* bytes */
  uint32_t parameter_count;
  uint32_t flags;                 /* GASAN_CPU_KERNEL_* */
  uint64_t static_shared;         /* bytes of static __shared__ */
  uint64_t dynamic_shared_offset; /* of the dynamic region in the block's shared memory */
  uint32_t max_threads;           /* __launch_bounds__, 0: none */
  uint32_t reserved;
};

#define GASAN_CPU_KERNEL_ACTIVEMASK 1u /* the kernel uses activemask, so the engine counts running lanes */

struct gasan_cpu_variable {
  const char *name;
  void *address;
  uint64_t size;
};

struct gasan_cpu_image {
  uint64_t magic;
  uint32_t abi_version;
  uint32_t arch; /* compute capability times 10: 80 for sm_80 */
  const char *id;
  uint32_t kernel_count, variable_count;
  const struct gasan_cpu_kernel *kernels;
  /* The program's __device__ and __constant__ variables, GASAN_PARAMS_SYMBOL and GASAN_SITES_SYMBOL. */
  const struct gasan_cpu_variable *variables;
  uint32_t flags;        /* GASAN_CPU_IMAGE_* */
  uint32_t shadow_scale; /* log2 of the bytes for each shadow byte of the image's checks; 0: they use no shadow */
};

/* A section of objects, not of the program, with a byte for each image with checks. The driver reads it at a link, to
 * find objects whose checks do not fit together. */
#define GASAN_CPU_NOTE_SECTION ".gasan.checks"
#define GASAN_CPU_NOTE_SCALE 0x1fu /* bits of shadow_scale */
#define GASAN_CPU_NOTE_TAGS 0x80u

/* The image has no checks of ours: the host's AddressSanitizer instruments it. Tests compare its verdicts with ours. */
#define GASAN_CPU_IMAGE_HOST_CHECKS 1u
/* The image's checks compare bounds (GASAN_CODE_BST). */
#define GASAN_CPU_IMAGE_BOUNDS 2u
/* The image strips the tags of pointers (GASAN_FLAG_TAGS). */
#define GASAN_CPU_IMAGE_TAGS 4u
/* The object has no code for GPUs, or the image has none for the CPU device (-fsanitize-gpu-address-devices=). */
#define GASAN_CPU_IMAGE_ONLY_CPU 8u
#define GASAN_CPU_IMAGE_ONLY_CUDA 16u

#ifdef __cplusplus
extern "C" {
#endif
void gasan_cpu_register_image(const struct gasan_cpu_image *image);
/* Does the same for an object that was linked without the runtime, and has loaded it. Returns false if the object
 * registers its device code elsewhere: the image is not registered then. */
bool gasan_cpu_adopt_image(const struct gasan_cpu_image *image);
#ifdef __cplusplus
}
#endif

#endif
