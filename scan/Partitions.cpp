/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// --partitions: arrays that a kernel carves out of dynamic shared memory. A pointer variable whose offset is one number
// for the whole launch begins an array; the array ends where the next one begins. That is a guess: views may overlap on
// purpose. So it is off without the option.
#include "scan/Executor.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace gasan::scan {

static bool isUniform(const Node *A) {
  std::set<const Node *> Seen;
  std::vector<const Node *> Work = {A};
  while (!Work.empty()) {
    const Node *Part = Work.back();
    Work.pop_back();
    if (!Seen.insert(Part).second)
      continue;
    if (Part->Operation == Op::Content || (Part->Operation == Op::Var && Part->Var->Kind != VariableKind::Input))
      return false;
    Work.insert(Work.end(), Part->Kids, Part->Kids + Part->Count);
  }
  return true;
}

void Executor::addPartition(const std::string &Name, const Node *Begin) {
  for (Partition &P : Current->Partitions)
    if (P.Begin == Begin) {
      P.Shared |= P.Name != Name;
      return;
    }
  Current->Partitions.push_back({Name, Begin, false});
}

void Executor::carve(const Instruction &I, Target &T) {
  if (!Settings.Partitions)
    return;
  SmallVector<DbgVariableRecord *, 2> Records;
  findDbgValues(const_cast<Instruction *>(&I), Records);
  if (Records.empty() || !isUniform(T.Offset))
    return;
  addPartition(Records[0]->getVariable()->getName().str(), T.Offset);
  T.Part = T.Offset;
}

// The first array is often a variable with the memory's own address.
void Executor::carveBase(const Function &Kernel) {
  if (!Settings.Partitions)
    return;
  for (const Instruction &I : instructions(Kernel))
    for (const DbgVariableRecord &Record : filterDbgVars(I.getDbgRecordRange()))
      if (Record.isDbgValue() && Record.getNumVariableLocationOps() == 1)
        if (auto *Variable = dyn_cast_or_null<GlobalVariable>(Record.getVariableLocationOp(0)->stripPointerCasts()))
          if (Variable->getAddressSpace() == 3 && objectOf(Variable)->Where == Space::DynamicShared)
            addPartition(Record.getVariable()->getName().str(), Nodes.constant(64, 0));
}

} // namespace gasan::scan
