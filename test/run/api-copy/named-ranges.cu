// Calls that take a range and copy nothing are checked too: advice, prefetches, attribute queries, IPC handles.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t advise 2>&1 | FileCheck %s --check-prefix=ADVISE
// RUN: not %run %t prefetch 2>&1 | FileCheck %s --check-prefix=PREFETCH
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %run %t batch 2>&1 | FileCheck %s --check-prefix=BATCH
// RUN: not %run %t discard 2>&1 | FileCheck %s --check-prefix=DISCARD
// RUN: not %run %t attribute 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// RUN: not %run %t attributes 2>&1 | FileCheck %s --check-prefix=ATTRIBUTES
// RUN: not %run %t attach 2>&1 | FileCheck %s --check-prefix=ATTACH
// RUN: not %run %t ipc 2>&1 | FileCheck %s --check-prefix=IPC
// RUN: not %run %t ipc-nowhere 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: %run %t pointer 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed advise 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed prefetch 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed freed 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed batch
// RUN: %run %t.fixed discard
// RUN: %run %t.fixed attribute 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed attributes 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed attach 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed ipc 2>&1 | FileCheck %s --check-prefix=LIVE
#include <cstdio>
#include <cstring>

#ifdef FIXED
const bool fixed = true;
#else
const bool fixed = false;
#endif

// Accepts success, and the error of a device that only checks the range.
static bool fine(cudaError_t error) {
  return error == cudaSuccess || error == cudaErrorNotSupported;
}

static bool pointers(char *managed, char *memory) {
  cudaPointerAttributes attributes;
  int local;
  static char own[64];
  for (void *pointer : {(void *)managed, (void *)(managed + 999), (void *)memory, (void *)&local, (void *)own})
    if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess)
      return false;
  cudaFree(memory);
  cudaFree(managed);
  // A query of freed memory is no error: it returns "unregistered".
  for (void *pointer : {(void *)managed, (void *)memory})
    if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess || attributes.type != cudaMemoryTypeUnregistered)
      return false;
  return true;
}

int main(int, char **arguments) {
  const char *wanted = arguments[1];
  char *managed, *memory;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMallocManaged(&managed, 1000);
  cudaMalloc(&memory, 100);
  const size_t size = fixed ? 1000 : 1001;
  const cudaMemLocation host = {cudaMemLocationTypeHost, 0};
  cudaMemLocation places[1] = {host};
  void *starts[2] = {managed, managed + 500};
  size_t sizes[2] = {500, size - 500}, indices[1] = {0};
  int mostly = 0;
  void *data[1] = {&mostly};
  size_t data_sizes[1] = {sizeof mostly};
  cudaMemRangeAttribute attributes[1] = {cudaMemRangeAttributeReadMostly};
  cudaIpcMemHandle_t handle;
  cudaError_t error = cudaSuccess;
  if (!strcmp(wanted, "advise")) {
    // ADVISE: ERROR: AddressSanitizer: heap-buffer-overflow
    // ADVISE-NEXT: READ of size 1001 at {{0x[0-9a-f]+}} by cudaMemAdvise called by host thread T0:
    // ADVISE: in main {{.*}}named-ranges.cu:[[#@LINE+3]]:
    // ADVISE: is located 0 bytes after 1000-byte region
    // ADVISE: #0 {{0x[0-9a-f]+}} in cudaMallocManaged
    error = cudaMemAdvise(managed, size, cudaMemAdviseSetReadMostly, host);
  }
  if (!strcmp(wanted, "prefetch")) {
    // PREFETCH: ERROR: AddressSanitizer: heap-buffer-overflow
    // PREFETCH-NEXT: READ of size 1000 at {{0x[0-9a-f]+}} by cudaMemPrefetchAsync called by host thread T0:
    // PREFETCH: in main {{.*}}named-ranges.cu:[[#@LINE+2]]:
    // PREFETCH: is located 0 bytes after 1000-byte region
    error = cudaMemPrefetchAsync(managed + 1, fixed ? 999 : 1000, host, 0, stream);
  }
  if (!fixed && (!strcmp(wanted, "freed") || !strcmp(wanted, "attach")))
    cudaFree(managed);
  if (!strcmp(wanted, "freed")) {
    // FREED: ERROR: AddressSanitizer: heap-use-after-free
    // FREED-NEXT: READ of size 1000 at {{0x[0-9a-f]+}} by cudaMemPrefetchAsync called by host thread T0:
    // FREED: in main {{.*}}named-ranges.cu:[[#@LINE+3]]:
    // FREED: freed by host thread T0 here:
    // FREED: in main {{.*}}named-ranges.cu:[[#@LINE-6]]:
    error = cudaMemPrefetchAsync(managed, 1000, host, 0, stream);
  }
  if (!strcmp(wanted, "batch")) {
    // BATCH: ERROR: AddressSanitizer: heap-buffer-overflow
    // BATCH-NEXT: READ of size 501 at {{0x[0-9a-f]+}} by cudaMemPrefetchBatchAsync called by host thread T0:
    // BATCH: in main {{.*}}named-ranges.cu:[[#@LINE+1]]:
    error = cudaMemPrefetchBatchAsync(starts, sizes, 2, places, indices, 1, 0, stream);
  }
  if (!strcmp(wanted, "discard")) {
    // DISCARD: ERROR: AddressSanitizer: heap-buffer-overflow
    // DISCARD-NEXT: WRITE of size 501 at {{0x[0-9a-f]+}} by cudaMemDiscardBatchAsync called by host thread T0:
    // DISCARD: in main {{.*}}named-ranges.cu:[[#@LINE+1]]:
    error = cudaMemDiscardBatchAsync(starts, sizes, 2, 0, stream);
  }
  if (!strcmp(wanted, "attribute")) {
    // ATTRIBUTE: ERROR: AddressSanitizer: heap-buffer-overflow
    // ATTRIBUTE-NEXT: READ of size 1001 at {{0x[0-9a-f]+}} by cudaMemRangeGetAttribute called by host thread T0:
    // ATTRIBUTE: in main {{.*}}named-ranges.cu:[[#@LINE+1]]:
    error = cudaMemRangeGetAttribute(&mostly, sizeof mostly, attributes[0], managed, size);
  }
  if (!strcmp(wanted, "attributes")) {
    // ATTRIBUTES: ERROR: AddressSanitizer: heap-buffer-overflow
    // ATTRIBUTES-NEXT: READ of size 1001 at {{0x[0-9a-f]+}} by cudaMemRangeGetAttributes called by host thread T0:
    // ATTRIBUTES: in main {{.*}}named-ranges.cu:[[#@LINE+1]]:
    error = cudaMemRangeGetAttributes(data, data_sizes, attributes, 1, managed, size);
  }
  if (!strcmp(wanted, "attach")) {
    // ATTACH: ERROR: AddressSanitizer: heap-use-after-free
    // ATTACH-NEXT: READ of size 1 at {{0x[0-9a-f]+}} by cudaStreamAttachMemAsync called by host thread T0:
    // ATTACH: in main {{.*}}named-ranges.cu:[[#@LINE+1]]:
    error = cudaStreamAttachMemAsync(stream, managed);
  }
  if (!fixed && !strcmp(wanted, "ipc"))
    cudaFree(memory);
  if (!strcmp(wanted, "ipc")) {
    // IPC: ERROR: AddressSanitizer: heap-use-after-free
    // IPC-NEXT: READ of size 1 at {{0x[0-9a-f]+}} by cudaIpcGetMemHandle called by host thread T0:
    // IPC: in main {{.*}}named-ranges.cu:[[#@LINE+3]]:
    // LIVE-NOT: ERROR: AddressSanitizer
    // LIVE: {{cudaIpcGetMemHandle: this device|^handle: 0$}}
    error = cudaIpcGetMemHandle(&handle, memory);
    fprintf(stderr, "handle: %d\n", error);
  }
  if (!strcmp(wanted, "ipc-nowhere")) {
    // NOWHERE: ERROR: AddressSanitizer: heap-buffer-overflow
    // NOWHERE-NEXT: READ of size 1 at {{0x[0-9a-f]+}} by cudaIpcGetMemHandle called by host thread T0:
    // NOWHERE: in main {{.*}}named-ranges.cu:[[#@LINE+2]]:
    // NOWHERE: is located 1073741724 bytes after 100-byte region
    error = cudaIpcGetMemHandle(&handle, memory + (size_t(1) << 30));
  }
  if (!strcmp(wanted, "pointer"))
    return !pointers(managed, memory);
  return !fine(error);
}
