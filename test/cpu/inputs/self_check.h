// Shared by the programs of test/cpu: a CUDA error ends the program with a message, and a failed self-check makes it
// exit with 1.
#ifndef GASAN_TEST_CPU_SELF_CHECK_H
#define GASAN_TEST_CPU_SELF_CHECK_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CUDA(call)                                                                                                     \
  do {                                                                                                                 \
    cudaError_t cuda_error = (call);                                                                                   \
    if (cuda_error != cudaSuccess) {                                                                                   \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(cuda_error));                     \
      exit(2);                                                                                                         \
    }                                                                                                                  \
  } while (0)

// Reports the first few failures and counts all of them. passed() returns the program's exit code.
static int failures;
#define EXPECT(condition, ...)                                                                                         \
  do {                                                                                                                 \
    if (!(condition) && ++failures <= 10) {                                                                            \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                                                  \
      fprintf(stderr, __VA_ARGS__);                                                                                    \
      fputc('\n', stderr);                                                                                             \
    }                                                                                                                  \
  } while (0)

static inline int passed() {
  if (failures > 10)
    fprintf(stderr, "... %d failures in all\n", failures);
  return failures != 0;
}

// The same sequence on all machines (PCG, XSH-RR 64/32).
struct Random {
  uint64_t state;
  explicit Random(uint64_t seed = 1) : state(seed * 2 + 1) { next(); }
  uint32_t next() {
    uint64_t old = state;
    state = old * 6364136223846793005u + 1442695040888963407u;
    uint32_t mixed = uint32_t(((old >> 18) ^ old) >> 27), turn = uint32_t(old >> 59);
    return (mixed >> turn) | (mixed << (-turn & 31));
  }
  uint32_t below(uint32_t bound) { return uint32_t((uint64_t(next()) * bound) >> 32); }
  float unit() { return float(next() >> 8) * (1.0f / 16777216.0f); } // [0, 1)
};

// FNV-1a of the bytes. Programs print it in place of large exact results.
static inline uint64_t checksum(const void *data, size_t bytes, uint64_t seed = 1469598103934665603u) {
  for (size_t i = 0; i < bytes; ++i)
    seed = (seed ^ static_cast<const unsigned char *>(data)[i]) * 1099511628211u;
  return seed;
}

template <typename T>
uint64_t checksum(const std::vector<T> &values) {
  return checksum(values.data(), values.size() * sizeof(T));
}

#endif
