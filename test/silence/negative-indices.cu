// Negative indices from interior pointers: halos, pointers to the middle, arrays that begin at 1 (a kernel's pointer
// points before its array), and pointers that go far outside of their array and come back.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

__global__ void stencil(const float *inner, float *out, int count) { // inner[-1] and inner[count] are the halo
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = inner[i - 1] + inner[i] + inner[i + 1];
}

__global__ void around(const int *middle, int half, int *result) {
  int total = 0;
  for (int i = -half; i <= half; ++i)
    total = total * 3 + middle[i];
  *result = total;
}

__global__ void from_one(const int *values, int count, int *result) {
  int total = 0;
  for (int i = 1; i <= count; ++i)
    total = total * 3 + values[i];
  *result = total;
}

__global__ void away_and_back(const int *values, long far, int count, int *result) {
  const int *away = values + far;
  int total = 0;
  for (int i = 0; i < count; ++i)
    total = total * 3 + away[i - far];
  *result = total;
}

int main() {
  const int count = 1000;
  std::vector<float> floats(count + 2);
  std::vector<int> values(101);
  unsigned expected = 0;
  for (int i = 0; i < count + 2; ++i)
    floats[i] = i % 17;
  for (int i = 0; i < 101; ++i)
    expected = expected * 3 + (values[i] = i);
  Buffer<float> in(floats), out(count);
  stencil<<<8, 128>>>(in + 1, out, count);
  std::vector<float> got = out.host();
  for (int i = 0; i < count; ++i)
    EXPECT(got[i] == floats[i] + floats[i + 1] + floats[i + 2], "%d", i);
  Buffer<int> data(values), result(1);
  around<<<1, 1>>>(data + 50, 50, result);
  EXPECT(unsigned(result.host()[0]) == expected, "around");
  from_one<<<1, 1>>>(data - 1, 101, result);
  EXPECT(unsigned(result.host()[0]) == expected, "from one");
  for (long far : {1l << 10, -(1l << 10), 1l << 30, -(1l << 30), 1l << 40}) {
    away_and_back<<<1, 1>>>(data, far, 101, result);
    EXPECT(unsigned(result.host()[0]) == expected, "far %ld", far);
  }
  return passed();
}
