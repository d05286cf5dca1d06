// Errors of the handle pool: a program without handles, bad values of options, and a CUDA call that it cannot serve.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=pool=handles not %run %t 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: %gasan -O2 %s -fsanitize-gpu-address-pool=handles -o %t.handles
// RUN: %options=pool=handles:handle_bits=17 not %run %t.handles 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: %options=pool=heap not %run %t.handles 2>&1 | FileCheck %s --check-prefix=POOL
// RUN: %options=pool=handles %run %t.handles 2>&1 | FileCheck %s --check-prefix=IPC
// WINDOW: gasan: ERROR: kernel store(int*) uses pointers as addresses,
// WINDOW-SAME: {{^}} but with GASAN_OPTIONS=pool=handles they are handles: compile and link the program with
// WINDOW-SAME: {{^}} -fsanitize-gpu-address-pool=handles
// BITS: gasan: ERROR: GASAN_OPTIONS=handle_bits=17 is out of range (4 to 16)
// POOL: gasan: ERROR: GASAN_OPTIONS=pool=heap is not one of auto, window or handles
// IPC: gasan: cudaIpcGetMemHandle{{.*}} it returns cudaErrorNotSupported
__global__ void store(int *value) {
  *value = 1;
}

int main() {
  int *value;
  cudaIpcMemHandle_t handle;
  cudaMalloc(&value, sizeof *value);
  store<<<1, 1>>>(value);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 2;
  return cudaIpcGetMemHandle(&handle, value) != cudaErrorNotSupported;
}
