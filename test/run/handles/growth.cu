// The pool moves several times while chunks of every age hold data and device memory is full of pointers: the program's
// handles still lead to the data. A captured graph and a texture contain addresses: their memory must not move.
//
// RUN: %gasan -O2 %s -fsanitize-gpu-address-pool=handles -o %t
// RUN: %options=pool=handles:print_stats=1 %run %t 2>&1 | FileCheck %s
// RUN: %run %t 2>&1 >/dev/null | %silent
// CHECK: Stats:   pool: {{[0-9]+}} segments, moved {{[1-9][0-9]*}} times
#include "../../cpu/inputs/self_check.h"

__global__ void fill(unsigned *values, size_t count, unsigned seed) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    values[i] = unsigned(i) * 2654435761u + seed;
}

__global__ void verify(unsigned *const *chunks, const size_t *counts, unsigned *wrong) {
  unsigned *values = chunks[blockIdx.x];
  for (size_t i = threadIdx.x; i < counts[blockIdx.x]; i += blockDim.x)
    if (values[i] != unsigned(i) * 2654435761u + blockIdx.x)
      atomicAdd(wrong, 1);
}

__global__ void fetch(cudaTextureObject_t texture, float *result) {
  *result = tex1Dfetch<float>(texture, 3);
}

struct Chunks {
  std::vector<unsigned *> pointers;
  std::vector<size_t> counts;
  unsigned **device_pointers = nullptr, *wrong = nullptr;
  size_t *device_counts = nullptr;

  void add(size_t count) {
    unsigned *values;
    CUDA(cudaMalloc(&values, count * sizeof *values));
    fill<<<4, 64>>>(values, count, unsigned(pointers.size()));
    pointers.push_back(values);
    counts.push_back(count);
  }

  void check(const char *when) {
    unsigned result = 0;
    if (!wrong) {
      CUDA(cudaMalloc(&device_pointers, 256 * sizeof *device_pointers));
      CUDA(cudaMalloc(&device_counts, 256 * sizeof *device_counts));
      CUDA(cudaMalloc(&wrong, sizeof *wrong));
    }
    CUDA(cudaMemcpy(device_pointers, pointers.data(), pointers.size() * sizeof pointers[0], cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(device_counts, counts.data(), counts.size() * sizeof counts[0], cudaMemcpyHostToDevice));
    CUDA(cudaMemset(wrong, 0, sizeof *wrong));
    verify<<<unsigned(pointers.size()), 64>>>(device_pointers, device_counts, wrong);
    CUDA(cudaMemcpy(&result, wrong, sizeof result, cudaMemcpyDeviceToHost));
    EXPECT(result == 0, "%s: %u values are wrong", when, result);
    std::vector<unsigned> copy(counts.back());
    CUDA(cudaMemcpy(copy.data(), pointers.back(), copy.size() * 4, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < copy.size(); ++i)
      if (copy[i] != unsigned(i) * 2654435761u + unsigned(pointers.size() - 1)) {
        EXPECT(false, "%s: the copy of the newest chunk differs at %zu", when, i);
        break;
      }
  }
};

int main() {
  Chunks chunks;
  Random random(3);
  for (int i = 0; i < 30; ++i)
    chunks.add(1 + random.below(20000));
  chunks.check("small chunks");
  for (int i = 0; i < 20; ++i) {
    chunks.add(100000 + random.below(400000));
    if (i % 5 == 0)
      chunks.check("in the middle of growth");
  }
  chunks.check("large chunks");

  // A graph that copies and sets, and a texture: both contain addresses.
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  float *source, *target, *result, host[64], fetched;
  CUDA(cudaMalloc(&source, sizeof host));
  CUDA(cudaMalloc(&target, sizeof host));
  CUDA(cudaMalloc(&result, sizeof *result));
  for (int i = 0; i < 64; ++i)
    host[i] = float(i) * 0.5f;
  CUDA(cudaMemcpy(source, host, sizeof host, cudaMemcpyHostToDevice));
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CUDA(cudaMemsetAsync(target, 0, sizeof host, stream));
  CUDA(cudaMemcpyAsync(target + 8, source + 8, 16 * sizeof(float), cudaMemcpyDeviceToDevice, stream));
  CUDA(cudaStreamEndCapture(stream, &graph));
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = source;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = sizeof host;
  cudaTextureDesc description = {};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture;
  CUDA(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  cudaResourceDesc answer;
  CUDA(cudaGetTextureObjectResourceDesc(&answer, texture));
  EXPECT(answer.res.linear.devPtr == source, "the texture's memory is not the program's");
  for (int i = 0; i < 10; ++i)
    chunks.add(1000000);
  chunks.check("with memory that must stay");
  CUDA(cudaGraphLaunch(exec, stream));
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaMemcpy(host, target, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i)
    EXPECT(host[i] == (i >= 8 && i < 24 ? float(i) * 0.5f : 0), "%d: %g", i, host[i]);
  fetch<<<1, 1>>>(texture, result);
  CUDA(cudaMemcpy(&fetched, result, sizeof fetched, cudaMemcpyDeviceToHost));
  EXPECT(fetched == 1.5f, "%g", fetched);
  CUDA(cudaDestroyTextureObject(texture));

  for (size_t i = 0; i < chunks.pointers.size(); i += 2) {
    CUDA(cudaFree(chunks.pointers[i]));
    unsigned *again;
    CUDA(cudaMalloc(&again, chunks.counts[i] * sizeof *again));
    EXPECT(again != chunks.pointers[i], "a handle was given twice");
    fill<<<4, 64>>>(again, chunks.counts[i], unsigned(i));
    chunks.pointers[i] = again;
  }
  chunks.check("after frees");
  for (unsigned *chunk : chunks.pointers)
    CUDA(cudaFree(chunk));
  return passed();
}
