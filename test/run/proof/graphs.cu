// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 -I%S/../../.. %s -o %t
// RUN: %run %t 1 2>&1 >/dev/null | %silent
// RUN: %options=graph_proof=0 %run %t 0 2>&1 >/dev/null | %silent
// RUN: %options=launch_proof=0 %run %t 0 2>&1 >/dev/null | %silent
// RUN: %options=print_stats=1 %run %t 1 2>&1 | FileCheck %s --check-prefix=STATS
// Launches of graphs that can be proven run the proven variant, from an executable's second launch on. An executable
// works as without gasan after all changes by the program.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "by-hand.cuh"

// STATS: Stats:   scale: 0 launches proven, 0 not, in graphs {{[1-9][0-9]*}} proven and {{[1-9][0-9]*}} not
// STATS: Stats: graphs: {{[0-9]+}} launches, {{[0-9]+}} of them with proven kernels, by {{[0-9]+}} proofs and
// STATS-SAME: {{^}} {{[0-9]+}} changes of kernel nodes, {{[0-9]+}} executables changed in a way that
// STATS-SAME: {{^}} gasan cannot follow

static const int Size = 1000;
static int *to, *from;
static bool on;
static int failures;

#define CUDA(call)                                                                                                     \
  do {                                                                                                                 \
    cudaError_t error_ = (call);                                                                                       \
    if (error_ != cudaSuccess)                                                                                         \
      printf("%d: %s: %s\n", __LINE__, #call, cudaGetErrorString(error_)), failures++;                                 \
  } while (0)

static void expect(const char *what, int first, bool proven, int *values = to, int count = Size) {
  std::vector<int> got(count);
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaMemcpy(got.data(), values, count * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < count; i++)
    if (got[i] != first + i + (proven && on ? PROVEN : 0)) {
      printf("%s: value %d is %d\n", what, i, got[i]);
      failures++;
      return;
    }
}

struct Node {
  cudaKernelNodeParams params{};
  int *to;
  From from;
  int more;
  void *arguments[3] = {&to, &from, &more};

  explicit Node(int more, int *to = ::to, int count = Size) : to(to), from{count, ::from}, more(more) {
    params.func = reinterpret_cast<void *>(scale);
    params.gridDim = dim3(4);
    params.blockDim = dim3(256);
    params.kernelParams = arguments;
  }
};

static cudaGraph_t capture(int more) {
  cudaStream_t stream;
  cudaGraph_t graph;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  scale<<<4, 256, 0, stream>>>(to, From{Size, from}, more);
  CUDA(cudaStreamEndCapture(stream, &graph));
  CUDA(cudaStreamDestroy(stream));
  return graph;
}

static cudaGraphExec_t instantiate(cudaGraph_t graph) {
  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  return exec;
}

static void launch(const char *what, cudaGraphExec_t exec, int first, bool proven) {
  CUDA(cudaMemset(to, 0, Size * sizeof(int)));
  CUDA(cudaGraphLaunch(exec, nullptr));
  expect(what, first, proven);
}

static void captured() {
  cudaGraph_t graph = capture(1);
  cudaGraphExec_t exec = instantiate(graph);
  CUDA(cudaGraphDestroy(graph));
  launch("first launch", exec, 1, false);
  launch("second launch", exec, 1, true);
  int *other;
  CUDA(cudaMalloc(&other, 5000));
  launch("something was allocated", exec, 1, true);
  CUDA(cudaFree(other));
  launch("something was freed", exec, 1, true);
  CUDA(cudaGraphExecDestroy(exec));
}

static void updated() {
  cudaGraph_t graph, next = capture(6);
  cudaGraphNode_t node;
  Node first(2), second(3), few(4, to, 10);
  CUDA(cudaGraphCreate(&graph, 0));
  CUDA(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &first.params));
  cudaGraphExec_t exec = instantiate(graph);
  launch("added", exec, 2, false);
  CUDA(cudaGraphExecKernelNodeSetParams(exec, node, &second.params));
  launch("changed", exec, 3, true);
  CUDA(cudaGraphExecKernelNodeSetParams(exec, node, &few.params));
  CUDA(cudaGraphLaunch(exec, nullptr));
  expect("changed again, the beginning", 4, true, to, 10);
  cudaGraphNodeParams generic{};
  generic.type = cudaGraphNodeTypeKernel;
  Node third(5);
  memcpy(&generic.kernel, &third.params, sizeof third.params);
  CUDA(cudaGraphExecNodeSetParams(exec, node, &generic));
  launch("changed by the generic call", exec, 5, true);
  cudaKernelNodeParams said;
  CUDA(cudaGraphKernelNodeGetParams(node, &said));
  if (*static_cast<int *>(said.kernelParams[2]) != 2)
    printf("the graph's own node has changed\n"), failures++;
  cudaGraphExecUpdateResultInfo info;
  CUDA(cudaGraphExecUpdate(exec, next, &info));
  CUDA(cudaGraphDestroy(next));
  launch("updated from a graph", exec, 6, false);
  launch("updated from a graph, then launched again", exec, 6, true);
  CUDA(cudaGraphExecKernelNodeSetParams(exec, node, &second.params));
  launch("changed by the node of a graph before", exec, 3, false);
  launch("which is not followed", exec, 3, false);
  for (int i = 0; i < 5; i++) {
    next = capture(10 + i);
    CUDA(cudaGraphExecUpdate(exec, next, &info));
    CUDA(cudaGraphDestroy(next));
    launch("updated each time", exec, 10 + i, false);
  }
  launch("it was updated too often", exec, 14, false);
  next = capture(15);
  CUDA(cudaGraphExecUpdate(exec, next, &info));
  CUDA(cudaGraphDestroy(next));
  launch("updated less often", exec, 15, false);
  launch("updated less often, then launched again", exec, 15, true);
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));
}

static void structure() {
  cudaGraph_t graph, child = capture(7), clone;
  cudaGraphNode_t node, inner;
  CUDA(cudaGraphCreate(&graph, 0));
  CUDA(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child));
  CUDA(cudaGraphDestroy(child));
  cudaGraphExec_t exec = instantiate(graph);
  launch("child", exec, 7, false);
  launch("child again", exec, 7, true);
  CUDA(cudaGraphClone(&clone, graph));
  cudaGraphExec_t cloned = instantiate(clone);
  launch("clone", cloned, 7, false);
  launch("clone again", cloned, 7, true);
  size_t count = 1;
  CUDA(cudaGraphChildGraphNodeGetGraph(node, &child));
  CUDA(cudaGraphGetNodes(child, &inner, &count));
  Node other(8);
  CUDA(cudaGraphExecKernelNodeSetParams(exec, inner, &other.params));
  launch("changed in a child", exec, 8, true);
  child = capture(9);
  CUDA(cudaGraphNodeFindInClone(&node, node, clone));
  CUDA(cudaGraphExecChildGraphNodeSetParams(cloned, node, child));
  launch("a child that was changed", cloned, 9, false);
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphExecDestroy(cloned));
  for (cudaGraph_t each : {graph, clone, child})
    CUDA(cudaGraphDestroy(each));
}

static void add(void *total) {
  *static_cast<int *>(total) += 1;
}
static void subtract(void *total) {
  *static_cast<int *>(total) -= 100;
}

// The proven executable gets the changes of all kinds of nodes.
static void other_nodes() {
  cudaGraph_t graph;
  cudaGraphNode_t kernel, copy, set, host;
  int *copied, *filled, total = 0;
  CUDA(cudaMalloc(&copied, 2 * Size * sizeof(int)));
  CUDA(cudaMalloc(&filled, 2 * Size * sizeof(int)));
  CUDA(cudaMemset(copied, 0, 2 * Size * sizeof(int)));
  CUDA(cudaMemset(filled, 0, 2 * Size * sizeof(int)));
  Node first(20);
  cudaMemsetParams fill{};
  fill.dst = filled;
  fill.elementSize = 4;
  fill.width = Size;
  fill.height = 1;
  fill.value = 5;
  cudaHostNodeParams call{add, &total}, call_next{subtract, &total};
  CUDA(cudaGraphCreate(&graph, 0));
  CUDA(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &first.params));
  CUDA(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, copied, to, Size * sizeof(int), cudaMemcpyDeviceToDevice));
  CUDA(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &fill));
  CUDA(cudaGraphAddHostNode(&host, graph, &set, 1, &call));
  cudaGraphExec_t exec = instantiate(graph);
  launch("with others", exec, 20, false);
  launch("with others again", exec, 20, true);
  expect("copied", 20, true, copied);
  CUDA(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, copied + Size, to, Size * sizeof(int), cudaMemcpyDeviceToDevice));
  fill.value = 6;
  CUDA(cudaGraphExecMemsetNodeSetParams(exec, set, &fill));
  CUDA(cudaGraphExecHostNodeSetParams(exec, host, &call_next));
  CUDA(cudaMemset(copied, 0, 2 * Size * sizeof(int)));
  launch("others have changed", exec, 20, true);
  expect("copied elsewhere", 20, true, copied + Size);
  int beginning[2] = {1, 1};
  CUDA(cudaMemcpy(beginning, copied, 4, cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(beginning + 1, filled, 4, cudaMemcpyDeviceToHost));
  if (beginning[0] != 0 || beginning[1] != 6 || total != 2 - 100)
    printf("others have not changed: %d %d %d\n", beginning[0], beginning[1], total), failures++;
  CUDA(cudaGraphNodeSetEnabled(exec, copy, 0));
  CUDA(cudaMemset(copied, 0, 2 * Size * sizeof(int)));
  launch("a node is off", exec, 20, false);
  cudaGraphExecUpdateResultInfo info;
  launch("a node is off, and the graph is launched again", exec, 20, false);
  CUDA(cudaGraphExecUpdate(exec, graph, &info)); // the update switches the node off
  launch("a node is off after an update", exec, 20, false);
  launch("a node is off after an update, and the graph is launched again", exec, 20, false);
  CUDA(cudaMemcpy(beginning, copied + 1, 4, cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(beginning + 1, copied + Size + 1, 4, cudaMemcpyDeviceToHost));
  if (beginning[0] != 0 || beginning[1] != 0)
    printf("a node that is off has run\n"), failures++;
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));
  CUDA(cudaFree(copied));
  CUDA(cudaFree(filled));
}

// An executable with allocation nodes is not proven.
static void memory_nodes() {
  cudaStream_t stream;
  cudaGraph_t graph;
  int *scratch;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  CUDA(cudaMallocAsync(&scratch, Size * sizeof(int), stream));
  scale<<<4, 256, 0, stream>>>(scratch, From{Size, from}, 30);
  scale<<<4, 256, 0, stream>>>(to, From{Size, scratch}, 1);
  CUDA(cudaFreeAsync(scratch, stream));
  CUDA(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec = instantiate(graph);
  launch("allocates", exec, 31, false);
  launch("allocates again", exec, 31, false);
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));
  CUDA(cudaStreamDestroy(stream));
}

static void count_end(void *ended) {
  ++*static_cast<std::atomic<int> *>(ended);
}

// gasan does not extend lifetimes, and does not change the program's errors.
static void ends() {
  static std::atomic<int> ended;
  cudaGraph_t graph = capture(40);
  cudaUserObject_t object;
  CUDA(cudaUserObjectCreate(&object, &ended, count_end, 1, cudaUserObjectNoDestructorSync));
  CUDA(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  cudaGraphExec_t exec = instantiate(graph);
  CUDA(cudaGraphDestroy(graph));
  if (cudaMemcpy(to, from, 4, cudaMemcpyKind(17)) == cudaSuccess)
    printf("no such direction\n"), failures++;
  cudaError_t waiting = cudaPeekAtLastError();
  CUDA(cudaGraphLaunch(exec, nullptr));
  CUDA(cudaGraphLaunch(exec, nullptr));
  if (cudaPeekAtLastError() != waiting || cudaGetLastError() != waiting || cudaGetLastError() != cudaSuccess)
    printf("an error that nobody has asked for is lost, or stays\n"), failures++;
  expect("an error waits", 40, true);
  if (ended)
    printf("a user object has ended before the executable\n"), failures++;
  CUDA(cudaGraphExecDestroy(exec));
  for (int i = 0; i < 1000 && !ended; i++)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (ended != 1)
    printf("a user object has ended %d times\n", int(ended)), failures++;
}

// An executable runs its launches in order, in all streams.
static void streams() {
  cudaStream_t both[2];
  for (cudaStream_t &stream : both)
    CUDA(cudaStreamCreate(&stream));
  cudaGraph_t graph = capture(50);
  cudaGraphExec_t exec = instantiate(graph);
  for (int i = 0; i < 6; i++)
    CUDA(cudaGraphLaunch(exec, both[i % 2]));
  expect("in two streams", 50, true);
  cudaGraphNode_t node;
  size_t count = 1;
  CUDA(cudaGraphGetNodes(graph, &node, &count));
  CUDA(cudaGraphNodeSetEnabled(exec, node, 1));
  launch("in a third one", exec, 50, false);
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));
  for (cudaStream_t stream : both)
    CUDA(cudaStreamDestroy(stream));
}

// Stream-ordered memory may be freed before a kernel in another stream begins.
static void allocation_stream() {
  cudaStream_t stream, other;
  cudaGraph_t graph;
  int *mine;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CUDA(cudaMallocAsync(&mine, Size * sizeof(int), stream));
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  scale<<<4, 256, 0, stream>>>(mine, From{Size, from}, 55);
  CUDA(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec = instantiate(graph);
  CUDA(cudaGraphLaunch(exec, stream));
  for (int i = 0; i < 2; i++) {
    CUDA(cudaGraphLaunch(exec, stream));
    expect("in the memory's stream", 55, true, mine);
    CUDA(cudaGraphLaunch(exec, other));
    expect("elsewhere", 55, false, mine);
  }
  CUDA(cudaFreeAsync(mine, stream));
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));
  CUDA(cudaStreamSynchronize(stream));
  for (cudaStream_t each : {stream, other})
    CUDA(cudaStreamDestroy(each));
}

static void threads() {
  std::vector<std::thread> all;
  for (int t = 0; t < 4; t++)
    all.emplace_back([t] {
      int *mine;
      cudaStream_t stream;
      cudaGraph_t graph;
      cudaGraphNode_t node;
      CUDA(cudaStreamCreate(&stream));
      CUDA(cudaMalloc(&mine, Size * sizeof(int)));
      Node first(60, mine);
      CUDA(cudaGraphCreate(&graph, 0));
      CUDA(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &first.params));
      cudaGraphExec_t exec = instantiate(graph);
      for (int i = 0; i < 40; i++) {
        int *other;
        CUDA(cudaMalloc(&other, 100 * t + 4));
        Node next(60 + i, mine);
        CUDA(cudaGraphExecKernelNodeSetParams(exec, node, &next.params));
        CUDA(cudaGraphLaunch(exec, stream));
        expect("threads", 60 + i, i > 0, mine);
        CUDA(cudaFree(other));
      }
      CUDA(cudaGraphExecDestroy(exec));
      CUDA(cudaGraphDestroy(graph));
      CUDA(cudaFree(mine));
      CUDA(cudaStreamDestroy(stream));
    });
  for (std::thread &thread : all)
    thread.join();
}

int main(int, char **arguments) {
  on = atoi(arguments[1]);
  CUDA(cudaMalloc(&to, Size * sizeof(int)));
  CUDA(cudaMalloc(&from, Size * sizeof(int)));
  std::vector<int> numbers(Size);
  for (int i = 0; i < Size; i++)
    numbers[i] = i;
  CUDA(cudaMemcpy(from, numbers.data(), Size * sizeof(int), cudaMemcpyHostToDevice));
  captured();
  updated();
  structure();
  other_nodes();
  memory_nodes();
  ends();
  streams();
  allocation_stream();
  threads();
  cudaGraph_t graph = capture(70);
  cudaGraphExec_t exec = instantiate(graph);
  launch("before its handle is known", exec, 70, false);
  launch("before its handle is known", exec, 70, true);
  cudaFunction_t function;
  CUDA(cudaGetFuncBySymbol(&function, reinterpret_cast<void *>(scale)));
  launch("its handle is known", exec, 70, false);
  return failures != 0;
}
