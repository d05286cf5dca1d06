/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What a run of a kernel needs, as numbers: memory, arguments, shape.
#ifndef GASAN_SCAN_RECIPE_H
#define GASAN_SCAN_RECIPE_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gasan::scan {

struct RecipePointer {
  uint64_t At; // bytes from the begin of the memory or argument
  unsigned Memory;
  uint64_t Offset;
};

struct RecipeBytes { // known bytes and pointers of an argument or of memory
  uint64_t Size = 0;
  std::map<uint64_t, uint8_t> Bytes;
  std::vector<RecipePointer> Pointers;
};

struct RecipeMemory : RecipeBytes {
  bool Managed = false, Zero = false, Freed = false;
};

struct Recipe {
  std::string Unable;       // the reason why there can be no run; empty: there can
  std::string Stub;         // the mangled name of the kernel's host function
  std::string File, Folder; // of the source that the kernel comes from
  std::vector<RecipeMemory> Memory;
  std::vector<RecipeBytes> Arguments;
};

} // namespace gasan::scan

#endif
