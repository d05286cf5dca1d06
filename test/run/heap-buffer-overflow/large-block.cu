// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -DFIXED -fsanitize-gpu-address-launch-proof=off %s -o %t.all
// RUN: %run %t.all 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -DFIXED -fsanitize-gpu-address-mode=shadow %s -o %t.shadow
// RUN: %run %t.shadow 2>&1 >/dev/null | %silent
// A kernel without launch bounds takes 56 registers on an H200, and 140 with checks. A multiprocessor has 64 registers
// for each thread of a block of 1,024 threads.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

static const int Threads = 1024, Values = 40, Rounds = 16;

__host__ __device__ static inline int next(int i) {
  return (i + 7) % Values;
}

__global__ void mix(const float *from, const int *where, float *to, int rounds) {
  float values[Values];
#pragma unroll
  for (int i = 0; i < Values; i++)
    values[i] = from[where[threadIdx.x + i]];
#pragma unroll 1
  for (int round = 0; round < rounds; round++)
#pragma unroll
    for (int i = 0; i < Values; i++)
      values[i] = values[i] * from[where[round + i]] + values[next(i)];
#pragma unroll
  for (int i = 0; i < Values; i++)
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
    // CHECK: WRITE of size 4
    // CHECK-SAME: thread (1023,0,0)
    // CHECK: #0 mix(float const*, int const*, float*, int) {{.*}}large-block.cu:[[#@LINE+1]]:
    to[threadIdx.x + i * Threads] = values[i];
  // CHECK: 0 bytes after 163836-byte region
}

static std::vector<float> from(Threads + Values);
static std::vector<int> where(Threads + Values);
static std::vector<float> expected(Threads *Values);

static void compute() {
  for (int i = 0; i < Threads + Values; i++) {
    from[i] = 0.25f * (i % 4);
    where[i] = i * 37 % (Threads + Values);
  }
  for (int thread = 0; thread < Threads; thread++) {
    float values[Values];
    for (int i = 0; i < Values; i++)
      values[i] = from[where[thread + i]];
    for (int round = 0; round < Rounds; round++)
      for (int i = 0; i < Values; i++)
        values[i] = values[i] * from[where[round + i]] + values[next(i)];
    for (int i = 0; i < Values; i++)
      expected[thread + i * Threads] = values[i];
  }
}

static int failures;
static float *to;

static void expect(const char *form, cudaError_t error) {
  std::vector<float> got(expected.size());
  if (error == cudaSuccess)
    error = cudaMemcpy(got.data(), to, got.size() * sizeof(float), cudaMemcpyDeviceToHost);
  for (size_t i = 0; i < got.size() && error == cudaSuccess; i++) {
    float difference = got[i] - expected[i], bound = 1e-4f * (expected[i] > 1 ? expected[i] : 1);
    if (!(difference <= bound && -difference <= bound)) {
      printf("%s: value %zu is %g instead of %g\n", form, i, got[i], expected[i]);
      error = cudaErrorUnknown;
    }
  }
  if (error != cudaSuccess) {
    printf("%s: %s\n", form, cudaGetErrorString(error));
    failures++;
  }
  cudaMemset(to, 0, got.size() * sizeof(float));
}

int main() {
  float *numbers;
  int *places, rounds = Rounds, shared = 0;
  compute();
  cudaMalloc(&numbers, from.size() * sizeof(float));
  cudaMalloc(&places, where.size() * sizeof(int));
  cudaMemcpy(numbers, from.data(), from.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(places, where.data(), where.size() * sizeof(int), cudaMemcpyHostToDevice);
#ifndef FIXED
  cudaMalloc(&to, (expected.size() - 1) * sizeof(float));
  mix<<<1, Threads>>>(numbers, places, to, rounds);
  cudaDeviceSynchronize();
#else
  cudaMalloc(&to, expected.size() * sizeof(float));
  mix<<<1, Threads>>>(numbers, places, to, rounds);
  expect("<<<>>>", cudaGetLastError());
  mix<<<1, dim3(32, 4, 8)>>>(numbers, places, to, 0); // threadIdx.x is below 32: tests the launch only
  if (cudaGetLastError() != cudaSuccess)
    printf("three dimensions: no launch\n"), failures++;
  cudaMemset(to, 0, expected.size() * sizeof(float));

  void *arguments[] = {&numbers, &places, &to, &rounds};
  void *function = reinterpret_cast<void *>(mix);
  expect("cooperative", cudaLaunchCooperativeKernel(function, 1, Threads, arguments, shared, nullptr));
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = Threads;
  expect("cudaLaunchKernelExC", cudaLaunchKernelExC(&config, function, arguments));

  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  mix<<<1, Threads, 0, stream>>>(numbers, places, to, rounds);
  cudaStreamEndCapture(stream, &graph);
  expect("capture", cudaGraphInstantiate(&exec, graph, 0) ? cudaErrorUnknown : cudaGraphLaunch(exec, nullptr));
  expect("captured graph, again", cudaGraphLaunch(exec, nullptr));
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);

  cudaGraphNode_t node;
  cudaKernelNodeParams params{};
  params.func = function;
  params.gridDim = 1;
  params.blockDim = Threads;
  params.kernelParams = arguments;
  cudaGraphCreate(&graph, 0);
  expect("node", cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params) ? cudaErrorUnknown
                 : cudaGraphInstantiate(&exec, graph, 0)                   ? cudaErrorUnknown
                                                                           : cudaGraphLaunch(exec, nullptr));
  expect("node, again", cudaGraphLaunch(exec, nullptr));

  cudaFuncAttributes attributes;
  int blocks = 0;
  if (cudaFuncGetAttributes(&attributes, mix) || attributes.maxThreadsPerBlock < Threads)
    printf("attributes: at most %d threads\n", attributes.maxThreadsPerBlock), failures++;
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, mix, Threads, 0) || blocks < 1)
    printf("occupancy: %d blocks of %d\n", blocks, Threads), failures++;
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, mix, 128, 0) || blocks < 1)
    printf("occupancy: %d blocks of 128\n", blocks), failures++;
  for (int threads : {128, 256, 384, 512, 768}) {
    mix<<<1, threads>>>(numbers, places, to, rounds);
    if (cudaGetLastError() != cudaSuccess)
      printf("%d threads: no launch\n", threads), failures++;
  }
  mix<<<1, Threads>>>(numbers, places, to, rounds);
  expect("after smaller blocks", cudaGetLastError());
#endif
  printf("%d failures\n", failures);
  return failures != 0;
}
