// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the checks that can look up their pointer themselves: the pointer was loaded from memory, and its bounds are
// used only by checks in the same straight-line code.
//
//   bounds = __gasan_bounds(p)                                   live in registers until the report
//   if (address - bounds.base >= bounds.size - (width - 1))
//     __gasan_report_bounds(..., bounds)
//
//   __gasan_check(p, address, width, alignment, site)            looks p up once more for the report (Lookups.h)
#include "gasan_pass/instrument/Count.h"
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "gasan_pass/instrument/bst/CheckLookups.h"
#include "gasan_pass/instrument/bst/VirtualTables.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr const char *kLookups[] = {"__gasan_bounds", "__gasan_bounds_global"},
                     *kChecks[] = {"__gasan_check", "__gasan_check_global"};

// Returns the index in both tables, if I is a lookup.
std::optional<size_t> kindOf(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  const auto *Found = Callee ? find(kLookups, Callee->getName()) : std::end(kLookups);
  return Found == std::end(kLookups) ? std::nullopt : std::optional<size_t>(Found - kLookups);
}

// Returns the lookup that V is a part of, or null.
CallInst *lookupOf(Value *V) {
  auto *Part = dyn_cast_or_null<ExtractValueInst>(V);
  auto *Call = Part ? dyn_cast<CallInst>(Part->getAggregateOperand()) : nullptr;
  return Call && kindOf(*Call) ? Call : nullptr;
}

// Returns true if only limits use the lookup (BoundsCheck::limitOf(), alignedLimit()), and nothing uses the limits yet.
bool isForChecksOnly(const CallInst &Lookup) {
  auto isAlignedLimit = [](const User *U) { return isa<SelectInst>(U) && U->use_empty(); };
  auto isLimit = [&](const User *U) {
    auto *Call = dyn_cast<IntrinsicInst>(U);
    return Call && Call->getIntrinsicID() == Intrinsic::usub_sat && all_of(Call->users(), isAlignedLimit);
  };
  return all_of(Lookup.users(), [&](const User *Part) { return all_of(Part->users(), isLimit); });
}

// Returns true if the lookup would find the same at To.
bool mayMoveTo(const CallInst &Lookup, const Instruction &To) {
  if (Lookup.getParent() != To.getParent())
    return false;
  for (const Instruction *I = &Lookup; I != &To; I = I->getNextNode())
    if (!I || (I->mayHaveSideEffects() && !kindOf(*I)))
      return false;
  return true;
}

bool isPointer(const LoadInst &Load) {
  return Load.getType()->isPtrOrPtrVectorTy() || any_of(Load.users(), IsaPred<IntToPtrInst>);
}

// Returns true if the code loads pointers at constant or variable distances from Root.
bool loadsPointersFrom(const Value &Root) {
  return any_of(Root.users(), [](const User *U) {
    if (auto *Load = dyn_cast<LoadInst>(U))
      return isPointer(*Load);
    return isa<GEPOperator, AddrSpaceCastOperator>(U) && loadsPointersFrom(*U);
  });
}

} // namespace

// Returns the lookup that the check could make itself, or null.
CallInst *BoundsCheck::lookupFor(Function &F, const Check &C) const {
  constexpr uint64_t kGreatest = 1 << 20;
  auto *Width = dyn_cast<ConstantInt>(C.Width);
  CallInst *Lookup = lookupOf(C.B.Base);
  if (!Lookup || lookupOf(C.B.Size) != Lookup || lookupOf(C.B.Object) != Lookup || !Width || Width->isZero() ||
      Width->uge(kGreatest) || C.Guard || C.ClaimBits || C.Index)
    return nullptr;
  auto *Address = dyn_cast<PtrToIntInst>(Lookup->getArgOperand(0));
  auto *Root = Address ? dyn_cast<LoadInst>(Address->getPointerOperand()) : nullptr;
  // The table of virtual functions has a test of its own (Lookups.h), and the call of a virtual function needs the
  // registers anyway.
  const bool IsOfClass = Root && (loadsVirtualTable(*Root) || loadsVirtualTable(*C.Where));
  return Root && !IsOfClass && !Variants.hasHiddenBounds(F, *Root) ? Lookup : nullptr;
}

// Collects in LookingUp the checks that look up their pointers.
void BoundsCheck::findLookups(Function &F, ArrayRef<Batch> Batches) {
  DenseMap<CallInst *, SmallVector<const Check *, 2>> Makers;
  SmallPtrSet<CallInst *, 8> Kept;
  for (const Batch &Members : Batches)
    for (const Check *C : Members) {
      CallInst *Own = lookupFor(F, *C);
      for (Value *Part : {C->B.Base, C->B.Size, C->B.Object})
        if (CallInst *Lookup = lookupOf(Part); Lookup && Lookup != Own)
          Kept.insert(Lookup);
      if (!Own)
        continue;
      SmallVector<const Check *, 2> &Others = Makers[Own];
      if (!mayMoveTo(*Own, *Members.front()->MadeAt) || (!Others.empty() && !is_contained(Members, Others.front())))
        Kept.insert(Own);
      Others.push_back(C);
    }
  for (auto &[Lookup, Checks] : Makers)
    if (!Kept.contains(Lookup) && isForChecksOnly(*Lookup))
      LookingUp.insert(Checks.begin(), Checks.end());
}

// Inserts a call, for each part, that looks up the pointer and compares.
void BoundsCheck::callCheck(const Check &C, Instruction *Before) {
  const CallInst &Lookup = *lookupOf(C.B.Base);
  countCheck(*Before);
  IRBuilder<> B(Before);
  B.SetCurrentDebugLocation(C.Where->getDebugLoc());
  Type *I64 = B.getInt64Ty(), *I32 = B.getInt32Ty();
  FunctionCallee Entry = M.getOrInsertFunction(kChecks[*kindOf(Lookup)], B.getVoidTy(), I64, I64, I32, I32, I32);
  Value *First = RootBounds::translate(B, B.CreatePtrToInt(C.Pointer, I64),
                                       C.Pointer->getType()->getPointerAddressSpace(), NVPTXAS::ADDRESS_SPACE_GENERIC);
  auto *Load = dyn_cast<LoadInst>(C.Where);
  Value *Root = cast<PtrToIntInst>(Lookup.getArgOperand(0))->getPointerOperand();
  const bool Prefetch = Load && Load->isSimple() && !loadsPointersFrom(*Root);
  const Part Own = {0, cast<ConstantInt>(C.Width)->getZExtValue(), C.Site};
  for (const Part &P : C.Parts.empty() ? ArrayRef<Part>(Own) : ArrayRef<Part>(C.Parts)) {
    Value *Address = P.Distance ? B.CreateAdd(First, B.getInt64(P.Distance)) : First;
    CallInst *Call = B.CreateCall(Entry, {Lookup.getArgOperand(0), Address, B.getInt32(P.Width),
                                          B.getInt32(C.Alignment.value()), B.getInt32(P.Site)});
    Call->setDoesNotThrow();
    if (Prefetch)
      CheckLookups::markForPrefetch(*Call);
  }
}

} // namespace gasan
