// An offset in a variable is computed as a 64-bit number, not as the difference of two addresses: for the address of a
// shared array's element the back end uses cvta.shared, which converts 32 bits, so the check of element 2^30 would
// pass.
// RUN: %cuda_device -O2 -gline-tables-only %s -S -o - \
// RUN:   -Xclang -fsanitize=address -mllvm -asan-globals=0 -mllvm -asan-constructor-kind=none \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-instrument -mllvm -gasan-mode=bst \
// RUN:   -mllvm -gasan-launch-proof=off \
// RUN:   | FileCheck %s

// CHECK-LABEL: .entry _Z6sharedlPi(
// CHECK: bar.sync
// CHECK: mul.wide.u32 %[[THREAD:rd[0-9]+]], %r{{[0-9]+}}, 4;
// CHECK: add.s64 %[[OFFSET:rd[0-9]+]], %{{rd[0-9]+}}, %[[THREAD]];
// CHECK: setp.lt.u64 %p{{[0-9]+}}, %[[OFFSET]], 125;
// CHECK: ld.shared
__global__ void shared(long index, int *sum) {
  __shared__ int values[32];
  values[threadIdx.x & 31] = 1;
  __syncthreads();
  *sum = values[threadIdx.x + index];
}

// CHECK-LABEL: .entry _Z8constantlPi(
// CHECK: mul.wide.u32 %[[THREAD:rd[0-9]+]], %r{{[0-9]+}}, 4;
// CHECK: add.s64 %[[OFFSET:rd[0-9]+]], %{{rd[0-9]+}}, %[[THREAD]];
// CHECK: setp.lt.u64 %p{{[0-9]+}}, %[[OFFSET]], 125;
// CHECK: ld.const.b32 {{.*}}, [%rd
__constant__ int table[32];
__global__ void constant(long index, int *sum) {
  *sum = table[threadIdx.x + index];
}

// Pointers that a variable offset has moved before they are merged.
// CHECK-LABEL: .entry _Z6mergedlPib(
// CHECK: bar.sync
// CHECK: selp.b64 %[[ADDRESS:rd[0-9]+]],
// CHECK-NOT: cvta.shared.u64
// CHECK: sub.s64 %[[MERGED:rd[0-9]+]], %[[ADDRESS]], %rd{{[0-9]+}};
// CHECK: setp.lt.u64 %p{{[0-9]+}}, %[[MERGED]], 125;
// CHECK: ld.shared
__global__ void merged(long index, int *sum, bool which) {
  __shared__ int values[32];
  values[threadIdx.x & 31] = 1;
  __syncthreads();
  const int *value = which ? values + threadIdx.x + index : values;
  *sum = *value;
}
