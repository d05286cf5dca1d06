// tex2Dgather returns one component of the four texels that linear filtering blends, counter-clockwise from the lower
// left: (i, j+1), (i+1, j+1), (i+1, j), (i, j). At the edges the address mode applies.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/sampling.h"

template <typename T>
__global__ void gather(cudaTextureObject_t texture, int width, int height, int component, T *out) {
  int i = threadIdx.x, j = blockIdx.x; // between texels (i - 1, j - 1) and (i, j)
  if (i <= width)
    out[j * (width + 1) + i] = tex2Dgather<T>(texture, i - 0.2f, j + 0.3f, component);
}

template <typename T>
void test(const char *name, cudaTextureAddressMode mode, int width, int height) {
  Random random(width);
  std::vector<T> values(width * height);
  for (T &value : values)
    value = {decltype(T::x)(random.next() >> 8), decltype(T::x)(random.next() >> 8), decltype(T::x)(random.next() >> 8),
             decltype(T::x)(random.next() >> 8)};
  cudaArray_t array;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<T>();
  CUDA(cudaMallocArray(&array, &channels, width, height, cudaArrayTextureGather));
  CUDA(cudaMemcpy2DToArray(array, 0, 0, values.data(), width * sizeof(T), width * sizeof(T), height,
                           cudaMemcpyHostToDevice));
  cudaTextureObject_t texture = textureOf(resourceOf(array), describe(cudaFilterModePoint, mode));
  const int count = (width + 1) * (height + 1);
  T *out;
  CUDA(cudaMalloc(&out, count * sizeof(T)));
  for (int component = 0; component < 4; ++component) {
    gather<T><<<height + 1, 64>>>(texture, width, height, component, out);
    std::vector<T> seen = download(out, count);
    for (int at = 0; at < count; ++at) {
      // The coordinate is 0.2 left of column boundary i and 0.3 below row boundary j.
      int i = int(std::floor(at % (width + 1) - 0.2 - 0.5)), j = int(std::floor(at / (width + 1) + 0.3 - 0.5));
      const int places[4][2] = {{i, j + 1}, {i + 1, j + 1}, {i + 1, j}, {i, j}};
      for (int c = 0; c < 4; ++c) {
        int x = addressed(places[c][0], width, mode), y = addressed(places[c][1], height, mode);
        auto expected = x < 0 || y < 0 ? 0 : (&values[y * width + x].x)[component];
        EXPECT((&seen[at].x)[c] == expected, "%s component %d at %d %d, part %d", name, component, at % (width + 1),
               at / (width + 1), c);
      }
    }
    printf("%s %d: %016llx\n", name, component, (unsigned long long)checksum(seen));
  }
  CUDA(cudaDestroyTextureObject(texture));
  CUDA(cudaFreeArray(array));
  CUDA(cudaFree(out));
}

int main() {
  test<float4>("float4 clamp", cudaAddressModeClamp, 17, 9);
  test<float4>("float4 border", cudaAddressModeBorder, 8, 8);
  test<uchar4>("uchar4 clamp", cudaAddressModeClamp, 33, 5);
  test<int4>("int4 clamp", cudaAddressModeClamp, 12, 12);
  return passed();
}
