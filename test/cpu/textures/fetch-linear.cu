// tex1Dfetch reads every format of texels from linear memory: 1, 2 and 4 channels of 8-, 16- and 32-bit integers and of
// floats, converted if the read mode is normalised. Beyond either end it returns zeros.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/sampling.h"

// Returns single channels, since vectors have no index.
template <typename T>
struct Channels {
  static constexpr int count = sizeof(T) / sizeof(T::x);
  using Type = decltype(T::x);
};

template <typename T>
__global__ void fetch(cudaTextureObject_t texture, int first, int count, T *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = tex1Dfetch<T>(texture, first + i);
}

template <typename T>
void testFormat(const char *name, uint64_t seed) {
  // The texture begins after some texels (512 bytes, the alignment that GPUs require) and ends before some others.
  const int count = 1000, margin = 40, all = count + 2 * margin, lead = 512 / sizeof(T);
  Random random(seed);
  std::vector<T> values(lead + count + margin);
  using Channel = typename Channels<T>::Type;
  for (T &value : values)
    for (int c = 0; c < Channels<T>::count; ++c)
      (&value.x)[c] = Channel(int32_t(random.next()));
  T *memory = upload(values), *out;
  CUDA(cudaMalloc(&out, all * sizeof(T)));
  cudaTextureObject_t texture = textureOf(resourceOf(memory + lead, count), describe());
  fetch<T><<<(all + 127) / 128, 128>>>(texture, -margin, all, out);
  std::vector<T> seen = download(out, all);
  for (int i = 0; i < all; ++i) {
    T expected{};
    if (i >= margin && i < margin + count)
      expected = values[lead + i - margin];
    EXPECT(memcmp(&seen[i], &expected, sizeof expected) == 0, "%s texel %d", name, i - margin);
  }
  printf("%s %016llx\n", name, (unsigned long long)checksum(seen));
  CUDA(cudaDestroyTextureObject(texture));
  CUDA(cudaFree(memory));
  CUDA(cudaFree(out));
}

// Integers as [0, 1] and [-1, 1], at most 1e-6 away from the quotient.
template <typename T, typename R>
void testNormalized(const char *name) {
  using Channel = typename Channels<T>::Type;
  const int bits = sizeof(Channel) * 8, count = 1 << bits;
  const bool isSigned = Channel(-1) < Channel(0);
  std::vector<T> values(count);
  for (int i = 0; i < count; ++i)
    for (int c = 0; c < Channels<T>::count; ++c)
      (&values[i].x)[c] = Channel(i + 5 * c);
  T *memory = upload(values);
  R *out;
  CUDA(cudaMalloc(&out, count * sizeof(R)));
  cudaTextureDesc description = describe();
  description.readMode = cudaReadModeNormalizedFloat;
  cudaTextureObject_t texture = textureOf(resourceOf(memory, count), description);
  fetch<R><<<(count + 127) / 128, 128>>>(texture, 0, count, out);
  std::vector<R> seen = download(out, count);
  for (int i = 0; i < count; ++i)
    for (int c = 0; c < Channels<T>::count; ++c) {
      double expected = double((&values[i].x)[c]) / ((1 << (isSigned ? bits - 1 : bits)) - 1);
      if (expected < -1)
        expected = -1;
      EXPECT(std::fabs((&seen[i].x)[c] - expected) < 1e-6, "%s %d: %g, not %g", name, i, double((&seen[i].x)[c]),
             expected);
    }
  CUDA(cudaDestroyTextureObject(texture));
  CUDA(cudaFree(memory));
  CUDA(cudaFree(out));
}

// Halves have a channel description of their own; they are read as floats.
void testHalf() {
  const int count = 65536;
  std::vector<uint16_t> values(count);
  for (int i = 0; i < count; ++i)
    values[i] = uint16_t(i);
  uint16_t *memory = upload(values);
  float *out;
  CUDA(cudaMalloc(&out, count * sizeof(float)));
  cudaResourceDesc resource = resourceOf(memory, count);
  resource.res.linear.desc = cudaCreateChannelDescHalf();
  cudaTextureObject_t texture = textureOf(resource, describe());
  fetch<float><<<count / 256, 256>>>(texture, 0, count, out);
  std::vector<float> seen = download(out, count);
  for (int i = 0; i < count; ++i) {
    int exponent = i >> 10 & 31, fraction = i & 1023;
    double expected = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
    if (exponent == 31)
      expected = fraction ? NAN : INFINITY;
    if (i & 0x8000)
      expected = -expected;
    EXPECT(expected != expected ? seen[i] != seen[i] : seen[i] == expected, "half %04x: %g", i, double(seen[i]));
  }
  CUDA(cudaDestroyTextureObject(texture));
  CUDA(cudaFree(memory));
  CUDA(cudaFree(out));
}

int main() {
  testFormat<char1>("char1", 1);
  testFormat<char2>("char2", 2);
  testFormat<char4>("char4", 3);
  testFormat<uchar1>("uchar1", 4);
  testFormat<uchar2>("uchar2", 5);
  testFormat<uchar4>("uchar4", 6);
  testFormat<short1>("short1", 7);
  testFormat<short2>("short2", 8);
  testFormat<short4>("short4", 9);
  testFormat<ushort1>("ushort1", 10);
  testFormat<ushort2>("ushort2", 11);
  testFormat<ushort4>("ushort4", 12);
  testFormat<int1>("int1", 13);
  testFormat<int2>("int2", 14);
  testFormat<int4>("int4", 15);
  testFormat<uint1>("uint1", 16);
  testFormat<uint2>("uint2", 17);
  testFormat<uint4>("uint4", 18);
  testFormat<float1>("float1", 19);
  testFormat<float2>("float2", 20);
  testFormat<float4>("float4", 21);
  testNormalized<uchar1, float1>("uchar1");
  testNormalized<uchar4, float4>("uchar4");
  testNormalized<char1, float1>("char1");
  testNormalized<char2, float2>("char2");
  testNormalized<ushort1, float1>("ushort1");
  testNormalized<short4, float4>("short4");
  testHalf();
  return passed();
}
