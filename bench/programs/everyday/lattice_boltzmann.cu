/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Two steps of a lattice Boltzmann method (D2Q9) on a plane whose opposite borders meet.
// Stands for a structure of arrays with nine planes, and for neighbours that wrap around by conditional additions.
#include "../program.h"

constexpr int kDirections = 9;

struct Lattice {
  int width, height;
  float omega;
};

__host__ __device__ int velocity_x(int q) {
  return q == 1 || q == 5 || q == 8 ? 1 : q == 3 || q == 6 || q == 7 ? -1 : 0;
}
__host__ __device__ int velocity_y(int q) {
  return q == 2 || q == 5 || q == 6 ? 1 : q == 4 || q == 7 || q == 8 ? -1 : 0;
}
__host__ __device__ float weight(int q) {
  return q == 0 ? 4 / 9.f : q < 5 ? 1 / 9.f : 1 / 36.f;
}

// The neighbour of cell idx from which the flow in direction q comes.
__host__ __device__ int find_source(int idx, int q, Lattice lattice) {
  int x = idx % lattice.width - velocity_x(q), y = idx / lattice.width - velocity_y(q);
  if (x < 0)
    x += lattice.width;
  if (x >= lattice.width)
    x -= lattice.width;
  if (y < 0)
    y += lattice.height;
  else if (y == lattice.height)
    y = 0;
  return y * lattice.width + x;
}

template <typename T>
__host__ __device__ void collide(T *f, T omega) {
  T density = 0, x = 0, y = 0;
  for (int q = 0; q < kDirections; q++) {
    density += f[q];
    x += velocity_x(q) * f[q];
    y += velocity_y(q) * f[q];
  }
  x /= density;
  y /= density;
  for (int q = 0; q < kDirections; q++) {
    T along = 3 * (velocity_x(q) * x + velocity_y(q) * y);
    T equilibrium = weight(q) * density * (1 + along + along * along / 2 - (x * x + y * y) * T(1.5));
    f[q] += omega * (equilibrium - f[q]);
  }
}

__global__ void stream_and_collide(const float *in, float *out, Lattice lattice) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x, cells = lattice.width * lattice.height;
  if (idx >= cells)
    return;
  float f[kDirections];
  for (int q = 0; q < kDirections; q++)
    f[q] = in[q * cells + find_source(idx, q, lattice)];
  collide(f, lattice.omega);
  for (int q = 0; q < kDirections; q++)
    out[q * cells + idx] = f[q];
}

struct MakeFlow {
  int cells;
  __host__ __device__ float operator()(size_t i) const { return weight(int(i / cells)) * (0.8f + 0.4f * unit(0, i)); }
};

int main(int argc, char **argv) {
  Program program(argc, argv);
  Lattice lattice = {int(program.size(37, 2501)), int(program.size(29, 2048)), 1.2f};
  int cells = lattice.width * lattice.height;
  size_t count = size_t(cells) * kDirections;
  float *in = program.allocate_made<float>(count, MakeFlow{cells});
  float *once = program.allocate<float>(count), *twice = program.allocate<float>(count);
  program.time([&] {
    stream_and_collide<<<divide_up(cells, 128), 128>>>(in, once, lattice);
    stream_and_collide<<<divide_up(cells, 128), 128>>>(once, twice, lattice);
  });
  auto follows = [&](const float *step, auto before, size_t cell) {
    double wanted[kDirections];
    for (int q = 0; q < kDirections; q++)
      wanted[q] = before(size_t(q) * cells + find_source(cell, q, lattice));
    collide(wanted, double(lattice.omega));
    bool close = true;
    for (int q = 0; q < kDirections; q++)
      close &= is_close(fetch(step + size_t(q) * cells + cell), wanted[q]);
    return close;
  };
  auto check = [&](size_t cell) {
    return follows(once, MakeFlow{cells}, cell) && follows(twice, [&](size_t i) { return fetch(once + i); }, cell);
  };
  return program.finish(program.verify(cells, check, kDirections));
}
