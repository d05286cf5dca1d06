// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/Trace.h"
#include "base/trace_format.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/Prepare.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gasan {
namespace {

void call(IRBuilderBase &B, const char *Name, ArrayRef<Value *> Arguments) {
  SmallVector<Type *, 4> Types;
  for (Value *Argument : Arguments)
    Types.push_back(Argument->getType());
  Module &M = *B.GetInsertBlock()->getModule();
  FunctionCallee Callee = M.getOrInsertFunction(Name, FunctionType::get(B.getVoidTy(), Types, /*isVarArg=*/false));
  if (auto *F = dyn_cast<Function>(Callee.getCallee()))
    for (Attribute::AttrKind Kind :
         {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoCallback, Attribute::NoFree, Attribute::Convergent})
      F->addFnAttr(Kind);
  B.CreateCall(Callee, Arguments);
}

// Returns true for an instruction that machine code has, too.
bool costs(const Instruction &I) {
  return !isa<PHINode, AllocaInst, BitCastInst, AddrSpaceCastInst, DbgInfoIntrinsic, LifetimeIntrinsic, AssumeInst>(I);
}

uint32_t typeOf(gasan_access Kind) {
  switch (Kind) {
  case GASAN_ACCESS_READ:
    return GASAN_TRACE_READ;
  case GASAN_ACCESS_ATOMIC:
    return GASAN_TRACE_ATOMIC;
  default:
    return GASAN_TRACE_WRITE;
  }
}

} // namespace

void prepareTrace() {
  if (!Trace)
    return;
  LaunchProof = "off";
#define GASAN_SAVING(variable, name, text) variable = false;
#include "gasan_pass/savings.inc"
}

void traceInstructions(Module &M) {
  if (!Trace)
    return;
  for (Function &F : M)
    if (wantsInstrumentation(F))
      for (BasicBlock &Block : F) {
        if (isa<UnreachableInst>(Block.getTerminator()))
          continue;
        const unsigned Number = count_if(Block, costs);
        IRBuilder<> B(Block.getTerminator());
        if (const Instruction *Before = Block.getTerminator()->getPrevNode())
          if (const auto *Call = dyn_cast<CallInst>(Before); Call && Call->isMustTailCall())
            continue;
        call(B, "__gasan_trace_instructions", {B.getInt32(Number)});
      }
}

void traceAccess(const Access &A, uint32_t Site) {
  if (!Trace || A.Most || (!A.Size && !A.RunTimeSize) || A.Kind > GASAN_ACCESS_ATOMIC)
    return;
  IRBuilder<> B(A.Where);
  Value *Pointer = A.Pointer;
  if (Pointer->getType()->isVectorTy())
    Pointer = B.CreateExtractElement(Pointer, A.Lane);
  Value *Generic = B.CreateAddrSpaceCast(Pointer, B.getPtrTy());
  Value *Size = A.Size ? B.getInt32(A.Size) : B.CreateZExtOrTrunc(A.RunTimeSize, B.getInt32Ty());
  for (Value *Condition : {A.Guard, A.Mask ? B.CreateExtractElement(A.Mask, A.Lane) : nullptr})
    if (Condition)
      Size = B.CreateSelect(B.CreateFreeze(Condition), Size, B.getInt32(0));
  call(B, "__gasan_trace_access",
       {B.CreatePtrToInt(Generic, B.getInt64Ty()), Size, B.getInt32(Site), B.getInt32(typeOf(A.Kind))});
}

void traceLookups(Module &M) {
  if (!Trace)
    return;
  for (const char *Name : {"__gasan_bounds", "__gasan_bounds_global", "__gasan_bounds_with_frames"})
    if (Function *F = M.getFunction(Name))
      for (User *U : make_early_inc_range(F->users()))
        if (auto *Lookup = dyn_cast<CallInst>(U)) {
          IRBuilder<> B(Lookup);
          call(B, "__gasan_trace_lookup", {Lookup->getArgOperand(0), Lookup->getArgOperand(1)});
        }
}

} // namespace gasan
