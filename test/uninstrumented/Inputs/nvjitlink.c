/* Links PTX by nvJitLink, as Numba does: nvjitlink LIBNVJITLINK PTX [global]. Says whether the result has checks.
 * global: finds the functions by RTLD_DEFAULT, as cuda.bindings does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <nvJitLink.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIND(type, name) ((type)dlsym(library, name))

int main(int count, char **arguments) {
  static char code[1 << 20];
  static const char *options[] = {"-arch=sm_90"};
  const bool global = count > 3;
  void *opened = dlopen(arguments[1], RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
  void *library = global ? RTLD_DEFAULT : opened;
  FILE *file = count > 2 ? fopen(arguments[2], "rb") : NULL;
  void *linker = NULL;
  unsigned major = 0, minor = 0;
  size_t size = file ? fread(code, 1, sizeof code - 1, file) : 0;
  if (!opened || !size || FIND(int (*)(void **, unsigned, const char **), "nvJitLinkCreate")(&linker, 1, options) ||
      FIND(int (*)(void *, int, const void *, size_t, const char *), "nvJitLinkAddData")(linker, NVJITLINK_INPUT_PTX,
                                                                                         code, size + 1, "fill") ||
      FIND(int (*)(void *), "nvJitLinkComplete")(linker) ||
      FIND(int (*)(void *, size_t *), "nvJitLinkGetLinkedCubinSize")(linker, &size))
    return 2;
  char *cubin = malloc(size);
  FIND(int (*)(void *, void *), "nvJitLinkGetLinkedCubin")(linker, cubin);
  if (FIND(int (*)(unsigned *, unsigned *), "nvJitLinkVersion")(&major, &minor))
    return 2;
  printf("%s, linked: %s\n", major > 12 || minor >= 3 ? "new" : "old",
         memmem(cubin, size, "__gasan_params", 14) ? "checks" : "no checks");
  return FIND(int (*)(void **), "nvJitLinkDestroy")(&linker);
}
