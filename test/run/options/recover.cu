// With on_error=continue a thread goes on after a bad access: a bad load gives 0, a bad store and a bad atomic are
// dropped, and a bad copy does nothing. Its good accesses are made. Without it the thread ends.
// RUN: %gasan -O2 -fsanitize-gpu-address-recover %s -o %t
// RUN: %options=halt_on_error=0:on_error=continue %exit=1 %t continue 2>&1 | FileCheck %s
// RUN: %options=halt_on_error=0 %exit=1 %t end 2>&1 | FileCheck %s --check-prefix=ENDS
// RUN: not %run %t 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: %gasan -O0 -fsanitize-gpu-address-recover %s -o %t.O0
// RUN: %options=halt_on_error=0:on_error=continue %exit=1 %t.O0 continue 2>&1 | \
// RUN:   FileCheck %s --check-prefix=PLAIN0 --implicit-check-not=wrong
// RUN: %gasan -O2 -DFIXED -fsanitize-gpu-address-recover %s -o %t.fixed
// RUN: %options=halt_on_error=0:on_error=continue %run %t.fixed continue 2>&1 | %silent
//
// Code that was compiled without the option says so, and its threads end.
// RUN: %gasan -O2 %s -o %t.plain
// RUN: %options=halt_on_error=0:on_error=continue %exit=1 %t.plain end 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: %options=on_error=never %exit=1 %t 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: GASAN_OPTIONS=on_error=never is not one of end-thread or continue
// CHECK-NOT: wrong
// CHECK: WRITE of size 4 {{.*}} (and 31 more threads of this kernel)
// CHECK: recover.cu:[[#@LINE+36]]:
// CHECK: WRITE of size 8 {{.*}} (and 28 more threads of this kernel)
// CHECK: recover.cu:[[#@LINE+35]]:
// CHECK: READ of size 4 {{.*}} (and 27 more threads of this kernel)
// CHECK: #0 work(int*, int*, int*) {{.*}}recover.cu:[[#@LINE+30]]:
// CHECK: WRITE of size 4 {{.*}} (and 27 more threads of this kernel)
// CHECK: #0 work(int*, int*, int*) {{.*}}recover.cu:[[#@LINE+29]]:
// CHECK: ERROR: AddressSanitizer: shared-buffer-overflow
// CHECK-NEXT: WRITE of size 4 {{.*}} (and 15 more threads of this kernel)
// CHECK-NEXT: #0 work(int*, int*, int*) {{.*}}recover.cu:[[#@LINE+31]]:
// CHECK-NOT: wrong
// ENDS: READ of size 4
// ENDS: #0 work(int*, int*, int*) {{.*}}recover.cu:[[#@LINE+22]]:
// ENDS-NOT: wrong
// PLAIN0: READ of size 4
// PLAIN0: #0 work(int*, int*, int*) {{.*}}recover.cu:[[#@LINE+19]]:
// ONE: recover.cu:[[#@LINE+20]]:
// ONE: ABORTING
// PLAIN: gasan: GASAN_OPTIONS=on_error=continue has no effect on kernel work(int*, int*, int*), whose threads end at
// PLAIN-SAME: their first error; compile it with -fsanitize-gpu-address-recover
// PLAIN: recover.cu:[[#@LINE+14]]:
// PLAIN-NOT: wrong
#include <cstdio>
#include <cstring>

#ifdef FIXED
#define SHIFT 0
#else
#define SHIFT 4
#endif

__global__ void work(int *in, int *out, int *counter) {
  __shared__ int tile[32];
  const int i = threadIdx.x;
  int value = in[i + SHIFT * 7];
  in[i + SHIFT * 7] = 5;
  atomicAdd(&counter[SHIFT], 1);
  memcpy((char *)in + 4 * i + SHIFT * 28, out, SHIFT ? 8 : 4);
  tile[i] = i;
  __syncthreads();
  tile[i + SHIFT * 4] = -1;
  __syncthreads();
  out[i] = value + tile[i];
}

int main(int count, char **arguments) {
  const bool goes_on = count > 1 && !strcmp(arguments[1], "continue");
  int *in, *out, *counter, host[32], last = 0;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMalloc(&counter, sizeof *counter);
  cudaMemset(in, 0, sizeof host);
  cudaMemset(out, 0, sizeof host);
  cudaMemset(counter, 0, sizeof *counter);
  work<<<1, 32>>>(in, out, counter);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 2;
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpy(&last, counter, sizeof last, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32 && SHIFT; i++) {
    const int whole = i >= 16 ? -1 : i;
    if (host[i] != (goes_on ? whole : 0))
      fprintf(stderr, "wrong: out[%d] is %d\n", i, host[i]);
  }
  if (SHIFT && last)
    fprintf(stderr, "wrong: the counter is %d\n", last);
  return 0;
}
