/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/calls/translate_arguments.h"

#include <cuda_runtime_api.h>
#include <stdint.h>
#include <string.h>

#include "device/cuda/cuda.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/launch_proof.h"
#include "gasan_rt/launch/registry.h"

/* CUDA allows 32764 bytes. */
#define PARAMETERS_SIZE 32768u

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

/* Copies parameter number `index` to its offset in `bytes`, translated. Returns NULL if the kernel has no such
 * parameter. */
static void *copy_parameter(unsigned char *bytes, const void *function, void **arguments, size_t index, bool pin) {
  size_t offset, size;
  if (GASAN_REAL(cudaFuncGetParamInfo)(function, index, &offset, &size) != cudaSuccess || offset > PARAMETERS_SIZE ||
      size > PARAMETERS_SIZE - offset)
    return NULL;
  memcpy(bytes + offset, arguments[index], size);
  translate_words(bytes + offset, size, pin);
  return bytes + offset;
}

bool gasan_translate_arguments(struct gasan_translated_call *call, const void *function, void ***arguments) {
  /* The CPU device runs only kernels with checks. */
  if (!*arguments || gasan_rt_kind() != &gasan_device_cuda || is_instrumented(function))
    return true;
  void **pointers = gasan_translated_call_allocate(call, PARAMETERS_SIZE * sizeof *pointers);
  unsigned char *bytes = gasan_translated_call_allocate(call, PARAMETERS_SIZE);
  if (!pointers || !bytes)
    return true;
  bool had_error = GASAN_REAL(cudaPeekAtLastError)() != cudaSuccess;
  size_t count = 0;
  while (count < PARAMETERS_SIZE && (pointers[count] = copy_parameter(bytes, function, *arguments, count, call->pin)))
    count++;
  /* The error that ended the parameters is not the program's. */
  if (!had_error)
    GASAN_REAL(cudaGetLastError)();
  if (count)
    *arguments = pointers;
  return true;
}
