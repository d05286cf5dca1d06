// CUDA's math functions for float are as accurate as the CUDA C++ Programming Guide documents (maximal error in ulps),
// also for special values: subnormal, huge, infinite, NaN. Bessel functions of integer order have absolute bounds.
// sqrtf has 1 ulp: clang 22 uses sqrt.approx where nvcc uses sqrt.rn.
// RUN: %gasan -O2 -fsanitize-gpu-address-devices=%kind %s -o %t
// RUN: %run %t 2>&1 | %same
typedef float R;

// clang-format off
#define FUNCTIONS(F) \
  F(add, x + y, x + y, 0, true) \
  F(product, x * y, x * y, 0, true) \
  F(quotient, x / y, x / y, 0, true) \
  F(reciprocal, 1 / x, 1 / x, 0, true) \
  F(root, sqrtf(x), sqrtl(x), 1, true) \
  F(fused, fmaf(x, y, z), fmal(x, y, z), 0, true) \
  F(rsqrt, rsqrtf(x), 1 / sqrtl(x), 2, true) \
  F(cbrt, cbrtf(x), cbrtl(x), 1, true) \
  F(rcbrt, rcbrtf(x), 1 / cbrtl(x), 1, true) \
  F(hypot, hypotf(x, y), rootOfSquares(x, y), 3, true) \
  F(rhypot, rhypotf(x, y), 1 / rootOfSquares(x, y), 2, true) \
  F(norm3d, norm3df(x, y, z), rootOfSquares(x, y, z), 3, true) \
  F(norm4d, norm4df(x, y, z, w), rootOfSquares(x, y, z, w), 3, true) \
  F(rnorm3d, rnorm3df(x, y, z), 1 / rootOfSquares(x, y, z), 2, true) \
  F(rnorm4d, rnorm4df(x, y, z, w), 1 / rootOfSquares(x, y, z, w), 2, true) \
  F(exp, expf(x), expl(x), 2, true) \
  F(exp2, exp2f(x), exp2l(x), 2, true) \
  F(exp10, exp10f(x), powl(10, x), 2, true) \
  F(expm1, expm1f(x), expm1l(x), 1, true) \
  F(log, logf(x), logl(x), 1, true) \
  F(log2, log2f(x), log2l(x), 1, true) \
  F(log10, log10f(x), log10l(x), 2, true) \
  F(log1p, log1pf(x), log1pl(x), 1, true) \
  F(sin, sinf(x), sinl(x), 2, true) \
  F(cos, cosf(x), cosl(x), 2, true) \
  F(tan, tanf(x), tanl(x), 4, true) \
  F(sinpi, sinpif(x), sinpiReference(x), 2, true) \
  F(cospi, cospif(x), cospiReference(x), 2, true) \
  F(asin, asinf(x), asinl(x), 4, true) \
  F(acos, acosf(x), acosl(x), 3, true) \
  F(atan, atanf(x), atanl(x), 2, true) \
  F(atan2, atan2f(x, y), atan2l(x, y), 3, true) \
  F(sinh, sinhf(x), sinhl(x), 3, true) \
  F(cosh, coshf(x), coshl(x), 2, true) \
  F(tanh, tanhf(x), tanhl(x), 2, true) \
  F(asinh, asinhf(x), asinhl(x), 3, true) \
  F(acosh, acoshf(x), acoshl(x), 4, true) \
  F(atanh, atanhf(x), atanhl(x), 3, true) \
  F(pow, powf(x, y), powl(x, y), 9, true) \
  F(erf, erff(x), erfl(x), 2, true) \
  F(erfc, erfcf(x), erfcl(x), 6, true) \
  F(erfinv, erfinvf(x), erfinvReference(x), 2, true) \
  F(erfcinv, erfcinvf(x), erfcinvReference(x), 4, true) \
  F(erfcx, erfcxf(x), erfcxReference(x), 6, true) \
  F(normcdf, normcdff(x), erfcl(-x / sqrtl(2)) / 2, 6, true) \
  F(normcdfinv, normcdfinvf(x), -sqrtl(2) * erfcinvReference(2 * x), 5, true) \
  F(lgamma, lgammaf(x), lgammal(x), 6, !(x > -10.001L && x < -2.264L)) \
  F(tgamma, tgammaf(x), tgammal(x), 11, true) \
  F(j0, j0f(x), j0l(x), 9, fabsl(x) < 8) \
  F(j1, j1f(x), j1l(x), 9, fabsl(x) < 8) \
  F(y0, y0f(x), y0l(x), 9, x > 0 && x < 8) \
  F(y1, y1f(x), y1l(x), 9, x > 0 && x < 8) \
  F(i0, cyl_bessel_i0f(x), besselI(0, x), 6, true) \
  F(i1, cyl_bessel_i1f(x), besselI(1, x), 6, true) \
  F(jn, jnf(3, x), jnl(3, x), places(2.2e-6), fabsl(x) > 1 && fabsl(x) < 100) \
  F(yn, ynf(2, x), ynl(2, x), places(2.2e-6), x > 1 && x < 100) \
  F(j0Far, j0f(x), j0l(x), places(2.2e-6), fabsl(x) < 1e3) \
  F(sincosSine, ({ float s, c; sincosf(x, &s, &c); s; }), sinl(x), 2, true) \
  F(sincospiCosine, ({ float s, c; sincospif(x, &s, &c); c; }), cospiReference(x), 2, true) \
  F(fdim, fdimf(x, y), fdiml(x, y), 0, true) \
  F(maximum, fmaxf(x, y), fmaxl(x, y), 0, true)
// clang-format on

#include "inputs/functions.h"
