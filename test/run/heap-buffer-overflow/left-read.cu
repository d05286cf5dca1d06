// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 >/dev/null | %golden | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A common mistake in stencils: the first element has no left neighbour.
__global__ void difference(const float *in, float *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
  if (i == 0)
    out[i] = 0;
  else
#endif
      if (i < count)
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
    // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
    // CHECK-NEXT: #0 difference(float const*, float*, int) {{.*}}left-read.cu:[[#@LINE+1]]:
    out[i] = in[i] - in[i - 1];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(in, 0, 64 * sizeof(float));
  difference<<<1, 64>>>(in, out, 64);
  // CHECK: is located 4 bytes before 256-byte region
  // CHECK: in main {{.*}}left-read.cu:[[#@LINE-5]]:
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return error != cudaSuccess;
}
