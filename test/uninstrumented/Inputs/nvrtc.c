/* Compiles a kernel by NVRTC and loads its cubin: nvrtc LIBNVRTC. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <dlfcn.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>

#define DRIVER(symbol) ((__typeof__(&symbol))dlsym(dlopen("libcuda.so.1", RTLD_NOW), #symbol))
#define NVRTC(symbol) ((__typeof__(&symbol))dlsym(library, #symbol))

void fake_loaded(const char *form);
void fake_loaded(const char *form) {
  printf("the driver gets: %s\n", form);
}

int main(int count, char **arguments) {
  static const char source[] = "extern \"C\" __global__ void fill(int *to, int count) {\n"
                               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "  if (i < count) to[i] = i;\n"
                               "}\n";
  static const char *const options[] = {"-arch=sm_90"};
  void *library = dlopen(arguments[count - 1], RTLD_NOW | RTLD_LOCAL);
  nvrtcProgram program;
  size_t size;
  CUcontext context;
  CUmodule module;
  if (!library || NVRTC(nvrtcCreateProgram)(&program, source, "fill.cu", 0, NULL, NULL) ||
      NVRTC(nvrtcCompileProgram)(program, 1, options) || NVRTC(nvrtcGetCUBINSize)(program, &size))
    return 2;
  char *cubin = malloc(size);
  NVRTC(nvrtcGetCUBIN)(program, cubin);
  DRIVER(cuInit)(0);
  DRIVER(cuDevicePrimaryCtxRetain)(&context, 0);
  DRIVER(cuCtxSetCurrent)(context);
  return DRIVER(cuModuleLoadData)(&module, cubin);
}
