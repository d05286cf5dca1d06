/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Error state, error names and texts. */
#include <stdatomic.h>
#include <stdio.h>

#include "device/cpu/api.h"
#include "device/cpu/cpu.h"
#include "device/cpu/print.h"

static __thread cudaError_t last_error;
static _Atomic int pending_error; /* of the device; the program may not have seen it yet */
static _Atomic int sticky_error;  /* of the device; every call returns it */

void gasan_cpu_set_last_error(cudaError_t error) {
  last_error = error;
}

void gasan_cpu_set_pending_error(cudaError_t error) {
  int none = cudaSuccess;
  atomic_compare_exchange_strong(&pending_error, &none, (int)error);
}

cudaError_t gasan_cpu_synchronize(void) {
  gasan_cpu_print_flush();
  int pending = atomic_load(&pending_error);
  int none = cudaSuccess;
  if (pending)
    atomic_compare_exchange_strong(&sticky_error, &none, pending);
  return gasan_cpu_check();
}

cudaError_t gasan_cpu_check(void) {
  return gasan_cpu_result((cudaError_t)atomic_load_explicit(&sticky_error, memory_order_relaxed));
}

int gasan_cpu_device_error(void) {
  return atomic_load_explicit(&pending_error, memory_order_relaxed);
}

bool gasan_cpu_device_failed(void) {
  return gasan_cpu_device_error() != cudaSuccess;
}

void gasan_cpu_refuse(void) {
  atomic_store(&pending_error, cudaErrorInitializationError);
  atomic_store(&sticky_error, cudaErrorInitializationError);
}

void gasan_cpu_clear_errors(void) {
  atomic_store(&pending_error, cudaSuccess);
  atomic_store(&sticky_error, cudaSuccess);
  last_error = cudaSuccess;
}

/* After cudaGetLastError, a sticky error is the last error again only when another call has failed with it (CUDA 13.0
 * on an H200). */
cudaError_t gasan_cpu_cudaPeekAtLastError(void) {
  return last_error;
}

cudaError_t gasan_cpu_cudaGetLastError(void) {
  cudaError_t error = gasan_cpu_cudaPeekAtLastError();
  last_error = cudaSuccess;
  return error;
}

/* The switches have no default, so that the compiler warns of errors of CUDA that errors.inc lacks. */
const char *gasan_cpu_cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define GASAN_CUDA_ERROR(name, text)                                                                                   \
  case name:                                                                                                           \
    return #name;
#include "device/cpu/errors.inc"
#undef GASAN_CUDA_ERROR
  }
  return "unrecognized error code";
}

const char *gasan_cpu_cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define GASAN_CUDA_ERROR(name, text)                                                                                   \
  case name:                                                                                                           \
    return text;
#include "device/cpu/errors.inc"
#undef GASAN_CUDA_ERROR
  }
  return "unrecognized error code";
}
