// cudaPointerGetAttributes for every kind of memory, at its start and inside.
// RUN: %gasan -O1 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__device__ int variable[10];
__global__ void touch() {
  variable[threadIdx.x] = 1;
}

static cudaPointerAttributes of(const void *pointer) {
  cudaPointerAttributes attributes;
  memset(&attributes, 0x77, sizeof attributes);
  CUDA(cudaPointerGetAttributes(&attributes, pointer));
  return attributes;
}

static void expectDevice(const char *what, void *pointer, size_t size) {
  for (size_t at : {size_t(0), size / 2, size - 1}) {
    cudaPointerAttributes a = of((char *)pointer + at);
    EXPECT(a.type == cudaMemoryTypeDevice && a.device == 0, "%s + %zu: type %d, device %d", what, at, a.type, a.device);
    EXPECT(a.devicePointer == (char *)pointer + at, "%s + %zu", what, at);
  }
}

int main() {
  char *plain, *pitched, *ordered, *pinned, *managed;
  size_t pitch;
  cudaPitchedPtr box;
  touch<<<1, 10>>>();
  CUDA(cudaMalloc(&plain, 1000));
  CUDA(cudaMallocPitch(&pitched, &pitch, 100, 10));
  CUDA(cudaMalloc3D(&box, make_cudaExtent(100, 3, 3)));
  CUDA(cudaMallocAsync(&ordered, 5000, nullptr));
  CUDA(cudaStreamSynchronize(nullptr));
  CUDA(cudaMallocHost(&pinned, 3000));
  CUDA(cudaMallocManaged(&managed, 3000));
  void *address;
  CUDA(cudaGetSymbolAddress(&address, variable));
  expectDevice("cudaMalloc", plain, 1000);
  expectDevice("cudaMallocPitch", pitched, pitch * 10);
  expectDevice("cudaMalloc3D", box.ptr, box.pitch * 9);
  expectDevice("cudaMallocAsync", ordered, 5000);
  expectDevice("variable", address, sizeof(int) * 10);
  for (size_t at : {0, 1234, 2999}) {
    cudaPointerAttributes a = of(pinned + at);
    EXPECT(a.type == cudaMemoryTypeHost && a.hostPointer == pinned + at, "pinned + %zu: type %d", at, a.type);
    EXPECT(a.devicePointer == pinned + at, "pinned + %zu: unified addresses", at);
    a = of(managed + at);
    EXPECT(a.type == cudaMemoryTypeManaged, "managed + %zu: type %d", at, a.type);
    EXPECT(a.hostPointer == managed + at && a.devicePointer == managed + at, "managed + %zu", at);
  }
  std::vector<char> own(4096);
  EXPECT(of(own.data()).type == cudaMemoryTypeUnregistered, "the program's own memory");
  CUDA(cudaHostRegister(own.data(), own.size(), cudaHostRegisterDefault));
  EXPECT(of(own.data() + 5).type == cudaMemoryTypeHost, "registered");
  CUDA(cudaHostUnregister(own.data()));
  EXPECT(of(own.data() + 5).type == cudaMemoryTypeUnregistered, "unregistered");
  int local;
  EXPECT(of(&local).type == cudaMemoryTypeUnregistered, "the stack");
  EXPECT(cudaPointerGetAttributes(nullptr, plain) == cudaErrorInvalidValue, "nowhere to write");
  cudaGetLastError();
  for (void *memory : {(void *)plain, (void *)pitched, box.ptr, (void *)managed})
    CUDA(cudaFree(memory));
  CUDA(cudaFreeAsync(ordered, nullptr));
  CUDA(cudaFreeHost(pinned));
  CUDA(cudaDeviceSynchronize());
  puts("done");
  return passed();
}
