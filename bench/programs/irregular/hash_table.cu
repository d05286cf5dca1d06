/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A hash table with open addressing: inserts keys with their values, then looks up keys, half of which are in the
// table.
#include "../program.h"

struct Slot {
  unsigned key, value;
};

constexpr unsigned kEmpty = 0xffffffff;

// Distinct for distinct i below 2^31.
__host__ __device__ static unsigned key_of(unsigned i) {
  return i * 2654435761u & 0x7fffffff;
}
__host__ __device__ static unsigned value_of(unsigned i) {
  return scramble(i);
}

__global__ void insert(Slot *slots, unsigned mask, unsigned count) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  unsigned key = key_of(i), slot = scramble(key) & mask;
  while (atomicCAS(&slots[slot].key, kEmpty, key) != kEmpty)
    slot = (slot + 1) & mask;
  slots[slot].value = value_of(i);
}

__global__ void look_up(const Slot *slots, unsigned mask, const unsigned *keys, unsigned *values, unsigned count) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  unsigned key = keys[i], slot = scramble(key) & mask, found = kEmpty;
  while (slots[slot].key != kEmpty) {
    if (slots[slot].key == key) {
      found = slots[slot].value;
      break;
    }
    slot = (slot + 1) & mask;
  }
  values[i] = found;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  unsigned slot_count = program.size(1 << 12, 1 << 25), count = slot_count / 2;
  auto wanted_number = [count] __host__ __device__(size_t i) { return scramble(i + (1ull << 50)) % (2 * count); };
  Slot *slots = program.allocate<Slot>(slot_count);
  unsigned *values = program.allocate<unsigned>(count);
  unsigned *keys =
      program.allocate_made<unsigned>(count, [=] __host__ __device__(size_t i) { return key_of(wanted_number(i)); });
  program.time([&] { REQUIRE(cudaMemset(slots, 0xff, slot_count * sizeof *slots)); },
               [&] {
                 insert<<<divide_up(count, 256), 256>>>(slots, slot_count - 1, count);
                 look_up<<<divide_up(count, 256), 256>>>(slots, slot_count - 1, keys, values, count);
               });
  return program.finish(program.verify(count, [&](size_t i) {
    unsigned number = wanted_number(i);
    return fetch(values + i) == (number < count ? value_of(number) : kEmpty);
  }));
}
