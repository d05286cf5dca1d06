// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks after which the thread goes on (-fsanitize-gpu-address-recover).
//
// A bad load reads zeros in place of its address, and a bad store or atomic goes to memory that nothing reads; both are
// variables of the module. A bad copy or set has the length 0. So no control flow joins behind the access. Another
// access (inline PTX, a gathered vector, an argument passed by value) cannot be left out: its thread ends, as without
// this option.
//
// The promises of the language hold for the accesses of a thread up to its first report only. An access after it may be
// out of bounds without a report if the compiler has relied on a promise that the first one broke.
#include "gasan_pass/instrument/Count.h"
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr uint64_t kWidest = 64; // bytes of an access

// Returns the module's variable of zeros, or the one for stores, as a generic pointer.
Constant *substitute(Module &M, StringRef Name) {
  LLVMContext &Context = M.getContext();
  GlobalVariable *Variable = M.getNamedGlobal(Name);
  if (!Variable) {
    auto *Bytes = ArrayType::get(Type::getInt8Ty(Context), kWidest);
    Variable = new GlobalVariable(M, Bytes, /*isConstant=*/false, GlobalValue::InternalLinkage,
                                  ConstantAggregateZero::get(Bytes), Name, /*InsertBefore=*/nullptr,
                                  GlobalValue::NotThreadLocal, NVPTXAS::ADDRESS_SPACE_GLOBAL);
    Variable->setAlignment(Align(16));
  }
  return ConstantExpr::getAddrSpaceCast(Variable, PointerType::get(Context, NVPTXAS::ADDRESS_SPACE_GENERIC));
}

// Returns the operand with the access's address, or -1.
int addressOperand(const Instruction &I) {
  if (isa<LoadInst>(I))
    return LoadInst::getPointerOperandIndex();
  if (isa<StoreInst>(I))
    return StoreInst::getPointerOperandIndex();
  if (isa<AtomicRMWInst>(I))
    return AtomicRMWInst::getPointerOperandIndex();
  return isa<AtomicCmpXchgInst>(I) ? int(AtomicCmpXchgInst::getPointerOperandIndex()) : -1;
}

bool canBeLeftOut(const PlannedCheck &C) {
  const int Operand = addressOperand(*C.Where);
  if (Operand < 0)
    return isa<AnyMemIntrinsic>(C.Where);
  const auto *Width = dyn_cast<ConstantInt>(C.Width);
  return C.Where->getOperand(unsigned(Operand)) == C.Pointer && Width && Width->getValue().ule(kWidest);
}

// Makes the result of an atomic 0, which its memory may not be.
void zeroResult(Instruction &I, Value *Bad) {
  Type *T = I.getType();
  if (I.use_empty() || T->isStructTy() || isa<LoadInst>(I))
    return;
  IRBuilder<> B(I.getNextNode());
  auto *Result = SelectInst::Create(Bad, Constant::getNullValue(T), &I, "gasan.result", I.getNextNode()->getIterator());
  I.replaceUsesWithIf(Result, [&](const Use &U) { return U.getUser() != Result; });
}

void leaveOut(Instruction &I, Value *Bad) {
  IRBuilder<> B(&I);
  if (auto *Copy = dyn_cast<AnyMemIntrinsic>(&I)) {
    Value *Length = Copy->getLength();
    Copy->setLength(B.CreateSelect(Bad, Constant::getNullValue(Length->getType()), Length));
    return;
  }
  const unsigned Operand = unsigned(addressOperand(I));
  Value *Pointer = I.getOperand(Operand);
  Value *Generic = B.CreateAddrSpaceCast(Pointer, B.getPtrTy(NVPTXAS::ADDRESS_SPACE_GENERIC));
  Constant *Other = substitute(*I.getModule(), isa<LoadInst>(I) ? "__gasan_recover_zeros" : "__gasan_recover_sink");
  I.setOperand(Operand, B.CreateSelect(Bad, Other, Generic));
  zeroResult(I, Bad);
}

FunctionCallee recoverFunction(Module &M) {
  LLVMContext &Context = M.getContext();
  Type *I64 = Type::getInt64Ty(Context), *I32 = Type::getInt32Ty(Context);
  FunctionCallee Callee =
      M.getOrInsertFunction("__gasan_recover_bounds", Type::getVoidTy(Context), I64, I64, I32, I64, I64, I32, I32);
  if (auto *F = dyn_cast<Function>(Callee.getCallee())) {
    F->setDoesNotThrow();
    F->addFnAttr(Attribute::NoInline);
    F->addFnAttr(Attribute::Cold);
  }
  return Callee;
}

} // namespace

void BoundsCheck::compareAndRecover(const Check &C) {
  if (!canBeLeftOut(C) || !C.Parts.empty() || C.ClaimBits) {
    compare(C, C.MadeAt);
    return;
  }
  countCheck(*C.Where);
  BoundsBuilder B(C.Where->getParent(), C.Where->getIterator(), InstSimplifyFolder(M.getDataLayout()));
  Value *Bad = B.CreateFreeze(isBad(B, C));
  Instruction *ColdEnd = SplitBlockAndInsertIfThen(Bad, C.Where->getIterator(), /*Unreachable=*/false, Unlikely);
  IRBuilder<> Cold(ColdEnd);
  Cold.SetCurrentDebugLocation(C.Where->getDebugLoc());
  const unsigned Space = C.Pointer->getType()->getPointerAddressSpace();
  auto Generic = [&](Value *In) { return RootBounds::translate(Cold, In, Space, NVPTXAS::ADDRESS_SPACE_GENERIC); };
  Value *Address = reportedAddress(Cold, C);
  Cold.CreateCall(recoverFunction(M), {Generic(Address), C.Width, Cold.getInt32(C.Site), Generic(C.B.Base), C.B.Size,
                                       C.B.Object, Cold.getInt32(C.Alignment.value())});
  leaveOut(*C.Where, Bad);
}

} // namespace gasan
