// Function pointers: tables in __device__ and __constant__ memory, pointers that the host reads with
// cudaMemcpyFromSymbol and passes to a kernel, and pointers to members and to functions with a barrier.
// RUN: %gasan -O2 %s -o %t
// RUN: %gasan -O0 %s -o %t.unoptimised
// RUN: %run %t 2>&1 | %same
// RUN: %run %t.unoptimised 2>&1 | %same.1
#include "../inputs/self_check.h"

typedef int (*Unary)(int);
typedef int (*Together)(int *shared, int value);

__device__ int twice(int x) {
  return 2 * x;
}
__device__ int square(int x) {
  return x * x;
}
__device__ int negate(int x) {
  return -x;
}
__device__ Unary table[] = {twice, square, negate};
__constant__ Unary constantTable[] = {negate, twice, square};
__device__ Unary chosen = square;

__device__ int sumOfBlock(int *shared, int value) {
  shared[threadIdx.x] = value;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < blockDim.x; ++i)
    sum += shared[i];
  __syncthreads();
  return sum;
}
__device__ int ofLane0(int *, int value) {
  return __shfl_sync(0xffffffff, value, 0);
}
__device__ Together together[] = {sumOfBlock, ofLane0};

struct Counter {
  int base;
  __device__ int up(int by) { return base += by; }
  __device__ int down(int by) { return base -= by; }
};

__global__ void apply(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int x = table[i % 3](in[i]);
  x = constantTable[(i / 3) % 3](x);
  Counter counter = {x};
  int (Counter::*move)(int) = i % 2 ? &Counter::up : &Counter::down;
  (counter.*move)(7);
  out[i] = counter.base;
}

__global__ void applyOne(Unary function, const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = function(in[i]);
}

__global__ void meet(int which, int *out) {
  extern __shared__ int shared[];
  out[blockIdx.x * blockDim.x + threadIdx.x] = together[(which + blockIdx.x) % 2](shared, threadIdx.x + blockIdx.x);
}

// Each thread has its own pointer, to a function with a pointer argument.
__device__ int fold(Unary function, int depth, int x) {
  return depth ? fold(function, depth - 1, function(x) % 1009) : x;
}
__global__ void foldAll(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = fold(table[in[i] % 3], in[i] % 9, i);
}

static int hostApply(int which, int x) {
  return which == 0 ? 2 * x : which == 1 ? x * x : -x;
}

int main() {
  CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 8 << 10)); // the compiler does not know the stack size of indirect calls
  const int n = 300;
  Random random(101);
  std::vector<int> in(n), out(n);
  for (int &x : in)
    x = random.below(1000);
  int *dIn, *dOut;
  CUDA(cudaMalloc(&dIn, n * sizeof(int)));
  CUDA(cudaMalloc(&dOut, n * sizeof(int)));
  CUDA(cudaMemcpy(dIn, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));

  apply<<<3, 128>>>(dIn, dOut, n);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(out.data(), dOut, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    static const int constants[] = {2, 0, 1};
    const int expected = hostApply(constants[i / 3 % 3], hostApply(i % 3, in[i])) + (i % 2 ? 7 : -7);
    EXPECT(out[i] == expected, "%d: %d, not %d", i, out[i], expected);
  }
  printf("tables %016llx\n", (unsigned long long)checksum(out));

  Unary function, functions[3];
  CUDA(cudaMemcpyFromSymbol(&function, chosen, sizeof function));
  CUDA(cudaMemcpyFromSymbol(functions, table, sizeof functions));
  EXPECT(function == functions[1], "the same function has two addresses");
  for (int k = 0; k < 3; ++k) {
    applyOne<<<3, 128>>>(functions[k], dIn, dOut, n);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(out.data(), dOut, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i)
      EXPECT(out[i] == hostApply(k, in[i]), "function %d, %d: %d", k, i, out[i]);
  }
  CUDA(cudaMemcpyToSymbol(table, &functions[2], sizeof function)); // both ways
  applyOne<<<3, 128>>>(functions[2], dIn, dOut, n);
  CUDA(cudaMemcpyToSymbol(table, &functions[0], sizeof function));

  for (int which = 0; which < 2; ++which) {
    meet<<<4, 64, 64 * sizeof(int)>>>(which, dOut);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(out.data(), dOut, 256 * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; ++i) {
      const int block = i / 64, expected = (which + block) % 2 ? i % 64 / 32 * 32 + block : 64 * 63 / 2 + 64 * block;
      EXPECT(out[i] == expected, "%d: %d, not %d", i, out[i], expected);
    }
  }

  foldAll<<<3, 128>>>(dIn, dOut, n);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(out.data(), dOut, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    int x = i;
    for (int k = 0; k < in[i] % 9; ++k)
      x = hostApply(in[i] % 3, x) % 1009;
    EXPECT(out[i] == x, "%d: %d, not %d", i, out[i], x);
  }
  printf("folds %016llx\n", (unsigned long long)checksum(out));
  CUDA(cudaFree(dIn));
  CUDA(cudaFree(dOut));
  return passed();
}
