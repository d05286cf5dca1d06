/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Pointers that the analysis has lost: loops or arithmetic make them of several others, or they were stored at places
// that are not followed. The memory that they may lead to is marked as escaped. A store through a lost pointer may
// change each byte of it.
#include "scan/Memory.h"

#include "llvm/ADT/STLExtras.h"

namespace gasan::scan {

bool Heap::mayWrite(const Object &Root) const {
  switch (Root.Where) {
  case Space::Managed:
    return true;
  case Space::Global:
  case Space::Shared:
  case Space::DynamicShared:
  case Space::Local:
  case Space::DeviceVariable:
    return WritesDevice;
  case Space::HostHeap: // kernels write the host's memory if it is cudaHostAlloc's
    return WritesHost || (Root.Api && llvm::StringRef(Root.Api).starts_with("cuda"));
  default:
    return WritesHost;
  }
}

// Memory that escaped memory points to has escaped, too.
void Heap::markReachable(const State &Now) {
  std::vector<bool> Done(Objects.size());
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Object &Root : Objects) {
      if (!Root.Escaped || Done[Root.Number])
        continue;
      Done[Root.Number] = Changed = true;
      if (const Contents *Known = Now.find(&Root))
        markEscaped(*Known);
    }
  }
}

// Returns whether a store of New may change Old. Characters may be the bytes of anything.
static bool mayChange(const Value &New, const Value &Old) {
  const bool IsData = New.Form == Value::Integer || New.Form == Value::Pointer || New.Form == Value::Real;
  if (!IsData || (New.Form == Value::Integer && New.Number->Width <= 8))
    return true;
  return Old.Form != Value::Integer && Old.Form != Value::Pointer && Old.Form != Value::Real ? true
                                                                                             : Old.Form == New.Form;
}

// Returns true if New may change whatever the memory's numbers are.
static bool mayChangeNumbers(const Value &New) {
  return New.Form != Value::Pointer && New.Form != Value::Real;
}

void Heap::blurEscaped(State &Now, const std::string &Reason, bool OtherFiles, const Value *What) {
  markReachable(Now);
  for (unsigned Number = 0; Number < count(); Number++) {
    Object *Root = byNumber(Number);
    const llvm::GlobalVariable *Variable = Root->Source;
    if (!mayWrite(*Root) || (Variable && Variable->isConstant()) ||
        (!Root->Escaped && !(OtherFiles && Variable && !Variable->hasLocalLinkage())))
      continue;
    const Contents *Known = Now.find(Root);
    const bool Numbers = !What || mayChangeNumbers(*What);
    auto isOpen = [&](const auto &One) {
      return Numbers || One.second.Content.Form != Value::Anything ? !What || mayChange(*What, One.second.Content)
                                                                   : false; // is lost already
    };
    if (!Known || ((!Numbers || Known->Rest.Form == Background::Unknown) && llvm::none_of(Known->Cells, isOpen)))
      continue;
    Contents &To = Now.change(Root);
    for (auto It = To.Cells.begin(); It != To.Cells.end();) {
      const bool Changes = isOpen(*It);
      if (Changes) {
        markEscaped(It->second.Content);
        It->second.Content = Value::anything();
      }
      It = Changes && Numbers ? To.Cells.erase(It) : std::next(It);
    }
    if (Numbers)
      To.Rest = Background::unknown(Reason);
  }
}

// The offset may be the distance to another object: a + (b - a).
bool Heap::isLost(const Target &At) {
  if (At.Root->Where == Space::Unknown)
    return true;
  if (At.Offset->isConst() || At.Root->Where == Space::Null || At.Root->Where == Space::Function)
    return false;
  auto [Slot, New] = Foreign.try_emplace({At.Root, At.Offset}, false);
  if (!New)
    return Slot->second;
  std::vector<const Node *> Work = {At.Offset};
  std::set<const Node *> Seen;
  while (!Work.empty() && !Slot->second) {
    const Node *A = Work.back();
    Work.pop_back();
    if (!Seen.insert(A).second)
      continue;
    Slot->second = A->Operation == Op::Var && A->Var->Kind == VariableKind::Address && A->Var->Tag != At.Root;
    for (unsigned I = 0; I < A->Count; I++)
      Work.push_back(A->Kids[I]);
  }
  return Slot->second;
}

void Heap::storeToLost(State &Now, const Target &At, const Value *What) {
  if (!isLost(At))
    return;
  const std::string &Reason = At.Root->Reason;
  const bool OtherFiles = llvm::StringRef(Reason).starts_with(kResultOf);
  blurEscaped(Now,
              "memory that a store through " + (Reason.empty() ? "a distance of pointers" : Reason) + " may change",
              OtherFiles, What);
}

} // namespace gasan::scan
