/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Device memory that a host function allocates and loses: when the function returns, the memory is not freed, and no
// pointer to it is in the result or in memory that outlives the function.
#include "scan/Executor.h"

using namespace llvm;

namespace gasan::scan {

static void addTargets(const Value &V, std::vector<Object *> &Work) {
  for (const Target &T : V.Targets)
    Work.push_back(T.Root);
  for (const Value &Element : V.Elements)
    addTargets(Element, Work);
}

void Heap::markEscaped(const Value &V) {
  std::vector<Object *> Work;
  addTargets(V, Work);
  for (Object *Root : Work)
    Root->Escaped = true;
}

void Heap::markEscaped(const Contents &Of) {
  for (const auto &[Offset, C] : Of.Cells)
    markEscaped(C.Content);
}

// Number: of the first object that did not exist before the call.
void Executor::checkLeaks(const CallBase &Call, const Value &Result, unsigned Number) {
  if (Current || Quiet || Path->isFalse() || Number == Memory.count())
    return;
  std::vector<Object *> Lost, Work;
  for (unsigned I = Number; I < Memory.count(); I++)
    if (Object *Root = Memory.byNumber(I); Root->isDeviceHeap() && Root->Site && Now.find(Root) && !Root->Escaped)
      Lost.push_back(Root);
  if (Lost.empty())
    return;
  addTargets(Result, Work);
  for (unsigned I = 0; I < Memory.count(); I++)
    if (Object *Root = Memory.byNumber(I); I < Number || Root->Source) // older memory, and variables
      Work.push_back(Root);
  std::set<const Object *> Reached;
  while (!Work.empty()) {
    Object *Root = Work.back();
    Work.pop_back();
    const Contents *Known = Now.find(Root);
    if (!Reached.insert(Root).second || !Known)
      continue;
    for (const auto &[Offset, C] : Known->Cells)
      addTargets(C.Content, Work);
  }
  for (Object *Root : Lost) {
    if (Reached.count(Root))
      continue;
    const Contents &Known = *Now.find(Root);
    Check New;
    New.Kind = Problem::Leak;
    New.Site = static_cast<const Instruction *>(Root->Site);
    New.Operation = "allocation";
    New.Stack = {Root->Allocated};
    New.Lost = placeOf(Call);
    New.Root = Root;
    New.Offset = New.Bytes = Nodes.constant(64, 0);
    New.Limit = Root->Size;
    New.Path = Nodes.both(Path, Known.Exists ? Known.Exists : Nodes.boolean(true));
    New.Path = Nodes.both(New.Path, Nodes.ult(New.Offset, Root->Size)); // 0 bytes are no memory
    New.Freed = Known.Freed;
    Root->Escaped = true; // one report
    record(std::move(New));
  }
}

} // namespace gasan::scan
