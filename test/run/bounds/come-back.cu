// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %options=lookup=tree %run %t 2>&1 >/dev/null | %silent
// RUN: %options=lookup=list:redzone_percent=0 %run %t 2>&1 >/dev/null | %silent
// RUN: %options=redzone_percent=0 %run %t 2>&1 >/dev/null | %silent
// A pointer that is outside of its allocation only between accesses is no error.
#include <cstdint>
#include <cstdio>

struct View {
  int *begin, *end, *before;
};

__global__ void backwards(View view, int *sum) {
  for (int *value = view.end; value != view.begin;)
    *sum += *--value;
}

__global__ void from_memory(View *views, int count, int *sum) {
  int i = threadIdx.x;
  if (i < count)
    atomicAdd(sum, views[i].before[1] + views[i].end[-1]);
}

__global__ void fill(int *values, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    values[i] = 1;
}

int main() {
  const int sizes[] = {1, 3, 64, 128, 129, 1000, 1024, 4096, 70000, 524288, 600000, 1048576, 3000000};
  const int count = sizeof sizes / sizeof *sizes;
  View views[count], *device_views;
  int *sum, expected = 0, result = 0;
  cudaMalloc(&sum, sizeof *sum);
  cudaMemset(sum, 0, sizeof *sum);
  for (int i = 0; i < count; i++) {
    cudaMalloc(&views[i].begin, sizes[i] * sizeof(int));
    views[i].end = views[i].begin + sizes[i];
    views[i].before = views[i].begin - 1;
    fill<<<1, 256>>>(views[i].begin, sizes[i]);
    if (sizes[i] <= 4096) {
      backwards<<<1, 1>>>(views[i], sum);
      expected += sizes[i];
    }
  }
  cudaMalloc(&device_views, sizeof views);
  cudaMemcpy(device_views, views, sizeof views, cudaMemcpyHostToDevice);
  from_memory<<<1, 32>>>(device_views, count, sum);
  expected += 2 * count;
  cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
  printf("%s\n", result == expected ? "right" : "wrong");
  return result != expected;
}
