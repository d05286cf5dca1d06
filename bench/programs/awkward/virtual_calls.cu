/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Objects of several classes in an array of pointers; each thread asks some for their area by virtual calls.
#include "../program.h"

struct Shape {
  float a, b;
  __device__ Shape(float a, float b) : a(a), b(b) {}
  __device__ virtual float area() const = 0;
};

struct Rectangle : Shape {
  using Shape::Shape;
  __device__ float area() const override { return a * b; }
};

struct Triangle : Shape {
  using Shape::Shape;
  __device__ float area() const override { return 0.5f * a * b; }
};

struct Frame : Shape {
  using Shape::Shape;
  __device__ float area() const override { return 2 * (a + b); }
};

constexpr size_t kBytes = 32;

__global__ void construct(char *storage, Shape **shapes, unsigned count) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  void *place = storage + i * kBytes;
  float a = unit(0, i), b = unit(1, i);
  shapes[i] = i % 3 == 0   ? static_cast<Shape *>(new (place) Rectangle(a, b))
              : i % 3 == 1 ? static_cast<Shape *>(new (place) Triangle(a, b))
                           : static_cast<Shape *>(new (place) Frame(a, b));
}

__global__ void sum_areas(Shape *const *shapes, const unsigned *index, float *sums, unsigned threads, int each) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads)
    return;
  float sum = 0;
  for (int i = 0; i < each; i++)
    sum += shapes[index[i * threads + thread]]->area();
  sums[thread] = sum;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  unsigned count = program.size(3000, 8 << 20), threads = program.size(500, 1 << 20);
  const int each = 16;
  auto choose = [count] __host__ __device__(size_t i) { return scramble(i) % count; };
  unsigned *index = program.allocate_made<unsigned>(size_t(threads) * each, choose);
  char *storage = program.allocate<char>(count * kBytes);
  Shape **shapes = program.allocate<Shape *>(count);
  float *sums = program.allocate<float>(threads);
  construct<<<divide_up(count, 256), 256>>>(storage, shapes, count);
  program.time([&] { sum_areas<<<divide_up(threads, 256), 256>>>(shapes, index, sums, threads, each); });
  return program.finish(program.verify(threads, [&](size_t thread) {
    double sum = 0;
    for (int i = 0; i < each; i++) {
      unsigned chosen = choose(size_t(i) * threads + thread);
      double a = unit(0, chosen), b = unit(1, chosen);
      sum += chosen % 3 == 0 ? a * b : chosen % 3 == 1 ? 0.5 * a * b : 2 * (a + b);
    }
    return is_close(fetch(sums + thread), sum);
  }));
}
