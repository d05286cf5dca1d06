// Relocatable device code by nvcc's front end: functions and variables of another file, whose lines reports have.
// DEFINE: %{nvcc} = env CUDA_HOME=%cuda GASAN_PTXAS_FLAGS=--strict %gasan_nvcc --front-end=nvcc -arch=sm_90
// RUN: %{nvcc} -dc %s -o %t.o
// RUN: %{nvcc} -rdc=true -c %S/Inputs/relocatable_callee.cu -o %t.callee.o
// RUN: rm -rf %t.kept && mkdir %t.kept
// RUN: %{nvcc} -keep --keep-dir %t.kept %t.o %t.callee.o -o %t
// RUN: not %t 2>&1 | FileCheck %s
// RUN: %t fixed 2>&1 | FileCheck --check-prefix=FIXED %s
//
// The linked code for the GPU has all functions and one site table.
// RUN: llvm-readelf -s %t.kept/gasan-rdc-sm_90.cubin | FileCheck --check-prefix=CUBIN %s
// CUBIN-DAG: OBJECT GLOBAL {{.*}} __gasan_sites
// CUBIN-DAG: FUNC GLOBAL {{.*}} _Z7reversePiii
// CUBIN-DAG: OBJECT GLOBAL {{.*}} total
//
// A static library, a device link of its own, as CMake makes it, and g++ for the last link.
// RUN: %{nvcc} -lib -rdc=true %S/Inputs/relocatable_callee.cu -o %t.a
// RUN: %{nvcc} -shared -dlink %t.o %t.a -o %t.dlink.o
// RUN: g++ %t.o %t.dlink.o %t.a -L%build/lib -lgasan_rt -Wl,-rpath,%build/lib -o %t.library
// RUN: not %t.library 2>&1 | FileCheck %s
//
// An object of clang's front end in the same program, and NVIDIA's option for link-time optimisation.
// RUN: env CUDA_HOME=%cuda %gasan_nvcc -arch=sm_90 -rdc=true -c %S/Inputs/relocatable_callee.cu -o %t.clang.o
// RUN: env CUDA_HOME=%cuda %gasan_nvcc --front-end=nvcc -dlto -rdc=true -gencode arch=compute_90,code=lto_90 %s \
// RUN:   %t.clang.o -o %t.mixed
// RUN: not %t.mixed 2>&1 | FileCheck %s
// RUN: %t.mixed fixed 2>&1 | FileCheck --check-prefix=FIXED %s
//
// RUN: %cuda/bin/nvcc -arch=sm_90 -dc %S/Inputs/relocatable_callee.cu -o %t.plain.o
// RUN: not %{nvcc} %t.o %t.plain.o -o %t.wrong 2>&1 | FileCheck --check-prefix=PLAIN %s
// PLAIN: plain.o' has relocatable device code of another compiler, which cannot be linked with checks; compile it by
// PLAIN-SAME: {{^}} gasan-nvcc or gasan-clang++
// RUN: %{nvcc} -G -dc %s -o %t.debug.o 2>&1 | FileCheck --check-prefix=DEBUG %s
// DEBUG: warning: -G has no effect with --front-end=nvcc: device code has checks and lines in place of
// RUN: not env GASAN_LIFT_RELOCATABLE=1 %ptxas -arch=sm_90 -c %S/Inputs/texture.ptx -o %t.cubin 2>&1 \
// RUN:   | FileCheck --check-prefix=TEXTURE %s
// TEXTURE: texture.ptx': line 4: texture
// TEXTURE: error: {{.*}}texture.ptx' cannot be relocatable device code, because the step above has failed; compile this
// TEXTURE-SAME: {{^}} source without -rdc=true, or by clang's front end
#include "Inputs/relocatable_parts.h"
#include <cstdio>

static __device__ int hidden = 3; // relocatable_callee.cu has one, too

static __global__ void show(int *to) {
  *to = hidden + total;
}

__global__ void reverse(int *to, int n, int extra) {
  const int at = threadIdx.x;
  shared[at] = at;
  __syncthreads();
  const Pair pair = mirror(make_pair(true, (signed char)-at, 1.5f), n);
  if (at < n + extra)
    put(to, at, pair);
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 4
  // CHECK-NEXT: #0 put(int*, int, Pair) {{.*}}relocatable_callee.cu:21:
  // CHECK: reverse(int*, int, int)<<<1, 64>>> launched here by host thread T0:
  // CHECK: in main {{.*}}relocatable.cu:[[#@LINE+9]]
}

int main(int count, char **) {
  int *to, result[51] = {};
  const int factors[2] = {2, 3};
  cudaMalloc(&to, 50 * sizeof *to);
  // CHECK: is located 0 bytes after 200-byte region
  cudaMemcpyToSymbol(factor, factors, sizeof factors);
  reverse<<<1, 64, 64 * sizeof(int)>>>(to, 50, count < 2);
  cudaMemcpy(result, to, 50 * sizeof *to, cudaMemcpyDeviceToHost);
  show<<<1, 1>>>(to);
  cudaMemcpy(result + 50, to, sizeof *to, cudaMemcpyDeviceToHost);
  printf("%d %d %d %d\n", result[0], result[49], result[50], show_callee());
  // FIXED-NOT: gasan
  // FIXED: {{^}}107 -40 53 7{{$}}
}
