/* Links PTX by nvJitLink, as Numba does: nvjitlink LIBNVJITLINK PTX. Says whether the result has checks. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <nvJitLink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIND(type, name) ((type)dlsym(library, name))

int main(int count, char **arguments) {
  static char code[1 << 20];
  static const char *options[] = {"-arch=sm_90"};
  void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  FILE *file = count > 2 ? fopen(arguments[2], "rb") : NULL;
  void *linker = NULL;
  size_t size = file ? fread(code, 1, sizeof code - 1, file) : 0;
  if (!library || !size || FIND(int (*)(void **, unsigned, const char **), "nvJitLinkCreate")(&linker, 1, options) ||
      FIND(int (*)(void *, int, const void *, size_t, const char *), "nvJitLinkAddData")(linker, NVJITLINK_INPUT_PTX,
                                                                                         code, size + 1, "fill") ||
      FIND(int (*)(void *), "nvJitLinkComplete")(linker) ||
      FIND(int (*)(void *, size_t *), "nvJitLinkGetLinkedCubinSize")(linker, &size))
    return 2;
  char *cubin = malloc(size);
  FIND(int (*)(void *, void *), "nvJitLinkGetLinkedCubin")(linker, cubin);
  printf("linked: %s\n", memmem(cubin, size, "__gasan_params", 14) ? "checks" : "no checks");
  return FIND(int (*)(void **), "nvJitLinkDestroy")(&linker);
}
