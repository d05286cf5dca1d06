// Functions of CUDA's math library have no checks, so a kernel that mostly runs them has variants like any other. A
// proven variant without checks has the kernel's original body.
// RUN: %gasan -O2 --cuda-device-only -S %s -o %t
// RUN: FileCheck %s < %t
// CHECK: .entry __gasan_bounded_powers(
// CHECK-LABEL: .entry __gasan_proven_powers(
// CHECK-NOT: {{__gasan_(params|check|report|bounds)}}
// CHECK: __internal_accurate_pow
// CHECK-NOT: {{__gasan_(params|check|report|bounds)}}
// CHECK: ret;
extern "C" __global__ void powers(const double *x, double *y, int n) {
  int i = threadIdx.x;
  double sum = 0;
  for (int k = 0; k < n; k++)
    sum += pow(x[i], sum) + sin(sum);
  y[i] = sum;
}
