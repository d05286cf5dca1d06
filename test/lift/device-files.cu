// nvcc's front end makes cubins, fat binaries and PTX with checks, as nvcc names them.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: env CUDA_HOME=%cuda GASAN_PTXAS_FLAGS=--strict %gasan_nvcc --front-end=nvcc -arch=sm_90 -cubin %s -o %t/a.cubin
// RUN: grep -c __gasan_params %t/a.cubin
// RUN: env CUDA_HOME=%cuda GASAN_PTXAS_FLAGS=--strict %gasan_nvcc --front-end=nvcc -arch=sm_90 --fatbin %s
// RUN: %build/lib/gasan/gasan-lift -extract=device-files.fatbin -arch=sm_120 -o %t/a.ptx
// RUN: FileCheck %s <%t/a.ptx
// RUN: env CUDA_HOME=%cuda GASAN_PTXAS_FLAGS=--strict %gasan_nvcc --front-end=nvcc -arch=sm_90 -ptx %s -odir %t
// RUN: FileCheck %s <%t/device-files.ptx
// RUN: %cuda/bin/ptxas -arch=sm_90 %t/device-files.ptx -o %t/b.cubin
// CHECK: .target sm_90
// CHECK-DAG: .visible .entry fill(
// CHECK-DAG: __gasan_params
// Also where clang refuses the source.
// RUN: env CUDA_HOME=%cuda %gasan_nvcc -arch=sm_90 -ptx %s -o %t/c.ptx 2>&1 | FileCheck --check-prefix=WARNING %s
// RUN: FileCheck %s <%t/c.ptx
// WARNING: gasan-nvcc: warning: clang refuses this source, so nvcc's front end has compiled it
// Code that is not linked has no checks.
// RUN: env CUDA_HOME=%cuda %gasan_nvcc --front-end=nvcc -arch=sm_90 -rdc=true -ptx %s -o %t/d.ptx 2>&1 \
// RUN:   | FileCheck --check-prefix=RELOCATABLE %s
// RELOCATABLE: gasan-nvcc: warning: -ptx of relocatable device code has no checks; leave -rdc=true out for checks
// RUN: not env CUDA_HOME=%cuda %gasan_nvcc --front-end=nvcc -cubin %s %s -o %t/e.cubin 2>&1 \
// RUN:   | FileCheck --check-prefix=TWO %s
// TWO: -o names one output, and the command has 2 inputs
// The host's C++ with the device code in it, and a program that nvcc runs.
// RUN: env CUDA_HOME=%cuda GASAN_PTXAS_FLAGS=--strict %gasan_nvcc --front-end=nvcc -arch=sm_90 -cuda %s
// RUN: grep -q fill device-files.cu.cpp.ii
// RUN: env CUDA_HOME=%cuda %gasan_nvcc --front-end=nvcc -arch=sm_90 -DRUNS -run %s -o %t/f -run-args 1,2 \
// RUN:   | FileCheck --check-prefix=PROGRAM %s
// PROGRAM: fill 3
#ifdef RUNS
#include <cstdio>
#endif

struct Tile {
  int values[64];
  __device__ Tile() { values[0] = 1; }
};

extern "C" __global__ void fill(int *to, int n) {
  __shared__ Tile tile;
  tile.values[threadIdx.x] = n;
  __syncthreads();
  to[threadIdx.x] = tile.values[n];
}

#ifdef RUNS
int main(int count, char **) {
  printf("fill %d\n", count);
}
#endif
