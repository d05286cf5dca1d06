// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/retarget/Steps.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gasan {

namespace {

AttributeMask attributesToDrop() {
  AttributeMask Drop;
  for (Attribute::AttrKind Kind :
       {Attribute::Memory, Attribute::NoSync, Attribute::WillReturn, Attribute::Speculatable, Attribute::NoFree,
        Attribute::NoCallback, Attribute::AllocKind, Attribute::AllocSize, Attribute::StackProtect})
    Drop.addAttribute(Kind);
  for (const char *Name : {"target-cpu", "target-features", "tune-cpu", "alloc-family", "uniform-work-group-size",
                           "nvvm.maxntid", "nvvm.reqntid", "nvvm.minctasm", "nvvm.maxnreg"})
    Drop.addAttribute(Name);
  return Drop;
}

bool isDeviceConvention(CallingConv::ID Convention) {
  return Convention == CallingConv::PTX_Kernel || Convention == CallingConv::PTX_Device;
}

void adaptCalls(Function &F, const AttributeMask &Drop) {
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isa<IntrinsicInst>(Call))
      continue;
    if (isDeviceConvention(Call->getCallingConv()))
      Call->setCallingConv(CallingConv::C);
    Call->removeFnAttrs(Drop);
  }
}

} // namespace

void adaptAttributes(Module &M) {
  const AttributeMask Drop = attributesToDrop();
  for (Function &F : M) {
    if (F.isIntrinsic())
      continue;
    F.removeFnAttrs(Drop);
    // Parameters of NVPTX kernels have attributes (nvvm.grid_constant) that x86 ignores.
    if (isDeviceConvention(F.getCallingConv()))
      F.setCallingConv(CallingConv::C);
    if (F.isDeclaration())
      continue;
    // The host's debuggers and crash handlers unwind device frames.
    F.setUWTableKind(UWTableKind::Async);
    // A frame larger than the guard page below a stack must not skip it.
    F.addFnAttr("probe-stack", "inline-asm");
    if (!F.hasOptNone())
      F.removeFnAttr("frame-pointer");
    adaptCalls(F, Drop);
  }
  for (const char *Name : {"nvvm.annotations", "nvvmir.version"})
    if (NamedMDNode *Node = M.getNamedMetadata(Name))
      Node->eraseFromParent();
}

void widenSyncScopes(Module &M) {
  // x86 would treat a fence of an unknown scope as a compiler fence.
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      if (auto *Load = dyn_cast<LoadInst>(&I))
        Load->setSyncScopeID(SyncScope::System);
      else if (auto *Store = dyn_cast<StoreInst>(&I))
        Store->setSyncScopeID(SyncScope::System);
      else if (auto *Update = dyn_cast<AtomicRMWInst>(&I))
        Update->setSyncScopeID(SyncScope::System);
      else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
        Exchange->setSyncScopeID(SyncScope::System);
      else if (auto *Fence = dyn_cast<FenceInst>(&I))
        Fence->setSyncScopeID(SyncScope::System);
    }
}

} // namespace gasan
