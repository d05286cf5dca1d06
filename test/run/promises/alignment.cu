// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t this 2>&1 | FileCheck %s --check-prefix=THIS
// RUN: not %run %t reference 2>&1 | FileCheck %s --check-prefix=REFERENCE
// RUN: %gasan -O1 -fsanitize-gpu-address-launch-proof=off %s -o %t.1
// RUN: not %run %t.1 this 2>&1 | FileCheck %s --check-prefix=THIS
// RUN: not %run %t.1 reference 2>&1 | FileCheck %s --check-prefix=REFERENCE
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed this reference 2>&1 >/dev/null | %silent
// The language promises that `this` and references have the alignment of their types. A misaligned one is reported.
#include <cstring>

struct alignas(16) Vector {
  int x, y, z, w;
  __device__ __noinline__ int sum() const {
    // THIS: ERROR: AddressSanitizer: misaligned-access
    // THIS-NEXT: READ of size 16
    // THIS-NEXT: #0 Vector::sum() const {{.*}}alignment.cu:[[#@LINE+1]]:
    return x + y + z + w;
  }
};

__device__ __noinline__ int sum(const Vector &v) {
  // REFERENCE: ERROR: AddressSanitizer: misaligned-access
  // REFERENCE-NEXT: READ of size 16
  // REFERENCE-NEXT: #0 sum(Vector const&) {{.*}}alignment.cu:[[#@LINE+1]]:
  return v.x + v.y + v.z + v.w;
}

__global__ void by_this(char *bytes, int *out, int by) {
  *out = reinterpret_cast<Vector *>(bytes + by)->sum();
}
__global__ void by_reference(char *bytes, int *out, int by) {
  *out = sum(*reinterpret_cast<Vector *>(bytes + by));
}

#ifdef FIXED
constexpr int kBy = 16;
#else
constexpr int kBy = 4;
#endif

int main(int, char **arguments) {
  char *bytes;
  int *out;
  // THIS: is not a multiple of 16
  // REFERENCE: is not a multiple of 16
  cudaMalloc(&bytes, 64);
  cudaMalloc(&out, sizeof(int));
  cudaMemset(bytes, 0, 64);
  while (const char *name = *++arguments) {
    if (strcmp(name, "this") == 0)
      by_this<<<1, 1>>>(bytes, out, kBy);
    else
      by_reference<<<1, 1>>>(bytes, out, kBy);
    cudaDeviceSynchronize();
  }
  cudaFree(bytes);
  cudaFree(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
