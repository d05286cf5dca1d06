/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the program's static constructors register: modules (fat binaries), kernels, variables.
 *
 * Registrations are kept and handed to the device only when the runtime starts (replay), later ones at once.
 *
 * Any thread. One lock (`lock`), held while the device's own registration functions are called and while a module is
 * prepared; inside it the locks of managed.c and of the device heap may be taken. A kernel is found without it. */
#ifndef GASAN_RT_REGISTRY_H
#define GASAN_RT_REGISTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"

struct gasan_rt_device;
struct gasan_sites;
struct gasan_proofs;
struct gasan_kernel_proof;

struct gasan_module;

struct gasan_kernel {
  const void *host_function; /* what the program launches by */
  const char *name;          /* device symbol */
  struct gasan_module *module;
  struct gasan_kernel *next_in_module;
  _Atomic bool unknown_stack; /* GASAN_KERNEL_UNKNOWN_STACK; known once the module is prepared */
};

/* A fat binary's; what the program holds as its handle. */
struct gasan_module *gasan_registry_add(void *wrapper);
void gasan_registry_end(struct gasan_module *module);
void gasan_registry_remove(struct gasan_module *module);
/* Its symbols, with libcudart's parameters. */
void gasan_registry_add_kernel(struct gasan_module *module, const char *host, char *device, const char *name,
                               int thread_limit);
void gasan_registry_add_variable(struct gasan_module *module, char *host, char *device, const char *name, int external,
                                 size_t size, int constant, int global);
void gasan_registry_add_managed(struct gasan_module *module, void **host, char *device, const char *name, size_t size);
void gasan_registry_add_host(struct gasan_module *module, const char *name, void *host, size_t size);
/* The device's own __cudaInitModule. */
char gasan_registry_init(struct gasan_module *module);

bool gasan_module_is_loaded(const struct gasan_module *module);
/* Has an instrumented kernel of the module been launched on this device? */
bool gasan_module_is_instrumented_on(const struct gasan_module *module, int ordinal);

/* Hands all registrations so far to the kind; once, from the start. */
void gasan_registry_replay(const struct gasan_device_kind *kind);

/* The kernel registered under a host function, or NULL. */
const struct gasan_kernel *gasan_registry_kernel(const void *host_function);

/* The name on the device of the variable registered under a host address, or NULL; lives as long as its module. */
const char *gasan_registry_variable(const void *host);

/* Makes the kernel's module know the device's parameters (window, shadow, ring) if it does not yet. False: the module
 * is not instrumented. */
bool gasan_module_prepare(const struct gasan_kernel *kernel, struct gasan_rt_device *state);

/* Its demangled name, for messages. */
struct gasan_kernel_title {
  char text[500];
};
struct gasan_kernel_title gasan_kernel_title(const struct gasan_kernel *kernel);

/* cudaLimitMallocHeapSize has changed: the device's heap is made anew if kernels have not used it yet. */
void gasan_registry_resize_heap(struct gasan_rt_device *state);

/* Were all instrumented modules so far compiled for handles, and at least one? Loads them. */
bool gasan_registry_takes_handles(struct gasan_device *device);

/* The module's site table as read from its image on this device; NULL if it cannot be read. Kept for ever. */
const struct gasan_sites *gasan_module_sites(uint32_t module_id, struct gasan_rt_device *state);

/* The table of launch proofs in the kernel's image, read once; NULL: it has none, or a damaged one (a line says
 * so). Kept for ever. */
struct gasan_proofs *gasan_module_proofs(const struct gasan_kernel *kernel, struct gasan_rt_device *state);

/* Where launch_proof.c keeps what it knows of the kernel. */
struct gasan_kernel_proof *_Atomic *gasan_kernel_launch_proof(const struct gasan_kernel *kernel);

uint32_t gasan_module_id(const struct gasan_module *module);

struct gasan_registry_counts {
  uint64_t modules, instrumented_modules, kernels, sites, unchecked_accesses;
};
/* Of the modules that were launched from; for print_stats and verbosity. */
void gasan_registry_count(struct gasan_registry_counts *counts);

#endif
