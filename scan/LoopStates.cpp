/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Values and memory that stand for every round of a loop: whatever a round changes becomes a variable.
#include "scan/Loops.h"

using namespace llvm;

namespace gasan::scan {

static constexpr unsigned kMaxTargets = 4;

bool Executor::generaliseValue(LoopPlan &Plan, Value &Assumed, const Value &Latch, const void *Key, unsigned Index) {
  if (Assumed == Latch || Latch.Form == Value::Nothing)
    return false;
  if (Assumed.Form == Value::Anything) {
    Memory.markEscaped(Latch);
    return false;
  }
  auto lose = [&](const Value &Any) { // the pointers are no longer followed
    Memory.markEscaped(Latch);
    Memory.markEscaped(Assumed);
    const bool Changed = !(Assumed == Any);
    Assumed = Any;
    return Changed;
  };
  if (Latch.Form == Value::Anything)
    return lose(Value::anything());
  const char *Reason = "a value that a loop changes";
  if (Assumed.Form == Value::Nothing || Assumed.Form != Latch.Form ||
      (Assumed.Form == Value::Integer && Assumed.Number->Width != Latch.Number->Width)) {
    if (Assumed.Form == Value::Nothing && Latch.Form == Value::Integer) {
      Assumed =
          Value::integer(variableFor(Key, Index, VariableKind::Unknown, Latch.Number->Width, Reason, Reason)->Use);
      return true;
    }
    if (Assumed.Form == Value::Nothing && Latch.Form == Value::Real) {
      Assumed = Value::real();
      return true;
    }
    if (Latch.Form == Value::Pointer || Assumed.Form == Value::Pointer)
      return lose(Memory.unknownPointer("a pointer that a loop changes"));
    return lose(Value::anything());
  }
  switch (Assumed.Form) {
  case Value::Integer: {
    Variable *Var = variableFor(Key, Index, VariableKind::Unknown, Latch.Number->Width, Reason, Reason);
    if (Assumed.Number == Var->Use)
      return false;
    Assumed = Value::integer(Var->Use);
    return true;
  }
  case Value::Real:
    if (!Assumed.Number)
      return false;
    Assumed = Value::real();
    return true;
  case Value::Parts: {
    bool Changed = false;
    for (size_t I = 0; I < std::min(Assumed.Elements.size(), Latch.Elements.size()); I++)
      Changed |= generaliseValue(Plan, Assumed.Elements[I], Latch.Elements[I], Key, Index * 64 + I + 1);
    return Changed;
  }
  default:
    break;
  }
  bool Changed = false;
  for (const Target &T : Latch.Targets) {
    const Contents *Old = Plan.Assumed.find(T.Root);
    const bool Inside = T.Root->Where != Space::Unknown && T.Root->Where != Space::Null &&
                        T.Root->Where != Space::Function && !Old; // allocated in the loop
    auto Same = find_if(Assumed.Targets, [&](const Target &U) { return U.Root == T.Root; });
    if (Inside || (Same == Assumed.Targets.end() && Assumed.Targets.size() >= kMaxTargets))
      return lose(Memory.unknownPointer("a pointer that a loop changes"));
    if (Same == Assumed.Targets.end()) {
      Assumed.Targets.push_back({nullptr, T.Root, T.Offset});
      Changed = true;
    } else if (Same->Offset != T.Offset) {
      Variable *Var =
          variableFor(Key, Index * 8 + (Same - Assumed.Targets.begin()) + 1, VariableKind::Unknown, 64, Reason, Reason);
      Changed |= Same->Offset != Var->Use;
      Same->Offset = Var->Use;
    }
  }
  if (Assumed.Targets.size() > 1)
    for (size_t I = 0; I < Assumed.Targets.size(); I++)
      Assumed.Targets[I].Guard =
          variableFor(Key, 1000 + Index * 8 + I, VariableKind::Unknown, 1, Reason, "a pointer that a loop changes")
              ->Use;
  return Changed;
}

bool Executor::generaliseContents(LoopPlan &Plan, Object *Root, const Contents &Latch) {
  Contents &Mine = Plan.Assumed.change(Root);
  bool Changed = false;
  for (auto &[Offset, Old] : Mine.Cells) {
    auto Found = Latch.Cells.find(Offset);
    if (Old.Content.Form == Value::Anything) {
      if (Found != Latch.Cells.end())
        Memory.markEscaped(Found->second.Content);
      continue;
    }
    if (Found == Latch.Cells.end() || Found->second.Size != Old.Size) {
      Changed = true;
      Memory.markEscaped(Old.Content);
      Old.Content = Value::anything();
    } else {
      Changed |= generaliseValue(Plan, Old.Content, Found->second.Content, Root, unsigned(Offset) * 64 + 5);
    }
  }
  for (const auto &[Offset, New] : Latch.Cells)
    if (!Mine.Cells.count(Offset) && Mine.Rest.Form != Background::Unknown) {
      Cell Fresh = {New.Size, Value()};
      if (Mine.Rest.Form == Background::Undefined)
        generaliseValue(Plan, Fresh.Content, New.Content, Root, unsigned(Offset) * 64 + 5);
      if (Fresh.Content.Form == Value::Nothing) {
        Memory.markEscaped(New.Content);
        Fresh.Content = Value::anything();
      }
      Mine.Cells[Offset] = Fresh;
      Changed = true;
    }
  for (auto It = Mine.Cells.begin(); It != Mine.Cells.end(); ++It)
    if (auto Next = std::next(It); Next != Mine.Cells.end() && It->first + It->second.Size > Next->first) {
      Memory.blur(Plan.Assumed, Root, "memory that a loop changes");
      return true;
    }
  if (!(Mine.Rest == Latch.Rest)) {
    const Background Old = Mine.Rest;
    if (!Memory.joinTemplates(Mine, Latch)) { // which marks the pointers
      Mine.Cells.clear();
      Mine.Rest = Background::unknown("memory that a loop changes");
    }
    Changed |= !(Old == Mine.Rest);
  }
  if (Latch.Freed != Mine.Freed) {
    const Node *Some = variableFor(Root, 3, VariableKind::Unknown, 1, "freed", "memory that a loop frees")->Use;
    Changed |= Mine.Freed != Some;
    Mine.Freed = Some;
    Mine.FreedAt = Latch.FreedAt;
  }
  return Changed;
}

bool Executor::generalise(LoopPlan &Plan, const std::vector<Value> &Phis, const State &Latch) {
  bool Changed = false;
  for (size_t I = 0; I < Plan.Phis.size(); I++) {
    LoopPlan::Phi &P = Plan.Phis[I];
    P.Latch = Phis[I];
    if (P.Assumed.Form == Value::Integer)
      continue; // stands for any number already
    if (P.Assumed.Form == Value::Pointer && P.Assumed.Targets.size() == 1 && P.Var && P.Latch.Targets.size() == 1 &&
        P.Latch.Targets[0].Root == P.Assumed.Targets[0].Root)
      continue;
    Changed |= generaliseValue(Plan, P.Assumed, P.Latch, P.Code, 7);
    P.Var = nullptr;
  }
  const State Assumed = Plan.Assumed;
  State::compare(Assumed, Latch, [&](unsigned Number, const State::Slot &Mine, const State::Slot &Theirs) {
    Object *Root = Memory.byNumber(Number);
    if ((Mine || Root->Initial) && Theirs)
      Changed |= generaliseContents(Plan, Root, *Theirs);
  });
  return Changed;
}

} // namespace gasan::scan
