// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 -I%S/../../.. %s -o %t
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: %options=graph_proof=0 not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: %options=quarantine_size_mb=0 not %run %t smaller 2>&1 | FileCheck %s --check-prefix=SMALLER
// RUN: %options=graph_proof=0:quarantine_size_mb=0 not %run %t smaller 2>&1 | FileCheck %s --check-prefix=SMALLER
// RUN: %options=quarantine_size_mb=0 %run %t greater 2>&1 >/dev/null | %silent
// RUN: not %run %t changed 2>&1 | FileCheck %s --check-prefix=CHANGED
// RUN: %options=graph_proof=0 not %run %t changed 2>&1 | FileCheck %s --check-prefix=CHANGED
// RUN: %run %t changed-right 2>&1 >/dev/null | %silent
// RUN: not %run %t changed-freed 2>&1 | FileCheck %s --check-prefix=CHANGED-FREED
// RUN: %options=graph_proof=0 not %run %t changed-freed 2>&1 | FileCheck %s --check-prefix=CHANGED-FREED
// RUN: not %run %t updated 2>&1 | FileCheck %s --check-prefix=UPDATED
// RUN: %options=graph_proof=0 not %run %t updated 2>&1 | FileCheck %s --check-prefix=UPDATED
// RUN: %run %t updated-right 2>&1 >/dev/null | %silent
// RUN: not %run %t clone 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: %options=graph_proof=0 not %run %t clone 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %run %t child 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %run %t pending 2>&1 | FileCheck %s --check-prefix=PENDING
// RUN: %options=graph_proof=0 not %run %t pending 2>&1 | FileCheck %s --check-prefix=PENDING
// RUN: %run %t replay 2>&1 >/dev/null | %silent
// RUN: %options=print_stats=1 %run %t replay 2>&1 | FileCheck %s --check-prefix=STATS
// Memory or parameters change after the proof of an executable graph: the next launch has all checks. Its report has
// the same access and the same places as without proofs.
#include <cstdio>
#include <cstring>

#include "by-hand.cuh"

#define CUDA(call)                                                                                                     \
  do {                                                                                                                 \
    cudaError_t error_ = (call);                                                                                       \
    if (error_ != cudaSuccess) {                                                                                       \
      printf("%d: %s: %s\n", __LINE__, #call, cudaGetErrorString(error_));                                             \
      return 2;                                                                                                        \
    }                                                                                                                  \
  } while (0)

int main(int, char **arguments) {
  const char *wanted = arguments[1];
  auto is = [&](const char *name) { return strcmp(wanted, name) == 0; };
  int *to, *from, *small;
  CUDA(cudaMalloc(&from, 8000));
  CUDA(cudaMemset(from, 0, 8000));
  cudaStream_t stream, other;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaStreamCreate(&other));
  if (is("pending"))
    CUDA(cudaMallocAsync(&to, 4000, stream));
  else
    CUDA(cudaMalloc(&to, 4000));
  CUDA(cudaStreamSynchronize(stream));
  // FREED: ERROR: AddressSanitizer: heap-use-after-free
  // FREED: WRITE of size 4 at 0x{{[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // FREED-NEXT: #0 scale {{.*}}by-hand.cuh:15:
  // FREED: launched here by host thread T0
  // FREED: graphs-not-proven.cu:[[#@LINE+82]]
  // FREED: captured into the graph by host thread T0
  // FREED: graphs-not-proven.cu:[[#@LINE+26]]
  // FREED: located 0 bytes inside of 4000-byte region
  // SMALLER: ERROR: AddressSanitizer: heap-buffer-overflow
  // SMALLER: WRITE of size 4 at 0x{{[0-9a-f]+}} by device thread (231,0,0) block (3,0,0)
  // SMALLER-NEXT: #0 scale {{.*}}by-hand.cuh:15:
  // SMALLER: located 0 bytes after 3996-byte region
  // CHANGED: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHANGED: WRITE of size 4 at 0x{{[0-9a-f]+}} by device thread (232,0,0) block (3,0,0)
  // CHANGED-NEXT: #0 scale {{.*}}by-hand.cuh:15:
  // CHANGED: located 0 bytes after 4000-byte region
  // CHANGED-FREED: ERROR: AddressSanitizer: heap-use-after-free
  // CHANGED-FREED: WRITE of size 4 at 0x{{[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // CHANGED-FREED-NEXT: #0 scale {{.*}}by-hand.cuh:15:
  // CHANGED-FREED: located 0 bytes inside of 4100-byte region
  // UPDATED: ERROR: AddressSanitizer: heap-buffer-overflow
  // UPDATED: READ of size 4 at 0x{{[0-9a-f]+}} by device thread (4,0,0) block (2,0,0)
  // UPDATED-NEXT: #0 scale {{.*}}by-hand.cuh:15:
  // UPDATED: located 0 bytes after 2064-byte region
  // PENDING: ERROR: AddressSanitizer: heap-use-after-free
  // PENDING: #0 scale {{.*}}by-hand.cuh:15:
  // STATS: scale: 0 launches proven, 0 not, in graphs 19 proven and 1 not
  // STATS: Stats: graphs: 20 launches, 19 of them with proven kernels, by 1 proofs and 1 changes of kernel nodes
  cudaGraph_t graph, next, outer;
  int *later, *unrelated;
  cudaGraphExec_t exec;
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  scale<<<4, 256, 0, stream>>>(to, From{1000, from}, 0);
  CUDA(cudaStreamEndCapture(stream, &graph));
  if (is("clone"))
    CUDA(cudaGraphClone(&next, graph));
  cudaGraphNode_t node, inner;
  size_t count = 1;
  CUDA(cudaGraphGetNodes(graph, &node, &count));
  CUDA(cudaGraphCreate(&outer, 0));
  CUDA(cudaGraphAddChildGraphNode(&inner, outer, nullptr, 0, graph));
  CUDA(cudaGraphInstantiate(&exec, is("clone") ? next : is("child") ? outer : graph, 0));
  CUDA(cudaMalloc(&small, 516 * sizeof(int)));
  CUDA(cudaMemset(small, 0, 516 * sizeof(int)));
  for (int i = 0; i < (is("replay") ? 19 : 4); i++)
    CUDA(cudaGraphLaunch(exec, stream));
  CUDA(cudaDeviceSynchronize());
  if (is("freed") || is("clone") || is("child"))
    CUDA(cudaFree(to));
  if (is("pending"))
    CUDA(cudaFreeAsync(to, other));
  if (is("smaller") || is("greater")) {
    int *before = to;
    CUDA(cudaFree(to));
    CUDA(cudaMalloc(&to, is("smaller") ? 3996 : 4004));
    if (to != before) {
      printf("the memory is elsewhere\n");
      return 2;
    }
  }
  int start = 0, few = 1000, many = 1001;
  From view{is("changed") ? many : few, from};
  void *values[] = {&to, &view, &start};
  cudaKernelNodeParams params{reinterpret_cast<void *>(scale), dim3(4), dim3(256), 0, values, nullptr};
  if (is("changed") || is("changed-right"))
    CUDA(cudaGraphExecKernelNodeSetParams(exec, node, &params));
  if (is("changed-freed")) {
    CUDA(cudaMalloc(&later, 4100));
    values[0] = &later;
    CUDA(cudaGraphExecKernelNodeSetParams(exec, node, &params));
    for (int i = 0; i < 4; i++) {
      CUDA(cudaGraphLaunch(exec, stream));
      CUDA(cudaMalloc(&unrelated, 4000));
      CUDA(cudaFree(unrelated));
    }
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaFree(later));
  }
  if (is("updated") || is("updated-right")) {
    cudaGraphExecUpdateResultInfo info;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    scale<<<4, 256, 0, stream>>>(to, From{is("updated") ? 1000 : 516, small}, 0);
    CUDA(cudaStreamEndCapture(stream, &next));
    CUDA(cudaGraphExecUpdate(exec, next, &info));
    CUDA(cudaGraphDestroy(next));
  }
  CUDA(cudaGraphLaunch(exec, stream));
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 3;
  return 0;
}
