// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/Managed.h"
#include "base/abi.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;

namespace gasan {
namespace {

// Reads an element of llvm.global.annotations: value, text, file and line.
bool isManagedMark(const ConstantStruct &Mark) {
  auto *Text = dyn_cast<GlobalVariable>(Mark.getOperand(1)->stripPointerCasts());
  auto *Data = Text && Text->hasInitializer() ? dyn_cast<ConstantDataArray>(Text->getInitializer()) : nullptr;
  return Data && Data->isCString() && Data->getAsCString() == GASAN_MANAGED_ANNOTATION;
}

SetVector<GlobalVariable *> findManaged(const Module &M) {
  SetVector<GlobalVariable *> Found;
  const GlobalVariable *Annotations = M.getNamedGlobal("llvm.global.annotations");
  auto *Marks = Annotations ? dyn_cast<ConstantArray>(Annotations->getInitializer()) : nullptr;
  if (!Marks)
    return Found;
  for (const Use &Operand : Marks->operands())
    if (auto *Mark = dyn_cast<ConstantStruct>(Operand); Mark && isManagedMark(*Mark))
      if (auto *Variable = dyn_cast<GlobalVariable>(Mark->getOperand(0)->stripPointerCasts()))
        Found.insert(Variable);
  return Found;
}

// Defines the pointer to the host's memory. Its initial value is the address of the device variable; the host
// overwrites it.
GlobalVariable *pointerTo(Module &M, GlobalVariable &Variable) {
  std::string Name = (Variable.getName() + GASAN_MANAGED_SUFFIX).str();
  if (GlobalVariable *Pointer = M.getNamedGlobal(Name))
    return Pointer;
  auto *Pointer = new GlobalVariable(M, Variable.getType(), /*isConstant=*/false, Variable.getLinkage(), &Variable,
                                     Name, &Variable, GlobalValue::NotThreadLocal, Variable.getAddressSpace(),
                                     /*isExternallyInitialized=*/true);
  Pointer->setVisibility(Variable.getVisibility());
  Pointer->setComdat(Variable.getComdat());
  return Pointer;
}

// Returns true for clang's lists (annotations, variables to keep) and for our own pointer.
bool isBookkeeping(const GlobalVariable &Variable) {
  StringRef Name = Variable.getName();
  return Name.starts_with("llvm.") || Name.starts_with("__clang_gpu_used_external") ||
         Name.ends_with(GASAN_MANAGED_SUFFIX);
}

// Returns true if the address is part of another variable's initial value. The host cannot replace that value, because
// it is fixed before the address of the host's memory is known.
bool isInInitialValue(const Constant &C) {
  for (const User *U : C.users()) {
    if (auto *Variable = dyn_cast<GlobalVariable>(U)) {
      if (!isBookkeeping(*Variable))
        return true;
    } else if (auto *Part = dyn_cast<Constant>(U); Part && !isa<GlobalValue>(Part) && isInInitialValue(*Part)) {
      return true;
    }
  }
  return false;
}

// Loads the pointer once for each function: it does not change while a kernel runs.
LoadInst *loadAtEntry(Function &F, GlobalVariable &Pointer) {
  IRBuilder<> Builder(&F.getEntryBlock(), F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  LoadInst *Load = Builder.CreateLoad(Pointer.getValueType(), &Pointer);
  Load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(F.getContext(), {}));
  Load->setNoSanitizeMetadata();
  return Load;
}

void redirect(Module &M, GlobalVariable &Variable) {
  if (isInInitialValue(Variable))
    M.getContext().emitError("gasan: the address of the __managed__ variable '" + Variable.getName() +
                             "' cannot be part of the initial value of a device variable");
  GlobalVariable *Pointer = pointerTo(M, Variable);
  convertUsersOfConstantsToInstructions({&Variable});
  MapVector<Function *, LoadInst *> Loads;
  for (Use &U : make_early_inc_range(Variable.uses())) {
    auto *Where = dyn_cast<Instruction>(U.getUser());
    if (!Where)
      continue;
    LoadInst *&Load = Loads[Where->getFunction()];
    if (!Load)
      Load = loadAtEntry(*Where->getFunction(), *Pointer);
    U.set(Load);
  }
}

} // namespace

PreservedAnalyses ManagedPass::run(Module &M, ModuleAnalysisManager &) {
  if (!M.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  SetVector<GlobalVariable *> Managed = findManaged(M);
  for (GlobalVariable *Variable : Managed)
    redirect(M, *Variable);
  return Managed.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace gasan
