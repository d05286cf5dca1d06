// A resource view selects some levels of a mipmapped array. The object returns its view.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/sampling.h"

const int size = 32;

__global__ void levels(cudaTextureObject_t texture, float *out) {
  out[threadIdx.x] = tex2DLod<float>(texture, 0.5f, 0.5f, int(threadIdx.x) - 1);
}

cudaTextureObject_t create(const cudaResourceDesc &resource, const cudaTextureDesc &description,
                           const cudaResourceViewDesc &view) {
  cudaTextureObject_t texture;
  CUDA(cudaCreateTextureObject(&texture, &resource, &description, &view));
  cudaResourceViewDesc seen;
  CUDA(cudaGetTextureObjectResourceViewDesc(&seen, texture));
  EXPECT(seen.format == view.format && seen.firstMipmapLevel == view.firstMipmapLevel &&
             seen.lastMipmapLevel == view.lastMipmapLevel && seen.width == view.width,
         "the view is another one");
  return texture;
}

void testLevels() {
  const int all = 6;
  cudaMipmappedArray_t mipmapped;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  CUDA(cudaMallocMipmappedArray(&mipmapped, &channels, make_cudaExtent(size, size, 0), all));
  for (int level = 0; level < all; ++level) {
    size_t side = size >> level;
    std::vector<float> same(side * side, float(level));
    cudaArray_t array;
    CUDA(cudaGetMipmappedArrayLevel(&array, mipmapped, level));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, same.data(), side * 4, side * 4, side, cudaMemcpyHostToDevice));
  }
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = mipmapped;
  cudaTextureDesc description = describe(cudaFilterModePoint, cudaAddressModeClamp, true);
  description.maxMipmapLevelClamp = 100;
  cudaResourceViewDesc view = {};
  view.format = cudaResViewFormatFloat1;
  view.width = view.height = size; // the size of the resource, not of the first selected level
  view.firstMipmapLevel = 2;
  view.lastMipmapLevel = 4;
  cudaTextureObject_t texture = create(resource, description, view);
  float *out;
  CUDA(cudaMalloc(&out, 8 * sizeof(float)));
  levels<<<1, 8>>>(texture, out); // levels -1 to 6 of the view
  std::vector<float> seen = download(out, 8);
  for (int i = 0; i < 8; ++i) {
    float expected = 2 + std::fmin(std::fmax(i - 1, 0), 2);
    EXPECT(seen[i] == expected, "level %d: %g, not %g", i - 1, double(seen[i]), double(expected));
  }
  printf("levels %016llx\n", (unsigned long long)checksum(seen));
  CUDA(cudaDestroyTextureObject(texture));
  CUDA(cudaFreeMipmappedArray(mipmapped));
  CUDA(cudaFree(out));
}

int main() {
  testLevels();
  return passed();
}
