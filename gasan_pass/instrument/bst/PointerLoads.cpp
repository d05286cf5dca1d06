// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/PointerLoads.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace gasan {

// A global address is the same number as the generic one.
static bool isGenericOrGlobal(unsigned AddressSpace) {
  return AddressSpace == NVPTXAS::ADDRESS_SPACE_GENERIC || AddressSpace == NVPTXAS::ADDRESS_SPACE_GLOBAL;
}

// Returns true for a number that may be an address: not for an index that is multiplied by a size.
static bool mayBeAddress(const Value *Number, unsigned Depth = 0) {
  constexpr unsigned kDeepest = 4;
  if (isa<LoadInst, Argument, PtrToIntInst>(Number))
    return true;
  const auto *I = dyn_cast<Instruction>(Number);
  const bool IsMade =
      I && (isa<SelectInst, PHINode>(I) || I->getOpcode() == Instruction::Add || I->getOpcode() == Instruction::Sub);
  return IsMade && Depth < kDeepest &&
         any_of(I->operands(), [&](const Value *Part) { return mayBeAddress(Part, Depth + 1); });
}

// Returns true for a sum or difference of the number and another one of which neither is known to be the address: a
// program may use the first number as an address or as a distance, as other data say, or move it to another object
// (link - from + to). The result is then an address of its own. Returns true for a choice that leads to such a sum,
// too.
static bool isOfTwoNumbers(const User &Use, const Value &Number, unsigned Depth = 0) {
  constexpr unsigned kDeepest = 4;
  const auto *I = dyn_cast<Instruction>(&Use);
  if (I && isa<PHINode, SelectInst>(I))
    return Depth < kDeepest && any_of(I->users(), [&](const User *U) { return isOfTwoNumbers(*U, *I, Depth + 1); });
  return I && (I->getOpcode() == Instruction::Add || I->getOpcode() == Instruction::Sub) &&
         mayBeAddress(I->getOperand(I->getOperand(0) == &Number ? 1 : 0));
}

void loadPointers(Function &F) {
  const DataLayout &DL = F.getDataLayout();
  SmallVector<LoadInst *, 8> Loads;
  for (Instruction &I : instructions(F)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    auto IsPointer = [](const User *U) {
      return isa<IntToPtrInst>(U) && isGenericOrGlobal(cast<IntToPtrInst>(U)->getAddressSpace());
    };
    if (Load && Load->isSimple() && Load->getType()->isIntegerTy(DL.getPointerSizeInBits()) &&
        any_of(Load->users(), IsPointer))
      Loads.push_back(Load);
  }
  for (LoadInst *Load : Loads) {
    IRBuilder<> B(Load);
    LoadInst *Pointer = B.CreateAlignedLoad(B.getPtrTy(), Load->getPointerOperand(), Load->getAlign());
    copyMetadataForLoad(*Pointer, *Load);
    if (Load->hasMetadata(LLVMContext::MD_nosanitize))
      Pointer->setNoSanitizeMetadata();
    for (User *U : make_early_inc_range(Load->users()))
      if (auto *Conversion = dyn_cast<IntToPtrInst>(U);
          Conversion && isGenericOrGlobal(Conversion->getAddressSpace())) {
        Conversion->replaceAllUsesWith(B.CreateAddrSpaceCast(Pointer, Conversion->getType()));
        Conversion->eraseFromParent();
      }
    if (!Load->use_empty())
      Load->replaceUsesWithIf(B.CreatePtrToInt(Pointer, Load->getType()),
                              [&](const Use &U) { return !isOfTwoNumbers(*U.getUser(), *Load); });
    Pointer->takeName(Load);
    if (Load->use_empty())
      Load->eraseFromParent();
  }
}

} // namespace gasan
