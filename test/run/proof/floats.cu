// Indices that are made of numbers in floating point, as those of a scaled image: bounded by what the launch knows, by
// tests, or by minima and maxima of a number that only data decides. All launches are proven, and wrong sizes are
// found.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t fine 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: not %run %t scale 2>&1 | FileCheck %s --check-prefix=SCALE
// RUN: not %run %t levels 2>&1 | FileCheck %s --check-prefix=LEVELS
// RUN: %gasan -O0 %s -o %t.0
// RUN: %run %t.0 fine 2>&1 >/dev/null | %silent
// RUN: not %run %t.0 scale 2>&1 | FileCheck %s --check-prefix=SCALE
// FINE: launch proof: 3 of 3 launches proven, by 3 evaluations; 3 of 3 kernels in every launch
// FINE: Stats: 0 reports
// FINE: sum 900 900
#include <cmath>
#include <cstdio>
#include <cstring>

__global__ void enlarge(float *to, const float *from, int to_width, int from_width, float scale) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= to_width)
    return;
  float at = fmaxf((x + 0.5f) * scale - 0.5f, 0.0f);
  int left = (int)at, right = min(left + 1, from_width - 1);
  // SCALE: ERROR: AddressSanitizer: heap-buffer-overflow
  // SCALE: READ of size 4
  // SCALE-NEXT: #0 enlarge(float*, float const*, int, int, float) {{.*}}floats.cu:[[#@LINE+3]]:
  // SCALE: located {{[0-9]+}} bytes after 1200-byte region
  // SCALE: allocated by host thread T0 here:
  to[x] = from[left] + (at - left) * (from[right] - from[left]);
}

__global__ void count(int *levels, const float *values, int n, float most) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    // LEVELS: ERROR: AddressSanitizer: heap-buffer-overflow
    // LEVELS: WRITE of size 4
    // LEVELS: #2 count(int*, float const*, int, float) {{.*}}floats.cu:[[#@LINE+3]]:
    // LEVELS: located 0 bytes after 1020-byte region
    // LEVELS: allocated by host thread T0 here:
    atomicAdd(&levels[__float2int_rn(fminf(fmaxf(values[i] * most, 0.0f), most))], 1);
}

__global__ void reduce(float *to, const float *from, int to_width, int from_width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  const float ratio = (float)from_width / to_width;
  if (x >= to_width)
    return;
  double sum = 0;
  for (int i = floorf(x * ratio), end = ceilf((x + 1) * ratio); i < end; i++)
    sum += from[i];
  to[x] = sum;
}

int main(int, char **argv) {
  const int to_width = 900, from_width = 300, level_count = 256;
  const bool scale = !strcmp(argv[1], "scale"), small = !strcmp(argv[1], "levels");
  float *to, *from, numbers[from_width];
  int *levels, last_level;
  for (float &number : numbers)
    number = 1.0f;
  cudaMalloc(&to, to_width * sizeof *to);
  cudaMalloc(&from, sizeof numbers);
  cudaMalloc(&levels, (small ? level_count - 1 : level_count) * sizeof *levels);
  cudaMemcpy(from, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  cudaMemset(levels, 0, (small ? level_count - 1 : level_count) * sizeof *levels);
  enlarge<<<8, 128>>>(to, from, to_width, from_width, scale ? 0.4f : (float)from_width / to_width);
  count<<<2, 128>>>(levels, to, to_width, level_count - 1.0f);
  reduce<<<8, 128>>>(from, to, from_width, to_width);
  cudaError_t error = cudaDeviceSynchronize();
  float sum = 0, total[from_width];
  cudaMemcpy(&last_level, levels + level_count - 1, sizeof last_level, cudaMemcpyDeviceToHost);
  cudaMemcpy(total, from, sizeof total, cudaMemcpyDeviceToHost);
  for (float number : total)
    sum += number;
  printf("sum %.0f %d\n", sum, last_level);
  cudaFree(to);
  cudaFree(from);
  cudaFree(levels);
  return error != cudaSuccess;
}
