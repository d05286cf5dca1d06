/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Imitates a Monte-Carlo particle transport proxy application that is bound by cross-section lookups.
// Three grid searches and two precisions are inlined into long history loops with a random number generator.
#include <cuda_runtime.h>

#include <cstdint>

enum class Search { Unionised, Nuclide, Hash };
constexpr int reactions = 5, materials = 12; // Reactions: total, elastic, absorption, fission, neutrons from fission.

template <typename Real>
struct Library {
  int nuclides, points, bins;
  const Real *energies, *values; // Nuclides x points, ascending for each nuclide; then the same x reactions.
  const Real *union_grid;        // All energies of all nuclides, ascending.
  const int *row_index;          // For each union energy or hash bin (bins + 1 rows): one point for each nuclide.
  const int *first_nuclide;      // Materials + 1 offsets into the two arrays below.
  const int *material_nuclides;
  const Real *densities;
};

template <typename Real>
struct Particle {
  uint64_t seed;
  Real energy, position[3], direction[3], weight;
  int material, collisions;
};

__device__ inline double random_uniform(uint64_t &seed) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  const uint32_t mixed = uint32_t(((seed >> 18) ^ seed) >> 27), turn = uint32_t(seed >> 59);
  return (__funnelshift_r(mixed, mixed, turn) + 0.5) * 0x1p-32;
}

// Returns the last index in [low, high) whose value is at most `key`, or `low`.
template <typename Real>
__device__ int search(const Real *values, int low, int high, Real key) {
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (values[middle] <= key ? low : high) = middle;
  }
  return low;
}

template <Search S, typename Real>
__device__ int find_point(const Library<Real> &lib, int nuclide, Real energy, int row) {
  const Real *grid = lib.energies + size_t(nuclide) * lib.points;
  const int *first = lib.row_index + size_t(row) * lib.nuclides + nuclide;
  const int point = S == Search::Unionised ? *first
                    : S == Search::Nuclide ? search(grid, 0, lib.points, energy)
                                           : search(grid, *first, min(first[lib.nuclides] + 1, lib.points), energy);
  return max(0, min(point, lib.points - 2));
}

template <Search S, typename Real>
__device__ void macroscopic(const Library<Real> &lib, int material, Real energy, Real (&sum)[reactions]) {
  int row = 0;
  if constexpr (S == Search::Unionised)
    row = search(lib.union_grid, 0, lib.nuclides * lib.points, energy);
  else if constexpr (S == Search::Hash)
    row = max(0, min(int(min(max(energy, Real(0)), Real(1)) * lib.bins), lib.bins - 1));
  for (int i = lib.first_nuclide[material]; i < lib.first_nuclide[material + 1]; ++i) {
    const int nuclide = lib.material_nuclides[i], point = find_point<S>(lib, nuclide, energy, row);
    const Real *grid = lib.energies + size_t(nuclide) * lib.points + point;
    const Real *low = lib.values + (size_t(nuclide) * lib.points + point) * reactions;
    const Real fraction = (grid[1] - energy) / max(grid[1] - grid[0], Real(1e-12));
#pragma unroll
    for (int r = 0; r < reactions; ++r)
      sum[r] += lib.densities[i] * (low[r + reactions] - fraction * (low[r + reactions] - low[r]));
  }
}

template <Search S, typename Real>
__global__ void track_histories(Library<Real> lib, Particle<Real> *particles, int count, Real *tally, int limit) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= count)
    return;
  Particle<Real> p = particles[id];
  p.material = max(0, min(p.material, materials - 1));
  while (p.weight > Real(0.01) && p.collisions < limit) {
    Real sum[reactions] = {};
    macroscopic<S>(lib, p.material, p.energy, sum);
    const Real total = max(sum[0], Real(1e-12)), path = Real(-log(random_uniform(p.seed))) / total;
    for (int d = 0; d < 3; ++d)
      p.position[d] += path * p.direction[d];
    for (int r = 0; r < reactions; ++r)
      atomicAdd(&tally[p.material * reactions + r], p.weight * sum[r] / total);
    p.weight *= 1 - min(sum[2] / total, Real(1));
    const double z = 2 * random_uniform(p.seed) - 1, angle = 2 * random_uniform(p.seed), radius = sqrt(1 - z * z);
    p.direction[0] = Real(radius * cospi(angle)), p.direction[1] = Real(radius * sinpi(angle)),
    p.direction[2] = Real(z);
    p.energy = min(max(p.energy * Real(random_uniform(p.seed)), Real(1e-6)), Real(1));
    p.material = min(int(random_uniform(p.seed) * materials), materials - 1);
    ++p.collisions;
  }
  particles[id] = p;
}

template <typename Real>
cudaError_t track(Search search, const Library<Real> &lib, Particle<Real> *particles, int count, Real *tally) {
  if (count <= 0 || lib.points < 2 || lib.bins < 1)
    return cudaErrorInvalidValue;
  const auto kernel = search == Search::Unionised ? track_histories<Search::Unionised, Real>
                      : search == Search::Nuclide ? track_histories<Search::Nuclide, Real>
                                                  : track_histories<Search::Hash, Real>;
  kernel<<<(count + 127) / 128, 128>>>(lib, particles, count, tally, 1000);
  return cudaGetLastError();
}

template cudaError_t track(Search, const Library<float> &, Particle<float> *, int, float *);
template cudaError_t track(Search, const Library<double> &, Particle<double> *, int, double *);
