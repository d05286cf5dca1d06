/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stands in for libzstd where only its shared library is installed: gasan-symbolizer must not need libraries that the
 * machine with the GPU may lack. Debug sections compressed with zstd then count as unreadable and LLVM says so; zlib's,
 * which compilers choose by default, can be read. */
#include <stddef.h>

size_t ZSTD_decompress(void *destination, size_t capacity, const void *source, size_t size);
unsigned ZSTD_isError(size_t code);
const char *ZSTD_getErrorName(size_t code);

size_t ZSTD_decompress(void *destination, size_t capacity, const void *source, size_t size) {
  (void)destination, (void)capacity, (void)source, (void)size;
  return (size_t)-1;
}

unsigned ZSTD_isError(size_t code) {
  return code == (size_t)-1;
}

const char *ZSTD_getErrorName(size_t code) {
  (void)code;
  return "gasan-symbolizer was built without zstd";
}
