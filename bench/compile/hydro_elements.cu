/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Imitates a shock-hydrodynamics proxy application on hexahedral elements.
// Four kernels unroll loops over 8 corners and 3 coordinates into long straight-line double code.
#include <cuda_runtime.h>

struct Mesh {
  int elements, nodes;
  const int *corners;                                     // 8 nodes for each element, in the order of `corner`.
  double *position[3], *velocity[3], *force[3], *mass;    // For each node.
  double *pressure, *energy, *sound_speed, *element_mass; // For each element.
};

struct Element {
  double x[3][8], v[3][8], gradient[3][8], volume;
};

// Reference coordinates of the corners. The hourglass modes are products of these coordinates.
__device__ constexpr double corner[3][8] = {
    {-1, 1, 1, -1, -1, 1, 1, -1}, {-1, -1, 1, 1, -1, -1, 1, 1}, {-1, -1, -1, -1, 1, 1, 1, 1}};

__device__ inline void scatter(const Mesh &mesh, const double (&force)[3][8], double factor, int e) {
  for (int i = 0; i < 24; ++i)
    atomicAdd(&mesh.force[i / 8][mesh.corners[8 * size_t(e) + i % 8]], factor * force[i / 8][i % 8]);
}

// Gathers the corners, and integrates the shape-function derivatives over 2 x 2 x 2 Gauss points.
__device__ inline Element load_element(const Mesh &mesh, int e) {
  Element element = {};
  for (int i = 0; i < 24; ++i) {
    element.x[i / 8][i % 8] = mesh.position[i / 8][mesh.corners[8 * size_t(e) + i % 8]];
    element.v[i / 8][i % 8] = mesh.velocity[i / 8][mesh.corners[8 * size_t(e) + i % 8]];
  }
#pragma unroll
  for (int g = 0; g < 8; ++g) {
    double shape[3][8], jacobian[3][3] = {}, cofactor[3][3];
    for (int i = 0; i < 24; ++i) {
      const int d = i / 8, c = i % 8, d1 = (d + 1) % 3, d2 = (d + 2) % 3;
      const double u = 1 + corner[d1][c] * corner[d1][g] * 0.57735026918962576;
      shape[d][c] = 0.125 * corner[d][c] * u * (1 + corner[d2][c] * corner[d2][g] * 0.57735026918962576);
      for (int k = 0; k < 3; ++k)
        jacobian[d][k] += shape[d][c] * element.x[k][c];
    }
    for (int i = 0; i < 9; ++i) {
      const int r1 = (i / 3 + 1) % 3, r2 = (i / 3 + 2) % 3, s1 = (i + 1) % 3, s2 = (i + 2) % 3;
      cofactor[i / 3][i % 3] = jacobian[r1][s1] * jacobian[r2][s2] - jacobian[r1][s2] * jacobian[r2][s1];
      element.volume += i < 3 ? jacobian[0][i] * cofactor[0][i] : 0.0;
    }
    for (int i = 0; i < 72; ++i)
      element.gradient[i / 24][i % 8] += shape[i / 8 % 3][i % 8] * cofactor[i / 8 % 3][i / 24];
  }
  return element;
}

__global__ void pressure_forces(Mesh mesh) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= mesh.elements)
    return;
  const Element element = load_element(mesh, e);
  scatter(mesh, element.gradient, mesh.pressure[e], e);
}

__global__ void hourglass_forces(Mesh mesh, double coefficient) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= mesh.elements)
    return;
  const Element element = load_element(mesh, e);
  double force[3][8] = {}, volume = fmax(element.volume, 1e-30);
#pragma unroll
  for (int mode = 0; mode < 4; ++mode) {
    double shape[8], moment[3] = {}, rate[3] = {};
    for (int c = 0; c < 8; ++c)
      shape[c] = (mode == 0 ? 1 : corner[0][c]) * (mode == 1 ? 1 : corner[1][c]) * (mode == 2 ? 1 : corner[2][c]);
    for (int i = 0; i < 24; ++i)
      moment[i / 8] += shape[i % 8] * element.x[i / 8][i % 8] / volume;
    for (int i = 0; i < 24; ++i)
      shape[i / 3] -= moment[i % 3] * element.gradient[i % 3][i / 3];
    for (int i = 0; i < 24; ++i)
      rate[i / 8] += shape[i % 8] * element.v[i / 8][i % 8];
    for (int i = 0; i < 24; ++i)
      force[i / 8][i % 8] += rate[i / 8] * shape[i % 8];
  }
  scatter(mesh, force, -coefficient * mesh.sound_speed[e] * mesh.element_mass[e] / cbrt(volume), e);
}

__global__ void move_nodes(Mesh mesh, double step) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  for (int d = 0; n < mesh.nodes && d < 3; ++d) {
    mesh.velocity[d][n] += step * mesh.force[d][n] / mesh.mass[n];
    mesh.position[d][n] += step * mesh.velocity[d][n];
    mesh.force[d][n] = 0;
  }
}

__global__ void update_elements(Mesh mesh, double step) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= mesh.elements)
    return;
  const Element element = load_element(mesh, e);
  for (int i = 0; i < 24; ++i)
    mesh.energy[e] -= step * mesh.pressure[e] * element.gradient[i / 8][i % 8] * element.v[i / 8][i % 8];
  mesh.pressure[e] = 0.4 * fmax(mesh.energy[e], 0.0) / fmax(element.volume, 1e-30);
  mesh.sound_speed[e] = sqrt(0.56 * fmax(mesh.energy[e], 0.0) / mesh.element_mass[e]);
}

void advance(const Mesh &mesh, double step, cudaStream_t stream) {
  pressure_forces<<<(mesh.elements + 127) / 128, 128, 0, stream>>>(mesh);
  hourglass_forces<<<(mesh.elements + 127) / 128, 128, 0, stream>>>(mesh, 0.01);
  move_nodes<<<(mesh.nodes + 127) / 128, 128, 0, stream>>>(mesh, step);
  update_elements<<<(mesh.elements + 127) / 128, 128, 0, stream>>>(mesh, step);
}
