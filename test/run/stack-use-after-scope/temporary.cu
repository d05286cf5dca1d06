// A reference to a temporary that a function has given back, as std::max does.
// RUN: %gasan -O0 %s -o %t.O0
// RUN: not %run %t.O0 | %check
// RUN: %gasan -O1 %s -o %t.O1
// RUN: not %run %t.O1 | %check
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t | %check
// RUN: %gasan -O3 %s -o %t.O3
// RUN: not %run %t.O3 | %check
// RUN: %gasan -O0 -DFIXED %s -o %t.O0.fixed
// RUN: %run %t.O0.fixed | %silent
// RUN: %gasan -O1 -DFIXED %s -o %t.O1.fixed
// RUN: %run %t.O1.fixed | %silent
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed | %silent
// RUN: %gasan -O3 -DFIXED %s -o %t.O3.fixed
// RUN: %run %t.O3.fixed | %silent
template <typename T, typename Less> __device__ constexpr const T &greater_of(const T &a, const T &b, Less less) {
  return less(a, b) ? b : a;
}

template <typename T> __device__ constexpr const T &greater_of(const T &a, const T &b) {
  return greater_of(a, b, [](const T &a, const T &b) { return a < b; });
}

// Fixed: it is the other one's, which is still there, and the second comparison ends before its temporaries do.
__global__ void limit(int *out, int n) {
#ifdef FIXED
  const int &most = greater_of(n, n - 1);
#else
  const int &most = greater_of(n, n + 1);
#endif
  // CHECK: ERROR: AddressSanitizer: stack-use-after-scope
  // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // CHECK-NEXT: #0 limit(int*, int) {{.*}}temporary.cu:[[#@LINE+2]]:
  // CHECK: is located 0 bytes inside of stack variable '<temporary>' of 'limit(int*, int)' defined in '{{.*}}temporary.cu:[[#@LINE-5]]' of size 4
  *out = most;
  out[1] = greater_of(n + 1, n + 2);
}

int main() {
  int *out;
  cudaMalloc(&out, 2 * sizeof *out);
  limit<<<1, 1>>>(out, 5);
  const bool failed = cudaDeviceSynchronize() != cudaSuccess;
  cudaFree(out);
  return failed;
}
