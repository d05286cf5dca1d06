/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// --replay: witnesses become runs on the CPU device. A generated program, built with gasan-clang++ from beside this
// one, includes the kernel's source, and launches the kernel with the witness's shape, sizes and arguments.
#ifndef GASAN_SCAN_REPLAY_H
#define GASAN_SCAN_REPLAY_H

#include "scan/Compile.h"
#include "scan/Judge.h"

namespace gasan::scan {

// Returns what a run needs of a launch, with the numbers of a witness.
Recipe makeRecipe(const Check &C, const Assignment &Values, const std::map<const Node *, uint64_t> &Contents);

struct Replayed {
  bool Confirmed = false;
  std::string Text; // a sentence, and gasan's report
};

// Builds and runs the possible ones, in their order. Others have an empty text. Partitions: arrays in dynamic shared
// memory end where the next one begins.
std::vector<Replayed> replay(const std::vector<Verdicts> &All, const std::vector<Source> &Sources, bool Partitions);

} // namespace gasan::scan

#endif
