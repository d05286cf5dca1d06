// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/FieldChecks.h"
#include "gasan_pass/instrument/bst/FieldNames.h"
#include "gasan_pass/instrument/bst/KeptPointers.h"
#include "gasan_pass/instrument/bst/Promises.h"
#include "gasan_pass/instrument/bst/SourceFaults.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr size_t kMostSteps = 64; // for one address

// An array in a struct, and the steps from its start to the accessed address.
struct Field {
  const StructType *Record;
  unsigned Number;
  const Value *Start;
  SmallVector<const GEPOperator *, 4> Steps;
};

bool hasZero(const GEPOperator &Step, unsigned Index) {
  auto *Constant = dyn_cast<ConstantInt>(Step.getOperand(1 + Index));
  return Constant && Constant->isZero();
}

// Returns true for `[N x T], pointer, 0, index`: clang's subscript of an array.
bool isSubscript(const GEPOperator &Step) {
  return isa<ArrayType>(Step.getSourceElementType()) && Step.getNumIndices() == 2 && hasZero(Step, 0);
}

// Returns true for `struct, pointer, 0, number`: clang's access of a member.
bool isMember(const GEPOperator &Step) {
  return isa<StructType>(Step.getSourceElementType()) && Step.getNumIndices() == 2 && hasZero(Step, 0);
}

// Returns true for the last member of a struct. Ignores the padding after it.
bool isLastMember(const StructType &Record, unsigned Number) {
  for (unsigned Later = Number + 1; Later < Record.getNumElements(); ++Later) {
    auto *Padding = dyn_cast<ArrayType>(Record.getElementType(Later));
    if (!Padding || !Padding->getElementType()->isIntegerTy(8))
      return false;
  }
  return true;
}

// Returns true for a flexible array member, and for the older idioms for it: such an array has more elements than its
// type says.
bool mayBeFlexible(const StructType &Record, unsigned Number) {
  return Record.getElementType(Number)->getArrayNumElements() <= 1 && isLastMember(Record, Number);
}

// Returns the array of type `Wanted` that begins at this offset in `Whole`. Needed for a constant address, which has no
// GEP step to the first member, only an offset.
std::optional<Field> memberAt(Type *Whole, uint64_t Offset, const Type *Wanted, const DataLayout &DL) {
  for (;;) {
    if (auto *Array = dyn_cast<ArrayType>(Whole)) {
      uint64_t Element = DL.getTypeAllocSize(Array->getElementType());
      if (Element == 0 || Offset >= Element * Array->getNumElements())
        return std::nullopt;
      Whole = Array->getElementType();
      Offset %= Element;
      continue;
    }
    auto *Record = dyn_cast<StructType>(Whole);
    if (!Record || Offset >= DL.getTypeAllocSize(Record))
      return std::nullopt;
    const StructLayout *Layout = DL.getStructLayout(Record);
    unsigned Number = Layout->getElementContainingOffset(Offset);
    Offset -= Layout->getElementOffset(Number);
    Whole = Record->getElementType(Number);
    if (Whole == Wanted && Offset == 0)
      return Field{Record, Number, nullptr, {}};
  }
}

// Returns the member whose array this subscript indexes. Empty: the array is not a member, or is a member of a union,
// whose type differs from the accessed type. The array may have been bound to a reference.
std::optional<Field> memberOf(const GEPOperator &Subscript, const DataLayout &DL, KeptPointers &Kept) {
  const Value *Start = Subscript.getPointerOperand();
  if (const Value *Bound = Kept.valueOf(*Start))
    Start = Bound;
  Type *Wanted = Subscript.getSourceElementType();
  std::optional<Field> Found;
  if (auto *Member = dyn_cast<GEPOperator>(Start); Member && isMember(*Member)) {
    auto *Record = cast<StructType>(Member->getSourceElementType());
    unsigned Number = cast<ConstantInt>(Member->getOperand(2))->getZExtValue();
    if (Record->getElementType(Number) == Wanted)
      Found = Field{Record, Number, nullptr, {}};
  } else if (isa<Constant>(Start)) {
    APInt Offset(DL.getIndexTypeSizeInBits(Start->getType()), 0);
    auto *Variable =
        dyn_cast<GlobalVariable>(Start->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true));
    if (Variable && !Offset.isNegative())
      Found = memberAt(Variable->getValueType(), Offset.getZExtValue(), Wanted, DL);
  }
  if (!Found || mayBeFlexible(*Found->Record, Found->Number) ||
      (Found->Record->hasName() && Found->Record->getName().starts_with("union.")))
    return std::nullopt;
  Found->Start = Start;
  return Found;
}

// Returns true for `type, pointer, index`: clang's subscript of a pointer.
bool isElement(const GEPOperator &Step) {
  return Step.getNumIndices() == 1;
}

// Returns the value of the local pointer variable from which the pointer was loaded, or null. The program must access
// memory through the pointer, or count elements from it. A pointer to elements that is used for more than element
// accesses may leave the array on purpose.
const Value *keptIn(const Value &Loaded, const GEPOperator *Step, KeptPointers &Kept) {
  const Value *Bound = Kept.valueOf(Loaded);
  const auto *Array = dyn_cast_or_null<GEPOperator>(Bound);
  if (!Bound || (Step && !isElement(*Step)))
    return Bound;
  return Array && isSubscript(*Array) && KeptPointers::isOnlyIndexed(Loaded, Array->getResultElementType()) &&
                 (!Step || Step->getSourceElementType() == Array->getResultElementType())
             ? Bound
             : nullptr;
}

// Returns the arrays through which the pointer was computed, innermost first: for `a.b[i].c[j]`, c and then b.
SmallVector<Field, 2> fieldsOf(const Value *Pointer, const DataLayout &DL, KeptPointers &Kept) {
  SmallVector<Field, 2> Fields;
  SmallVector<const GEPOperator *, 4> Steps;
  const GEPOperator *Last = nullptr;
  for (const Value *At = Pointer; At && Steps.size() < kMostSteps;) {
    const auto *Step = dyn_cast<GEPOperator>(At);
    if (!Step || (isElement(*Step) && !isa<LoadInst>(Step->getPointerOperand()))) {
      At = Step ? nullptr : keptIn(*At, Last, Kept);
      Last = nullptr;
      if (At && !isa<GEPOperator>(At))
        break;
      continue;
    }
    if (!isSubscript(*Step) && !isMember(*Step) && !isElement(*Step))
      break;
    Steps.push_back(Step);
    if (isSubscript(*Step))
      if (std::optional<Field> Found = memberOf(*Step, DL, Kept)) {
        Found->Steps = Steps;
        Fields.push_back(*Found);
      }
    Last = Step;
    At = Step->getPointerOperand();
  }
  return Fields;
}

// Returns true for a copy of one element, which clang emits for struct elements. Longer copies may be intended.
bool isElementCopy(const MemTransferInst &Copy, Value *Pointer, const DataLayout &DL) {
  auto *Element = dyn_cast<GEPOperator>(Pointer);
  auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  return Element && Length && (isSubscript(*Element) || isElement(*Element)) &&
         Element->getResultElementType()->isStructTy() &&
         DL.getTypeAllocSize(Element->getResultElementType()) == Length->getZExtValue();
}

class Checker {
public:
  explicit Checker(Module &M) : DL(M.getDataLayout()), Names(M) {}

  void run(Function &F) {
    SmallVector<SourceAccess, 16> Found;
    for (Instruction &I : instructions(F)) {
      if (I.hasMetadata(LLVMContext::MD_nosanitize))
        continue;
      if (auto *Copy = dyn_cast<MemTransferInst>(&I))
        findCopied(*Copy, Found);
      else if (std::optional<SourceAccess> Access = sourceAccess(I);
               Access && isa<GEPOperator, LoadInst>(Access->Pointer))
        Found.push_back(*Access);
    }
    KeptPointers Kept(F);
    SmallVector<std::pair<SourceAccess, Field>, 16> Parts; // collected first, because blocks are split
    for (const SourceAccess &Access : Found)
      for (const Field &Part : fieldsOf(Access.Pointer, DL, Kept))
        Parts.push_back({Access, Part});
    for (const auto &[Access, Part] : Parts)
      check(Access, Part);
  }

  bool hasChecks() const { return HasChecks; }

private:
  const DataLayout &DL;
  FieldNames Names;
  bool HasChecks = false;

  void findCopied(MemTransferInst &Copy, SmallVectorImpl<SourceAccess> &Found) {
    auto Add = [&](Value *Pointer, gasan_access Kind) {
      if (isElementCopy(Copy, Pointer, DL))
        Found.push_back({&Copy, Pointer, cast<ConstantInt>(Copy.getLength())->getZExtValue(), Kind});
    };
    Add(Copy.getRawSource(), GASAN_ACCESS_READ);
    Add(Copy.getRawDest(), GASAN_ACCESS_WRITE);
  }

  Value *offsetIn(IRBuilder<> &B, const Field &Part) {
    Value *Offset = B.getInt64(0);
    for (const GEPOperator *Step : Part.Steps) {
      APInt Constant(64, 0);
      Value *Distance = Step->accumulateConstantOffset(DL, Constant)
                            ? B.getInt64(Constant.getSExtValue())
                            : emitGEPOffset(&B, DL, const_cast<GEPOperator *>(Step), /*NoAssumptions=*/true);
      Offset = B.CreateAdd(Offset, B.CreateSExtOrTrunc(Distance, B.getInt64Ty()));
    }
    return Offset;
  }

  void check(const SourceAccess &Access, const Field &Part) {
    uint64_t Size = DL.getTypeAllocSize(Part.Record->getElementType(Part.Number));
    if (Access.Size == 0 || Access.Size > Size)
      return;
    IRBuilder<> B(Access.Where);
    Value *Outside = B.CreateICmpUGT(offsetIn(B, Part), B.getInt64(Size - Access.Size));
    if (auto *Known = dyn_cast<ConstantInt>(Outside); Known && Known->isZero())
      return;
    insertSourceFault(Access, Outside, const_cast<Value *>(Part.Start), Size,
                      Names.describe(*Part.Record, Part.Number));
    HasChecks = true;
  }
};

} // namespace

PreservedAnalyses FieldChecksPass::run(Module &M, ModuleAnalysisManager &) {
  if (!M.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  Checker Fields(M);
  for (Function &F : M) // -fgpu-rdc's linked module has its checks already, and kSanitizeAttr instead of this
    if (F.hasFnAttribute(Attribute::SanitizeAddress))
      Fields.run(F);
  if (Fields.hasChecks())
    dropAssumedConditions(M);
  return PreservedAnalyses::none();
}

} // namespace gasan
