// cudaMemset, 2D, 3D and their Async forms set the value's low byte at random places and sizes, and change nothing
// beside them.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__device__ unsigned variable[64];

int main() {
  Random random(8);
  const size_t pitch = 512, height = 10, depth = 6, bytes = pitch * height * depth;
  unsigned char *memory;
  CUDA(cudaMalloc(&memory, bytes));
  std::vector<unsigned char> mirror(bytes), got(bytes);
  CUDA(cudaMemset(memory, 0, bytes));
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  for (int round = 0; round < 150; ++round) {
    int value = int(random.next()); // only its low byte is used
    bool async = random.below(2);
    size_t width = random.below(pitch + 1), rows = random.below(height + 1), slices = random.below(depth + 1);
    size_t x = random.below(unsigned(pitch - width) + 1);
    switch (random.below(3)) {
    case 0: {
      size_t size = random.below(unsigned(bytes) + 1), at = random.below(unsigned(bytes - size) + 1);
      CUDA(async ? cudaMemsetAsync(memory + at, value, size, stream) : cudaMemset(memory + at, value, size));
      memset(mirror.data() + at, value, size);
      break;
    }
    case 1:
      CUDA(async ? cudaMemset2DAsync(memory + x, pitch, value, width, rows, stream)
                 : cudaMemset2D(memory + x, pitch, value, width, rows));
      for (size_t row = 0; row < rows; ++row)
        memset(&mirror[row * pitch + x], value, width);
      break;
    case 2: {
      cudaPitchedPtr box = make_cudaPitchedPtr(memory + x, pitch, width, height);
      cudaExtent extent = make_cudaExtent(width, rows, slices);
      CUDA(async ? cudaMemset3DAsync(box, value, extent, stream) : cudaMemset3D(box, value, extent));
      for (size_t z = 0; z < slices; ++z)
        for (size_t row = 0; row < rows; ++row)
          memset(mirror.data() + (z * height + row) * pitch + x, value, width);
      break;
    }
    }
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaMemcpy(got.data(), memory, bytes, cudaMemcpyDeviceToHost));
    EXPECT(got == mirror, "round %d", round);
  }
  void *address;
  unsigned values[64];
  CUDA(cudaGetSymbolAddress(&address, variable));
  CUDA(cudaMemset(address, 0xab, sizeof values / 2));
  CUDA(cudaMemcpyFromSymbol(values, variable, sizeof values));
  EXPECT(values[0] == 0xabababab && values[31] == 0xabababab && values[32] == 0, "a variable");
  unsigned *managed;
  CUDA(cudaMallocManaged(&managed, 64));
  CUDA(cudaMemset(managed, 1, 64));
  CUDA(cudaDeviceSynchronize());
  EXPECT(managed[15] == 0x01010101, "%x", managed[15]);
  printf("%016llx\n", (unsigned long long)checksum(mirror));
  CUDA(cudaFree(memory));
  CUDA(cudaFree(managed));
  CUDA(cudaStreamDestroy(stream));
  return passed();
}
