// Alignments: packed structures, bytes read as words by memcpy, odd strides, vectors of three, structures with tail
// padding.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

struct __attribute__((packed)) Packed {
  char tag;
  int value;
  double number;
};
struct Padded {
  double number;
  char tag;
};

__global__ void sum_packed(const Packed *records, int count, double *out) {
  double total = 0;
  for (int i = 0; i < count; ++i)
    total += records[i].tag + records[i].value + records[i].number;
  *out = total;
}

__global__ void write_packed(Packed *records, int count) {
  int i = threadIdx.x;
  if (i < count)
    records[i] = {char(i), i * 2, i * 0.5};
}

__global__ void odd_stride(const char *bytes, int count, int *out) {
  int total = 0;
  for (int i = 0; i < count; ++i) {
    int word;
    memcpy(&word, bytes + i * 5 + 1, sizeof word);
    total += word;
  }
  *out = total;
}

__global__ void threes(const float3 *in, float3 *out, int count) {
  int i = threadIdx.x;
  if (i < count)
    out[count - 1 - i] = in[i];
}

__global__ void copy_padded(const Padded *in, Padded *out, int count) {
  for (int i = 0; i < count; ++i)
    out[i] = in[i];
}

int main() {
  const int count = 21;
  Buffer<Packed> records(count);
  Buffer<double> sum(1);
  write_packed<<<1, 32>>>(records, count);
  sum_packed<<<1, 1>>>(records, count, sum);
  EXPECT(sum.host()[0] == 210 * 3.5, "%g", sum.host()[0]);
  Buffer<char> bytes(std::vector<char>(5 * 7, 1));
  Buffer<int> word(1);
  odd_stride<<<1, 1>>>(bytes, 7, word);
  EXPECT(word.host()[0] == 7 * 0x01010101, "%x", word.host()[0]);
  std::vector<float3> vectors(count);
  for (int i = 0; i < count; ++i)
    vectors[i] = make_float3(i, i + 1, i + 2);
  Buffer<float3> in(vectors), out(count);
  threes<<<1, 32>>>(in, out, count);
  EXPECT(out.host()[0].z == count + 1, "%g", out.host()[0].z);
  Buffer<Padded> padded(std::vector<Padded>(3, Padded{1.5, 'x'})), copies(3);
  copy_padded<<<1, 1>>>(padded, copies, 3);
  EXPECT(copies.host()[2].tag == 'x', "tag");
  return passed();
}
