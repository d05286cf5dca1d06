/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Maps the program's host symbols to kernels and variables of CPU images. Any thread; one lock inside. */
#ifndef GASAN_DEVICE_CPU_IMAGES_H
#define GASAN_DEVICE_CPU_IMAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "device/cpu/image.h"

/* A kernel as the program has registered it. It lives until its fat binary is unregistered. */
struct gasan_cpu_function {
  struct gasan_map_entry by_host; /* key: the host function's address */
  struct gasan_cpu_function *next_of_module;
  const char *name;
  struct gasan_cpu_module *module;
  const struct gasan_cpu_kernel *kernel; /* NULL: not looked up yet */
  _Atomic int most_dynamic_shared;       /* cudaFuncAttributeMaxDynamicSharedMemorySize; -1: not set */
  _Atomic int carveout;
};

/* Adds a module. `wrapper` is the argument of __cudaRegisterFatBinary. Returns NULL without memory. */
struct gasan_cpu_module *gasan_cpu_module_add(const void *wrapper);
/* Removes a module with its functions and variables, and frees it. */
void gasan_cpu_module_remove(struct gasan_cpu_module *module);
/* Map a host symbol to a name of the module. `name` must have static storage. If the host symbol is mapped already (a
 * template that several objects contain), they change nothing. */
void gasan_cpu_module_add_function(struct gasan_cpu_module *module, const void *host, const char *name);
void gasan_cpu_module_add_variable(struct gasan_cpu_module *module, const void *host, const char *name);

/* Returns the kernel of a host function. NULL: the device has none. If this is because the object was compiled without
 * an image, prints one line that says so. */
struct gasan_cpu_function *gasan_cpu_function_find(const void *host);
/* Finds another kernel in the image of a host function's kernel. Returns an address that can be used in place of a host
 * function. NULL: the image has no kernel of that name. */
const void *gasan_cpu_function_variant(const void *host, const char *name);
/* Returns the variable of a host symbol. NULL: the symbol is not registered, or the image lacks the variable. */
const struct gasan_cpu_variable *gasan_cpu_variable_find(const void *host);
/* Returns a variable of the module's image. NULL: there is no image, or the image lacks the variable. */
const struct gasan_cpu_variable *gasan_cpu_module_variable(struct gasan_cpu_module *module, const char *name);
/* Returns true if the address is in a registered variable. */
bool gasan_cpu_address_is_variable(const void *address);

/* Returns the compute capability times 10 of the newest image (90 for 9.0); 80 while there is no image. */
uint32_t gasan_cpu_images_arch(void);

#endif
