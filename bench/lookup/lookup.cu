/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Measures the cost of finding a pointer's bounds with COUNT live chunks; run.py compares GASAN_OPTIONS=lookup=.
//   lookup COUNT [STEPS [WORDS [REPETITIONS]]]
// Prints {"chase": milliseconds, "stream": milliseconds}:
//   chase    each thread follows STEPS pointers from chunk to chunk, in a random order: one lookup a step
//   stream   a[i] = b[i] + c[i] over three chunks of WORDS words: three lookups a thread
#include "../harness.h"

struct Node {
  Node *next;
  unsigned value;
};

constexpr int kBlock = 128, kChasers = 64 * kBlock, kNodeBytes = 256;

__global__ void chase(Node *const *starts, unsigned count, int steps, unsigned *sums) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (const Node *node = starts[i % count]; steps > 0; steps--, node = node->next)
    sum += node->value;
  sums[i] = sum;
}

__global__ void stream(const float *b, const float *c, float *a, unsigned count) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    a[i] = b[i] + c[i];
}

// Links all chunks to a ring. Node number n has the value n.
static std::vector<Node *> make_ring(unsigned count, std::vector<unsigned> &order) {
  std::vector<Node *> nodes(count);
  order.resize(count);
  for (unsigned i = 0; i < count; i++) {
    REQUIRE(cudaMalloc(&nodes[i], kNodeBytes));
    order[i] = i;
  }
  Random random{count};
  for (unsigned i = count - 1; i > 0; i--)
    std::swap(order[i], order[random.next() % (i + 1)]);
  for (unsigned i = 0; i < count; i++) {
    Node node = {nodes[order[(i + 1) % count]], order[i]};
    REQUIRE(cudaMemcpy(nodes[order[i]], &node, sizeof node, cudaMemcpyHostToDevice));
  }
  return nodes;
}

static bool sums_are_right(const unsigned *device, const std::vector<unsigned> &order, int steps) {
  std::vector<unsigned> sums(kChasers), place(order.size());
  REQUIRE(cudaMemcpy(sums.data(), device, kChasers * sizeof(unsigned), cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < order.size(); i++)
    place[order[i]] = unsigned(i);
  for (unsigned i = 0; i < kChasers; i += 97) {
    unsigned sum = 0;
    for (int step = 0; step < steps; step++)
      sum += order[(place[i % order.size()] + step) % order.size()];
    if (sum != sums[i])
      return false;
  }
  return true;
}

static float *allocate(unsigned words) {
  float *pointer;
  REQUIRE(cudaMalloc(&pointer, words * sizeof(float)));
  return pointer;
}

// The median time of the launches after the first, by events before and after each.
template <typename Launch>
static float median_ms(Launch launch, int repetitions) {
  cudaEvent_t start, stop;
  REQUIRE(cudaEventCreate(&start));
  REQUIRE(cudaEventCreate(&stop));
  std::vector<float> times;
  for (int i = -1; i < repetitions; i++) {
    float milliseconds;
    REQUIRE(cudaEventRecord(start));
    launch();
    REQUIRE(cudaGetLastError());
    REQUIRE(cudaEventRecord(stop));
    REQUIRE(cudaEventSynchronize(stop));
    REQUIRE(cudaEventElapsedTime(&milliseconds, start, stop));
    if (i >= 0)
      times.push_back(milliseconds);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 0;
  int steps = argc > 2 ? atoi(argv[2]) : 200, repetitions = argc > 4 ? atoi(argv[4]) : 9;
  unsigned words = argc > 3 ? unsigned(strtoul(argv[3], nullptr, 10)) : 32u << 20;
  if (count < 1 || count > 10000000 || steps < 1 || words < 1 || repetitions < 1 || argc > 5) {
    fprintf(stderr, "usage: lookup COUNT [STEPS [WORDS [REPETITIONS]]], COUNT up to 10000000\n");
    return 2;
  }
  std::vector<unsigned> order;
  std::vector<Node *> nodes = make_ring(unsigned(count), order);
  Node **starts;
  unsigned *sums;
  REQUIRE(cudaMalloc(&starts, count * sizeof *starts));
  REQUIRE(cudaMemcpy(starts, nodes.data(), count * sizeof *starts, cudaMemcpyHostToDevice));
  REQUIRE(cudaMalloc(&sums, kChasers * sizeof *sums));
  float *a = allocate(words), *b = allocate(words), *c = allocate(words);
  make_elements<<<divide_up(words, kBlock), kBlock>>>(b, words, [] __device__(size_t i) { return scrambled_unit(i); });
  make_elements<<<divide_up(words, kBlock), kBlock>>>(c, words, [] __device__(size_t i) { return scrambled_unit(~i); });
  float chase_ms =
      median_ms([&] { chase<<<kChasers / kBlock, kBlock>>>(starts, unsigned(count), steps, sums); }, repetitions);
  float stream_ms = median_ms([&] { stream<<<divide_up(words, kBlock), kBlock>>>(b, c, a, words); }, repetitions);
  if (!sums_are_right(sums, order, steps) ||
      !holds_for_samples(words, [&](size_t i) { return fetch(a + i) == scrambled_unit(i) + scrambled_unit(~i); })) {
    fprintf(stderr, "lookup: wrong results\n");
    return 1;
  }
  printf("{\"chase\": %.5f, \"stream\": %.5f}\n", chase_ms, stream_ms);
  return 0;
}
