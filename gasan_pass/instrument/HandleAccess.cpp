#include "gasan_pass/instrument/HandleAccess.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/ptx/PtxAccess.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gasan {
namespace {

using Operands = SmallVector<Use *, 4>;

// Intrinsics that look at a pointer's value instead of what it points to.
bool takesPointerAsValue(StringRef Intrinsic) {
  return Intrinsic.starts_with("llvm.nvvm.isspacep.") || Intrinsic.starts_with("llvm.nvvm.ptr.") ||
         Intrinsic.starts_with("llvm.nvvm.mapa");
}

void addPointerArguments(CallBase &Call, Operands &Found) {
  for (Use &Argument : Call.args())
    if (Argument->getType()->getScalarType()->isPointerTy())
      Found.push_back(&Argument);
}

// Integers that the asm computes addresses from: what the checks' addresses are made of.
void addAddressIntegers(CallInst &Asm, Operands &Found) {
  SmallPtrSet<Value *, 16> Seen;
  SmallVector<Value *, 16> Pending;
  for (const PtxAccess &A : findPtxAccesses(Asm).Known)
    Pending.push_back(A.Address);
  while (!Pending.empty()) {
    Value *V = Pending.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    bool IsArgument = false;
    for (Use &Argument : Asm.args())
      if (Argument.get() == V) {
        IsArgument = true;
        if (V->getType()->isIntegerTy(64) && !is_contained(Found, &Argument))
          Found.push_back(&Argument);
      }
    if (auto *I = dyn_cast<Instruction>(V); I && !IsArgument && (I->isBinaryOp() || I->isCast() || isa<GetElementPtrInst>(I)))
      append_range(Pending, I->operand_values());
  }
}

// The operands that I accesses memory by, in the order of the accesses.
Operands addressOperands(Instruction &I) {
  Operands Found;
  if (auto *Load = dyn_cast<LoadInst>(&I))
    Found.push_back(&Load->getOperandUse(LoadInst::getPointerOperandIndex()));
  else if (auto *Store = dyn_cast<StoreInst>(&I))
    Found.push_back(&Store->getOperandUse(StoreInst::getPointerOperandIndex()));
  else if (auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    Found.push_back(&RMW->getOperandUse(AtomicRMWInst::getPointerOperandIndex()));
  else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    Found.push_back(&Exchange->getOperandUse(AtomicCmpXchgInst::getPointerOperandIndex()));
  else if (auto *Memory = dyn_cast<AnyMemIntrinsic>(&I)) {
    if (isa<AnyMemTransferInst>(Memory)) // the source is read first
      Found.push_back(&Memory->getArgOperandUse(1));
    Found.push_back(&Memory->getArgOperandUse(0));
  } else if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I)) {
    StringRef Name = Intrinsic->getCalledFunction()->getName();
    if ((Name.starts_with("llvm.nvvm.") && !takesPointerAsValue(Name)) || Name.starts_with("llvm.masked."))
      addPointerArguments(*Intrinsic, Found);
  } else if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->isInlineAsm()) {
    addPointerArguments(*Call, Found);
    addAddressIntegers(*Call, Found);
  } else if (auto *Call = dyn_cast<CallBase>(&I)) {
    for (unsigned Index = 0; Index < Call->arg_size(); ++Index)
      if (Call->isByValArgument(Index)) // the callee's copy is made at the call
        Found.push_back(&Call->getArgOperandUse(Index));
  }
  return Found;
}

bool mayBeHandle(const Value *Operand) {
  if (isa<Constant>(Operand))
    return false; // a variable, or an address that the program made up
  return Operand->getType()->isIntegerTy() || mayTouchGlobal(Operand);
}

} // namespace

Value *HandleAccess::callAccess(IRBuilderBase &B, Value *Pointer, Value *Size, uint32_t Site) {
  Type *I64 = B.getInt64Ty();
  FunctionCallee Entry = M.getOrInsertFunction("__gasan_access", I64, I64, I64, B.getInt32Ty());
  return B.CreateCall(Entry, {B.CreatePtrToInt(Pointer, I64), Size, B.getInt32(Site)});
}

Value *HandleAccess::callTranslate(IRBuilderBase &B, Value *Address) {
  FunctionCallee Entry = M.getOrInsertFunction("__gasan_translate", B.getInt64Ty(), B.getInt64Ty());
  return B.CreateCall(Entry, {Address});
}

void HandleAccess::replace(IRBuilderBase &B, Use &Operand, Value *Address) {
  Type *Wanted = Operand->getType();
  Operand.set(Wanted->isPointerTy() ? B.CreateIntToPtr(Address, Wanted) : Address);
  Translated.insert(&Operand);
}

void HandleAccess::check(const Access &A, uint32_t Site) {
  IRBuilder<> B(A.Where);
  Value *Pointer = A.Pointer;
  Value *Size = A.RunTimeSize ? B.CreateZExtOrTrunc(A.RunTimeSize, B.getInt64Ty()) : B.getInt64(A.Size);
  if (A.Mask) { // a lane that is switched off is an access of no bytes
    Size = B.CreateSelect(B.CreateExtractElement(A.Mask, A.Lane), Size, B.getInt64(0));
    Pointer = Pointer->getType()->isVectorTy() ? B.CreateExtractElement(Pointer, A.Lane)
                                               : B.CreateConstGEP1_64(B.getInt8Ty(), Pointer, A.Lane * A.Size);
  }
  if (A.Guard)
    Size = B.CreateSelect(B.CreateFreeze(A.Guard), Size, B.getInt64(0));
  Value *Address = callAccess(B, Pointer, Size, Site);
  if (A.Mask || A.Guard)
    return;
  for (Use *Operand : addressOperands(*A.Where))
    if (Operand->get() == A.Pointer && !Translated.contains(Operand)) {
      replace(B, *Operand, Address);
      break;
    }
}

void HandleAccess::translateOperand(Use &Operand) {
  IRBuilder<> B(cast<Instruction>(Operand.getUser()));
  Value *Old = Operand.get();
  if (auto *Vector = dyn_cast<FixedVectorType>(Old->getType())) {
    Value *New = Old;
    for (unsigned Lane = 0; Lane < Vector->getNumElements(); ++Lane) {
      Value *Address = B.CreatePtrToInt(B.CreateExtractElement(Old, Lane), B.getInt64Ty());
      New = B.CreateInsertElement(New, B.CreateIntToPtr(callTranslate(B, Address), Vector->getElementType()), Lane);
    }
    Operand.set(New);
    return;
  }
  Value *Address = Old->getType()->isPointerTy() ? B.CreatePtrToInt(Old, B.getInt64Ty()) : Old;
  replace(B, Operand, callTranslate(B, Address));
}

void HandleAccess::translate(Function &F) {
  if (F.hasFnAttribute(kRuntimeAttr))
    return;
  SmallVector<Instruction *, 64> Accessing;
  for (Instruction &I : instructions(F))
    if (mayAccessMemory(I))
      Accessing.push_back(&I);
  for (Instruction *I : Accessing)
    for (Use *Operand : addressOperands(*I))
      if (!Translated.contains(Operand) && mayBeHandle(Operand->get()))
        translateOperand(*Operand);
  Translated.clear();
}

} // namespace gasan
