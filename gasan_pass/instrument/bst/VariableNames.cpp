// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/VariableNames.h"
#include "gasan_pass/Options.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr const char *kNameMetadata = "gasan.variable"; // {name, function, file, line, number of the parameter}

MDNode *describe(LLVMContext &Context, StringRef Name, StringRef Function, const DIFile *File, unsigned Line,
                 unsigned Parameter = 0) {
  auto Number = [&](unsigned N) { return ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(Context), N)); };
  std::string Path = File ? sourcePath(File->getFilename(), File->getDirectory()) : "";
  return MDNode::get(Context, {MDString::get(Context, Name), MDString::get(Context, Function),
                               MDString::get(Context, Path), Number(Line), Number(Parameter)});
}

MDNode *describe(LLVMContext &Context, const DIVariable &Variable, StringRef Function, unsigned Parameter = 0) {
  return describe(Context, Variable.getName(), Function, Variable.getFile(), Variable.getLine(), Parameter);
}

unsigned numberIn(const MDNode &Name, unsigned Operand) {
  return mdconst::extract<ConstantInt>(Name.getOperand(Operand))->getZExtValue();
}

std::string textIn(const MDNode &Name, unsigned Operand) {
  return cast<MDString>(Name.getOperand(Operand))->getString().str();
}

StringRef symbolOf(const DISubprogram &Subprogram) {
  return Subprogram.getLinkageName().empty() ? Subprogram.getName() : Subprogram.getLinkageName();
}

void nameLocal(Function &F, const DbgVariableRecord &Record) {
  const DILocalVariable *Variable = Record.getVariable();
  if (Record.getNumVariableLocationOps() != 1 || Variable->getName().empty())
    return;
  // In optimised compilations, clang has turned declarations into assignments already.
  Value *Address = Record.isDbgAssign() ? Record.getAddress() : Record.getVariableLocationOp(0);
  const DISubprogram *Scope = Variable->getScope()->getSubprogram();
  StringRef Function = Scope == F.getSubprogram() ? F.getName() : symbolOf(*Scope);
  if (auto *Alloca = dyn_cast_or_null<AllocaInst>(Address); Alloca && !Alloca->hasMetadata(kNameMetadata))
    Alloca->setMetadata(kNameMetadata, describe(F.getContext(), *Variable, Function));
  else if (auto *Parameter = dyn_cast_or_null<Argument>(Address); Parameter && Parameter->hasByValAttr())
    F.addMetadata(kNameMetadata, *describe(F.getContext(), *Variable, Function, Parameter->getArgNo()));
}

// Names the memory of alloca() after the pointer that it initialises.
void nameDynamic(AllocaInst &Alloca) {
  for (User *U : Alloca.users())
    if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getValueOperand() == &Alloca)
      if (auto *Pointer = dyn_cast<AllocaInst>(Store->getPointerOperand()))
        return Alloca.setMetadata(kNameMetadata, Pointer->getMetadata(kNameMetadata));
}

// Names a temporary object, which has no name in the source, by the line where its scope begins.
void nameTemporary(AllocaInst &Alloca) {
  for (User *U : Alloca.users()) {
    auto *Marker = dyn_cast<LifetimeIntrinsic>(U);
    const DILocation *Place = Marker ? Marker->getDebugLoc().get() : nullptr;
    if (!Place || Place->getLine() == 0 || Marker->getIntrinsicID() != Intrinsic::lifetime_start)
      continue;
    const Function &F = *Alloca.getFunction();
    return Alloca.setMetadata(kNameMetadata,
                              describe(F.getContext(), "<temporary>", F.getName(), Place->getFile(), Place->getLine()));
  }
}

void nameLocals(Function &F) {
  for (Instruction &I : instructions(F))
    for (const DbgVariableRecord &Record : filterDbgVars(I.getDbgRecordRange()))
      nameLocal(F, Record);
  for (Instruction &I : instructions(F))
    if (auto *Alloca = dyn_cast<AllocaInst>(&I); Alloca && !Alloca->hasMetadata(kNameMetadata))
      Alloca->isStaticAlloca() ? nameTemporary(*Alloca) : nameDynamic(*Alloca);
}

void nameGlobal(GlobalVariable &Variable) {
  SmallVector<DIGlobalVariableExpression *, 1> Descriptions;
  Variable.getDebugInfo(Descriptions);
  if (!Descriptions.empty())
    Variable.setMetadata(kNameMetadata, describe(Variable.getContext(), *Descriptions[0]->getVariable(), ""));
}

bool hasVariables(const Module &M) {
  return any_of(M.debug_compile_units(),
                [](const DICompileUnit *Unit) { return Unit->getEmissionKind() == DICompileUnit::FullDebug; });
}

gasan_object_kind kindOf(const Value &Variable) {
  if (isa<Argument>(Variable))
    return GASAN_OBJECT_KIND_PARAMETER;
  if (isa<CallInst>(Variable))
    return GASAN_OBJECT_KIND_DYNAMIC;
  const auto *Global = dyn_cast<GlobalVariable>(&Variable);
  if (!Global)
    return GASAN_OBJECT_KIND_STACK;
  if (Global->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED)
    return Global->isDeclaration() ? GASAN_OBJECT_KIND_DYNAMIC : GASAN_OBJECT_KIND_SHARED;
  bool Constant = Global->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_CONST || Global->isConstant();
  return Constant ? GASAN_OBJECT_KIND_CONSTANT : GASAN_OBJECT_KIND_GLOBAL;
}

const MDNode *nameOf(const Value &Variable) {
  if (const auto *Alloca = dyn_cast<AllocaInst>(&Variable))
    return Alloca->getMetadata(kNameMetadata);
  if (const auto *Call = dyn_cast<CallInst>(&Variable))
    return Call->getCalledFunction()->getMetadata(kNameMetadata);
  if (const auto *Global = dyn_cast<GlobalVariable>(&Variable))
    return Global->getMetadata(kNameMetadata);
  const auto &Parameter = cast<Argument>(Variable);
  SmallVector<MDNode *, 4> Names;
  Parameter.getParent()->getMetadata(kNameMetadata, Names);
  auto Name = find_if(Names, [&](const MDNode *N) { return numberIn(*N, 4) == Parameter.getArgNo(); });
  return Name == Names.end() ? nullptr : *Name;
}

// Returns the function's part of a name such as "kernel(int*)::tile".
std::string nameOfSymbol(StringRef Symbol) {
  std::string Name = demangle(Symbol.substr(0, Symbol.starts_with("_Z") ? Symbol.find('.') : StringRef::npos));
  size_t Function = Name.rfind(")::");
  return Function == std::string::npos ? Name : Name.substr(Function + 3);
}

const Function *functionOf(const Value &Variable) {
  if (const auto *I = dyn_cast<Instruction>(&Variable))
    return I->getFunction();
  const auto *Parameter = dyn_cast<Argument>(&Variable);
  return Parameter ? Parameter->getParent() : nullptr;
}

} // namespace

void nameVariable(AllocaInst &Variable, StringRef Name) {
  const Function &F = *Variable.getFunction();
  const DISubprogram *Subprogram = F.getSubprogram();
  Variable.setMetadata(kNameMetadata,
                       describe(F.getContext(), Name, F.getName(), Subprogram ? Subprogram->getFile() : nullptr, 0));
}

void copyVariableName(const AllocaInst &From, Function &To) {
  To.setMetadata(kNameMetadata, From.getMetadata(kNameMetadata));
}

SourceObject describeVariable(const Value &Variable) {
  SourceObject Object;
  Object.Kind = kindOf(Variable);
  if (const MDNode *Name = nameOf(Variable)) {
    Object.Name = textIn(*Name, 0);
    Object.Function = textIn(*Name, 1);
    Object.File = textIn(*Name, 2);
    Object.Line = numberIn(*Name, 3);
    return Object;
  }
  if (const Function *F = functionOf(Variable)) {
    Object.Name = "<unknown variable>";
    Object.Function = symbolInSource(*F);
    if (const DISubprogram *Subprogram = F->getSubprogram())
      Object.File = sourcePath(Subprogram->getFilename(), Subprogram->getDirectory());
  } else {
    Object.Name = nameOfSymbol(Variable.getName());
  }
  return Object;
}

PreservedAnalyses NameVariablesPass::run(Module &M, ModuleAnalysisManager &) {
  if (!M.getTargetTriple().isNVPTX() || !hasVariables(M))
    return PreservedAnalyses::all();
  for (Function &F : M)
    nameLocals(F);
  for (GlobalVariable &Variable : M.globals())
    nameGlobal(Variable);
  if (!KeepDebug)
    stripNonLineTableDebugInfo(M);
  return PreservedAnalyses::none();
}

} // namespace gasan
