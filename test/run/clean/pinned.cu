// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// Pinned host memory: copies from it, and a kernel uses it through its device address.
__global__ void add(int *values, const int *more) {
  values[threadIdx.x] += more[threadIdx.x];
}

int main() {
  int *pinned, *mapped, *mapped_device, *values;
  if (cudaMallocHost(&pinned, 64 * sizeof(int)) != cudaSuccess ||
      cudaHostAlloc(&mapped, 64 * sizeof(int), cudaHostAllocMapped) != cudaSuccess ||
      cudaHostGetDevicePointer((void **)&mapped_device, mapped, 0) != cudaSuccess)
    return 2;
  for (int i = 0; i < 64; ++i) {
    pinned[i] = i;
    mapped[i] = 100;
  }
  cudaMalloc(&values, 64 * sizeof(int));
  cudaMemcpyAsync(values, pinned, 64 * sizeof(int), cudaMemcpyHostToDevice, 0);
  add<<<1, 64>>>(values, mapped_device);
  cudaMemcpyAsync(pinned, values, 64 * sizeof(int), cudaMemcpyDeviceToHost, 0);
  if (cudaStreamSynchronize(0) != cudaSuccess || pinned[63] != 163 || pinned[0] != 100)
    return 1;
  cudaFree(values);
  cudaFreeHost(pinned);
  cudaFreeHost(mapped);
}
