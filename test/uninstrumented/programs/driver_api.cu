/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A program on the driver API, linked with libcuda, in a context of its own; a kernel stores behind its allocation.
// FLAGS: -lcuda
// BUG: ERROR: AddressSanitizer
#include <cstdio>
#include <cuda.h>
static const char text[] = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry fill(.param .u64 to) {
  .reg .u32 %i;
  .reg .u64 %p;
  mov.u32 %i, %tid.x;
  ld.param.u64 %p, [to];
  mad.wide.u32 %p, %i, 4, %p;
  st.u32 [%p], %i;
  ret;
})";
int main(int argc, char **) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUdeviceptr memory, base;
  size_t size;
  unsigned last = 0;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  cuModuleLoadData(&module, text);
  cuModuleGetFunction(&function, module, "fill");
  cuMemAlloc(&memory, 1024);
  void *arguments[] = {&memory};
  cuLaunchKernel(function, 1, 1, 1, 256 + 32 * (argc > 1), 1, 1, 0, nullptr, arguments, nullptr);
  CUresult result = cuMemcpyDtoH(&last, memory + 1020, 4);
  cuMemGetAddressRange(&base, &size, memory + 100);
  printf("%u %d %d %zu\n", last, result, base == memory, size);
  cuMemFree(memory);
}
