/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A context that the program creates itself.
// FLAGS: -lcuda
#include <cstdio>
#include <cuda.h>
int main() {
  CUdevice device;
  CUcontext context;
  CUdeviceptr memory, other;
  unsigned last = 0;
  cuInit(0);
  cuDeviceGet(&device, 0);
#if CUDA_VERSION >= 13000
  cuCtxCreate(&context, nullptr, 0, device);
#else
  cuCtxCreate(&context, 0, device);
#endif
  CUresult result = cuMemAlloc(&memory, 1 << 22);
  cuMemAlloc(&other, 1000);
  cuMemsetD32(memory, 5, 1 << 20);
  cuMemcpyDtoD(other, memory, 1000);
  CUresult copied = cuMemcpyDtoH(&last, other + 996, 4);
  printf("%u %d %d\n", last, result, copied);
  cuMemFree(memory);
  cuMemFree(other);
  cuCtxDestroy(context);
}
