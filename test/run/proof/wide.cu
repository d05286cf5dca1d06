// RUN: %gasan -fsanitize-gpu-address-mode=bst -fsanitize-gpu-address-launch-proof=off -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %options=graph_proof=0 %run %t graphs-stay 2>&1 >/dev/null | %silent
// RUN: %gasan -fsanitize-gpu-address-mode=shadow -O2 %s -o %t.shadow
// RUN: %run %t.shadow 2>&1 >/dev/null | %silent
// A kernel with a hand-written wide variant for blocks of at most 128 threads, which adds 1000000, so that a test sees
// which variant ran.
#include <cstdio>
#include <cstring>
#include <vector>

static const int Wide = 1000000, Most = 128, Size = 1024;

extern "C" __global__ void number(int *to, int first) {
  to[blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x] = first;
}
extern "C" __attribute__((no_sanitize("address"))) __global__ void __launch_bounds__(Most)
    __gasan_wide_number(int *to, int first) {
  to[blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x] = first + Wide;
}
extern "C" __global__ void other(int *to, int first) {
  to[threadIdx.x] = first;
}

static int *to, failures;

static void expect(const char *what, cudaError_t error, int count, int value) {
  std::vector<int> got(Size);
  if (error == cudaSuccess)
    error = cudaMemcpy(got.data(), to, Size * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < Size && error == cudaSuccess; i++)
    if (got[i] != (i < count ? value : 0)) {
      printf("%s: value %d is %d, not %d\n", what, i, got[i], i < count ? value : 0);
      failures++;
      break;
    }
  if (error != cudaSuccess) {
    printf("%s: %s\n", what, cudaGetErrorString(error));
    failures++;
  }
  cudaMemset(to, 0, Size * sizeof(int));
}

static void forms() {
  int first = 6;
  void *arguments[] = {&to, &first};
  void *function = reinterpret_cast<void *>(number);
  number<<<1, Most>>>(to, 1);
  expect("as large as it may be", cudaGetLastError(), Most, 1 + Wide);
  number<<<1, Most + 1>>>(to, 2);
  expect("one thread more", cudaGetLastError(), Most + 1, 2);
  number<<<1, dim3(Most, 2)>>>(to, 3);
  expect("as many in another dimension", cudaGetLastError(), 2 * Most, 3);
  number<<<4, 32>>>(to, 4);
  expect("small blocks", cudaGetLastError(), 4 * 32, 4 + Wide);
  other<<<1, 32>>>(to, 5);
  expect("a kernel that has none", cudaGetLastError(), 32, 5);
  expect("cooperative", cudaLaunchCooperativeKernel(function, 1, Most, arguments, 0, nullptr), Most, 6 + Wide);
  expect("cooperative, large", cudaLaunchCooperativeKernel(function, 1, Size, arguments, 0, nullptr), Size, 6);
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = Most;
  expect("cudaLaunchKernelExC", cudaLaunchKernelExC(&config, function, arguments), Most, 6 + Wide);
  config.blockDim = Size;
  expect("cudaLaunchKernelExC, large", cudaLaunchKernelExC(&config, function, arguments), Size, 6);
}

static void questions() {
  int blocks = 0;
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, number, Size, 0) || blocks < 1)
    printf("a large block runs, occupancy says %d\n", blocks), failures++;
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, number, Size, 0, 0) || blocks < 1)
    printf("a large block runs, occupancy with flags says %d\n", blocks), failures++;
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, number, Most, 0) || blocks < 1)
    printf("a small block runs, occupancy says %d\n", blocks), failures++;
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, number) || attributes.maxThreadsPerBlock < Size)
    printf("at most %d threads\n", attributes.maxThreadsPerBlock), failures++;
}

static void attributes() {
  const int shared = 60 << 10;
  number<<<1, Most, shared>>>(to, 7);
  if (cudaGetLastError() == cudaSuccess)
    printf("so much shared memory needs an attribute\n"), failures++;
  cudaMemset(to, 0, Size * sizeof(int));
  cudaFuncSetAttribute(number, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  number<<<1, Most, shared>>>(to, 8);
  expect("shared memory", cudaGetLastError(), Most, 8 + Wide);
  number<<<1, Size, shared>>>(to, 9);
  expect("shared memory, large", cudaGetLastError(), Size, 9);
}

// The program's graph has the kernel itself; from the second launch on, a copy of the graph with variants runs.
static void graphs(int again) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  number<<<1, Most, 0, stream>>>(to, 10);
  cudaStreamEndCapture(stream, &graph);
  expect("nothing yet", cudaGraphInstantiate(&exec, graph, 0), 0, 0);
  expect("graph", cudaGraphLaunch(exec, nullptr), Most, 10);
  expect("graph again", cudaGraphLaunch(exec, nullptr), Most, 10 + again);
  cudaGraphNode_t node;
  size_t count = 1;
  cudaGraphGetNodes(graph, &node, &count);
  int first = 11;
  void *arguments[] = {&to, &first};
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void *>(number);
  params.gridDim = 1;
  params.blockDim = Most + 1;
  params.kernelParams = arguments;
  expect("no launch", cudaGraphExecKernelNodeSetParams(exec, node, &params), 0, 0);
  expect("a larger block", cudaGraphLaunch(exec, nullptr), Most + 1, 11);
  params.blockDim = 64;
  expect("no launch either", cudaGraphExecKernelNodeSetParams(exec, node, &params), 0, 0);
  expect("a smaller block", cudaGraphLaunch(exec, nullptr), 64, 11 + again);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

// With the handle, the program may launch the kernel, and set its attributes, without gasan's knowledge.
static void handed_out() {
  cudaFunction_t function;
  if (cudaGetFuncBySymbol(&function, reinterpret_cast<const void *>(number)) != cudaSuccess)
    printf("no handle\n"), failures++;
  number<<<1, Most>>>(to, 12);
  expect("after its handle was given out", cudaGetLastError(), Most, 12);
}

int main(int argc, char **argv) {
  cudaMalloc(&to, Size * sizeof(int));
  cudaMemset(to, 0, Size * sizeof(int));
  forms();
  questions();
  attributes();
  graphs(argc > 1 && !strcmp(argv[1], "graphs-stay") ? 0 : Wide);
  handed_out();
  printf("%d failures\n", failures);
  return failures != 0;
}
