// Recursion: Ackermann's function, mutual recursion, quicksort, tree walks with a barrier or a warp operation inside,
// and a depth that needs cudaDeviceSetLimit(cudaLimitStackSize).
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__host__ __device__ int ackermann(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__host__ __device__ bool isOdd(int n);
__host__ __device__ bool isEven(int n) {
  return n == 0 || isOdd(n - 1);
}
__host__ __device__ bool isOdd(int n) {
  return n != 0 && isEven(n - 1);
}
__host__ __device__ void hanoi(int n, int from, int to, int *moves, int *check) {
  if (n == 0)
    return;
  hanoi(n - 1, from, 3 - from - to, moves, check);
  ++*moves;
  *check = int(unsigned(*check) * 31u + unsigned(from * 3 + to));
  hanoi(n - 1, 3 - from - to, to, moves, check);
}
__host__ __device__ void quicksort(int *values, int count) {
  if (count < 2)
    return;
  const int pivot = values[count / 2];
  int i = 0, j = count - 1;
  while (i <= j) {
    while (values[i] < pivot)
      ++i;
    while (values[j] > pivot)
      --j;
    if (i <= j) {
      const int swap = values[i];
      values[i++] = values[j];
      values[j--] = swap;
    }
  }
  quicksort(values, j + 1);
  quicksort(values + i, count - i);
}
struct Node {
  int left, right, value;
};
__host__ __device__ int depthOf(const Node *nodes, int at) {
  if (at < 0)
    return 0;
  const int left = depthOf(nodes, nodes[at].left), right = depthOf(nodes, nodes[at].right);
  return 1 + (left > right ? left : right);
}

__global__ void small(int *out) {
  const int t = threadIdx.x;
  int moves = 0, check = 0;
  hanoi(t % 8, 0, 2, &moves, &check);
  out[t] = ackermann(t % 3, t % 7) * 100000 + moves * 100 + isEven(t) * 10 + (check & 7);
}

__global__ void sortRows(int *values, int length) {
  quicksort(values + (blockIdx.x * blockDim.x + threadIdx.x) * length, length);
}

__global__ void depths(const Node *nodes, int roots, int *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < roots)
    out[t] = depthOf(nodes, t);
}

// All threads recurse together, with a barrier at each level.
__device__ int levelSum(int depth, int *shared) {
  __syncthreads();
  if (threadIdx.x == depth % blockDim.x)
    *shared += depth + 1;
  __syncthreads();
  const int seen = *shared + __shfl_sync(0xffffffff, int(threadIdx.x), depth % 32);
  return depth == 0 ? seen : seen + levelSum(depth - 1, shared);
}
__global__ void levels(int depth, int *out) {
  __shared__ int sum;
  if (threadIdx.x == 0)
    sum = 0;
  out[threadIdx.x] = levelSum(depth, &sum);
}

__device__ int deep(int n, const int *values) {
  volatile int kept[8];
  for (int i = 0; i < 8; ++i)
    kept[i] = values[(n + i) % 64];
  return n == 0 ? kept[0] : (deep(n - 1, values) + kept[n % 8]) % 10007;
}
__global__ void deepest(const int *values, int depth, int *out) {
  out[threadIdx.x] = deep(depth + threadIdx.x, values);
}

int main() {
  Random random(111);
  const int n = 64, length = 200;
  std::vector<int> out(n), values(n * length), sorted(n * length);
  int *dOut, *dValues;
  CUDA(cudaMalloc(&dOut, n * sizeof(int)));
  CUDA(cudaMalloc(&dValues, n * length * sizeof(int)));
  CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 16 << 10));
  size_t limit = 0;
  CUDA(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
  EXPECT(limit >= 16 << 10, "%zu", limit);

  small<<<1, n>>>(dOut);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(out.data(), dOut, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < n; ++t) {
    int moves = 0, check = 0;
    hanoi(t % 8, 0, 2, &moves, &check);
    const int expected = ackermann(t % 3, t % 7) * 100000 + moves * 100 + isEven(t) * 10 + (check & 7);
    EXPECT(out[t] == expected, "thread %d: %d, not %d", t, out[t], expected);
  }
  printf("small %016llx\n", (unsigned long long)checksum(out));

  for (int i = 0; i < n * length; ++i)
    values[i] = i / length % 4 == 0 ? i : int(random.below(i / length % 4 == 1 ? 5 : 100000));
  CUDA(cudaMemcpy(dValues, values.data(), n * length * sizeof(int), cudaMemcpyHostToDevice));
  sortRows<<<4, n / 4>>>(dValues, length);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(sorted.data(), dValues, n * length * sizeof(int), cudaMemcpyDeviceToHost));
  for (int row = 0; row < n; ++row)
    quicksort(&values[row * length], length);
  EXPECT(values == sorted, "rows are not sorted");
  printf("sorted %016llx\n", (unsigned long long)checksum(sorted));

  std::vector<Node> nodes(1000);
  for (int i = 0; i < 1000; ++i) {
    nodes[i] = {i + 1 + int(random.below(300)), i + 1 + int(random.below(900)), i};
    nodes[i].left = nodes[i].left < 1000 ? nodes[i].left : -1;
    nodes[i].right = nodes[i].right < 1000 ? nodes[i].right : -1;
  }
  Node *dNodes;
  CUDA(cudaMalloc(&dNodes, nodes.size() * sizeof(Node)));
  CUDA(cudaMemcpy(dNodes, nodes.data(), nodes.size() * sizeof(Node), cudaMemcpyHostToDevice));
  depths<<<2, 32>>>(dNodes, n, dOut);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(out.data(), dOut, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < n; ++t)
    EXPECT(out[t] == depthOf(nodes.data(), t), "tree %d: %d", t, out[t]);
  printf("trees %016llx\n", (unsigned long long)checksum(out));

  const int levelCount = 60;
  levels<<<1, n>>>(levelCount, dOut);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(out.data(), dOut, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < n; ++t) {
    int sum = 0, total = 0;
    for (int depth = levelCount; depth >= 0; --depth) {
      sum += depth + 1;
      total += sum + t / 32 * 32 + depth % 32;
    }
    EXPECT(out[t] == total, "thread %d: %d, not %d", t, out[t], total);
  }
  printf("levels %016llx\n", (unsigned long long)checksum(out));

  // Up to 563 frames of 32 bytes and more.
  CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 64 << 10));
  const int depth = 500;
  CUDA(cudaMemcpy(dValues, values.data(), 64 * sizeof(int), cudaMemcpyHostToDevice));
  deepest<<<1, n>>>(dValues, depth, dOut);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(out.data(), dOut, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < n; ++t) {
    int expected = values[0];
    for (int i = 1; i <= depth + t; ++i)
      expected = (expected + values[(i + i % 8) % 64]) % 10007;
    EXPECT(out[t] == expected, "thread %d: %d, not %d", t, out[t], expected);
  }
  printf("deep %016llx\n", (unsigned long long)checksum(out));
  CUDA(cudaFree(dOut));
  CUDA(cudaFree(dValues));
  CUDA(cudaFree(dNodes));
  return passed();
}
