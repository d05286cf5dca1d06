// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/ShadowCheck.h"
#include "gasan_pass/instrument/Params.h"
#include "shadow/encoding.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gasan {

ShadowCheck::ShadowCheck(Module &M, unsigned ShadowScale, gasan_code Code)
    : M(M), Scale(ShadowScale), Params(defineParams(M, Code)),
      Unlikely(MDBuilder(M.getContext()).createUnlikelyBranchWeights()) {}

FunctionCallee ShadowCheck::entry(FunctionCallee &Cached, const char *Name, bool Returns) {
  if (Cached)
    return Cached;
  LLVMContext &Context = M.getContext();
  Type *I64 = Type::getInt64Ty(Context);
  Cached = M.getOrInsertFunction(Name, Type::getVoidTy(Context), I64, I64, Type::getInt32Ty(Context));
  auto *F = cast<Function>(Cached.getCallee());
  F->setDoesNotThrow();
  F->addFnAttr(Attribute::NoInline);
  if (!Returns) {
    F->setDoesNotReturn();
    F->addFnAttr(Attribute::Cold);
  }
  return Cached;
}

Value *ShadowCheck::loadParam(IRBuilderBase &B, unsigned Offset, Type *Type) {
  Value *Member = B.CreateConstInBoundsGEP1_32(B.getInt8Ty(), Params, Offset);
  LoadInst *Load = B.CreateAlignedLoad(Type, Member, Align(Type->getPrimitiveSizeInBits() / 8));
  Load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(M.getContext(), {}));
  return Load;
}

// Loads the shadow byte. For the compact encodings the index fits in 32 bits, which the runtime's limits ensure. With
// one shadow byte for 8 bytes it needs more.
Value *ShadowCheck::loadShadow(IRBuilderBase &B, Value *Address) {
  Type *IndexType = Scale == GASAN_SCALE_8 ? B.getInt64Ty() : B.getInt32Ty();
  Value *Mask = loadParam(B, offsetof(gasan_params, shadow_mask), IndexType); // little endian: the low half
  Value *Index = B.CreateAnd(B.CreateTrunc(B.CreateLShr(Address, Scale), IndexType), Mask);
  Value *Base = loadParam(B, offsetof(gasan_params, shadow_base), B.getInt64Ty());
  Value *ShadowAddress = B.CreateAdd(Base, B.CreateZExt(Index, B.getInt64Ty()));
  PointerType *GlobalPointer = PointerType::get(M.getContext(), NVPTXAS::ADDRESS_SPACE_GLOBAL);
  return B.CreateAlignedLoad(B.getInt8Ty(), B.CreateIntToPtr(ShadowAddress, GlobalPointer), Align(1), "gasan.shadow");
}

Value *ShadowCheck::isInWindow(IRBuilderBase &B, Value *Address) {
  Value *High = B.CreateTrunc(B.CreateLShr(Address, 32), B.getInt32Ty());
  Value *Mask = loadParam(B, offsetof(gasan_params, window_mask_high), B.getInt32Ty());
  Value *Base = loadParam(B, offsetof(gasan_params, window_base_high), B.getInt32Ty());
  return B.CreateICmpEQ(B.CreateAnd(High, Mask), Base);
}

// Computes !gasan_shadow_allows() with everything folded in that is known at compile time. `Last` is the offset of the
// access's last byte in its block, n the shadow byte.
Value *ShadowCheck::isPoisoned(IRBuilderBase &B, Value *Address, uint64_t Size, Value *Shadow) {
  uint32_t BlockMask = (1u << Scale) - 1;
  Value *Low = B.CreateTrunc(Address, B.getInt32Ty());
  Value *Last = B.CreateAnd(Low, BlockMask);
  if (Size > 1)
    Last = B.CreateAdd(Last, B.getInt32(Size - 1), "", /*HasNUW=*/true, /*HasNSW=*/true);
  switch (Scale) {
  case GASAN_SCALE_128: // allowed: n bytes
    return B.CreateICmpUGE(Last, B.CreateZExt(Shadow, B.getInt32Ty()));
  // allowed: n + 1 bytes, but none if n is 0; Last > 0 covers that already, except for a single byte
  case GASAN_SCALE_256: {
    if (Size == 1)
      Last = B.CreateBinaryIntrinsic(Intrinsic::umax, Last, B.getInt32(1));
    return B.CreateICmpUGT(Last, B.CreateZExt(Shadow, B.getInt32Ty()));
  }
  default: { // allowed: all if n is 0, none if n is negative
    Value *Partial = B.CreateICmpNE(Shadow, B.getInt8(0));
    if (Size == 8)
      return Partial;
    return B.CreateAnd(Partial, B.CreateICmpSGE(Last, B.CreateSExt(Shadow, B.getInt32Ty())));
  }
  }
}

bool ShadowCheck::fitsOneBlock(const Access &A) const {
  return A.Size != 0 && !A.Mask && A.Size <= (1u << Scale) && A.Alignment.value() >= PowerOf2Ceil(A.Size);
}

void ShadowCheck::insert(const Access &A, uint32_t Site) {
  if (fitsOneBlock(A))
    insertInline(A, Site);
  else
    insertRange(A, Site);
}

// Tests the window before it loads the shadow byte. An address outside the window (shared memory, managed memory,
// another allocator's memory) has no shadow byte of its own. At the masked index, the shadow byte may be changing at
// that moment (shadow/units.c), or, in an image that no runtime has prepared, may not exist.
void ShadowCheck::insertInline(const Access &A, uint32_t Site) {
  IRBuilder<> B(A.Where);
  Value *Address = B.CreatePtrToInt(A.Pointer, B.getInt64Ty());
  Value *Wanted = isInWindow(B, Address);
  if (A.Guard) // first, and no `and`: the address of an access that does not happen may be poison
    Wanted = B.CreateLogicalAnd(B.CreateFreeze(A.Guard), Wanted);
  Instruction *Inside = SplitBlockAndInsertIfThen(Wanted, A.Where, /*Unreachable=*/false);
  B.SetInsertPoint(Inside);
  Value *Poisoned = isPoisoned(B, Address, A.Size, loadShadow(B, Address));
  Instruction *Unreachable = SplitBlockAndInsertIfThen(Poisoned, Inside, /*Unreachable=*/true, Unlikely);
  B.SetInsertPoint(Unreachable);
  B.SetCurrentDebugLocation(A.Where->getDebugLoc());
  CallInst *Call =
      B.CreateCall(entry(Report, "__gasan_report", /*Returns=*/false), {Address, B.getInt64(A.Size), B.getInt32(Site)});
  Call->setDoesNotReturn();
}

Value *ShadowCheck::stringSize(IRBuilderBase &B, const Access &A) {
  if (!StringSize)
    StringSize = M.getOrInsertFunction("__gasan_shadow_string_size", B.getInt64Ty(), B.getInt64Ty(), B.getInt64Ty());
  return B.CreateCall(StringSize, {B.CreatePtrToInt(A.Pointer, B.getInt64Ty()), A.Most});
}

void ShadowCheck::insertRange(const Access &A, uint32_t Site) {
  IRBuilder<> B(A.Where);
  Value *Pointer = A.Pointer;
  Value *Size = A.Most          ? stringSize(B, A)
                : A.RunTimeSize ? B.CreateZExtOrTrunc(A.RunTimeSize, B.getInt64Ty())
                                : B.getInt64(A.Size);
  if (A.Mask) { // a lane that is switched off accesses 0 bytes
    Size = B.CreateSelect(B.CreateExtractElement(A.Mask, A.Lane), Size, B.getInt64(0));
    Pointer = Pointer->getType()->isVectorTy() ? B.CreateExtractElement(Pointer, A.Lane)
                                               : B.CreateConstGEP1_64(B.getInt8Ty(), Pointer, A.Lane * A.Size);
  }
  Value *Address = B.CreatePtrToInt(Pointer, B.getInt64Ty());
  if (A.Guard)
    Size = B.CreateSelect(B.CreateFreeze(A.Guard), Size, B.getInt64(0));
  B.CreateCall(entry(CheckRange, "__gasan_check_range", /*Returns=*/true), {Address, Size, B.getInt32(Site)});
}

} // namespace gasan
