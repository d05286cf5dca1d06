// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds code that may wait for another thread of the block. The threads of a block share one OS thread. So a loop that
// polls memory must let the other threads run, and a kernel that may wait cannot run as a plain loop over its threads.
#include "gasan_pass/Options.h"
#include "gasan_pass/retarget/Steps.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gasan {

namespace {

using FunctionSet = SmallPtrSet<Function *, 16>;

// Returns true for the device runtime, which never waits for another thread.
bool isOurRuntime(const Function &F) {
  return F.hasFnAttribute(kRuntimeAttr);
}

bool readsWhatOthersWrite(const Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isVolatile() || Load->isAtomic();
  return isa<AtomicCmpXchgInst>(I) || isa<AtomicRMWInst>(I);
}

// Returns the outermost loop around an instruction, or null.
const Loop *outermostLoop(const LoopInfo &Loops, const Instruction &I) {
  const Loop *L = Loops.getLoopFor(I.getParent());
  return L ? L->getOutermostLoop() : nullptr;
}

// Returns functions that run in some function's loop, and may have no loop themselves.
FunctionSet findFunctionsCalledInLoops(Module &M) {
  FunctionSet Result;
  SmallVector<Function *, 16> Pending;
  auto Add = [&](Function *F) {
    if (!F->isDeclaration() && Result.insert(F).second)
      Pending.push_back(F);
  };
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    if (F.hasAddressTaken(nullptr, false, true, true))
      Add(&F);
    DominatorTree Tree(F);
    LoopInfo Loops(Tree);
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->getCalledFunction() && outermostLoop(Loops, I))
        Add(Call->getCalledFunction());
  }
  while (!Pending.empty())
    for (Instruction &I : instructions(*Pending.pop_back_val()))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->getCalledFunction())
        Add(Call->getCalledFunction());
  return Result;
}

bool tracesCoverage(const CallBase &Call) {
  return Call.getCalledFunction() && isCoverageCallback(*Call.getCalledFunction());
}

// Returns true if the value that `Source` read may decide whether a loop continues: it reaches a branch (in `L`, if in
// a loop), a call, a variable in local memory, or, for a function called in a loop, the function's result.
bool mayDecideLoop(Instruction &Source, const Loop *L, bool CalledInLoop) {
  SmallVector<Instruction *, 16> Pending{&Source};
  SmallPtrSet<Instruction *, 16> Seen{&Source};
  while (!Pending.empty()) {
    Instruction *Value = Pending.pop_back_val();
    for (Use &U : Value->uses()) {
      auto *User = cast<Instruction>(U.getUser());
      if (isa<ReturnInst>(User)) {
        if (CalledInLoop)
          return true;
      } else if (User->isTerminator()) {
        if (CalledInLoop || L->contains(User))
          return true;
      } else if (auto *Store = dyn_cast<StoreInst>(User)) {
        if (U.getOperandNo() == 0 && isa<AllocaInst>(getUnderlyingObject(Store->getPointerOperand())))
          return true;
      } else if (auto *Call = dyn_cast<CallBase>(User); Call && !isa<IntrinsicInst>(Call)) {
        if (!tracesCoverage(*Call))
          return true;
      } else if (!User->getType()->isVoidTy() && Seen.insert(User).second) {
        Pending.push_back(User);
      }
    }
  }
  return false;
}

// Returns true for a compare-and-swap that retries with the value that it just read. It fails only if another thread
// made progress, so it waits for no thread.
bool isRetry(const AtomicCmpXchgInst &Exchange) {
  SmallVector<const Value *, 8> Pending{Exchange.getCompareOperand()};
  SmallPtrSet<const Value *, 8> Seen;
  while (!Pending.empty()) {
    const Value *V = Pending.pop_back_val();
    if (V == &Exchange)
      return true;
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !Seen.insert(I).second)
      continue;
    if (isa<PHINode>(I) || isa<CastInst>(I) || isa<ExtractValueInst>(I) || isa<SelectInst>(I) || isa<FreezeInst>(I))
      Pending.append(I->value_op_begin(), I->value_op_end());
  }
  return false;
}

FunctionSet functionsThatReach(Module &M, ArrayRef<StringRef> Callees) {
  FunctionSet Result;
  SmallVector<Function *, 16> Pending;
  auto Add = [&](Function *F) {
    if (Result.insert(F).second)
      Pending.push_back(F);
  };
  for (StringRef Name : Callees)
    if (Function *F = M.getFunction(Name))
      Add(F);
  bool Indirect = false;
  auto AddCallers = [&] {
    while (!Pending.empty()) {
      Function *F = Pending.pop_back_val();
      for (User *U : F->users())
        if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledOperand() == F)
          Add(Call->getFunction());
      Indirect |= F->hasAddressTaken(nullptr, false, true, true);
    }
  };
  AddCallers();
  if (Indirect) {
    for (Function &F : M)
      if (any_of(instructions(F), [](const Instruction &I) {
            auto *Call = dyn_cast<CallBase>(&I);
            return Call && Call->isIndirectCall();
          }))
        Add(&F);
    AddCallers();
  }
  return Result;
}

} // namespace

void insertPolls(Module &M) {
  FunctionSet CalledInLoops = findFunctionsCalledInLoops(M);
  SmallVector<Instruction *, 16> Polls;
  for (Function &F : M) {
    if (F.isDeclaration() || isOurRuntime(F))
      continue;
    DominatorTree Tree(F);
    LoopInfo Loops(Tree);
    const bool CalledInLoop = CalledInLoops.contains(&F);
    for (Instruction &I : instructions(F)) {
      if (!readsWhatOthersWrite(I))
        continue;
      const Loop *L = outermostLoop(Loops, I);
      if (!L && !CalledInLoop)
        continue;
      if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I); Exchange && isRetry(*Exchange))
        continue;
      if (mayDecideLoop(I, L, CalledInLoop))
        Polls.push_back(&I);
    }
  }
  if (Polls.empty())
    return;
  FunctionCallee Poll = M.getOrInsertFunction("gasan_poll", Type::getVoidTy(M.getContext()));
  for (Instruction *I : Polls)
    IRBuilder<>(I).CreateCall(Poll)->setConvergent();
}

SmallPtrSet<Function *, 16> findWaitingFunctions(Module &M) {
  FunctionSet Functions =
      functionsThatReach(M, {"gasan_cpu_barrier", "gasan_cpu_barrier_reduce", "gasan_cpu_barrier_arrive",
                             "gasan_cpu_warp", "gasan_cpu_activemask", "gasan_cpu_grid_sync", "gasan_cpu_yield"});
  // A deadlock report shows the place where each thread waits, and activemask distinguishes lanes by the place of the
  // call.
  for (Function *F : Functions)
    for (User *U : F->users())
      if (auto *Call = dyn_cast<CallInst>(U); Call && Call->getCalledOperand() == F) {
        Call->setTailCallKind(CallInst::TCK_NoTail);
        Call->addFnAttr(Attribute::NoMerge);
      }
  return Functions;
}

SmallPtrSet<Function *, 16> inlineActiveMaskFunctions(Module &M) {
  FunctionSet Functions = functionsThatReach(M, {"gasan_cpu_activemask"});
  for (Function *F : Functions) {
    if (F->isDeclaration())
      continue;
    F->removeFnAttr(Attribute::OptimizeNone);
    F->removeFnAttr(Attribute::NoInline);
    F->addFnAttr(Attribute::AlwaysInline);
  }
  return Functions;
}

} // namespace gasan
