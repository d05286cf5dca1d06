// Sums an array by the seven kernels of the classic optimisation tour, from divergent branches to warp shuffles and
// several elements a thread. Each kernel runs again on the blocks' sums until one number is left. Exact for integers.
// With -DBUG the kernels that add two elements while loading do not check that the second one exists.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
// RUN: %run %t --size 100003 --repeat 2 2>&1 | %same.1
// RUN: %run %t --size 1 2>&1 | %same.2
// RUN: %gasan -O2 -DBUG %s -o %t.bug
// RUN: not %run %t.bug --size 500 2>&1 | FileCheck %s
#include "inputs/sample.h"

// 0: interleaved addressing with a divergent branch.
template <typename T>
__global__ void sumDivergent(const T *in, T *out, int n) {
  extern __shared__ __align__(8) unsigned char memory[];
  T *shared = reinterpret_cast<T *>(memory);
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  shared[t] = i < unsigned(n) ? in[i] : T(0);
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (t % (2 * s) == 0)
      shared[t] += shared[t + s];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = shared[0];
}

// 1: interleaved addressing, contiguous threads.
template <typename T>
__global__ void sumStrided(const T *in, T *out, int n) {
  extern __shared__ __align__(8) unsigned char memory[];
  T *shared = reinterpret_cast<T *>(memory);
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  shared[t] = i < unsigned(n) ? in[i] : T(0);
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    unsigned index = 2 * s * t;
    if (index < blockDim.x)
      shared[index] += shared[index + s];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = shared[0];
}

// 2: sequential addressing.
template <typename T>
__global__ void sumSequential(const T *in, T *out, int n) {
  extern __shared__ __align__(8) unsigned char memory[];
  T *shared = reinterpret_cast<T *>(memory);
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  shared[t] = i < unsigned(n) ? in[i] : T(0);
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s)
      shared[t] += shared[t + s];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = shared[0];
}

template <typename T>
__device__ T loadTwo(const T *in, unsigned i, unsigned n) {
  T sum = i < n ? in[i] : T(0);
#ifdef BUG
  if (i < n)
#else
  if (i + blockDim.x < n)
#endif
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
    // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (244,0,0) block (0,0,0) lane 20
    // CHECK-SAME: {{^}} (and 11 more threads of this kernel)
    // CHECK-NEXT: #0 int loadTwo<int>(int const*, unsigned int, unsigned int) {{.*}}reduction.cu:[[#@LINE+1]]:
    sum += in[i + blockDim.x];
  return sum;
}

// 3: the first addition happens while loading.
template <typename T>
__global__ void sumFirstAdd(const T *in, T *out, int n) {
  extern __shared__ __align__(8) unsigned char memory[];
  T *shared = reinterpret_cast<T *>(memory);
  unsigned t = threadIdx.x;
  shared[t] = loadTwo(in, blockIdx.x * blockDim.x * 2 + t, n);
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s)
      shared[t] += shared[t + s];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = shared[0];
}

template <typename T>
__device__ T sumWarp(T value) {
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(~0u, value, offset);
  return value;
}

// 4: the last warp adds by shuffles.
template <typename T>
__global__ void sumLastWarp(const T *in, T *out, int n) {
  extern __shared__ __align__(8) unsigned char memory[];
  T *shared = reinterpret_cast<T *>(memory);
  unsigned t = threadIdx.x;
  T sum = loadTwo(in, blockIdx.x * blockDim.x * 2 + t, n);
  shared[t] = sum;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 32; s >>= 1) {
    if (t < s)
      shared[t] = sum = sum + shared[t + s];
    __syncthreads();
  }
  if (t < 32) {
    sum = sumWarp(blockDim.x >= 64 ? sum + shared[t + 32] : sum);
    if (t == 0)
      out[blockIdx.x] = sum;
  }
}

// 5: completely unrolled.
template <typename T, unsigned kThreads>
__global__ void sumUnrolled(const T *in, T *out, int n) {
  __shared__ T shared[kThreads];
  unsigned t = threadIdx.x;
  T sum = loadTwo(in, blockIdx.x * kThreads * 2 + t, n);
  shared[t] = sum;
  __syncthreads();
#pragma unroll
  for (unsigned s = kThreads / 2; s >= 32; s >>= 1) {
    if (t < s)
      shared[t] = sum = sum + shared[t + s];
    __syncthreads();
  }
  if (t < 32) {
    sum = sumWarp(sum);
    if (t == 0)
      out[blockIdx.x] = sum;
  }
}

// 6: many elements a thread, one shuffle tree a warp.
template <typename T>
__global__ void sumGridStride(const T *in, T *out, int n) {
  __shared__ T ofWarps[32];
  T sum = 0;
  for (long i = blockIdx.x * long(blockDim.x) + threadIdx.x; i < n; i += long(gridDim.x) * blockDim.x)
    sum += in[i];
  sum = sumWarp(sum);
  if (threadIdx.x % 32 == 0)
    ofWarps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = sumWarp(threadIdx.x < blockDim.x / 32 ? ofWarps[threadIdx.x] : T(0));
    if (threadIdx.x == 0)
      out[blockIdx.x] = sum;
  }
}

constexpr int kThreads = 256, kKernels = 7, kMostBlocks = 64;

int blocksFor(int kernel, int n) {
  if (kernel == 6)
    return std::min(divide_up(n, kThreads), kMostBlocks);
  return divide_up(n, kernel < 3 ? kThreads : 2 * kThreads);
}

template <typename T>
void launch(int kernel, const T *in, T *out, int n) {
  int blocks = blocksFor(kernel, n);
  size_t shared = kThreads * sizeof(T);
  switch (kernel) {
  case 0:
    sumDivergent<<<blocks, kThreads, shared>>>(in, out, n);
    break;
  case 1:
    sumStrided<<<blocks, kThreads, shared>>>(in, out, n);
    break;
  case 2:
    sumSequential<<<blocks, kThreads, shared>>>(in, out, n);
    break;
  case 3:
    sumFirstAdd<<<blocks, kThreads, shared>>>(in, out, n);
    break;
  case 4:
    sumLastWarp<<<blocks, kThreads, shared>>>(in, out, n);
    break;
  case 5:
    sumUnrolled<T, kThreads><<<blocks, kThreads>>>(in, out, n);
    break;
  case 6:
    sumGridStride<<<blocks, kThreads>>>(in, out, n);
    break;
  }
  CUDA(cudaGetLastError());
}

// Two buffers for the sums of blocks, used alternately.
template <typename T>
T sumOnDevice(int kernel, const T *in, T *sums[2], int n) {
  int turn = 0;
  launch(kernel, in, sums[0], n);
  for (int left = blocksFor(kernel, n); left > 1; left = blocksFor(kernel, left), turn ^= 1)
    launch(kernel, sums[turn], sums[turn ^ 1], left);
  T result;
  CUDA(cudaMemcpy(&result, sums[turn], sizeof(T), cudaMemcpyDeviceToHost));
  return result;
}

template <typename T>
void run(const Arguments &arguments, const std::vector<T> &host, T expected, double tolerance) {
  int n = int(host.size());
  T *in, *sums[2];
  // CHECK: 0x{{[0-9a-f]+}} is located 0 bytes after 2000-byte region
  // CHECK: in void run<int>{{.*}} {{.*}}reduction.cu:[[#@LINE+1]]:
  CUDA(cudaMalloc(&in, n * sizeof(T)));
  for (T *&sum : sums)
    CUDA(cudaMalloc(&sum, divide_up(n, kThreads) * sizeof(T)));
  upload(in, host);
  for (int kernel = 0; kernel < kKernels; ++kernel) {
    Stopwatch watch;
    T result = 0;
    for (int i = 0; i < arguments.repeat; ++i)
      result = sumOnDevice(kernel, in, sums, n);
    watch.stop(arguments, "reduction");
    EXPECT(std::fabs(double(result) - double(expected)) <= tolerance, "kernel %d: %g, not %g", kernel, double(result),
           double(expected));
    if (tolerance == 0)
      printf("kernel %d: %lld\n", kernel, (long long)result);
  }
  CUDA(cudaFree(in));
  for (T *sum : sums)
    CUDA(cudaFree(sum));
}

int main(int count, char **texts) {
  Arguments arguments = parse(count, texts, 1 << 18, 1, 1 << 28);
  Random random(11);
  std::vector<int> integers(arguments.size);
  std::vector<double> doubles(arguments.size);
  int sum = 0;
  double exactly = 0;
  for (int i = 0; i < arguments.size; ++i) {
    integers[i] = int(random.below(101)) - 50;
    doubles[i] = random.unit();
    sum += integers[i];
    exactly += doubles[i];
  }
  run(arguments, integers, sum, 0);
  // Sums of doubles in another order: n roundings of at most half an ulp of the sum each, plus a margin.
  run(arguments, doubles, exactly, exactly * 1.2e-16 * arguments.size);
  return passed();
}
