/* Does by hand what compiled code does with the CPU device: an image of C functions, a host object that registers the
 * image, and calls of the API by its real names. */
#ifndef GASAN_TEST_CPU_PROGRAM_H
#define GASAN_TEST_CPU_PROGRAM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cpu/api.h"
#include "device/cpu/thread.h"
#include "device/device.h"

/* The device finds it by this name. */
#define API(name) ((__typeof__(name) *)gasan_device_cpu.api(#name))

struct fat_binary {
  uint32_t magic;
  uint16_t version, header_size;
  uint64_t size;
  char code[8];
  struct gasan_cpu_trailer trailer; /* after the counted bytes */
};

struct fat_binary_wrapper {
  int magic, version;
  const void *data;
  const void *unused;
};

/* Registers a fat binary that names the image `id` (NULL: one without an image). */
static inline void **register_fat_binary(const char *id) {
  struct fat_binary *binary = calloc(1, sizeof *binary);
  struct fat_binary_wrapper *wrapper = calloc(1, sizeof *wrapper);
  *binary = (struct fat_binary){
      .magic = GASAN_FAT_BINARY_MAGIC, .version = 1, .header_size = 16, .size = sizeof binary->code};
  if (id) {
    binary->trailer = (struct gasan_cpu_trailer){.magic = GASAN_FAT_BINARY_MAGIC,
                                                 .version = 1,
                                                 .header_size = sizeof binary->trailer,
                                                 .kind = GASAN_CPU_TRAILER_KIND};
    snprintf(binary->trailer.id, sizeof binary->trailer.id, "%s", id);
  }
  *wrapper = (struct fat_binary_wrapper){0x466243b1, 1, binary, NULL};
  void **handle = API(__cudaRegisterFatBinary)(wrapper);
  API(__cudaRegisterFatBinaryEnd)(handle);
  return handle;
}

/* Registers kernel `i` of the image under the host symbol hosts + i. */
static inline void register_kernels(void **handle, const struct gasan_cpu_image *image, const char *hosts) {
  for (uint32_t i = 0; i < image->kernel_count; i++)
    API(__cudaRegisterFunction)(handle, hosts + i, NULL, image->kernels[i].name, -1, NULL, NULL, NULL, NULL, NULL);
}

/* Runs `call` and returns its output to the stream (static storage). */
#define CAPTURE(stream, call)                                                                                          \
  ({                                                                                                                   \
    static char text_[4096];                                                                                           \
    FILE *file_ = tmpfile();                                                                                           \
    fflush(stream);                                                                                                    \
    int saved_ = dup(fileno(stream));                                                                                  \
    dup2(fileno(file_), fileno(stream));                                                                               \
    call;                                                                                                              \
    fflush(stream);                                                                                                    \
    dup2(saved_, fileno(stream));                                                                                      \
    close(saved_);                                                                                                     \
    rewind(file_);                                                                                                     \
    text_[fread(text_, 1, sizeof text_ - 1, file_)] = 0;                                                               \
    fclose(file_);                                                                                                     \
    (char *)text_;                                                                                                     \
  })

#endif
