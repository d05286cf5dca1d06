// Memory outside of cudaMalloc's pool: managed, page-locked, registered and write-combined, by pointers to the middle,
// the tail and the end of each; and pitched rows, whose padding belongs to the program.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

__global__ void turn(int *middle, int half) {
  for (int i = threadIdx.x; i < half; i += blockDim.x) {
    int left = middle[-1 - i];
    middle[-1 - i] = middle[i];
    middle[i] = left;
  }
}

__global__ void from_end(const int *end, int count, int *result) {
  int total = 0;
  while (count--)
    total = total * 3 + *--end;
  *result = total;
}

__global__ void rows(char *rows, size_t pitch, int count) {
  for (int i = threadIdx.x; i < int(pitch); i += blockDim.x)
    for (int row = 0; row < count; ++row)
      rows[row * pitch + i] = 1;
}

static void check(int *values, int *device, int count, const char *name) { // count is even
  for (int i = 0; i < count; ++i)
    values[i] = i;
  Buffer<int> result(1);
  turn<<<1, 32>>>(device + count / 2, count / 2);
  CUDA(cudaDeviceSynchronize());
  unsigned expected = 0;
  for (int i = 0; i < count; ++i) {
    EXPECT(values[i] == count - 1 - i, "%s: %d: %d", name, i, values[i]);
    expected = expected * 3 + unsigned(i);
  }
  from_end<<<1, 1>>>(device + count, count, result);
  EXPECT(unsigned(result.host()[0]) == expected, "%s", name);
}

int main() {
  for (int count : {2, 100, 1024, 5000}) {
    size_t bytes = count * sizeof(int);
    int *managed, *neighbour, *pinned, *mapped, *device;
    CUDA(cudaMallocManaged(&managed, bytes));
    CUDA(cudaMallocManaged(&neighbour, bytes));
    check(managed, managed, count, "managed");
    check(neighbour, neighbour, count, "managed");
    CUDA(cudaMallocHost(&pinned, bytes));
    check(pinned, pinned, count, "page-locked");
    CUDA(cudaHostAlloc(&mapped, bytes, cudaHostAllocMapped | cudaHostAllocWriteCombined));
    CUDA(cudaHostGetDevicePointer(&device, mapped, 0));
    check(mapped, device, count, "mapped");
    std::vector<int> own(count + 2048);
    int *registered = own.data() + 1024;
    CUDA(cudaHostRegister(registered, bytes, cudaHostRegisterMapped));
    CUDA(cudaHostGetDevicePointer(&device, registered, 0));
    check(registered, device, count, "registered");
    CUDA(cudaHostUnregister(registered));
    CUDA(cudaFree(managed));
    CUDA(cudaFree(neighbour));
    CUDA(cudaFreeHost(pinned));
    CUDA(cudaFreeHost(mapped));
  }
  char *pitched;
  size_t pitch;
  CUDA(cudaMallocPitch(&pitched, &pitch, 100, 7));
  rows<<<1, 64>>>(pitched, pitch, 7);
  cudaPitchedPtr volume;
  CUDA(cudaMalloc3D(&volume, make_cudaExtent(33, 5, 3)));
  rows<<<1, 64>>>(static_cast<char *>(volume.ptr), volume.pitch, 15);
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaFree(pitched));
  CUDA(cudaFree(volume.ptr));
  return passed();
}
