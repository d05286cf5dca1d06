// A function that is too large for LLVM to inline is inlined if few places call it, so that the launch proof reads it.
// RUN: %gasan -O2 --cuda-device-only -c -fsanitize-gpu-address-print-proofs %s -o %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 --cuda-device-only -c -fsanitize-gpu-address-print-proofs -mllvm -gasan-inline-functions=false %s \
// RUN:   -o %t 2>&1 | FileCheck %s --check-prefix=OFF

// CHECK: kernel first: 2 claims, 0 checks in all variants
// CHECK-NEXT: large-functions.cu:[[#@LINE+19]]:{{[0-9]+}}: proven at launch if values +
// CHECK: kernel second: 2 claims, 0 checks in all variants
// CHECK: kernel third: 1 claims, 0 checks in all variants
// CHECK-NOT: kernel {{first|second}}: {{.*}} in functions
// CHECK: kernel third: 1 checks in functions that all variants call
// OFF: kernel first: 1 claims, 0 checks in all variants
// OFF-NEXT: proven at launch if sums +
// OFF: kernel second: 1 claims, 0 checks in all variants
// OFF: kernel third: 1 claims, 0 checks in all variants
// OFF: kernel first: 1 checks in functions that all variants call

#define FOUR(code) code code code code
#define MANY(code) FOUR(FOUR(FOUR(FOUR(code))))

#define MIX(name, attributes) __device__ attributes int name(const int *values, int i, int count)

MIX(mix, ) {
  int sum = 0;
  if (i < count) {
    sum = values[i];
    MANY(sum = sum * 1664525 + 1013904223; sum ^= sum >> 7;)
  }
  return sum;
}

// A function that is declared noinline stays a function, with its check.
MIX(mix_apart, __noinline__) {
  int sum = 0;
  if (i < count) {
    sum = values[i];
    MANY(sum = sum * 1664525 + 1013904223; sum ^= sum >> 7;)
  }
  return sum;
}

extern "C" __global__ void first(const int *values, int *sums, int count) {
  sums[threadIdx.x] = mix(values, threadIdx.x, count);
}

extern "C" __global__ void second(const int *values, int *sums, int count) {
  sums[threadIdx.x] = mix(values, threadIdx.x * 2, count);
}

extern "C" __global__ void third(const int *values, int *sums, int count) {
  sums[threadIdx.x] = mix_apart(values, threadIdx.x, count);
}
