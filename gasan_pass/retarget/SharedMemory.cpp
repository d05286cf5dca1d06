// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places __shared__ variables, which have no storage of their own, at offsets in the running block's shared memory.
// Static variables that only one kernel reaches overlay those of other kernels; otherwise a program with many template
// instances would need megabytes. Variables that several kernels reach come first, at the same offset in each kernel. A
// kernel and its variants (base/proof_table.h) count as one.
#include "base/proof_table.h"
#include "gasan_pass/retarget/Steps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace gasan {

namespace {

constexpr unsigned kSharedSpace = 3;
constexpr uint64_t kVariableAlignment = 16;
constexpr uint64_t kDynamicAlignment = 128;

using KernelSet = SmallSet<StringRef, 4>; // by the name of the kernel, the same for its variants

StringRef withoutPrefix(StringRef Name) {
  for (StringRef Prefix : {GASAN_PROVEN_PREFIX, GASAN_BOUNDED_PREFIX})
    Name.consume_front(Prefix);
  return Name;
}

// Returns, for each function, the kernels that may run it. An indirect call may reach every function whose address is
// taken.
DenseMap<const Function *, KernelSet> findKernelsOfFunctions(Module &M, ArrayRef<Kernel> Kernels) {
  SmallVector<Function *, 16> AddressTaken;
  for (Function &F : M)
    if (!F.isDeclaration() && F.hasAddressTaken())
      AddressTaken.push_back(&F);

  DenseMap<const Function *, KernelSet> Result;
  for (const Kernel &K : Kernels) {
    SmallVector<Function *, 16> Pending{K.Body};
    SmallPtrSet<Function *, 32> Seen{K.Body};
    auto Reach = [&](Function *F) {
      if (!F->isDeclaration() && Seen.insert(F).second)
        Pending.push_back(F);
    };
    while (!Pending.empty()) {
      Function *F = Pending.pop_back_val();
      Result[F].insert(withoutPrefix(K.Name));
      for (Instruction &I : instructions(*F)) {
        auto *Call = dyn_cast<CallBase>(&I);
        if (!Call || Call->isInlineAsm())
          continue;
        if (auto *Callee = dyn_cast<Function>(Call->getCalledOperand()->stripPointerCastsAndAliases()))
          Reach(Callee);
        else
          for_each(AddressTaken, Reach);
      }
    }
  }
  return Result;
}

KernelSet kernelsOf(const GlobalVariable &G, const DenseMap<const Function *, KernelSet> &KernelsOfFunctions) {
  KernelSet Result;
  for (const User *U : G.users())
    if (auto *I = dyn_cast<Instruction>(U))
      if (auto Found = KernelsOfFunctions.find(I->getFunction()); Found != KernelsOfFunctions.end())
        for (StringRef Kernel : Found->second)
          Result.insert(Kernel);
  return Result;
}

class Layout {
public:
  Layout(Module &M, Image &Device) : M(M), Device(Device) {}

  void run(ArrayRef<GlobalVariable *> Variables) {
    auto KernelsOfFunctions = findKernelsOfFunctions(M, Device.Kernels);
    StringMap<SmallVector<GlobalVariable *, 4>> Own;
    uint64_t Common = 0;
    for (GlobalVariable *G : Variables) {
      if (G->isDeclaration())
        continue;
      KernelSet Kernels = kernelsOf(*G, KernelsOfFunctions);
      if (Kernels.size() == 1)
        Own[*Kernels.begin()].push_back(G);
      else
        place(*G, Common);
    }
    for (Kernel &K : Device.Kernels) {
      K.StaticShared = Common;
      for (GlobalVariable *G : Own[withoutPrefix(K.Name)]) // for a variant: again at the same offsets
        place(*G, K.StaticShared);
      K.DynamicSharedOffset = alignTo(K.StaticShared, dynamicAlignment(Variables));
    }
  }

  uint64_t offsetOf(const GlobalVariable &G) const { return Offsets.lookup(&G); }

private:
  void place(GlobalVariable &G, uint64_t &End) {
    const uint64_t Alignment = std::max<uint64_t>(kVariableAlignment, G.getAlign().valueOrOne().value());
    Offsets[&G] = alignTo(End, Alignment);
    End = Offsets[&G] + M.getDataLayout().getTypeAllocSize(G.getValueType());
  }

  static uint64_t dynamicAlignment(ArrayRef<GlobalVariable *> Variables) {
    uint64_t Alignment = kDynamicAlignment;
    for (const GlobalVariable *G : Variables)
      if (G->isDeclaration())
        Alignment = std::max<uint64_t>(Alignment, G->getAlign().valueOrOne().value());
    return Alignment;
  }

  Module &M;
  Image &Device;
  DenseMap<const GlobalVariable *, uint64_t> Offsets;
};

// Replaces the variable by its address in the block's shared memory, computed once at the entry of each function that
// uses it.
void replaceUses(Module &M, GlobalVariable &G, uint64_t Offset) {
  // An `extern __shared__` array is a declaration, at the start of dynamic shared memory.
  FunctionCallee Base = M.getOrInsertFunction(G.isDeclaration() ? "gasan_dynamic_base" : "gasan_shared_base",
                                              FunctionType::get(PointerType::get(M.getContext(), 0), false));
  DenseMap<Function *, Value *> Addresses;
  SmallVector<Use *, 32> Uses;
  for (Use &U : G.uses())
    Uses.push_back(&U);
  for (Use *U : Uses) {
    auto *I = dyn_cast<Instruction>(U->getUser());
    if (!I)
      continue;
    Value *&Address = Addresses[I->getFunction()];
    if (!Address) {
      IRBuilder<> Entry(M.getContext());
      moveToEntry(Entry, *I->getFunction());
      Value *Place = Entry.CreateCall(Base);
      if (!G.isDeclaration())
        Place = Entry.CreateConstInBoundsGEP1_64(Entry.getInt8Ty(), Place, Offset);
      Address = Entry.CreateAddrSpaceCast(Place, G.getType(), G.getName());
    }
    U->set(Address);
  }
}

} // namespace

void placeSharedMemory(Module &M, Image &Device) {
  SmallVector<GlobalVariable *, 16> Variables;
  for (GlobalVariable &G : M.globals())
    if (G.getAddressSpace() == kSharedSpace)
      Variables.push_back(&G);

  removeFromUsedLists(M, [](Constant *C) {
    auto *G = dyn_cast<GlobalVariable>(C->stripPointerCasts());
    return G && G->getAddressSpace() == kSharedSpace;
  });
  SmallVector<Constant *, 16> Constants(Variables.begin(), Variables.end());
  convertUsersOfConstantsToInstructions(Constants);

  Layout Offsets(M, Device);
  Offsets.run(Variables);
  for (GlobalVariable *G : Variables) {
    replaceUses(M, *G, Offsets.offsetOf(*G));
    G->removeDeadConstantUsers();
    if (G->use_empty())
      G->eraseFromParent();
  }
}

} // namespace gasan
