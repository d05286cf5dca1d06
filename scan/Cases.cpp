/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "scan/Cases.h"

namespace gasan::scan {

namespace {

class ChoiceFinder {
public:
  void visit(const Node *A) {
    if (!Seen.insert(A).second)
      return;
    const bool IsDivision = A->Operation >= Op::UDiv && A->Operation <= Op::SRem;
    if (IsDivision || (A->Operation == Op::Mul && !A->Kids[0]->isConst() && !A->Kids[1]->isConst()))
      for (unsigned I = IsDivision; I < 2; I++)
        addChoices(A->Kids[I]);
    for (unsigned I = 0; I < A->Count; I++)
      visit(A->Kids[I]);
  }

  // Of several conditions, the one that most numbers depend on.
  const Node *best() const {
    const Node *Result = nullptr;
    unsigned Most = 0;
    for (auto [Condition, Count] : Found)
      if (Count > Most || (Count == Most && Result && Condition->Id < Result->Id)) {
        Result = Condition;
        Most = Count;
      }
    return Result;
  }

private:
  void addChoices(const Node *A) {
    while (A->Operation == Op::ZExt || A->Operation == Op::SExt || A->Operation == Op::Trunc ||
           ((A->Operation == Op::Add || A->Operation == Op::Sub) && A->Kids[1]->isConst()))
      A = A->Kids[0];
    if (A->Operation == Op::Ite && (A->Kids[1]->isConst() || A->Kids[2]->isConst()))
      Found[A->Kids[0]]++;
  }

  std::unordered_set<const Node *> Seen;
  std::map<const Node *, unsigned> Found;
};

} // namespace

const Node *findChoice(const std::vector<const Node *> &Conditions) {
  ChoiceFinder Finder;
  for (const Node *Condition : Conditions)
    Finder.visit(Condition);
  return Finder.best();
}

std::vector<const Node *> conditionsOfCase(Expressions &Nodes, const std::vector<const Node *> &Conditions,
                                           const Node *Choice, bool Holds) {
  std::unordered_map<const Node *, const Node *> Done = {{Choice, Nodes.boolean(Holds)}};
  if (Choice->Operation == Op::Xor && Choice->Kids[1]->isTrue()) // a negated condition
    Done[Choice->Kids[0]] = Nodes.boolean(!Holds);
  Done[Nodes.negate(Choice)] = Nodes.boolean(!Holds);
  std::vector<const Node *> Result = {Holds ? Choice : Nodes.negate(Choice)};
  for (const Node *Condition : Conditions) {
    const Node *Mine = Nodes.substitute(Condition, {}, Done);
    if (Mine->isFalse())
      return {Mine};
    if (!Mine->isTrue())
      Result.push_back(Mine);
  }
  return Result;
}

} // namespace gasan::scan
