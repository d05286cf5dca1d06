// Every integer atomic in every width and scope, on global memory, from all threads of all blocks: each returns the
// value before, and the end is what any order gives. Values stay below the top bit: clang 22 makes signed instructions
// of the unsigned minima and maxima with a scope (NVPTX's scoped intrinsics have no unsigned form), on every device.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/ulp.h"

const int blocks = 24, threads = 128, total = blocks * threads;
typedef unsigned long long u64;

struct Device {};
struct Block {};
struct System {};

#define SCOPED(name)                                                                                                   \
  template <typename T>                                                                                                \
  __device__ T name(Device, T *p, T v) {                                                                               \
    return atomic##name(p, v);                                                                                         \
  }                                                                                                                    \
  template <typename T>                                                                                                \
  __device__ T name(Block, T *p, T v) {                                                                                \
    return atomic##name##_block(p, v);                                                                                 \
  }                                                                                                                    \
  template <typename T>                                                                                                \
  __device__ T name(System, T *p, T v) {                                                                               \
    return atomic##name##_system(p, v);                                                                                \
  }
SCOPED(Add)
SCOPED(Min)
SCOPED(Max)
SCOPED(And)
SCOPED(Or)
SCOPED(Xor)
SCOPED(Exch)
template <typename T>
__device__ T Cas(Device, T *p, T old, T v) {
  return atomicCAS(p, old, v);
}
template <typename T>
__device__ T Cas(Block, T *p, T old, T v) {
  return atomicCAS_block(p, old, v);
}
template <typename T>
__device__ T Cas(System, T *p, T old, T v) {
  return atomicCAS_system(p, old, v);
}

enum { Sum, Low, High, Ands, Ors, Xors, Cases, Words };

// A block scope is only right between threads of one block, so each block has its words then.
template <typename T, typename Scope>
__global__ void update(const T *in, T *words, T *before, T *chain, unsigned *broken, int perBlock) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  T *w = words + (perBlock ? blockIdx.x * Words : 0), v = in[i];
  before[i] = Add(Scope(), &w[Sum], T(1)); // all the numbers from 0 on
  T low = Min(Scope(), &w[Low], v), high = Max(Scope(), &w[High], v);
  T ands = And(Scope(), &w[Ands], v), ors = Or(Scope(), &w[Ors], v);
  Xor(Scope(), &w[Xors], v);
  // What came before can only lie on one side of what is there now.
  T lowNow = Min(Scope(), &w[Low], v), highNow = Max(Scope(), &w[High], v);
  T andsNow = And(Scope(), &w[Ands], v), orsNow = Or(Scope(), &w[Ors], v);
  if (lowNow > low || lowNow > v || highNow < high || highNow < v || (andsNow & ~ands) || (ors & ~orsNow))
    atomicAdd(broken, 1u);
  for (T old = w[Cases], seen;; old = seen) // a sum of odd numbers, by compare and swap
    if ((seen = Cas(Scope(), &w[Cases], old, T(old + 2 * v + 1))) == old)
      break;
  chain[i] =
      Exch(Scope(), &chain[total + (perBlock ? blockIdx.x : 0)], T(i + 1)); // each thread has a predecessor of its own
}

template <typename T, typename Scope>
void check(const char *name, bool perBlock) {
  Random random(7);
  std::vector<T> in(total), words(blocks * Words, 0);
  for (T &v : in)
    v = T((u64)random.next() << 32 | random.next()) &
        std::numeric_limits<T>::max() >> !std::numeric_limits<T>::is_signed;
  for (int b = 0; b < blocks; ++b)
    words[b * Words + Low] = std::numeric_limits<T>::max() >> !std::numeric_limits<T>::is_signed,
                      words[b * Words + High] = std::numeric_limits<T>::min(), words[b * Words + Ands] = T(~T(0));
  std::vector<T> zero(total + blocks, 0);
  std::vector<unsigned> none(1, 0);
  Buffer<T> pin(in), pwords(words), before(total), chain(zero);
  Buffer<unsigned> broken(none);
  update<T, Scope><<<blocks, threads>>>(pin, pwords, before, chain, broken, perBlock);
  std::vector<T> have = pwords.host(), numbers = before.host(), links = chain.host();
  EXPECT(broken.host()[0] == 0, "%s: %u threads saw an impossible value", name, broken.host()[0]);
  for (int b = 0; b < (perBlock ? blocks : 1); ++b) {
    const int first = perBlock ? b * threads : 0, count = perBlock ? threads : total;
    T want[Words] = {T(count), in[first], in[first], in[first], 0, 0, 0};
    std::vector<int> seen(count), followed(total + 1);
    for (int i = first; i < first + count; ++i) {
      want[Low] = std::min(want[Low], in[i]), want[High] = std::max(want[High], in[i]), want[Ands] &= in[i];
      want[Ors] |= in[i], want[Xors] ^= in[i], want[Cases] = T((u64)want[Cases] + 2 * (u64)in[i] + 1);
      if (numbers[i] >= 0 && numbers[i] < T(count))
        ++seen[int(numbers[i])];
      ++followed[int(links[i])];
    }
    for (int k = 0; k < Words; ++k)
      EXPECT(have[b * Words + k] == want[k], "%s word %d: %llx, not %llx", name, k, (u64)have[b * Words + k],
             (u64)want[k]);
    for (int i = 0; i < count; ++i)
      EXPECT(seen[i] == 1, "%s: atomicAdd returned %d %d times", name, i, seen[i]);
    ++followed[int(links[total + b])];
    for (int i = 0; i <= count; ++i)
      EXPECT(followed[i == 0 ? 0 : first + i] == 1, "%s: atomicExch returned %d %d times", name, i,
             followed[i == 0 ? 0 : first + i]);
  }
  printf("%s %016llx\n", name, (u64)checksum(have.data(), (perBlock ? blocks : 1) * Words * sizeof(T)));
}

template <typename T>
void checkScopes(const char *name) {
  check<T, Device>(name, false);
  check<T, System>(name, false);
  check<T, Block>(name, true);
}

int main() {
  checkScopes<int>("int");
  checkScopes<unsigned>("unsigned");
  checkScopes<unsigned long long>("unsigned long long");
  return passed();
}
