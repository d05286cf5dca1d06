// Loops from the end: pointers one past the end as arguments, reverse loops whose pointer ends before the first
// element, comparisons with the ends of other chunks.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

__global__ void copy_backwards(const int *end, int count, int *out_end) {
  for (int i = 1; i <= count; ++i)
    out_end[-i] = end[-i];
}

__global__ void sum_backwards(const int *begin, const int *end, int *result) {
  int total = 0;
  const int *p = end;
  while (p != begin)
    total = total * 3 + *--p;
  *result = total;
}

__global__ void until_before(const int *last, int count, int *result) {
  int total = 0;
  const int *p = last;
  for (int i = 0; i < count; ++i)
    total = total * 3 + *p--; // p ends one element before the first
  *result = total;
}

__global__ void strided(const int *values, int count, int stride, int *result) {
  int total = 0;
  const int *p = values;
  for (int i = 0; i < count; i += stride, p += stride) // p ends far behind the last element
    total = total * 3 + *p;
  *result = total;
}

__global__ void nothing(const int *begin, const int *end, int *result) {
  for (; begin != end; ++begin)
    *result += *begin;
}

int main() {
  for (int count : {1, 31, 64, 127, 128, 129, 511, 512, 513, 70000}) {
    std::vector<int> values(count);
    unsigned forwards = 0, backwards = 0;
    for (int i = 0; i < count; ++i)
      values[i] = i * 7;
    for (int i = 0; i < count; ++i)
      backwards = backwards * 3 + values[count - 1 - i];
    for (int i = 0; i < count; i += 1000)
      forwards = forwards * 3 + values[i];
    Buffer<int> data(values), copy(count), neighbour(count), result(1);
    copy_backwards<<<1, 1>>>(data + count, count, copy + count);
    EXPECT(copy.host() == values, "copy of %d", count);
    sum_backwards<<<1, 1>>>(data, data + count, result);
    EXPECT(unsigned(result.host()[0]) == backwards, "sum of %d", count);
    until_before<<<1, 1>>>(data + (count - 1), count, result);
    EXPECT(unsigned(result.host()[0]) == backwards, "until before %d", count);
    strided<<<1, 1>>>(data, count, 1000, result);
    EXPECT(unsigned(result.host()[0]) == forwards, "strided %d", count);
    nothing<<<1, 1>>>(data + count, data + count, result);
    EXPECT(unsigned(result.host()[0]) == forwards, "nothing %d", count);
  }
  return passed();
}
