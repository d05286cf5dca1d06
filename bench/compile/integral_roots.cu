/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Imitates quantum chemistry: repulsion integrals by quadrature with three roots. Slow because large functions that
// stay calls hold one polynomial for each interval, and the recursions over local arrays unroll completely.
#include <cuda_runtime.h>

constexpr int kIntervals = 40, kDegree = 7; // intervals of length 1; Taylor polynomials about their centres
constexpr int kPower = 2, kValues = 36;     // the highest power of a coordinate; integrals of a pair

struct Charge {
  double x, y, z, exponent;
};

// Taylor polynomials of the Boys function of an order: the integral of t^(2 Order) exp(-x t^2) over [0, 1].
template <int Order>
struct Polynomials {
  double c[kIntervals][kDegree + 1] = {};
  constexpr Polynomials() {
    double decay = 0.60653065971263342; // exp(-x), x = 1/2
    for (int interval = 0; interval < kIntervals; ++interval, decay *= 0.36787944117144233) {
      double factor = decay;
      for (int k = 0; k <= kDegree; factor /= -++k) {
        double term = 1.0 / (2 * (Order + k) + 1), sum = term;
        for (int i = Order + k + 1; i < 180; ++i)
          sum += term *= (2 * interval + 1.0) / (2 * i + 1);
        c[interval][k] = factor * sum;
      }
    }
  }
};

template <int Order>
constexpr Polynomials<Order> kBoys;

template <int Order, int Interval = 0>
__device__ __forceinline__ double evaluate(double x) {
  if constexpr (Interval + 1 < kIntervals)
    if (x >= Interval + 1)
      return evaluate<Order, Interval + 1>(x);
  constexpr auto &c = kBoys<Order>.c[Interval];
  constexpr double c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3], c4 = c[4], c5 = c[5], c6 = c[6], c7 = c[7];
  const double d = x - (Interval + 0.5);
  return c0 + d * (c1 + d * (c2 + d * (c3 + d * (c4 + d * (c5 + d * (c6 + d * c7))))));
}

// Returns the Boys function, x >= 0. The asymptotic formula holds beyond the last interval.
template <int Order>
__device__ __noinline__ double boys(double x) {
  double value = 0.88622692545275801 * rsqrt(fmax(x, 1.0)); // sqrt(pi) / 2
  for (int i = 1; i <= Order; ++i)
    value *= (2 * i - 1) / (2 * fmax(x, 1.0));
  return x < kIntervals ? evaluate<Order>(x) : value;
}

// Finds the nodes u = t^2 and weights of Gaussian quadrature: the roots of u^3 = a u^2 + b u + c.
__device__ __noinline__ void find_roots(double x, double *u, double *weights) {
  const double m[] = {boys<0>(x), boys<1>(x), boys<2>(x), boys<3>(x), boys<4>(x), boys<5>(x)};
  const double d0 = m[2] * m[4] - m[3] * m[3], d1 = m[1] * m[4] - m[2] * m[3], d2 = m[1] * m[3] - m[2] * m[2];
  const double e1 = m[0] * m[4] - m[2] * m[2], e2 = m[0] * m[3] - m[1] * m[2], f2 = m[0] * m[2] - m[1] * m[1];
  const double inverse = 1.0 / (m[0] * d0 - m[1] * d1 + m[2] * d2);
  const double c = (m[3] * d0 - m[4] * d1 + m[5] * d2) * inverse, b = (m[4] * e1 - m[3] * d1 - m[5] * e2) * inverse;
  const double a = (m[3] * d2 - m[4] * e2 + m[5] * f2) * inverse, third = a / 3.0;
  const double p = sqrt(fmax(third * third + b / 3.0, 1e-30)), q = third * third * third + third * b / 2.0 + c / 2.0;
  const double angle = acos(fmin(fmax(q / (p * p * p), -1.0), 1.0)) / 3.0;
  for (int i = 0; i < 3; ++i)
    u[i] = third + 2.0 * p * cos(angle - i * 2.0943951023931955); // 2 pi / 3
  for (int i = 0; i < 3; ++i) {
    const double v = u[(i + 1) % 3], w = u[(i + 2) % 3];
    weights[i] = (m[2] - (v + w) * m[1] + v * w * m[0]) / ((u[i] - v) * (u[i] - w));
  }
}

// Adds the integrals of all products of two powers on each side. Row and column 0 of the tables remain zero: power i of
// the bra and power j of the ket are in row i + 1, column j + 1. Exponents are positive.
__device__ void add_integrals(Charge bra, Charge ket, double *values) {
  const double d[3] = {bra.x - ket.x, bra.y - ket.y, bra.z - ket.z}, sum = bra.exponent + ket.exponent;
  const double share = ket.exponent / sum, square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  double nodes[3], weights[3];
  find_roots(bra.exponent * share * square, nodes, weights);
  for (int root = 0; root < 3; ++root) {
    const double u = nodes[root], bra_u = share * u, ket_u = u - bra_u, cross = 0.5 * u / sum;
    const double bra_step = 0.5 / bra.exponent * (1.0 - bra_u), ket_step = 0.5 / ket.exponent * (1.0 - ket_u);
    double g[3][kPower + 2][kPower + 2] = {};
#pragma unroll
    for (int k = 0; k < 3 * (kPower + 1) * (kPower + 1); ++k) {
      const int axis = k / 9, i = k / 3 % 3, j = k % 3;
      auto &t = g[axis];
      t[i + 1][j + 1] = i > 0
                            ? (i - 1) * bra_step * t[i - 1][j + 1] + j * cross * t[i][j] - bra_u * d[axis] * t[i][j + 1]
                        : j > 0 ? (j - 1) * ket_step * t[1][j - 1] + ket_u * d[axis] * t[1][j]
                                : (axis == 0 ? weights[root] : 1.0);
    }
#pragma unroll
    for (int k = 0; k < kValues; ++k) {
      constexpr int x[] = {3, 2, 2, 1, 1, 1}, y[] = {1, 2, 1, 3, 2, 1}, z[] = {1, 1, 2, 1, 2, 3};
      const int i = k / 6, j = k % 6;
      values[k] += g[0][x[i]][x[j]] * g[1][y[i]][y[j]] * g[2][z[i]][z[j]];
    }
  }
}

// Computes the integrals of each pair of charges.
__global__ void repulsion(const Charge *charges, const int2 *pairs, double *integrals, int count) {
  const int pair = blockIdx.x * blockDim.x + threadIdx.x;
  if (pair >= count)
    return;
  double values[kValues] = {};
  add_integrals(charges[pairs[pair].x], charges[pairs[pair].y], values);
  for (int k = 0; k < kValues; ++k)
    integrals[size_t(k) * count + pair] = values[k];
}

// Computes Schwarz's upper bound of the integrals of each charge.
__global__ void bounds(const Charge *charges, double *limits, int count) {
  const int charge = blockIdx.x * blockDim.x + threadIdx.x;
  if (charge >= count)
    return;
  double values[kValues] = {}, highest = 0.0;
  add_integrals(charges[charge], charges[charge], values);
  for (int k = 0; k < kValues; k += 7)
    highest = fmax(highest, fabs(values[k]));
  limits[charge] = sqrt(highest);
}

cudaError_t compute_integrals(const Charge *charges, int count, const int2 *pairs, int pair_count, double *limits,
                              double *integrals) {
  bounds<<<(count + 63) / 64, 64>>>(charges, limits, count);
  repulsion<<<(pair_count + 63) / 64, 64>>>(charges, pairs, integrals, pair_count);
  return cudaGetLastError();
}
