/* The host's own AddressSanitizer in the same process. Its shadow lies around a gap that it maps inaccessible; the CUDA
 * driver wants addresses in there, and cuInit fails without them (ASan's users know ASAN_OPTIONS=protect_shadow_gap=0). */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "device/cuda/internal.h"

#define USER_SPACE_END (UINT64_C(1) << 47)

static uint64_t shadow_of(uint64_t address, size_t scale, size_t offset) {
  return (address >> scale) + offset;
}

void gasan_cuda_open_shadow_gap(void) {
  void (*get_mapping)(size_t *scale, size_t *offset);
  *(void **)&get_mapping = dlsym(RTLD_DEFAULT, "__asan_get_shadow_mapping");
  if (!get_mapping)
    return;
  size_t scale = 0, offset = 0;
  get_mapping(&scale, &offset);
  uint64_t gap_begin = shadow_of(offset, scale, offset);
  uint64_t high_memory = shadow_of(USER_SPACE_END - 1, scale, offset) + 1;
  uint64_t gap_end = shadow_of(high_memory, scale, offset);
  if (offset && gap_begin < gap_end && gap_end < high_memory)
    munmap((void *)(uintptr_t)gap_begin, gap_end - gap_begin);
}
