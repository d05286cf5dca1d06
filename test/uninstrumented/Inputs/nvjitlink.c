/* Links files by nvJitLink, as Numba does: nvjitlink LIBNVJITLINK FILE,FILE,... [global|header|files]. Says whether the
 * result has checks. A file has PTX, or LTO-IR if its name ends with .lto. global: finds the functions by RTLD_DEFAULT,
 * as cuda.bindings does. header: by the names in NVIDIA's header. files: adds the files by nvJitLinkAddFile. */
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>
#include <nvJitLink.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library, *linker;
static bool has_header, by_name;

static void *find(const char *name) {
  char versioned[64];
  snprintf(versioned, sizeof versioned, "__%s_%d_0", name, CUDA_VERSION / 1000);
  return dlsym(library, has_header ? versioned : name);
}

#define FIND(type, name) ((type)find(name))

/* Adds a file, and overwrites the buffer. */
static int add(const char *name) {
  static char code[1 << 20];
  FILE *file = fopen(name, "rb");
  const size_t size = file ? fread(code, 1, sizeof code - 1, file) : 0;
  const bool is_lto = size && strstr(name, ".lto") != NULL;
  if (size && by_name)
    return FIND(int (*)(void *, int, const char *),
                "nvJitLinkAddFile")(linker, is_lto ? NVJITLINK_INPUT_LTOIR : NVJITLINK_INPUT_PTX, name);
  const int result =
      !size ? 2
            : FIND(int (*)(void *, int, const void *, size_t, const char *), "nvJitLinkAddData")(
                  linker, is_lto ? NVJITLINK_INPUT_LTOIR : NVJITLINK_INPUT_PTX, code, size + !is_lto, "fill");
  memset(code, 0, sizeof code);
  return result;
}

int main(int count, char **arguments) {
  static const char *options[] = {"-arch=sm_90", "-lto"};
  const bool global = count > 3 && !strcmp(arguments[3], "global"), has_lto = count > 2 && strstr(arguments[2], ".lto");
  void *opened = count > 2 ? dlopen(arguments[1], RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL)) : NULL;
  unsigned major = 0, minor = 0;
  size_t size;
  char *rest;
  library = global ? RTLD_DEFAULT : opened;
  has_header = count > 3 && !strcmp(arguments[3], "header");
  by_name = count > 3 && !strcmp(arguments[3], "files");
  if (!opened || FIND(int (*)(void **, unsigned, const char **), "nvJitLinkCreate")(&linker, 1 + has_lto, options))
    return 2;
  for (char *name = strtok_r(arguments[2], ",", &rest); name; name = strtok_r(NULL, ",", &rest))
    if (add(name))
      return 2;
  if (FIND(int (*)(void *), "nvJitLinkComplete")(linker) ||
      FIND(int (*)(void *, size_t *), "nvJitLinkGetLinkedCubinSize")(linker, &size))
    return 2;
  char *cubin = malloc(size);
  FIND(int (*)(void *, void *), "nvJitLinkGetLinkedCubin")(linker, cubin);
  if (((int (*)(unsigned *, unsigned *))dlsym(library, "nvJitLinkVersion"))(&major, &minor))
    return 2;
  printf("%s, linked: %s%s\n", major > 12 || minor >= 3 ? "new" : "old",
         memmem(cubin, size, "__gasan_params", 14) ? "checks" : "no checks",
         memmem(cubin, size, "__gasan_sites", 13) && memmem(cubin, size, "/put.cu", 7) ? ", in put.cu, too" : "");
  return FIND(int (*)(void **), "nvJitLinkDestroy")(&linker);
}
