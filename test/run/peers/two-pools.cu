// NEEDS-DEVICES: 2
// Pools on two devices: kernels on both, copies between them in both directions, frees while the other device is current.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t | %silent
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t.bst
// RUN: %run %t.bst | %silent
#include <cstdio>
#include <vector>

constexpr int kCount = 100000;

__global__ void fill(int *values, int count, int first) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = first + i;
}

static bool holds(const int *device, int first) {
  std::vector<int> values(kCount);
  if (cudaMemcpy(values.data(), device, kCount * sizeof(int), cudaMemcpyDefault) != cudaSuccess)
    return false;
  for (int i = 0; i < kCount; i++)
    if (values[i] != first + i)
      return false;
  return true;
}

int main() {
  int *values[2], *others[2];
  cudaStream_t streams[2];
  for (int device = 0; device < 2; device++) {
    cudaSetDevice(device);
    cudaStreamCreate(&streams[device]);
    cudaMalloc(&values[device], kCount * sizeof(int));
    cudaMalloc(&others[device], kCount * sizeof(int));
    fill<<<(kCount + 255) / 256, 256, 0, streams[device]>>>(values[device], kCount, 1000 * device);
  }
  for (int device = 0; device < 2; device++) {
    cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, values[device]) != cudaSuccess || attributes.device != device)
      return 1;
    cudaSetDevice(device);
    cudaStreamSynchronize(streams[device]);
  }
  if (!holds(values[0], 0) || !holds(values[1], 1000))
    return 2;
  if (cudaMemcpyPeer(others[1], 1, values[0], 0, kCount * sizeof(int)) != cudaSuccess ||
      cudaMemcpyPeerAsync(others[0], 0, values[1], 1, kCount * sizeof(int), streams[1]) != cudaSuccess ||
      cudaStreamSynchronize(streams[1]) != cudaSuccess)
    return 3;
  if (!holds(others[1], 0) || !holds(others[0], 1000))
    return 4;
  if (cudaMemcpy(others[0], others[1], kCount * sizeof(int), cudaMemcpyDeviceToDevice) != cudaSuccess || !holds(others[0], 0))
    return 5;
  for (int device = 0; device < 2; device++) {
    cudaSetDevice(1 - device);
    if (cudaFree(values[device]) != cudaSuccess || cudaFree(others[device]) != cudaSuccess)
      return 6;
    cudaSetDevice(device);
    cudaStreamDestroy(streams[device]);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
