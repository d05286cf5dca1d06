// Memory order: data written before __threadfence() and a flag are seen by who reads the flag and fences; the last
// block of a reduction, found by a counter, sees all partial sums; acquire and release at a scope order plain accesses
// around them.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/ulp.h"

const int blocks = 20, threads = 128, rounds = 50;

// The reduction of the CUDA samples: the block that counts last adds the partial sums up.
__global__ void sum(const int *in, int n, volatile long long *partial, unsigned *arrived, long long *result,
                    int *last) {
  __shared__ long long words[threads];
  __shared__ bool isLast;
  int t = threadIdx.x;
  long long mine = 0;
  for (int i = blockIdx.x * threads + t; i < n; i += blocks * threads)
    mine += in[i];
  words[t] = mine;
  __syncthreads();
  for (int step = threads / 2; step > 0; step /= 2) {
    if (t < step)
      words[t] += words[t + step];
    __syncthreads();
  }
  if (t == 0) {
    partial[blockIdx.x] = words[0];
    __threadfence();
    isLast = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (isLast && t == 0) {
    long long whole = 0;
    for (int b = 0; b < blocks; ++b)
      whole += partial[b];
    *result = whole;
    atomicAdd(last, 1);
  }
}

// Block 0 sends, block 1 receives and answers; both are resident at once on any device.
__global__ void pingPong(int *data, volatile int *ping, volatile int *pong, int *errors) {
  if (threadIdx.x != 0 || blockIdx.x > 1)
    return;
  for (int round = 1; round <= rounds; ++round)
    if (blockIdx.x == 0) {
      for (int k = 0; k < 8; ++k)
        data[k] = round * 100 + k;
      __threadfence();
      *ping = round;
      while (*pong < round) {
      }
      __threadfence();
    } else {
      while (*ping < round) {
      }
      __threadfence();
      for (int k = 0; k < 8; ++k)
        if (*(volatile int *)&data[k] != round * 100 + k)
          atomicAdd(errors, 1);
      __threadfence();
      *pong = round;
    }
}

// Within a block: a chain of threads of different warps, by __threadfence_block; and with the compiler's scoped
// atomics.
__global__ void chain(int *out) {
  __shared__ int value, turn, scopedTurn;
  int t = threadIdx.x;
  if (t == 0)
    value = turn = scopedTurn = 0;
  __syncthreads();
  if (t % 32 == 0) {
    int warp = t / 32;
    while (*(volatile int *)&turn != warp) {
    }
    __threadfence_block();
    value = *(volatile int *)&value * 3 + warp;
    __threadfence_block();
    *(volatile int *)&turn = warp + 1;
    while (__nvvm_atom_cta_add_gen_i(&scopedTurn, 0) != 7 - warp) { // back again
    }
    __threadfence_block();
    value = *(volatile int *)&value * 5 + warp;
    __threadfence_block();
    __nvvm_atom_cta_add_gen_i(&scopedTurn, 1);
  }
  __syncthreads();
  if (t == 0)
    out[blockIdx.x] = value;
}

int main() {
  const int n = 100003;
  Random random(10);
  std::vector<int> in(n), zero(16, 0);
  long long want = 0;
  for (int &v : in)
    want += v = int(random.next());
  Buffer<int> pin(in), words(zero), data(zero), values(blocks);
  Buffer<long long> partial(blocks), result(1);
  for (int launch = 0; launch < 3; ++launch) // the counter has wrapped to 0 each time
    sum<<<blocks, threads>>>(pin, n, partial, reinterpret_cast<unsigned *>(words.data), result, words + 1);
  EXPECT(result.host()[0] == want && words.host()[1] == 3, "sum %lld, not %lld, by %d blocks", result.host()[0], want,
         words.host()[1]);
  pingPong<<<2, 32>>>(data, words + 2, words + 3, words + 4);
  EXPECT(words.host()[4] == 0 && words.host()[3] == rounds, "%d messages were torn", words.host()[4]);
  chain<<<blocks, 256>>>(values);
  int expected = 0;
  for (int warp = 0; warp < 8; ++warp)
    expected = expected * 3 + warp;
  for (int warp = 7; warp >= 0; --warp)
    expected = int(unsigned(expected) * 5 + unsigned(warp));
  for (int have : values.host())
    EXPECT(have == expected, "chain %d, not %d", have, expected);
  printf("sum %lld chain %d\n", want, expected);
  return passed();
}
