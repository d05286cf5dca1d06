// A pool in RMM's style: one allocation, a list of free blocks ordered by address, first fit, blocks of multiples of
// 256 bytes, coalesced when they are freed.
#pragma once
#include <gasan/gasan.h>

#include <cstddef>
#include <iterator>
#include <map>

class PoolResource {
  char *base = nullptr;
  std::map<char *, size_t> available, taken;

  static size_t rounded(size_t size) { return (size + 255) / 256 * 256; }

public:
  explicit PoolResource(size_t size) {
    cudaMalloc(&base, size);
    gasan_heap_register(base, size);
    available[base] = size;
  }

  void *allocate(size_t size) {
    for (auto at = available.begin(); at != available.end(); ++at) {
      if (at->second < rounded(size))
        continue;
      char *block = at->first;
      size_t rest = at->second - rounded(size);
      available.erase(at);
      if (rest)
        available[block + rounded(size)] = rest;
      taken[block] = rounded(size);
      gasan_region_register(block, size);
      return block;
    }
    return nullptr;
  }

  void deallocate(void *pointer) {
    gasan_region_unregister(pointer);
    auto block = taken.find((char *)pointer);
    auto at = available.insert(*block).first;
    taken.erase(block);
    auto next = std::next(at);
    if (next != available.end() && at->first + at->second == next->first) {
      at->second += next->second;
      available.erase(next);
    }
    if (at != available.begin() && std::prev(at)->first + std::prev(at)->second == at->first) {
      std::prev(at)->second += at->second;
      available.erase(at);
    }
  }

  ~PoolResource() { cudaFree(base); }
};
