/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Numbers that code stores at computed places: memory may have any of them anywhere.
#include "scan/Memory.h"

#include "llvm/ADT/STLExtras.h"

namespace gasan::scan {

static constexpr unsigned kMaxTemplates = 8;
static constexpr size_t kMostNodes = 400; // of a number: each later read makes a copy

// Returns false for a number whose formula, with the facts of its variables, is long.
static bool isShort(const Node *Guard, const Node *Number) {
  std::set<const Node *> Seen;
  std::vector<const Node *> Work = {Guard, Number};
  while (!Work.empty()) {
    const Node *A = Work.back();
    Work.pop_back();
    if (!Seen.insert(A).second)
      continue;
    if (Seen.size() > kMostNodes)
      return false;
    Work.insert(Work.end(), A->Kids, A->Kids + A->Count);
    if (A->Operation == Op::Var)
      Work.insert(Work.end(), A->Var->Facts.begin(), A->Var->Facts.end());
  }
  return true;
}

// Adds the numbers of Unit bytes that the memory may have anywhere. Returns false if they are not known.
bool Heap::collectTemplates(const Contents &From, uint64_t Unit, std::vector<Template> &All) {
  auto add = [&](const Template &New) {
    if (!llvm::is_contained(All, New))
      All.push_back(New);
  };
  switch (From.Rest.Form) {
  case Background::Undefined:
    break;
  case Background::Zero:
    add({Nodes.boolean(true), Nodes.constant(Unit * 8, 0)});
    break;
  case Background::Templates:
    if (From.Rest.Unit != Unit)
      return false;
    for (const Template &T : *From.Rest.Stored)
      add(T);
    break;
  default:
    return false;
  }
  for (const auto &[Offset, Old] : From.Cells) {
    if (Old.Size != Unit || Old.Content.Form != Value::Integer || Old.Content.Number->Width != Unit * 8)
      return false;
    add({Nodes.boolean(true), Old.Content.Number});
  }
  return true;
}

void Heap::setTemplates(Contents &To, uint64_t Unit, std::vector<Template> All) {
  To.Cells.clear();
  if (All.size() > kMaxTemplates)
    To.Rest = Background::unknown("memory written in many ways");
  else
    To.Rest = {Background::Templates, 0, "", "", unsigned(Unit), std::make_shared<std::vector<Template>>(All)};
}

// Lets A have the numbers of A and B, anywhere. Returns false if they are not known.
bool Heap::joinTemplates(Contents &A, const Contents &B) {
  for (const Contents *Side : {static_cast<const Contents *>(&A), &B})
    for (const auto &[Offset, C] : Side->Cells)
      markEscaped(C.Content);
  const bool Stored = A.Rest.Form == Background::Templates;
  if (!Stored && B.Rest.Form != Background::Templates)
    return false;
  const unsigned Unit = Stored ? A.Rest.Unit : B.Rest.Unit;
  std::vector<Template> All;
  if (!collectTemplates(A, Unit, All) || !collectTemplates(B, Unit, All))
    return false;
  setTemplates(A, Unit, std::move(All));
  return true;
}

void Heap::addTemplate(Contents &To, const Value &What, uint64_t Size, const Node *Guard) {
  std::vector<Template> All;
  if (What.Form != Value::Integer || What.Number->Width != Size * 8 || !isShort(Guard, What.Number) ||
      !collectTemplates(To, Size, All)) {
    To.Cells.clear();
    To.Rest = Background::unknown("memory written at a computed index");
    return;
  }
  const Template New = {Guard, What.Number};
  if (!llvm::is_contained(All, New))
    All.push_back(New);
  setTemplates(To, Size, std::move(All));
}

const Node *Heap::fromTemplates(const Background &From, unsigned Width) {
  // All choices that the stored numbers depend on are made anew: another round, another thread.
  bool First;
  Variable *Result = unknownVariable(Width, "a number that code stored earlier", From.Stored.get(), First);
  if (!First)
    return Result->Use;
  const Node *Any = Nodes.boolean(false);
  for (const Template &T : *From.Stored) {
    std::map<const Variable *, const Node *> With;
    std::vector<const Node *> Work = {T.Guard, T.Number};
    std::set<const Node *> Seen;
    std::vector<std::pair<Variable *, Variable *>> Renamed;
    while (!Work.empty()) {
      const Node *A = Work.back();
      Work.pop_back();
      if (!Seen.insert(A).second)
        continue;
      for (unsigned I = 0; I < A->Count; I++)
        Work.push_back(A->Kids[I]);
      if (A->Operation != Op::Var || A->Var->Kind == VariableKind::Address ||
          (A->Var->Kind == VariableKind::Input && !A->Var->Repeats))
        continue;
      Variable *New =
          Nodes.createVariable(VariableKind::Unknown, A->Width, A->Var->Name, "a number that code stored earlier");
      New->Low = A->Var->Low;
      New->High = A->Var->High;
      Renamed.push_back({A->Var, New});
      With[A->Var] = New->Use;
      Work.insert(Work.end(), A->Var->Facts.begin(), A->Var->Facts.end());
    }
    std::unordered_map<const Node *, const Node *> Done;
    for (auto [Old, New] : Renamed)
      for (const Node *Fact : Old->Facts)
        New->Facts.push_back(Nodes.substitute(Fact, With, Done));
    const Node *Number = Nodes.substitute(T.Number, With, Done);
    if (From.Stored->size() == 1)
      if (const Range R = Nodes.unsignedRange(Number); R.High < __int128(Result->High) || R.Low > 0) {
        Result->Low = uint64_t(R.Low);
        Result->High = uint64_t(R.High);
      }
    Any = Nodes.either(Any, Nodes.both(Nodes.substitute(T.Guard, With, Done), Nodes.eq(Result->Use, Number)));
  }
  Result->Facts.push_back(Any);
  return Result->Use;
}

} // namespace gasan::scan
