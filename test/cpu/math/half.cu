// half and half2: arithmetic is rounded once and to nearest (fma too), saturation, relu, ordered and unordered
// comparisons, minima and maxima with and without NaN; functions are within one place of the nearest value. (The
// headers read pairs as words: clang drops stores for that under strict aliasing, on every device.)
// RUN: %gasan -O2 --offload-arch=sm_80 -fno-strict-aliasing %s -o %t
// RUN: %run %t 2>&1 | %same
#include <cuda_fp16.h>
typedef __half T;
typedef __half2 T2;
#define __halves2type __halves2half2
#define __low __low2half
#define __high __high2half
static T fromDouble(double x) {
  return __double2half(x);
}
#include "inputs/small-floats.h"

int main() {
  checkArithmetic();
  checkFunctions();
  return passed();
}
