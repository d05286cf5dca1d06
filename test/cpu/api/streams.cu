// Streams: the work of one stream is done in order, events order streams, and flags, priority, id and device can be
// queried.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__global__ void step(unsigned *values, int count, unsigned factor, unsigned addend) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = values[i] * factor + addend;
}

__global__ void add(unsigned *to, const unsigned *from, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    to[i] = to[i] * 31 + from[i];
}

static const int count = 5000, blocks = (count + 255) / 256;

int main() {
  cudaStream_t streams[4];
  int least, greatest;
  CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CUDA(cudaStreamCreate(&streams[0]));
  CUDA(cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithPriority(&streams[2], cudaStreamNonBlocking, greatest));
  CUDA(cudaStreamCreateWithPriority(&streams[3], cudaStreamDefault, least));
  unsigned long long ids[4];
  for (int s = 0; s < 4; ++s) {
    unsigned flags = 99;
    int priority = 99, device = 99;
    CUDA(cudaStreamGetFlags(streams[s], &flags));
    CUDA(cudaStreamGetPriority(streams[s], &priority));
    CUDA(cudaStreamGetId(streams[s], &ids[s]));
    CUDA(cudaStreamGetDevice(streams[s], &device));
    EXPECT(flags == (s == 1 || s == 2 ? cudaStreamNonBlocking : cudaStreamDefault), "stream %d: flags %u", s, flags);
    EXPECT(priority == (s == 2 ? greatest : s == 3 ? least : 0), "stream %d: priority %d", s, priority);
    EXPECT(device == 0, "%d", device);
    for (int other = 0; other < s; ++other)
      EXPECT(ids[s] != ids[other], "streams %d and %d have the same id", s, other);
  }
  cudaStream_t clamped; // a priority out of range is clamped
  int priority;
  CUDA(cudaStreamCreateWithPriority(&clamped, cudaStreamDefault, greatest - 100));
  CUDA(cudaStreamGetPriority(clamped, &priority));
  EXPECT(priority == greatest, "%d", priority);
  CUDA(cudaStreamDestroy(clamped));
  EXPECT(cudaStreamCreateWithFlags(&clamped, 1234) == cudaErrorInvalidValue, "flags");
  cudaGetLastError();

  unsigned *pinned[4], *device[4];
  for (int s = 0; s < 4; ++s) {
    CUDA(cudaMallocHost(&pinned[s], count * sizeof(unsigned)));
    CUDA(cudaMalloc(&device[s], count * sizeof(unsigned)));
    for (int i = 0; i < count; ++i)
      pinned[s][i] = unsigned(i) * (s + 1);
  }
  // Each stream: copy, kernels that do not commute, copy back. All streams run at once.
  for (int round = 0; round < 10; ++round)
    for (int s = 0; s < 4; ++s) {
      if (round == 0)
        CUDA(cudaMemcpyAsync(device[s], pinned[s], count * sizeof(unsigned), cudaMemcpyHostToDevice, streams[s]));
      step<<<blocks, 256, 0, streams[s]>>>(device[s], count, 3, unsigned(round));
      step<<<blocks, 256, 0, streams[s]>>>(device[s], count, 1, unsigned(s));
    }
  std::vector<unsigned> expected[4];
  for (int s = 0; s < 4; ++s) {
    expected[s].resize(count);
    for (int i = 0; i < count; ++i) {
      unsigned value = unsigned(i) * (s + 1);
      for (int round = 0; round < 10; ++round)
        value = value * 3 + round + s;
      expected[s][i] = value;
    }
    CUDA(cudaMemcpyAsync(pinned[s], device[s], count * sizeof(unsigned), cudaMemcpyDeviceToHost, streams[s]));
  }
  for (int s = 0; s < 4; ++s) {
    CUDA(cudaStreamSynchronize(streams[s]));
    EXPECT(cudaStreamQuery(streams[s]) == cudaSuccess, "stream %d is done", s);
    EXPECT(!memcmp(pinned[s], expected[s].data(), count * sizeof(unsigned)), "stream %d", s);
  }

  // A chain over all streams by events; two waits for one event; a wait before the first record does nothing.
  cudaEvent_t events[4], unrecorded;
  CUDA(cudaEventCreateWithFlags(&unrecorded, cudaEventDisableTiming));
  for (int s = 0; s < 4; ++s) {
    CUDA(cudaEventCreateWithFlags(&events[s], cudaEventDisableTiming));
    CUDA(cudaStreamWaitEvent(streams[s], unrecorded, 0));
  }
  for (int lap = 0; lap < 3; ++lap)
    for (int s = 0; s < 4; ++s) {
      int before = (s + 3) % 4;
      if (lap || s)
        CUDA(cudaStreamWaitEvent(streams[s], events[before]));
      add<<<blocks, 256, 0, streams[s]>>>(device[s], device[before], count);
      CUDA(cudaEventRecord(events[s], streams[s]));
    }
  for (int lap = 0; lap < 3; ++lap)
    for (int s = 0; s < 4; ++s)
      for (int i = 0; i < count; ++i)
        expected[s][i] = expected[s][i] * 31 + expected[(s + 3) % 4][i];
  CUDA(cudaEventSynchronize(events[3]));
  CUDA(cudaDeviceSynchronize());
  uint64_t sum = 0;
  for (int s = 0; s < 4; ++s) {
    std::vector<unsigned> got(count);
    CUDA(cudaMemcpy(got.data(), device[s], count * sizeof(unsigned), cudaMemcpyDeviceToHost));
    EXPECT(got == expected[s], "chain, stream %d", s);
    sum = sum * 3 + checksum(got);
  }

  // The legacy default stream waits for blocking streams, and they wait for it. Its handle means the same stream.
  step<<<blocks, 256, 0, streams[0]>>>(device[0], count, 5, 1);
  step<<<blocks, 256>>>(device[0], count, 7, 2);
  step<<<blocks, 256, 0, streams[3]>>>(device[0], count, 11, 3);
  step<<<blocks, 256, 0, cudaStreamLegacy>>>(device[0], count, 13, 4);
  CUDA(cudaStreamSynchronize(cudaStreamLegacy));
  std::vector<unsigned> got(count);
  CUDA(cudaMemcpy(got.data(), device[0], count * sizeof(unsigned), cudaMemcpyDeviceToHost));
  for (int i = 0; i < count; ++i)
    EXPECT(got[i] == (((expected[0][i] * 5 + 1) * 7 + 2) * 11 + 3) * 13 + 4, "%d", i);
  printf("%016llx %016llx\n", (unsigned long long)sum, (unsigned long long)checksum(got));

  for (int s = 0; s < 4; ++s) { // a stream may be destroyed before its work is done
    step<<<blocks, 256, 0, streams[s]>>>(device[s], count, 0, unsigned(s) + 77);
    CUDA(cudaStreamDestroy(streams[s]));
    CUDA(cudaEventDestroy(events[s]));
  }
  CUDA(cudaDeviceSynchronize());
  for (int s = 0; s < 4; ++s) {
    CUDA(cudaMemcpy(got.data(), device[s], count * sizeof(unsigned), cudaMemcpyDeviceToHost));
    EXPECT(got[count - 1] == unsigned(s) + 77, "%u", got[count - 1]);
    CUDA(cudaFree(device[s]));
    CUDA(cudaFreeHost(pinned[s]));
  }
  CUDA(cudaEventDestroy(unrecorded));
  return passed();
}
