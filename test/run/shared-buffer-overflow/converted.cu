// Shared addresses of 32 bits, from CUDA's conversions in the kernel and in a function that is not inlined.
// RUN: %gasan -O0 %s -o %t.O0
// RUN: not %run %t.O0 2>&1 | FileCheck %s
// RUN: %gasan -O2 %s -o %t.O2
// RUN: not %run %t.O2 2>&1 | FileCheck %s
// RUN: %gasan -O0 -DASM %s -o %t.asm.O0
// RUN: not %run %t.asm.O0 2>&1 | FileCheck %s --check-prefix=ASM
// RUN: %gasan -O2 -DASM %s -o %t.asm.O2
// RUN: not %run %t.asm.O2 2>&1 | FileCheck %s --check-prefix=ASM
// RUN: %gasan -O0 -DFIXED %s -o %t.fixed.O0
// RUN: %run %t.fixed.O0 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed.O2
// RUN: %run %t.fixed.O2 2>&1 >/dev/null | %silent
__device__ __noinline__ unsigned address_of(const void *pointer) {
  return unsigned(__cvta_generic_to_shared(pointer));
}

__global__ void reverse(int *out, int last) {
  __shared__ int before[32], tile[32], behind[32];
  before[threadIdx.x] = behind[threadIdx.x] = 0;
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const unsigned address = address_of(tile);
  int value = before[31 - threadIdx.x] + behind[31 - threadIdx.x], read = 0;
#ifndef ASM
  // CHECK: ERROR: AddressSanitizer: shared-buffer-overflow
  // CHECK-NEXT: READ of size 4 {{.*}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
  // CHECK-NEXT: #0 reverse(int*, int) {{.*}}converted.cu:[[#@LINE+1]]:
  value += *(int *)__cvta_shared_to_generic(address + 4 * (last - threadIdx.x));
  // CHECK: is located 0 bytes after shared variable 'tile'
#endif
#if defined ASM || defined FIXED
  // ASM: ERROR: AddressSanitizer: shared-buffer-overflow
  // ASM-NEXT: READ of size 4 {{.*}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
  // ASM-NEXT: #0 reverse(int*, int) {{.*}}converted.cu:[[#@LINE+1]]:
  asm volatile("ld.shared.s32 %0, [%1];" : "=r"(read) : "r"(address + 4 * (last - threadIdx.x)));
  // ASM: is located 0 bytes after shared variable 'tile'
#endif
  out[threadIdx.x] = value + read;
}

int main() {
  int *out;
  cudaMalloc(&out, 32 * sizeof *out);
#ifdef FIXED
  reverse<<<1, 32>>>(out, 31);
#else
  reverse<<<1, 32>>>(out, 32);
#endif
  return cudaDeviceSynchronize();
}
