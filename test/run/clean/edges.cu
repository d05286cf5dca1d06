// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// No errors: accesses of every width to the first and the last byte of buffers with odd sizes; size 0; a free of null;
// memory that is allocated again after a free; the error of an empty grid.
#include <cstdio>

template <typename T>
__global__ void ends(T *values, int count) {
  values[0] = T(1);
  values[count - 1] = T(2);
}

template <typename T>
bool run(int count) {
  T *values, host;
  if (cudaMalloc(&values, count * sizeof(T)) != cudaSuccess)
    return false;
  ends<<<1, 1>>>(values, count);
  bool good = cudaMemcpy(&host, values + count - 1, sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess && host == T(2);
  good = cudaFree(values) == cudaSuccess && good;
  if (!good)
    printf("%d values of %zu bytes: %s\n", count, sizeof(T), cudaGetErrorName(cudaGetLastError()));
  return good;
}

int main() {
  for (int count = 2; count < 300; count += 7)
    if (!run<char>(count) || !run<short>(count) || !run<int>(count) || !run<double>(count))
      return 1;
  void *nothing = nullptr;
  if (cudaMalloc(&nothing, 0) != cudaSuccess || cudaFree(nothing) != cudaSuccess || cudaFree(nullptr) != cudaSuccess)
    return 2;
  int *values;
  cudaMalloc(&values, 400);
  if (cudaMemcpy(values, nullptr, 0, cudaMemcpyHostToDevice) != cudaSuccess ||
      cudaMemset(values + 100, 0, 0) != cudaSuccess)
    return 3;
  cudaFree(values);
  ends<<<0, 1>>>(values, 1);
  cudaError_t error = cudaGetLastError();
  printf("an empty grid: %s\n", cudaGetErrorName(error));
  return error == cudaErrorInvalidValue ? 0 : 4;
}
