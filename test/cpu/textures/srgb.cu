// A texture with sRGB converts the first three channels of normalised 8-bit texels to linear light, and leaves the
// fourth unchanged. The tolerance is 1/128, because the GPU's conversion is approximate (an H200 is off by up to
// 1/250).
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/sampling.h"

__global__ void sample(cudaTextureObject_t texture, float4 *out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = tex2D<float4>(texture, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}

int main() {
  const int width = 256, height = 2;
  std::vector<uchar4> values(width * height);
  for (int i = 0; i < width * height; ++i)
    values[i] = make_uchar4(i, 255 - i, i * 7, i * 3);
  cudaArray_t array;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<uchar4>();
  CUDA(cudaMallocArray(&array, &channels, width, height));
  CUDA(cudaMemcpy2DToArray(array, 0, 0, values.data(), width * sizeof(uchar4), width * sizeof(uchar4), height,
                           cudaMemcpyHostToDevice));
  cudaTextureDesc description = describe(cudaFilterModePoint, cudaAddressModeClamp, false, cudaReadModeNormalizedFloat);
  float4 *out;
  CUDA(cudaMalloc(&out, width * height * sizeof(float4)));
  for (int srgb = 0; srgb < 2; ++srgb) {
    description.sRGB = srgb;
    cudaTextureObject_t texture = textureOf(resourceOf(array), description);
    sample<<<height, width>>>(texture, out);
    std::vector<float4> seen = download(out, width * height);
    for (int i = 0; i < width * height; ++i)
      for (int c = 0; c < 4; ++c) {
        double value = (&values[i].x)[c] / 255.0, expected = value;
        if (srgb && c < 3)
          expected = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
        EXPECT(std::fabs((&seen[i].x)[c] - expected) < (srgb ? 1.0 / 128 : 1e-6), "texel %d channel %d: %g, not %g", i,
               c, double((&seen[i].x)[c]), expected);
      }
    CUDA(cudaDestroyTextureObject(texture));
  }
  puts("sRGB");
  CUDA(cudaFreeArray(array));
  CUDA(cudaFree(out));
  return passed();
}
