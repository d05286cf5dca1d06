// A captured kernel faults when its graph runs. Memory that is freed while a stream captures stays usable until the end
// of the capture.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
#include <thread>

__global__ void add(int *values, int count) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (100,0,0) block (0,0,0) lane 4
  // CHECK-SAME: {{^}} (and {{[0-9]+}} more threads of this kernel)
  // CHECK-NEXT: #0 add(int*, int) {{.*}}graph.cu:[[#@LINE+8]]:
  // CHECK-NEXT: #1 add(int*, int)<<<1, 128>>> launched here by host thread T0:
  // CHECK-NEXT: #2 {{0x[0-9a-f]+}} in main {{.*}}graph.cu:[[#@LINE+29]]:
  // CHECK: captured into the graph by host thread T0 here:
  // CHECK-NEXT: #0 {{0x[0-9a-f]+}} in main {{.*}}graph.cu:[[#@LINE+18]]:
#ifdef FIXED
  if (threadIdx.x < count)
#endif
    values[threadIdx.x] += 1;
}

int main() {
  int *values, *other;
  cudaMalloc(&values, 100 * sizeof(int));
  cudaMalloc(&other, 100);
  cudaMemset(values, 0, 100 * sizeof(int));
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess)
    return 2;
  add<<<1, 128, 0, stream>>>(values, 100);
  cudaError_t freed = cudaErrorUnknown;
  std::thread([&] { freed = cudaFree(other); }).join();
  add<<<1, 128, 0, stream>>>(values, 100);
  if (cudaStreamEndCapture(stream, &graph) != cudaSuccess || freed != cudaSuccess)
    return 3;
  if (cudaGraphInstantiate(&executable, graph, 0) != cudaSuccess)
    return 4;
  for (int i = 0; i < 3; ++i)
    if (cudaGraphLaunch(executable, stream) != cudaSuccess)
      return 5;
  if (cudaStreamSynchronize(stream) != cudaSuccess)
    return 6;
  int last = 0;
  cudaMemcpy(&last, values + 99, sizeof last, cudaMemcpyDeviceToHost);
  return last == 6 ? 0 : 7;
}
