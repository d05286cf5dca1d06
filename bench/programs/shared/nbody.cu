/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Gravity between all bodies, by tiles of bodies in shared memory.
#include "../program.h"

constexpr int kThreads = 256;
constexpr float kSoftening = 1e-2f;

__global__ void accelerate(const float4 *bodies, float4 *accelerations, int count) {
  __shared__ float4 tile[kThreads];
  int i = blockIdx.x * kThreads + threadIdx.x;
  float4 own = i < count ? bodies[i] : make_float4(0, 0, 0, 0);
  float x = 0, y = 0, z = 0;
  for (int start = 0; start < count; start += kThreads) {
    int other = start + threadIdx.x;
    tile[threadIdx.x] = other < count ? bodies[other] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int j = 0; j < kThreads; j++) {
      float dx = tile[j].x - own.x, dy = tile[j].y - own.y, dz = tile[j].z - own.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + kSoftening), pull = tile[j].w * inverse * inverse * inverse;
      x += dx * pull;
      y += dy * pull;
      z += dz * pull;
    }
    __syncthreads();
  }
  if (i < count)
    accelerations[i] = make_float4(x, y, z, 0);
}

struct MakeBody {
  __host__ __device__ float4 operator()(size_t i) const {
    return make_float4(unit(0, i), unit(1, i), unit(2, i), unit(3, i));
  }
};

int main(int argc, char **argv) {
  Program program(argc, argv);
  int count = program.size(700, 1 << 17);
  float4 *bodies = program.allocate_made<float4>(count, MakeBody()), *accelerations = program.allocate<float4>(count);
  program.time([&] { accelerate<<<divide_up(count, kThreads), kThreads>>>(bodies, accelerations, count); });
  auto check = [&](size_t i) {
    float4 own = MakeBody()(i);
    double x = 0, pulled = 0;
    for (int j = 0; j < count; j++) {
      float4 other = MakeBody()(j);
      double dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
      double inverse = 1 / sqrt(dx * dx + dy * dy + dz * dz + kSoftening), pull = other.w * inverse * inverse * inverse;
      x += dx * pull;
      pulled += fabs(dx * pull);
    }
    return fabs(fetch(accelerations + i).x - x) <= 1e-4 * pulled;
  };
  return program.finish(program.verify(count, check, count));
}
