// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inserts the cold code that finds the failing access and calls the report.
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gasan {

// Declares the report function. It does not return.
FunctionCallee BoundsCheck::report(bool OfAlignment) {
  FunctionCallee &Known = OfAlignment ? ReportAligned : Report;
  if (Known)
    return Known;
  LLVMContext &Context = M.getContext();
  Type *I64 = Type::getInt64Ty(Context), *I32 = Type::getInt32Ty(Context);
  SmallVector<Type *, 7> Parameters = {I64, I64, I32, I64, I64, I32};
  if (OfAlignment)
    Parameters.push_back(I32);
  Known = M.getOrInsertFunction(OfAlignment ? "__gasan_report_bounds_aligned" : "__gasan_report_bounds",
                                FunctionType::get(Type::getVoidTy(Context), Parameters, /*isVarArg=*/false));
  if (auto *F = dyn_cast<Function>(Known.getCallee())) {
    F->setDoesNotThrow();
    F->setDoesNotReturn();
    F->addFnAttr(Attribute::NoInline);
    F->addFnAttr(Attribute::Cold);
  }
  return Known;
}

void BoundsCheck::callReport(IRBuilderBase &B, const Check &C, Value *Address, Value *Width, Value *Site) {
  const unsigned Space = C.Pointer->getType()->getPointerAddressSpace();
  auto Generic = [&](Value *In) { return RootBounds::translate(B, In, Space, NVPTXAS::ADDRESS_SPACE_GENERIC); };
  SmallVector<Value *, 7> Arguments = {Generic(Address), Width, Site, Generic(C.B.Base), C.B.Size, C.B.Object};
  if (C.Alignment > 1)
    Arguments.push_back(B.getInt32(C.Alignment.value()));
  B.CreateCall(report(C.Alignment > 1), Arguments)->setDoesNotReturn();
}

// Finds the first part, in program order, that fails, and reports it.
void BoundsCheck::callGroupReport(IRBuilderBase &B, const Check &C, Value *First) {
  Value *Address = nullptr, *Width = nullptr, *Site = nullptr;
  for (const Part &P : reverse(C.Parts)) {
    Value *Own = B.CreateAdd(First, B.getInt64(P.Distance)), *OwnWidth = B.getInt64(P.Width),
          *OwnSite = B.getInt32(P.Site);
    if (!Address) {
      Address = Own, Width = OwnWidth, Site = OwnSite;
      continue;
    }
    Value *Offset = B.CreateSub(Own, C.B.Base);
    Value *Bad =
        B.CreateOr(B.CreateICmpUGE(Offset, C.B.Size), B.CreateICmpULT(B.CreateSub(C.B.Size, Offset), OwnWidth));
    if (C.Alignment > 1)
      Bad = B.CreateOr(Bad, B.CreateIsNotNull(B.CreateAnd(Own, C.Alignment.value() - 1)));
    Address = B.CreateSelect(Bad, Own, Address);
    Width = B.CreateSelect(Bad, OwnWidth, Width);
    Site = B.CreateSelect(Bad, OwnSite, Site);
  }
  callReport(B, C, Address, Width, Site);
}

// Returns the report call for the loop around the batch that is being inserted. Checks share the call because it is
// most of a check's code, needs registers, and makes assemblers disproportionately slow. Each loop has its own call:
// where exits of several loops meet, ptxas reconverges a warp's threads there, instead of after each loop.
BoundsCheck::CommonReport &BoundsCheck::commonReport(IRBuilderBase &Near, bool OfAlignment) {
  CommonReport &Common = CommonReports[{LoopHeader, OfAlignment}];
  if (Common.Block)
    return Common;
  Type *I64 = Near.getInt64Ty(), *I32 = Near.getInt32Ty();
  Common.Block = BasicBlock::Create(M.getContext(), "gasan.report", Near.GetInsertBlock()->getParent());
  IRBuilder<> B(Common.Block);
  B.SetCurrentDebugLocation(Near.getCurrentDebugLocation()); // the site has the check's own location
  for (Type *Part : {I64, I64, I32, I64, I64, I32, I32})
    if (Common.Parts.size() < (OfAlignment ? 7 : 6))
      Common.Parts.push_back(B.CreatePHI(Part, 4));
  B.CreateCall(report(OfAlignment), SmallVector<Value *, 7>(Common.Parts.begin(), Common.Parts.end()))
      ->setDoesNotReturn();
  B.CreateUnreachable();
  return Common;
}

// Returns an i1: the access of Width bytes at Address is out of the check's bounds, or misaligned, and it happens.
Value *BoundsCheck::failsAlone(BoundsBuilder &B, const Check &C, Value *Address, Value *Width) {
  // Computes no limit, because the code generator would compute the limit before a loop and keep it in registers.
  Value *Offset = B.CreateSub(Address, C.B.Base);
  Value *Bad = B.CreateOr(B.CreateICmpUGE(Offset, C.B.Size), B.CreateICmpULT(B.CreateSub(C.B.Size, Offset), Width));
  if (C.Alignment > 1)
    Bad = B.CreateOr(Bad, B.CreateIsNotNull(B.CreateAnd(Address, C.Alignment.value() - 1)));
  if (!isa<ConstantInt>(Width))
    Bad = B.CreateAnd(Bad, B.CreateIsNotNull(Width));
  if (C.Guard)
    Bad = B.CreateLogicalAnd(B.CreateFreeze(C.Guard), Bad);
  return Bad;
}

// Compares the accesses one after the other. If none of the others fails, reports the last one without a comparison.
void BoundsCheck::insertBatchReport(Instruction *ColdEnd, ArrayRef<const Check *> Members) {
  BoundsBuilder B(ColdEnd->getParent(), ColdEnd->getIterator(), InstSimplifyFolder(M.getDataLayout()));
  for (const Check *C : Members) {
    const unsigned Space = C->Pointer->getType()->getPointerAddressSpace();
    auto Generic = [&](Value *In) { return RootBounds::translate(B, In, Space, NVPTXAS::ADDRESS_SPACE_GENERIC); };
    const Part Own = {0, 0, C->Site};
    const ArrayRef<Part> Parts = C->Parts.empty() ? ArrayRef<Part>(Own) : ArrayRef<Part>(C->Parts);
    for (const Part &P : Parts) {
      Value *Address = B.CreateAdd(reportedAddress(B, *C), B.getInt64(P.Distance));
      Value *Width = C->Parts.empty() ? C->Width : B.getInt64(P.Width);
      Value *Reported[] = {Generic(Address),
                           Width,
                           B.getInt32(P.Site),
                           Generic(C->B.Base),
                           C->B.Size,
                           C->B.Object,
                           B.getInt32(C->Alignment.value())};
      const bool IsLast = C == Members.back() && &P == &Parts.back();
      Value *Bad = IsLast ? B.getTrue() : failsAlone(B, *C, Address, Width);
      CommonReport &Common = commonReport(B, C->Alignment > 1);
      BasicBlock *From = B.GetInsertBlock();
      BasicBlock *Next = SplitBlock(From, ColdEnd);
      ReplaceInstWithInst(From->getTerminator(), BranchInst::Create(Common.Block, Next, Bad));
      for (auto [Phi, Value] : zip(Common.Parts, Reported))
        Phi->addIncoming(Value, From);
      B.SetInsertPoint(ColdEnd);
    }
  }
}

} // namespace gasan
