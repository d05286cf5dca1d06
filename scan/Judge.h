/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The verdict about each access of each kernel: from the checks of the executor and the answers of the solver.
#ifndef GASAN_SCAN_JUDGE_H
#define GASAN_SCAN_JUDGE_H

#include "scan/Executor.h"
#include "scan/Recipe.h"
#include "scan/Solver.h"

namespace gasan::scan {

// Possible comes last: the greatest of several is the verdict.
enum class Finding : uint8_t { Proven, ProvenWithoutWrap, Undecided, Possible };

struct Setting { // a name and a number of a witness
  std::string Name;
  int64_t Number;
  bool IsCondition; // "argv[1] is "small"", 1 or 0
};

struct Witness {
  std::vector<Setting> Inputs, Parameters;
  uint64_t Grid[3], Block[3], Thread[3], BlockIndex[3], SharedBytes;
  std::vector<std::pair<std::string, uint64_t>> Sizes; // of the memory behind pointer parameters
  uint64_t Offset, Size;
  bool Below; // the access begins before the memory
  Recipe Steps;
};

struct Verdicts {
  Problem Kind;
  Place Where;
  std::string Function, Kernel, Operation, Api;
  Finding Result = Finding::Proven;
  std::string Reason; // of Undecided
  std::string Wraps;  // of ProvenWithoutWrap: the place of the operation
  // Of Possible:
  std::vector<Place> Stack;
  Place Launched, Allocated, Freed, Lost;
  const Object *Root = nullptr;
  std::string Known;     // why the user does not want to see it; empty: a report
  std::string Partition; // of dynamic shared memory; empty: all of it
  uint64_t Bytes = 0;
  Witness Values;
};

class Judge {
public:
  Judge(Expressions &Nodes, unsigned Milliseconds, unsigned Seconds);
  // Adds the verdicts about the checks. OnlyPossible: the checks do not cover all runs.
  void add(const Executor &From, bool OnlyPossible);
  // True if an access is undecided, so that a hunt may find a witness.
  bool wantsHunt() const;
  std::vector<Verdicts> finish(const Executor &First, const llvm::Module *Device);

private:
  struct Key {
    const llvm::Instruction *Site;
    const llvm::Function *Kernel;
    Problem Kind;
    const Place Where; // an access in a header has a verdict for each of its users
    bool operator<(const Key &Other) const {
      return std::tie(Site, Kernel, Kind, Where.File, Where.Line, Where.Column) <
             std::tie(Other.Site, Other.Kernel, Other.Kind, Other.Where.File, Other.Where.Line, Other.Where.Column);
    }
  };
  void judge(const Check &C, bool OnlyPossible);
  void judgeFormula(const Check &C, Verdicts &V, const Node *Wrong, Problem Kind, bool OnlyPossible);
  void judgePartition(const Check &C, Verdicts &V, bool OnlyPossible);
  void describe(const Check &C, Verdicts &V, Problem Kind, const Answer &Case);
  bool isLate() const;

  Expressions &Nodes;
  Solver Engine;
  std::map<Key, Verdicts> Results;
  std::map<Key, unsigned> Hunted;
  std::map<const Node *, Finding> Done;
  std::vector<Assignment> Earlier; // witnesses
  unsigned Seconds;
  int64_t Started;
};

} // namespace gasan::scan

#endif
