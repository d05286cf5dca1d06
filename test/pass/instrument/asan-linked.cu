// Device code that others have instrumented and linked: clang's own AddressSanitizer pass, llvm-link with gasan's entry
// points, and of gasan's passes only the retargeting. It runs on the CPU device; reports lack only the place.
// RUN: %cuda_device -O2 -gline-tables-only -emit-llvm -c %s -o %t.bc -Xclang -fsanitize=address \
// RUN:   -Xclang -fsanitize-address-use-after-return=never \
// RUN:   -mllvm -asan-instrumentation-with-call-threshold=0 -mllvm -asan-stack=0 -mllvm -asan-globals=0 \
// RUN:   -mllvm -asan-instrument-dynamic-allocas=0 -mllvm -asan-constructor-kind=none
// RUN: llvm-link %t.bc %asan_bc -o %t.linked.bc
// RUN: %clang -x ir --target=x86_64-pc-linux-gnu -Wno-override-module -Wno-unknown-cuda-version -O2 -march=x86-64-v3 \
// RUN:   -fPIC \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-retarget \
// RUN:   -mllvm -gasan-cpu-image-id=by-hand \
// RUN:   -mllvm -gasan-cpu-helpers=%cpu_bc -c %t.linked.bc -o %t.image.o
//
// A fat binary without GPU code, followed by a struct gasan_cpu_trailer. The GPU's half: ptxas accepts the PTX of the
// linked code.
// RUN: printf '\120\355\125\272\001\000\020\000\000\000\000\000\000\000\000\000' > %t.fatbin
// RUN: printf '\120\355\125\272\001\000\070\000\000\000\000\000\000\000\000\000GASANCPU%%-32s' by-hand \
// RUN:   | tr ' ' '\000' >> %t.fatbin
// RUN: %clang -x ir --target=nvptx64-nvidia-cuda -Wno-override-module -Wno-unknown-cuda-version -march=sm_90 -O2 -S \
// RUN:   %t.linked.bc -o %t.ptx
// RUN: %cuda/bin/ptxas -arch=sm_90 %t.ptx -o %t.cubin
// RUN: llvm-readelf -s %t.cubin | FileCheck %s --check-prefix=SYMBOLS
// SYMBOLS-DAG: OBJECT GLOBAL {{.*}} __gasan_params
// SYMBOLS-DAG: OBJECT GLOBAL {{.*}} __gasan_sites
//
// RUN: %clangxx -x cuda --cuda-path=%cuda -Wno-unknown-cuda-version --cuda-host-only -g -O2 \
// RUN:   -Xclang -fcuda-include-gpubinary -Xclang %t.fatbin \
// RUN:   -c %s -o %t.host.o
// RUN: %gasan %t.host.o %t.image.o -o %t
// RUN: not %t 101 2>&1 | FileCheck %s
// RUN: %t 100 2>&1 | FileCheck %s --check-prefix=CLEAN --allow-empty
// CLEAN-NOT: {{.}}
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on cpu device 0
// CHECK-NEXT: WRITE of size 4 at {{.*}} by device thread (4,0,0) block (3,0,0) lane 4
// CHECK-NEXT: #0 <unknown site>
// CHECK-NEXT: #1 {{.*}}fill{{.*}}<<<4, 32>>> launched here by host thread T0:
// CHECK-NEXT: #2 {{.*}} in main {{.*}}asan-linked.cu:[[#@LINE+14]]:
// CHECK: is located 0 bytes after 400-byte region
// CHECK: SUMMARY: AddressSanitizer: heap-buffer-overflow
#include <cstdlib>

__global__ void fill(int *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = i;
}

int main(int, char **arguments) {
  int *values;
  cudaMalloc(&values, 400);
  fill<<<4, 32>>>(values, atoi(arguments[1]));
  return cudaDeviceSynchronize() != cudaSuccess;
}
