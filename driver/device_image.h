/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the GPU binary for the host object, from one PTX file for each architecture, and the object with the CPU image,
 * from the instrumented bitcode. Used for one source, and for the linked modules of -fgpu-rdc. */
#ifndef GASAN_DRIVER_DEVICE_IMAGE_H
#define GASAN_DRIVER_DEVICE_IMAGE_H

#include "driver/toolchain.h"

struct gasan_device_image {
  const char *stem;              /* prefix of the temporary files' names */
  struct gasan_strings assembly; /* PTX files, in the order of the toolchain's architectures */
  const char *cpu_bitcode;       /* written by the compile for the newest architecture */
  const char *gpu_binary;        /* result: fat binary, followed by the CPU image's id */
  const char *cpu_object;        /* result of the command that gasan_device_image_push_retarget makes */
  const char *optimisation;      /* "-O2" */
  bool keep_debug;
};

void gasan_device_image_start(struct gasan_device_image *image, const struct gasan_toolchain *toolchain,
                              const char *stem, const char *optimisation, bool keep_debug);
/* Adds the options for the files that the device compile for architecture `index` writes. */
void gasan_device_image_push_output(const struct gasan_device_image *image, const struct gasan_toolchain *toolchain,
                                    size_t index, struct gasan_strings *command);
/* Runs ptxas and fatbinary, and appends the image's id, which is a hash of `names` and the bitcode. With devices=cpu,
 * ptxas does not run, and the GPU binary contains no code. */
int gasan_device_image_assemble(struct gasan_device_image *image, const struct gasan_toolchain *toolchain,
                                const struct gasan_strings *names, const char **id);
/* Returns the PTX file that the CUDA driver of a later GPU compiles. Must be called after the binaries are made. */
const char *gasan_device_image_embedded_ptx(const struct gasan_device_image *image,
                                            const struct gasan_toolchain *toolchain, size_t index);
/* Makes the command that compiles the CPU image's object. */
void gasan_device_image_push_retarget(const struct gasan_device_image *image, const struct gasan_toolchain *toolchain,
                                      const char *id, struct gasan_strings *command);

#endif
