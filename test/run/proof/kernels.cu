// RUN: %gasan -fsanitize-gpu-address-mode=bst -fsanitize-gpu-address-launch-proof=on -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %options=launch_proof=0 %run %t 2>&1 >/dev/null | %silent
// RUN: %options=print_stats=1 %run %t 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: not %run %t triad 2>&1 | FileCheck %s --check-prefix=TRIAD
// RUN: %options=launch_proof=0 not %run %t triad 2>&1 | FileCheck %s --check-prefix=TRIAD
// RUN: not %run %t view 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: %options=launch_proof=0 not %run %t view 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: not %run %t block 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: %options=launch_proof=0 not %run %t block 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: %options=launch_proof=0 not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %run %t stride 2>&1 | FileCheck %s --check-prefix=STRIDE
// RUN: %options=launch_proof=0 not %run %t stride 2>&1 | FileCheck %s --check-prefix=STRIDE
// RUN: not %run %t gather 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: %options=launch_proof=0 not %run %t gather 2>&1 | FileCheck %s --check-prefix=GATHER
// Kernels with proofs by the compiler: proven launches give right results without a report. A later launch that cannot
// be proven has the same report as without proofs.
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

struct View {
  int count;
  float *values;
};

__global__ void triad(float *a, const float *b, const float *c, float factor, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    // TRIAD: ERROR: AddressSanitizer: heap-buffer-overflow
    // TRIAD: READ of size 4 at 0x{{[0-9a-f]+}} by device thread (232,0,0) block (3,0,0)
    // TRIAD: #0 triad({{.*}}kernels.cu:[[#@LINE+3]]:
    // FREED: ERROR: AddressSanitizer: heap-use-after-free
    // FREED: #0 triad({{.*}}kernels.cu:[[#@LINE+1]]:
    a[i] = b[i] + factor * c[i];
}

__global__ void add_view(View to, View from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < to.count && i < from.count)
    // VIEW: ERROR: AddressSanitizer: heap-buffer-overflow
    // VIEW: #0 add_view({{.*}}kernels.cu:[[#@LINE+1]]:
    to.values[i] += from.values[i];
}

// One element for each thread, without a guard.
__global__ void fill(float *values, float value) {
  // BLOCK: ERROR: AddressSanitizer: heap-buffer-overflow
  // BLOCK: WRITE of size 4 at 0x{{[0-9a-f]+}} by device thread (100,1,0) block (1,0,0)
  // BLOCK-NEXT: #0 fill(float*, float) {{.*}}kernels.cu:[[#@LINE+1]]:
  values[(blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] = value;
}

__global__ void scale_all(float *values, int count, float factor) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    // STRIDE: ERROR: AddressSanitizer: heap-buffer-overflow
    // STRIDE: #0 scale_all({{.*}}kernels.cu:[[#@LINE+1]]:
    values[i] *= factor;
}

__global__ void gather(float *to, const int *index, const float *from, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    // GATHER: ERROR: AddressSanitizer: heap-buffer-overflow
    // GATHER: READ of size 4 at 0x{{[0-9a-f]+}} by device thread (5,0,0) block (0,0,0)
    // GATHER: #0 gather({{.*}}kernels.cu:[[#@LINE+1]]:
    to[i] = from[index[i]];
}

// Only gather makes a check in its launches: of its own index. Some of its first launches may make all checks, so that
// they are timed.
// STATS: Stats: launch proof: {{[0-9]+}} of {{[0-9]+}} launches proven, [[PART:[0-9]+]] in part, by
// STATS-SAME: evaluations; 4 of 5 kernels in every launch
// STATS-NEXT: gather({{.*}}): 0 launches proven, [[PART]] in part, 0 not,
// STATS-SAME: 1 check in each launch

static const int kCount = 1000;

struct Arrays {
  float *a, *b, *c;
  int *index;
};

static Arrays make() {
  Arrays arrays;
  cudaMalloc(&arrays.a, kCount * sizeof(float));
  cudaMalloc(&arrays.b, kCount * sizeof(float));
  cudaMalloc(&arrays.c, kCount * sizeof(float));
  cudaMalloc(&arrays.index, kCount * sizeof(int));
  std::vector<int> index(kCount);
  for (int i = 0; i < kCount; i++)
    index[i] = kCount - 1 - i;
  cudaMemcpy(arrays.index, index.data(), kCount * sizeof(int), cudaMemcpyHostToDevice);
  return arrays;
}

static void release(Arrays arrays) {
  cudaFree(arrays.a);
  cudaFree(arrays.b);
  cudaFree(arrays.c);
  cudaFree(arrays.index);
}

// Counts the wrong values.
static int run(Arrays arrays, float first) {
  fill<<<kCount / 40, dim3(8, 5)>>>(arrays.b, first);
  fill<<<kCount / 40, dim3(8, 5)>>>(arrays.c, 2);
  triad<<<4, 256>>>(arrays.a, arrays.b, arrays.c, 3, kCount);
  add_view<<<8, 128>>>(View{kCount, arrays.a}, View{kCount, arrays.b});
  scale_all<<<2, 32>>>(arrays.a, kCount, 2);
  gather<<<4, 256>>>(arrays.b, arrays.index, arrays.a, kCount);
  std::vector<float> values(kCount);
  if (cudaMemcpy(values.data(), arrays.b, kCount * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess)
    return kCount;
  int wrong = 0;
  for (float value : values)
    wrong += value != 2 * (2 * first + 6);
  return wrong;
}

static int wrong_in_threads() {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int t = 0; t < 4; t++)
    threads.emplace_back([&wrong, t] {
      for (int i = 0; i < 5; i++) {
        Arrays arrays = make();
        wrong[t] += run(arrays, float(t * 10 + i));
        release(arrays);
      }
    });
  int sum = 0;
  for (int t = 0; t < 4; t++) {
    threads[t].join();
    sum += wrong[t];
  }
  return sum;
}

int main(int count, char **arguments) {
  const char *wanted = count > 1 ? arguments[1] : "";
  Arrays arrays = make();
  int wrong = run(arrays, 1) + wrong_in_threads();
  if (!strcmp(wanted, "triad"))
    triad<<<4, 256>>>(arrays.a, arrays.b, arrays.c, 3, kCount + 1);
  if (!strcmp(wanted, "view"))
    add_view<<<8, 128>>>(View{kCount, arrays.a + 1}, View{kCount, arrays.b});
  if (!strcmp(wanted, "block"))
    fill<<<4, dim3(300, 2)>>>(arrays.b, 1);
  if (!strcmp(wanted, "stride"))
    scale_all<<<2, 32>>>(arrays.a, kCount + 7, 2);
  if (!strcmp(wanted, "gather")) {
    int far = kCount;
    cudaMemcpy(arrays.index + 5, &far, sizeof far, cudaMemcpyHostToDevice);
    gather<<<4, 256>>>(arrays.b, arrays.index, arrays.a, kCount);
  }
  if (!strcmp(wanted, "freed")) {
    cudaFree(arrays.c);
    triad<<<4, 256>>>(arrays.a, arrays.b, arrays.c, 3, kCount);
  }
  if (wrong)
    printf("%d values are wrong\n", wrong);
  return cudaDeviceSynchronize() != cudaSuccess || wrong;
}
