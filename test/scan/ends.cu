// A thread that ends before its kernel returns keeps its stores: a later kernel reads them.
// RUN: %verdicts %s 2>&1 | FileCheck %s
// RUN: %verdicts -DCALLEE %s 2>&1 | FileCheck %s
// RUN: %verdicts -DTRAP %s 2>&1 | FileCheck %s
// RUN: %verdicts -DSTAYS %s 2>&1 | FileCheck %s
// RUN: %verdicts -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// RUN: %verdicts -DFIXED -DCALLEE %s 2>&1 | FileCheck %s --check-prefix=FIXED
// RUN: %verdicts -DFIXED -DTRAP %s 2>&1 | FileCheck %s --check-prefix=FIXED
// RUN: %verdicts -DFIXED -DSTAYS %s 2>&1 | FileCheck %s --check-prefix=FIXED

#ifdef FIXED
constexpr int kStored = 3;
#else
constexpr int kStored = 100;
#endif

#ifdef CALLEE
__device__ __noinline__ void leave() {
  __nvvm_exit();
}
#elif defined(TRAP)
__device__ void leave() {
  __trap();
}
#elif defined(STAYS)
__device__ void leave() {
  for (;;)
    __threadfence();
}
#else
__device__ void leave() {
  __nvvm_exit();
}
#endif

__global__ void change(int *index, int *out, bool leaves) {
  if (leaves && blockIdx.x == 0) {
    index[0] = kStored;
    leave();
  }
  // CHECK: ends.cu:[[@LINE+2]]:17: write in change(int*, int*, bool): unknown
  // FIXED: ends.cu:[[@LINE+1]]:17: write in change(int*, int*, bool): proven
  out[index[0]] = 1;
}

__global__ void use(const int *index, int *out) {
  // CHECK: ends.cu:[[@LINE+2]]:17: write in use(int const*, int*): unknown
  // FIXED: ends.cu:[[@LINE+1]]:17: write in use(int const*, int*): proven
  out[index[0]] = 1;
}

int main(int argc, char **argv) {
  int *index, *out, first = 1;
  cudaMalloc(&index, sizeof(int));
  cudaMalloc(&out, 4 * sizeof(int));
  cudaMemcpy(index, &first, sizeof(int), cudaMemcpyHostToDevice);
  change<<<2, 1>>>(index, out, argc > 1);
  use<<<1, 1>>>(index, out);
  cudaDeviceSynchronize();
}
