// __nv_bfloat16 and its pairs: arithmetic (also fma) rounds once, to nearest. Also saturation, relu, ordered and
// unordered comparisons, and minima and maxima with and without NaN. Functions are within one place of the nearest
// value. (The headers read pairs as words: under strict aliasing, clang drops their stores, on every device.)
// RUN: %gasan -O2 --offload-arch=sm_80 -fno-strict-aliasing %s -o %t
// RUN: %run %t 2>&1 | %same
#include <cuda_bf16.h>
typedef __nv_bfloat16 T;
typedef __nv_bfloat162 T2;
#define __halves2type __halves2bfloat162
#define __low __low2bfloat16
#define __high __high2bfloat16
static T fromDouble(double x) {
  return __double2bfloat16(x);
}
#include "inputs/small-floats.h"

int main() {
  checkArithmetic();
  checkFunctions();
  return passed();
}
