// Capture over several streams: a stream that waits for an event of a capturing stream captures too, and a wait for its
// own event joins it. The graph has exactly the edges of the events; nothing else orders its branches.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__global__ void step(const int *in, int *out, int n, int factor, int addend) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * factor + addend;
}

__global__ void join(const int *a, const int *b, const int *c, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] ^ b[i] ^ c[i];
}

static bool capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status;
  CUDA(cudaStreamIsCapturing(stream, &status));
  return status == cudaStreamCaptureStatusActive;
}

int main() {
  const int n = 4000, blocks = (n + 255) / 256;
  std::vector<int> in(n), out(n);
  Random random(21);
  int *d[5];
  for (int *&p : d)
    CUDA(cudaMalloc(&p, n * sizeof(int)));
  cudaStream_t first, left, right;
  CUDA(cudaStreamCreate(&first));
  CUDA(cudaStreamCreateWithFlags(&left, cudaStreamNonBlocking));
  CUDA(cudaStreamCreate(&right));
  cudaEvent_t fork, leftDone, rightDone;
  CUDA(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CUDA(cudaEventCreateWithFlags(&leftDone, cudaEventDisableTiming));
  CUDA(cudaEventCreateWithFlags(&rightDone, cudaEventDisableTiming));

  CUDA(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal));
  step<<<blocks, 256, 0, first>>>(d[0], d[1], n, 3, 1);
  CUDA(cudaEventRecord(fork, first));
  EXPECT(!capturing(left) && !capturing(right), "before the fork");
  CUDA(cudaStreamWaitEvent(left, fork, 0));
  CUDA(cudaStreamWaitEvent(right, fork, 0));
  EXPECT(capturing(first) && capturing(left) && capturing(right), "behind the fork");
  step<<<blocks, 256, 0, left>>>(d[1], d[2], n, 5, 2);
  step<<<blocks, 256, 0, right>>>(d[1], d[3], n, 7, 3);
  step<<<blocks, 256, 0, left>>>(d[2], d[2], n, 11, 4);
  step<<<blocks, 256, 0, first>>>(d[1], d[4], n, 13, 5);
  CUDA(cudaEventRecord(leftDone, left));
  CUDA(cudaEventRecord(rightDone, right));
  CUDA(cudaStreamWaitEvent(first, leftDone, 0));
  CUDA(cudaStreamWaitEvent(first, rightDone, 0));
  join<<<blocks, 256, 0, first>>>(d[2], d[3], d[4], d[0], n);
  CUDA(cudaGetLastError());
  cudaGraph_t graph;
  CUDA(cudaStreamEndCapture(first, &graph));
  EXPECT(!capturing(first) && !capturing(left) && !capturing(right), "behind the capture");

  size_t nodes = 0, edges = 0, roots = 0;
  CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
  CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  CUDA(cudaGraphGetRootNodes(graph, nullptr, &roots));
  EXPECT(nodes == 6 && edges == 7 && roots == 1, "%zu nodes, %zu edges, %zu roots", nodes, edges, roots);

  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CUDA(cudaGraphDestroy(graph));
  for (int &v : in)
    v = int(random.next());
  CUDA(cudaMemcpy(d[0], in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  cudaStream_t streams[] = {first, left, right};
  for (int launch = 0; launch < 6; ++launch) { // in any stream, also in those that were captured
    CUDA(cudaGraphLaunch(exec, streams[launch % 3]));
    CUDA(cudaStreamSynchronize(streams[launch % 3]));
    for (int &value : in) {
      unsigned v = unsigned(value) * 3 + 1;
      value = int(((v * 5 + 2) * 11 + 4) ^ (v * 7 + 3) ^ (v * 13 + 5));
    }
  }
  CUDA(cudaMemcpy(out.data(), d[0], n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i)
    EXPECT(out[i] == in[i], "%d: %d, not %d", i, out[i], in[i]);
  printf("results %016llx\n", (unsigned long long)checksum(out));

  // A branch without work needs no join, and events may be recorded again.
  CUDA(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal));
  step<<<blocks, 256, 0, first>>>(d[0], d[1], n, 1, 1);
  for (int i = 0; i < 3; ++i) {
    CUDA(cudaEventRecord(fork, first));
    CUDA(cudaStreamWaitEvent(left, fork, 0));
    step<<<blocks, 256, 0, left>>>(d[1], d[1], n, 2, i);
    CUDA(cudaEventRecord(leftDone, left));
    CUDA(cudaStreamWaitEvent(first, leftDone, 0));
  }
  CUDA(cudaEventRecord(fork, first));
  CUDA(cudaStreamWaitEvent(right, fork, 0));
  CUDA(cudaStreamEndCapture(first, &graph));
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CUDA(cudaGraphLaunch(exec, right));
  CUDA(cudaStreamSynchronize(right));
  CUDA(cudaMemcpy(out.data(), d[1], n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    unsigned expected = (((unsigned(in[i]) + 1) * 2) * 2 + 1) * 2 + 2;
    EXPECT(out[i] == int(expected), "%d: %d, not %u", i, out[i], expected);
  }
  printf("chain %016llx\n", (unsigned long long)checksum(out));
  return passed();
}
