/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Measures pairs of cudaMalloc and cudaFree a second; run.py compares the plain and the instrumented program.
//   throughput [MOST_BYTES [SECONDS [THREADS]]]
// For each size up to MOST_BYTES, for one thread and THREADS (8), two patterns, each for about SECONDS:
//   fresh    every thread allocates many chunks of the size, then frees all in a random order
//   churned  every thread has some live chunks, and keeps replacing a random one by one of half to the whole size
// Prints {"fresh/4096/1": pairs a second, ...}. Outside of the measured time it checks that live chunks do not overlap
// and keep their contents.
#include "../harness.h"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

constexpr size_t kSizes[] = {256, 4 << 10, 64 << 10, 1 << 20, 2 << 20, 16 << 20, 256 << 20, 1 << 30};
constexpr size_t kLeastMemory = 2ull << 30; // of all threads' chunks together; more if the device has plenty
constexpr int kMostChunks = 2000, kMostSlots = 64;

struct Chunk {
  char *base;
  size_t size;
};

static Chunk allocate(size_t size) {
  Chunk chunk = {nullptr, size};
  REQUIRE(cudaMalloc(&chunk.base, size));
  return chunk;
}

static void release(const std::vector<Chunk> &chunks) {
  for (const Chunk &chunk : chunks)
    REQUIRE(cudaFree(chunk.base));
}

static bool are_apart(std::vector<Chunk> chunks) {
  std::sort(chunks.begin(), chunks.end(), [](const Chunk &a, const Chunk &b) { return a.base < b.base; });
  for (size_t i = 1; i < chunks.size(); i++)
    if (chunks[i - 1].base + chunks[i - 1].size > chunks[i].base)
      return false;
  return true;
}

// Writes the numbers of some chunks into their first and last bytes.
static bool keep_contents(const std::vector<Chunk> &chunks) {
  size_t step = chunks.size() / 20 + 1;
  for (size_t i = 0; i < chunks.size(); i += step)
    for (char *place : {chunks[i].base, chunks[i].base + chunks[i].size - sizeof i})
      REQUIRE(cudaMemcpy(place, &i, sizeof i, cudaMemcpyHostToDevice));
  for (size_t i = 0; i < chunks.size(); i += step)
    for (char *place : {chunks[i].base, chunks[i].base + chunks[i].size - sizeof i}) {
      size_t found;
      REQUIRE(cudaMemcpy(&found, place, sizeof found, cudaMemcpyDeviceToHost));
      if (found != i)
        return false;
    }
  return true;
}

static void check(const std::vector<std::vector<Chunk>> &chunks) {
  std::vector<Chunk> all;
  for (const std::vector<Chunk> &own : chunks)
    all.insert(all.end(), own.begin(), own.end());
  if (are_apart(all) && keep_contents(all))
    return;
  fprintf(stderr, "throughput: live chunks overlap\n");
  exit(1);
}

// Runs work(thread) in all threads at once. Returns the seconds from the common start to the end of the last thread.
template <typename Work>
static double run_threads(int threads, Work work) {
  std::atomic<int> ready{0};
  std::atomic<bool> go{false};
  std::vector<std::thread> all;
  for (int i = 0; i < threads; i++)
    all.emplace_back([&, i] {
      REQUIRE(cudaFree(nullptr)); // binds the thread to its device
      ready++;
      while (!go)
        std::this_thread::yield();
      work(i);
    });
  while (ready < threads)
    std::this_thread::yield();
  auto start = std::chrono::steady_clock::now();
  go = true;
  for (std::thread &thread : all)
    thread.join();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The greatest number of chunks a thread may have.
static int most_chunks(size_t size, int threads, size_t memory, int limit) {
  return int(std::max<size_t>(1, std::min<size_t>(limit, memory / size / threads)));
}

static double measure_fresh(size_t size, int threads, size_t memory, double seconds) {
  int count = most_chunks(size, threads, memory, kMostChunks);
  std::vector<std::vector<Chunk>> chunks(threads);
  double passed = 0;
  long long pairs = 0;
  do {
    passed += run_threads(threads, [&](int thread) {
      for (int i = 0; i < count; i++)
        chunks[thread].push_back(allocate(size));
    });
    check(chunks);
    for (int thread = 0; thread < threads; thread++) {
      Random random{size + thread};
      for (int i = count - 1; i > 0; i--)
        std::swap(chunks[thread][i], chunks[thread][random.next() % (i + 1)]);
    }
    passed += run_threads(threads, [&](int thread) { release(chunks[thread]); });
    for (std::vector<Chunk> &own : chunks)
      own.clear();
    pairs += (long long)count * threads;
  } while (passed < seconds);
  return pairs / passed;
}

static double measure_churned(size_t size, int threads, size_t memory, double seconds) {
  int slots = most_chunks(size, threads, memory, kMostSlots), at_once = 2 * slots;
  std::vector<std::vector<Chunk>> chunks(threads);
  std::vector<Random> random(threads);
  auto random_size = [&](int thread) {
    return size / 2 + (random[thread].next() * (1ull << 32) + random[thread].next()) % (size / 2) + 1;
  };
  for (int thread = 0; thread < threads; thread++) {
    random[thread].state = size + thread;
    for (int i = 0; i < slots; i++)
      chunks[thread].push_back(allocate(random_size(thread)));
  }
  auto churn = [&](int thread) {
    for (int i = 0; i < at_once; i++) {
      Chunk &chunk = chunks[thread][random[thread].next() % slots];
      REQUIRE(cudaFree(chunk.base));
      chunk = allocate(random_size(thread));
    }
  };
  run_threads(threads, churn); // reach the steady state
  double passed = 0;
  long long pairs = 0;
  do {
    passed += run_threads(threads, churn);
    pairs += (long long)at_once * threads;
  } while (passed < seconds);
  check(chunks);
  for (const std::vector<Chunk> &own : chunks)
    release(own);
  return pairs / passed;
}

int main(int argc, char **argv) {
  size_t most = argc > 1 ? strtoull(argv[1], nullptr, 10) : 1 << 30, free = 0, total = 0;
  double seconds = argc > 2 ? atof(argv[2]) : 0.15;
  int many = argc > 3 ? atoi(argv[3]) : 8;
  if (most < kSizes[0] || seconds <= 0 || many < 2 || many > 64 || argc > 4) {
    fprintf(stderr, "usage: throughput [MOST_BYTES [SECONDS [THREADS]]], THREADS from 2 to 64\n");
    return 2;
  }
  REQUIRE(cudaMemGetInfo(&free, &total));
  size_t memory = std::min(free / 2, std::max(kLeastMemory, free / 4));
  std::string json;
  for (size_t size : kSizes)
    for (int threads : {1, many}) {
      if (size > most || size * threads > memory)
        continue;
      for (bool churned : {false, true}) {
        char entry[80];
        double rate = (churned ? measure_churned : measure_fresh)(size, threads, memory, seconds);
        snprintf(entry, sizeof entry, "%s\"%s/%zu/%d\": %.2f", json.empty() ? "" : ", ", churned ? "churned" : "fresh",
                 size, threads, rate);
        json += entry;
      }
    }
  printf("{%s}\n", json.c_str());
  return json.empty() ? 2 : 0;
}
