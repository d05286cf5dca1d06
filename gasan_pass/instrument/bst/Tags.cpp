// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/Tags.h"
#include "base/printf.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/Access.h"
#include "gasan_pass/instrument/AddressOperands.h"
#include "gasan_pass/instrument/PrintfStrings.h"
#include "shadow/tags.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gasan {
namespace {

// Returns false for a variable, and for an address made up by the program.
bool mayHaveTag(const Value *V) {
  return !isa<Constant>(V) && (V->getType()->isIntegerTy() || mayTouchGlobal(V));
}

bool asksForSpace(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && Callee->getName().starts_with("llvm.nvvm.isspacep.");
}

// Returns true for calls of functions outside the linked program's device code, which are CUDA's own. (The device
// runtime's functions accept tagged pointers.)
bool isExternal(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && Callee->isDeclaration() && !Callee->isIntrinsic() && !Callee->getName().starts_with("__gasan_");
}

// Removes the tag by an offset from the pointer, so that the back end still infers the pointer's space. The back end
// does not infer it through inttoptr, nor through llvm.ptrmask, on which LLVM 22's SeparateConstOffsetFromGEP crashes.
void strip(Use &Operand) {
  IRBuilder<> B(cast<Instruction>(Operand.getUser()));
  Value *Tagged = Operand.get();
  Type *Integer = Tagged->getType()->getWithNewType(B.getInt64Ty());
  if (Tagged->getType()->isIntegerTy()) {
    Operand.set(B.CreateAnd(Tagged, GASAN_TAG_ADDRESS_MASK));
    return;
  }
  Value *Tag = B.CreateAnd(B.CreatePtrToInt(Tagged, Integer), ConstantInt::get(Integer, ~GASAN_TAG_ADDRESS_MASK));
  Operand.set(B.CreateGEP(B.getInt8Ty(), Tagged, B.CreateNeg(Tag)));
}

// Removes the tag only if the value is a pointer into the pool: any other number must stay unchanged.
void stripIfPointer(Use &Operand) {
  IRBuilder<> B(cast<Instruction>(Operand.getUser()));
  Module &M = *B.GetInsertBlock()->getModule();
  FunctionCallee Entry = M.getOrInsertFunction("__gasan_untag", B.getInt64Ty(), B.getInt64Ty());
  Operand.set(B.CreateCall(Entry, {Operand.get()}));
}

// Returns true if a constant format has no string arguments.
bool readsNoString(const Value *Format) {
  StringRef Text;
  if (!getConstantStringInfo(Format, Text, /*TrimAtNul=*/false) || !Text.contains('\0'))
    return false;
  gasan_printf_reader Reader = {Text.begin(), Text.end(), 0};
  gasan_printf_string String;
  return !gasan_printf_next(&Reader, &String);
}

bool mayReadStrings(const CallBase &Call) {
  return isPrintf(Call) && !isa<ConstantPointerNull>(Call.getArgOperand(1)) && !readsNoString(Call.getArgOperand(0));
}

// Passes printf a copy of its arguments' buffer without tags, since printf reads the strings. All calls in a function
// share the copy's memory.
void stripStrings(Function &F, ArrayRef<CallBase *> Prints) {
  uint64_t Most = 0;
  for (CallBase *Print : Prints) {
    const uint64_t Room = printfRoom(Print->getArgOperand(1));
    Most = std::max<uint64_t>(Most, Room == GASAN_PRINTF_NONE ? GASAN_PRINTF_MOST : Room);
  }
  if (!Most)
    return;
  IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
  Type *I64 = B.getInt64Ty();
  AllocaInst *Copy = B.CreateAlloca(ArrayType::get(I64, (Most + 7) / 8));
  FunctionCallee Entry = F.getParent()->getOrInsertFunction("__gasan_untag_strings", I64, I64, I64, I64, I64);
  for (CallBase *Print : Prints) {
    B.SetInsertPoint(Print);
    Value *Format = Print->getArgOperand(0), *Buffer = Print->getArgOperand(1);
    Value *Printed = B.CreateCall(Entry, {B.CreatePtrToInt(Format, I64), B.CreatePtrToInt(Buffer, I64),
                                          B.getInt64(printfRoom(Buffer)), B.CreatePtrToInt(Copy, I64)});
    Print->setArgOperand(1, B.CreateIntToPtr(Printed, Buffer->getType()));
  }
}

} // namespace

void stripTags(Function &F) {
  if (F.isDeclaration() || F.hasFnAttribute(kRuntimeAttr))
    return;
  SmallVector<Use *, 64> Certain, Possible;
  SmallVector<CallBase *, 4> Prints;
  SmallVector<Instruction *, 64> Instructions;
  for (Instruction &I : instructions(F))
    Instructions.push_back(&I); // collected first: the search for an asm's addresses inserts instructions
  for (Instruction *I : Instructions) {
    if (mayAccessMemory(*I))
      append_range(Certain, addressOperands(*I));
    auto *Call = dyn_cast<CallBase>(I);
    if (auto *Asm = dyn_cast<CallInst>(I); Asm && Asm->isInlineAsm())
      append_range(Possible, possibleAddresses(*Asm));
    else if (Call && (isExternal(*Call) || asksForSpace(*Call)))
      for (Use &Argument : Call->args())
        if (Argument->getType()->isPointerTy() && !is_contained(Certain, &Argument))
          Certain.push_back(&Argument);
    if (Call && mayReadStrings(*Call))
      Prints.push_back(Call);
  }
  for (Use *Operand : Certain)
    if (mayHaveTag(Operand->get()))
      strip(*Operand);
  for (Use *Operand : Possible)
    if (mayHaveTag(Operand->get()))
      stripIfPointer(*Operand);
  stripStrings(F, Prints); // last: now the format and the buffer have no tags
}

} // namespace gasan
