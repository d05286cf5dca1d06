/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Imitates generated code of combustion chemistry: each reaction is a few straight-line statements with exp and log.
// Slow because one kernel without loops has several hundred such statements, and hundreds of values are live.
#include <cuda_runtime.h>

#include <utility>

// Enthalpy (K), entropy and coefficients of the heat capacity. All coefficients are random in plausible ranges.
struct Species {
  double enthalpy, entropy, constant, linear, quadratic;
};

// The reaction a + b <-> c + d. The activation temperature is in K.
struct Reaction {
  int a, b, c, d;
  double log_factor, exponent, activation;
};

// clang-format off
constexpr Species kSpecies[] = {
    {33394., 4.9, 4.42, 7.3e-4, -4.3e-8}, {14500., 7.8, 4.68, 1.3e-4, -6.0e-8}, {-1193., 8.9, 2.76, -3.3e-4, 8.1e-8},
    {1458., -1.3, 3.29, 7.4e-4, -3.0e-8}, {-83., 4.2, 4.51, -0.1e-4, -7.5e-8}, {10124., -3.5, 2.74, -5.6e-4, 3.5e-8},
    {-10156., 5.0, 2.91, -6.9e-4, -8.6e-8}, {19404., 7.2, 3.05, -4.7e-4, -8.8e-8}, {15140., -0.1, 2.84, 2.6e-4, 1.8e-8},
    {1317., -2.0, 4.10, 1.0e-4, -1.2e-8}, {-18472., 8.1, 4.66, 3.4e-4, 8.9e-8}, {10625., 0.5, 2.79, 1.9e-4, 0.4e-8},
    {550., 8.9, 4.60, -6.9e-4, 6.9e-8}, {-29860., 4.5, 3.29, 4.1e-4, 8.1e-8}, {7124., 5.9, 2.64, 3.0e-4, -6.9e-8},
    {1865., 0.3, 2.68, 4.5e-4, -7.3e-8}, {-11988., -2.9, 4.16, -3.6e-4, -8.2e-8},
    {-28099., -1.1, 3.77, -8.8e-4, -8.6e-8}, {16660., 2.9, 2.84, -3.4e-4, -6.7e-8},
    {-10747., 1.0, 3.05, -5.4e-4, -4.9e-8},
};

constexpr Reaction kReactions[] = {
    {9, 4, 17, 12, 14.3, 1.30, 4091.}, {0, 5, 6, 9, 7.1, 1.69, 8188.}, {9, 6, 11, 19, 3.2, 1.45, 143.},
    {1, 12, 11, 9, 6.9, 1.67, 4216.}, {3, 2, 15, 6, 15.5, 0.02, 6609.}, {2, 17, 10, 0, 3.7, 0.59, 7629.},
    {3, 0, 1, 6, 12.2, 1.24, 3714.}, {19, 2, 11, 9, 7.6, 1.62, 1325.}, {19, 12, 17, 18, 6.9, 0.01, 7032.},
    {14, 2, 15, 10, 4.5, 0.40, 4110.}, {10, 12, 6, 1, 6.2, 1.96, 6762.}, {11, 0, 3, 15, 4.6, 0.28, 7002.},
    {0, 4, 11, 17, 9.0, 0.04, 3950.}, {14, 7, 12, 17, 11.4, 1.68, 8187.}, {16, 9, 2, 15, 5.0, 1.48, 4239.},
    {7, 15, 4, 11, 13.8, 0.66, 8066.}, {17, 4, 19, 3, 12.2, 1.29, 4808.}, {11, 12, 6, 16, 11.6, 1.63, 5709.},
    {4, 19, 8, 0, 9.5, 1.82, 7947.}, {5, 10, 8, 7, 15.9, 1.32, 856.}, {8, 19, 3, 4, 5.6, 0.15, 451.},
    {1, 15, 18, 12, 11.7, 1.02, 6068.}, {4, 9, 16, 13, 15.0, 0.34, 4042.}, {16, 15, 4, 5, 3.8, 0.58, 1793.},
    {12, 14, 2, 9, 10.5, 0.23, 2034.}, {6, 9, 19, 16, 5.3, 0.87, 4312.}, {11, 16, 7, 5, 9.4, 0.74, 2701.},
    {0, 10, 12, 4, 5.3, 1.83, 7918.}, {4, 16, 2, 5, 9.9, 1.01, 427.}, {8, 13, 2, 6, 10.0, 1.79, 4033.},
    {13, 1, 5, 17, 13.4, 0.19, 6367.}, {18, 9, 5, 7, 15.4, 1.94, 1143.}, {17, 19, 14, 13, 6.0, 0.48, 6600.},
    {16, 1, 14, 2, 8.6, 0.57, 8095.}, {11, 8, 9, 12, 10.5, 1.80, 8362.}, {2, 11, 0, 1, 9.7, 1.54, 1685.},
    {7, 2, 14, 13, 13.5, 0.00, 6824.}, {12, 17, 18, 14, 2.4, 1.53, 7741.}, {16, 9, 10, 3, 7.7, 0.30, 5753.},
    {1, 11, 5, 6, 3.7, 0.59, 1204.}, {7, 13, 16, 12, 11.0, 1.22, 5829.}, {19, 17, 4, 10, 14.3, 1.71, 196.},
    {2, 16, 18, 17, 8.1, 1.65, 1972.}, {11, 4, 18, 9, 12.9, 0.34, 8683.}, {9, 14, 6, 2, 2.8, 0.05, 5594.},
    {16, 11, 9, 18, 15.3, 1.67, 2417.}, {0, 14, 19, 10, 12.8, 1.41, 7359.}, {9, 1, 0, 18, 2.3, 1.02, 2843.},
    {8, 14, 19, 2, 13.2, 1.29, 8797.}, {2, 0, 12, 18, 4.9, 0.03, 7019.}, {16, 18, 2, 0, 13.3, 1.44, 4501.},
    {3, 10, 16, 0, 12.0, 1.37, 8213.}, {1, 7, 14, 18, 6.2, 1.12, 6421.}, {3, 2, 7, 8, 9.7, 1.68, 4547.},
    {1, 14, 2, 5, 14.5, 1.16, 5647.}, {17, 18, 7, 6, 4.6, 0.08, 8326.}, {18, 14, 10, 19, 8.4, 1.84, 5499.},
    {11, 6, 9, 4, 10.0, 1.43, 7611.}, {16, 5, 1, 7, 4.8, 1.04, 7006.}, {0, 3, 6, 18, 8.1, 1.88, 2529.},
};
// clang-format on

constexpr int kSpeciesCount = sizeof(kSpecies) / sizeof(Species);
constexpr int kReactionCount = sizeof(kReactions) / sizeof(Reaction);

struct Cell {
  double t, log_t, inverse_t;
  double concentrations[kSpeciesCount], gibbs[kSpeciesCount], rates[kSpeciesCount];
};

template <int... I>
__device__ __forceinline__ void read_species(Cell &cell, const double *concentrations, size_t stride,
                                             std::integer_sequence<int, I...>) {
  ((cell.concentrations[I] = fmax(concentrations[I * stride], 0.0), cell.rates[I] = 0.0,
    cell.gibbs[I] = kSpecies[I].enthalpy * cell.inverse_t - kSpecies[I].entropy +
                    kSpecies[I].constant * (1.0 - cell.log_t) -
                    cell.t * (kSpecies[I].linear / 2.0 + cell.t * (kSpecies[I].quadratic / 6.0))),
   ...);
}

template <int I>
__device__ __forceinline__ void add_reaction(Cell &cell) {
  constexpr Reaction r = kReactions[I];
  const double forward = exp(r.log_factor + r.exponent * cell.log_t - r.activation * cell.inverse_t);
  const double reverse = forward * exp(cell.gibbs[r.c] + cell.gibbs[r.d] - cell.gibbs[r.a] - cell.gibbs[r.b]);
  const double progress = forward * cell.concentrations[r.a] * cell.concentrations[r.b] -
                          reverse * cell.concentrations[r.c] * cell.concentrations[r.d];
  cell.rates[r.a] -= progress;
  cell.rates[r.b] -= progress;
  cell.rates[r.c] += progress;
  cell.rates[r.d] += progress;
}

template <int... I>
__device__ __forceinline__ void add_reactions(Cell &cell, std::integer_sequence<int, I...>) {
  (add_reaction<I>(cell), ...);
}

// Writes the rate of production of each species. Arrays hold all cells of a species, then those of the next.
__global__ void production_rates(const double *temperatures, const double *concentrations, double *rates, int cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells)
    return;
  Cell cell;
  cell.t = fmin(fmax(temperatures[i], 200.0), 3500.0);
  cell.log_t = log(cell.t);
  cell.inverse_t = 1.0 / cell.t;
  read_species(cell, concentrations + i, cells, std::make_integer_sequence<int, kSpeciesCount>());
  add_reactions(cell, std::make_integer_sequence<int, kReactionCount>());
#pragma unroll
  for (int species = 0; species < kSpeciesCount; ++species)
    rates[size_t(species) * cells + i] = cell.rates[species];
}

cudaError_t compute_rates(const double *temperatures, const double *concentrations, double *rates, int cells) {
  production_rates<<<(cells + 127) / 128, 128>>>(temperatures, concentrations, rates, cells);
  return cudaGetLastError();
}
