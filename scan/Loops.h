/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A loop while the executor summarises it.
#ifndef GASAN_SCAN_LOOPS_H
#define GASAN_SCAN_LOOPS_H

#include "scan/Executor.h"

namespace gasan::scan {

inline constexpr uint64_t kUnrolledRounds = 72; // of a loop of a kernel, if their number is known

struct Executor::LoopPlan {
  explicit LoopPlan(const llvm::Loop &L) : L(L) {}

  struct Phi {
    enum Kind { Any, Same, Affine, Halves, Doubles } Form = Any;
    const llvm::PHINode *Code;
    Value Start, Assumed, Latch, Body;
    Variable *Var = nullptr;     // stands for the number, or for the offset of a pointer
    const Node *First = nullptr; // its value before the first round
    const Node *Step = nullptr;  // of Affine; of Halves and Doubles: the shift's width
    bool Signed = false;         // the program promises that the step does not wrap
  };

  const llvm::Loop &L;
  State Assumed;
  const Node *Before = nullptr; // the path to the loop
  std::vector<Phi> Phis;
  unsigned FirstRank = 0;
  size_t FirstTouched = 0;
  unsigned StepsOfRound = 0;
  const Node *Stays = nullptr; // the header's condition for another round; NULL: another block decides
  bool LatchReached = false;
  bool EndsEarly = false;      // a round may leave the loop, or end the program
  Phi *Primary = nullptr;      // the variable that the header's condition compares
  const Node *Bound = nullptr; // with this
  bool Direct = false, Up = false, SignedOrder = false, Strict = false, Unequal = false;
};

} // namespace gasan::scan

#endif
