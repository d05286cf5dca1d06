// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hides the image's names from the rest of the program: several images and the host's own code may define the same
// names.
#include "base/proof_table.h"
#include "gasan_pass/retarget/Steps.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace gasan {

namespace {

// Suffix for names that LLVM could take for a library function's.
constexpr const char *kDeviceSuffix = ".device";

// A kernel's variant gets the kernel's mangled name and this suffix, which the symbolizer removes.
constexpr struct {
  const char *Prefix, *Suffix;
} kVariants[] = {{GASAN_PROVEN_PREFIX, ".proven"}, {GASAN_BOUNDED_PREFIX, ".bounded"}};

// Code generation adds calls of these.
constexpr const char *kNarrowFloatCalls[] = {"__truncsfbf2", "__truncdfbf2", "__truncdfhf2"};
// Needed by steps after linking.
constexpr const char *kLateHelpers[] = {"gasan_run_block", "gasan_register_image"};

void hide(GlobalValue &G) {
  G.setVisibility(GlobalValue::DefaultVisibility);
  G.setLinkage(GlobalValue::InternalLinkage);
  G.setDSOLocal(true);
  if (auto *Object = dyn_cast<GlobalObject>(&G))
    Object->setComdat(nullptr);
}

bool mayBeLibraryName(StringRef Name) {
  return !Name.starts_with("_Z") || Name.starts_with("_Zn") || Name.starts_with("_Zd");
}

std::string localName(StringRef Name) {
  for (const auto &Variant : kVariants)
    if (Name.starts_with(Variant.Prefix))
      return (Name.drop_front(strlen(Variant.Prefix)) + Variant.Suffix).str();
  return mayBeLibraryName(Name) ? (Name + kDeviceSuffix).str() : Name.str();
}

bool isNarrowFloat(const Type *T) {
  const Type *Scalar = T->getScalarType();
  return Scalar->isBFloatTy() || Scalar->isHalfTy();
}

bool usesNarrowFloats(const Module &M) {
  for (const Function &F : M)
    for (const Instruction &I : instructions(F))
      if (isNarrowFloat(I.getType()) || any_of(I.operands(), [](const Use &U) { return isNarrowFloat(U->getType()); }))
        return true;
  return false;
}

void keepNarrowFloatCalls(Module &M) {
  SmallVector<GlobalValue *, 4> Kept;
  for (const char *Name : kNarrowFloatCalls)
    Kept.push_back(M.getFunction(Name));
  appendToCompilerUsed(M, Kept);
}

} // namespace

void hideSymbols(Module &M) {
  for (Function &F : M) {
    if (F.isDeclaration()) {
      if (!F.isIntrinsic())
        F.setDSOLocal(false);
      continue;
    }
    hide(F);
    F.setPersonalityFn(nullptr);
    if (std::string Name = localName(F.getName()); Name != F.getName())
      F.setName(Name);
  }
  for (GlobalVariable &G : M.globals())
    if (!G.getName().starts_with("llvm."))
      hide(G);
  for (GlobalAlias &A : M.aliases())
    hide(A);
}

void linkHelpers(Module &M, std::unique_ptr<Module> Helpers) {
  for (ArrayRef<const char *> Names : {ArrayRef<const char *>(kNarrowFloatCalls), ArrayRef<const char *>(kLateHelpers)})
    for (const char *Name : Names)
      M.getOrInsertFunction(Name, Helpers->getFunction(Name)->getFunctionType());

  StringSet<> Before;
  for (const GlobalValue &G : M.global_values())
    if (!G.isDeclaration())
      Before.insert(G.getName());
  // The image uses the options of its own compilation.
  for (Function &F : *Helpers)
    for (const char *Name : {"target-cpu", "target-features", "tune-cpu", "frame-pointer", "min-legal-vector-width"})
      F.removeFnAttr(Name);
  if (NamedMDNode *Flags = Helpers->getModuleFlagsMetadata())
    Helpers->eraseNamedMetadata(Flags);
  if (Linker::linkModules(M, std::move(Helpers), Linker::LinkOnlyNeeded))
    report_fatal_error("gasan: cannot link the CPU device's helpers; install gasan completely, from one build");
  for (GlobalValue &G : M.global_values())
    if (!G.isDeclaration() && !G.getName().starts_with("llvm.") && !Before.contains(G.getName()))
      hide(G);
  if (usesNarrowFloats(M))
    keepNarrowFloatCalls(M);
}

void weakenRuntime(Module &M) {
  for (GlobalValue &G : M.global_values())
    if (G.isDeclaration() && G.getName().starts_with("gasan_"))
      G.setLinkage(GlobalValue::ExternalWeakLinkage);
}

void removeUnusedHelpers(Module &M) {
  for (ArrayRef<const char *> Names : {ArrayRef<const char *>(kNarrowFloatCalls), ArrayRef<const char *>(kLateHelpers)})
    for (const char *Name : reverse(Names))
      if (Function *F = M.getFunction(Name); F && F->use_empty())
        F->eraseFromParent();
}

} // namespace gasan
