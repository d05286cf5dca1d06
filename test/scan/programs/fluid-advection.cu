/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Advection of a fluid by cubature, after HeCBench's program in SCuBA's table 2: a block of 16 x 16 threads reads the
// element's numbers, whatever their count is. BUG marks accesses that leave their memory for some input.
#include <cstdio>
#include <cstdlib>

constexpr int kSide = 16;

__global__ void advCubature(int elements, int np, int cubNp, const double *vgeo, const double *cubvgeo,
                            const double *cubD, const double *cubInterp, const double *cubProject, const double *u,
                            const double *advected, double *nu) {
  __shared__ double s_D[kSide][kSide], s_interp[kSide][kSide], s_project[kSide][kSide];
  const int i = threadIdx.x, j = threadIdx.y, id = j * kSide + i;
  const size_t e = blockIdx.x;
#ifdef FIXED
  if (id >= cubNp || id >= np)
    return;
#endif
  s_D[j][i] = cubD[id];             // BUG
  s_interp[j][i] = cubInterp[id];   // BUG
  s_project[j][i] = cubProject[id]; // BUG
  double r[3], v[3], gradient[3];
  r[0] = cubvgeo[(e * 4 + 0) * cubNp + id];                         // BUG
  r[1] = cubvgeo[(e * 4 + 1) * cubNp + id];                         // BUG
  r[2] = cubvgeo[(e * 4 + 2) * cubNp + id];                         // BUG
  const double weight = cubvgeo[(e * 4 + 3) * cubNp + id];          // BUG
  v[0] = u[(e * 3 + 0) * np + id];                                  // BUG
  v[1] = u[(e * 3 + 1) * np + id];                                  // BUG
  v[2] = u[(e * 3 + 2) * np + id];                                  // BUG
  gradient[0] = advected[(e * 3 + 0) * np + id];                    // BUG
  gradient[1] = advected[(e * 3 + 1) * np + id];                    // BUG
  gradient[2] = advected[(e * 3 + 2) * np + id];                    // BUG
  const double mass = vgeo[e * np + id]                             // BUG
                      + vgeo[(size_t(elements) - 1 - e) * np + id]; // BUG
  double sum = 0;
  for (int d = 0; d < 3; d++)
    sum += r[d] * v[d] * gradient[d];
  sum *= s_D[j][i] * s_interp[j][i] * s_project[j][i] * weight / mass;
  nu[(e * 3 + 0) * np + id] = sum * v[0];   // BUG
  nu[(e * 3 + 1) * np + id] = sum * v[1];   // BUG
  nu[(e * 3 + 2) * np + id] = sum * v[2];   // BUG
  nu[size_t(elements) * 3 * np + id] = sum; // BUG
}

static double *allocate(size_t count) {
  double *result;
  cudaMalloc(&result, count * sizeof(double));
  cudaMemset(result, 0, count * sizeof(double));
  return result;
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  const int n = atoi(argv[1]), cubN = atoi(argv[2]), elements = atoi(argv[3]);
  if (n < 1 || n > 15 || cubN < 1 || cubN > 15 || elements < 1 || elements > 65535)
    return 2;
  const int np = (n + 1) * (n + 1) * (n + 1), cubNp = (cubN + 1) * (cubN + 1) * (cubN + 1);
  double *vgeo = allocate(size_t(np) * elements), *cubvgeo = allocate(size_t(cubNp) * elements * 4);
  double *cubD = allocate(cubNp), *cubInterp = allocate(cubNp), *cubProject = allocate(cubNp);
  double *u = allocate(size_t(np) * elements * 3), *advected = allocate(size_t(np) * elements * 3);
  double *nu = allocate((size_t(elements) * 3 + 1) * np);
  advCubature<<<elements, dim3(kSide, kSide)>>>(elements, np, cubNp, vgeo, cubvgeo, cubD, cubInterp, cubProject, u,
                                                advected, nu);
  cudaDeviceSynchronize();
  for (double *p : {vgeo, cubvgeo, cubD, cubInterp, cubProject, u, advected, nu})
    cudaFree(p);
}
