// Allocation and free nodes, explicit and captured. The address is known before the graph runs and is the same at each
// launch. Memory that the graph does not free is freed by the program, by another graph or at the next launch.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__global__ void iota(int *out, int n, int first) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = first + i * i;
}

__global__ void sum(const int *in, int n, unsigned long long *total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(total, (unsigned long long)in[i]);
}

static const int n = 10000, blocks = (n + 255) / 256;

static unsigned long long expected(int first) {
  unsigned long long total = 0;
  for (int i = 0; i < n; ++i)
    total += (unsigned long long)(first + i * i);
  return total;
}

static uint64_t attribute(cudaGraphMemAttributeType type) {
  uint64_t value = 0;
  CUDA(cudaDeviceGetGraphMemAttribute(0, type, &value));
  return value;
}

int main() {
  unsigned long long *total, got = 0;
  CUDA(cudaMallocManaged(&total, sizeof *total));
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));

  // Captured: the graph allocates, uses and frees the memory.
  cudaGraph_t graph;
  int *memory = nullptr, *other = nullptr;
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CUDA(cudaMemsetAsync(total, 0, sizeof *total, stream));
  CUDA(cudaMallocAsync(&memory, n * sizeof(int), stream));
  CUDA(cudaMallocAsync(&other, n * sizeof(int), stream));
  EXPECT(memory && other && memory != other, "addresses");
  iota<<<blocks, 256, 0, stream>>>(memory, n, 5);
  CUDA(cudaMemcpyAsync(other, memory, n * sizeof(int), cudaMemcpyDeviceToDevice, stream));
  CUDA(cudaFreeAsync(memory, stream));
  sum<<<blocks, 256, 0, stream>>>(other, n, total);
  CUDA(cudaFreeAsync(other, stream));
  CUDA(cudaStreamEndCapture(stream, &graph));
  size_t count = 0, allocations = 0, frees = 0;
  CUDA(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  CUDA(cudaGraphGetNodes(graph, nodes.data(), &count));
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type;
    CUDA(cudaGraphNodeGetType(node, &type));
    allocations += type == cudaGraphNodeTypeMemAlloc;
    frees += type == cudaGraphNodeTypeMemFree;
    if (type == cudaGraphNodeTypeMemAlloc) {
      cudaMemAllocNodeParams params;
      CUDA(cudaGraphMemAllocNodeGetParams(node, &params));
      EXPECT((params.dptr == memory || params.dptr == other) && params.bytesize == n * sizeof(int), "allocation");
    }
    if (type == cudaGraphNodeTypeMemFree) {
      void *freed = nullptr;
      CUDA(cudaGraphMemFreeNodeGetParams(node, &freed));
      EXPECT(freed == memory || freed == other, "free");
    }
  }
  EXPECT(count == 8 && allocations == 2 && frees == 2, "%zu nodes, %zu allocations, %zu frees", count, allocations,
         frees);
  cudaGraph_t clone;
  EXPECT(cudaGraphClone(&clone, graph) != cudaSuccess, "a graph with memory nodes cannot be cloned");
  EXPECT(cudaGraphDestroyNode(nodes[0]) != cudaSuccess, "nor its nodes be destroyed");
  cudaGetLastError();
  cudaGraphExec_t exec, twice;
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT(cudaGraphInstantiate(&twice, graph, 0) != cudaSuccess, "nor be instantiated twice at a time");
  cudaGetLastError();
  for (int i = 0; i < 3; ++i) {
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    EXPECT(*total == expected(5), "inside, launch %d", i);
  }
  printf("inside %llu\n", *total);
  EXPECT(attribute(cudaGraphMemAttrUsedMemHigh) >= n * sizeof(int), "high mark");
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));

  // Explicit: work after the graph uses the memory, and the program frees it.
  CUDA(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams allocation = {};
  allocation.poolProps.allocType = cudaMemAllocationTypePinned;
  allocation.poolProps.location.type = cudaMemLocationTypeDevice;
  allocation.poolProps.location.id = 0;
  allocation.bytesize = n * sizeof(int);
  cudaGraphNode_t allocate, fill, release;
  CUDA(cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &allocation));
  int *address = static_cast<int *>(allocation.dptr), size = n, first = 9;
  EXPECT(address != nullptr, "no address");
  void *arguments[] = {&address, &size, &first};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void *>(iota);
  kernel.gridDim = dim3(blocks);
  kernel.blockDim = dim3(256);
  kernel.kernelParams = arguments;
  CUDA(cudaGraphAddKernelNode(&fill, graph, &allocate, 1, &kernel));
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 4; ++i) {
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaMemsetAsync(total, 0, sizeof *total, stream));
    sum<<<blocks, 256, 0, stream>>>(address, n, total);
    if (i < 2)
      CUDA(cudaFreeAsync(address, stream)); // in stream order
    CUDA(cudaStreamSynchronize(stream));
    EXPECT(*total == expected(9), "outside, launch %d", i);
    if (i == 2)
      CUDA(cudaFree(address));
  }
  cudaError_t error = cudaGraphLaunch(exec, stream);
  EXPECT(error != cudaSuccess, "a launch without the last one's memory freed: %s", cudaGetErrorName(error));
  cudaGetLastError();

  // Another graph frees the memory.
  cudaGraph_t freeing;
  cudaGraphExec_t freeingExec;
  CUDA(cudaGraphCreate(&freeing, 0));
  CUDA(cudaGraphAddMemFreeNode(&release, freeing, nullptr, 0, address));
  CUDA(cudaGraphInstantiate(&freeingExec, freeing, 0));
  for (int i = 0; i < 2; ++i) {
    CUDA(cudaGraphLaunch(freeingExec, stream));
    CUDA(cudaGraphLaunch(exec, stream));
  }
  CUDA(cudaGraphLaunch(freeingExec, stream));
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphExecDestroy(freeingExec));
  CUDA(cudaGraphDestroy(freeing));
  CUDA(cudaGraphDestroy(graph));

  // Each next launch frees the memory.
  CUDA(cudaGraphCreate(&graph, 0));
  CUDA(cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &allocation));
  address = static_cast<int *>(allocation.dptr);
  first = 2;
  CUDA(cudaGraphAddKernelNode(&fill, graph, &allocate, 1, &kernel));
  CUDA(cudaGraphInstantiateWithFlags(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  for (int i = 0; i < 3; ++i)
    CUDA(cudaGraphLaunch(exec, stream));
  CUDA(cudaMemsetAsync(total, 0, sizeof *total, stream));
  sum<<<blocks, 256, 0, stream>>>(address, n, total);
  CUDA(cudaStreamSynchronize(stream));
  got = *total;
  EXPECT(got == expected(2), "auto free: %llu", got);
  CUDA(cudaFreeAsync(address, stream));
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));
  printf("auto free %llu\n", got);
  CUDA(cudaDeviceGraphMemTrim(0));
  return passed();
}
