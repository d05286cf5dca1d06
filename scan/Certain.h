/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Removes the values that the analysis does not follow from a condition. The result implies the condition, whatever
// these values are: `unknown ? x : y < n` becomes nothing, and `far ? unknown : y < n` becomes `!far && y < n`.
#ifndef GASAN_SCAN_CERTAIN_H
#define GASAN_SCAN_CERTAIN_H

#include "scan/Expression.h"

namespace gasan::scan {

class Certain {
public:
  explicit Certain(Expressions &Nodes) : Nodes(Nodes) {}

  // Return a condition without unknown values under which A, a condition, is true (false) for all of them.
  const Node *isTrue(const Node *A) { return decide(A, true); }
  const Node *isFalse(const Node *A) { return decide(A, false); }

private:
  bool hasUnknown(const Node *A);
  const Node *decide(const Node *A, bool Wanted);
  const Node *decideNew(const Node *A, bool Wanted);
  // Returns a condition under which the number A does not depend on unknown values.
  const Node *isKnown(const Node *A);
  const Node *isKnownNew(const Node *A);
  const Node *withoutUnknown(const Node *A); // any number stands for the unknown ones

  Expressions &Nodes;
  std::unordered_map<const Node *, bool> Unknown;
  std::unordered_map<const Node *, const Node *> Decided[2], Numbers, Replaced;
  std::map<const Variable *, const Node *> Stands;
};

} // namespace gasan::scan

#endif
