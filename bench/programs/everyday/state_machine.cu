/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A genetic algorithm: finite state machines guess the next symbol of a sequence, and good ones replace bad ones.
// Stands for byte tables in shared memory whose indices come from earlier reads of the same tables.
#include "../program.h"

// The row of a state has a pair for each symbol: the next state, and the guess.
constexpr int kStates = 8, kSymbols = 8, kRow = 2 * kSymbols, kMachine = kStates * kRow, kThreads = 64;

struct Settings {
  int count, generations, length;
};

__host__ __device__ int play(const unsigned char *machine, const unsigned char *symbols, int length) {
  int state = 0, score = 0;
  for (int i = 0; i < length - 1; i++) {
    const unsigned char *entry = machine + state * kRow + symbols[i] * 2;
    if (entry[1] == symbols[i + 1])
      score++;
    state = entry[0];
  }
  return score;
}

// The child gets the end of each row from the better machine, and one mutation.
__host__ __device__ void breed(unsigned char *child, const unsigned char *better, int machine, int generation) {
  unsigned random = scramble((size_t)machine * 64 + generation);
  for (int i = 0; i < kMachine; i++)
    if (i % kRow >= (int)(random % kRow))
      child[i] = better[i];
  child[(random >> 8) % kMachine] = (unsigned char)(random >> 20) % kStates;
}

__host__ __device__ int find_partner(int thread, int generation) {
  return thread ^ 1 << generation % 6;
}

__global__ void evolve(uint4 *machines, int *scores, const unsigned char *symbols, Settings settings) {
  __shared__ uint4 rows[kThreads * kStates];
  __shared__ int own_scores[kThreads];
  int tid = threadIdx.x, first = blockIdx.x * blockDim.x, id = first + tid;
  for (int i = tid; i < kThreads * kStates; i += blockDim.x)
    if (first + i / kStates < settings.count)
      rows[i] = machines[first * kStates + i];
  __syncthreads();
  unsigned char *tables = (unsigned char *)rows, *own = tables + tid * kMachine;
  for (int generation = 0; generation < settings.generations; generation++) {
    own_scores[tid] = id < settings.count ? play(own, symbols, settings.length) : -1;
    __syncthreads();
    int partner = find_partner(tid, generation);
    if (id < settings.count && own_scores[partner] > own_scores[tid])
      breed(own, tables + partner * kMachine, id, generation);
    __syncthreads();
  }
  if (id >= settings.count)
    return;
  scores[id] = play(own, symbols, settings.length);
  for (int state = 0; state < kStates; state++)
    machines[id * kStates + state] = rows[tid * kStates + state];
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  Settings settings = {int(program.size(150, 2 << 20)), int(program.size(4, 6)), int(program.size(40, 200))};
  auto make = [] __host__ __device__(size_t i) { return (unsigned char)(scramble(i) % kStates); };
  auto symbol = [] __host__ __device__(size_t i) { return (unsigned char)((i + scramble(~i) % 3) % kSymbols); };
  auto machines = program.allocate<unsigned char>(size_t(settings.count) * kMachine);
  auto symbols = program.allocate_made<unsigned char>(settings.length, symbol);
  int *scores = program.allocate<int>(settings.count);
  program.time(
      [&] { program.fill(machines, size_t(settings.count) * kMachine, make); },
      [&] { evolve<<<divide_up(settings.count, kThreads), kThreads>>>((uint4 *)machines, scores, symbols, settings); });
  std::vector<unsigned char> sequence = copy_back(symbols, settings.length);
  auto check = [&](size_t block) {
    int first = block * kThreads, last = std::min(first + kThreads, settings.count);
    std::vector<unsigned char> tables((last - first) * kMachine);
    for (size_t i = 0; i < tables.size(); i++)
      tables[i] = make(size_t(first) * kMachine + i);
    std::vector<int> wanted(last - first);
    for (int generation = 0; generation <= settings.generations; generation++) {
      for (int i = 0; i < last - first; i++)
        wanted[i] = play(&tables[i * kMachine], sequence.data(), settings.length);
      for (int i = 0; i < last - first && generation < settings.generations; i++)
        if (int partner = find_partner(i, generation); partner < last - first && wanted[partner] > wanted[i])
          breed(&tables[i * kMachine], &tables[partner * kMachine], first + i, generation);
    }
    return copy_back(scores + first, last - first) == wanted &&
           copy_back(machines + size_t(first) * kMachine, tables.size()) == tables;
  };
  return program.finish(program.verify(divide_up(settings.count, kThreads), check));
}
