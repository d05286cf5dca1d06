// RUN: %gasan -O2 %s -o %t
// RUN: not %run pool=handles %t | %check WINDOW
// RUN: %gasan -O2 %s -fsanitize-gpu-address-pool=handles -o %t.handles
// RUN: not %run pool=handles handle_bits=17 %t.handles | %check BITS
// RUN: not %run pool=heap %t.handles | %check POOL
// RUN: %run pool=handles %t.handles | %check IPC
// WINDOW: gasan: ERROR: kernel store(int*) takes pointers for addresses, but the pool moves (GASAN_OPTIONS=pool=handles): compile and link the program with -fsanitize-gpu-address-pool=handles
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
