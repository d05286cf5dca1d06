// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/PrintfStrings.h"
#include "base/printf.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gasan {
namespace {

bool isTerminated(const Value *Pointer, SmallPtrSetImpl<const Value *> &Seen) {
  if (!Seen.insert(Pointer).second)
    return true;
  if (const auto *Choice = dyn_cast<SelectInst>(Pointer))
    return isTerminated(Choice->getTrueValue(), Seen) && isTerminated(Choice->getFalseValue(), Seen);
  if (const auto *Merge = dyn_cast<PHINode>(Pointer))
    return all_of(Merge->incoming_values(), [&](const Value *In) { return isTerminated(In, Seen); });
  StringRef Text;
  return getConstantStringInfo(Pointer, Text, /*TrimAtNul=*/false) && Text.contains('\0');
}

bool isTerminated(const Value *Pointer) {
  SmallPtrSet<const Value *, 8> Seen;
  return isTerminated(Pointer, Seen);
}

// Returns true if the buffer is written only by stores to the buffer itself.
bool isOwn(const Value *Pointer) {
  return all_of(Pointer->users(), [&](const User *U) {
    const auto *Store = dyn_cast<StoreInst>(U);
    const auto *Callee = dyn_cast<CallBase>(U);
    const auto *Part = dyn_cast<GetElementPtrInst>(U);
    return isa<LoadInst, LifetimeIntrinsic>(U) || (Store && Store->getValueOperand() != Pointer) ||
           (Callee && isPrintf(*Callee)) || (Part && Part->hasAllConstantIndices() && isOwn(Part));
  });
}

// Returns the value that an instruction in the call's block stored at the offset. Null: no such store was found.
Value *stored(const CallBase &Call, uint64_t Offset, Type *ArgumentType) {
  const Value *Buffer = Call.getArgOperand(1);
  if (!isa<AllocaInst>(Buffer) || !isOwn(Buffer))
    return nullptr;
  const DataLayout &DL = Call.getDataLayout();
  const int64_t Begin = Offset, Size = DL.getTypeStoreSize(ArgumentType);
  for (const Instruction *I = Call.getPrevNode(); I; I = I->getPrevNode()) {
    const auto *Store = dyn_cast<StoreInst>(I);
    APInt From(DL.getIndexTypeSizeInBits(Buffer->getType()), 0);
    const Value *To = Store ? Store->getPointerOperand() : nullptr;
    if (!To || To->stripAndAccumulateConstantOffsets(DL, From, /*AllowNonInbounds=*/true) != Buffer)
      continue;
    Value *Argument = const_cast<Value *>(Store->getValueOperand());
    const int64_t At = From.getSExtValue(), StoredSize = DL.getTypeStoreSize(Argument->getType());
    if (At == Begin && Argument->getType() == ArgumentType)
      return Argument;
    if (At < Begin + Size && Begin < At + StoredSize)
      return nullptr;
  }
  return nullptr;
}

// Returns the argument. If possible, this is the stored value itself, because its bounds are known from its source;
// else it is a load from the buffer.
Value *argument(CallBase &Call, uint64_t Offset, Type *ArgumentType) {
  if (Value *Argument = stored(Call, Offset, ArgumentType))
    return Argument;
  IRBuilder<> B(&Call);
  return B.CreateLoad(ArgumentType, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Call.getArgOperand(1), Offset));
}

} // namespace

uint64_t printfRoom(const Value *Buffer) {
  if (isa<Constant>(Buffer))
    return 0;
  const auto *Own = dyn_cast<AllocaInst>(Buffer);
  const std::optional<TypeSize> Known = Own ? Own->getAllocationSize(Own->getDataLayout()) : std::nullopt;
  return Known ? Known->getFixedValue() : GASAN_PRINTF_NONE;
}

bool isPrintf(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && Callee->getName() == "vprintf" && Call.arg_size() == 2 && Callee->isDeclaration();
}

SmallVector<PrintfString, 2> findPrintfStrings(CallBase &Call) {
  SmallVector<PrintfString, 2> Found;
  Value *Format = Call.getArgOperand(0), *Buffer = Call.getArgOperand(1);
  const uint64_t Room = printfRoom(Buffer);
  StringRef Text;
  if (!getConstantStringInfo(Format, Text, /*TrimAtNul=*/false) || !Text.contains('\0')) {
    Type *I64 = Type::getInt64Ty(Call.getContext());
    return {{Format, ConstantInt::getAllOnesValue(I64), Buffer, ConstantInt::get(I64, Room)}};
  }
  gasan_printf_reader Reader = {Text.begin(), Text.end(), 0};
  for (gasan_printf_string String; gasan_printf_next(&Reader, &String) && String.pointer_at + 8 <= Room;) {
    Value *Pointer = argument(Call, String.pointer_at, PointerType::getUnqual(Call.getContext()));
    if (!isTerminated(Pointer))
      Found.push_back({Pointer, ConstantInt::get(Type::getInt64Ty(Call.getContext()), String.precision)});
  }
  return Found;
}

} // namespace gasan
