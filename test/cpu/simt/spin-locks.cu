// Spin locks between threads of one warp, of one block and of the whole grid, by compare-and-swap, exchange, tickets
// and test-and-set. Critical sections on plain memory lose no update. Two locks are taken in order.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

enum Kind { Compare, Exchange, Ticket, TryOnly, Kinds };

struct Lock {
  unsigned word, serving;
  __device__ bool tryLock() { return atomicCAS(&word, 0u, 1u) == 0; }
  __device__ void lock(Kind kind) {
    switch (kind) {
    case Compare:
      while (atomicCAS(&word, 0u, 1u) != 0) {
      }
      break;
    case Exchange:
      while (atomicExch(&word, 1u) != 0)
        __nanosleep(20);
      break;
    case Ticket: {
      const unsigned mine = atomicAdd(&word, 1u);
      while (atomicAdd(&serving, 0u) != mine) {
      }
      break;
    }
    default:
      break;
    }
    __threadfence();
  }
  __device__ void unlock(Kind kind) {
    __threadfence();
    if (kind == Ticket)
      atomicAdd(&serving, 1u);
    else
      atomicExch(&word, 0u);
  }
};

__device__ void update(volatile unsigned long long *cell, unsigned amount) {
  const unsigned long long before = cell[0];
  cell[1] = before; // would show a second thread in the section
  cell[0] = before + amount;
}

// Each thread adds to `rounds` cells, each of which has a lock.
__global__ void add(Kind kind, Lock *locks, volatile unsigned long long *cells, int cellCount, int rounds) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; round < rounds; ++round) {
    const int cell = (thread * 7 + round * 13) % cellCount;
    if (kind == TryOnly) {
      for (bool done = false; !done;) {
        if (locks[cell].tryLock()) {
          __threadfence();
          update(cells + 2 * cell, thread + round);
          locks[cell].unlock(kind);
          done = true;
        }
      }
    } else {
      locks[cell].lock(kind);
      update(cells + 2 * cell, thread + round);
      locks[cell].unlock(kind);
    }
  }
}

// Moves amounts between accounts. The lock of the smaller number is taken first.
__global__ void transfer(Lock *locks, volatile long long *accounts, int count) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int from = thread % count, to = (thread * 5 + 1) % count;
  if (from == to)
    return;
  const int first = min(from, to), second = max(from, to);
  locks[first].lock(Exchange);
  locks[second].lock(Compare);
  accounts[from] = accounts[from] - thread;
  accounts[to] = accounts[to] + thread;
  locks[second].unlock(Compare);
  locks[first].unlock(Exchange);
}

int main() {
  const int blocks = 6, threads = 96, cells = 9, rounds = 3;
  Lock *locks;
  unsigned long long *dCells;
  CUDA(cudaMalloc(&locks, 64 * sizeof(Lock)));
  CUDA(cudaMalloc(&dCells, 128 * sizeof(unsigned long long)));
  for (int kind = 0; kind < Kinds; ++kind)
    for (int cellCount = 1; cellCount <= cells; cellCount += 4) {
      CUDA(cudaMemset(locks, 0, 64 * sizeof(Lock)));
      CUDA(cudaMemset(dCells, 0, 128 * sizeof(unsigned long long)));
      add<<<blocks, threads>>>(Kind(kind), locks, dCells, cellCount, rounds);
      CUDA(cudaGetLastError());
      std::vector<unsigned long long> got(2 * cellCount), expected(cellCount), values(cellCount);
      CUDA(cudaMemcpy(got.data(), dCells, got.size() * sizeof(got[0]), cudaMemcpyDeviceToHost));
      for (int thread = 0; thread < blocks * threads; ++thread)
        for (int round = 0; round < rounds; ++round)
          expected[(thread * 7 + round * 13) % cellCount] += thread + round;
      for (int i = 0; i < cellCount; ++i) {
        values[i] = got[2 * i];
        EXPECT(values[i] == expected[i], "kind %d cell %d: %llu, not %llu", kind, i, values[i], expected[i]);
      }
      printf("kind %d, %d cells: %016llx\n", kind, cellCount, (unsigned long long)checksum(values));
    }
  {
    const int accounts = 13;
    CUDA(cudaMemset(locks, 0, 64 * sizeof(Lock)));
    CUDA(cudaMemset(dCells, 0, 128 * sizeof(unsigned long long)));
    transfer<<<blocks, threads>>>(locks, (long long *)dCells, accounts);
    CUDA(cudaGetLastError());
    std::vector<long long> got(accounts), expected(accounts);
    CUDA(cudaMemcpy(got.data(), dCells, accounts * sizeof(long long), cudaMemcpyDeviceToHost));
    for (int thread = 0; thread < blocks * threads; ++thread) {
      expected[thread % accounts] -= thread;
      expected[(thread * 5 + 1) % accounts] += thread;
    }
    EXPECT(got == expected, "accounts differ");
    printf("accounts %016llx\n", (unsigned long long)checksum(got));
  }
  CUDA(cudaFree(locks));
  CUDA(cudaFree(dCells));
  return passed();
}
