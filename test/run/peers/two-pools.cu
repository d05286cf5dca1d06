// REQUIRES: two-devices
// Pools on two devices: kernels on both devices, copies between them in both directions, and frees while the other
// device is current.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t.bst
// RUN: %run %t.bst 2>&1 >/dev/null | %silent
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

// Copies and sets find the memory's device by the address, whichever device is current.
static bool whoever_is_current(int *values, int *same, int *other, cudaStream_t stream) {
  constexpr size_t kSize = kCount * sizeof(int), kRow = 400, kRows = kSize / kRow;
  std::vector<int> host(kCount, 7);
  cudaMemcpy3DParms box = {};
  box.srcPtr = make_cudaPitchedPtr(same, kRow, kRow, kRows);
  box.dstPtr = make_cudaPitchedPtr(other, kRow, kRow, kRows);
  box.extent = make_cudaExtent(kRow, kRows, 1);
  box.kind = cudaMemcpyDefault;
  return cudaMemset(values, 0, kSize) == cudaSuccess && cudaMemset2D(same, kRow, 1, kRow, kRows) == cudaSuccess &&
         cudaMemcpy(values, host.data(), kSize, cudaMemcpyHostToDevice) == cudaSuccess &&
         cudaMemcpyAsync(same, values, kSize, cudaMemcpyDeviceToDevice, stream) == cudaSuccess &&
         cudaMemcpyAsync(other, values, kSize, cudaMemcpyDefault, stream) == cudaSuccess &&
         cudaStreamSynchronize(stream) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess &&
         cudaMemcpy2D(other, kRow, values, kRow, kRow, kRows, cudaMemcpyDeviceToDevice) == cudaSuccess &&
         cudaMemcpy3D(&box) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess &&
         cudaMemcpy2D(host.data(), kRow, other, kRow, kRow, kRows, cudaMemcpyDeviceToHost) == cudaSuccess &&
         host[0] == 7 && host[kCount - 1] == 7 && cudaMemsetAsync(other, 0, kSize) == cudaSuccess &&
         cudaDeviceSynchronize() == cudaSuccess &&
         cudaMemcpyAsync(host.data(), same, kSize, cudaMemcpyDeviceToHost, stream) == cudaSuccess &&
         cudaStreamSynchronize(stream) == cudaSuccess && host[kCount - 1] == 7;
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
  if (cudaMemcpy(others[0], others[1], kCount * sizeof(int), cudaMemcpyDeviceToDevice) != cudaSuccess ||
      !holds(others[0], 0))
    return 5;
  for (int current = 0; current < 2; current++) {
    cudaSetDevice(current);
    for (int device = 0; device < 2; device++)
      if (!whoever_is_current(values[device], others[device], others[1 - device], streams[device]))
        return 7;
    int now;
    if (cudaGetDevice(&now) != cudaSuccess || now != current)
      return 8;
  }
  for (int device = 0; device < 2; device++) {
    cudaSetDevice(1 - device);
    if (cudaFree(values[device]) != cudaSuccess || cudaFree(others[device]) != cudaSuccess)
      return 6;
    cudaSetDevice(device);
    cudaStreamDestroy(streams[device]);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
