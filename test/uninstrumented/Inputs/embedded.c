/* A program with the containers FOLDER/1.fatbin to 3, as nvcc embeds them: embedded N loads the first N, and launches
 * the kernel of the last. With LINKED, the first two are those of relocatable objects, and the third is what nvcc has
 * linked of them: embedded data|wrapper loads it. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DRIVER(symbol) ((__typeof__(&symbol))dlsym(dlopen("libcuda.so.1", RTLD_NOW), #symbol))
#define EMBED(n, section, version, objects)                                                                            \
  __asm__(".pushsection " section ",\"a\",@progbits\n.balign 16\ncontainer" #n ": .incbin \"" FOLDER "/" #n            \
          ".fatbin\"\n.popsection\n"                                                                                   \
          ".pushsection .nvFatBinSegment,\"aw\",@progbits\n.balign 8\nwrapper" #n ": .long 0x466243b1, " version       \
          "\n.quad container" #n ", " objects "\n.popsection");                                                        \
  extern const char container##n[], wrapper##n[];
#ifdef LINKED
EMBED(1, "__nv_relfatbin", "1", "0")
EMBED(2, "__nv_relfatbin", "1", "0")
EMBED(3, ".nv_fatbin", "2", "objects")
const void *objects[] = {container1, container2, NULL};
#else
EMBED(1, ".nv_fatbin", "1", "0")
EMBED(2, ".nv_fatbin", "1", "0")
EMBED(3, ".nv_fatbin", "1", "0")
#endif

void fake_loaded(const char *form);
void fake_loaded(const char *form) {
  printf("the driver gets: %s\n", form);
}

int main(int count, char **arguments) {
  const char *const containers[] = {container1, container2, container3};
  const char *how = count > 1 ? arguments[1] : "3";
  const int most = atoi(how);
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
  if (!most &&
      DRIVER(cuLibraryLoadData)(&library, strcmp(how, "data") ? wrapper3 : container3, NULL, NULL, 0, NULL, NULL, 0))
    return 1;
  char name[] = "fill0";
  name[4] = (char)(most ? '0' + most : 0);
  if (DRIVER(cuLibraryGetKernel)(&kernel, library, name))
    return 2;
  DRIVER(cuLaunchKernel)((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&context, &context}, NULL);
  return 0;
}
