// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/Coverage.h"
#include "gasan_pass/instrument/Access.h"
#include "gasan_pass/instrument/Prepare.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Transforms/Instrumentation/SanitizerCoverage.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace gasan {

namespace {

// What -fsanitize=fuzzer chooses for host code, less the depth of the stack, which means nothing on a fiber.
SanitizerCoverageOptions fuzzerCoverage() {
  SanitizerCoverageOptions Options;
  Options.CoverageType = SanitizerCoverageOptions::SCK_Edge;
  Options.Inline8bitCounters = true;
  Options.IndirectCalls = true;
  Options.TraceCmp = true;
  return Options;
}

// Removes the constructor, which would be device code, and the names that it needs.
void removeConstructor(Module &M) {
  if (GlobalVariable *Constructors = M.getNamedGlobal("llvm.global_ctors"))
    Constructors->eraseFromParent(); // clang has none on a device
  removeFromUsedLists(M, [](Constant *C) { return C->stripPointerCasts()->getName().starts_with("sancov."); });
  for (Function &F : make_early_inc_range(M))
    if (F.getName().starts_with("sancov.module_ctor"))
      F.eraseFromParent();
  for (Function &F : make_early_inc_range(M))
    if (F.isDeclaration() && F.use_empty() && F.getName().starts_with("__sanitizer_cov_"))
      F.eraseFromParent();
  for (GlobalVariable &G : make_early_inc_range(M.globals()))
    if (G.isDeclaration() && G.use_empty() &&
        (G.getName().starts_with("__sancov_") || G.getName().contains("___sancov_")))
      G.eraseFromParent();
}

// The linker needs neither: a device module is one object, and no part of it is dropped.
void removeGroups(Module &M) {
  for (GlobalObject &Object : M.global_objects())
    Object.setComdat(nullptr);
  for (GlobalVariable &G : M.globals())
    G.setMetadata(LLVMContext::MD_associated, nullptr);
}

} // namespace

void insertCoverage(Module &M, ModuleAnalysisManager &Analyses) {
  SmallVector<Function *, 16> Exempt;
  for (Function &F : M)
    if (!F.isDeclaration() && !wantsInstrumentation(F) && !F.hasFnAttribute(Attribute::NoSanitizeCoverage)) {
      F.addFnAttr(Attribute::NoSanitizeCoverage);
      Exempt.push_back(&F);
    }
  SanitizerCoveragePass(fuzzerCoverage()).run(M, Analyses);
  for (Function *F : Exempt)
    F->removeFnAttr(Attribute::NoSanitizeCoverage);
  removeConstructor(M);
  removeGroups(M);
}

} // namespace gasan
