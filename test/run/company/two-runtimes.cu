// Two runtimes in one process: one error names both.
// REQUIRES: cpu
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %silent
// RUN: python3 -c 'import sys; old = open(sys.argv[1], "rb").read(); open(sys.argv[2], "wb").write(old.replace(b"libgasan_rt.so\0", b"libgasan_r2.so\0"))' %gasan_library %t.libgasan_r2.so
// RUN: env LD_PRELOAD=%t.libgasan_r2.so %exit=1 %t 2>&1 | FileCheck %s --implicit-check-not=gasan:
// CHECK: ==gasan: ERROR: this process has two gasan runtimes, {{.*}}lib{{.*}}.so (version {{.*}}) and
// CHECK-SAME: {{.*}}lib{{.*}}.so (version {{.*}}); build all parts with one gasan, or take one of the files away
__global__ void nothing() {}

int main() {
  nothing<<<1, 1>>>();
  return cudaDeviceSynchronize() != cudaSuccess;
}
