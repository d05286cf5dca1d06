// RUN: %gasan -O2 -fsanitize-gpu-address-launch-proof=off %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: not %run %t beside 2>&1 | FileCheck %s --check-prefix=BESIDE
// RUN: not %run %t again 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: not %run %t part 2>&1 | FileCheck %s --check-prefix=PART
// RUN: not %run %t batch 2>&1 | FileCheck %s --check-prefix=BATCH
// RUN: not %run %t both 2>&1 | FileCheck %s --check-prefix=BOTH
// An access under a predicate, and others near it without one. While the predicate is false, its address may be wrong,
// and nothing is known of the others.
#include <cstring>

__global__ void beside(int *values, int count, int guard) {
  int i = threadIdx.x;
  values[i] = i;
  // BESIDE: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address [[FAULT:0x[0-9a-f]+]]
  // BESIDE-NEXT: WRITE of size 4 at [[FAULT]] by device thread (49,0,0) block (0,0,0) lane 17{{$}}
  // BESIDE-NEXT: #0 beside(int*, int, int) {{.*}}guarded-neighbour.cu:[[#@LINE+2]]:
  // BESIDE: [[FAULT]] is located 0 bytes after 200-byte region
  asm volatile("{ .reg .pred inside; setp.lt.s32 inside, %2, %3; @inside st.global.u32 [%0+4], %1; }"
               :
               : "l"(values + i), "r"(count), "r"(i + guard), "r"(count)
               : "memory");
}

// The predicate is always false.
__global__ void again(int *values, int never) {
  int i = threadIdx.x;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; @p st.global.u32 [%0], %1; }"
               :
               : "l"(values + i), "r"(never)
               : "memory");
  // AGAIN: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address [[FAULT:0x[0-9a-f]+]]
  // AGAIN-NEXT: WRITE of size 4 at [[FAULT]] by device thread (50,0,0) block (0,0,0) lane 18{{$}}
  // AGAIN-NEXT: #0 again(int*, int) {{.*}}guarded-neighbour.cu:[[#@LINE+2]]:
  // AGAIN: [[FAULT]] is located 0 bytes after 200-byte region
  values[i] = i;
}

__global__ void part(int *values, int never) {
  int *pair = values + 2 * threadIdx.x;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; @p st.global.v2.u32 [%0], {%1, %1}; }"
               :
               : "l"(pair), "r"(never)
               : "memory");
  // PART: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address [[FAULT:0x[0-9a-f]+]]
  // PART-NEXT: WRITE of size 4 at [[FAULT]] by device thread (25,0,0) block (0,0,0) lane 25{{$}}
  // PART-NEXT: #0 part(int*, int) {{.*}}guarded-neighbour.cu:[[#@LINE+3]]:
  // PART: [[FAULT]] is located 4 bytes after 200-byte region
  if (threadIdx.x % 2)
    pair[1] = 1;
}

// Both may be checked together. The first one would be wrong in most threads, the second one is in the last.
__global__ void batch(const int *few, const int *values, int *to, int never) {
  int i = threadIdx.x, other = 0;
  asm("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.u32 %0, [%1]; }" : "+r"(other) : "l"(few + i), "r"(never));
  // BATCH: ERROR: AddressSanitizer: heap-buffer-overflow
  // BATCH: READ of size 4 at {{.*}} by device thread (50,0,0) block (0,0,0) lane 18{{$}}
  // BATCH-NEXT: #0 batch(int const*, int const*, int*, int) {{.*}}guarded-neighbour.cu:[[#@LINE+2]]:
  // BATCH: located 0 bytes after 200-byte region
  int value = values[i];
  to[i] = value + other;
}

// One statement makes both checks, and its report must not blame the access that does not happen.
__global__ void both(const int *few, const int *values, int *to, int never) {
  int i = threadIdx.x, other = 0, value;
  // BOTH: ERROR: AddressSanitizer: heap-buffer-overflow
  // BOTH: READ of size 4 at {{.*}} by device thread (50,0,0) block (0,0,0) lane 18{{$}}
  // BOTH-NEXT: #0 both(int const*, int const*, int*, int) {{.*}}guarded-neighbour.cu:[[#@LINE+2]]:
  // BOTH: located 0 bytes after 200-byte region
  asm("{ .reg .pred p; setp.ne.s32 p, %4, 0; @p ld.global.u32 %0, [%2]; ld.global.u32 %1, [%3]; }"
      : "+r"(other), "=r"(value)
      : "l"(few + i), "l"(values + i), "r"(never));
  to[i] = value + other;
}

int main(int, char **arguments) {
  const char *wrong = arguments[1] ? arguments[1] : "";
  int *values;
  cudaMalloc((void **)&values, 50 * sizeof *values);
  beside<<<1, 50>>>(values, 50, strcmp(wrong, "beside") != 0);
  again<<<1, 50 + !strcmp(wrong, "again")>>>(values, 0);
  part<<<1, 25 + !strcmp(wrong, "part")>>>(values, 0);
  int *few, *to;
  cudaMalloc((void **)&few, 10 * sizeof *few);
  cudaMalloc((void **)&to, 51 * sizeof *to);
  batch<<<1, 50 + !strcmp(wrong, "batch")>>>(few, values, to, 0);
  both<<<1, 50 + !strcmp(wrong, "both")>>>(few, values, to, 0);
  return cudaDeviceSynchronize() != cudaSuccess;
}
