// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 -I%S/../../.. %s -o %t
// RUN: %run %t 1 2>&1 >/dev/null | %silent
// RUN: %options=launch_proof=0 %run %t 0 2>&1 >/dev/null | %silent
// RUN: %options=strict_temporal=1 %run %t 0 2>&1 >/dev/null | %silent
// RUN: %options=lookup=tree %run %t 0 2>&1 >/dev/null | %silent
// RUN: %options=print_stats=1 %run %t 1 2>&1 | FileCheck %s --check-prefix=STATS
// Tests which launches run the proven variant, and that their results are right.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "by-hand.cuh"

// STATS: Stats: launch proof: {{[0-9]+}} of {{[0-9]+}} launches proven, by {{[0-9]+}} evaluations; 0 of 1 kernels
// STATS-SAME: {{^}} in every launch
// STATS: Stats:   scale: {{[0-9]+}} launches proven, 0 not, in graphs 0 proven and 1 not, 1
// STATS-SAME: {{^}} not tried, because the program has asked for the kernel's handle, 1 refused by CUDA

static const int Size = 1000;
static int *to, *from, *managed;
static bool on;
static int failures;

static void check(const char *what, cudaError_t error, const int *values, int count, int first, bool proven) {
  std::vector<int> got(count);
  if (error == cudaSuccess)
    error = cudaMemcpy(got.data(), values, count * sizeof(int), cudaMemcpyDefault);
  for (int i = 0; i < count && error == cudaSuccess; i++)
    if (got[i] != first + i + (proven && on ? PROVEN : 0)) {
      printf("%s: value %d is %d\n", what, i, got[i]);
      failures++;
      return;
    }
  if (error != cudaSuccess) {
    printf("%s: %s\n", what, cudaGetErrorString(error));
    failures++;
  }
}

static void forms() {
  scale<<<4, 256>>>(to, From{Size, from}, 1);
  check("<<<>>>", cudaGetLastError(), to, Size, 1, true);
  scale<<<400, 256>>>(to, From{Size, from}, 2);
  check("more threads", cudaGetLastError(), to, Size, 2, true);
  scale<<<4, 256>>>(to + 100, From{Size - 100, from + 10}, 3);
  check("inside of the chunks", cudaGetLastError(), to + 100, Size - 100, 13, true);
  scale<<<4, 256>>>(managed, From{Size, from}, 4);
  cudaDeviceSynchronize();
  check("managed", cudaGetLastError(), managed, Size, 4, true);
  scale<<<1, 1>>>(to, From{1, nullptr}, 5);
  check("null, and asked", cudaGetLastError(), to, 1, 5, true);
  From values{Size, from};
  int more = 6;
  void *arguments[] = {&to, &values, &more};
  check("cooperative", cudaLaunchCooperativeKernel(reinterpret_cast<void *>(scale), 4, 256, arguments, 0, nullptr), to,
        Size, 6, true);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 4;
  config.blockDim = 256;
  config.attrs = &attribute;
  config.numAttrs = 1;
  more = 7;
  check("cudaLaunchKernelExC", cudaLaunchKernelExC(&config, reinterpret_cast<void *>(scale), arguments), to, Size, 7,
        true);
}

static void attributes() {
  const int shared = 60 << 10;
  scale<<<4, 256, shared>>>(to, From{Size, from}, 8);
  if (cudaGetLastError() == cudaSuccess)
    printf("so much shared memory needs an attribute\n"), failures++;
  cudaFuncSetAttribute(scale, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  cudaFuncSetCacheConfig(scale, cudaFuncCachePreferShared);
  scale<<<4, 256, shared>>>(to, From{Size, from}, 9);
  check("shared memory", cudaGetLastError(), to, Size, 9, true);
}

static void errors() {
  if (cudaMemcpy(to, from, 4, cudaMemcpyKind(17)) == cudaSuccess)
    printf("no such direction\n"), failures++;
  cudaError_t waiting = cudaPeekAtLastError();
  scale<<<4, 256>>>(to, From{Size, from}, 12);
  if (cudaPeekAtLastError() != waiting || waiting == cudaSuccess)
    printf("an error that nobody has asked for is lost\n"), failures++;
  check("an error waits", cudaSuccess, to, Size, 12, true);
  if (cudaGetLastError() != waiting || cudaGetLastError() != cudaSuccess)
    printf("an error that nobody has asked for is lost, or stays\n"), failures++;
}

static void captured() {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  scale<<<4, 256, 0, stream>>>(to, From{Size, from}, 10);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  check("graph", cudaStreamSynchronize(stream), to, Size, 10, false);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

// Many host threads launch while they allocate and free.
static void threads() {
  std::vector<std::thread> all;
  for (int t = 0; t < 4; t++)
    all.emplace_back([t] {
      for (int i = 0; i < 50; i++) {
        int *mine, count = 1 + (t * 50 + i) * 5 % 1000;
        cudaMalloc(&mine, count * sizeof(int));
        scale<<<4, 256>>>(mine, From{count, from}, i);
        check("threads", cudaGetLastError(), mine, count, i, true);
        cudaFree(mine);
      }
    });
  for (std::thread &thread : all)
    thread.join();
}

int main(int, char **arguments) {
  on = atoi(arguments[1]);
  cudaMalloc(&to, Size * sizeof(int));
  cudaMalloc(&from, Size * sizeof(int));
  cudaMallocManaged(&managed, Size * sizeof(int));
  std::vector<int> numbers(Size);
  for (int i = 0; i < Size; i++)
    numbers[i] = i;
  cudaMemcpy(from, numbers.data(), Size * sizeof(int), cudaMemcpyHostToDevice);
  forms();
  attributes();
  errors();
  captured();
  threads();
  cudaFunction_t function;
  cudaGetFuncBySymbol(&function, reinterpret_cast<void *>(scale));
  scale<<<4, 256>>>(to, From{Size, from}, 11);
  check("its handle is known", cudaGetLastError(), to, Size, 11, false);
  return failures != 0;
}
