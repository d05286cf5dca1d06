/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Settings and findings of the CPU device that other devices do not have (device/device.h). Any thread, unless a
 * function says otherwise. */
#ifndef GASAN_DEVICE_CPU_CPU_H
#define GASAN_DEVICE_CPU_CPU_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the number of OS threads, including the launching one, that share the blocks of a grid, from the next launch on.
 * Below 1: one for each core that the process may use (the default). A cooperative launch always has an OS thread for
 * each block. */
void gasan_cpu_set_threads(int threads);

/* Returns that number, at least 1. */
int gasan_cpu_threads(void);

/* Makes blocks and threads run in an order that the seed decides, instead of the order of their numbers. Must be called
 * before the first launch. */
void gasan_cpu_set_random_order(uint64_t seed);

/* A finding: a bug of the program that CUDA does not report and that the CPU device detects. */
enum gasan_cpu_finding_kind {
  GASAN_CPU_DEADLOCK,       /* every live thread of a block waits for others */
  GASAN_CPU_STACK_OVERFLOW, /* a thread's stack was too small */
  GASAN_CPU_FAULT,          /* a signal stopped device code */
  GASAN_CPU_WARP_MASK,      /* a lane has called a warp operation with a mask that cannot be right */
  /* All threads of a block have done nothing but poll memory for long. This may be no bug, so the launch continues. */
  GASAN_CPU_POLLING
};

#define GASAN_CPU_FINDING_PLACES 16
#define GASAN_CPU_FINDING_FRAMES 32

/* A place in the code, and the threads of the block that are there. */
struct gasan_cpu_place {
  char waits_for[96]; /* such as "at barrier 0 for ...", to follow "waits"; "" if the threads do not wait */
  uint32_t threads;
  uint32_t first[3];                       /* the one with the smallest index */
  uint32_t depth;                          /* all frames; pcs has the innermost GASAN_CPU_FINDING_FRAMES */
  uintptr_t pcs[GASAN_CPU_FINDING_FRAMES]; /* return addresses, innermost first */
};

/* The access of a fault, as the processor describes it. */
enum gasan_cpu_access {
  /* Even the address is unknown: it is not canonical, or not aligned for a vector, or the fault is not an access. */
  GASAN_CPU_ACCESS_UNKNOWN,
  GASAN_CPU_ACCESS_READ,
  GASAN_CPU_ACCESS_WRITE,
  GASAN_CPU_ACCESS_CALL, /* a call to an address that has no code */
};

struct gasan_cpu_finding {
  enum gasan_cpu_finding_kind kind;
  const char *kernel; /* symbol */
  uint64_t grid_id;
  uint32_t grid_dim[3], block_dim[3], block[3];
  uint32_t live, ended;         /* threads of the block */
  uint64_t address;             /* stack overflow and fault: the accessed address */
  uint64_t pc;                  /* stack overflow and fault */
  int signal;                   /* fault: SIGSEGV, SIGBUS, SIGFPE or SIGILL */
  enum gasan_cpu_access access; /* fault */
  uint64_t stack_size;
  uint32_t seconds; /* polling: for how long */
  /* Warp mask. place_count 1: the calling lane is not in its own mask. place_count 2: other_lane waits in the same
   * operation with other_mask; each lane is in the other's mask, and the masks differ. places[0] is the calling lane's,
   * places[1] the other lane's. */
  uint32_t operation, lane, mask, other_lane, other_mask; /* operation: enum gasan_warp_operation */
  uint32_t place_count, places_left_out;
  struct gasan_cpu_place places[GASAN_CPU_FINDING_PLACES];
};

/* Sets the function that gets findings, at most one for each launch. It is called on a thread that runs the kernel. The
 * launch fails with the same error, with and without this function. Without it, a finding is printed as a line on
 * standard error. */
void gasan_cpu_set_reporter(void (*report)(const struct gasan_cpu_finding *finding));

/* Sets the function that each image is passed to at the start of its registration, in the constructor of the image's
 * object. Must be called before any image registers. `seen` returns false if the object registers its device code
 * elsewhere. */
void gasan_cpu_set_image_seen(bool (*seen)(const void *image));

/* Returns true if the host's AddressSanitizer checks an image of the program. Device memory must then come from that
 * sanitizer's malloc. */
bool gasan_cpu_host_checks(void);
/* Returns true if an image of the program belongs to an object that has no code for GPUs. */
bool gasan_cpu_only(void);

/* The options with which the checks of all images were compiled. */
struct gasan_cpu_checks {
  uint32_t scale; /* as in gasan_cpu_image; 0: no image uses a shadow */
  bool bounds;    /* an image is in BST mode */
  bool tags;      /* -fsanitize-gpu-address-tags */
  /* If two images differ: the option -fsanitize-gpu-address-<option>=<value> in which they differ. All strings are
   * static. */
  const char *option;
  const char *file, *value; /* program or shared object */
  const char *other_file, *other_value;
};
/* Fills in *checks. Returns false if two images differ; *checks then names them. */
bool gasan_cpu_images_agree(struct gasan_cpu_checks *checks);

/* Makes every later call fail with cudaErrorInitializationError, as in the forked child of a process that has used
 * CUDA. */
void gasan_cpu_refuse(void);

/* Returns the initial value of a managed variable, from the CPU image of the fat binary, whichever device runs the
 * kernels. `wrapper` is the argument of __cudaRegisterFatBinary. NULL: the variable is not managed, or there is no
 * image. */
const void *gasan_cpu_managed_initial(const void *wrapper, const char *name);

#ifdef __cplusplus
}
#endif
#endif
