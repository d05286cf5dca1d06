/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/calls/translate_arguments.h"

#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda/cuda.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/launch_proof.h"
#include "gasan_rt/launch/registry.h"

#define PARAMETERS_SIZE 32768u /* CUDA's greatest: 32764 bytes */

static bool is_instrumented(const void *function) {
  if (gasan_launch_proof_is_wide(function))
    return true;
  const struct gasan_kernel *kernel = gasan_registry_kernel(function);
  struct gasan_rt_device *state = gasan_rt_current();
  return kernel && state && gasan_module_prepare(kernel, state);
}

static void translate_words(unsigned char *parameter, size_t size, bool pin) {
  for (size_t at = 0; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
    uint64_t word;
    memcpy(&word, parameter + at, sizeof word);
    struct gasan_rt_device *owner = gasan_rt_owner((void *)(uintptr_t)word);
    struct gasan_chunk chunk;
    if (owner && gasan_pool_translates(owner->pool) && gasan_pool_find(owner->pool, word, &chunk) &&
        chunk.state == GASAN_CHUNK_LIVE && word - chunk.base <= chunk.size &&
        gasan_ok(gasan_pool_translate(owner->pool, word, pin, &word)))
      memcpy(parameter + at, &word, sizeof word);
  }
}

/* Copies parameter number `index`; false: there is none. */
static bool copy_parameter(struct gasan_translated_arguments *copy, const void *function, void **arguments,
                           size_t index, bool pin) {
  size_t offset, size;
  if (GASAN_REAL(cudaFuncGetParamInfo)(function, index, &offset, &size) != cudaSuccess || offset > PARAMETERS_SIZE ||
      size > PARAMETERS_SIZE - offset)
    return false;
  memcpy(copy->bytes + offset, arguments[index], size);
  translate_words(copy->bytes + offset, size, pin);
  copy->pointers[index] = copy->bytes + offset;
  return true;
}

void **gasan_translated_arguments(struct gasan_translated_arguments *copy, const void *function, void **arguments,
                                  bool pin) {
  *copy = (struct gasan_translated_arguments){0};
  /* The CPU device runs instrumented kernels only. */
  if (!arguments || gasan_rt_kind() != &gasan_device_cuda || is_instrumented(function))
    return arguments;
  copy->pointers = calloc(PARAMETERS_SIZE, sizeof *copy->pointers);
  copy->bytes = malloc(PARAMETERS_SIZE);
  bool before = GASAN_REAL(cudaPeekAtLastError)() != cudaSuccess;
  size_t count = 0;
  while (copy->pointers && copy->bytes && copy_parameter(copy, function, arguments, count, pin))
    count++;
  if (!before)
    GASAN_REAL(cudaGetLastError)();          /* the one that ended the parameters is not the program's */
  return count ? copy->pointers : arguments; /* of a function that CUDA does not tell of they stay as they are */
}

void gasan_translated_arguments_free(struct gasan_translated_arguments *copy) {
  free(copy->pointers);
  free(copy->bytes);
}
