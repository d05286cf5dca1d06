/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A particle code: each cell of a grid has its own arrays of positions, charges and forces, as codes have that let
// cells grow. 1,728 cells make 5,184 live objects. A block computes the forces on the particles of a cell, from those
// of its 27 neighbours.
#include "../programs/program.h"

constexpr int kSide = 12, kCells = kSide * kSide * kSide, kThreads = 32;

struct Cell {
  float3 *positions, *forces;
  float *charges;
  int count;
};

struct MakeParticle {
  int cell;
  __host__ __device__ float3 operator()(size_t i) const {
    const int x = cell % kSide, y = cell / kSide % kSide, z = cell / kSide / kSide;
    const unsigned long long at = 3 * (cell * 1024ull + i);
    return make_float3(x + scrambled_unit(at), y + scrambled_unit(at + 1), z + scrambled_unit(at + 2));
  }
};

__host__ __device__ inline void add_force(float3 &force, float3 a, float3 b, float charge) {
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, square = x * x + y * y + z * z + 0.01f;
  const float scale = charge / (square * square);
  force.x += scale * x;
  force.y += scale * y;
  force.z += scale * z;
}

__host__ __device__ inline int neighbour(int cell, int which) {
  const int x = (cell % kSide + which % 3 + kSide - 1) % kSide,
            y = (cell / kSide % kSide + which / 3 % 3 + kSide - 1) % kSide,
            z = (cell / kSide / kSide + which / 9 + kSide - 1) % kSide;
  return (z * kSide + y) * kSide + x;
}

__global__ void compute_forces(const Cell *cells) {
  const Cell own = cells[blockIdx.x];
  for (int i = threadIdx.x; i < own.count; i += kThreads) {
    float3 force = {};
    for (int which = 0; which < 27; which++) {
      const Cell other = cells[neighbour(blockIdx.x, which)];
      for (int j = 0; j < other.count; j++)
        add_force(force, own.positions[i], other.positions[j], other.charges[j]);
    }
    own.forces[i] = force;
  }
}

static float3 expected(int cell, int i, int count) {
  float3 force = {};
  for (int which = 0; which < 27; which++)
    for (int j = 0, other = neighbour(cell, which); j < count; j++)
      add_force(force, MakeParticle{cell}(i), MakeParticle{other}(j), 1 + j % 2);
  return force;
}

struct MakeCharge {
  __host__ __device__ float operator()(size_t i) const { return 1 + i % 2; }
};

int main(int argc, char **argv) {
  Program program(argc, argv);
  const int count = program.size(8, 96);
  std::vector<Cell> cells;
  std::vector<float> charges(count);
  for (int i = 0; i < count; i++)
    charges[i] = MakeCharge{}(i);
  for (int cell = 0; cell < kCells; cell++) {
    std::vector<float3> positions(count);
    for (int i = 0; i < count; i++)
      positions[i] = MakeParticle{cell}(i);
    float3 *at = program.allocate_copy(positions);
    cells.push_back({at, program.allocate<float3>(count), program.allocate_copy(charges), count});
  }
  Cell *on_device = program.allocate_copy(cells);
  program.time([&] { compute_forces<<<kCells, kThreads>>>(on_device); });
  return program.finish(program.verify(size_t(kCells) * count, [&](size_t i) {
    const float3 want = expected(i / count, i % count, count), got = fetch(cells[i / count].forces + i % count);
    return fabsf(want.x - got.x) <= 1e-3f * (1 + fabsf(want.x)) && fabsf(want.z - got.z) <= 1e-3f * (1 + fabsf(want.z));
  }));
}
