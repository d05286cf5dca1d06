// Several host threads use streams, events, memory, copies and launches at the same time. Each thread has its own
// error.
// RUN: %gasan -O2 %s -o %t -pthread
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"
#include <thread>

__global__ void mix(unsigned *values, int count, unsigned salt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = (values[i] ^ salt) * 2654435761u;
}

__device__ unsigned launches;
__global__ void countLaunch() {
  atomicAdd(&launches, 1u);
}

static uint64_t sums[6];

static void work(int thread) {
  Random random(100 + thread);
  EXPECT(cudaPeekAtLastError() == cudaSuccess, "a new thread has no error");
  if (thread % 2)
    EXPECT(cudaSetDevice(12345) == cudaErrorInvalidDevice, "no such device");
  uint64_t sum = 0;
  for (int round = 0; round < 12; ++round) {
    int count = 1 + int(random.below(4000));
    cudaStream_t stream;
    cudaEvent_t event;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    unsigned *device, *pinned;
    CUDA(round % 2 ? cudaMalloc(&device, count * sizeof(unsigned))
                   : cudaMallocAsync(&device, count * sizeof(unsigned), stream));
    CUDA(cudaMallocHost(&pinned, count * sizeof(unsigned)));
    std::vector<unsigned> expected(count);
    for (int i = 0; i < count; ++i)
      pinned[i] = expected[i] = random.next();
    CUDA(cudaMemcpyAsync(device, pinned, count * sizeof(unsigned), cudaMemcpyHostToDevice, stream));
    for (unsigned salt = 0; salt < 5; ++salt)
      mix<<<(count + 63) / 64, 64, 0, stream>>>(device, count, salt);
    countLaunch<<<1, 1, 0, stream>>>();
    CUDA(cudaMemcpyAsync(pinned, device, count * sizeof(unsigned), cudaMemcpyDeviceToHost, stream));
    CUDA(cudaEventRecord(event, stream));
    CUDA(cudaEventSynchronize(event));
    EXPECT(cudaStreamQuery(stream) == cudaSuccess, "thread %d: the stream is done whatever other threads do", thread);
    for (int i = 0; i < count; ++i) {
      for (unsigned salt = 0; salt < 5; ++salt)
        expected[i] = (expected[i] ^ salt) * 2654435761u;
      EXPECT(pinned[i] == expected[i], "thread %d round %d: %d", thread, round, i);
    }
    sum = sum * 3 + checksum(expected);
    CUDA(round % 2 ? cudaFree(device) : cudaFreeAsync(device, stream));
    CUDA(cudaFreeHost(pinned));
    CUDA(cudaEventDestroy(event));
    CUDA(cudaStreamDestroy(stream));
  }
  EXPECT(cudaGetLastError() == (thread % 2 ? cudaErrorInvalidDevice : cudaSuccess), "thread %d has its own error",
         thread);
  EXPECT(cudaGetLastError() == cudaSuccess, "cleared");
  sums[thread] = sum;
}

int main() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back(work, t);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT(cudaGetLastError() == cudaSuccess, "the main thread did nothing wrong");
  unsigned total = 0;
  CUDA(cudaMemcpyFromSymbol(&total, launches, sizeof total));
  EXPECT(total == 72, "%u", total);
  for (uint64_t sum : sums)
    printf("%016llx\n", (unsigned long long)sum);
  return passed();
}
