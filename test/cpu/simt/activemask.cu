// __activemask and its uses: the mask contains the calling lane, and otherwise only lanes in the same branch that have
// not returned, whichever lanes the device runs together. Aggregated atomics and opportunistic reductions are exact.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

// One atomicAdd for all lanes that are together. Each lane gets its own number.
__device__ unsigned takeNumber(unsigned *counter) {
  const unsigned active = __activemask(), lane = threadIdx.x % 32;
  const int leader = __ffs(active) - 1;
  unsigned first = 0;
  if (int(lane) == leader)
    first = atomicAdd(counter, __popc(active));
  first = __shfl_sync(active, first, leader);
  return first + __popc(active & ((1u << lane) - 1));
}

__global__ void number(const int *in, int n, unsigned *counters, unsigned *numbers) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (in[i] % 2)
    numbers[i] = takeNumber(&counters[0]);
  else if (in[i] % 3 == 0)
    numbers[i] = takeNumber(&counters[1]);
  else
    for (int k = 0; k < in[i] % 5; ++k)
      numbers[i] = takeNumber(&counters[2]);
}

// Wrong bits: lanes of the other branch, lanes that have returned, or the own bit missing.
__global__ void branches(const int *branch, unsigned *wrong, int *sums) {
  const int t = threadIdx.x, lane = t % 32;
  unsigned others[4] = {};
  for (int i = 0; i < 32 && t - lane + i < blockDim.x; ++i)
    others[branch[t - lane + i]] |= 1u << i;
  unsigned mask = 0;
  int sum = 0;
  switch (branch[t]) {
  case 0:
    return;
  case 1:
    mask = __activemask();
    break;
  case 2:
    for (int i = 0; i < lane; ++i)
      sum += i;
    mask = __activemask();
    break;
  default:
    sum = lane;
    mask = __activemask();
    for (unsigned rest = mask; rest; rest &= rest - 1)
      sum += __shfl_sync(mask, lane, __ffs(rest) - 1) * 0;
    break;
  }
  wrong[t] = (mask & ~others[branch[t]]) | (~mask & 1u << lane);
  sums[t] = sum;
}

// A loop processes one value a round, with the lanes that have this value. The other lanes continue.
__global__ void perValue(const int *in, int *out) {
  const int t = threadIdx.x;
  const int value = in[t];
  unsigned left = __ballot_sync(0xffffffff, 1);
  int rounds = 0;
  while (true) {
    const int leader = __ffs(left) - 1;
    const int current = __shfl_sync(left, value, leader);
    const bool mine = value == current;
    const unsigned same = __ballot_sync(left, mine);
    ++rounds;
    if (mine) {
      out[t] = rounds * 1000 + __popc(same);
      break;
    }
    left &= ~same;
  }
}

int main() {
  Random random(61);
  {
    const int n = 1000;
    std::vector<int> in(n);
    for (int &x : in)
      x = random.below(30);
    int *dIn;
    unsigned *counters, *numbers, counts[3], expected[3] = {};
    CUDA(cudaMalloc(&dIn, n * sizeof(int)));
    CUDA(cudaMalloc(&counters, 3 * sizeof(unsigned)));
    CUDA(cudaMalloc(&numbers, n * sizeof(unsigned)));
    CUDA(cudaMemset(counters, 0, 3 * sizeof(unsigned)));
    CUDA(cudaMemcpy(dIn, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    number<<<(n + 127) / 128, 128>>>(dIn, n, counters, numbers);
    CUDA(cudaGetLastError());
    std::vector<unsigned> got(n), seen[2];
    CUDA(cudaMemcpy(counts, counters, sizeof counts, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(got.data(), numbers, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) {
      const int kind = in[i] % 2 ? 0 : in[i] % 3 == 0 ? 1 : 2;
      expected[kind] += kind == 2 ? in[i] % 5 : 1;
      if (kind == 2)
        continue;
      if (seen[kind].size() <= got[i])
        seen[kind].resize(got[i] + 1);
      EXPECT(seen[kind][got[i]]++ == 0, "number %u was given twice", got[i]);
    }
    for (int k = 0; k < 3; ++k)
      EXPECT(counts[k] == expected[k], "counter %d: %u, not %u", k, counts[k], expected[k]);
    printf("counters %u %u %u\n", counts[0], counts[1], counts[2]);
    CUDA(cudaFree(dIn));
    CUDA(cudaFree(counters));
    CUDA(cudaFree(numbers));
  }
  {
    const int threads = 32 * 6 + 9;
    std::vector<int> branch(threads), sums(threads);
    std::vector<unsigned> wrong(threads);
    for (int &x : branch)
      x = random.below(4);
    int *dBranch, *dSums;
    unsigned *dWrong;
    CUDA(cudaMalloc(&dBranch, threads * sizeof(int)));
    CUDA(cudaMalloc(&dSums, threads * sizeof(int)));
    CUDA(cudaMalloc(&dWrong, threads * sizeof(unsigned)));
    CUDA(cudaMemset(dWrong, 0, threads * sizeof(unsigned)));
    CUDA(cudaMemset(dSums, 0, threads * sizeof(int)));
    CUDA(cudaMemcpy(dBranch, branch.data(), threads * sizeof(int), cudaMemcpyHostToDevice));
    branches<<<1, threads>>>(dBranch, dWrong, dSums);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(wrong.data(), dWrong, threads * sizeof(unsigned), cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(sums.data(), dSums, threads * sizeof(int), cudaMemcpyDeviceToHost));
    for (int t = 0; t < threads; ++t)
      EXPECT(wrong[t] == 0, "thread %d in branch %d: %08x", t, branch[t], wrong[t]);
    printf("sums %016llx\n", (unsigned long long)checksum(sums));
    CUDA(cudaFree(dBranch));
    CUDA(cudaFree(dSums));
    CUDA(cudaFree(dWrong));
  }
  {
    const int threads = 128;
    std::vector<int> in(threads), out(threads);
    for (int &x : in)
      x = random.below(6);
    int *dIn, *dOut;
    CUDA(cudaMalloc(&dIn, threads * sizeof(int)));
    CUDA(cudaMalloc(&dOut, threads * sizeof(int)));
    CUDA(cudaMemcpy(dIn, in.data(), threads * sizeof(int), cudaMemcpyHostToDevice));
    perValue<<<1, threads>>>(dIn, dOut);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(out.data(), dOut, threads * sizeof(int), cudaMemcpyDeviceToHost));
    for (int t = 0; t < threads; ++t) {
      const int base = t / 32 * 32;
      int same = 0;
      for (int i = base; i < base + 32; ++i)
        same += in[i] == in[t];
      int order = 0;
      bool counted[6] = {};
      for (int i = base; i < base + 32; ++i)
        if (!counted[in[i]]) {
          counted[in[i]] = true;
          ++order;
          if (in[i] == in[t])
            break;
        }
      EXPECT(out[t] == order * 1000 + same, "thread %d: %d, not %d", t, out[t], order * 1000 + same);
    }
    printf("values %016llx\n", (unsigned long long)checksum(out));
    CUDA(cudaFree(dIn));
    CUDA(cudaFree(dOut));
  }
  return passed();
}
