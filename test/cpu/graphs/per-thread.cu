// With a default stream for each thread, a kernel launched without a stream is captured in the thread's own default
// stream; other threads' default streams are not affected.
// RUN: %gasan -O2 -DCUDA_API_PER_THREAD_DEFAULT_STREAM -Xclang -fgpu-default-stream=per-thread %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"
#include <thread>

__global__ void add(int *value, int k) {
  atomicAdd(value, k);
}

static int *counters;

static void one(int index, int *result) {
  int *mine = counters + index;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CUDA(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i <= index; ++i)
    add<<<1, 1>>>(mine, 1);
  CUDA(cudaGetLastError());
  add<<<1, 1, 0, cudaStreamPerThread>>>(mine, 100);
  CUDA(cudaMemcpyAsync(result, mine, sizeof(int), cudaMemcpyDeviceToHost));
  cudaStreamCaptureStatus status;
  CUDA(cudaStreamIsCapturing(0, &status));
  EXPECT(status == cudaStreamCaptureStatusActive, "thread %d: status %d", index, int(status));
  CUDA(cudaStreamEndCapture(0, &graph));
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 5; ++i)
    CUDA(cudaGraphLaunch(exec, 0));
  CUDA(cudaStreamSynchronize(0));
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));
}

int main() {
  const int threads = 6;
  CUDA(cudaMalloc(&counters, threads * sizeof(int)));
  CUDA(cudaMemset(counters, 0, threads * sizeof(int)));
  CUDA(cudaDeviceSynchronize());
  int *results;
  CUDA(cudaMallocHost(&results, threads * sizeof(int)));
  std::thread all[threads];
  for (int i = 0; i < threads; ++i)
    all[i] = std::thread(one, i, results + i);
  for (std::thread &thread : all)
    thread.join();
  for (int i = 0; i < threads; ++i) {
    EXPECT(results[i] == 5 * (i + 1 + 100), "thread %d: %d", i, results[i]);
    printf("%d\n", results[i]);
  }
  return passed();
}
