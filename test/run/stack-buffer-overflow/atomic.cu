// Atomic operations on a thread's own memory become loads and stores, but are reported as atomic operations.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: not %run %t parameter 2>&1 | FileCheck %s --check-prefix=PARAMETER
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed parameter 2>&1 >/dev/null | %silent
#ifdef FIXED
constexpr int kPast = 0;
#else
constexpr int kPast = 1;
#endif

struct Counts {
  int bins[6];
};

__global__ void array(const int *in, int *out) {
  int even[4] = {}, odd[4] = {};
  int *counts = in[0] & 1 ? odd : even;
  for (int i = 0; i < 8; ++i)
    // CHECK: ERROR: AddressSanitizer: stack-buffer-overflow
    // CHECK-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
    // CHECK-NEXT: #0 array(int const*, int*) {{.*}}atomic.cu:[[#@LINE+2]]:
    // CHECK: is located 0 bytes after {{.*}}'odd' {{.*}}of size 16
    out[i] = __atomic_fetch_add(&counts[in[i]], i, __ATOMIC_RELAXED);
  for (int i = 0; i < 4; ++i)
    out[8 + i] = even[i] + odd[i];
}

__global__ void parameter(Counts counts, const int *in, int *out) {
  int wanted = 0;
  // PARAMETER: ERROR: AddressSanitizer: intra-object-overflow
  // PARAMETER-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // PARAMETER-NEXT: #0 parameter(Counts, int const*, int*) {{.*}}atomic.cu:[[#@LINE+2]]:
  // PARAMETER: is located 0 bytes after field 'Counts::bins' defined in {{.*}} of size 24
  __atomic_compare_exchange_n(&counts.bins[in[3] + 2], &wanted, 9, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  out[0] = counts.bins[in[0]] + wanted;
}

int main(int count, char **) {
  const int indices[8] = {1, 2, 0, 3 + kPast, 3, 2, 1, 0};
  int *in, *out;
  cudaMalloc(&in, sizeof indices);
  cudaMalloc(&out, 12 * sizeof *out);
  cudaMemcpy(in, indices, sizeof indices, cudaMemcpyHostToDevice);
  if (count > 1)
    parameter<<<1, 1>>>(Counts(), in, out);
  else
    array<<<1, 1>>>(in, out);
  const bool failed = cudaDeviceSynchronize() != cudaSuccess;
  cudaFree(in);
  cudaFree(out);
  return failed;
}
