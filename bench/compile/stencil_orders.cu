/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Imitates seismic wave propagation: 3D finite differences of orders 2 to 16. Slow because each radius and boundary
// condition is a kernel whose pipeline in z is unrolled into registers.
#include <cuda_runtime.h>

constexpr int kTileX = 32, kTileY = 8;
struct Grid {
  int nx, ny, nz;
};

struct Mirror {
  __device__ static int wrap(int i, int n) {
    i = i < 0 ? -i : i;
    return i >= n ? 2 * n - 2 - i : i;
  }
};

struct Periodic {
  __device__ static int wrap(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }
};

template <int Radius>
struct Coefficients {
  float at[Radius + 1]; // by distance
};
// Computes the second derivative's coefficients of central differences with 2 Radius + 1 points.
template <int Radius>
constexpr Coefficients<Radius> make_coefficients() {
  Coefficients<Radius> result{};
  for (int k = 1; k <= Radius; ++k) {
    double value = (k % 2 ? 2.0 : -2.0) / (k * k);
    for (int i = 1; i <= k; ++i)
      value *= double(Radius - k + i) / (Radius + i);
    result.at[k] = float(value);
    result.at[0] -= float(2.0 * value);
  }
  return result;
}

// Advances the wave field by a time step. Each thread walks along z and keeps 2 Radius + 1 values in registers. The
// grid has more than Radius points in each direction.
template <int Radius, typename Boundary>
__global__ void __launch_bounds__(kTileX *kTileY)
    advance(const float *now, const float *velocity, float *next, Grid grid, float scale) {
  constexpr Coefficients<Radius> coefficients = make_coefficients<Radius>();
  constexpr int width = kTileX + 2 * Radius, height = kTileY + 2 * Radius;
  __shared__ float tile[height][width];
  const int x = blockIdx.x * kTileX + threadIdx.x, y = blockIdx.y * kTileY + threadIdx.y;
  const bool inside = x < grid.nx && y < grid.ny;
  const size_t plane = size_t(grid.nx) * grid.ny, at = inside ? size_t(y) * grid.nx + x : 0;
  float column[2 * Radius + 1];
#pragma unroll
  for (int i = 1; i <= 2 * Radius; ++i)
    column[i] = now[Boundary::wrap(i - Radius - 1, grid.nz) * plane + at];

  for (int z = 0; z < grid.nz; ++z) {
#pragma unroll
    for (int i = 0; i < 2 * Radius; ++i)
      column[i] = column[i + 1];
    column[2 * Radius] = now[Boundary::wrap(z + Radius, grid.nz) * plane + at];
    for (int i = threadIdx.y; i < height; i += kTileY)
      for (int j = threadIdx.x; j < width; j += kTileX) {
        const int tile_x = min(int(blockIdx.x * kTileX) + j - Radius, grid.nx + Radius - 1);
        const int tile_y = min(int(blockIdx.y * kTileY) + i - Radius, grid.ny + Radius - 1);
        tile[i][j] =
            now[z * plane + size_t(Boundary::wrap(tile_y, grid.ny)) * grid.nx + Boundary::wrap(tile_x, grid.nx)];
      }
    __syncthreads();
    if (inside) {
      const float *centre = &tile[threadIdx.y + Radius][threadIdx.x + Radius];
      float laplacian = 3.0f * coefficients.at[0] * *centre;
#pragma unroll
      for (int i = 1; i <= Radius; ++i)
        laplacian += coefficients.at[i] * (centre[i] + centre[-i] + centre[i * width] + centre[-i * width] +
                                           column[Radius + i] + column[Radius - i]);
      const size_t cell = z * plane + at;
      next[cell] = 2.0f * column[Radius] - next[cell] + scale * velocity[cell] * velocity[cell] * laplacian;
    }
    __syncthreads();
  }
}

template <typename Boundary, int Radius = 1>
static cudaError_t launch(int radius, const float *now, const float *velocity, float *next, Grid grid, float scale,
                          cudaStream_t stream) {
  if constexpr (Radius < 8)
    if (radius > Radius)
      return launch<Boundary, Radius + 1>(radius, now, velocity, next, grid, scale, stream);
  if (radius != Radius || min(grid.nx, min(grid.ny, grid.nz)) <= Radius)
    return cudaErrorInvalidValue;
  const dim3 blocks((grid.nx + kTileX - 1) / kTileX, (grid.ny + kTileY - 1) / kTileY);
  advance<Radius, Boundary><<<blocks, dim3(kTileX, kTileY), 0, stream>>>(now, velocity, next, grid, scale);
  return cudaGetLastError();
}

cudaError_t advance_wave(bool periodic, int radius, const float *now, const float *velocity, float *next, Grid grid,
                         float scale, cudaStream_t stream) {
  return periodic ? launch<Periodic>(radius, now, velocity, next, grid, scale, stream)
                  : launch<Mirror>(radius, now, velocity, next, grid, scale, stream);
}
