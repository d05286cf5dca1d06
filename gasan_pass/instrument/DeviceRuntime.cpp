// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/DeviceRuntime.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/InlineReports.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace gasan {
namespace {

// Renames the entry points of this encoding. The runtime has each entry point once for each encoding, with the granule
// as a suffix; instrumented code calls entry points without the suffix.
void selectEncoding(Module &Runtime, unsigned Granule) {
  std::string Suffix = "_" + std::to_string(Granule);
  for (Function &F : Runtime)
    if (!F.isDeclaration() && F.getName().ends_with(Suffix))
      F.setName(F.getName().drop_back(Suffix.size()));
}

// Gives the runtime M's target. The backend, and the inliner for the CPU image, refuse to mix targets.
void adoptTarget(Module &Runtime, const Module &M) {
  Runtime.setTargetTriple(M.getTargetTriple());
  Runtime.setDataLayout(M.getDataLayout());
  const Function *Model = nullptr;
  for (const Function &F : M)
    if (!F.isDeclaration() && F.hasFnAttribute("target-cpu"))
      Model = &F;
  for (Function &F : Runtime)
    for (const char *Name : {"target-cpu", "target-features"}) {
      F.removeFnAttr(Name);
      if (Model && Model->hasFnAttribute(Name))
        F.addFnAttr(Model->getFnAttribute(Name));
    }
}

// Lets the runtime's functions replace those of gasan/gasan.h, which know nothing.
void replaceNames(Module &M) {
  for (StringRef Name : {"__gasan_device_find_poison", "__gasan_device_find_base", "__gasan_device_find_size"})
    if (Function *F = M.getFunction(Name); F && !F->isDeclaration()) {
      F->deleteBody();
      F->setComdat(nullptr);
      F->setLinkage(GlobalValue::ExternalLinkage);
    }
}

void markFunctions(Module &Runtime) {
  for (Function &F : Runtime)
    if (!F.isDeclaration())
      F.addFnAttr(kRuntimeAttr);
}

// Gives the runtime's dynamic shared array the greatest alignment. All such arrays begin at one address only if none
// has less alignment than the others.
void alignDynamicShared(Module &Runtime, const Module &M) {
  GlobalVariable *Own = Runtime.getNamedGlobal("__gasan_dynamic_shared");
  if (!Own)
    return;
  Align Strictest(16);
  for (const GlobalVariable &Variable : M.globals())
    if (Variable.isDeclaration() && Variable.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED)
      Strictest = std::max(Strictest, Variable.getAlign().valueOrOne());
  Own->setAlignment(Strictest);
}

// Drops the runtime's module flags, such as nvvm-reflect-ftz. Only the program's flags matter, and linking different
// flags is an error.
void dropNamedMetadata(Module &Runtime) {
  while (!Runtime.named_metadata_empty())
    Runtime.eraseNamedMetadata(&*Runtime.named_metadata_begin());
}

// Gives calls of the runtime the types of the runtime's definitions. The pass declares results as unnamed structs. The
// linker maps the runtime's named structs to these, but not in every module; a call with another type would be an
// indirect call, which nothing inlines.
void matchCalls(Module &M) {
  for (Function &F : M) {
    if (F.isDeclaration() || !F.hasFnAttribute(kRuntimeAttr))
      continue;
    for (User *U : make_early_inc_range(F.users())) {
      auto *Call = dyn_cast<CallInst>(U);
      if (!Call || Call->getCalledOperand() != &F || Call->getFunctionType() == F.getFunctionType())
        continue;
      SmallVector<Value *, 8> Arguments(Call->args());
      auto *Matching = CallInst::Create(F.getFunctionType(), &F, Arguments, "", Call->getIterator());
      Matching->setAttributes(Call->getAttributes());
      Matching->setDebugLoc(Call->getDebugLoc());
      for (Use &Result : make_early_inc_range(Call->uses())) {
        assert(isa<ExtractValueInst>(Result.getUser()) && "the pass reads members of such results only");
        Result.set(Matching);
      }
      Call->eraseFromParent();
    }
  }
}

// Inlines the always_inline entry points. No LLVM pass that does so runs after ours.
void inlineEntries(Module &M) {
  for (Function &F : make_early_inc_range(M)) {
    if (F.isDeclaration() || !F.hasFnAttribute(kRuntimeAttr) || !F.hasFnAttribute(Attribute::AlwaysInline))
      continue;
    for (User *U : make_early_inc_range(F.users()))
      if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledOperand() == &F) {
        InlineFunctionInfo Info;
        InlineFunction(*Call, Info);
      }
    if (F.use_empty())
      F.eraseFromParent();
  }
}

} // namespace

bool linkDeviceRuntime(Module &M, StringRef Path, unsigned Granule) {
  SMDiagnostic Problem;
  std::unique_ptr<Module> Runtime = parseIRFile(Path, Problem, M.getContext());
  if (!Runtime) {
    M.getContext().emitError("gasan: cannot read the device runtime '" + Path + "' (" + Problem.getMessage() +
                             "); build or install gasan completely, or correct -gasan-device-runtime");
    return false;
  }
  chooseInlineReports(M);
  replaceNames(M);
  selectEncoding(*Runtime, Granule);
  adoptTarget(*Runtime, M);
  markFunctions(*Runtime);
  alignDynamicShared(*Runtime, M);
  dropNamedMetadata(*Runtime);
  auto Internalize = [](Module &Whole, const StringSet<> &Added) {
    internalizeModule(Whole,
                      [&](const GlobalValue &Value) { return !Value.hasName() || !Added.count(Value.getName()); });
  };
  if (Linker::linkModules(M, std::move(Runtime), Linker::LinkOnlyNeeded, Internalize)) {
    M.getContext().emitError("gasan: cannot link the device runtime '" + Path +
                             "'; it belongs to another version of gasan, install both from one build");
    return false;
  }
  matchCalls(M);
  inlineEntries(M);
  inlineReports(M);
  return true;
}

} // namespace gasan
