// nvcc's own front end compiles, gasan-ptxas puts the checks into its PTX, and the CPU device runs the same module.
// RUN: env CUDA_HOME=%cuda GASAN_PTXAS_FLAGS=--strict %gasan_nvcc --front-end=nvcc -arch=sm_90 %s -o %t
// RUN: not %t 2>&1 | FileCheck %s
// RUN: env CUDA_HOME=%cuda GASAN_PTXAS_FLAGS=--strict %gasan_nvcc --front-end=nvcc -arch=sm_90 -DFIXED -c %s -o %t.o
// RUN: env CUDA_HOME=%cuda %gasan_nvcc --front-end=nvcc %t.o -o %t.fixed
// RUN: %t.fixed 2>&1 | FileCheck --check-prefix=FIXED %s
// Dependencies are the toolkit's own headers; -odir and --keep-dir name a folder.
// RUN: rm -rf %t.folder && mkdir %t.folder
// RUN: env CUDA_HOME=%cuda %gasan_nvcc --front-end=nvcc -arch=sm_90 -c %s -odir %t.folder -MD -MF %t.d -keep \
// RUN:   --keep-dir %t.folder
// RUN: ls %t.folder/front-end.o %t.folder/front-end.ptx
// RUN: FileCheck --check-prefix=DEPENDENCIES --implicit-check-not=gasan-nvcc- %s <%t.d
// DEPENDENCIES: /include/cuda_runtime.h
// The PTX for newer GPUs has checks, too, also if its architecture is not that of the cubin.
// RUN: env CUDA_HOME=%cuda GASAN_PTXAS_FLAGS=--strict %gasan_nvcc --front-end=nvcc \
// RUN:   -gencode arch=compute_80,code=[sm_86,compute_80] -c %s -o %t.both.o
// RUN: llvm-objcopy --dump-section=.nv_fatbin=%t.fatbin %t.both.o %t.copy.o
// RUN: %build/lib/gasan/gasan-lift -extract=%t.fatbin -arch=sm_120 -o %t.ptx
// RUN: FileCheck --check-prefix=PTX %s <%t.ptx
// PTX: .target sm_80
// PTX: __gasan_params
// With several architectures, at once, too, the CPU image is that of the newest one.
// RUN: env CUDA_HOME=%cuda GASAN_PTXAS_FLAGS=--strict %gasan_nvcc --front-end=nvcc -DFIXED -DSEVERAL --threads 2 \
// RUN:   -gencode arch=compute_90,code=sm_90 -gencode arch=compute_80,code=sm_80 %s -o %t.several
// RUN: %t.several 2>&1 | FileCheck --check-prefix=SEVERAL %s
// SEVERAL: compiled for 900
// RUN: not env CUDA_HOME=%cuda %gasan_nvcc --front-end=gcc %s 2>&1 | FileCheck --check-prefix=OTHER %s
// OTHER: --front-end=gcc: choose nvcc or clang
#include <cstdio>

// An object with a constructor in shared memory, which clang refuses.
struct Tile {
  float values[64];
  __device__ Tile() {}
};

__device__ void put(float *to, int at, float value) {
  to[at] = value;
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 4
  // CHECK-NEXT: #0 put(float*, int, float) {{.*}}front-end.cu:[[#@LINE-3]]:
}

static __global__ void reverse(float *to, int n) { // no `.visible` in PTX
  __shared__ Tile tile;
  int at = threadIdx.x;
  tile.values[at] = at;
  __syncthreads();
  if (at < n)
    put(to, at, tile.values[63 - at]);
  // CHECK-NEXT: #1 reverse(float*, int) {{.*}}front-end.cu:[[#@LINE-1]]:
}

#ifdef SEVERAL
__global__ void show() {
#ifdef __CUDA_ARCH__
  printf("compiled for %d\n", __CUDA_ARCH__);
#endif
}
#endif

int main() {
#ifdef SEVERAL
  show<<<1, 1>>>();
#endif
  float *to;
  cudaMalloc(&to, 50 * sizeof *to);
  // CHECK: is located 0 bytes after 200-byte region
  // CHECK: in main {{.*}}front-end.cu:[[#@LINE-2]]
#ifdef FIXED
  reverse<<<1, 64>>>(to, 50);
#else
  reverse<<<1, 64>>>(to, 51);
#endif
  float result[50] = {};
  cudaMemcpy(result, to, sizeof result, cudaMemcpyDeviceToHost);
  printf("%g %g\n", result[0], result[49]);
  // FIXED-NOT: gasan
  // FIXED: {{^}}63 14{{$}}
}
