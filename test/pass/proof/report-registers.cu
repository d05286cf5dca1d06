// Reports by calls do not take more than the 32 registers with which all threads of a multiprocessor run. ptxas adds
// two registers to those of the report's functions if a kernel has barriers that a warp's threads may reach one by one.
// RUN: %gasan -O2 --cuda-device-only -c --offload-arch=sm_90 -Xcuda-ptxas -v %s -o %t 2>&1 | FileCheck %s
// CHECK-DAG: entry function '__gasan_proven__Z5merge{{(.*[[:space:]]){3}.*}}Used {{[12]?[0-9]|3[0-2]}} registers
// CHECK-DAG: entry function '__gasan_bounded__Z5merge{{(.*[[:space:]]){3}.*}}Used {{[12]?[0-9]|3[0-2]}} registers
//
// An inlined report reads the special registers again, so that their values need no registers until then.
// CHECK-DAG: entry function '__gasan_proven__Z5count{{(.*[[:space:]]){3}.*}}Used {{[12]?[0-9]|3[0-2]}} registers

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

__global__ void count(int *bins, const float *values, int number, float least, float most, int n) {
  extern __shared__ int own[];
  for (int i = threadIdx.x; i < number; i += blockDim.x)
    own[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (values[i] >= least && values[i] <= most) {
      int bin = (int)(number * (values[i] - least) / (most - least));
      atomicAdd(&own[bin - (bin == number)], 1);
    }
  __syncthreads();
  for (int i = threadIdx.x; i < number; i += blockDim.x)
    atomicAdd(&bins[i], own[i]);
}
