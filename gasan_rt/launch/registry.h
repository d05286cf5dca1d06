/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The registry of modules (fat binaries), kernels and variables, which the program's static constructors register.
 *
 * Before the runtime starts, registrations are only recorded. At its start, the runtime passes the recorded ones to the
 * device. Later registrations go to the device at once.
 *
 * Any thread. One lock (`lock`), held while the device's registration functions are called and while a module is
 * prepared. Under it, the locks of managed_variables.c and of the device heap may be taken. Finding a kernel takes no
 * lock. */
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
  const void *host_function; /* the program launches the kernel by it */
  const char *name;          /* device symbol */
  struct gasan_module *module;
  struct gasan_kernel *next_in_module;
  _Atomic bool unknown_stack; /* GASAN_KERNEL_UNKNOWN_STACK; set when the module is prepared */
  _Atomic int wanted;         /* of launch_filter.c */
};

/* Add, complete and remove the module of a fat binary. The program gets the module as its handle. */
struct gasan_module *gasan_registry_add(void *wrapper);
void gasan_registry_end(struct gasan_module *module);
void gasan_registry_remove(struct gasan_module *module);
/* Add and find the module of code that the program has loaded by the driver API; `handle` is its CUmodule. Its kernels
 * are added by gasan_registry_add_kernel, with the CUfunction or CUkernel as `host`. */
struct gasan_module *gasan_registry_add_loaded(void *handle);
struct gasan_module *gasan_registry_loaded(const void *handle);
bool gasan_module_is_by_driver(const struct gasan_module *module);
/* Add symbols to the module; the parameters are libcudart's. */
void gasan_registry_add_kernel(struct gasan_module *module, const char *host, char *device, const char *name,
                               int thread_limit);
void gasan_registry_add_variable(struct gasan_module *module, char *host, char *device, const char *name, int external,
                                 size_t size, int constant, int global);
void gasan_registry_add_managed(struct gasan_module *module, void **host, char *device, const char *name, size_t size);
void gasan_registry_add_host(struct gasan_module *module, const char *name, void *host, size_t size);
/* Calls the device's __cudaInitModule. */
char gasan_registry_init(struct gasan_module *module);

bool gasan_module_is_loaded(const struct gasan_module *module);
/* Returns true if a kernel of the module, with checks, has been launched on this device. */
bool gasan_module_is_instrumented_on(const struct gasan_module *module, int ordinal);

/* Registers all modules so far with the device. Called once, when the runtime starts. */
void gasan_registry_replay(const struct gasan_device_kind *kind);

/* Returns the kernel registered under a host function, or NULL. */
const struct gasan_kernel *gasan_registry_kernel(const void *host_function);

/* Returns the device name of the variable registered under a host address, or NULL. The string lives as long as the
 * variable's module. */
const char *gasan_registry_variable(const void *host);

/* Writes the device's parameters (window, shadow, ring) into the kernel's module, once for each device. Returns false
 * if the module has no checks. */
bool gasan_module_prepare(const struct gasan_kernel *kernel, struct gasan_rt_device *state);

/* The kernel's demangled name, for messages. */
struct gasan_kernel_title {
  char text[500];
};
struct gasan_kernel_title gasan_kernel_title(const struct gasan_kernel *kernel);

/* Must be called when cudaLimitMallocHeapSize has changed. Replaces the device's heap if no kernel has used it yet. */
void gasan_registry_resize_heap(struct gasan_rt_device *state);
/* Must be called when the table of views gets its first dead texture: kernels search the table from then on. */
void gasan_registry_note_dead_texture(struct gasan_rt_device *state);

/* Returns true if there are modules with checks and all of them were compiled for handles. Loads the modules. */
bool gasan_registry_takes_handles(struct gasan_device *device);

/* Returns the module's site table, read from its image on this device and never freed. NULL: it cannot be read. */
const struct gasan_sites *gasan_module_sites(uint32_t module_id, struct gasan_rt_device *state);

/* Returns the table of launch proofs in the kernel's image, read once and never freed. NULL: there is none, or it is
 * damaged (a warning says so). */
struct gasan_proofs *gasan_module_proofs(const struct gasan_kernel *kernel, struct gasan_rt_device *state);

/* Returns the place of launch_proof.c's data for the kernel. */
struct gasan_kernel_proof *_Atomic *gasan_kernel_launch_proof(const struct gasan_kernel *kernel);

uint32_t gasan_module_id(const struct gasan_module *module);

struct gasan_registry_counts {
  uint64_t modules, instrumented_modules, kernels, sites, unchecked_accesses;
};
/* Counts modules and their content, for print_stats and verbosity. */
void gasan_registry_count(struct gasan_registry_counts *counts);

#endif
