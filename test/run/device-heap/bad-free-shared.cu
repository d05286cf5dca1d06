// A kernel frees a pointer to shared memory.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst -DFIXED %s -o %t.fixed
// RUN: %options=detect_leaks=1 %run %t.fixed 2>&1 >/dev/null | %silent
__global__ void clean(int large) {
  __shared__ int room[8];
  int *values = large ? static_cast<int *>(malloc(large * sizeof(int))) : room;
  values[threadIdx.x] = 1;
#ifdef FIXED
  if (large)
#endif
    free(values);
  // CHECK: ERROR: AddressSanitizer: attempting free on address which was not malloc()-ed:
  // CHECK-NEXT: FREE of {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0
  // CHECK-NEXT: #0 clean(int) {{.*}}bad-free-shared.cu:13:
  // CHECK: is in shared memory
  // CHECK: SUMMARY: AddressSanitizer: bad-free
}

int main() {
  clean<<<1, 1>>>(100);
  clean<<<1, 1>>>(0);
  cudaDeviceSynchronize();
}
