// Texture and surface objects are values: kernels get them from memory, from constant memory and by index, many at a
// time, in every thread of many blocks. A kernel reads through a texture the values that an earlier kernel wrote
// through a surface of the same array.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/sampling.h"

const int size = 48, count = 12;

struct Image {
  cudaTextureObject_t texture;
  cudaSurfaceObject_t surface;
  float factor;
};

__constant__ Image images[count];

__device__ __noinline__ float read(const Image &image, int x, int y) {
  return tex2D<float>(image.texture, x + 0.5f, y + 0.5f) * image.factor;
}

__global__ void fillAll(Image *all) {
  const Image &image = all[blockIdx.y];
  int x = threadIdx.x, y = blockIdx.x;
  surf2Dwrite(float(blockIdx.y * 100 + (x ^ y)), image.surface, x * sizeof(float), y);
}

// A five-point blur. The texture clamps its borders.
__global__ void blur(int from, int to) {
  int x = threadIdx.x, y = blockIdx.x;
  const Image &image = images[from];
  float sum =
      read(image, x, y) + read(image, x - 1, y) + read(image, x + 1, y) + read(image, x, y - 1) + read(image, x, y + 1);
  surf2Dwrite(sum, images[to].surface, x * sizeof(float), y);
}

// Threads of a warp use different objects.
__global__ void mixed(float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = read(images[i % count], i / count % size, i % size);
}

int main() {
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  std::vector<cudaArray_t> arrays(count);
  std::vector<Image> all(count);
  std::vector<std::vector<float>> model(count, std::vector<float>(size * size));
  for (int i = 0; i < count; ++i) {
    CUDA(cudaMallocArray(&arrays[i], &channels, size, size, cudaArraySurfaceLoadStore));
    all[i] = {textureOf(resourceOf(arrays[i]), describe()), surfaceOf(arrays[i]), 0.25f};
    for (int p = 0; p < size * size; ++p)
      model[i][p] = float(i * 100 + (p % size ^ p / size));
  }
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < i; ++j)
      EXPECT(all[i].texture != all[j].texture && all[i].surface != all[j].surface, "objects %d and %d are one", i, j);
  CUDA(cudaMemcpyToSymbol(images, all.data(), count * sizeof(Image)));
  Image *device = upload(all);
  fillAll<<<dim3(size, count), size>>>(device);

  for (int step = 0; step < 8; ++step) { // sums of small multiples of powers of 1/4: exact
    int from = step % count, to = (step + 1) % count;
    blur<<<size, size>>>(from, to);
    for (int p = 0; p < size * size; ++p) {
      auto at = [&](int x, int y) {
        return model[from][addressed(y, size, cudaAddressModeClamp) * size + addressed(x, size, cudaAddressModeClamp)] *
               0.25f;
      };
      int x = p % size, y = p / size;
      model[to][p] = at(x, y) + at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1);
    }
  }
  for (int i = 0; i < count; ++i) {
    std::vector<float> seen(size * size);
    CUDA(cudaMemcpy2DFromArray(seen.data(), size * sizeof(float), arrays[i], 0, 0, size * sizeof(float), size,
                               cudaMemcpyDeviceToHost));
    EXPECT(seen == model[i], "image %d", i);
    printf("image %d %016llx\n", i, (unsigned long long)checksum(seen));
  }
  const int threads = 128 * 60;
  float *out;
  CUDA(cudaMalloc(&out, threads * sizeof(float)));
  mixed<<<60, 128>>>(out);
  std::vector<float> seen = download(out, threads);
  for (int i = 0; i < threads; ++i)
    EXPECT(seen[i] == model[i % count][i % size * size + i / count % size] * 0.25f, "thread %d: %g", i,
           double(seen[i]));
  for (int i = 0; i < count; ++i) {
    CUDA(cudaDestroyTextureObject(all[i].texture));
    CUDA(cudaDestroySurfaceObject(all[i].surface));
    CUDA(cudaFreeArray(arrays[i]));
  }
  CUDA(cudaFree(out));
  CUDA(cudaFree(device));
  return passed();
}
