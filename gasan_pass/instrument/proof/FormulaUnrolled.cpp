// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds the variables of loops that were unrolled. A loop of a constant or computed step,
//
//   for (i = first; i < end; i += step) ...
//
// has (end - 1 - first) / step + 1 rounds. nvcc makes two loops of it. The first one has `rounds % 4` rounds, and may
// be written out round by round. The second one makes four rounds in one:
//
//   last = (end - 1 - first) / step
//   for (left = (last + 1) & 3, i = first; left != 0; left--, i += step)      i <= end - 1
//     ...
//   if (last >= 3)
//     do ... while ((i += 4 * step) < end)                                     i <= end - 1 - 3 * step
//
// Intervals do not show the right sides: the second loop stays in front of the end because the number of its rounds is
// a whole one. The proof: in both loops, i = first + j * step for some j. The first loop has j < rounds % 4 <= rounds.
// The second one starts with j = rounds % 4 <= rounds - 4. If it goes on, then i < end, which is j < rounds; and j has
// the same remainder modulo 4 as `rounds`, so j <= rounds - 4. By the definition of `rounds`, first + (rounds - 1) *
// step <= end - 1.
//
// Polynomials recognise first, step and end in what the compiler has made of them. The rule holds for whole numbers. It
// applies in launches in which no operation can wrap: all numbers lie between -2^30 and 2^30, and the step is not 0. In
// other launches, the variables have the values that follow from their steps.
//
// The loops' other variables (pointers, products of the index) move beside this one, by a multiple of its step. So they
// are start + multiple * (i - first).
#include "gasan_pass/instrument/proof/Unrolled.h"

using namespace llvm;

namespace gasan {

// Narrows N, the values of a variable of an unrolled loop.
Node Formulas::narrowUnrolled(PHINode &Phi, const Loop &L, Node N) {
  return Unrolled{{*this, Sums}, L, Phi}.narrow(N).value_or(N);
}

// Narrows N, the values of another variable of such a loop.
Node Formulas::besideUnrolled(PHINode &Phi, const Loop &L, Node N) {
  if ((!isInteger(&Phi) && !Phi.getType()->isPointerTy()) || Unrolled{{*this, Sums}, L, Phi}.isUnrolled())
    return N;
  for (PHINode &Leader : L.getHeader()->phis()) {
    if (&Leader == &Phi || Open.contains(&Leader) || !isInteger(&Leader) ||
        (isInteger(&Phi) && bitsOf(&Leader) != bitsOf(&Phi)))
      continue;
    Unrolled Beside = {{*this, Sums}, L, Leader};
    if (Beside.isUnrolled())
      if (std::optional<Node> Narrowed = Beside.narrowOther(Phi, N))
        return *Narrowed;
  }
  return N;
}

} // namespace gasan
