// The nodes of an executable graph get new parameters, one by one or from a graph of the same shape. Only later
// launches use them. A call that does not fit the graph returns the reason and changes nothing.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__global__ void add(int *out, const int *in, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + k;
}

__global__ void multiply(int *out, const int *in, int n, int k) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = in[i] * k;
}

static int hosts[2];
static void host0(void *data) {
  hosts[0] += *static_cast<int *>(data);
}
static void host1(void *data) {
  hosts[1] += *static_cast<int *>(data);
}

static const int n = 2000;
static int *a, *b, *c;

static cudaKernelNodeParams kernel(void (*function)(int *, const int *, int, int), void **arguments, int blocks) {
  cudaKernelNodeParams params = {};
  params.func = reinterpret_cast<void *>(function);
  params.gridDim = dim3(blocks);
  params.blockDim = dim3(128);
  params.kernelParams = arguments;
  return params;
}

static std::vector<int> read(const int *from) {
  std::vector<int> values(n);
  CUDA(cudaMemcpy(values.data(), from, n * sizeof(int), cudaMemcpyDeviceToHost));
  return values;
}

struct Nodes {
  cudaGraph_t graph;
  cudaGraphNode_t set, kernel, copy, call;
};

// set b; b + k -> c; c -> a; call
static Nodes make(unsigned value, int k, void (*function)(void *), int *data,
                  void (*compute)(int *, const int *, int, int) = add) {
  Nodes nodes;
  CUDA(cudaGraphCreate(&nodes.graph, 0));
  cudaMemsetParams set = {};
  set.dst = b;
  set.value = value;
  set.elementSize = 4;
  set.width = n;
  set.height = 1;
  CUDA(cudaGraphAddMemsetNode(&nodes.set, nodes.graph, nullptr, 0, &set));
  int size = n;
  void *arguments[] = {&c, &b, &size, &k};
  cudaKernelNodeParams params = kernel(compute, arguments, (n + 127) / 128);
  CUDA(cudaGraphAddKernelNode(&nodes.kernel, nodes.graph, &nodes.set, 1, &params));
  CUDA(cudaGraphAddMemcpyNode1D(&nodes.copy, nodes.graph, &nodes.kernel, 1, a, c, n * sizeof(int),
                                cudaMemcpyDeviceToDevice));
  cudaHostNodeParams call = {function, data};
  CUDA(cudaGraphAddHostNode(&nodes.call, nodes.graph, &nodes.copy, 1, &call));
  return nodes;
}

static void run(cudaGraphExec_t exec, int first, int last, const char *what) {
  CUDA(cudaMemset(a, 0, n * sizeof(int)));
  CUDA(cudaGraphLaunch(exec, nullptr));
  CUDA(cudaDeviceSynchronize());
  std::vector<int> got = read(a);
  EXPECT(got[0] == first && got[n - 1] == last, "%s: %d and %d, not %d and %d", what, got[0], got[n - 1], first, last);
  printf("%s %016llx, hosts %d %d\n", what, (unsigned long long)checksum(got), hosts[0], hosts[1]);
}

int main() {
  CUDA(cudaMalloc(&a, n * sizeof(int)));
  CUDA(cudaMalloc(&b, n * sizeof(int)));
  CUDA(cudaMalloc(&c, n * sizeof(int)));
  int one = 1, ten = 10;
  Nodes nodes = make(100, 7, host0, &one);
  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, nodes.graph, 0));
  run(exec, 107, 107, "as made");

  // One by one. The graph itself does not change.
  int size = n / 2, k = 3;
  void *arguments[] = {&c, &b, &size, &k};
  cudaKernelNodeParams params = kernel(add, arguments, (n + 127) / 128);
  CUDA(cudaGraphExecKernelNodeSetParams(exec, nodes.kernel, &params));
  size = k = 0; // copied by the call
  CUDA(cudaMemset(c, 0, n * sizeof(int)));
  run(exec, 103, 0, "kernel arguments");
  size = n, k = 5;
  params = kernel(multiply, arguments, 4);
  CUDA(cudaGraphExecKernelNodeSetParams(exec, nodes.kernel, &params));
  run(exec, 500, 500, "another kernel");
  cudaMemsetParams set = {};
  set.dst = b;
  set.value = 11;
  set.elementSize = 4;
  set.width = n;
  set.height = 1;
  CUDA(cudaGraphExecMemsetNodeSetParams(exec, nodes.set, &set));
  run(exec, 55, 55, "memset");
  CUDA(cudaGraphExecMemcpyNodeSetParams1D(exec, nodes.copy, a, c, 10 * sizeof(int), cudaMemcpyDeviceToDevice));
  run(exec, 55, 0, "copy");
  cudaHostNodeParams call = {host1, &ten};
  CUDA(cudaGraphExecHostNodeSetParams(exec, nodes.call, &call));
  run(exec, 55, 0, "host");
  cudaKernelNodeParams asked;
  CUDA(cudaGraphKernelNodeGetParams(nodes.kernel, &asked));
  EXPECT(*static_cast<int *>(asked.kernelParams[3]) == 7, "the graph's own node has changed");

  // From a graph of the same shape.
  Nodes other = make(1000, 1, host0, &ten);
  cudaGraphExecUpdateResultInfo info;
  CUDA(cudaGraphExecUpdate(exec, other.graph, &info));
  EXPECT(info.result == cudaGraphExecUpdateSuccess, "result %d", int(info.result));
  CUDA(cudaGraphDestroy(other.graph));
  run(exec, 1001, 1001, "updated");
  other = make(6, 7, host1, &one, multiply);
  CUDA(cudaGraphExecUpdate(exec, other.graph, &info));
  run(exec, 42, 42, "updated again");

  // A new capture, as in programs that do not track changes.
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  cudaGraph_t captured;
  cudaGraphExec_t repeated = nullptr;
  for (int round = 0; round < 4; ++round) {
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    multiply<<<round + 1, 64, 0, stream>>>(a, b, n, round);
    add<<<(n + 63) / 64, 64, 0, stream>>>(c, a, n, round * 100);
    CUDA(cudaStreamEndCapture(stream, &captured));
    if (round == 0)
      CUDA(cudaGraphInstantiate(&repeated, captured, 0));
    else
      CUDA(cudaGraphExecUpdate(repeated, captured, &info));
    CUDA(cudaGraphDestroy(captured));
    CUDA(cudaGraphLaunch(repeated, stream));
    CUDA(cudaStreamSynchronize(stream));
    std::vector<int> got = read(c);
    EXPECT(got[0] == 6 * round + round * 100 && got[n - 1] == got[0], "round %d: %d", round, got[0]);
  }

  // Calls that do not fit.
  Nodes longer = make(1, 1, host0, &one);
  cudaGraphNode_t more;
  CUDA(cudaGraphAddEmptyNode(&more, longer.graph, &longer.call, 1));
  cudaError_t error = cudaGraphExecUpdate(exec, longer.graph, &info);
  EXPECT(error == cudaErrorGraphExecUpdateFailure && info.result == cudaGraphExecUpdateErrorTopologyChanged,
         "a node more: %s, %d", cudaGetErrorName(error), int(info.result));
  Nodes shifted = make(1, 1, host0, &one);
  CUDA(cudaGraphAddDependencies(shifted.graph, &shifted.set, &shifted.call, nullptr, 1));
  error = cudaGraphExecUpdate(exec, shifted.graph, &info);
  EXPECT(error == cudaErrorGraphExecUpdateFailure && info.result == cudaGraphExecUpdateErrorTopologyChanged,
         "an edge more: %s, %d", cudaGetErrorName(error), int(info.result));
  cudaGraph_t different;
  CUDA(cudaGraphCreate(&different, 0));
  cudaGraphNode_t chain[4];
  for (int i = 0; i < 4; ++i)
    CUDA(cudaGraphAddEmptyNode(&chain[i], different, i ? &chain[i - 1] : nullptr, i != 0));
  error = cudaGraphExecUpdate(exec, different, &info);
  EXPECT(error == cudaErrorGraphExecUpdateFailure && info.result == cudaGraphExecUpdateErrorNodeTypeChanged,
         "other types: %s, %d", cudaGetErrorName(error), int(info.result));
  cudaGetLastError();
  run(exec, 42, 42, "as before");
  return passed();
}
