// Finite differences in time, in three dimensions, with a star of radius 4. Each block walks along z with a tile of x
// and y in shared memory and a queue of planes in registers; coefficients are in constant memory. A constant halo of
// the radius surrounds the volume. Tolerance: 1e-5 of the largest value against double precision, for sums of 25 terms
// over a few steps. With -DBUG the allocation lacks the halo of one side of z.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
// RUN: %run %t --size 21 --repeat 1 2>&1 | %same.1
// RUN: %gasan -O2 -DBUG %s -o %t.bug
// RUN: not %run %t.bug --size 24 2>&1 | FileCheck %s
#include "inputs/sample.h"

constexpr int kRadius = 4, kTileX = 32, kTileY = 8;
__constant__ float coefficients[kRadius + 1];

struct Volume {
  int x, y, z; // without halo
  __host__ __device__ int row() const { return x + 2 * kRadius; }
  __host__ __device__ int plane() const { return row() * (y + 2 * kRadius); }
  __host__ __device__ size_t elements() const { return size_t(plane()) * (z + 2 * kRadius); }
};

__global__ void step(float *out, const float *in, Volume volume) {
  __shared__ float tile[kTileY + 2 * kRadius][kTileX + 2 * kRadius];
  int x = blockIdx.x * kTileX + threadIdx.x, y = blockIdx.y * kTileY + threadIdx.y;
  bool inside = x < volume.x && y < volume.y;
  // Threads beyond the volume help to load the halo.
  int column = min(x, volume.x + kRadius - 1) + kRadius, line = min(y, volume.y + kRadius - 1) + kRadius;
  int plane = volume.plane(), index = line * volume.row() + column;
  float behind[kRadius], ahead[kRadius], current;
  for (int r = 0; r < kRadius; ++r)
    behind[kRadius - 1 - r] = in[index + r * plane]; // behind[0] is the nearest plane
  index += kRadius * plane;
  current = in[index];
  for (int r = 0; r < kRadius; ++r)
    ahead[r] = in[index + (r + 1) * plane];
  int tx = threadIdx.x + kRadius, ty = threadIdx.y + kRadius;
  for (int z = 0; z < volume.z; ++z) {
    __syncthreads();
    if (threadIdx.y < kRadius) {
      tile[threadIdx.y][tx] = in[index - kRadius * volume.row()];
      int below = min(y + kTileY, volume.y + kRadius - 1) - min(y, volume.y + kRadius - 1);
      tile[threadIdx.y + kTileY + kRadius][tx] = in[index + below * volume.row()];
    }
    if (threadIdx.x < kRadius) {
      tile[ty][threadIdx.x] = in[index - kRadius];
      int right = min(x + kTileX, volume.x + kRadius - 1) - min(x, volume.x + kRadius - 1);
      tile[ty][threadIdx.x + kTileX + kRadius] = in[index + right];
    }
    tile[ty][tx] = current;
    __syncthreads();
    float sum = coefficients[0] * current;
#pragma unroll
    for (int r = 1; r <= kRadius; ++r)
      sum += coefficients[r] *
             (behind[r - 1] + ahead[r - 1] + tile[ty - r][tx] + tile[ty + r][tx] + tile[ty][tx - r] + tile[ty][tx + r]);
    if (inside)
      out[index] = sum;
    for (int r = kRadius - 1; r > 0; --r)
      behind[r] = behind[r - 1];
    behind[0] = current;
    current = ahead[0];
    for (int r = 0; r + 1 < kRadius; ++r)
      ahead[r] = ahead[r + 1];
    index += plane;
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
    // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0
    // CHECK-NEXT: #0 step(float*, float const*, Volume) {{.*}}fdtd3d.cu:[[#@LINE+2]]:
    if (z + 1 < volume.z)
      ahead[kRadius - 1] = in[index + kRadius * plane];
  }
}

void stepOnHost(std::vector<double> &out, const std::vector<double> &in, Volume volume, const float *factors) {
  const long strides[] = {1, volume.row(), volume.plane()};
  for (int z = 0; z < volume.z; ++z)
    for (int y = 0; y < volume.y; ++y)
      for (int x = 0; x < volume.x; ++x) {
        long i = (z + kRadius) * strides[2] + (y + kRadius) * strides[1] + x + kRadius;
        double sum = factors[0] * in[i];
        for (int r = 1; r <= kRadius; ++r)
          for (long stride : strides)
            sum += double(factors[r]) * (in[i - r * stride] + in[i + r * stride]);
        out[i] = sum;
      }
}

int main(int count, char **texts) {
  Arguments arguments = parse(count, texts, 36, 2 * kRadius, 1 << 10);
  Volume volume = {arguments.size, arguments.size - 3, arguments.size / 2 + 1};
  int steps = 2 * arguments.repeat;
  size_t elements = volume.elements();
  const float factors[kRadius + 1] = {0.1f, 0.05f, 0.04f, 0.03f, 0.02f};
  CUDA(cudaMemcpyToSymbol(coefficients, factors, sizeof factors));
  Random random(4);
  std::vector<float> host(elements);
  for (float &value : host)
    value = random.unit();
  float *buffers[2];
#ifdef BUG
  size_t allocated = elements - kRadius * volume.plane();
  host.resize(allocated);
#else
  size_t allocated = elements;
#endif
  for (float *&buffer : buffers) {
    // CHECK: is located {{[0-9]+}} bytes after 63104-byte region
    // CHECK: in main {{.*}}fdtd3d.cu:[[#@LINE+1]]:
    CUDA(cudaMalloc(&buffer, allocated * sizeof(float)));
    upload(buffer, host);
  }
  dim3 block(kTileX, kTileY), grid(divide_up(volume.x, kTileX), divide_up(volume.y, kTileY));
  int from = 0;
  Stopwatch watch;
  for (int i = 0; i < steps; ++i, from ^= 1)
    step<<<grid, block>>>(buffers[from ^ 1], buffers[from], volume);
  CUDA(cudaGetLastError());
  watch.stop(arguments, "fdtd3d");

  std::vector<double> expected[2];
  for (std::vector<double> &values : expected)
    values.assign(host.begin(), host.end());
  for (int i = 0; i < steps; ++i)
    stepOnHost(expected[i & 1 ^ 1], expected[i & 1], volume, factors);
  download(host, buffers[from]);
  double largest = 0;
  for (double value : expected[from])
    largest = std::max(largest, std::fabs(value));
  for (size_t i = 0; i < elements; ++i)
    EXPECT(std::fabs(host[i] - expected[from][i]) <= 1e-5 * largest, "element %zu: %g, not %g", i, double(host[i]),
           expected[from][i]);
  printf("%d x %d x %d, %d steps\n", volume.x, volume.y, volume.z, steps);
  for (float *buffer : buffers)
    CUDA(cudaFree(buffer));
  return passed();
}
