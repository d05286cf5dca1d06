/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Decides whether conditions can hold together: first by intervals, then by Z3 on bit vectors of the true widths and on
// integers. Each query has a time limit.
#ifndef GASAN_SCAN_SOLVER_H
#define GASAN_SCAN_SOLVER_H

#include "scan/Expression.h"

#include <memory>
#include <set>

namespace gasan::scan {

using Assignment = std::map<const Variable *, uint64_t>;

enum class Verdict { Impossible, Possible, Undecided };
enum class Proof { None, WithoutWrap, Whole }; // WithoutWrap: if no signed operation wraps

struct Answer {
  Verdict Result = Verdict::Undecided;
  bool Excluded = false; // no inputs up to the question's limit do it
  Assignment Values;     // of a possible case
  std::map<const Node *, uint64_t> Contents;
};

// The parts of a set of conditions, with the facts of all variables.
struct Parts {
  std::vector<const Node *> Conditions; // and the facts
  std::vector<const Variable *> Variables;
  std::vector<const Node *> SignedOperations; // which the program promises not to wrap
  std::vector<const Node *> Divisors;         // which the program promises not to be 0
  std::vector<const Node *> Contents;
  bool HasUnknown = false; // a variable stands for a value that the analysis does not follow
  bool CanHold = false;    // the solver found values for which all conditions hold
  std::string Reason;      // of the first such variable
};

class Solver {
public:
  explicit Solver(Expressions &Nodes, unsigned Milliseconds);
  ~Solver();

  // Exact: with the facts that make loop variables exact, which proofs do without.
  Parts collect(const std::vector<const Node *> &Conditions, bool Exact) const;

  // Returns conditions without unknown values, which imply the given ones with each of these values, and the facts.
  // HasUnknown: there are none.
  Parts collectCertain(const std::vector<const Node *> &Conditions) const;

  // Proves that the conditions exclude each other: by integers, then by bit vectors. OnlyEasy: with little work.
  // Known: the result of an earlier try, which the result includes. Depth: of cases, 0 for callers.
  Proof prove(Parts &Formula, bool OnlyEasy, Proof Known = Proof::None, unsigned Depth = 0);
  // Returns Possible only with values that were evaluated again, by Evaluator, on all conditions and facts. No signed
  // operation wraps with these values.
  Answer find(const Parts &Formula, bool OnlySmall);

  // Returns whether conditions hold with these values and several numbers for each unknown one.
  bool holdsWithUnknown(const std::vector<const Node *> &Conditions, const Answer &Case) const;

  // Returns whether the values, which another question had, are a case of this one, too.
  bool holds(const Parts &Formula, const Assignment &Values) const;
  // Makes inputs false ("argv[2] is "-v"") that the case does not need.
  void dropConditions(const Parts &Formula, Assignment &Values) const;

  unsigned Queries = 0, Timeouts = 0;

private:
  struct Backend;
  enum class Question { Proof, ProofWithoutWrap, Witness };
  Answer askBits(const Parts &Formula, Question Kind, uint64_t InputLimit, unsigned Milliseconds);
  Answer tryInputs(const Parts &Formula, uint64_t Number);
  Proof proveCases(Parts &Formula, const Node *Choice, bool OnlyEasy, unsigned Depth);
  Proof proveByIntegers(const Parts &Formula, bool OnlyEasy);
  Verdict askIntegers(const Parts &Formula, bool OnlyEasy);

  Expressions &Nodes;
  unsigned Milliseconds;
  std::unique_ptr<Backend> Z3;
};

// Evaluates an expression. Contents are taken from `Contents`, as the solver chose them.
class Evaluator {
public:
  Evaluator(const Assignment &Values, std::map<const Node *, uint64_t> Contents)
      : Values(Values), Contents(std::move(Contents)) {}
  uint64_t evaluate(const Node *A);

private:
  const Assignment &Values;
  std::map<const Node *, uint64_t> Contents;
  std::unordered_map<const Node *, uint64_t> Done;
};

} // namespace gasan::scan

#endif
