// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creates the entry functions of each kernel. One unpacks the arguments and runs one thread. If the kernel's threads
// never wait, another one runs a whole block in a loop.
#include "gasan_pass/Options.h"
#include "gasan_pass/retarget/Steps.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace gasan {

namespace {

// Of a kernel whose body is inlined into the loop over a block's threads, too. In larger kernels a call for each thread
// costs next to nothing, and a second copy doubles the time of code generation. An image without code for GPUs beside
// it has all bodies inlined.
constexpr unsigned kMostInlined = 100;

Function *createFunction(Module &M, const Twine &Name) {
  Type *Pointer = PointerType::get(M.getContext(), 0);
  auto *F = Function::Create(FunctionType::get(Type::getVoidTy(M.getContext()), {Pointer}, false),
                             GlobalValue::InternalLinkage, Name, M);
  F->setDSOLocal(true);
  F->addFnAttr(Attribute::NoUnwind);
  F->setUWTableKind(UWTableKind::Async);
  BasicBlock::Create(M.getContext(), "", F);
  return F;
}

// Gives the entry an artificial subprogram at the kernel's line. Without one, inlining the kernel would lose its lines.
DebugLoc describeAsArtificial(Function &Entry, const Function &Kernel) {
  DISubprogram *Described = Kernel.getSubprogram();
  if (!Described)
    return DebugLoc();
  DIBuilder Builder(*Entry.getParent(), /*AllowUnresolved=*/false, Described->getUnit());
  DISubprogram *Subprogram = Builder.createFunction(
      Described->getFile(), Described->getName(), Entry.getName(), Described->getFile(), Described->getLine(),
      Builder.createSubroutineType(Builder.getOrCreateTypeArray({})), Described->getLine(), DINode::FlagArtificial,
      DISubprogram::SPFlagDefinition | DISubprogram::SPFlagLocalToUnit | DISubprogram::SPFlagOptimized);
  Builder.finalizeSubprogram(Subprogram);
  Entry.setSubprogram(Subprogram);
  return DILocation::get(Entry.getContext(), Described->getLine(), 0, Subprogram);
}

// Loads an argument, which may be unaligned.
Value *loadArgument(IRBuilderBase &Builder, Value *Arguments, const Argument &Parameter) {
  Value *Slot = Builder.CreateConstInBoundsGEP1_32(Builder.getPtrTy(), Arguments, Parameter.getArgNo());
  Value *Place = Builder.CreateLoad(Builder.getPtrTy(), Slot);
  const DataLayout &Layout = Builder.GetInsertBlock()->getModule()->getDataLayout();
  if (Parameter.hasByValAttr()) {
    Type *Struct = Parameter.getParamByValType();
    AllocaInst *Copy = Builder.CreateAlloca(Struct);
    Copy->setAlignment(std::max(Copy->getAlign(), Parameter.getParamAlign().valueOrOne()));
    Builder.CreateMemCpy(Copy, Copy->getAlign(), Place, Align(1), Layout.getTypeAllocSize(Struct));
    return convertBits(Builder, Copy, Parameter.getType());
  }
  if (Parameter.getType()->isIntegerTy(1)) // bool
    return Builder.CreateTrunc(Builder.CreateAlignedLoad(Builder.getInt8Ty(), Place, Align(1)), Parameter.getType());
  return Builder.CreateAlignedLoad(Parameter.getType(), Place, Align(1));
}

bool mayInline(const Function &Kernel) {
  return !Kernel.hasOptNone() && !Kernel.hasAddressTaken();
}

Function *createThreadEntry(Module &M, const Kernel &K) {
  Function *Entry = createFunction(M, "gasan.thread." + K.Name);
  DebugLoc Location = describeAsArtificial(*Entry, *K.Body);
  IRBuilder<> Builder(&Entry->getEntryBlock());
  Builder.SetCurrentDebugLocation(Location);
  SmallVector<Value *, 8> Arguments;
  for (const Argument &Parameter : K.Body->args())
    Arguments.push_back(loadArgument(Builder, Entry->getArg(0), Parameter));
  CallInst *Call = Builder.CreateCall(K.Body, Arguments);
  Call->setAttributes(K.Body->getAttributes().removeFnAttributes(M.getContext()));
  if (mayInline(*K.Body)) {
    K.Body->removeFnAttr(Attribute::NoInline);
    Call->addFnAttr(Attribute::AlwaysInline);
  }
  Builder.CreateRetVoid();
  return Entry;
}

Function *createBlockEntry(Module &M, const Kernel &K, Function &Thread) {
  Function *Entry = createFunction(M, "gasan.block." + K.Name);
  DebugLoc Location = describeAsArtificial(*Entry, *K.Body);
  IRBuilder<> Builder(&Entry->getEntryBlock());
  Builder.SetCurrentDebugLocation(Location);
  Builder.CreateCall(M.getFunction("gasan_run_block"), {&Thread, Entry->getArg(0)});
  Builder.CreateRetVoid();
  // The loop's call of `thread` becomes direct when the loop is inlined here.
  const bool IsInlined = Devices != "auto" || K.Body->getInstructionCount() <= kMostInlined;
  Thread.addFnAttr(IsInlined ? Attribute::AlwaysInline : Attribute::NoInline);
  return Entry;
}

} // namespace

KernelEntries createEntries(Module &M, const Kernel &K, bool MayWait) {
  KernelEntries Entries{createThreadEntry(M, K), nullptr};
  if (!MayWait)
    Entries.Block = createBlockEntry(M, K, *Entries.Thread);
  return Entries;
}

} // namespace gasan
