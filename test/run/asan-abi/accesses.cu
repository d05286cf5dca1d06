// LLVM's AddressSanitizer pass puts outlined calls into device code, which gasan's device runtime implements. Each
// entry point, of one size or with a size argument, must report the kind, size and line of its access.
// RUN: %gasan -O2 -fsanitize-gpu-address-checks=asan %s -o %t
// RUN: %options=halt_on_error=0 not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O0 -fsanitize-gpu-address-checks=asan %s -o %t.O0
// RUN: %options=halt_on_error=0 not %run %t.O0 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-checks=asan -fsanitize-gpu-address-granule=8 %s -o %t.8
// RUN: %options=halt_on_error=0 not %run %t.8 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-checks=asan -fsanitize-gpu-address-granule=256 %s -o %t.256
// RUN: %options=halt_on_error=0 not %run %t.256 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED -fsanitize-gpu-address-checks=asan %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
#include <cstdio>

#ifdef FIXED
constexpr long kShift = -64;
#else
constexpr long kShift = 0;
#endif

struct __attribute__((packed)) Unaligned {
  unsigned value;
};

// All threads but one access the buffer only.
#define KERNEL(name, type) __global__ void name(char *memory, long end, type *result)
#define HERE(type) reinterpret_cast<volatile type *>(memory + (threadIdx.x == 3 ? end : 0))

// CHECK: heap-buffer-overflow on {{cpu|cuda}} device 0
// CHECK-NEXT: READ of size 1 at {{.*}} by device thread (3,0,0) block (0,0,0) lane 3{{$}}
// CHECK-NEXT: #0 load1({{.*}}) {{.*}}accesses.cu:[[#@LINE+3]]:
// CHECK: 100-byte region
KERNEL(load1, char) {
  result[threadIdx.x] = *HERE(char);
}
// CHECK: READ of size 2 at
// CHECK-NEXT: #0 load2({{.*}}) {{.*}}accesses.cu:[[#@LINE+2]]:
KERNEL(load2, short) {
  result[threadIdx.x] = *HERE(short);
}
// CHECK: READ of size 4 at
// CHECK-NEXT: #0 load4({{.*}}) {{.*}}accesses.cu:[[#@LINE+2]]:
KERNEL(load4, int) {
  result[threadIdx.x] = *HERE(int);
}
// CHECK: READ of size 8 at
// CHECK-NEXT: #0 load8({{.*}}) {{.*}}accesses.cu:[[#@LINE+2]]:
KERNEL(load8, long) {
  result[threadIdx.x] = *HERE(long);
}
// CHECK: READ of size 16 at
// CHECK-NEXT: #0 load16({{.*}}) {{.*}}accesses.cu:[[#@LINE+2]]:
KERNEL(load16, __int128) {
  result[threadIdx.x] = *HERE(__int128);
}
// CHECK: READ of size 4 at
// CHECK-NEXT: #0 loadN({{.*}}) {{.*}}accesses.cu:[[#@LINE+2]]:
KERNEL(loadN, unsigned) {
  result[threadIdx.x] = HERE(Unaligned)->value;
}
// CHECK: WRITE of size 1 at
// CHECK-NEXT: #0 store1({{.*}}) {{.*}}accesses.cu:[[#@LINE+2]]:
KERNEL(store1, char) {
  *HERE(char) = 1;
}
// CHECK: WRITE of size 2 at
// CHECK-NEXT: #0 store2({{.*}}) {{.*}}accesses.cu:[[#@LINE+2]]:
KERNEL(store2, short) {
  *HERE(short) = 1;
}
// CHECK: WRITE of size 4 at
// CHECK-NEXT: #0 store4({{.*}}) {{.*}}accesses.cu:[[#@LINE+2]]:
KERNEL(store4, int) {
  *HERE(int) = 1;
}
// CHECK: WRITE of size 8 at
// CHECK-NEXT: #0 store8({{.*}}) {{.*}}accesses.cu:[[#@LINE+2]]:
KERNEL(store8, long) {
  *HERE(long) = 1;
}
// CHECK: WRITE of size 16 at
// CHECK-NEXT: #0 store16({{.*}}) {{.*}}accesses.cu:[[#@LINE+2]]:
KERNEL(store16, __int128) {
  *HERE(__int128) = 1;
}
// CHECK: WRITE of size 4 at
// CHECK-NEXT: #0 storeN({{.*}}) {{.*}}accesses.cu:[[#@LINE+2]]:
KERNEL(storeN, unsigned) {
  HERE(Unaligned)->value = 1;
}
// CHECK: WRITE of size 8 at
// CHECK-NEXT: #0 atomic({{.*}}) {{.*}}accesses.cu:[[#@LINE+2]]:
KERNEL(atomic, unsigned long long) {
  __atomic_fetch_add(HERE(unsigned long long), 1, __ATOMIC_RELAXED);
}
// The report shows the inline chain.
// CHECK: WRITE of size 4 at
// CHECK-NEXT: #0 put(int*, int) {{.*}}accesses.cu:[[#@LINE+3]]:
// CHECK-NEXT: #1 chain({{.*}}) {{.*}}accesses.cu:[[#@LINE+5]]:
__device__ __forceinline__ void put(int *where, int value) {
  *where = value;
}
KERNEL(chain, int) {
  put(const_cast<int *>(HERE(int)), 1);
}
// CHECK-NOT: ERROR: AddressSanitizer

template <typename T>
static int run(void (*kernel)(char *, long, T *), char *memory, long end) {
  T *result;
  cudaMalloc(&result, 4 * sizeof(T));
  kernel<<<1, 4>>>(memory, end + kShift, result);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(result);
  if (error != cudaSuccess)
    printf("%s\n", cudaGetErrorName(error));
  return error != cudaSuccess;
}

int main() {
  char *memory;
  cudaMalloc(&memory, 100);
  cudaMemset(memory, 0, 100);
  int bad = run(load1, memory, 100) + run(load2, memory, 100) + run(load4, memory, 100) + run(load8, memory, 96) +
            run(load16, memory, 96) + run(loadN, memory, 97) + run(store1, memory, 100) + run(store2, memory, 100) +
            run(store4, memory, 100) + run(store8, memory, 96) + run(store16, memory, 96) + run(storeN, memory, 97) +
            run(atomic, memory, 96) + run(chain, memory, 100);
  cudaFree(memory);
  return bad;
}
