/* Kernels written in C that call the functions that retargeted code calls, and functions to launch them. */
#ifndef GASAN_TEST_CPU_KERNELS_H
#define GASAN_TEST_CPU_KERNELS_H

#include <unistd.h>

#include "greatest.h"
#include "test/unit/cpu_program.h"

#define FULL 0xffffffffu
#define self gasan_cpu_thread
#define ARGUMENT(type, index) (*(type *)arguments[index])

static inline uint32_t block_of(void) {
  return self.ctaid[0] + self.nctaid[0] * (self.ctaid[1] + self.nctaid[1] * self.ctaid[2]);
}

static inline uint32_t thread_of_grid(void) {
  return block_of() * self.nthreads + self.linear;
}

static char hosts[256]; /* the kernels' host symbols: one address for each */
static uint32_t *out;   /* 1 M words, zeroed before each test */

static inline cudaError_t launch3(int kernel, dim3 grid, dim3 block, size_t shared, void *first, void *second) {
  void *arguments[] = {first, second};
  cudaError_t error = API(cudaLaunchKernel)(hosts + kernel, grid, block, arguments, shared, NULL);
  return error != cudaSuccess ? error : API(cudaDeviceSynchronize)();
}

static inline cudaError_t launch(int kernel, unsigned grid, unsigned block, void *first, void *second) {
  return launch3(kernel, (dim3){grid, 1, 1}, (dim3){block, 1, 1}, 0, first, second);
}

/* Device errors remain until the reset. */
static inline cudaError_t launch_and_reset(int kernel, unsigned grid, unsigned block, void *first) {
  cudaError_t error = launch(kernel, grid, block, first, NULL);
  if (error == cudaSuccess || API(cudaDeviceSynchronize)() != error)
    return cudaErrorUnknown;
  API(cudaDeviceReset)();
  return error;
}

static void clear(void *unused) {
  memset(out, 0, sizeof *out << 20);
}

/* Returns false if the CPU device cannot run here. */
static inline bool start_with_kernels(const struct gasan_cpu_image *image) {
  const char *why;
  if (!gasan_ok(gasan_device_cpu.start(&why))) {
    fprintf(stderr, "%s\n", why);
    return false;
  }
  gasan_cpu_register_image(image);
  register_kernels(register_fat_binary(image->id), image, hosts);
  out = calloc(1 << 20, sizeof *out);
  return true;
}

#endif
