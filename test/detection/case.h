// Shared by the cases. A program has several cases; its arguments are words that choose one ("adjacent read device").
// With -DFIXED the program is the correct twin: the same code without the bug, which is one number or line, and with a
// check of the result.
#ifndef GASAN_TEST_DETECTION_CASE_H
#define GASAN_TEST_DETECTION_CASE_H

#include <cstdio>
#include <cstdlib>
#include <cstring>

// The number that contains the bug. Indices are kernel arguments, so that no optimiser knows which of the two values
// they have.
#ifdef FIXED
#define BUG_OR_FIXED(bug, fixed) (fixed)
#else
#define BUG_OR_FIXED(bug, fixed) (bug)
#endif

#define NOINLINE __attribute__((noinline))

#define CUDA(call)                                                                                                     \
  do {                                                                                                                 \
    cudaError_t cuda_error = (call);                                                                                   \
    if (cuda_error != cudaSuccess) {                                                                                   \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(cuda_error));                     \
      exit(2);                                                                                                         \
    }                                                                                                                  \
  } while (0)

static char **words;

static bool chosen(const char *word) {
  for (char **each = words; *each; ++each)
    if (!strcmp(*each, word))
      return true;
  return false;
}

// Allocates device or managed memory with the values 0, 1, 2, ...
static int *allocate(int count) {
  int *values;
  if (chosen("managed"))
    CUDA(cudaMallocManaged(&values, count * sizeof(int)));
  else
    CUDA(cudaMalloc(&values, count * sizeof(int)));
  int *host = static_cast<int *>(malloc(count * sizeof(int)));
  for (int i = 0; i < count; ++i)
    host[i] = i;
  CUDA(cudaMemcpy(values, host, count * sizeof(int), cudaMemcpyDefault));
  free(host);
  return values;
}

static int first_of(const int *values) {
  int value;
  CUDA(cudaMemcpy(&value, values, sizeof value, cudaMemcpyDefault));
  return value;
}

static void synchronise() {
  CUDA(cudaGetLastError());
  CUDA(cudaDeviceSynchronize());
}

// Returns the exit code: not 0 if the correct twin computes a wrong result.
static int finish(int result, int right) {
#ifdef FIXED
  if (result != right) {
    fprintf(stderr, "the result is %d, not %d\n", result, right);
    return 3;
  }
#else
  (void)result, (void)right;
#endif
  return 0;
}

// Returns the distance of two arrays in elements. Not inlined, so that the compiler cannot combine the two arrays.
static NOINLINE __device__ int distance(const int *from, const int *to) {
  return int(to - from);
}

// Write and read whole arrays, opaque to the optimiser.
static NOINLINE __device__ void fill(int *values, int count, int first) {
  for (int i = 0; i < count; ++i)
    values[i] = first + i;
}

static NOINLINE __device__ int total(const int *values, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i)
    sum += values[i];
  return sum;
}

#endif
