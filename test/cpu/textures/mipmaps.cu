// Mipmapped arrays: each level is an array of half the size. tex2DLod takes the nearest level or blends two (with 8-bit
// weights), after the description's bias and clamps. tex2DGrad takes the level in which a step is one texel.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/sampling.h"

__global__ void sampleLevels(cudaTextureObject_t texture, const float *levels, int count, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = tex2DLod<float>(texture, 0.5f, 0.5f, levels[i]);
}

__global__ void sampleTexels(cudaTextureObject_t texture, int size, int level, float *out) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x < size)
    out[y * size + x] = tex2DLod<float>(texture, (x + 0.5f) / size, (y + 0.5f) / size, level);
}

__global__ void sampleGradients(cudaTextureObject_t texture, float *out) {
  float step = ldexpf(1.0f, int(threadIdx.x) - 6); // of 64 texels: 2^i texels of level 0
  out[threadIdx.x] = tex2DGrad<float>(texture, 0.5f, 0.5f, make_float2(step, 0), make_float2(0, step / 2));
}

int main() {
  const int size = 64, levels = 7;
  cudaMipmappedArray_t mipmapped;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  CUDA(cudaMallocMipmappedArray(&mipmapped, &channels, make_cudaExtent(size, size, 0), levels));
  std::vector<std::vector<float>> values(levels);
  for (int level = 0; level < levels; ++level) {
    cudaArray_t array;
    cudaExtent extent;
    CUDA(cudaGetMipmappedArrayLevel(&array, mipmapped, level));
    CUDA(cudaArrayGetInfo(nullptr, &extent, nullptr, array));
    size_t side = size >> level;
    EXPECT(extent.width == side && extent.height == side, "level %d is %zu x %zu", level, extent.width, extent.height);
    values[level].resize(side * side);
    for (size_t i = 0; i < side * side; ++i)
      values[level][i] = float(level * 10000 + i);
    CUDA(cudaMemcpy2DToArray(array, 0, 0, values[level].data(), side * sizeof(float), side * sizeof(float), side,
                             cudaMemcpyHostToDevice));
  }
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = mipmapped;
  cudaTextureDesc description = describe(cudaFilterModePoint, cudaAddressModeClamp, true);
  description.maxMipmapLevelClamp = levels - 1;

  // Every texel of every level.
  float *out;
  CUDA(cudaMalloc(&out, size * size * sizeof(float)));
  cudaTextureObject_t texture = textureOf(resource, description);
  for (int level = 0; level < levels; ++level) {
    int side = size >> level;
    sampleTexels<<<side, 64>>>(texture, side, level, out);
    std::vector<float> seen = download(out, side * side);
    EXPECT(seen == values[level], "level %d differs", level);
    printf("level %d: %016llx\n", level, (unsigned long long)checksum(seen));
  }

  // The level that a gradient selects.
  sampleGradients<<<1, levels>>>(texture, out);
  std::vector<float> graded = download(out, levels);
  for (int i = 0; i < levels; ++i)
    EXPECT(std::floor(graded[i] / 10000) == i, "step 2^%d texels: %g", i, double(graded[i]));
  CUDA(cudaDestroyTextureObject(texture));

  // Each level now has one value, which shows the level that was read.
  for (int level = 0; level < levels; ++level) {
    cudaArray_t array;
    CUDA(cudaGetMipmappedArrayLevel(&array, mipmapped, level));
    size_t side = size >> level;
    std::vector<float> same(side * side, float(level));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, same.data(), side * sizeof(float), side * sizeof(float), side,
                             cudaMemcpyHostToDevice));
  }
  std::vector<float> asked;
  for (int i = -20; i <= 100; ++i)
    asked.push_back(i / 10.0f + 0.03f);
  float *places = upload(asked), *results;
  CUDA(cudaMalloc(&results, asked.size() * sizeof(float)));
  struct {
    float bias, low, high;
  } settings[] = {{0, 0, levels - 1}, {1.5f, 0, levels - 1}, {-0.75f, 1, 4}, {0, 2.5f, 2.5f}};
  for (auto &s : settings)
    for (int blend = 0; blend < 2; ++blend) {
      description.mipmapLevelBias = s.bias;
      description.minMipmapLevelClamp = s.low;
      description.maxMipmapLevelClamp = s.high;
      description.mipmapFilterMode = blend ? cudaFilterModeLinear : cudaFilterModePoint;
      texture = textureOf(resource, description);
      sampleLevels<<<1, 128>>>(texture, places, int(asked.size()), results);
      std::vector<float> seen = download(results, asked.size());
      for (size_t i = 0; i < asked.size(); ++i) {
        double level = std::fmin(std::fmax(asked[i] + s.bias, s.low), s.high);
        // Halfway between two levels, either may be the nearest.
        double tolerance = blend ? 1.5 / 256 : 0.5 + 1.0 / 64;
        EXPECT(std::fabs(seen[i] - level) <= tolerance, "bias %g, level %g: %g", double(s.bias), level,
               double(seen[i]));
        EXPECT(blend || seen[i] == std::floor(seen[i]), "levels are blended: %g", double(seen[i]));
      }
      CUDA(cudaDestroyTextureObject(texture));
    }
  CUDA(cudaFreeMipmappedArray(mipmapped));
  CUDA(cudaFree(out));
  CUDA(cudaFree(places));
  CUDA(cudaFree(results));
  return passed();
}
