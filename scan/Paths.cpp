/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Joins the conditions of ways that meet. `a ? b : c` and `a && b` make several ways; behind them the condition should
// be the one before them again, or formulas grow with each branch.
#include "scan/Paths.h"

#include <algorithm>

namespace gasan::scan {

static constexpr size_t kMostWays = 16, kMostChoices = 8, kMostConditions = 80;

std::vector<const Node *> splitConditions(const Node *From) {
  std::vector<const Node *> Result, Work = {From};
  std::set<const Node *> Seen;
  while (!Work.empty()) {
    const Node *Part = Work.back();
    Work.pop_back();
    if (!Seen.insert(Part).second)
      continue;
    if (Part->Operation == Op::And && Part->Width == 1)
      Work.insert(Work.end(), {Part->Kids[1], Part->Kids[0]});
    else
      Result.push_back(Part);
  }
  return Result;
}

bool isSameCondition(const Node *A, const Node *B) {
  if (A == B)
    return true;
  std::vector<const Node *> Left = splitConditions(A), Right = splitConditions(B);
  std::sort(Left.begin(), Left.end());
  std::sort(Right.begin(), Right.end());
  return Left == Right;
}

// Removes from Mine the conditions that the other way makes superfluous: (c and l) or (c and not l and r) is
// (c and l) or (c and r). Returns true if there was one.
static bool shorten(Expressions &Nodes, Way &Mine, const Way &Other) {
  for (const Node *Literal : Other) {
    const Node *Opposite = Nodes.negate(Literal);
    if (!Mine.count(Opposite))
      continue;
    const bool Covers = std::all_of(Other.begin(), Other.end(), [&](const Node *Part) {
      return Part == Literal || (Part != Opposite && Mine.count(Part)); // else Other is never true
    });
    if (Covers) {
      Mine.erase(Opposite);
      return true;
    }
  }
  return false;
}

// Adds the ways of a condition that may have alternatives: (a or b) and c are two ways. Returns false if there are too
// many.
static bool expand(const Node *Path, std::vector<Way> &Result) {
  Result.assign(1, {});
  for (const Node *Part : splitConditions(Path)) {
    std::vector<const Node *> Choices, Work = {Part};
    while (!Work.empty()) {
      const Node *A = Work.back();
      Work.pop_back();
      if (A->Operation == Op::Or && A->Width == 1)
        Work.insert(Work.end(), {A->Kids[1], A->Kids[0]});
      else
        Choices.push_back(A);
    }
    if (Result.size() * Choices.size() > kMostChoices)
      return false;
    std::vector<Way> Longer;
    for (const Way &Mine : Result)
      for (const Node *Choice : Choices) {
        Way New = Mine;
        for (const Node *Condition : splitConditions(Choice))
          New.insert(Condition);
        if (New.size() > kMostConditions)
          return false;
        Longer.push_back(std::move(New));
      }
    Result = std::move(Longer);
  }
  return true;
}

// Makes the ways shorter, until each is needed.
void PathJoin::simplify() {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (size_t I = 0; I < Ways.size() && !Changed; I++)
      for (size_t J = 0; J < Ways.size() && !Changed; J++) {
        if (I == J)
          continue;
        if (std::includes(Ways[J].begin(), Ways[J].end(), Ways[I].begin(), Ways[I].end(), ByAge())) {
          Ways.erase(Ways.begin() + J);
          Changed = true;
        } else {
          Changed = shorten(Nodes, Ways[J], Ways[I]);
        }
      }
  }
}

void PathJoin::add(const Node *Path) {
  std::vector<Way> New;
  if (Plain || Ways.size() > kMostWays || !expand(Path, New)) {
    Plain = Plain ? Nodes.either(Plain, Path) : Ways.empty() ? Path : Nodes.either(condition(), Path);
    return;
  }
  Ways.insert(Ways.end(), New.begin(), New.end());
  simplify();
}

// Returns what all ways have, and one of the rests.
const Node *PathJoin::condition() {
  if (Plain)
    return Plain;
  Way Common = Ways[0];
  for (const Way &Mine : Ways)
    for (auto It = Common.begin(); It != Common.end();)
      It = Mine.count(*It) ? std::next(It) : Common.erase(It);
  const Node *Result = Nodes.boolean(true), *Rests = Nodes.boolean(false);
  for (const Node *Part : Common)
    Result = Nodes.both(Result, Part);
  for (const Way &Mine : Ways) {
    const Node *Rest = Nodes.boolean(true);
    for (const Node *Part : Mine)
      if (!Common.count(Part))
        Rest = Nodes.both(Rest, Part);
    Rests = Nodes.either(Rests, Rest);
  }
  return Nodes.both(Result, Rests);
}

} // namespace gasan::scan
