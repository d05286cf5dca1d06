// Graph nodes and batches that copy or set more bytes than the buffer has are reported.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t copy 2>&1 | FileCheck %s --check-prefix=COPY
// RUN: not %run %t set 2>&1 | FileCheck %s --check-prefix=SET
// RUN: not %run %t change 2>&1 | FileCheck %s --check-prefix=CHANGE
// RUN: not %run %t any 2>&1 | FileCheck %s --check-prefix=ANY
// RUN: not %run %t batch 2>&1 | FileCheck %s --check-prefix=BATCH
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed copy 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed set 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed change 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed any 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed batch 2>&1 >/dev/null | %silent
#include <cstring>

#ifdef FIXED
const size_t size = 100;
#else
const size_t size = 101;
#endif

int main(int, char **arguments) {
  const char *what = arguments[1];
  static char host[200], back[200];
  char *bytes;
  cudaMalloc(&bytes, 100);
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphCreate(&graph, 0);
  cudaError_t error = cudaSuccess;
  cudaMemsetParams set = {};
  set.dst = bytes;
  set.elementSize = 1;
  set.width = 100;
  set.height = 1;
  if (!strcmp(what, "copy"))
    // COPY: ERROR: AddressSanitizer: heap-buffer-overflow
    // COPY-NEXT: WRITE of size 101 at {{0x[0-9a-f]+}} by cudaGraphAddMemcpyNode1D called by host thread T0:
    // COPY: in main {{.*}}graph-nodes.cu:[[#@LINE+1]]:
    error = cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, bytes, host, size, cudaMemcpyHostToDevice);
  if (!strcmp(what, "set")) {
    // SET: ERROR: AddressSanitizer: heap-buffer-overflow
    // SET-NEXT: WRITE of size 101 at {{0x[0-9a-f]+}} by cudaGraphAddMemsetNode called by host thread T0:
    // SET: in main {{.*}}graph-nodes.cu:[[#@LINE+2]]:
    set.width = size;
    error = cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &set);
  }
  if (!strcmp(what, "change")) {
    error = cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &set);
    // CHANGE: ERROR: AddressSanitizer: heap-buffer-overflow
    // CHANGE-NEXT: WRITE of size 101 at {{0x[0-9a-f]+}} by cudaGraphMemsetNodeSetParams called by host thread T0:
    // CHANGE: in main {{.*}}graph-nodes.cu:[[#@LINE+3]]:
    set.width = size;
    if (error == cudaSuccess)
      error = cudaGraphMemsetNodeSetParams(node, &set);
  }
  if (!strcmp(what, "any")) {
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeMemset;
    params.memset.dst = bytes;
    params.memset.elementSize = 1;
    params.memset.width = size;
    params.memset.height = 1;
    // ANY: ERROR: AddressSanitizer: heap-buffer-overflow
    // ANY-NEXT: WRITE of size 101 at {{0x[0-9a-f]+}} by cudaGraphAddNode called by host thread T0:
    // ANY: in main {{.*}}graph-nodes.cu:[[#@LINE+1]]:
    error = cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params);
  }
  if (!strcmp(what, "batch")) {
    void *to[2] = {bytes, back};
    const void *from[2] = {host, bytes + 50};
    size_t sizes[2] = {50, size - 50}, index = 0;
    cudaMemcpyAttributes attributes = {};
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    // BATCH: ERROR: AddressSanitizer: heap-buffer-overflow
    // BATCH-NEXT: READ of size 51 at {{0x[0-9a-f]+}} by cudaMemcpyBatchAsync called by host thread T0:
    // BATCH: in main {{.*}}graph-nodes.cu:[[#@LINE+1]]:
    error = cudaMemcpyBatchAsync(to, from, sizes, 2, &attributes, &index, 1, stream);
  } else if (error == cudaSuccess) {
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, graph, 0);
    error = cudaGraphLaunch(exec, nullptr);
  }
  return error != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess;
}
