// Other atomics made of compare and swap: 16-bit and 64-bit words, an atomic on pairs of floats, a spin lock around a
// counter, and a stack onto which all threads push nodes. No update is lost.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/ulp.h"
#include <algorithm>

const int blocks = 12, threads = 96, total = blocks * threads;
struct State {
  unsigned short shorts[4];
  unsigned long long pair; // two floats
  int lock, guarded, sections;
  int head;
};

__device__ void addToShort(unsigned short *word, unsigned short v) {
  unsigned short old = *word, seen;
  while ((seen = atomicCAS(word, old, (unsigned short)(old + v))) != old)
    old = seen;
}
__device__ unsigned long long joined(float a, float b) {
  return (unsigned long long)__float_as_uint(b) << 32 | __float_as_uint(a);
}

__global__ void update(State *s, int *next) {
  int i = blockIdx.x * threads + threadIdx.x;
  addToShort(&s->shorts[i % 4], (unsigned short)i); // neighbours in one 32-bit word must not disturb each other
  unsigned long long old = s->pair, seen;
  while ((seen = atomicCAS(&s->pair, old,
                           joined(__uint_as_float(unsigned(old)) + 1,
                                  fmaxf(__uint_as_float(unsigned(old >> 32)), float(i))))) != old)
    old = seen;
  for (bool done = false; !done;) // no thread waits for another of its warp inside the section
    if (atomicCAS(&s->lock, 0, 1) == 0) {
      __threadfence();
      volatile int *guarded = &s->guarded;
      int value = *guarded;
      *guarded = value + 1;
      s->sections += 1;
      __threadfence();
      atomicExch(&s->lock, 0);
      done = true;
    }
  int head = *(volatile int *)&s->head, before;
  for (;; head = before) {
    next[i] = head;
    __threadfence();
    if ((before = atomicCAS(&s->head, head, i)) == head)
      break;
  }
}

int main() {
  std::vector<State> zero(1);
  memset(zero.data(), 0, sizeof(State));
  zero[0].head = -1;
  Buffer<State> state(zero);
  Buffer<int> next(total);
  update<<<blocks, threads>>>(state, next);
  State have = state.host()[0];
  std::vector<int> links = next.host(), seen(total);
  unsigned short want[4] = {};
  for (int i = 0; i < total; ++i)
    want[i % 4] += (unsigned short)i;
  for (int k = 0; k < 4; ++k)
    EXPECT(have.shorts[k] == want[k], "short %d: %u, not %u", k, have.shorts[k], want[k]);
  EXPECT(fromBits(uint32_t(have.pair)) == total && fromBits(uint32_t(have.pair >> 32)) == total - 1, "pair %016llx",
         have.pair);
  EXPECT(have.guarded == total && have.sections == total && have.lock == 0, "guarded %d of %d", have.guarded,
         have.sections);
  int length = 0;
  for (int node = have.head; node >= 0 && length <= total; node = links[node], ++length)
    EXPECT(node < total && seen[node]++ == 0, "node %d twice", node);
  EXPECT(length == total, "%d nodes of %d", length, total);
  printf("compare and swap %016llx\n", (unsigned long long)checksum(have.shorts, sizeof have.shorts));
  return passed();
}
