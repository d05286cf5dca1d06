// REQUIRES: cpu
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A named barrier that waits for more threads than ever arrive. The report gives the number of threads that have
// arrived, and the places of the other threads.
#ifdef FIXED
constexpr unsigned Consumers = 64;
#else
constexpr unsigned Consumers = 96;
#endif

__device__ int total;

__global__ void produce() {
  if (threadIdx.x < 32)
    asm volatile("barrier.sync 1, 64;" ::: "memory");
  else if (threadIdx.x < 64)
    asm volatile("barrier.sync 1, 64;" ::: "memory");
  else if (threadIdx.x < 128)
    // CHECK: ERROR: AddressSanitizer: barrier-deadlock on cpu device 0: 256 threads of block (0,0,0) wait,
    // CHECK-SAME: {{^}} and none can go on
    // CHECK: device thread (0,0,0) and 191 more wait at barrier 0 for all threads of the block:
    // CHECK: device thread (64,0,0) and 63 more wait at barrier 2 for 96 threads, 64 of which have come:
    // CHECK-NEXT: #0 produce{{.*}}wrong-count.cu:[[#@LINE+1]]:
    asm volatile("barrier.sync 2, %0;" ::"n"(Consumers) : "memory");
  atomicAdd(&total, 1);
  __syncthreads();
}

int main() {
  produce<<<1, 256>>>();
  // CHECK: SUMMARY: AddressSanitizer: barrier-deadlock
  return cudaDeviceSynchronize() != cudaSuccess;
}
