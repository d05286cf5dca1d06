/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which kernel and variable of which CPU image a host symbol of the program stands for. Any thread. */
#ifndef GASAN_DEVICE_CPU_IMAGES_H
#define GASAN_DEVICE_CPU_IMAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "device/cpu/image.h"

/* A kernel as the program registered it. Lives until its fat binary is unregistered. */
struct gasan_cpu_function {
  const void *host;
  const char *name;
  struct gasan_cpu_module *module;
  const struct gasan_cpu_kernel *kernel; /* NULL until found */
  _Atomic int most_dynamic_shared;       /* cudaFuncAttributeMaxDynamicSharedMemorySize; -1: not set */
  _Atomic int carveout;
};

/* The fat binary's wrapper as __cudaRegisterFatBinary gets it. NULL: no memory. */
struct gasan_cpu_module *gasan_cpu_module_add(const void *wrapper);
void gasan_cpu_module_remove(struct gasan_cpu_module *module);
/* Pairs a host symbol with a name of the module. `name` has static storage. A host symbol that is paired already (a
 * template that several objects hold) stays as it is. */
void gasan_cpu_module_add_function(struct gasan_cpu_module *module, const void *host, const char *name);
void gasan_cpu_module_add_variable(struct gasan_cpu_module *module, const void *host, const char *name);

/* The kernel behind a host function; NULL: the device has none, and if that is because the object was compiled without
 * an image, one line says so. */
struct gasan_cpu_function *gasan_cpu_function_find(const void *host);
/* Another kernel of the image that has the host function's: what stands for it in a host function's place. NULL: there
 * is none. */
const void *gasan_cpu_function_variant(const void *host, const char *name);
/* NULL: not registered, or the image lacks it. */
const struct gasan_cpu_variable *gasan_cpu_variable_find(const void *host);
/* The image of a module (NULL: none) and the variable in it. */
const struct gasan_cpu_variable *gasan_cpu_module_variable(struct gasan_cpu_module *module, const char *name);
bool gasan_cpu_address_is_variable(const void *address);

/* Compute capability times 10 of the newest image (90 for 9.0); 80 while there is none. */
uint32_t gasan_cpu_images_arch(void);

#endif
