// The nodes of a clone are found by the original's nodes. Kernel, copy and set nodes of an executable graph can be
// disabled and enabled. A user object lives as long as a graph that owns it.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"
#include <atomic>
#include <chrono>
#include <thread>

__global__ void add(int *value, int k) {
  atomicAdd(value, k);
} // nodes without dependencies run at once

static int *value;

static cudaKernelNodeParams params(void **arguments) {
  cudaKernelNodeParams p = {};
  p.func = reinterpret_cast<void *>(add);
  p.gridDim = p.blockDim = dim3(1);
  p.kernelParams = arguments;
  return p;
}

static cudaGraphNode_t node(cudaGraph_t graph, const cudaGraphNode_t *before, int k) {
  void *arguments[] = {&value, &k};
  cudaKernelNodeParams p = params(arguments);
  cudaGraphNode_t made;
  CUDA(cudaGraphAddKernelNode(&made, graph, before, before != nullptr, &p));
  return made;
}

static int launch(cudaGraphExec_t exec) {
  int result = 0;
  CUDA(cudaMemset(value, 0, sizeof(int)));
  CUDA(cudaGraphLaunch(exec, nullptr));
  CUDA(cudaMemcpy(&result, value, sizeof(int), cudaMemcpyDeviceToHost));
  return result;
}

static int launch(cudaGraph_t graph) {
  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  int result = launch(exec);
  CUDA(cudaGraphExecDestroy(exec));
  return result;
}

static std::atomic<int> destroyed;
static void destroy(void *) {
  ++destroyed;
}

// The destructor may run on another thread, a little later.
static int destroyedSoon(int wanted) {
  for (int i = 0; i < 1000 && destroyed < wanted; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return destroyed;
}

int main() {
  CUDA(cudaMalloc(&value, sizeof(int)));
  cudaGraph_t graph, clone;
  CUDA(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t first = node(graph, nullptr, 1), second = node(graph, &first, 10), third = node(graph, &second, 100),
                  found;
  CUDA(cudaGraphClone(&clone, graph));
  CUDA(cudaGraphNodeFindInClone(&found, second, clone));
  EXPECT(found != second && found != nullptr, "the clone's node");
  int k = 20;
  void *arguments[] = {&value, &k};
  cudaKernelNodeParams changed = params(arguments);
  CUDA(cudaGraphKernelNodeSetParams(found, &changed));
  node(clone, nullptr, 1000);
  CUDA(cudaGraphDestroyNode(third));
  size_t nodes = 0, cloned = 0;
  CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
  CUDA(cudaGraphGetNodes(clone, nullptr, &cloned));
  EXPECT(nodes == 2 && cloned == 4, "%zu and %zu nodes", nodes, cloned);
  int original = launch(graph);
  CUDA(cudaGraphNodeFindInClone(&found, first, clone));
  CUDA(cudaGraphDestroyNode(found));
  EXPECT(cudaGraphNodeFindInClone(&found, first, clone) != cudaSuccess, "found what was destroyed");
  EXPECT(cudaGraphNodeFindInClone(&found, second, graph) != cudaSuccess, "found in what is no clone");
  cudaGetLastError();
  CUDA(cudaGraphDestroy(graph));
  int copy = launch(clone);
  EXPECT(original == 11 && copy == 1120, "%d and %d", original, copy);
  printf("%d %d\n", original, copy);

  // Disables and enables nodes.
  CUDA(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t chain[6], set, empty;
  int total = 0;
  for (int i = 0; i < 6; ++i)
    chain[i] = node(graph, i ? &chain[i - 1] : nullptr, 1 << i);
  cudaMemsetParams zero = {};
  zero.dst = value;
  zero.elementSize = 4;
  zero.width = zero.height = 1;
  CUDA(cudaGraphAddMemsetNode(&set, graph, &chain[2], 1, &zero));
  CUDA(cudaGraphAddDependencies(graph, &set, &chain[3], nullptr, 1));
  CUDA(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0));
  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT(launch(exec) == 8 + 16 + 32, "all on");
  CUDA(cudaGraphNodeSetEnabled(exec, set, 0));
  for (int mask = 0; mask < 64; mask += 7) {
    for (int i = 0; i < 6; ++i)
      CUDA(cudaGraphNodeSetEnabled(exec, chain[i], mask >> i & 1));
    for (int i = 0; i < 6; ++i) {
      unsigned enabled = 2;
      CUDA(cudaGraphNodeGetEnabled(exec, chain[i], &enabled));
      EXPECT(enabled == unsigned(mask >> i & 1), "mask %d, node %d: %u", mask, i, enabled);
    }
    int sum = launch(exec);
    EXPECT(sum == mask, "mask %d: %d", mask, sum);
    total += sum;
  }
  EXPECT(cudaGraphNodeSetEnabled(exec, empty, 0) != cudaSuccess, "an empty node was switched off");
  cudaGetLastError();
  EXPECT(launch(graph) == 8 + 16 + 32, "another executable of the graph");
  printf("%d\n", total);

  // User objects: references of the program, of the graph and of its executable.
  cudaUserObject_t object;
  CUDA(cudaUserObjectCreate(&object, nullptr, destroy, 1, cudaUserObjectNoDestructorSync));
  CUDA(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  cudaGraphExec_t holder;
  CUDA(cudaGraphInstantiate(&holder, graph, 0));
  CUDA(cudaGraphDestroy(graph));
  EXPECT(destroyed == 0, "destroyed while the executable lives");
  CUDA(cudaGraphLaunch(holder, nullptr));
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaGraphExecDestroy(holder));
  EXPECT(destroyedSoon(1) == 1, "not destroyed with its last holder");
  CUDA(cudaUserObjectCreate(&object, nullptr, destroy, 2, cudaUserObjectNoDestructorSync));
  CUDA(cudaUserObjectRetain(object, 1));
  CUDA(cudaUserObjectRelease(object, 2));
  EXPECT(destroyed == 1, "destroyed early");
  CUDA(cudaUserObjectRelease(object, 1));
  EXPECT(destroyedSoon(2) == 2, "not destroyed with its last reference");
  return passed();
}
