// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prepares the oracle build (-fsanitize-gpu-address-checks=host): device code without gasan's checks, which the host's
// AddressSanitizer instruments after this pass.
#include "gasan_pass/Options.h"
#include "gasan_pass/retarget/Steps.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gasan {

namespace {

constexpr unsigned kGlobalSpace = 1;

// Moves the access to the default address space, because AddressSanitizer skips accesses in other address spaces.
void useDefaultSpace(Instruction &I) {
  for (Use &Operand : I.operands()) {
    Value *Pointer = Operand.get();
    if (!Pointer->getType()->isPointerTy() || Pointer->getType()->getPointerAddressSpace() != kGlobalSpace)
      continue;
    if (isa<LoadInst>(I) || isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I) ||
        (isa<StoreInst>(I) && &Operand == &I.getOperandUse(StoreInst::getPointerOperandIndex())))
      Operand.set(IRBuilder<>(&I).CreateAddrSpaceCast(Pointer, PointerType::get(I.getContext(), 0)));
  }
}

// Marks a call that does not return, so that AddressSanitizer leaves the stack alone. Otherwise it would clean the
// thread's stack before the call, and warn that this stack is not the thread's own. The engine's fibers have no poison
// to clean, because variables on the stack are not instrumented.
void leaveStackAlone(Instruction &I) {
  if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->doesNotReturn())
    Call->setNoSanitizeMetadata();
}

} // namespace

bool wantsHostChecks(const Module &M) {
  return any_of(M, [](const Function &F) { return F.hasFnAttribute(kSanitizeAttr); });
}

// Marks all functions, including helpers (atomics, copies). Accesses of exempt functions are already !nosanitize, and
// the inliner does not inline between marked and unmarked functions.
void markForHostChecks(Module &M) {
  for (Function &F : M) {
    F.removeFnAttr(kSanitizeAttr);
    if (F.isDeclaration())
      continue;
    F.addFnAttr(Attribute::SanitizeAddress);
    for (Instruction &I : instructions(F)) {
      useDefaultSpace(I);
      leaveStackAlone(I);
    }
  }
}

} // namespace gasan
