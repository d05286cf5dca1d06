/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Registers a CPU image with the runtime. Any linker may link objects with checks, because the image refers to all
 * names of the runtime by weak symbols. If the program was linked without libgasan_rt.so, it executes itself again with
 * libgasan_rt.so in LD_PRELOAD, as ASan does on macOS. A shared library that was linked without it loads it, and gets
 * its functions (gasan_rt/core/rebind.h). If that cannot work (CUDA's static runtime, an explicit call of the dynamic
 * linker), prints what to do and ends the process with status 1. */
#define _GNU_SOURCE /* dl_iterate_phdr, asprintf */
#include "base/preload.h"
#include "device/cpu/helpers/helper.h"
#include "device/cpu/image.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_CODE 1
#define OWN_PROGRAM "/proc/self/exe"

#pragma weak gasan_cpu_register_image
#pragma weak dlopen /* in libdl before glibc 2.34 */
#pragma weak dlsym

struct search {
  uintptr_t image;
  const char *file; /* of the image's object; "" for the program itself */
  bool has_cudart;  /* the process has libcudart.so as a shared library */
};

static int look_at_object(struct dl_phdr_info *info, size_t size, void *context) {
  struct search *search = context;
  (void)size;
  search->has_cudart |= strstr(info->dlpi_name, "libcudart.so") != NULL;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD &&
        search->image - (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) < info->dlpi_phdr[i].p_memsz)
      search->file = info->dlpi_name;
  return 0;
}

/* Returns false if an explicit call of the dynamic linker has started the program. /proc/self/exe is then the
 * linker. */
static bool is_own_program(const char *file) {
  const char *name = strrchr(file, '/');
  return name && strncmp(name + 1, "ld-", 3) != 0 && strncmp(name + 1, "ld.", 3) != 0;
}

static void start_again(char **arguments, const char *runtime) {
  const char *before = getenv("LD_PRELOAD");
  char *preloaded = NULL;
  if (asprintf(&preloaded, "%s%s%s", runtime, before && *before ? ":" : "", before ? before : "") < 0 ||
      setenv(GASAN_PRELOADED, before ? before : "", 1) || setenv("LD_PRELOAD", preloaded, 1))
    return;
  execv(OWN_PROGRAM, arguments);
}

/* Returns false if the library cannot be loaded, or if the object registers its device code elsewhere. */
static bool load_runtime(const struct gasan_cpu_image *image, const char *runtime) {
  void *library = dlopen && dlsym ? dlopen(runtime, RTLD_NOW | RTLD_LOCAL) : NULL;
  bool (*adopt)(const struct gasan_cpu_image *) =
      library ? (bool (*)(const struct gasan_cpu_image *))dlsym(library, "gasan_cpu_adopt_image") : NULL;
  return adopt && adopt(image);
}

/* Registers the image. Does not return if the runtime is missing: executes the program again, or ends the process.
 * `runtime`: the path that libgasan_rt.so had when the image was compiled. `arguments`: main's. */
__attribute__((noinline)) void gasan_register_image(const struct gasan_cpu_image *image, const char *runtime,
                                                    char **arguments);
void gasan_register_image(const struct gasan_cpu_image *image, const char *runtime, char **arguments) {
  if (gasan_cpu_register_image) {
    gasan_cpu_register_image(image);
    return;
  }
  struct search search = {.image = (uintptr_t)image, .file = "?"};
  dl_iterate_phdr(look_at_object, &search);
  char program[4096] = "?";
  const ssize_t length = readlink(OWN_PROGRAM, program, sizeof program - 1);
  program[length > 0 ? length : 1] = 0;
  const char *library = access(runtime, R_OK) ? "libgasan_rt.so" : runtime;
  if (search.has_cudart && !*search.file && !getenv(GASAN_PRELOADED) && is_own_program(program))
    start_again(arguments, library);
  if (*search.file && load_runtime(image, library))
    return;
  const char *file = *search.file ? search.file : arguments[0];
  if (search.has_cudart)
    fprintf(stderr,
            "gasan: ERROR: %s was compiled with -fsanitize=gpu-address, but linked without gasan's runtime; link it "
            "with gasan-clang++ or gasan-nvcc, or start the program with LD_PRELOAD=%s\n",
            file, library);
  else
    fprintf(stderr,
            "gasan: ERROR: %s was compiled with -fsanitize=gpu-address, but linked with CUDA's static runtime; link it "
            "with gasan-clang++ or gasan-nvcc, or with the shared runtime (-lcudart)\n",
            file);
  _exit(EXIT_CODE);
}
