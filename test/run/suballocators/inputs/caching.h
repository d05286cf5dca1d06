// A caching allocator in PyTorch's style: segments of 2 MiB or more from cudaMalloc, divided into blocks of multiples
// of 512 bytes. A free block merges with its free neighbours, and is given again to the next request that fits,
// whatever the device is still doing: its streams order the uses.
#pragma once
#include <gasan/gasan.h>

#include <cstddef>
#include <iterator>
#include <map>
#include <set>

class CachingAllocator {
  struct Block {
    char *base;
    size_t size, segment;
    bool taken;
  };
  std::map<char *, Block> blocks; // neighbours are neighbours here
  std::map<char *, size_t> segments;

  static size_t rounded(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

  bool joins(const Block &left, const Block &right) const {
    return !left.taken && !right.taken && left.segment == right.segment;
  }

  Block *find(size_t size) {
    Block *best = nullptr;
    for (auto &entry : blocks)
      if (!entry.second.taken && entry.second.size >= size && (!best || entry.second.size < best->size))
        best = &entry.second;
    return best;
  }

  Block *grow(size_t size) {
    size_t segment = rounded(size, 2 << 20);
    char *base = nullptr;
    if (cudaMalloc(&base, segment) != cudaSuccess)
      return nullptr;
    gasan_heap_register(base, segment);
    segments[base] = segment;
    return &(blocks[base] = Block{base, segment, segments.size(), false});
  }

public:
  // Registers the size that was asked for: what lies between it and the block's end is not accessible.
  void *malloc(size_t size) {
    size_t needed = rounded(size ? size : 1, 512);
    Block *block = find(needed);
    if (!block && !(block = grow(needed)))
      return nullptr;
    if (block->size > needed) {
      char *rest = block->base + needed;
      blocks[rest] = Block{rest, block->size - needed, block->segment, false};
      block->size = needed;
    }
    block->taken = true;
    gasan_region_register(block->base, size);
    return block->base;
  }

  void free(void *pointer) {
    auto at = blocks.find((char *)pointer);
    gasan_region_unregister(pointer);
    at->second.taken = false;
    auto next = std::next(at);
    if (next != blocks.end() && joins(at->second, next->second)) {
      at->second.size += next->second.size;
      blocks.erase(next);
    }
    if (at != blocks.begin() && joins(std::prev(at)->second, at->second)) {
      std::prev(at)->second.size += at->second.size;
      blocks.erase(at);
    }
  }

  ~CachingAllocator() {
    for (auto &segment : segments)
      cudaFree(segment.first);
  }
};
