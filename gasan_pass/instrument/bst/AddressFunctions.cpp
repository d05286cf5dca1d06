// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/AddressFunctions.h"
#include "gasan_pass/instrument/Prepare.h"
#include "gasan_pass/instrument/bst/Promote.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr unsigned kMostInstructions = 32;
constexpr unsigned kMostRounds = 8; // depth of functions that call each other

// Returns true for the program's functions and for libdevice's functions, to which clang's headers map conversions.
bool isTaken(const Function &F) {
  return wantsInstrumentation(F) || (isLibdevice(F) && !F.isDeclaration());
}

// Returns true if the function accesses no memory, ends, and turns pointers into integers or back.
bool isAddressFunction(const Function &F) {
  if (!isTaken(F) || F.isVarArg() || F.isInterposable() || F.getCallingConv() == CallingConv::PTX_Kernel ||
      F.getReturnType()->isVoidTy() || F.getInstructionCount() > kMostInstructions)
    return false;
  bool Converts = false;
  for (const Instruction &I : instructions(F)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const bool Computes = isa<ReturnInst, BranchInst, DbgInfoIntrinsic>(I) ||
                          (!I.isTerminator() && !isa<AllocaInst>(I) && !I.mayHaveSideEffects() &&
                           !I.mayReadFromMemory() && (!Call || (isa<IntrinsicInst>(Call) && !Call->isConvergent())));
    if (!Computes)
      return false;
    Converts |= isa<PtrToIntInst, IntToPtrInst>(I);
  }
  return Converts;
}

bool inlineCalls(Function &F) {
  bool Changed = false;
  for (User *U : make_early_inc_range(F.users())) {
    auto *Call = dyn_cast<CallInst>(U);
    if (!Call || Call->getCalledOperand() != &F || Call->getFunctionType() != F.getFunctionType() ||
        Call->getFunction() == &F || !isTaken(*Call->getFunction()))
      continue;
    InlineFunctionInfo Info;
    Changed |= InlineFunction(*Call, Info).isSuccess();
  }
  return Changed;
}

} // namespace

void inlineAddressFunctions(Module &M) {
  for (Function &F : M)
    if (isLibdevice(F) && !F.isDeclaration())
      promoteVariables(F);
  bool Changed = true;
  for (unsigned Round = 0; Changed && Round < kMostRounds; ++Round) {
    Changed = false;
    for (Function &F : M)
      if (!F.use_empty() && isAddressFunction(F))
        Changed |= inlineCalls(F);
  }
}

} // namespace gasan
