#include "gasan_pass/instrument/PrintfStrings.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gasan {
namespace {

// One %s: where its pointer lies in the buffer, and how many characters it takes.
struct Conversion {
  uint64_t Pointer = 0;
  std::optional<uint64_t> Precision, PrecisionAt; // a number, or where it lies in the buffer; neither: all
};

// Reads a format as device printf does. Each argument is aligned to its size.
class FormatReader {
public:
  explicit FormatReader(StringRef Format) : Rest(Format) {}

  // The next %s; none: the format ends, or has a conversion that CUDA does not know, so that later arguments cannot be
  // found.
  std::optional<Conversion> next() {
    for (size_t At; (At = Rest.find('%')) != StringRef::npos;) {
      Rest = Rest.drop_front(At + 1);
      if (Rest.consume_front("%"))
        continue;
      Conversion C;
      readWidth(C);
      StringRef Length = Rest.take_while([](char Letter) { return StringRef("hlLqjzt").contains(Letter); });
      Rest = Rest.drop_front(Length.size());
      const char Kind = Rest.empty() ? 0 : Rest.front();
      Rest = Rest.drop_front(!Rest.empty());
      if (Kind == 's' && Length.empty()) {
        C.Pointer = take(8);
        return C;
      }
      if (!skip(Kind, Length))
        break;
    }
    Rest = "";
    return std::nullopt;
  }

private:
  StringRef Rest;
  uint64_t End = 0; // of the arguments so far

  uint64_t take(uint64_t Size) {
    const uint64_t At = alignTo(End, Size);
    End = At + Size;
    return At;
  }

  void readWidth(Conversion &C) {
    Rest = Rest.ltrim("-+ #0");
    if (Rest.consume_front("*"))
      take(4);
    Rest = Rest.ltrim("0123456789");
    if (!Rest.consume_front("."))
      return;
    if (Rest.consume_front("*")) {
      C.PrecisionAt = take(4);
      return;
    }
    uint64_t Number = 0; // "%.s" takes none
    StringRef Digits = Rest.take_while(isDigit);
    Rest = Rest.drop_front(Digits.size());
    if (Digits.empty() || !Digits.getAsInteger(10, Number))
      C.Precision = Number;
  }

  bool skip(char Kind, StringRef Length) {
    static const StringRef Integers = "diouxX", Numbers = "fFeEgGaAp";
    if (Integers.contains(Kind) || Kind == 'c')
      take(Kind != 'c' && Length.find_first_of("lqjzt") != StringRef::npos ? 8 : 4);
    else if (Numbers.contains(Kind) || Kind == 's')
      take(8);
    else
      return false;
    return Kind != 0;
  }
};

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

// Does the buffer have so many bytes? One that is not clang's own may have any number; a call without arguments has
// none.
bool holds(const Value *Buffer, uint64_t Size) {
  if (isa<Constant>(Buffer))
    return false;
  const auto *Own = dyn_cast<AllocaInst>(Buffer);
  const DataLayout *DL = Own ? &Own->getDataLayout() : nullptr;
  const std::optional<TypeSize> Known = Own ? Own->getAllocationSize(*DL) : std::nullopt;
  return !Known || Size <= Known->getFixedValue();
}

// Is the buffer written by the stores into it alone?
bool isOwn(const Value *Pointer) {
  return all_of(Pointer->users(), [&](const User *U) {
    const auto *Store = dyn_cast<StoreInst>(U);
    const auto *Callee = dyn_cast<CallBase>(U);
    const auto *Part = dyn_cast<GetElementPtrInst>(U);
    return isa<LoadInst, LifetimeIntrinsic>(U) || (Store && Store->getValueOperand() != Pointer) ||
           (Callee && isPrintf(*Callee)) || (Part && Part->hasAllConstantIndices() && isOwn(Part));
  });
}

// What was stored at the offset, by an instruction of the call's block; null: it is not to be found.
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

// The argument itself, because its bounds are those of what it was made from; else it is loaded.
Value *argument(CallBase &Call, uint64_t Offset, Type *ArgumentType) {
  if (Value *Argument = stored(Call, Offset, ArgumentType))
    return Argument;
  IRBuilder<> B(&Call);
  return B.CreateLoad(ArgumentType, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Call.getArgOperand(1), Offset));
}

Value *mostOf(CallBase &Call, const Conversion &C) {
  IRBuilder<> B(&Call);
  Value *All = B.getInt64(-1);
  if (C.Precision)
    return B.getInt64(*C.Precision);
  if (!C.PrecisionAt)
    return All;
  Value *Number = argument(Call, *C.PrecisionAt, B.getInt32Ty());
  return B.CreateSelect(B.CreateICmpSLT(Number, B.getInt32(0)), All, B.CreateZExt(Number, B.getInt64Ty()));
}

} // namespace

bool isPrintf(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && Callee->getName() == "vprintf" && Call.arg_size() == 2 && Callee->isDeclaration();
}

SmallVector<PrintfString, 2> findPrintfStrings(CallBase &Call) {
  SmallVector<PrintfString, 2> Found;
  Value *Format = Call.getArgOperand(0);
  StringRef Text;
  if (!isTerminated(Format))
    Found.push_back({Format, ConstantInt::getAllOnesValue(Type::getInt64Ty(Call.getContext()))});
  else if (getConstantStringInfo(Format, Text))
    for (FormatReader Reader(Text); std::optional<Conversion> C = Reader.next();) {
      if (!holds(Call.getArgOperand(1), C->Pointer + 8))
        break;
      Value *Pointer = argument(Call, C->Pointer, PointerType::getUnqual(Call.getContext()));
      if (!isTerminated(Pointer))
        Found.push_back({Pointer, mostOf(Call, *C)});
    }
  return Found;
}

} // namespace gasan
