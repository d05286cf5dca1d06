// Stream-ordered memory from many host threads, streams and pools at once. There is no report, the sums are right, and
// all memory of the pools is free at the end.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %options=quarantine_size_mb=1 %run %t 2>&1 >/dev/null | %silent
#include <thread>
#include <vector>

__global__ void fill(unsigned *values, unsigned count, unsigned salt) {
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
    values[i] = i + salt;
}

__global__ void add(const unsigned *values, unsigned count, unsigned long long *sum) {
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
    atomicAdd(sum, (unsigned long long)values[i]);
}

static void work(unsigned thread, cudaMemPool_t pool, bool *right) {
  cudaStream_t stream;
  unsigned long long *sum, expected = 0, got = ~0ull;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMallocAsync((void **)&sum, sizeof *sum, stream);
  cudaMemsetAsync(sum, 0, sizeof *sum, stream);
  for (unsigned round = 0; round < 60; ++round) {
    unsigned count = 1 + (thread * 977 + round * 131) % 3000, *values = nullptr;
    cudaError_t error = round % 2 ? cudaMallocFromPoolAsync((void **)&values, count * sizeof(unsigned), pool, stream)
                                  : cudaMallocAsync((void **)&values, count * sizeof(unsigned), stream);
    if (error != cudaSuccess)
      return;
    fill<<<1, 64, 0, stream>>>(values, count, round);
    add<<<1, 64, 0, stream>>>(values, count, sum);
    if (cudaFreeAsync(values, stream) != cudaSuccess)
      return;
    for (unsigned i = 0; i < count; ++i)
      expected += i + round;
  }
  cudaMemcpyAsync(&got, sum, sizeof got, cudaMemcpyDeviceToHost, stream);
  cudaFreeAsync(sum, stream);
  cudaError_t error = cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  *right = error == cudaSuccess && got == expected;
}

int main() {
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t pool, standard;
  if (cudaMemPoolCreate(&pool, &props) != cudaSuccess || cudaDeviceGetDefaultMemPool(&standard, 0) != cudaSuccess)
    return 1;
  const unsigned count = 6;
  bool right[count] = {};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i)
    threads.emplace_back(work, i, pool, &right[i]);
  for (std::thread &thread : threads)
    thread.join();
  for (bool one : right)
    if (!one)
      return 2;
  unsigned long long used = 1, high = 0;
  cudaDeviceSynchronize();
  for (cudaMemPool_t each : {pool, standard}) {
    if (cudaMemPoolGetAttribute(each, cudaMemPoolAttrUsedMemCurrent, &used) != cudaSuccess || used != 0)
      return 3;
    if (cudaMemPoolGetAttribute(each, cudaMemPoolAttrUsedMemHigh, &high) != cudaSuccess || high == 0)
      return 4;
  }
  return cudaMemPoolDestroy(pool) != cudaSuccess;
}
