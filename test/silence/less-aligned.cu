// Neighbouring values through pointers with the alignment of one value only, copies from odd addresses, and one member
// of a vector. Also pointers of unknown origin, to variables, functions and strings, stored in memory, some with tag
// bits of the program.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

struct Four {
  int x, y, z, w;
};
struct __attribute__((packed, aligned(4))) Doubles {
  double first, second;
};

__global__ void neighbours(const float *values, float *out) {
  *out = values[0] + values[1] + values[2] + values[3];
}

__global__ void structs(const Four *from, Four *to) {
  *to = *from;
}

__global__ void doubles(const Doubles *from, double *out) {
  *out = from->first + from->second;
}

__global__ void copied(const char *bytes, int4 *out) {
  int4 value;
  memcpy(&value, bytes, sizeof value);
  *out = value;
  memcpy(reinterpret_cast<char *>(out + 1) + 3, bytes + 1, 13);
}

__global__ void words(const char *bytes, int *out) { // one byte for each thread
  *out = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24;
}

__device__ int counter = 5;
__constant__ int table[4] = {1, 2, 3, 4};
__device__ int twice(int value) {
  return 2 * value;
}
__device__ int thrice(int value) {
  return 3 * value;
}

struct Unknown {
  int *variable;
  const int *constant;
  int (*function)(int);
  const char *text;
  int *marked; // has 5 in its upper bits
};

__global__ void write(Unknown *unknown, int which) {
  unknown->variable = &counter;
  unknown->constant = table;
  unknown->function = which ? twice : thrice;
  unknown->text = which ? "seven" : "eight";
  unknown->marked = reinterpret_cast<int *>(reinterpret_cast<char *>(&counter) + (5ull << 59));
}

__global__ void read(const Unknown *unknown, int *out) {
  const int *unmarked = reinterpret_cast<const int *>(reinterpret_cast<const char *>(unknown->marked) - (5ull << 59));
  *out = *unknown->variable + unknown->constant[2] + unknown->function(10) + unknown->text[1] + *unmarked;
}

int main() {
  Buffer<float> floats(std::vector<float>{0, 1, 2, 3, 4}), sum(1);
  neighbours<<<1, 1>>>(floats.data + 1, sum);
  EXPECT(sum.host()[0] == 10, "%f", sum.host()[0]);
  Buffer<int> ints(std::vector<int>{0, 1, 2, 3, 4, 5}), more(8);
  structs<<<1, 1>>>(reinterpret_cast<Four *>(ints.data + 1), reinterpret_cast<Four *>(more.data + 3));
  EXPECT(more.host()[6] == 4, "%d", more.host()[6]);
  Buffer<char> bytes(64);
  CUDA(cudaMemset(bytes, 1, 64));
  Buffer<double> number(1);
  doubles<<<1, 1>>>(reinterpret_cast<Doubles *>(bytes.data + 4), number);
  EXPECT(number.host()[0] > 0, "%f", number.host()[0]);
  Buffer<int4> vectors(3);
  copied<<<1, 1>>>(bytes.data + 7, vectors);
  EXPECT(vectors.host()[0].w == 0x1010101, "%x", vectors.host()[0].w);
  Buffer<int> out(1);
  words<<<1, 1>>>(bytes.data + 3, out);
  EXPECT(out.host()[0] == 0x1010101, "%x", out.host()[0]);
  Buffer<Unknown> unknown(1);
  write<<<1, 1>>>(unknown, 1);
  read<<<1, 1>>>(unknown, out);
  EXPECT(out.host()[0] == 5 + 3 + 20 + 'e' + 5, "%d", out.host()[0]);
  return passed();
}
