// Correct uses of pointers to variables whose scope ends: the program sets them again, uses them while the next round's
// variable is in scope, or never dereferences them. The host computes the same results.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

struct Pair {
  int key, value;
};
template <typename T>
__host__ __device__ const T &greater_of(const T &a, const T &b) {
  return a < b ? b : a;
}
__host__ __device__ const Pair *pick(const Pair *a, const Pair *b, int n) {
  return n > 2 ? a : b;
}
__host__ __device__ int maybe(const int *pointer, int n) {
  return n > 100 ? *pointer : n;
}

__host__ __device__ int open_again(int n) {
  int *kept = nullptr, sum = 0;
  for (int round = 0; round < n; ++round) {
    int values[4] = {round, round + 1, round + 2, round + 3};
    if (kept)
      sum += kept[n & 3];
    kept = values;
  }
  return sum;
}

__host__ __device__ int other_path(int n) {
  int outer[4] = {n, n + 1, n + 2, n + 3}, *p = outer, sum = 0;
  if (n & 1) {
    int inner[4] = {-n, 1 - n, 2 - n, 3 - n};
    if (n > 100)
      p = inner;
    sum += inner[n & 3] + p[1];
  }
  return n <= 100 ? sum + p[n & 3] : sum;
}

__host__ __device__ int set_anew(int n) {
  int result = 0, *p = &result;
  for (int round = 0; round < n; ++round) {
    {
      int values[4] = {round, round + 1, round + 2, round + 3};
      p = &values[round & 3];
      *p += 1;
      result += values[n & 3];
      p = &result;
    }
    *p += 1;
  }
  return result;
}

__host__ __device__ int references(int n) {
  const int more = n + 1;
  const int &outlives = greater_of(n, more);
  const int &argument = greater_of(n, n - 1); // the result is `n`, not the temporary
  const int value = greater_of(n, n + 7);
  const int &either = n > 3 ? greater_of(more, n) : more;
  const int &gone = greater_of(n, n + 9);
  return outlives + argument + value + either + maybe(&gone, n);
}

__host__ __device__ int two_scopes(int n) {
  int sum = 0, outer[4] = {5, 6, 7, 8};
  for (int round = 0; round < n; ++round) {
    int *p, even[4] = {round, round + 1, round + 2, round + 3};
    {
      int odd[4] = {-round, 1 - round, 2 - round, 3 - round};
      p = round & 1 ? &even[n & 3] : &odd[n & 3];
      sum += *p;
      if (!(round & 1))
        p = outer;
    }
    sum += *p;
  }
  return sum;
}

__host__ __device__ int structures(int n) {
  Pair kept = {1, 2};
  const Pair *best = &kept;
  for (int round = 0; round < n; ++round) {
    Pair candidate = {round, round + 1};
    best = pick(best, &candidate, n);
    if (best->key < candidate.key)
      kept = candidate;
    best = &kept;
  }
  const Pair copy = *best;
  return copy.key + best->value;
}

__host__ __device__ int left_early(int n) {
  int keep = 0, *p = &keep;
  for (int round = 0; round < n; ++round) {
    int value = round, *before = p;
    p = &value;
    if (value == 3) {
      *p += 1;
      p = before;
      break;
    }
    if (value == 9)
      return -1;
    keep += *p + 1;
    p = before;
  }
  return *p;
}

// No atomic of CUDA's: touches the address only if the condition holds.
__host__ __device__ void atomicAddIf(int *address, int value, bool condition) {
  if (condition)
    *address += value;
}

__host__ __device__ int conditional(int n) {
  int keep = 0, *p = &keep;
  if (n > 3) {
    int value = n;
    p = &value;
    keep = *p;
  }
  atomicAddIf(p, 1, n <= 3);
  return keep;
}

__host__ __device__ void all(int *out, int n) {
  int (*const functions[])(int) = {open_again, other_path, set_anew,   references,
                                   two_scopes, structures, left_early, conditional};
  for (int i = 0; i < 8; ++i)
    out[i] = functions[i](n);
  out[8] = open_again(n) + other_path(n) + set_anew(n) + references(n) + two_scopes(n) + structures(n) + left_early(n) +
           conditional(n);
}

__global__ void kernel(int *out, int n) {
  all(out, n);
}

int main() {
  Buffer<int> out(9);
  for (int n = 1; n < 8; ++n) {
    int expected[9];
    all(expected, n);
    kernel<<<1, 1>>>(out, n);
    for (int i = 0; i < 9; ++i)
      EXPECT(out.host()[i] == expected[i], "%d, %d: %d, not %d", n, i, out.host()[i], expected[i]);
  }
  return passed();
}
