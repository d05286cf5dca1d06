// Page-locked memory: allocated with each flag, or registered from malloc; the device accesses it through its device
// pointer.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__global__ void reverse(unsigned *to, const unsigned *from, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    to[i] = from[count - 1 - i] * 3 + i;
}

int main() {
  const int count = 4096;
  uint64_t sum = 0;
  for (unsigned flags : {cudaHostAllocDefault, cudaHostAllocPortable, cudaHostAllocMapped, cudaHostAllocWriteCombined,
                         cudaHostAllocPortable | cudaHostAllocMapped}) {
    unsigned *from, *to, *device_from, *device_to, got = 0;
    CUDA(cudaHostAlloc(&from, count * sizeof(unsigned), flags));
    CUDA(cudaHostAlloc(&to, count * sizeof(unsigned), cudaHostAllocDefault));
    CUDA(cudaHostGetFlags(&got, from));
    EXPECT(got == ((flags & cudaHostAllocWriteCombined) | cudaHostAllocMapped), "%u of %u", got, flags);
    CUDA(cudaHostGetDevicePointer(&device_from, from, 0));
    CUDA(cudaHostGetDevicePointer(&device_to, to, 0));
    for (int i = 0; i < count; ++i)
      from[i] = i * 7 + flags;
    reverse<<<count / 256, 256>>>(device_to, device_from, count);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < count; ++i)
      EXPECT(to[i] == ((count - 1 - i) * 7 + flags) * 3 + i, "flags %u: %d", flags, i);
    sum = checksum(to, count * sizeof(unsigned), sum);
    CUDA(cudaFreeHost(from));
    CUDA(cudaFreeHost(to));
  }

  // Registered memory: kernels use it from its start, and from its middle on.
  std::vector<unsigned> own(count), result(count);
  unsigned *device_own, *device_result;
  CUDA(cudaHostRegister(own.data(), count * sizeof(unsigned), cudaHostRegisterMapped));
  CUDA(cudaHostRegister(result.data(), count * sizeof(unsigned), cudaHostRegisterPortable | cudaHostRegisterMapped));
  CUDA(cudaHostGetDevicePointer(&device_own, own.data(), 0));
  CUDA(cudaHostGetDevicePointer(&device_result, result.data(), 0));
  EXPECT(cudaHostRegister(own.data(), count * sizeof(unsigned), 0) == cudaErrorHostMemoryAlreadyRegistered, "twice");
  EXPECT(cudaGetLastError() == cudaErrorHostMemoryAlreadyRegistered, "noted");
  for (int i = 0; i < count; ++i)
    own[i] = i ^ 0x5555;
  reverse<<<count / 256, 256>>>(device_result, device_own, count);
  reverse<<<count / 512, 256>>>(device_own + count / 2, device_result, count / 2);
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < count; ++i)
    EXPECT(result[i] == unsigned((count - 1 - i) ^ 0x5555) * 3 + i, "%d", i);
  for (int i = 0; i < count / 2; ++i)
    EXPECT(own[count / 2 + i] == result[count / 2 - 1 - i] * 3 + i, "%d", i);
  CUDA(cudaHostUnregister(own.data()));
  CUDA(cudaHostUnregister(result.data()));
  EXPECT(cudaHostUnregister(own.data()) == cudaErrorHostMemoryNotRegistered, "unregistered twice");
  CUDA(cudaHostRegister(own.data(), count * sizeof(unsigned), 0)); // registered again
  CUDA(cudaHostUnregister(own.data()));

  unsigned flags;
  void *pointer;
  unsigned local = 0;
  EXPECT(cudaHostGetFlags(&flags, &local) == cudaErrorInvalidValue, "the stack is not pinned");
  EXPECT(cudaHostAlloc(&pointer, 16, 0x1000) == cudaErrorInvalidValue, "no such flag");
  EXPECT(cudaHostRegister(nullptr, 16, 0) == cudaErrorInvalidValue, "no memory");
  EXPECT(cudaFreeHost(nullptr) == cudaSuccess, "nothing to free");
  cudaGetLastError();
  CUDA(cudaMallocHost(&pointer, 100));
  CUDA(cudaFreeHost(pointer));
  printf("%016llx %016llx\n", (unsigned long long)sum, (unsigned long long)checksum(own));
  return passed();
}
