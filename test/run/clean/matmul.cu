// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// A tiled matrix product, whose sizes are not multiples of the tile.
#include <vector>

const int tile = 16;

__global__ void multiply(const float *a, const float *b, float *c, int n) {
  __shared__ float tile_a[tile][tile], tile_b[tile][tile];
  int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int start = 0; start < n; start += tile) {
    int x = start + threadIdx.x, y = start + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < n && x < n ? a[row * n + x] : 0;
    tile_b[threadIdx.y][threadIdx.x] = y < n && column < n ? b[y * n + column] : 0;
    __syncthreads();
    for (int k = 0; k < tile; ++k)
      sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n)
    c[row * n + column] = sum;
}

int main() {
  const int n = 75;
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) {
    a[i] = i % 11 - 5;
    b[i] = i % 7 - 3;
  }
  const size_t size = n * n * sizeof(float);
  float *device_a, *device_b, *device_c;
  cudaMalloc(&device_a, size);
  cudaMalloc(&device_b, size);
  cudaMalloc(&device_c, size);
  cudaMemcpy(device_a, a.data(), size, cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b.data(), size, cudaMemcpyHostToDevice);
  const int blocks = (n + tile - 1) / tile;
  multiply<<<dim3(blocks, blocks), dim3(tile, tile)>>>(device_a, device_b, device_c, n);
  cudaMemcpy(c.data(), device_c, size, cudaMemcpyDeviceToHost);
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column) {
      float expected = 0;
      for (int k = 0; k < n; ++k)
        expected += a[row * n + k] * b[k * n + column];
      if (c[row * n + column] != expected) // small integers: exact
        return 1;
    }
  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_c);
}
