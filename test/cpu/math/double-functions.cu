// CUDA's math functions for double are as accurate as the CUDA C++ Programming Guide documents (maximal error in ulps),
// also for special values: subnormal, huge, infinite, NaN. Bessel functions of integer order have absolute bounds.
// RUN: %gasan -O2 -fsanitize-gpu-address-devices=%kind %s -o %t
// RUN: %run %t 2>&1 | %same
typedef double R;

// clang-format off
#define FUNCTIONS(F) \
  F(root, sqrt(x), std::sqrt(hx[i]), 0, true) \
  F(reciprocal, 1 / x, 1 / hx[i], 0, true) \
  F(quotient, x / y, hx[i] / hy[i], 0, true) \
  F(fused, fma(x, y, z), __builtin_fma(hx[i], hy[i], hz[i]), 0, true) \
  F(rsqrt, rsqrt(x), 1 / sqrtl(x), 1, true) \
  F(cbrt, cbrt(x), cbrtl(x), 1, true) \
  F(rcbrt, rcbrt(x), 1 / cbrtl(x), 1, true) \
  F(hypot, hypot(x, y), rootOfSquares(x, y), 2, true) \
  F(rhypot, rhypot(x, y), 1 / rootOfSquares(x, y), 1, true) \
  F(norm3d, norm3d(x, y, z), rootOfSquares(x, y, z), 2, true) \
  F(norm4d, norm4d(x, y, z, w), rootOfSquares(x, y, z, w), 2, true) \
  F(rnorm3d, rnorm3d(x, y, z), 1 / rootOfSquares(x, y, z), 1, true) \
  F(rnorm4d, rnorm4d(x, y, z, w), 1 / rootOfSquares(x, y, z, w), 1, true) \
  F(exp, exp(x), expl(x), 1, true) \
  F(exp2, exp2(x), exp2l(x), 1, true) \
  F(exp10, exp10(x), powl(10, x), 1, true) \
  F(expm1, expm1(x), expm1l(x), 1, true) \
  F(log, log(x), logl(x), 1, true) \
  F(log2, log2(x), log2l(x), 1, true) \
  F(log10, log10(x), log10l(x), 1, true) \
  F(log1p, log1p(x), log1pl(x), 1, true) \
  F(sin, sin(x), sinl(x), 2, true) \
  F(cos, cos(x), cosl(x), 2, true) \
  F(tan, tan(x), tanl(x), 2, true) \
  F(sinpi, sinpi(x), sinpiReference(x), 2, true) \
  F(cospi, cospi(x), cospiReference(x), 2, true) \
  F(asin, asin(x), asinl(x), 2, true) \
  F(acos, acos(x), acosl(x), 2, true) \
  F(atan, atan(x), atanl(x), 2, true) \
  F(atan2, atan2(x, y), atan2l(x, y), 2, true) \
  F(sinh, sinh(x), sinhl(x), 2, true) \
  F(cosh, cosh(x), coshl(x), 1, true) \
  F(tanh, tanh(x), tanhl(x), 1, true) \
  F(asinh, asinh(x), asinhl(x), 3, true) \
  F(acosh, acosh(x), acoshl(x), 3, true) \
  F(atanh, atanh(x), atanhl(x), 2, true) \
  F(pow, pow(x, y), powl(x, y), 2, true) \
  F(erf, erf(x), erfl(x), 2, true) \
  F(erfc, erfc(x), erfcl(x), 5, true) \
  F(erfinv, erfinv(x), erfinvReference(x), 5, true) \
  F(erfcinv, erfcinv(x), erfcinvReference(x), 6, true) \
  F(erfcx, erfcx(x), erfcxReference(x), 4, true) \
  F(normcdf, normcdf(x), erfcl(-x / sqrtl(2)) / 2, 5, true) \
  F(normcdfinv, normcdfinv(x), -sqrtl(2) * erfcinvReference(2 * x), 8, true) \
  F(lgamma, lgamma(x), lgammal(x), 4, !(x > -23.0001L && x < -2.2637L)) \
  F(tgamma, tgamma(x), tgammal(x), 10, true) \
  F(j0, j0(x), j0l(x), 7, fabsl(x) < 8) \
  F(j1, j1(x), j1l(x), 7, fabsl(x) < 8) \
  F(y0, y0(x), y0l(x), 7, x > 0 && x < 8) \
  F(y1, y1(x), y1l(x), 7, x > 0 && x < 8) \
  F(i0, cyl_bessel_i0(x), besselI(0, x), 6, true) \
  F(i1, cyl_bessel_i1(x), besselI(1, x), 6, true) \
  F(jn, jn(3, x), jnl(3, x), places(5e-12), fabsl(x) > 1 && fabsl(x) < 100) \
  F(yn, yn(2, x), ynl(2, x), places(5e-12), x > 1 && x < 100) \
  F(j0Far, j0(x), j0l(x), places(5e-12), fabsl(x) < 1e3) \
  F(sincosSine, ({ double s, c; sincos(x, &s, &c); s; }), sinl(x), 2, true) \
  F(sincospiCosine, ({ double s, c; sincospi(x, &s, &c); c; }), cospiReference(x), 2, true) \
  F(fdim, fdim(x, y), hx[i] - hy[i] > 0 ? hx[i] - hy[i] : x != x || y != y ? (long double)NAN : 0, 0, true) \
  F(maximum, fmax(x, y), fmaxl(x, y), 0, true)
// clang-format on

#include "inputs/functions.h"
