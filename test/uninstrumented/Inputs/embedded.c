/* A program with the containers of three kernels, as nvcc embeds them: it loads the first, and then the others.
 * CONTAINER(n): the name of a file. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DRIVER(symbol) ((__typeof__(&symbol))dlsym(dlopen("libcuda.so.1", RTLD_NOW), #symbol))
#define EMBED(n)                                                                                                       \
  __asm__(".pushsection .nv_fatbin,\"a\",@progbits\n.balign 16\ncontainer" #n ": .incbin \"" FOLDER "/" #n             \
          ".fatbin\"\n.popsection\n"                                                                                   \
          ".pushsection .nvFatBinSegment,\"aw\",@progbits\n.balign 8\n.long 0x466243b1, 1\n.quad container" #n         \
          ", 0\n.popsection");                                                                                         \
  extern const char container##n[];
EMBED(1)
EMBED(2)
EMBED(3)

void fake_loaded(const char *form);
void fake_loaded(const char *form) {
  printf("the driver gets: %s\n", form);
}

int main(int count, char **arguments) {
  const char *const containers[] = {container1, container2, container3};
  const int most = count > 1 ? atoi(arguments[1]) : 3;
  CUcontext context;
  CUlibrary library;
  CUkernel kernel;
  setvbuf(stdout, NULL, _IOLBF, 0);
  DRIVER(cuInit)(0);
  DRIVER(cuDevicePrimaryCtxRetain)(&context, 0);
  DRIVER(cuCtxSetCurrent)(context);
  for (int i = 0; i < most; i++)
    if (DRIVER(cuLibraryLoadData)(&library, containers[i], NULL, NULL, 0, NULL, NULL, 0))
      return 1;
  char name[] = "fill0";
  name[4] = (char)('0' + most);
  if (DRIVER(cuLibraryGetKernel)(&kernel, library, name))
    return 2;
  DRIVER(cuLaunchKernel)((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&context, &context}, NULL);
  return 0;
}
