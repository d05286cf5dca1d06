// -fgpu-rdc: each file is only marked, the linked module is instrumented. Excluded functions of one file stay so when
// they are inlined into another file's kernel.
// RUN: %cuda_device -fgpu-rdc -O2 -gline-tables-only --cuda-noopt-device-debug -emit-llvm -c %s -o %t.1.bc \
// RUN:   -Xclang -fsanitize=address \
// RUN:   -mllvm -asan-globals=0 -mllvm -asan-constructor-kind=none \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-prepare -mllvm -gasan-mode=shadow
// RUN: llvm-dis %t.1.bc -o - | FileCheck %s --check-prefix=MARKED
// RUN: %cuda_device -fgpu-rdc -O2 -gline-tables-only --cuda-noopt-device-debug -emit-llvm -c %s -o %t.2.bc -DOTHER \
// RUN:   -Xclang -fsanitize=address \
// RUN:   -mllvm -asan-globals=0 -mllvm -asan-constructor-kind=none \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-prepare -mllvm -gasan-mode=shadow
// RUN: llvm-link %t.1.bc %t.2.bc -o %t.bc
// RUN: %clang -x ir --target=nvptx64-nvidia-cuda -march=sm_90 -Wno-override-module -O2 -S -emit-llvm %t.bc -o %t.ll \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-instrument -mllvm -gasan-mode=shadow
// RUN: python3 %S/Inputs/print_sites.py < %t.ll | FileCheck %s --check-prefix=SITES
// RUN: FileCheck %s --check-prefix=LINKED < %t.ll

// MARKED: "gasan-sanitize"
// MARKED-NOT: __gasan_report

// SITES: kernel kernel 'kernel' 2 sites
// SITES: READ 4 from kernel
// SITES-NEXT: #0 read(float*) /{{.*}}/rdc.cu:[[#@LINE+20]]:10
// SITES-NEXT: #1 kernel /{{.*}}/rdc.cu:[[#@LINE+10]]:8
// SITES: WRITE 4 from kernel
// SITES-NEXT: #0 kernel /{{.*}}/rdc.cu:[[#@LINE+8]]:6
// LINKED-NOT: i64 2, i32

__device__ float read(float *p);
__device__ void exempt(short *p);

#ifndef OTHER
extern "C" __global__ void kernel(float *p, short *q) {
  *p = read(p + 1);
  exempt(q);
}
#else
__attribute__((no_sanitize("address"))) __device__ void exempt(short *p) {
  *p = 1;
}

__device__ float read(float *p) {
  return *p;
}
#endif
