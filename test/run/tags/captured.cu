// RUN: %gasan -O2 %s -fsanitize-gpu-address-tags -o %t
// RUN: %options=quarantine_size_mb=0 not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -fsanitize-gpu-address-tags -o %t.fixed
// RUN: %options=quarantine_size_mb=0 %run %t.fixed 2>&1 >/dev/null | %silent
// A graph contains the pointer of the capture. At its second launch the addresses belong to another allocation, and the
// access is reported.
__global__ void add(int *values) {
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free
  // CHECK: #0 add(int*) {{.*}}captured.cu:[[#@LINE+1]]:
  values[threadIdx.x] += 1;
}

int main() {
  int *values, *other, host[32];
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  cudaMalloc(&values, sizeof host);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(values, 0, sizeof host, stream);
  add<<<1, 32, 0, stream>>>(values);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  cudaMemcpyAsync(host, values, sizeof host, cudaMemcpyDeviceToHost, stream);
  if (cudaStreamSynchronize(stream) != cudaSuccess || host[31] != 1)
    return 2;
#ifndef FIXED
  cudaFree(values);
#endif
  cudaMalloc(&other, sizeof host);
  cudaGraphLaunch(exec, stream);
  // CHECK: freed by host thread T0 here:
  // CHECK: in main {{.*}}captured.cu:[[#@LINE-5]]:
  return cudaStreamSynchronize(stream) != cudaSuccess;
}
