/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Two processes share memory; the kernel of the one that has opened it stores behind it.
// BUG: ERROR: AddressSanitizer: heap-buffer-overflow
// BUG: WRITE of at least [1-4] bytes? at 0x\w+, found when the memory was freed
// BUG: A kernel without checks or another process wrote there
// BUG: located [0-3] bytes after 4000-byte region
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
__global__ void add(int *to, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    to[i] += i;
}
static int use(int from, int to, int count) {
  cudaIpcMemHandle_t handle;
  int *memory, last;
  if (read(from, &handle, sizeof handle) != sizeof handle)
    return 2;
  cudaError_t error = cudaIpcOpenMemHandle((void **)&memory, handle, cudaIpcMemLazyEnablePeerAccess);
  add<<<8, 128>>>(memory, count);
  cudaMemcpy(&last, memory + 999, sizeof last, cudaMemcpyDeviceToHost);
  cudaDeviceSynchronize();
  cudaIpcCloseMemHandle(memory);
  printf("%d %s %s\n", last, cudaGetErrorName(error), cudaGetErrorName(cudaGetLastError()));
  fflush(stdout);
  return write(to, &last, 1) != 1;
}
int main(int count, char **) {
  int handles[2], ends[2], status, *memory, last;
  char end;
  if (pipe(handles) || pipe(ends))
    return 2;
  pid_t child = fork();
  if (!child)
    return use(handles[0], ends[1], count > 1 ? 1001 : 1000);
  cudaIpcMemHandle_t handle;
  cudaMalloc(&memory, 1000 * sizeof *memory);
  add<<<8, 128>>>(memory, 0);
  cudaMemset(memory, 0, 1000 * sizeof *memory);
  cudaDeviceSynchronize();
  cudaError_t error = cudaIpcGetMemHandle(&handle, memory);
  if (write(handles[1], &handle, sizeof handle) != sizeof handle || read(ends[0], &end, 1) != 1)
    return 2;
  waitpid(child, &status, 0);
  cudaMemcpy(&last, memory + 999, sizeof last, cudaMemcpyDeviceToHost);
  cudaFree(memory);
  printf("%d %s %s %d\n", last, cudaGetErrorName(error), cudaGetErrorName(cudaGetLastError()), WEXITSTATUS(status));
}
