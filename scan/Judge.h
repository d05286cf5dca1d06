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
  std::string Known; // why the user does not want to see it; empty: a report
  std::string Part;  // the partition or the field that the access leaves; empty: all of the memory
  uint64_t Bytes = 0;
  Witness Values;
};

class Judge {
public:
  Judge(Expressions &Nodes, unsigned Milliseconds) : Nodes(Nodes), Engine(Nodes, Milliseconds) {}
  // Adds the verdicts about the checks. OnlyPossible: the checks do not cover all runs. Until: in cpuTime().
  void add(const Executor &From, bool OnlyPossible, int64_t Until);
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
  // Whether the conditions can hold under which a check is wrong.
  struct Question {
    const Check *Of;
    Verdicts *About;
    const Node *Wrong, *All;
    Problem Kind;
    std::string Part;
    Proof Known = Proof::None;
    bool CanHold = false;
  };
  // Cheap steps come first, for all questions, so that one question does not take the time of another.
  enum class Step { EasyProof, SmallInputs, HardProof, AnyInputs };
  void judge(const Check &C, bool OnlyPossible);
  void ask(const Check &C, Verdicts &V, const Node *Wrong, Problem Kind, std::string Part = {});
  void askPartition(const Check &C, Verdicts &V);
  void askFields(const Check &C, Verdicts &V);
  const Node *leaves(const Check &C);
  void answerAll(Step Work, bool OnlyPossible);
  bool answer(Question &Q, Step Work, bool OnlyPossible);
  bool prove(Question &Q, bool OnlyEasy);
  bool findWitness(Question &Q, bool OnlySmall, bool OnlyPossible);
  std::vector<const Object *> arraysOf(const Question &Q) const;
  bool findForAllPlaces(Question &Q);
  void describe(const Question &Q, const Answer &Case);

  Expressions &Nodes;
  Solver Engine;
  std::map<Key, Verdicts> Results;
  std::map<Key, unsigned> Hunted;
  std::vector<Question> Open;
  std::deque<Check> Made; // of the arrays in dynamic shared memory
  std::map<const Node *, Finding> Done;
  std::vector<Assignment> Earlier; // witnesses
  int64_t End = 0;
  bool NoArguments = false; // of the execution that the checks come from
};

} // namespace gasan::scan

#endif
