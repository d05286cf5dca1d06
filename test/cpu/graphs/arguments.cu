// A kernel node contains copies of its arguments from the time when it was added or captured: structs of any size and
// alignment with arrays, templates, closures of lambdas, dynamic shared memory.
// RUN: %gasan -O2 -std=c++17 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

struct Small {
  char tag;
  short value;
};
struct alignas(16) Wide {
  double factor;
  float more[3];
  char last;
};
struct Big {
  int values[900];
  unsigned char tail[3];
};

__global__ void mixed(char a, Small small, double b, Wide wide, char c, Big big, long long *out) {
  int i = threadIdx.x;
  double real = b * wide.factor + double(wide.more[i % 3]);
  out[i] = a + small.tag * 3 + small.value + (long long)(real) + c * 7 + big.values[i * 13 % 900] + big.tail[i % 3] +
           wide.last;
}

template <typename F>
__global__ void apply(F f, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = f(i);
}

template <typename T, int N>
__global__ void reverse(T *values) {
  extern __shared__ unsigned char raw[];
  T *shared = reinterpret_cast<T *>(raw);
  shared[threadIdx.x] = values[threadIdx.x] * N;
  __syncthreads();
  values[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

int main() {
  const int threads = 200, n = 1000;
  long long *sums;
  int *applied;
  short *reversed;
  CUDA(cudaMalloc(&sums, 3 * threads * sizeof(long long)));
  CUDA(cudaMalloc(&applied, n * sizeof(int)));
  CUDA(cudaMalloc(&reversed, threads * sizeof(short)));
  Random random(9);
  std::vector<long long> expected(3 * threads), got(3 * threads);
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  Big big;
  Wide wide;
  for (int launch = 0; launch < 3; ++launch) { // the same variables with other values each time
    char a = char(launch + 1), c = char(10 - launch);
    Small small = {char(launch), short(1000 * launch)};
    double b = 1.5 + launch;
    wide = {2.0 * launch, {1.0f, 2.0f + launch, 3.0f}, char(launch + 5)};
    for (int &v : big.values)
      v = int(random.below(1 << 20));
    for (unsigned char &v : big.tail)
      v = (unsigned char)random.below(256);
    for (int i = 0; i < threads; ++i)
      expected[launch * threads + i] = a + small.tag * 3 + small.value +
                                       (long long)(b * wide.factor + double(wide.more[i % 3])) + c * 7 +
                                       big.values[i * 13 % 900] + big.tail[i % 3] + wide.last;
    mixed<<<1, threads, 0, stream>>>(a, small, b, wide, c, big, sums + launch * threads);
    CUDA(cudaGetLastError());
  }
  memset(&big, 0xff, sizeof big);
  int weights[4] = {3, 5, 7, 11};
  auto f = [=] __device__(int i) { return i * weights[i % 4] + weights[0]; };
  apply<<<(n + 127) / 128, 128, 0, stream>>>(f, applied, n);
  weights[0] = weights[1] = 0;
  reverse<short, 3><<<1, threads, threads * sizeof(short), stream>>>(reversed);
  cudaGraphExec_t exec;
  CUDA(cudaStreamEndCapture(stream, &graph));
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  std::vector<short> shorts(threads);
  for (int i = 0; i < threads; ++i)
    shorts[i] = short(i + 1);
  CUDA(cudaMemcpy(reversed, shorts.data(), threads * sizeof(short), cudaMemcpyHostToDevice));
  CUDA(cudaGraphLaunch(exec, stream));
  CUDA(cudaGraphLaunch(exec, stream));
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaMemcpy(got.data(), sums, got.size() * sizeof(long long), cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT(got[i] == expected[i], "%zu: %lld, not %lld", i, got[i], expected[i]);
  std::vector<int> values(n);
  CUDA(cudaMemcpy(values.data(), applied, n * sizeof(int), cudaMemcpyDeviceToHost));
  const int kept[4] = {3, 5, 7, 11};
  for (int i = 0; i < n; ++i)
    EXPECT(values[i] == i * kept[i % 4] + 3, "lambda %d: %d", i, values[i]);
  CUDA(cudaMemcpy(shorts.data(), reversed, threads * sizeof(short), cudaMemcpyDeviceToHost));
  for (int i = 0; i < threads; ++i)
    EXPECT(shorts[i] == (i + 1) * 9, "reversed twice %d: %d", i, shorts[i]);

  // The same without capture, for one kernel.
  char a = 1, c = 2;
  Small small = {3, 4};
  double b = 5;
  wide = {6, {7, 8, 9}, 10};
  for (int i = 0; i < 900; ++i)
    big.values[i] = i;
  void *arguments[] = {&a, &small, &b, &wide, &c, &big, &sums};
  cudaKernelNodeParams params = {};
  params.func = reinterpret_cast<void *>(mixed);
  params.gridDim = dim3(1);
  params.blockDim = dim3(threads);
  params.kernelParams = arguments;
  cudaGraph_t explicitGraph;
  cudaGraphNode_t node;
  CUDA(cudaGraphCreate(&explicitGraph, 0));
  CUDA(cudaGraphAddKernelNode(&node, explicitGraph, nullptr, 0, &params));
  a = c = 0;
  wide.factor = b = -1;
  memset(big.values, 0, sizeof big.values);
  CUDA(cudaGraphInstantiate(&exec, explicitGraph, 0));
  CUDA(cudaGraphLaunch(exec, stream));
  CUDA(cudaMemcpyAsync(got.data(), sums, threads * sizeof(long long), cudaMemcpyDeviceToHost, stream));
  CUDA(cudaStreamSynchronize(stream));
  for (int i = 0; i < threads; ++i) {
    long long right = 1 + 9 + 4 + (30 + 7 + i % 3) + 14 + i * 13 % 900 + 255 + 10;
    EXPECT(got[i] == right, "by hand %d: %lld, not %lld", i, got[i], right);
  }
  printf("sums %016llx\n", (unsigned long long)checksum(got));
  return passed();
}
