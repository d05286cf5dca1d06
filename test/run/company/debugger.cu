// gdb stops in the kernel's line at a bad access, with the device thread; a program waits for gdb at its report.
// REQUIRES: cpu, gdb
// RUN: %gasan -O1 %s -o %t
// RUN: %exit=0 gdb -nx -q -batch -x %packaging/gdb/gasan.py -ex gasan-stop -ex run -ex gasan-thread -ex continue \
// RUN:   --args %t 2>&1 | FileCheck %s
// RUN: %exit=0 gdb -nx -q -batch -x %packaging/gdb/gasan.py -ex gasan-stop -ex run --args %t fine 2>&1 | \
// RUN:   FileCheck %s --check-prefix=FINE
// RUN: %options=wait_for_debugger=1 %exit=0 python3 %S/inputs/attach.py %t 2>&1 | \
// RUN:   FileCheck %s --check-prefix=ATTACHED
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK: #0 put(int*, int) {{.*}}debugger.cu:[[#@LINE+14]]:
// CHECK: gasan: stops at bad accesses on the CPU device (
// CHECK: gasan: bad access by device thread (36,0,0) block (1,0,0) lane 4 of <<<(2,1,1), (64,1,1)>>>
// CHECK: debugger.cu:[[#@LINE+11]]
// CHECK: values[i] = 1;
// CHECK: device thread (36,0,0) block (1,0,0) lane 4 of <<<(2,1,1), (64,1,1)>>>
// FINE-NOT: bad access by
// FINE: exited normally
// ATTACHED: gasan: the process waits for a debugger: gdb -p
// ATTACHED: debugger.cu:
// ATTACHED: ended with 1
__global__ void put(int *values, int last) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= last)
    values[i] = 1;
}

int main(int count, char **) {
  int *values;
  cudaMalloc(&values, 400);
  put<<<2, 64>>>(values, count > 1 ? 99 : 100);
  return cudaDeviceSynchronize() != cudaSuccess;
}
