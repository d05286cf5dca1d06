// Kernels in three streams, ordered by an event.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
__global__ void add(int *values, int value) {
  values[threadIdx.x] += value;
}

int main() {
  cudaStream_t streams[3];
  cudaEvent_t begin, end;
  int *values, host[3][32];
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaMalloc(&values, sizeof host);
  cudaMemset(values, 0, sizeof host);
  cudaDeviceSynchronize();
  cudaEventRecord(begin, 0);
  for (int i = 0; i < 3; ++i) {
    cudaStreamCreate(&streams[i]);
    for (int k = 0; k <= i; ++k)
      add<<<1, 32, 0, streams[i]>>>(values + 32 * i, 5);
  }
  cudaEventRecord(end, streams[2]);
  cudaStreamWaitEvent(streams[0], end, 0);
  add<<<1, 32, 0, streams[0]>>>(values + 64, 1);
  cudaMemcpyAsync(host, values, sizeof host, cudaMemcpyDeviceToHost, streams[0]);
  if (cudaStreamSynchronize(streams[0]) != cudaSuccess || cudaStreamSynchronize(streams[1]) != cudaSuccess ||
      cudaEventSynchronize(end) != cudaSuccess || cudaEventQuery(end) != cudaSuccess)
    return 2;
  float milliseconds = -1;
  if (cudaEventElapsedTime(&milliseconds, begin, end) != cudaSuccess || milliseconds < 0)
    return 3;
  if (host[0][31] != 5 || host[2][0] != 16)
    return 1;
  for (cudaStream_t stream : streams)
    cudaStreamDestroy(stream);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  cudaFree(values);
}
