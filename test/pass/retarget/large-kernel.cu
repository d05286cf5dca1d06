// The loop over a block's threads calls a large kernel, and has a small one inlined. Where the CPU device is the only
// device, both are inlined.
// RUN: %cuda_device -O1 -nocudainc -nocudalib -emit-llvm -c %s -o %t.bc
// RUN: %clang -x ir --target=x86_64-pc-linux-gnu -Wno-override-module -O1 -march=x86-64-v3 -fPIC \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-retarget -mllvm -gasan-cpu-image-id=i \
// RUN:   -mllvm -gasan-cpu-helpers=%cpu_bc -mllvm -gasan-devices=auto -S %t.bc -o - -emit-llvm | FileCheck %s
// RUN: %clang -x ir --target=x86_64-pc-linux-gnu -Wno-override-module -O1 -march=x86-64-v3 -fPIC \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-retarget -mllvm -gasan-cpu-image-id=i \
// RUN:   -mllvm -gasan-cpu-helpers=%cpu_bc -mllvm -gasan-devices=cpu -S %t.bc -o - -emit-llvm \
// RUN:   | FileCheck --check-prefix=ALONE %s
// CHECK: define internal void @gasan.block._Z5largePf(
// CHECK-NOT: {{^}}}
// CHECK: call void @gasan.thread._Z5largePf(
// CHECK-NOT: call void @gasan.thread._Z5smallPf(
// ALONE-NOT: call void @gasan.thread._Z5largePf(
__attribute__((global)) void large(float *a) {
  float x = *a;
#pragma unroll
  for (int step = 0; step < 100; step++)
    x = x * x + step;
  *a = x;
}

__attribute__((global)) void small(float *a) {
  *a += 1;
}
