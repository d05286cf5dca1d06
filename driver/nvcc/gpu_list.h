/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Translates nvcc's options for GPU architectures (-arch, -code, -gencode) into the list for --offload-arch. */
#ifndef GASAN_DRIVER_NVCC_GPU_LIST_H
#define GASAN_DRIVER_NVCC_GPU_LIST_H

#include "driver/strings.h"

struct gasan_nvcc_gpus {
  const char *architecture;    /* -arch; NULL: not given */
  struct gasan_strings chosen; /* sm_NN, or native */
};

/* Adds the values of -code, which name code for the architecture of -arch. */
void gasan_nvcc_gpus_add_code(struct gasan_nvcc_gpus *gpus, const char *list);
/* Adds the value of a -gencode: arch=compute_NN,code=sm_NN, or code=[sm_NN,compute_NN]. */
void gasan_nvcc_gpus_generate(struct gasan_nvcc_gpus *gpus, const char *value);
/* Returns the list for --offload-arch, or NULL if the command names no GPU. */
const char *gasan_nvcc_gpus_list(struct gasan_nvcc_gpus *gpus);

#endif
