// Wide accesses at a chunk's end: vectors, merged narrow accesses, memcpy of odd lengths and of length 0, for all sizes
// from 1 byte on.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

__global__ void copy_vectors(const float4 *in, float4 *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = in[i];
}

__global__ void copy_bytes(const unsigned char *in, unsigned char *out, int count) {
  for (int i = 0; i < count; ++i)
    out[i] = in[i] + 1;
}

__global__ void copy_all(const char *in, char *out, size_t count) {
  memcpy(out, in, count);
  memcpy(out + count, in + count, count - count); // copies no bytes, one past the end
  memset(out + count, 0, 0);
}

struct Four { // clang makes one access of it
  unsigned char a, b, c, d;
};

__global__ void copy_last(const Four *in, Four *out, int last) {
  out[last] = in[last];
}

__global__ void unaligned(const char *bytes, int offset, long long *out) {
  memcpy(out, bytes + offset, 8);
}

int main() {
  for (int count : {1, 2, 7, 8, 9, 31, 100, 513}) {
    std::vector<float4> vectors(count);
    for (int i = 0; i < count; ++i)
      vectors[i] = make_float4(i, i + 1, i + 2, i + 3);
    Buffer<float4> in(vectors), out(count);
    copy_vectors<<<5, 128>>>(in, out, count);
    EXPECT(!memcmp(out.host().data(), vectors.data(), count * sizeof(float4)), "vectors %d", count);
    Buffer<Four> some(count), others(count);
    copy_last<<<1, 1>>>(some, others, count - 1);
  }
  for (int count = 1; count < 140; ++count) {
    std::vector<unsigned char> bytes(count), more(count);
    for (int i = 0; i < count; ++i)
      more[i] = (bytes[i] = i * 3) + 1;
    Buffer<unsigned char> in(bytes), out(count);
    copy_bytes<<<1, 1>>>(in, out, count);
    EXPECT(out.host() == more, "bytes %d", count);
    copy_all<<<1, 1>>>(reinterpret_cast<char *>(in.data), reinterpret_cast<char *>(out.data), count);
    EXPECT(out.host() == bytes, "memcpy %d", count);
  }
  Buffer<char> bytes(std::vector<char>(13, 1));
  Buffer<long long> out(1);
  unaligned<<<1, 1>>>(bytes, 5, out);
  EXPECT(out.host()[0] == 0x0101010101010101ll, "unaligned memcpy");
  return passed();
}
