// Stream capture: work in a capturing stream is not executed but becomes a graph. Each launch of the graph executes the
// work, with the arguments of the capture: copies, sets, symbols and host functions in all forms.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__device__ int scale = 1;
__constant__ int offsets[16];

__global__ void fill(int *out, int n, int seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = i * seed;
}

__global__ void combine(const int *a, const int *b, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] += a[i] * scale + b[i] + offsets[i % 16];
}

static void count(void *data) {
  ++*static_cast<int *>(data);
}

int main() {
  const int n = 5000, blocks = (n + 127) / 128, width = 100, height = 50, pitch = 128;
  int *in, *out, *symbols, *back;
  CUDA(cudaMallocHost(&in, n * sizeof(int)));
  CUDA(cudaMallocHost(&out, n * sizeof(int)));
  CUDA(cudaMallocHost(&symbols, 17 * sizeof(int)));
  CUDA(cudaMallocHost(&back, pitch * height));
  int *a, *b, *c;
  unsigned char *plane;
  CUDA(cudaMalloc(&a, n * sizeof(int)));
  CUDA(cudaMalloc(&b, n * sizeof(int)));
  CUDA(cudaMalloc(&c, n * sizeof(int)));
  CUDA(cudaMalloc(&plane, pitch * height));
  CUDA(cudaMemset(c, 0, n * sizeof(int)));
  CUDA(cudaMemset(plane, 7, pitch * height));
  CUDA(cudaDeviceSynchronize()); // the stream has no other work
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  int calls = 0;
  Random random(11);
  for (int i = 0; i < n; ++i)
    in[i] = -1;
  for (int i = 0; i < n; ++i)
    out[i] = -2;

  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  int seed = 3, *target = a;
  CUDA(cudaMemcpyToSymbolAsync(scale, symbols, sizeof(int), 0, cudaMemcpyHostToDevice, stream));
  CUDA(cudaMemcpyToSymbolAsync(offsets, symbols + 1, 8 * sizeof(int), 8 * sizeof(int), cudaMemcpyHostToDevice, stream));
  fill<<<blocks, 128, 0, stream>>>(target, n, seed);
  CUDA(cudaGetLastError());
  seed = 99; // captured by value: no effect
  target = nullptr;
  CUDA(cudaMemcpyAsync(b, in, n * sizeof(int), cudaMemcpyHostToDevice, stream));
  combine<<<blocks, 128, 0, stream>>>(a, b, c, n);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpyAsync(b, c, n * sizeof(int), cudaMemcpyDeviceToDevice, stream));
  CUDA(cudaMemsetAsync(a, 0xab, n * sizeof(int), stream));
  CUDA(cudaMemset2DAsync(plane + 10, pitch, 0x5c, width, height - 1, stream));
  CUDA(cudaMemcpyAsync(out, b, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CUDA(cudaMemcpy2DAsync(back, pitch, plane, pitch, width + 20, height, cudaMemcpyDeviceToHost, stream));
  CUDA(cudaMemcpyFromSymbolAsync(symbols + 16, offsets, sizeof(int), 15 * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CUDA(cudaLaunchHostFunc(stream, count, &calls));
  cudaGraph_t graph;
  CUDA(cudaStreamEndCapture(stream, &graph));
  CUDA(cudaStreamSynchronize(stream));
  EXPECT(calls == 0, "host function called %d times while capturing", calls);
  EXPECT(out[0] == -2 && out[n - 1] == -2, "copied while capturing: %d", out[0]);
  size_t nodes = 0;
  CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 12, "%zu nodes", nodes);

  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CUDA(cudaGraphDestroy(graph)); // the executable does not need it
  std::vector<int> expected(n, 0);
  uint64_t sum = 0;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < n; ++i)
      in[i] = int(random.below(1000));
    symbols[0] = round + 2;
    for (int i = 1; i < 9; ++i)
      symbols[i] = int(random.below(100));
    symbols[16] = -1;
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; ++i) {
      expected[i] += i * 3 * (round + 2) + in[i] + (i % 16 >= 8 ? symbols[1 + i % 16 - 8] : 0);
      EXPECT(out[i] == expected[i], "round %d, %d: %d, not %d", round, i, out[i], expected[i]);
    }
    EXPECT(symbols[16] == symbols[8], "symbol %d, not %d", symbols[16], symbols[8]);
    EXPECT(calls == round + 1, "%d calls", calls);
    sum = checksum(out, n * sizeof(int), sum);
  }
  const unsigned char *bytes = reinterpret_cast<unsigned char *>(back);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width + 20; ++x) {
      int right = y < height - 1 && x >= 10 && x < 10 + width ? 0x5c : 7;
      EXPECT(bytes[y * pitch + x] == right, "(%d,%d): %d", x, y, bytes[y * pitch + x]);
    }
  std::vector<unsigned> filled(n);
  CUDA(cudaMemcpy(filled.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i)
    EXPECT(filled[i] == 0xabababab, "%d: %x", i, filled[i]);
  printf("results %016llx\n", (unsigned long long)sum);
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaStreamDestroy(stream));
  return passed();
}
