// Pointers in structures passed by value: nested, in arrays indexed at run time, returned from functions, in lambdas.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

struct Span {
  int *begin, *end;
};
struct Matrix {
  Span rows[4];
  int count;
  struct {
    const int *weights;
    char name[3];
  } inner;
};

static __attribute__((noinline)) __device__ Span shifted(Span span, int by) {
  return {span.begin + by, span.end};
}

static __attribute__((noinline)) __device__ int total(Span span) {
  int sum = 0;
  for (int *p = span.begin; p != span.end; ++p)
    sum += *p;
  return sum;
}

__global__ void sums(Matrix matrix, int *result, int first) {
  for (int row = 0; row < matrix.count; ++row) {
    Span span = matrix.rows[(row + first) & 3];
    result[row] = total(shifted(span, 1)) * matrix.inner.weights[row] + matrix.inner.name[row % 3];
  }
}

template <typename F>
__global__ void run(F function) {
  function(threadIdx.x);
}

int main() {
  std::vector<int> values(40);
  for (int i = 0; i < 40; ++i)
    values[i] = i;
  Buffer<int> data(values), weights(std::vector<int>{1, 2, 3, 4}), result(4);
  Matrix matrix = {{}, 4, {weights, {1, 2, 3}}};
  for (int row = 0; row < 4; ++row)
    matrix.rows[row] = {data + row * 10, data + row * 10 + 10};
  sums<<<1, 1>>>(matrix, result, 0);
  std::vector<int> got = result.host();
  for (int row = 0; row < 4; ++row)
    EXPECT(got[row] == (90 * row + 45) * (row + 1) + row % 3 + 1, "row %d: %d", row, got[row]);
  int *out = data;
  Span span = matrix.rows[1];
  run<<<1, 10>>>([=] __device__(int i) { out[i] = span.begin[9 - i]; });
  got = data.host();
  EXPECT(got[0] == 19 && got[9] == 10, "%d %d", got[0], got[9]);
  return passed();
}
