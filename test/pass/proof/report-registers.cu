// Reports by calls do not take more than the 32 registers with which all threads of a multiprocessor run. ptxas adds
// two registers to those of the report's functions if a kernel has barriers that a warp's threads may reach one by one.
// RUN: %gasan -O2 --cuda-device-only -c --offload-arch=sm_90 -Xcuda-ptxas -v %s -o %t 2>&1 | FileCheck %s
// CHECK: Compiling entry function '__gasan_proven_
// CHECK: Used {{[0-9]|[12][0-9]|3[0-2]}} registers
// CHECK: Compiling entry function '__gasan_bounded_
// CHECK: Used {{[0-9]|[12][0-9]|3[0-2]}} registers

__global__ void merge(int *to, const int *from, const int *starts, int n) {
  __shared__ int tile[256], start, length;
  if (threadIdx.x == 0) {
    start = starts[blockIdx.x];
    length = starts[blockIdx.x + 1] - start;
  }
  __nvvm_barrier_sync(0);
  if (threadIdx.x < length)
    tile[threadIdx.x] = from[start + threadIdx.x];
  __nvvm_barrier_sync(0);
  int place = 0;
  if (threadIdx.x < length)
    for (int step = 128; step > 0; step /= 2)
      if (tile[place + step - 1] < n)
        place += step;
  __nvvm_barrier_sync(0);
  if (threadIdx.x < length)
    to[start + place] = tile[threadIdx.x];
}
