// Instructions that the CPU device lacks, in templates and more than once: each is named once, with a short name.
// RUN: env CUDA_HOME=%cuda GASAN_PTXAS_FLAGS=--strict %gasan_nvcc --front-end=nvcc \
// RUN:   -gencode arch=compute_90a,code=sm_90a %s -o %t 2>&1 | FileCheck --implicit-check-not=warning: %s
// RUN: %t 2>&1 | FileCheck --check-prefix=LAUNCH %s
template <typename T, int... Numbers>
__global__ void wait_for_products(T *to) {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  // CHECK: warning: unsupported.cu:[[#@LINE-1]]:{{[0-9]+}}: in wait_for_products: inline PTX "wgmma.fence.sync.aligned"
  // CHECK-SAME: {{^}} is not supported on the CPU device
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  // CHECK: warning: unsupported.cu:[[#@LINE-1]]:{{[0-9]+}}: in wait_for_products: inline PTX
  // CHECK-SAME: "wgmma.commit_group.sync.aligned" is not supported on the CPU device
  // CHECK: gasan-nvcc: note: for a program that runs on GPUs only, -fsanitize-gpu-address-devices=cuda makes no code
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  to[0] = sizeof...(Numbers);
}

int main() {
  float *to;
  cudaMalloc(&to, sizeof *to);
  wait_for_products<float, 1, 2, 3><<<1, 128>>>(to);
  wait_for_products<float, 1, 2, 3, 4><<<1, 128>>>(to);
  // LAUNCH: gasan: kernel {{.*}}wait_for_products{{.*}}: not supported on the CPU device: inline PTX "wgmma.fence
  return cudaDeviceSynchronize() != cudaErrorNotSupported;
}
