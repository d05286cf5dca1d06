// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 >/dev/null | %golden | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// The report shows the inlined functions, each with its own line.
struct Matrix {
  float *values;
  int width, height;
  __device__ float at(int x, int y) const {
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
    // CHECK-NEXT: READ of size 4
    // CHECK-NEXT: #0 Matrix::at(int, int) const {{.*}}inline-chain.cu:[[#@LINE+1]]:
    return values[y * width + x];
  }
};

__device__ inline float row_sum(const Matrix &matrix, int y) {
  float sum = 0;
#ifdef FIXED
  for (int x = 0; x < matrix.width; ++x)
#else
  for (int x = 0; x <= matrix.width; ++x)
#endif
    // CHECK-NEXT: #1 row_sum(Matrix const&, int) {{.*}}inline-chain.cu:[[#@LINE+1]]:
    sum += matrix.at(x, y);
  return sum;
}

__global__ void sums(Matrix matrix, float *result) {
  int y = threadIdx.x;
  // CHECK-NEXT: #2 sums(Matrix, float*) {{.*}}inline-chain.cu:[[#@LINE+1]]:
  result[y] = row_sum(matrix, y);
}

int main() {
  Matrix matrix = {nullptr, 8, 4};
  float *result;
  cudaMalloc(&matrix.values, 8 * 4 * sizeof(float));
  cudaMalloc(&result, 4 * sizeof(float));
  cudaMemset(matrix.values, 0, 8 * 4 * sizeof(float));
  sums<<<1, 4>>>(matrix, result);
  // CHECK-NEXT: #3 sums(Matrix, float*)<<<1, 4>>> launched here by host thread T0:
  // CHECK-NEXT: #4 {{.*}} in main {{.*}}inline-chain.cu:[[#@LINE-2]]:
  // CHECK: SUMMARY: AddressSanitizer: heap-buffer-overflow {{.*}} in Matrix::at(int, int) const
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(matrix.values);
  cudaFree(result);
  return error != cudaSuccess;
}
