/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The Lennard-Jones forces on atoms from the neighbours that a list names, up to a cut-off.
// Stands for gathers at indices from memory, in loops whose ends the data decide.
#include "../program.h"

constexpr int kMostNeighbours = 72;

struct Box {
  int side, atoms; // side * side * side
  float cut_off;
};

__host__ __device__ float shortest(float difference, int side) {
  return difference - side * roundf(difference / side);
}

__host__ __device__ float3 find_difference(float3 a, float3 b, int side) {
  return float3{shortest(a.x - b.x, side), shortest(a.y - b.y, side), shortest(a.z - b.z, side)};
}

__host__ __device__ float square_of(float3 a) {
  return a.x * a.x + a.y * a.y + a.z * a.z;
}

// The force over the distance.
template <typename T>
__host__ __device__ T pull_of(T square) {
  T inverse = 1 / square, sixth = inverse * inverse * inverse;
  return 48 * inverse * sixth * (sixth - T(0.5));
}

__global__ void find_forces(const float3 *positions, const int *neighbours, const int *counts, float3 *forces,
                            Box box) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > box.atoms - 1)
    return;
  float3 own = positions[i], force = make_float3(0, 0, 0);
  for (int k = 0; k < counts[i]; k++) {
    int j = neighbours[k * box.atoms + i];
    if (j == i || j < 0)
      continue;
    float3 away = find_difference(own, positions[j], box.side);
    float square = square_of(away), pull = pull_of(square);
    if (square > box.cut_off * box.cut_off)
      continue;
    force.x += away.x * pull;
    force.y += away.y * pull;
    force.z += away.z * pull;
  }
  forces[i] = force;
}

// Each atom is in its own cell of the box.
struct MakePosition {
  Box box;
  __host__ __device__ float3 operator()(size_t i) const {
    return make_float3(i % box.side + 0.3f * unit(0, i), i / box.side % box.side + 0.3f * unit(1, i),
                       i / box.side / box.side + 0.3f * unit(2, i));
  }
};

// Cells at distances up to two, from a random one of these on.
struct MakeNeighbour {
  Box box;
  __host__ __device__ int operator()(size_t entry) const {
    int i = entry % box.atoms, k = (entry / box.atoms + scramble(i)) % 125, side = box.side;
    int x = (i % side + k % 5 + side - 2) % side, y = (i / side % side + k / 5 % 5 + side - 2) % side;
    int z = (i / side / side + k / 25 + side - 2) % side;
    return (z * side + y) * side + x;
  }
};

int main(int argc, char **argv) {
  Program program(argc, argv);
  int side = program.size(7, 100);
  Box box = {side, side * side * side, 2.2f};
  auto make_count = [] __host__ __device__(size_t i) { return int(kMostNeighbours - scramble(~i) % 20); };
  float3 *positions = program.allocate_made<float3>(box.atoms, MakePosition{box});
  int *counts = program.allocate_made<int>(box.atoms, make_count);
  int *neighbours = program.allocate_made<int>(size_t(box.atoms) * kMostNeighbours, MakeNeighbour{box});
  float3 *forces = program.allocate<float3>(box.atoms);
  program.time([&] { find_forces<<<divide_up(box.atoms, 128), 128>>>(positions, neighbours, counts, forces, box); });
  auto check = [&](size_t i) {
    float3 own = MakePosition{box}(i);
    double x = 0, pulled = 0;
    for (int k = 0; k < make_count(i); k++) {
      int j = MakeNeighbour{box}(size_t(k) * box.atoms + i);
      float3 away = find_difference(own, MakePosition{box}(j), side);
      double square = square_of(away);
      if (j == int(i) || square > box.cut_off * box.cut_off)
        continue;
      x += away.x * pull_of(square);
      pulled += fabs(away.x) * 48 * (pow(square, -7) + pow(square, -4));
    }
    return fabs(fetch(forces + i).x - x) <= 1e-4 * pulled;
  };
  return program.finish(program.verify(box.atoms, check, kMostNeighbours));
}
