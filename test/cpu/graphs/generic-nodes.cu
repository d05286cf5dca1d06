// cudaGraphAddNode and cudaGraph(Exec)NodeSetParams for every type; conditional nodes with their handle's default
// value; event nodes; a cooperative kernel node; a graph as DOT text.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"
#include <cooperative_groups.h>
#include <unistd.h>

__global__ void append(int *log, int *length, int number) {
  log[(*length)++] = number;
}

__global__ void rotate(int *values, int rounds) { // every block reads its neighbour's result
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  for (int i = 0; i < rounds; ++i) {
    int next = values[(blockIdx.x + 1) % gridDim.x];
    grid.sync();
    values[blockIdx.x] = next;
    grid.sync();
  }
}

static int *logged, *length;
static int called;
static void call(void *data) {
  called += *static_cast<int *>(data);
}

static cudaGraphNode_t add(cudaGraph_t graph, std::vector<cudaGraphNode_t> before, cudaGraphNodeParams &params) {
  cudaGraphNode_t node;
  CUDA(cudaGraphAddNode(&node, graph, before.data(), nullptr, before.size(), &params));
  return node;
}

static cudaGraphNodeParams kernelParams(void **arguments) {
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeKernel;
  params.kernel.func = reinterpret_cast<void *>(append);
  params.kernel.gridDim = params.kernel.blockDim = dim3(1);
  params.kernel.kernelParams = arguments;
  return params;
}

static cudaGraphNode_t kernel(cudaGraph_t graph, std::vector<cudaGraphNode_t> before, int number) {
  void *arguments[] = {&logged, &length, &number};
  cudaGraphNodeParams params = kernelParams(arguments);
  return add(graph, before, params);
}

static void expect(cudaGraphExec_t exec, std::vector<int> numbers, const char *what) {
  CUDA(cudaMemset(length, 0, sizeof(int)));
  CUDA(cudaGraphLaunch(exec, nullptr));
  int count = 0, got[100] = {};
  CUDA(cudaMemcpy(&count, length, sizeof(int), cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(got, logged, sizeof got, cudaMemcpyDeviceToHost));
  printf("%s:", what);
  for (int i = 0; i < count; ++i)
    printf(" %d", got[i]);
  printf("\n");
  EXPECT(std::vector<int>(got, got + count) == numbers, "%s: not what was expected", what);
}

int main() {
  CUDA(cudaMalloc(&logged, 100 * sizeof(int)));
  CUDA(cudaMalloc(&length, sizeof(int)));
  CUDA(cudaMemset(logged, 0, 100 * sizeof(int)));
  cudaGraph_t graph, child;
  CUDA(cudaGraphCreate(&graph, 0));
  CUDA(cudaGraphCreate(&child, 0));
  kernel(child, {}, 50);
  unsigned *words, wordsBack[8];
  CUDA(cudaMalloc(&words, sizeof wordsBack));
  cudaEvent_t start, end;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&end));

  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeEventRecord;
  params.eventRecord.event = start;
  cudaGraphNode_t started = add(graph, {}, params);
  params = {};
  params.type = cudaGraphNodeTypeMemset;
  params.memset.dst = words;
  params.memset.value = 0xbeef;
  params.memset.elementSize = 2;
  params.memset.pitch = 16; // two rows of three
  params.memset.width = 3;
  params.memset.height = 2;
  cudaGraphNode_t zero;
  {
    cudaGraphNodeParams all = {};
    all.type = cudaGraphNodeTypeMemset;
    all.memset.dst = words;
    all.memset.elementSize = 1;
    all.memset.width = sizeof wordsBack;
    all.memset.height = 1;
    zero = add(graph, {started}, all);
  }
  cudaGraphNode_t set = add(graph, {zero}, params);
  cudaGraphNode_t one = kernel(graph, {set}, 1);
  params = {};
  params.type = cudaGraphNodeTypeGraph;
  params.graph.graph = child;
  cudaGraphNode_t inner = add(graph, {one}, params);
  params = {};
  params.type = cudaGraphNodeTypeEmpty;
  cudaGraphNode_t empty = add(graph, {inner}, params);
  cudaGraphNode_t two = kernel(graph, {empty}, 2);
  params = {};
  params.type = cudaGraphNodeTypeMemcpy;
  params.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(words, sizeof wordsBack, sizeof wordsBack, 1);
  params.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(wordsBack, sizeof wordsBack, sizeof wordsBack, 1);
  params.memcpy.copyParams.extent = make_cudaExtent(sizeof wordsBack, 1, 1);
  params.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
  cudaGraphNode_t copy = add(graph, {two}, params);
  params = {};
  params.type = cudaGraphNodeTypeEventRecord;
  params.eventRecord.event = end;
  cudaGraphNode_t ended = add(graph, {copy}, params);
  params = {};
  params.type = cudaGraphNodeTypeWaitEvent;
  params.eventWait.event = end;
  cudaGraphNode_t waited = add(graph, {ended}, params);
  int step = 3;
  params = {};
  params.type = cudaGraphNodeTypeHost;
  params.host.fn = call;
  params.host.userData = &step;
  cudaGraphNode_t host = add(graph, {waited}, params);
  const cudaGraphNodeType types[] = {cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeMemset, cudaGraphNodeTypeGraph,
                                     cudaGraphNodeTypeEmpty,       cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeWaitEvent,
                                     cudaGraphNodeTypeHost};
  const cudaGraphNode_t typed[] = {started, set, inner, empty, copy, waited, host};
  for (int i = 0; i < 7; ++i) {
    cudaGraphNodeType type;
    CUDA(cudaGraphNodeGetType(typed[i], &type));
    EXPECT(type == types[i], "node %d has type %d", i, int(type));
  }
  cudaEvent_t asked;
  CUDA(cudaGraphEventRecordNodeGetEvent(started, &asked));
  EXPECT(asked == start, "another event");
  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  expect(exec, {1, 50, 2}, "generic");
  CUDA(cudaDeviceSynchronize());
  const unsigned right[8] = {0xbeefbeef, 0xbeef, 0, 0, 0xbeefbeef, 0xbeef, 0, 0};
  EXPECT(memcmp(wordsBack, right, sizeof right) == 0, "set in two rows: %x %x %x %x", wordsBack[0], wordsBack[1],
         wordsBack[2], wordsBack[4]);
  EXPECT(called == 3, "called %d", called);
  float milliseconds = -1;
  CUDA(cudaEventElapsedTime(&milliseconds, start, end));
  EXPECT(milliseconds >= 0, "%f ms", milliseconds);

  int number = 7;
  void *arguments[] = {&logged, &length, &number};
  params = kernelParams(arguments);
  CUDA(cudaGraphExecNodeSetParams(exec, two, &params));
  expect(exec, {1, 50, 7}, "set in the executable");
  CUDA(cudaGraphNodeSetParams(one, &params));
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  expect(exec, {7, 50, 2}, "set in the graph");

  // Conditional nodes whose value is the default of each launch.
  const struct {
    cudaGraphConditionalNodeType type;
    unsigned size, value;
    std::vector<int> right;
  } conditions[] = {{cudaGraphCondTypeIf, 1, 0, {1, 2}},          {cudaGraphCondTypeIf, 1, 5, {1, 100, 2}},
                    {cudaGraphCondTypeSwitch, 3, 2, {1, 102, 2}}, {cudaGraphCondTypeSwitch, 3, 0, {1, 100, 2}},
                    {cudaGraphCondTypeSwitch, 3, 3, {1, 2}},      {cudaGraphCondTypeWhile, 1, 0, {1, 2}}};
  for (const auto &condition : conditions) {
    cudaGraph_t outer;
    cudaGraphConditionalHandle handle;
    CUDA(cudaGraphCreate(&outer, 0));
    CUDA(cudaGraphConditionalHandleCreate(&handle, outer, condition.value, cudaGraphCondAssignDefault));
    cudaGraphNode_t before = kernel(outer, {}, 1);
    params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = condition.type;
    params.conditional.size = condition.size;
    cudaGraphNode_t node = add(outer, {before}, params);
    for (unsigned i = 0; i < condition.size; ++i)
      kernel(params.conditional.phGraph_out[i], {}, 100 + int(i));
    kernel(outer, {node}, 2);
    cudaGraphExec_t run;
    CUDA(cudaGraphInstantiate(&run, outer, 0));
    expect(run, condition.right, "conditional");
    expect(run, condition.right, "conditional, again");
    CUDA(cudaGraphExecDestroy(run));
    CUDA(cudaGraphDestroy(outer));
  }

  // Cooperative kernels: by capture, and by a node's attribute.
  const int blocks = 8;
  int *ring, values[blocks], turns = 3;
  CUDA(cudaMalloc(&ring, sizeof values));
  for (int i = 0; i < blocks; ++i)
    values[i] = i;
  CUDA(cudaMemcpy(ring, values, sizeof values, cudaMemcpyHostToDevice));
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  void *ringArguments[] = {&ring, &turns};
  cudaGraph_t captured;
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<void *>(rotate), dim3(blocks), dim3(1), ringArguments, 0, stream));
  CUDA(cudaStreamEndCapture(stream, &captured));
  cudaKernelNodeParams ringParams = {};
  ringParams.func = reinterpret_cast<void *>(rotate);
  ringParams.gridDim = dim3(blocks);
  ringParams.blockDim = dim3(1);
  ringParams.kernelParams = ringArguments;
  size_t count = 1;
  cudaGraphNode_t first, second;
  CUDA(cudaGraphGetNodes(captured, &first, &count));
  cudaKernelNodeAttrValue value = {};
  CUDA(cudaGraphKernelNodeGetAttribute(first, cudaLaunchAttributeCooperative, &value));
  EXPECT(value.cooperative == 1, "captured, but not cooperative");
  turns = 2;
  CUDA(cudaGraphAddKernelNode(&second, captured, &first, 1, &ringParams));
  value.cooperative = 1;
  CUDA(cudaGraphKernelNodeSetAttribute(second, cudaLaunchAttributeCooperative, &value));
  CUDA(cudaGraphInstantiate(&exec, captured, 0));
  CUDA(cudaGraphLaunch(exec, stream));
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaMemcpy(values, ring, sizeof values, cudaMemcpyDeviceToHost));
  for (int i = 0; i < blocks; ++i)
    EXPECT(values[i] == (i + 5) % blocks, "ring %d: %d", i, values[i]);

  // The DOT text contains a digraph.
  char path[64], text[64] = "";
  snprintf(path, sizeof path, "/tmp/gasan-graph-%d.dot", int(getpid()));
  CUDA(cudaGraphDebugDotPrint(graph, path, 0));
  FILE *file = fopen(path, "r");
  EXPECT(file && fgets(text, sizeof text, file) && strstr(text, "digraph"), "no picture: %s", text);
  if (file)
    fclose(file);
  unlink(path);
  return passed();
}
