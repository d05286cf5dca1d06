/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Calls whose parameters or structures differ between CUDA 12 and 13. calls N fills N elements of an array of 100.
#include "../../../base/cuda12.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#if CUDART_VERSION < 13000 // what gasan assumes of CUDA 12
static_assert(sizeof(cudaPointerAttributes) == GASAN_CUDA12_POINTER_ATTRIBUTES_SIZE, "");
static_assert(sizeof(cudaResourceDesc) == GASAN_CUDA12_RESOURCE_SIZE, "");
static_assert(sizeof(cudaResourceViewDesc) == GASAN_CUDA12_RESOURCE_VIEW_SIZE, "");
static_assert(sizeof(cudaExternalMemoryHandleDesc) == GASAN_CUDA12_EXTERNAL_MEMORY_SIZE, "");
static_assert(sizeof(cudaExternalMemoryBufferDesc) == GASAN_CUDA12_EXTERNAL_BUFFER_SIZE, "");
static_assert(sizeof(cudaExternalMemoryMipmappedArrayDesc) == GASAN_CUDA12_EXTERNAL_ARRAY_SIZE, "");
static_assert(sizeof(cudaExternalSemaphoreHandleDesc) == GASAN_CUDA12_EXTERNAL_SEMAPHORE_SIZE, "");
static_assert(sizeof(cudaDeviceProp) == GASAN_CUDA12_PROPERTIES_SIZE, "");
#endif

static int failures;

static void expect(bool condition, const char *text, int line) {
  if (!condition)
    printf("line %d: not %s\n", line, text);
  failures += !condition;
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)
#define OK(call) EXPECT((call) == cudaSuccess)

// A structure that a call fills, and bytes behind it, which the call must leave alone.
template <typename T>
struct Guarded {
  T value;
  unsigned char after[256];
  Guarded() { memset(this, 0x55, sizeof *this); }
  bool intact() const {
    for (unsigned char byte : after)
      if (byte != 0x55)
        return false;
    return true;
  }
};

__global__ void fill(int *data, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    data[i] = i;
}

static void check_attributes(int *managed) {
  Guarded<cudaPointerAttributes> attributes;
  OK(cudaPointerGetAttributes(&attributes.value, managed));
  EXPECT(attributes.value.type == cudaMemoryTypeManaged && attributes.value.devicePointer == managed);
  EXPECT(attributes.intact());
}

static bool is_attribute(cudaDeviceAttr attribute, size_t value) {
  int is = -1;
  return cudaDeviceGetAttribute(&is, attribute, 0) == cudaSuccess && static_cast<size_t>(is) == value;
}

static void check_properties() {
  Guarded<cudaDeviceProp> guarded;
  const cudaDeviceProp &value = guarded.value;
  OK(cudaGetDeviceProperties(&guarded.value, 0));
  EXPECT(guarded.intact());
  EXPECT(is_attribute(cudaDevAttrWarpSize, value.warpSize));
  EXPECT(is_attribute(cudaDevAttrMultiProcessorCount, value.multiProcessorCount));
  EXPECT(is_attribute(cudaDevAttrIntegrated, value.integrated));
  EXPECT(is_attribute(cudaDevAttrMaxTexture2DWidth, value.maxTexture2D[0]));
  EXPECT(is_attribute(cudaDevAttrGlobalMemoryBusWidth, value.memoryBusWidth));
  EXPECT(is_attribute(cudaDevAttrMaxThreadsPerMultiProcessor, value.maxThreadsPerMultiProcessor));
  EXPECT(is_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, value.sharedMemPerMultiprocessor));
  EXPECT(is_attribute(cudaDevAttrComputePreemptionSupported, value.computePreemptionSupported));
  EXPECT(is_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, value.sharedMemPerBlockOptin));
  EXPECT(is_attribute(cudaDevAttrClusterLaunch, value.clusterLaunch));
#if CUDART_VERSION < 13000
  EXPECT(is_attribute(cudaDevAttrClockRate, value.clockRate));
  EXPECT(is_attribute(cudaDevAttrComputeMode, value.computeMode));
  EXPECT(is_attribute(cudaDevAttrMemoryClockRate, value.memoryClockRate));
#endif
  int chosen = -1;
  OK(cudaChooseDevice(&chosen, &value));
  EXPECT(chosen == 0);
}

static void check_memory(int *managed) {
#if CUDART_VERSION < 13000
  OK(cudaMemAdvise(managed, 4096, cudaMemAdviseSetPreferredLocation, 0));
  OK(cudaMemAdvise(managed, 4096, cudaMemAdviseSetAccessedBy, cudaCpuDeviceId));
  OK(cudaMemPrefetchAsync(managed, 4096, cudaCpuDeviceId));
  OK(cudaMemPrefetchAsync(managed, 4096, 0));
  OK(cudaMemAdvise_v2(managed, 4096, cudaMemAdviseUnsetPreferredLocation, {cudaMemLocationTypeDevice, 0}));
  OK(cudaMemPrefetchAsync_v2(managed, 4096, {cudaMemLocationTypeDevice, 0}, 0));
  OK(cudaThreadSynchronize());
#else
  OK(cudaMemAdvise(managed, 4096, cudaMemAdviseSetPreferredLocation, {cudaMemLocationTypeDevice, 0}));
  OK(cudaMemPrefetchAsync(managed, 4096, {cudaMemLocationTypeDevice, 0}, 0));
  OK(cudaDeviceSynchronize());
#endif
}

static void check_graphs(int *managed) {
  cudaGraph_t graph;
  cudaGraphNode_t first, second;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddEmptyNode(&first, graph, nullptr, 0));
  OK(cudaGraphAddEmptyNode(&second, graph, nullptr, 0));
#if CUDART_VERSION < 13000
  cudaGraphNode_t from = nullptr, to = nullptr, third;
  size_t edges = 7;
  OK(cudaGraphAddDependencies(graph, &first, &second, 1));
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, &edges));
  EXPECT(edges == 1);
  OK(cudaGraphGetEdges(graph, &from, &to, &edges));
  EXPECT(from == first && to == second);
  OK(cudaGraphNodeGetDependencies(second, &from, &edges));
  EXPECT(edges == 1 && from == first);
  OK(cudaGraphNodeGetDependentNodes(first, &to, &edges));
  EXPECT(edges == 1 && to == second);
  OK(cudaGraphRemoveDependencies(graph, &first, &second, 1));
  OK(cudaGraphAddDependencies_v2(graph, &first, &second, nullptr, 1));
  cudaGraphNodeParams parameters = {cudaGraphNodeTypeEmpty};
  OK(cudaGraphAddNode(&third, graph, &second, 1, &parameters));
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, &edges));
  EXPECT(edges == 2);
#endif
  cudaStream_t stream;
  cudaGraph_t captured = nullptr;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  fill<<<1, 32, 0, stream>>>(managed, 100);
#if CUDART_VERSION < 13000
  cudaStreamCaptureStatus status;
  unsigned long long id;
  const cudaGraphNode_t *before;
  size_t count = 0;
  OK(cudaStreamGetCaptureInfo(stream, &status, &id, &captured, &before, &count));
  EXPECT(status == cudaStreamCaptureStatusActive && captured && count == 1);
  cudaGraphNode_t last = before[0];
  OK(cudaStreamUpdateCaptureDependencies(stream, &last, 1, cudaStreamSetCaptureDependencies));
#endif
  cudaGraphExec_t executable;
  OK(cudaStreamEndCapture(stream, &captured));
  OK(cudaGraphInstantiate(&executable, captured, 0));
  OK(cudaGraphLaunch(executable, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT(managed[99] == 99);
}

static void check_textures(int *linear) {
  cudaResourceDesc resource;
  memset(&resource, 0x55, sizeof resource);
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = linear;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = 400;
#if CUDART_VERSION >= 13000
  resource.flags = 0;
#endif
  cudaTextureDesc texture = {};
  cudaTextureObject_t object;
  OK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  Guarded<cudaResourceDesc> found;
  OK(cudaGetTextureObjectResourceDesc(&found.value, object));
  EXPECT(found.value.res.linear.devPtr == linear && found.value.res.linear.sizeInBytes == 400);
  EXPECT(found.intact());
}

int main(int, char **arguments) {
  int *managed, *data, version = 0;
  OK(cudaMallocManaged(&managed, 4096));
  OK(cudaMalloc(&data, 400));
  check_attributes(managed);
  check_properties();
  check_memory(managed);
  check_graphs(managed);
  check_textures(data);
  void *function = nullptr;
  cudaDriverEntryPointQueryResult result;
#if CUDART_VERSION < 13000
  OK(cudaGetDriverEntryPoint("cuMemAlloc", &function, cudaEnableDefault, &result));
#else
  OK(cudaGetDriverEntryPointByVersion("cuMemAlloc", &function, CUDART_VERSION, cudaEnableDefault, &result));
#endif
  OK(cudaRuntimeGetVersion(&version));
  EXPECT(version / 1000 == CUDART_VERSION / 1000);
  fill<<<1, 32>>>(data, std::atoi(arguments[1]));
  OK(cudaDeviceSynchronize());
  printf("CUDA %d, %d failures\n", CUDART_VERSION, failures);
  return failures != 0;
}
