// Variadic device functions: all types, structures, va_copy, lists passed to other functions, by reference and in
// memory, and no arguments at all.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"
#include <cstdarg>

struct Point {
  int x;
  double weight;
  char name;
}; // has padding after its last member. clang passes the members one by one, without the padding, so that such a
   // structure works as the last argument only

struct Wide {
  long long values[4];
};

struct Small {
  short a, b;
};

__device__ __noinline__ int plain(int count, ...) {
  va_list list;
  va_start(list, count);
  int total = 0;
  for (int i = 0; i < count; ++i)
    total = 10 * total + va_arg(list, int);
  va_end(list);
  return total;
}

__device__ __noinline__ double listed(const char *kinds, va_list list) {
  double total = 0;
  for (; *kinds; ++kinds)
    switch (*kinds) {
    case 'c':
      total += va_arg(list, int);
      break;
    case 'i':
      total += va_arg(list, int);
      break;
    case 'u':
      total += va_arg(list, unsigned);
      break;
    case 'l':
      total += va_arg(list, long long);
      break;
    case 'd':
      total += va_arg(list, double);
      break;
    case 'p':
      total += *va_arg(list, const int *);
      break;
    case 'q':
      *va_arg(list, int *) += 1;
      break;
    case 'P': {
      Point point = va_arg(list, Point);
      total += point.x + point.weight + point.name;
      break;
    }
    case 'W': {
      Wide wide = va_arg(list, Wide);
      total += wide.values[0] + wide.values[3];
      break;
    }
    case 'S': {
      Small small = va_arg(list, Small);
      total += small.a * small.b;
      break;
    }
    }
  return total;
}

__device__ __noinline__ double twice(const char *kinds, ...) {
  va_list list, again;
  va_start(list, kinds);
  va_copy(again, list);
  const double first = listed(kinds, list), second = listed(kinds, again);
  va_end(list);
  va_end(again);
  return first * 1000 + second;
}

__device__ __noinline__ int next(va_list *list) {
  return va_arg(*list, int);
}

struct Reader {
  va_list list;
  __device__ __noinline__ int get() { return va_arg(list, int); }
};

__device__ __noinline__ int by_reference(int count, ...) {
  va_list list;
  va_start(list, count);
  int total = 0;
  for (int i = 0; i < count; ++i)
    total = 10 * total + next(&list);
  va_end(list);
  Reader reader;
  va_start(reader.list, count);
  for (int i = 0; i < count; ++i)
    total = 10 * total + reader.get();
  va_end(reader.list);
  return total;
}

__device__ __noinline__ int recursive(int depth, ...) {
  va_list list;
  va_start(list, depth);
  const int first = va_arg(list, int), second = va_arg(list, int);
  va_end(list);
  return depth ? recursive(depth - 1, second, first + second) : first;
}

template <typename... Types>
__device__ int forwarded(Types... values) {
  return plain(sizeof...(values), values...);
}

__device__ int called(int (*function)(int, ...), int a, int b) {
  return function(2, a, b);
}

__global__ void all(int *numbers, int zero, double *out) {
  const Point point = {1, 2.5, 3};
  const Wide wide = {{1, 2, 3, 4}};
  const Small small = {5, 6};
  *out++ = plain(3, 1, 2, 3);
  *out++ = plain(0);
  *out++ = twice("cildup", 'a', 1, 2ll, 0.5f, 4u, numbers + 1);
  *out++ = twice("ldP", 1ll, 2.0, point) + twice("P", point);
  *out++ = twice("WdS", wide, 1.0, small);
  *out++ = twice("qpq", numbers, numbers + 2, numbers);
  *out++ = by_reference(2, 3, 4);
  *out++ = recursive(10, 0, 1);
  *out++ = forwarded(1, 2, 3, 4);
  *out++ = called(zero ? by_reference : plain, 7, 8);
}

int main() {
  Buffer<int> numbers(std::vector<int>{100, 200, 300});
  Buffer<double> out(10);
  all<<<1, 1>>>(numbers, 0, out);
  const double first = 97 + 1 + 2 + 0.5 + 4 + 200;
  const double expected[] = {
      123, 0, first * 1001, (3 + 6.5) * 1001 + 6.5 * 1001, (5 + 1 + 30) * 1001, 300 * 1001., 3434, 55, 1234, 78};
  const std::vector<double> got = out.host();
  for (int i = 0; i < 10; ++i)
    EXPECT(got[i] == expected[i], "%d: %f, not %f", i, got[i], expected[i]);
  EXPECT(numbers.host()[0] == 104, "%d", numbers.host()[0]);
  return passed();
}
