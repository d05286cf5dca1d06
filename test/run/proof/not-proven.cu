// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 -I%S/../../.. %s -o %t
// RUN: not %run %t count 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: %options=launch_proof=0 not %run %t count 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not %run %t from 2>&1 | FileCheck %s --check-prefix=FROM
// RUN: %options=launch_proof=0 not %run %t from 2>&1 | FileCheck %s --check-prefix=FROM
// RUN: not %run %t inside 2>&1 | FileCheck %s --check-prefix=INSIDE
// RUN: %options=launch_proof=0 not %run %t inside 2>&1 | FileCheck %s --check-prefix=INSIDE
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: %options=launch_proof=0 not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %run %t null 2>&1 | FileCheck %s --check-prefix=NULL
// RUN: %options=launch_proof=0 not %run %t null 2>&1 | FileCheck %s --check-prefix=NULL
// RUN: not %run %t graph 2>&1 | FileCheck %s --check-prefix=GRAPH
// RUN: not %run %t update 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: %run %t replay 2>&1 >/dev/null | %silent
// RUN: not %run %t wild 2>&1 | FileCheck %s --check-prefix=WILD
// RUN: %options=launch_proof=0 not %run %t wild 2>&1 | FileCheck %s --check-prefix=WILD
// RUN: not %run %t misaligned 2>&1 | FileCheck %s --check-prefix=MISALIGNED
// RUN: %options=halt_on_error=0:print_stats=1 not %run %t count 2>&1 | FileCheck %s --check-prefix=STATS
// Launches that cannot be proven, after one that was: they have all checks, and the same report as without proofs.
#include <cstdio>
#include <cstring>

#include "by-hand.cuh"

int main(int, char **arguments) {
  const char *wanted = arguments[1];
  int *to, *from, *small;
  // COUNT: ERROR: AddressSanitizer: heap-buffer-overflow
  // COUNT: WRITE of size 4 at 0x{{[0-9a-f]+}} by device thread (232,0,0) block (3,0,0)
  // COUNT-NEXT: #0 scale {{.*}}by-hand.cuh:15:
  // COUNT: located 0 bytes after 4000-byte region
  // INSIDE: ERROR: AddressSanitizer: heap-buffer-overflow
  // INSIDE: thread (231,0,0) block (3,0,0)
  // INSIDE: #0 scale {{.*}}by-hand.cuh:15:
  // INSIDE: located 0 bytes after 4000-byte region
  // FREED: ERROR: AddressSanitizer: heap-use-after-free
  // FREED: thread (0,0,0) block (0,0,0)
  // FREED: #0 scale {{.*}}by-hand.cuh:15:
  // FREED: located 0 bytes inside of 4000-byte region
  // GRAPH: ERROR: AddressSanitizer: heap-use-after-free
  // GRAPH: #0 scale {{.*}}by-hand.cuh:15:
  // GRAPH: located 0 bytes inside of 4000-byte region
  cudaMalloc(&to, 4000);
  cudaMalloc(&from, 8000);
  // FROM: ERROR: AddressSanitizer: heap-buffer-overflow
  // FROM: READ of size 4 at 0x{{[0-9a-f]+}} by device thread (4,0,0) block (2,0,0)
  // FROM-NEXT: #0 scale {{.*}}by-hand.cuh:15:
  // FROM: located 0 bytes after 2064-byte region
  cudaMalloc(&small, 516 * sizeof(int));
  // NULL: ERROR: AddressSanitizer: null-address
  // NULL: #0 scale {{.*}}by-hand.cuh:15:
  // WILD: ERROR: AddressSanitizer: wild-address
  // WILD: #0 scale {{.*}}by-hand.cuh:15:
  // MISALIGNED: ERROR: AddressSanitizer: misaligned-access
  // MISALIGNED: #0 scale {{.*}}by-hand.cuh:15:
  // STATS: scale: {{[0-9]+}} launches proven, 1 not, in graphs 0 proven and 1 not; the latest (1 of 2 claims hold):
  // STATS-SAME: {{^}} {{.*}} may touch bytes 0 to 4003 of 4000 bytes (argument 1)
  cudaMemset(from, 0, 8000);
  cudaMemset(small, 0, 516 * sizeof(int));
  scale<<<4, 256>>>(to, From{1000, from}, 0);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  scale<<<4, 256, 0, stream>>>(to, From{1000, from}, 0);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  scale<<<1, 100>>>(to, From{100, small}, 0);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 2;
  if (!strcmp(wanted, "count"))
    scale<<<4, 256>>>(to, From{1001, from}, 0);
  if (!strcmp(wanted, "from"))
    scale<<<4, 256>>>(to, From{1000, small}, 0);
  if (!strcmp(wanted, "inside"))
    scale<<<4, 256>>>(to + 1, From{1000, from}, 0);
  if (!strcmp(wanted, "null"))
    scale<<<4, 256>>>(nullptr, From{1000, from}, 0);
  if (!strcmp(wanted, "wild"))
    scale<<<4, 256>>>(to + (1 << 28), From{1000, from}, 0);
  if (!strcmp(wanted, "misaligned"))
    scale<<<4, 256>>>(reinterpret_cast<int *>(reinterpret_cast<char *>(to) + 2), From{900, from}, 0);
  if (!strcmp(wanted, "freed") || !strcmp(wanted, "graph"))
    cudaFree(to);
  if (!strcmp(wanted, "freed"))
    scale<<<4, 256>>>(to, From{1000, from}, 0);
  if (!strcmp(wanted, "update") || !strcmp(wanted, "replay")) {
    cudaGraphNode_t node;
    size_t count = 1;
    cudaKernelNodeParams params;
    cudaGraphGetNodes(graph, &node, &count);
    cudaGraphKernelNodeGetParams(node, &params);
    From view{!strcmp(wanted, "update") ? 1001 : 900, from};
    int start = 0;
    void *values[] = {&to, &view, &start};
    params.kernelParams = values;
    if (cudaGraphExecKernelNodeSetParams(exec, node, &params) != cudaSuccess)
      return 3;
  }
  if (!strcmp(wanted, "graph") || !strcmp(wanted, "update") || !strcmp(wanted, "replay"))
    cudaGraphLaunch(exec, stream);
  return cudaDeviceSynchronize() != cudaSuccess;
}
