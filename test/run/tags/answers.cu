// RUN: %gasan -O2 %s -fsanitize-gpu-address-tags -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// CUDA calls return the program's pointers, with their tags. Memory that the host may touch has no tag.
#include <cstdint>
#include <cstdio>

__device__ int variable[4];
__global__ void nothing(int *, int) {}

static int tag(const void *pointer) {
  return static_cast<int>(reinterpret_cast<uintptr_t>(pointer) >> 56);
}

#define EXPECT(condition)                                                                                              \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      printf("line %d: %s\n", __LINE__, #condition);                                                                   \
      return 2;                                                                                                        \
    }                                                                                                                  \
  } while (0)
#define GOOD(call) EXPECT((call) == cudaSuccess)

int main() {
  char *memory, *host, *managed, *async;
  GOOD(cudaMalloc(&memory, 4096));
  GOOD(cudaMallocHost(&host, 4096));
  GOOD(cudaMallocManaged(&managed, 4096));
  GOOD(cudaMallocAsync(&async, 4096, 0));
  void *symbol;
  GOOD(cudaGetSymbolAddress(&symbol, variable));
  EXPECT(tag(memory) && tag(async) && !tag(host) && !tag(managed) && !tag(symbol));

  cudaPointerAttributes attributes;
  GOOD(cudaPointerGetAttributes(&attributes, memory + 100));
  EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == memory + 100);
  /* Code without instrumentation may return the address. */
  char *plain = reinterpret_cast<char *>(reinterpret_cast<uintptr_t>(memory) & 0xffffffffffffff);
  GOOD(cudaPointerGetAttributes(&attributes, plain + 100));
  EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == memory + 100);
  GOOD(cudaMemset(plain, 1, 4096));
  GOOD(cudaPointerGetAttributes(&attributes, managed));
  EXPECT(attributes.type == cudaMemoryTypeManaged && attributes.devicePointer == managed);

  cudaGraph_t graph;
  cudaGraphNode_t set, copy, kernel;
  GOOD(cudaGraphCreate(&graph, 0));
  cudaMemsetParams sets = {};
  sets.dst = memory + 64;
  sets.value = 7;
  sets.elementSize = 1;
  sets.width = 100;
  sets.height = 1;
  GOOD(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &sets));
  cudaMemsetParams sets_back = {};
  GOOD(cudaGraphMemsetNodeGetParams(set, &sets_back));
  EXPECT(sets_back.dst == memory + 64);
  GOOD(cudaGraphMemsetNodeSetParams(set, &sets_back));
  GOOD(cudaGraphAddMemcpyNode1D(&copy, graph, &set, 1, host, memory + 64, 100, cudaMemcpyDefault));
  cudaMemcpy3DParms copies_back = {};
  GOOD(cudaGraphMemcpyNodeGetParams(copy, &copies_back));
  EXPECT(copies_back.srcPtr.ptr == memory + 64 && copies_back.dstPtr.ptr == host);
  int *argument = reinterpret_cast<int *>(memory), number = 3;
  void *arguments[] = {&argument, &number};
  cudaKernelNodeParams kernels = {};
  kernels.func = reinterpret_cast<void *>(nothing);
  kernels.gridDim = kernels.blockDim = dim3(1);
  kernels.kernelParams = arguments;
  GOOD(cudaGraphAddKernelNode(&kernel, graph, &copy, 1, &kernels));
  cudaKernelNodeParams kernels_back = {};
  GOOD(cudaGraphKernelNodeGetParams(kernel, &kernels_back));
  EXPECT(*static_cast<int **>(kernels_back.kernelParams[0]) == argument);
  cudaGraphExec_t exec;
  GOOD(cudaGraphInstantiate(&exec, graph, 0));
  GOOD(cudaGraphLaunch(exec, 0));
  GOOD(cudaDeviceSynchronize());
  EXPECT(host[99] == 7);

  cudaResourceDesc resource = {}, resource_back = {};
  cudaTextureDesc description = {};
  cudaTextureObject_t texture;
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = 4096;
  GOOD(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  GOOD(cudaGetTextureObjectResourceDesc(&resource_back, texture));
  EXPECT(resource_back.res.linear.devPtr == memory);
  GOOD(cudaDestroyTextureObject(texture));

  char *pitched;
  size_t pitch;
  GOOD(cudaMallocPitch(&pitched, &pitch, 100, 10));
  GOOD(cudaMemcpy2D(pitched, pitch, memory, 100, 100, 10, cudaMemcpyDefault));
  cudaExtent extent = make_cudaExtent(100, 10, 2);
  cudaPitchedPtr box;
  GOOD(cudaMalloc3D(&box, extent));
  GOOD(cudaMemset3D(box, 3, extent));
  GOOD(cudaMemcpyAsync(host, box.ptr, 100, cudaMemcpyDefault, 0));
  GOOD(cudaFreeAsync(async, 0));
  GOOD(cudaStreamSynchronize(0));
  EXPECT(host[99] == 3);
  GOOD(cudaFree(plain));
  GOOD(cudaFree(pitched));
  GOOD(cudaFree(box.ptr));
  GOOD(cudaFree(managed));
  return cudaFreeHost(host);
}
