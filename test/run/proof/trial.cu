// A kernel that is proven in part is compared with the kernel with all checks in some of its launches. Each launch has
// the right results and finds the bug, whichever runs, in two streams.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: %options=print_stats=1 %run %t 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: %options=launch_proof=0 %run %t 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: for launch in 3 9 10 12 14 15 16 17 30; do \
// RUN:   not %run %t $launch 2>&1 | FileCheck %s --check-prefix=BUG || exit 1; done
// FINE-NOT: ERROR
// FINE: 0 wrong, no CUDA error
// Four launches were timed with all checks. If the variant was slower, all launches behind the trial have all checks.
// STATS: launch proof: 0 of 50 launches proven, {{46|[123]?[0-9]}} in part
// STATS: Stats:   gather(float*, float const*, int const*, int): 0 launches proven
#include <cstdio>
#include <cstdlib>

__global__ void gather(float *to, const float *from, const int *indices, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BUG: ERROR: AddressSanitizer: heap-buffer-overflow
  // BUG: READ of size 4
  // BUG-NEXT: #0 gather(float*, float const*, int const*, int) {{.*}}trial.cu:[[#@LINE+4]]:{{[0-9]+}}
  // BUG: located 0 bytes after 4000-byte region
  // BUG: allocated by host thread T0 here:
  if (i < n)
    to[i] += from[indices[i]];
}

int main(int argc, char **argv) {
  const int n = 1000, bug = argc > 1 ? atoi(argv[1]) : -1;
  float *to, *from;
  int *indices, host[n];
  cudaMalloc(&to, n * sizeof(float));
  cudaMalloc(&from, n * sizeof(float));
  cudaMalloc(&indices, n * sizeof(int));
  float ones[n], result[n];
  for (int i = 0; i < n; i++) {
    host[i] = n - 1 - i;
    ones[i] = 1;
  }
  cudaMemcpy(from, ones, sizeof ones, cudaMemcpyHostToDevice);
  cudaMemcpy(indices, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(to, 0, sizeof ones);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (int launch = 0; launch < 50; launch++) {
    if (launch == bug)
      cudaMemcpy(indices, &n, sizeof n, cudaMemcpyHostToDevice);
    const int blocks = launch < 40 ? 4 : 8;
    cudaStream_t into = launch % 2 ? stream : nullptr;
    gather<<<blocks, 256, 0, into>>>(to, from, indices, n);
    cudaStreamSynchronize(stream); // `stream` does not wait for itself only: the default stream waits for it
    cudaStreamSynchronize(nullptr);
  }
  cudaMemcpy(result, to, sizeof result, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; i++)
    wrong += result[i] != 50;
  const cudaError_t error = cudaGetLastError();
  printf("%d wrong, %s\n", wrong, error == cudaSuccess ? "no CUDA error" : cudaGetErrorName(error));
  return wrong != 0;
}
