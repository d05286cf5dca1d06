/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Indices that are made of the distance between two arrays in shared memory: `left[int(right - left) + 8]`. The
// compiler chooses the places of the arrays. A witness must leave its array for all of them.
#include "scan/Judge.h"

namespace gasan::scan {

static constexpr uint64_t kFirstPlace = 4096, kBehindPlaces = 1 << 20; // shared memory is smaller than 1 MiB

// Returns the array's bytes in the launch; NULL: it is no array in shared memory, or has no constant size.
static const Node *sizeIn(const Launch &L, const Object *Root) {
  const Node *Size = Root->Where == Space::DynamicShared ? L.SharedBytes
                     : Root->Where == Space::Shared      ? Root->Size
                                                         : nullptr;
  return Size && Size->isConst() && Root->Source ? Size : nullptr;
}

// Returns true if the distance is a number of elements, of 32 bits or fewer. A distance in bytes, a + (b - a), is meant
// to lead to the other array.
static bool countsElements(const Node *Offset) {
  std::set<const Node *> Seen;
  std::vector<std::pair<const Node *, bool>> Work = {{Offset, false}};
  while (!Work.empty()) {
    auto [A, IsIndex] = Work.back();
    Work.pop_back();
    if (A->Operation == Op::Var && A->Var->Kind == VariableKind::Address && !IsIndex)
      return false;
    IsIndex |= A->Width <= 32;
    if (Seen.insert(A).second)
      for (unsigned I = 0; I < A->Count; I++)
        Work.push_back({A->Kids[I], IsIndex});
  }
  return true;
}

// Returns the arrays whose addresses decide the question; nothing: other unknown values do, too.
std::vector<const Object *> Judge::arraysOf(const Question &Q) const {
  std::vector<const Object *> Result;
  if (!Q.Of->In)
    return Result;
  for (const Variable *Var : Engine.collect({Q.Wrong}, /*Exact=*/true).Variables) {
    if (Var->Kind == VariableKind::Unknown)
      return {};
    if (Var->Kind != VariableKind::Address)
      continue;
    Result.push_back(static_cast<const Object *>(Var->Tag));
    if (!sizeIn(*Q.Of->In, Result.back()))
      return {};
  }
  return Result;
}

// Returns true if it found a witness.
bool Judge::findForAllPlaces(Question &Q) {
  const std::vector<const Object *> Arrays = arraysOf(Q);
  if (Arrays.size() < 2 || !countsElements(Q.Of->Offset))
    return false;
  std::map<const Variable *, const Node *> Example;
  Assignment Places;
  uint64_t Next = kFirstPlace;
  for (const Object *Root : Arrays) {
    Places[Root->Address] = Next;
    Example[Root->Address] = Nodes.constant(64, Next);
    Next += (sizeIn(*Q.Of->In, Root)->Value + 255) & ~255ull;
  }
  std::unordered_map<const Node *, const Node *> Done, Fixed;
  const Parts Exact = Engine.collectCertain({Q.Of->Path, Nodes.substitute(Q.Wrong, Example, Done)});
  if (Exact.HasUnknown)
    return false;
  Answer Case = Engine.find(Exact, /*OnlySmall=*/true);
  if (Case.Result != Verdict::Possible || !Case.Contents.empty())
    return false;
  std::map<const Variable *, const Node *> Values;
  for (auto [Var, Number] : Case.Values)
    Values[Var] = Nodes.constant(Var->Width, Number);
  std::vector<const Node *> Conditions = {Nodes.negate(Nodes.substitute(Q.Wrong, Values, Fixed))};
  for (const Object *A : Arrays) {
    const Node *Begin = A->Address->Use;
    const uint64_t Align = A->Source->getAlign().valueOrOne().value();
    Conditions.push_back(Nodes.ult(Begin, Nodes.constant(64, kBehindPlaces)));
    Conditions.push_back(Nodes.eq(Nodes.make(Op::And, Begin, Nodes.constant(64, Align - 1)), Nodes.constant(64, 0)));
    for (const Object *B : Arrays)
      if (A->Number < B->Number)
        Conditions.push_back(Nodes.either(Nodes.ule(Nodes.add(Begin, sizeIn(*Q.Of->In, A)), B->Address->Use),
                                          Nodes.ule(Nodes.add(B->Address->Use, sizeIn(*Q.Of->In, B)), Begin)));
  }
  Parts Others = Engine.collect(Conditions, /*Exact=*/false);
  if (Engine.prove(Others, /*OnlyEasy=*/false) != Proof::Whole)
    return false;
  Case.Values.insert(Places.begin(), Places.end());
  describe(Q, Case);
  return true;
}

} // namespace gasan::scan
