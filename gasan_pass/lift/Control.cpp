// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches, returns and barriers.
#include "gasan_pass/lift/FunctionLifter.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace gasan::lift {

// Gives a branch back to the start of a loop the meaning of .pragma "nounroll".
void FunctionLifter::markLoop(Instruction *Branch, BasicBlock *To) {
  const bool IsKept = KeptLoops.contains(To) || Source.NoUnroll || L.tree().NoUnroll;
  if (!IsKept || !Started.contains(To))
    return;
  LLVMContext &Context = F.getContext();
  MDNode *Disable = MDNode::get(Context, MDString::get(Context, "llvm.loop.unroll.disable"));
  MDNode *Loop = MDNode::getDistinct(Context, {nullptr, Disable});
  Loop->replaceOperandWith(0, Loop);
  Branch->setMetadata(LLVMContext::MD_loop, Loop);
}

void FunctionLifter::branchTo(BasicBlock *Block) {
  markLoop(B.CreateBr(Block), Block);
}

void FunctionLifter::branchOn(Value *Condition, BasicBlock *Then, BasicBlock *Else) {
  markLoop(B.CreateCondBr(Condition, Then, Else), Then);
}

// Begins a block for the statements behind a branch, which only labels reach.
void FunctionLifter::endBlock() {
  startBlock(BasicBlock::Create(F.getContext(), "", &F));
}

bool FunctionLifter::branch(const PtxStatement &S) {
  if (S.Operands.size() != 1) {
    fail("expected one label");
    return true;
  }
  branchTo(findLabel(S.Operands[0]));
  endBlock();
  return true;
}

// brx.idx index, targets
bool FunctionLifter::indexedBranch(const PtxStatement &S) {
  const Item *List = S.Operands.size() == 2 ? findTargets(S.Operands[1]) : nullptr;
  if (!List || List->Statement.Operands.empty()) {
    fail("unknown list of targets");
    return true;
  }
  Value *Index = readBits(S.Operands[0], 32);
  // An index out of range has no defined meaning. The last label is the default, which saves a comparison.
  ArrayRef<std::string> Labels = List->Statement.Operands;
  SwitchInst *Switch = B.CreateSwitch(Index, findLabel(Labels.back()), Labels.size());
  for (size_t I = 0; I + 1 < Labels.size(); ++I)
    Switch->addCase(B.getInt32(I), findLabel(Labels[I]));
  endBlock();
  return true;
}

bool FunctionLifter::leave(const PtxStatement &) {
  Type *T = F.getReturnType();
  if (T->isVoidTy()) {
    B.CreateRetVoid();
  } else if (Source.Type.Results.size() > 1) {
    Value *Results = PoisonValue::get(T);
    for (unsigned I = 0; I < Source.Type.Results.size(); ++I) {
      AllocaInst *Slot = Scopes[0].Registers[Source.Type.Results[I].Name].Slot;
      Results = B.CreateInsertValue(Results, B.CreateLoad(Slot->getAllocatedType(), Slot), I);
    }
    B.CreateRet(Results);
  } else {
    const Variable &V = Source.Type.Results[0];
    Value *Slot = V.Space == "reg" ? Scopes[0].Registers[V.Name].Slot : Scopes[0].Places[V.Name].Pointer;
    LoadInst *Result = B.CreateAlignedLoad(T, Slot, Align(1));
    Result->setNoSanitizeMetadata();
    B.CreateRet(Result);
  }
  endBlock();
  return true;
}

bool FunctionLifter::exit(const PtxStatement &S) {
  if (Source.IsEntry)
    return leave(S);
  B.CreateIntrinsic(Intrinsic::nvvm_exit, ArrayRef<Type *>(), {});
  B.CreateUnreachable();
  endBlock();
  return true;
}

bool FunctionLifter::trap(const PtxStatement &) {
  B.CreateIntrinsic(Intrinsic::trap, ArrayRef<Type *>(), {});
  B.CreateUnreachable();
  endBlock();
  return true;
}

// bar.sync a{, count}, barrier{.cta}.sync.aligned a{, count}
bool FunctionLifter::barrier(const PtxStatement &S) {
  const bool IsAligned = S.Opcode == "bar" || S.has("aligned");
  if (!S.has("sync") || !hasOnly(S, "cta sync aligned") || S.Operands.empty() || S.Operands.size() > 2)
    return false;
  Value *Number = readBits(S.Operands[0], 32);
  const bool HasCount = S.Operands.size() == 2;
  if (!HasCount) {
    B.CreateIntrinsic(IsAligned ? Intrinsic::nvvm_barrier_cta_sync_aligned_all : Intrinsic::nvvm_barrier_cta_sync_all,
                      {}, {Number});
    return true;
  }
  B.CreateIntrinsic(IsAligned ? Intrinsic::nvvm_barrier_cta_sync_aligned_count : Intrinsic::nvvm_barrier_cta_sync_count,
                    {}, {Number, readBits(S.Operands[1], 32)});
  return true;
}

} // namespace gasan::lift
