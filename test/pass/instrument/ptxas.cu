// ptxas accepts the instrumented code, runtime included, for each architecture; a kernel with checks needs no stack.
// RUN: %cuda/bin/ptxas --version
// RUN: for arch in sm_75 sm_80 sm_90; do for level in -O0 -O2; do \
// RUN:   %clangxx -x cuda --cuda-path=%cuda -Wno-unknown-cuda-version --cuda-device-only --offload-arch=$arch $level \
// RUN:     %s -S -o %t.ptx \
// RUN:     -Xclang -fsanitize=address -mllvm -asan-globals=0 -mllvm -asan-constructor-kind=none \
// RUN:     -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-instrument -mllvm -gasan-mode=shadow \
// RUN:     -mllvm -gasan-device-runtime=%device_bc || exit 1; \
// RUN:   %cuda/bin/ptxas -arch=$arch -v %t.ptx -o %t.cubin 2> %t.$arch$level.log || exit 1; \
// RUN: done; done
// RUN: FileCheck %s < %t.sm_80-O2.log
// RUN: FileCheck %s < %t.sm_90-O2.log
// RUN: llvm-readelf -s %t.cubin | FileCheck %s --check-prefix=SYMBOLS

// Full occupancy of these architectures needs at most 32 registers a thread: the report must not exceed this.
// CHECK: Compiling entry function
// CHECK: 0 bytes stack frame
// CHECK: Used {{[0-9]|[12][0-9]|3[012]}} registers
// SYMBOLS-DAG: OBJECT GLOBAL {{.*}} __gasan_params
// SYMBOLS-DAG: OBJECT GLOBAL {{.*}} __gasan_sites

struct Wide {
  float values[12];
};

__shared__ float tile[256];

__global__ void everything(float *x, const double *y, Wide *w, unsigned long long *counter, short *packed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  tile[threadIdx.x] = x[i];
  __syncthreads();
  x[i] = tile[255 - threadIdx.x] * float(__ldg(y + i));
  w[i] = w[n - i];
  packed[i] += 1;
  atomicAdd(counter, 1ull);
  atomicCAS((int *)counter, 1, 2);
  memset(w + i, 0, n);
}
