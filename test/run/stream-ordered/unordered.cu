// REQUIRES: cuda
// A stream frees memory while a kernel of another stream waits to begin, without an order between the two. The kernel
// reports a use after free, although the memory was alive at its launch. Fixed: an event orders the two.
// RUN: %gasan -O2 %s -o %t
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %options=launch_proof=0 not %run %t 2>&1 | FileCheck %s
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
__global__ void wait_for_host(volatile int *flag) {
  while (!*flag)
    continue;
}

__global__ void fill(int *values, int count) {
  if (threadIdx.x < count)
    // CHECK: ERROR: AddressSanitizer: heap-use-after-free on cuda device 0
    // CHECK-NEXT: WRITE of size 4 at 0x{{[0-9a-f]+}} by device thread (0,0,0)
    // CHECK-NEXT: #0 {{.*}}fill(int*, int) {{.*}}unordered.cu:[[#@LINE+1]]:
    values[threadIdx.x] = count;
}

int main() {
  // CHECK: freed by host thread T0 here:
  // CHECK-NEXT: in cudaFreeAsync
  cudaStream_t first, other;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  int *values, *more;
  volatile int *flag;
  cudaHostAlloc((void **)&flag, sizeof *flag, cudaHostAllocMapped);
  cudaMalloc((void **)&more, 100 * sizeof(int));
  *flag = 0;
  cudaMallocAsync((void **)&values, 100 * sizeof(int), first);
  fill<<<1, 128, 0, first>>>(more, 100); // loads the module before the other stream waits
  cudaStreamSynchronize(first);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, fill); // loads the kernel itself, not only its variant
  wait_for_host<<<1, 1, 0, other>>>(flag);
  fill<<<1, 128, 0, other>>>(values, 100);
#ifdef FIXED
  cudaEvent_t used;
  cudaEventCreateWithFlags(&used, cudaEventDisableTiming);
  cudaEventRecord(used, other);
  cudaStreamWaitEvent(first, used, 0);
  *flag = 1;
#endif
  cudaFreeAsync(values, first);
  cudaStreamSynchronize(first);
  fill<<<1, 128, 0, first>>>(more, 100);
  cudaStreamSynchronize(first);
  *flag = 1;
  return cudaDeviceSynchronize() != cudaSuccess;
}
