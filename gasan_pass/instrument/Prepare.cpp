// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/Prepare.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/Access.h"
#include "gasan_pass/instrument/InlineMore.h"
#include "gasan_pass/instrument/LinkedCalls.h"
#include "gasan_pass/instrument/Variadics.h"
#include "gasan_pass/instrument/WarpMasks.h"
#include "gasan_pass/instrument/bst/DeviceHeap.h"
#include "gasan_pass/instrument/bst/Promises.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gasan {

bool isLibdevice(const Function &F) {
  return F.getName().starts_with("__nv_");
}

bool wantsInstrumentation(const Function &F) {
  if (F.isDeclaration() || F.hasAvailableExternallyLinkage())
    return false;
  if (isLibdevice(F) || F.getName().starts_with("__gasan_"))
    return false;
  return F.hasFnAttribute(kSanitizeAttr) || F.hasFnAttribute(Attribute::SanitizeAddress);
}

// Drops the module flag of LLVM's AddressSanitizer pass, which that pass sets even if it has nothing to do. With the
// flag, the pass would refuse the next compilation (-fgpu-rdc's linked module) as a second instrumentation.
static void dropAsanFlag(Module &M) {
  NamedMDNode *Flags = M.getModuleFlagsMetadata();
  if (!Flags)
    return;
  SmallVector<MDNode *, 8> Others;
  for (MDNode *Flag : Flags->operands())
    if (cast<MDString>(Flag->getOperand(1))->getString() != "nosanitize_address")
      Others.push_back(Flag);
  Flags->clearOperands();
  for (MDNode *Flag : Others)
    Flags->addOperand(Flag);
}

void unmark(Function &F) {
  F.removeFnAttr(kSanitizeAttr);
  F.removeFnAttr(Attribute::SanitizeAddress);
  F.removeFnAttr(Attribute::SanitizeMemTag);
}

// Replaces clang's mark, or the mark of an earlier compilation, by the mark for this compilation.
static void mark(Function &F) {
  // LLVM's AddressSanitizer will check the CPU image. It adds its own checks of scopes.
  const bool ForHostChecks = !Instrument && !CpuBitcode.empty();
  unmark(F);
  if (Mode == "bst" && !ForHostChecks) {
    F.addFnAttr(kSanitizeAttr);
    F.addFnAttr(Attribute::SanitizeMemTag);
  } else {
    F.addFnAttr(Attribute::SanitizeAddress);
  }
}

static void exemptAccesses(Function &F) {
  for (Instruction &I : instructions(F))
    if (mayAccessMemory(I) || hasWarpMask(I))
      I.setNoSanitizeMetadata();
}

// Adds the linkage name, which clang leaves out with line tables only. Without it, an inlined function's frame would
// have no parameters.
static void completeLinkageName(Function &F) {
  DISubprogram *Subprogram = F.getSubprogram();
  if (!Subprogram || !Subprogram->isDistinct() || !Subprogram->getLinkageName().empty())
    return;
  if (Subprogram->getName() != F.getName())
    Subprogram->replaceLinkageName(MDString::get(F.getContext(), F.getName()));
}

// Unifies the two names that clang 22 gives a static variable with -fgpu-rdc if device code uses the variable before
// the host does. The definition has the name that the host knows; the uses refer to an undefined declaration.
static void joinStaticVariables(Module &M) {
  for (GlobalVariable &Variable : M.globals()) {
    auto [Name, Hash] = Variable.getName().split("__static__");
    GlobalVariable *Declared = Hash.empty() || Variable.isDeclaration() ? nullptr : M.getNamedGlobal(Name);
    if (Declared && Declared->isDeclaration() && Declared->getType() == Variable.getType())
      Declared->replaceAllUsesWith(&Variable);
  }
}

// Turns the special accesses to the element count in front of a `new[]` array (of objects with destructors) into plain
// accesses. Under -fsanitize=address, clang makes the host's AddressSanitizer guard this count; on a device it is
// ordinary memory.
static void plainArrayCookies(Module &M) {
  for (StringRef Name : {"__asan_poison_cxx_array_cookie", "__asan_load_cxx_array_cookie"}) {
    Function *F = M.getFunction(Name);
    if (!F || !F->isDeclaration())
      continue;
    for (User *U : make_early_inc_range(F->users())) {
      auto *Call = dyn_cast<CallInst>(U);
      if (!Call || Call->getCalledOperand() != F || Call->arg_size() != 1)
        continue;
      IRBuilder<> B(Call);
      if (!Call->getType()->isVoidTy())
        Call->replaceAllUsesWith(B.CreateLoad(Call->getType(), Call->getArgOperand(0)));
      Call->eraseFromParent();
    }
    if (F->use_empty())
      F->eraseFromParent();
  }
}

PreservedAnalyses MarkPass::run(Module &M, ModuleAnalysisManager &Analyses) {
  if (!M.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  expandVariadics(M, Analyses);
  dropAsanFlag(M);
  joinStaticVariables(M);
  joinLinkedCalls(M);
  plainArrayCookies(M);
  if (Mode == "bst") {
    hideHeap(M);
    dropPromisedMemory(M); // a load through a dangling reference that the program does not use would be a false alarm
  }
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    completeLinkageName(F);
    if (wantsInstrumentation(F))
      mark(F);
    else
      exemptAccesses(F);
  }
  if (Mode == "bst" && LaunchProof == "on" && InlineFunctions)
    inlineMore(M);
  return PreservedAnalyses::none();
}

// Lets the linker join different flush flags (to their maximum), so that objects can be linked of which only some flush
// denormal numbers (-use_fast_math). The optimiser has already used the flag, and the back end reads the functions' own
// attributes.
static void joinFlushFlags(Module &M) {
  constexpr const char *kFlag = "nvvm-reflect-ftz";
  if (auto *Flush = mdconst::extract_or_null<ConstantInt>(M.getModuleFlag(kFlag)))
    M.setModuleFlag(Module::Max, kFlag, ConstantAsMetadata::get(Flush));
}

PreservedAnalyses PreparePass::run(Module &M, ModuleAnalysisManager &) {
  if (!M.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  joinFlushFlags(M);
  for (Function &F : M)
    if (wantsInstrumentation(F)) {
      unmark(F);
      F.addFnAttr(kSanitizeAttr);
    }
  return PreservedAnalyses::none();
}

} // namespace gasan
