/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Settings of the CPU device, beyond what every device has (device/device.h). */
#ifndef GASAN_DEVICE_CPU_CPU_H
#define GASAN_DEVICE_CPU_CPU_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many OS threads, the launching one included, share the blocks of a grid; below 1: one for each core that the
 * process may use (the default). Holds from the next launch on. A cooperative launch always has one OS thread a block.
 * Any thread. */
void gasan_cpu_set_threads(int threads);

/* That number, at least 1. Any thread. */
int gasan_cpu_threads(void);

/* Mistakes of the program that CUDA has no report for and the CPU device can tell. */
enum gasan_cpu_finding_kind {
  GASAN_CPU_DEADLOCK,       /* every thread of a block that lives waits for others */
  GASAN_CPU_STACK_OVERFLOW, /* a thread's stack was too small */
  GASAN_CPU_FAULT,          /* a signal stopped device code */
  GASAN_CPU_WARP_MASK,      /* a lane has called a warp operation whose mask cannot be right */
  GASAN_CPU_POLLING /* no mistake for sure, and the launch goes on: all threads of a block have only polled memory for
                       long */
};

#define GASAN_CPU_FINDING_PLACES 16
#define GASAN_CPU_FINDING_FRAMES 32

/* Where threads of the block stand together. */
struct gasan_cpu_place {
  char waits_for[96]; /* "waits at barrier 0 for ..." less the first word; "" if they do not wait */
  uint32_t threads;
  uint32_t first[3];                       /* one of them: the one with the smallest index */
  uint32_t depth;                          /* frames there are; the innermost GASAN_CPU_FINDING_FRAMES are in pcs */
  uintptr_t pcs[GASAN_CPU_FINDING_FRAMES]; /* return addresses, innermost first */
};

/* What the processor says of a fault. */
enum gasan_cpu_access {
  GASAN_CPU_ACCESS_UNKNOWN, /* not even its address: of memory that no address can have, or misaligned for a vector; or
                               none at all */
  GASAN_CPU_ACCESS_READ,
  GASAN_CPU_ACCESS_WRITE,
  GASAN_CPU_ACCESS_CALL, /* of the address, where no code is */
};

struct gasan_cpu_finding {
  enum gasan_cpu_finding_kind kind;
  const char *kernel; /* symbol */
  uint64_t grid_id;
  uint32_t grid_dim[3], block_dim[3], block[3];
  uint32_t live, ended;         /* threads of the block */
  uint64_t address;             /* stack overflow and fault: of the access */
  uint64_t pc;                  /* stack overflow and fault */
  int signal;                   /* fault: SIGSEGV, SIGBUS, SIGFPE or SIGILL */
  enum gasan_cpu_access access; /* fault */
  uint64_t stack_size;
  uint32_t seconds; /* polling: for how long */
  /* Warp mask: the calling lane is not in `mask`; or, of place_count 2, it and other_lane, which waits in the same
   * operation with other_mask, are in each other's mask, and the masks differ. The places are theirs, in this order. */
  uint32_t operation, lane, mask, other_lane, other_mask; /* operation: enum gasan_warp_operation */
  uint32_t place_count, places_left_out;
  struct gasan_cpu_place places[GASAN_CPU_FINDING_PLACES];
};

/* Who is told of findings, once a launch at most. Called on a thread that runs the kernel, while the launch fails with
 * the error that it gets in any case. Without one, a line goes to standard error. */
void gasan_cpu_set_reporter(void (*report)(const struct gasan_cpu_finding *finding));

/* Whether an image of the program is checked by the host's AddressSanitizer: device memory then has to come from its
 * malloc. Any thread. */
bool gasan_cpu_host_checks(void);

/* What the images' checks were compiled for. False: they differ; two that do are named. Any thread. */
struct gasan_cpu_checks {
  uint32_t scale; /* as in gasan_cpu_image; 0: no image uses a shadow */
  bool bounds;    /* an image is in BST mode */
  bool tags;      /* -fsanitize-gpu-address-tags */
  /* What two images differ in: -fsanitize-gpu-address-<option>=<value>. All static. */
  const char *option;
  const char *file, *value; /* program or shared object */
  const char *other_file, *other_value;
};
bool gasan_cpu_images_agree(struct gasan_cpu_checks *checks);

/* From now on no call works: cudaErrorInitializationError, as in the forked child of a process that has used CUDA. */
void gasan_cpu_refuse(void);

/* The initial value of a managed variable, from the CPU image that belongs to the fat binary (whichever device runs the
 * kernels). NULL: the variable is not managed, or there is no image. `wrapper` as __cudaRegisterFatBinary gets it. */
const void *gasan_cpu_managed_initial(const void *wrapper, const char *name);

#ifdef __cplusplus
}
#endif
#endif
