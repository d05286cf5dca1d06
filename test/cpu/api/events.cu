// Events: recorded work, elapsed times, errors of events without times, and events shared between streams and host
// threads.
// RUN: %gasan -O2 %s -o %t -pthread
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"
#include <chrono>
#include <thread>

__global__ void spin(unsigned *value, int rounds) {
  unsigned x = *value;
  for (int i = 0; i < rounds; ++i)
    x = x * 1664525u + 1013904223u;
  *value = x;
}

static unsigned spinOnHost(unsigned x, int rounds) {
  for (int i = 0; i < rounds; ++i)
    x = x * 1664525u + 1013904223u;
  return x;
}

int main() {
  cudaEvent_t start, middle, end, untimed, fresh;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreateWithFlags(&middle, cudaEventBlockingSync));
  CUDA(cudaEventCreate(&end));
  CUDA(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  CUDA(cudaEventCreate(&fresh));
  float milliseconds = -1;
  EXPECT(cudaEventQuery(fresh) == cudaSuccess, "nothing recorded: nothing to wait for");
  EXPECT(cudaEventSynchronize(fresh) == cudaSuccess, "nothing recorded: nothing to wait for");
  EXPECT(cudaEventElapsedTime(&milliseconds, start, end) == cudaErrorInvalidResourceHandle, "not recorded");
  cudaGetLastError();

  unsigned *value;
  CUDA(cudaMallocManaged(&value, 2 * sizeof *value));
  value[0] = 1;
  value[1] = 2;
  cudaStream_t a, b;
  CUDA(cudaStreamCreate(&a));
  CUDA(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  CUDA(cudaEventRecord(start, a));
  spin<<<1, 1, 0, a>>>(&value[0], 2000);
  CUDA(cudaEventRecord(middle, a));
  CUDA(cudaEventRecord(untimed, a));
  spin<<<1, 1, 0, a>>>(&value[0], 2000000);
  CUDA(cudaEventRecordWithFlags(end, a, cudaEventRecordDefault));
  CUDA(cudaEventSynchronize(end));
  EXPECT(cudaEventQuery(start) == cudaSuccess && cudaEventQuery(middle) == cudaSuccess, "earlier events of the stream");
  float first = -1, second = -1, whole = -1;
  CUDA(cudaEventElapsedTime(&first, start, middle));
  CUDA(cudaEventElapsedTime(&second, middle, end));
  CUDA(cudaEventElapsedTime(&whole, start, end));
  EXPECT(first >= 0 && second > 0 && second < 60000, "%g %g", first, second);
  EXPECT(fabsf(first + second - whole) <= 0.01f * whole + 0.01f, "%g + %g is not %g", first, second, whole);
  EXPECT(cudaEventElapsedTime(&milliseconds, start, untimed) == cudaErrorInvalidResourceHandle, "no times");
  EXPECT(cudaEventElapsedTime(&milliseconds, untimed, end) == cudaErrorInvalidResourceHandle, "no times");
  EXPECT(cudaGetLastError() == cudaErrorInvalidResourceHandle, "noted");
  CUDA(cudaDeviceSynchronize());
  EXPECT(value[0] == spinOnHost(1, 2002000), "%u", value[0]);

  // An event that is recorded again means the new place. A wait submitted before keeps the old place.
  CUDA(cudaEventRecord(middle, a));
  CUDA(cudaStreamWaitEvent(b, middle, cudaEventWaitDefault));
  spin<<<1, 1, 0, b>>>(&value[0], 10);
  CUDA(cudaEventRecord(middle, b));
  CUDA(cudaStreamWaitEvent(a, middle));
  spin<<<1, 1, 0, a>>>(&value[0], 10);
  CUDA(cudaEventRecord(end, a));

  // Another host thread waits for the event, then uses the result in its own stream.
  unsigned seen = 0;
  std::thread other([&] {
    cudaStream_t own;
    CUDA(cudaEventSynchronize(end));
    seen = *(volatile unsigned *)&value[0];
    CUDA(cudaStreamCreate(&own));
    CUDA(cudaStreamWaitEvent(own, end));
    spin<<<1, 1, 0, own>>>(&value[1], 100);
    CUDA(cudaStreamSynchronize(own));
    CUDA(cudaStreamDestroy(own));
  });
  other.join();
  EXPECT(seen == spinOnHost(1, 2002020), "%u", seen);
  EXPECT(value[1] == spinOnHost(2, 100), "%u", value[1]);

  // The host's time lies between two events of a stream that waits for it.
  CUDA(cudaEventRecord(start, a));
  CUDA(cudaEventSynchronize(start));
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CUDA(cudaEventRecord(end, a));
  CUDA(cudaEventSynchronize(end));
  CUDA(cudaEventElapsedTime(&whole, start, end));
  EXPECT(whole > 20 && whole < 60000, "slept 30 ms: %g", whole);
  printf("%u %u\n", value[0], value[1]);
  for (cudaEvent_t event : {start, middle, end, untimed, fresh})
    CUDA(cudaEventDestroy(event));
  CUDA(cudaStreamDestroy(a));
  CUDA(cudaStreamDestroy(b));
  CUDA(cudaFree(value));
  return passed();
}
