// A resource view reads an array in another format of the same size, or takes some levels of a mipmapped one for all; the
// object tells its view.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t | %same %silent
#include "../inputs/texture.h"

const int size = 32;

__global__ void bytes(cudaTextureObject_t texture, uchar4 *out) {
  out[blockIdx.x * size + threadIdx.x] = tex2D<uchar4>(texture, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}

__global__ void fractions(cudaTextureObject_t texture, float4 *out) {
  out[blockIdx.x * size + threadIdx.x] = tex2D<float4>(texture, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}

__global__ void levels(cudaTextureObject_t texture, float *out) {
  out[threadIdx.x] = tex2DLod<float>(texture, 0.5f, 0.5f, int(threadIdx.x) - 1);
}

cudaTextureObject_t create(const cudaResourceDesc &resource, const cudaTextureDesc &description, const cudaResourceViewDesc &view) {
  cudaTextureObject_t texture;
  CUDA(cudaCreateTextureObject(&texture, &resource, &description, &view));
  cudaResourceViewDesc seen;
  CUDA(cudaGetTextureObjectResourceViewDesc(&seen, texture));
  EXPECT(seen.format == view.format && seen.firstMipmapLevel == view.firstMipmapLevel &&
             seen.lastMipmapLevel == view.lastMipmapLevel && seen.width == view.width,
         "the view is another one");
  return texture;
}

void testFormats() {
  Random random(1);
  std::vector<unsigned> values(size * size);
  for (unsigned &value : values)
    value = random.next();
  cudaArray_t array;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<unsigned>();
  CUDA(cudaMallocArray(&array, &channels, size, size));
  CUDA(cudaMemcpy2DToArray(array, 0, 0, values.data(), size * 4, size * 4, size, cudaMemcpyHostToDevice));
  cudaResourceViewDesc view = {};
  view.format = cudaResViewFormatUnsignedChar4;
  view.width = view.height = size;
  uchar4 *out;
  CUDA(cudaMalloc(&out, size * size * sizeof(uchar4)));
  cudaTextureObject_t texture = create(resourceOf(array), describe(), view);
  bytes<<<size, size>>>(texture, out);
  std::vector<uchar4> seen = download(out, size * size);
  EXPECT(memcmp(seen.data(), values.data(), size * size * 4) == 0, "bytes differ");
  printf("bytes %016llx\n", (unsigned long long)checksum(seen));
  CUDA(cudaDestroyTextureObject(texture));

  // Normalised, to 1e-6.
  float4 *floats;
  CUDA(cudaMalloc(&floats, size * size * sizeof(float4)));
  texture = create(resourceOf(array), describe(cudaFilterModePoint, cudaAddressModeClamp, false, cudaReadModeNormalizedFloat), view);
  fractions<<<size, size>>>(texture, floats);
  std::vector<float4> normalized = download(floats, size * size);
  for (int i = 0; i < size * size; ++i)
    for (int c = 0; c < 4; ++c)
      EXPECT(std::fabs((&normalized[i].x)[c] - (&seen[i].x)[c] / 255.0) < 1e-6, "texel %d", i);
  CUDA(cudaDestroyTextureObject(texture));
  CUDA(cudaFreeArray(array));
  CUDA(cudaFree(out));
  CUDA(cudaFree(floats));
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
  view.width = view.height = size; // of the resource, not of the first level taken
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
  testFormats();
  testLevels();
  return passed();
}
