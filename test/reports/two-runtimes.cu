// Two runtimes in one process: one error names both.
// REQUIRES: cpu
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %silent
// RUN: sed 's/libgasan_rt[.]so\x00/libgasan_r2.so\x00/g' %gasan_library > %t.libgasan_r2.so
// RUN: env LD_PRELOAD=%t.libgasan_r2.so %exit=1 %t 2>&1 | FileCheck %s --implicit-check-not=gasan:
// CHECK: ==gasan: ERROR: this process has two gasan runtimes, {{.*}}lib{{.*}}.so (version {{.*}}) and
// CHECK-SAME: {{.*}}lib{{.*}}.so (version {{.*}}); build all parts with one gasan, or take one of the files away
__global__ void nothing() {}

int main() {
  nothing<<<1, 1>>>();
  return cudaDeviceSynchronize() != cudaSuccess;
}
