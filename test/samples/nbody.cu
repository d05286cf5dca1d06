// Gravitation between all pairs of bodies: positions go through shared memory in tiles, with leapfrog steps in float.
// The last tile is not full if the number of bodies is no multiple of the block. Tolerance: forces are compared with
// double precision, relative to the sum of the magnitudes; 1e-5 allows float sums of n terms in another order, and
// rsqrtf (2 ulp). The total momentum must stay near its start. With -DBUG the last tile is loaded without its guard.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
// RUN: %run %t --size 193 --repeat 2 2>&1 | %same.1
// RUN: %run %t --size 1 2>&1 | %same.2
// RUN: %gasan -O2 -DBUG %s -o %t.bug
// RUN: not %run %t.bug --size 300 2>&1 | FileCheck %s
#include "inputs/sample.h"

constexpr int kThreads = 128;
constexpr float kSoftening2 = 0.01f;

__device__ float3 pull(float3 sum, float4 on, float4 by) {
  float dx = by.x - on.x, dy = by.y - on.y, dz = by.z - on.z;
  float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + kSoftening2);
  float strength = by.w * inverse * inverse * inverse;
  return make_float3(sum.x + dx * strength, sum.y + dy * strength, sum.z + dz * strength);
}

__device__ float3 accelerationOf(float4 body, const float4 *bodies, int n) {
  __shared__ float4 tile[kThreads];
  float3 sum = make_float3(0, 0, 0);
  for (int first = 0; first < n; first += kThreads) {
    int i = first + threadIdx.x;
#ifdef BUG
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
    // CHECK-NEXT: READ of size 16 at {{0x[0-9a-f]+}} by device thread (44,0,0) block (0,0,0) lane 12
    // CHECK-NEXT: #0 accelerationOf(float4, float4 const*, int) {{.*}}nbody.cu:[[#@LINE+2]]:
    // CHECK-NEXT: #1 accelerate(float4 const*, float4*, int) {{.*}}nbody.cu:
    tile[threadIdx.x] = bodies[i];
#else
    tile[threadIdx.x] = i < n ? bodies[i] : make_float4(0, 0, 0, 0); // a body without mass has no effect
#endif
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < kThreads; ++k)
      sum = pull(sum, body, tile[k]);
    __syncthreads();
  }
  return sum;
}

__global__ void accelerate(const float4 *bodies, float4 *accelerations, int n) {
  int i = blockIdx.x * kThreads + threadIdx.x;
  // Every thread helps to load tiles.
  float3 sum = accelerationOf(bodies[min(i, n - 1)], bodies, n);
  if (i < n)
    accelerations[i] = make_float4(sum.x, sum.y, sum.z, 0);
}

__global__ void step(float4 *bodies, float4 *velocities, const float4 *accelerations, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 v = velocities[i], a = accelerations[i], p = bodies[i];
  v.x += a.x * dt, v.y += a.y * dt, v.z += a.z * dt;
  p.x += v.x * dt, p.y += v.y * dt, p.z += v.z * dt;
  velocities[i] = v;
  bodies[i] = p;
}

void checkForces(const std::vector<float4> &bodies, const std::vector<float4> &accelerations) {
  for (size_t i = 0; i < bodies.size(); ++i) {
    double x = 0, y = 0, z = 0, magnitude = 1e-6;
    for (const float4 &by : bodies) {
      double dx = double(by.x) - bodies[i].x, dy = double(by.y) - bodies[i].y, dz = double(by.z) - bodies[i].z;
      double r2 = dx * dx + dy * dy + dz * dz + kSoftening2, strength = by.w / (r2 * std::sqrt(r2));
      x += dx * strength, y += dy * strength, z += dz * strength;
      magnitude += std::sqrt(r2) * strength;
    }
    const float4 &a = accelerations[i];
    double error = std::fabs(a.x - x) + std::fabs(a.y - y) + std::fabs(a.z - z);
    EXPECT(error <= 1e-5 * magnitude, "body %zu: error %g of %g", i, error, magnitude);
  }
}

double momentum(const std::vector<float4> &bodies, const std::vector<float4> &velocities) {
  double x = 0, y = 0, z = 0;
  for (size_t i = 0; i < bodies.size(); ++i) {
    x += double(bodies[i].w) * velocities[i].x;
    y += double(bodies[i].w) * velocities[i].y;
    z += double(bodies[i].w) * velocities[i].z;
  }
  return std::fabs(x) + std::fabs(y) + std::fabs(z);
}

int main(int count, char **texts) {
  Arguments arguments = parse(count, texts, 500, 1, 1 << 20);
  int n = arguments.size, blocks = divide_up(n, kThreads), steps = 4 * arguments.repeat;
  const float dt = 0.001f;
  Random random(17);
  std::vector<float4> bodies(n), velocities(n, make_float4(0, 0, 0, 0)), accelerations(n), before;
  double mass = 0;
  for (float4 &body : bodies) {
    body = make_float4(random.unit() - 0.5f, random.unit() - 0.5f, random.unit() - 0.5f, 0.5f + random.unit());
    mass += body.w;
  }
  float4 *onDevice, *speed, *pulls;
  // CHECK: is located 0 bytes after 4800-byte region
  // CHECK: in main {{.*}}nbody.cu:[[#@LINE+1]]:
  CUDA(cudaMalloc(&onDevice, n * sizeof(float4)));
  CUDA(cudaMalloc(&speed, n * sizeof(float4)));
  CUDA(cudaMalloc(&pulls, n * sizeof(float4)));
  upload(onDevice, bodies);
  upload(speed, velocities);
  accelerate<<<blocks, kThreads>>>(onDevice, pulls, n);
  download(accelerations, pulls);
  checkForces(bodies, accelerations);
  Stopwatch watch;
  for (int i = 0; i < steps; ++i) {
    accelerate<<<blocks, kThreads>>>(onDevice, pulls, n);
    step<<<blocks, kThreads>>>(onDevice, speed, pulls, n, dt);
  }
  CUDA(cudaGetLastError());
  watch.stop(arguments, "nbody");
  before = bodies;
  download(bodies, onDevice);
  download(velocities, speed);
  // Each step changes the momentum by the forces' errors at most: 1e-5 of a force of at most mass / softening^2.
  EXPECT(momentum(bodies, velocities) <= steps * dt * 1e-5 * mass * mass / kSoftening2 + 1e-5, "momentum %g",
         momentum(bodies, velocities));
  int moved = 0;
  for (int i = 0; i < n; ++i)
    moved += bodies[i].x != before[i].x || bodies[i].y != before[i].y || bodies[i].z != before[i].z;
  EXPECT(moved == n || n == 1, "%d of %d bodies moved", moved, n);
  printf("%d bodies, %d steps, %d moved\n", n, steps, moved);
  CUDA(cudaFree(onDevice));
  CUDA(cudaFree(speed));
  CUDA(cudaFree(pulls));
  return passed();
}
