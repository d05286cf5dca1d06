/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Imitates a discrete-ordinates transport sweep over a structured grid.
// Two moment counts, two angle counts and eight octants give 32 kernels with nested loops over private arrays.
#include <cuda_runtime.h>

#include <utility>

struct Grid {
  int nx, ny, nz, groups;
  double inverse_dx, inverse_dy, inverse_dz;
};

// Cells are ordered x fastest, then y, z and group. A moment, angle or direction is the slowest index.
struct Fields {
  const double *source;                         // Moments.
  const double *total;                          // One value for each cell.
  double *flux;                                 // Moments; octants add to the flux.
  double *incoming_x, *incoming_y, *incoming_z; // Faces: (y, z), (x, z), (x, y), each with group and angle.
};

template <int Angles>
struct Quadrature {
  double cosine_x[Angles], cosine_y[Angles], cosine_z[Angles], weight[Angles];
};

// Real spherical-harmonic-like basis: products of powers of the direction cosines.
template <int Moments>
__device__ void evaluate_basis(double (&basis)[Moments], double x, double y, double z) {
  basis[0] = 1, basis[1] = x, basis[2] = y, basis[3] = z;
  if constexpr (Moments > 4) {
    basis[4] = x * y, basis[5] = y * z, basis[6] = 1.5 * z * z - 0.5, basis[7] = x * z, basis[8] = x * x - y * y;
    basis[9] = y * (3 * x * x - y * y), basis[10] = x * y * z, basis[11] = y * (5 * z * z - 1);
    basis[12] = z * (5 * z * z - 3), basis[13] = x * (5 * z * z - 1), basis[14] = z * (x * x - y * y);
    basis[15] = x * (x * x - 3 * y * y);
  }
}

// Solves all cells of one diagonal plane x + y + z = plane, counted from the corner that the octant enters.
template <int Moments, int Angles, int Octant>
__global__ void __launch_bounds__(128) sweep_plane(Grid grid, Fields fields, Quadrature<Angles> q, int plane) {
  constexpr int sign_x = Octant & 1 ? -1 : 1, sign_y = Octant & 2 ? -1 : 1, sign_z = Octant & 4 ? -1 : 1;
  const int step_y = blockIdx.x * blockDim.x + threadIdx.x, step_z = blockIdx.y, group = blockIdx.z;
  const int step_x = plane - step_y - step_z;
  if (step_y >= grid.ny || step_x < 0 || step_x >= grid.nx)
    return;
  const int x = sign_x > 0 ? step_x : grid.nx - 1 - step_x;
  const int y = sign_y > 0 ? step_y : grid.ny - 1 - step_y;
  const int z = sign_z > 0 ? step_z : grid.nz - 1 - step_z;
  const size_t cells = size_t(grid.nx) * grid.ny * grid.nz * grid.groups;
  const size_t cell = ((size_t(group) * grid.nz + z) * grid.ny + y) * grid.nx + x;

  double source[Moments], flux[Moments] = {}, basis[Moments];
  for (int m = 0; m < Moments; ++m)
    source[m] = fields.source[m * cells + cell];
#pragma unroll
  for (int a = 0; a < Angles; ++a) {
    const double mu = sign_x * q.cosine_x[a], eta = sign_y * q.cosine_y[a], xi = sign_z * q.cosine_z[a];
    evaluate_basis<Moments>(basis, mu, eta, xi);
    double emission = 0;
    for (int m = 0; m < Moments; ++m)
      emission += basis[m] * source[m];
    const size_t layer = size_t(a) * grid.groups + group;
    double &face_x = fields.incoming_x[(layer * grid.nz + z) * grid.ny + y];
    double &face_y = fields.incoming_y[(layer * grid.nz + z) * grid.nx + x];
    double &face_z = fields.incoming_z[(layer * grid.ny + y) * grid.nx + x];
    // No flux enters at the boundary of the grid.
    double in[3] = {step_x ? face_x : 0, step_y ? face_y : 0, step_z ? face_z : 0}, out[3];
    const double leak[3] = {2 * fabs(mu) * grid.inverse_dx, 2 * fabs(eta) * grid.inverse_dy,
                            2 * fabs(xi) * grid.inverse_dz};
    double angular = 0;
    bool fixed[3] = {}, again = true;
    // A negative outgoing flux is set to zero, and the balance is solved again, at most three times.
    for (int pass = 0; again && pass < 4; ++pass) {
      double numerator = emission, denominator = fields.total[cell] + 1e-30;
      for (int d = 0; d < 3; ++d) {
        numerator += (fixed[d] ? 0.5 : 1.0) * leak[d] * in[d];
        denominator += fixed[d] ? 0.0 : leak[d];
      }
      angular = numerator / denominator;
      again = false;
      for (int d = 0; d < 3; ++d) {
        out[d] = fixed[d] ? 0.0 : 2 * angular - in[d];
        again |= out[d] < 0, fixed[d] |= out[d] < 0;
      }
    }
    face_x = fmax(out[0], 0.0), face_y = fmax(out[1], 0.0), face_z = fmax(out[2], 0.0);
    for (int m = 0; m < Moments; ++m)
      flux[m] += q.weight[a] * basis[m] * angular;
  }
  for (int m = 0; m < Moments; ++m)
    fields.flux[m * cells + cell] += flux[m];
}

template <int Moments, int Angles, int... Octants>
void sweep(const Grid &g, const Fields &f, const Quadrature<Angles> &q, std::integer_sequence<int, Octants...>) {
  const dim3 blocks((g.ny + 127) / 128, g.nz, g.groups);
  const auto run = [&](auto kernel) {
    for (int plane = 0; plane < g.nx + g.ny + g.nz - 2; ++plane)
      kernel<<<blocks, 128>>>(g, f, q, plane);
  };
  (run(sweep_plane<Moments, Angles, Octants>), ...);
}

template <int Angles>
void sweep_all(int moments, const Grid &grid, const Fields &fields, const Quadrature<Angles> &q) {
  const auto octants = std::make_integer_sequence<int, 8>();
  moments == 4 ? sweep<4>(grid, fields, q, octants) : sweep<16>(grid, fields, q, octants);
}

template void sweep_all(int, const Grid &, const Fields &, const Quadrature<3> &);
template void sweep_all(int, const Grid &, const Fields &, const Quadrature<6> &);
