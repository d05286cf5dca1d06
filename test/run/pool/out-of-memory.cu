// ALONE: it takes all memory of the device
// Allocates until there is no memory, frees, and allocates again. cudaMalloc returns CUDA's error, which is not sticky,
// and nothing is reported. The pool gives back memory in quarantine first. A few large chunks fill a large device.
// After all that a bug is still reported.
// RUN: %gasan -O2 %s -o %t.bug
// RUN: not %run %t.bug 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %options=redzone_percent=100:quarantine_size_mb=64 %run %t 2>&1 >/dev/null | %silent
#include <cstdint>
#include <cstdio>
#include <vector>

#define REQUIRE(condition)                                                                                             \
  do                                                                                                                   \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "line %d: not %s\n", __LINE__, #condition);                                                      \
      return 1;                                                                                                        \
    }                                                                                                                  \
  while (0)

__global__ void touch(unsigned *words, size_t count) {
  words[0] += 1; // CHECK: heap-use-after-free
  words[count - 1] += 1;
}

// Returns whether there was memory. If not, CUDA returns its error once, and *chunk is unchanged.
static bool allocate(void **chunk, size_t size, bool *right) {
  void *before = *chunk;
  cudaError_t error = cudaMalloc(chunk, size);
  if (error == cudaSuccess)
    return true;
  *right &= error == cudaErrorMemoryAllocation && *chunk == before && cudaPeekAtLastError() == error &&
            cudaGetLastError() == error && cudaGetLastError() == cudaSuccess;
  return false;
}

// Allocates all memory except for less than `least` bytes: many chunks of `size` bytes, then smaller ones.
static std::vector<void *> fill(size_t size, size_t least, bool *right) {
  std::vector<void *> chunks;
  for (void *chunk = nullptr; size >= least; chunk = nullptr)
    if (allocate(&chunk, size, right))
      chunks.push_back(chunk);
    else
      size /= 2;
  return chunks;
}

int main() {
  size_t available = 0, total = 0, least = 64 << 20;
  bool right = true;
  void *none = &right;
  REQUIRE(cudaFree(nullptr) == cudaSuccess && cudaMemGetInfo(&available, &total) == cudaSuccess);
  REQUIRE(!allocate(&none, total + (1 << 20), &right) && !allocate(&none, SIZE_MAX, &right) && none == &right && right);

  void *warm = nullptr; // a kernel's first launch allocates memory for its code
  REQUIRE(allocate(&warm, 4096, &right));
  touch<<<1, 1>>>((unsigned *)warm, 1024);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess && cudaFree(warm) == cudaSuccess);

  size_t size = available / 8 / least * least;
  std::vector<void *> chunks = fill(size, least, &right);
  REQUIRE(right && chunks.size() >= 6 && chunks.size() < 100);
  touch<<<1, 1>>>((unsigned *)chunks[0], size / 4);
  touch<<<1, 1>>>((unsigned *)chunks[1], size / 4);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);

  // Freed memory is available again, several times.
  for (int round = 0; round < 3; round++) {
    void *again = nullptr;
    REQUIRE(!allocate(&none, size, &right));
    REQUIRE(cudaFree(chunks[1]) == cudaSuccess && allocate(&again, size, &right) && right);
    chunks[1] = again;
    touch<<<1, 1>>>((unsigned *)again, size / 4);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  }
  for (size_t i = 1; i < chunks.size(); i++)
    REQUIRE(cudaFree(chunks[i]) == cudaSuccess);

  // Small chunks keep their memory in quarantine. When there is no other memory, the pool takes theirs.
  std::vector<void *> small(4000, nullptr);
  for (void *&chunk : small)
    REQUIRE(allocate(&chunk, 32000, &right));
  std::vector<void *> rest = fill(size, least, &right);
  for (void *chunk : small)
    REQUIRE(cudaFree(chunk) == cudaSuccess);
  void *room = nullptr;
  REQUIRE(allocate(&room, least, &right) && right);
  touch<<<1, 1>>>((unsigned *)room, least / 4);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess && cudaFree(room) == cudaSuccess);
  for (void *chunk : rest)
    REQUIRE(cudaFree(chunk) == cudaSuccess);

  void *first = chunks[0];
#ifndef FIXED
  REQUIRE(cudaFree(first) == cudaSuccess);
#endif
  // CHECK: is located 0 bytes inside of
  // CHECK: freed by host thread T0 here:
  // CHECK: previously allocated by host thread T0 here:
  touch<<<1, 1>>>((unsigned *)first, size / 4);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  return 0;
}
