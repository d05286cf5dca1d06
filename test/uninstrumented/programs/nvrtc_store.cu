/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A kernel that NVRTC compiles at run time stores behind its memory.
// FLAGS: -lnvrtc -lcuda
// BUG: ERROR: AddressSanitizer: heap-buffer-overflow
// BUG: WRITE of at least [1-4] bytes? at 0x\w+, found between launches
// BUG: Only this kernel may have written there:\nfill<<<1, 64>>>
// BUG: located [0-3] bytes after 400-byte region
#include <cstdio>
#include <cuda.h>
#include <nvrtc.h>
#include <vector>
static const char source[] = "extern \"C\" __global__ void fill(int *to, int count) {"
                             " for (int i = threadIdx.x; i < count; i += blockDim.x) to[i] = 3 * i; }";
int main(int argc, char **argv) {
  nvrtcProgram program;
  size_t size = 0;
  CUmodule module;
  CUfunction fill;
  int *memory, last, count = 100 + (argc > 1);
  nvrtcCreateProgram(&program, source, "fill.cu", 0, nullptr, nullptr);
  nvrtcCompileProgram(program, 0, nullptr);
  nvrtcGetPTXSize(program, &size);
  std::vector<char> ptx(size);
  nvrtcGetPTX(program, ptx.data());
  cudaMalloc(&memory, 100 * sizeof *memory);
  cuModuleLoadData(&module, ptx.data());
  cuModuleGetFunction(&fill, module, "fill");
  void *arguments[] = {&memory, &count};
  cuLaunchKernel(fill, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr);
  cudaMemcpy(&last, memory + 99, sizeof last, cudaMemcpyDeviceToHost);
  printf("%d\n", last);
  cudaFree(memory);
}
