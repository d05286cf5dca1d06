/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Conditions of ways through a program, as sets of conditions that hold together.
#ifndef GASAN_SCAN_PATHS_H
#define GASAN_SCAN_PATHS_H

#include "scan/Expression.h"

#include <set>

namespace gasan::scan {

struct ByAge {
  bool operator()(const Node *A, const Node *B) const { return A->Id < B->Id; }
};
using Way = std::set<const Node *, ByAge>;

// Returns the conditions whose conjunction it is, each once.
std::vector<const Node *> splitConditions(const Node *From);
// Returns true if both are conjunctions of the same conditions.
bool isSameCondition(const Node *A, const Node *B);

// The disjunction of paths, in a short form. It has the same value as a plain one.
class PathJoin {
public:
  explicit PathJoin(Expressions &Nodes) : Nodes(Nodes) {}
  void add(const Node *Path);
  const Node *condition();

private:
  void simplify();

  Expressions &Nodes;
  std::vector<Way> Ways;
  const Node *Plain = nullptr; // the disjunction, if there are too many ways
};

} // namespace gasan::scan

#endif
