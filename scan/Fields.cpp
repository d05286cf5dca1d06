/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "scan/Fields.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"

using namespace llvm;

namespace gasan::scan {

static constexpr size_t kMostSteps = 64;

static bool beginsWithZero(const GEPOperator &Step) {
  const auto *First = dyn_cast<ConstantInt>(Step.getOperand(1));
  return Step.getNumIndices() == 2 && First && First->isZero();
}

static bool isSubscript(const GEPOperator &Step) {
  return isa<ArrayType>(Step.getSourceElementType()) && beginsWithZero(Step);
}

static bool isMember(const GEPOperator &Step) {
  return isa<StructType>(Step.getSourceElementType()) && beginsWithZero(Step);
}

// A flexible array, or an older idiom for it, has more elements than its type says.
static bool mayBeFlexible(const StructType &Record, unsigned Number) {
  if (Record.getElementType(Number)->getArrayNumElements() > 1)
    return false;
  for (unsigned Later = Number + 1; Later < Record.getNumElements(); ++Later) { // may be padding
    const auto *Padding = dyn_cast<ArrayType>(Record.getElementType(Later));
    if (!Padding || !Padding->getElementType()->isIntegerTy(8))
      return false;
  }
  return true;
}

// Finds the field of a type that begins at an offset. A constant address has no steps to the field, only an offset.
static bool findAt(Type *Whole, uint64_t Offset, const Type *Wanted, const DataLayout &Layout, Field &Result) {
  for (;;) {
    if (auto *Array = dyn_cast<ArrayType>(Whole)) {
      const uint64_t Element = Layout.getTypeAllocSize(Array->getElementType());
      if (Element == 0 || Offset >= Element * Array->getNumElements())
        return false;
      Whole = Array->getElementType();
      Offset %= Element;
      continue;
    }
    auto *Record = dyn_cast<StructType>(Whole);
    if (!Record || Offset >= Layout.getTypeAllocSize(Record))
      return false;
    const StructLayout *Places = Layout.getStructLayout(Record);
    Result.Record = Record;
    Result.Number = Places->getElementContainingOffset(Offset);
    Offset -= Places->getElementOffset(Result.Number);
    Whole = Record->getElementType(Result.Number);
    if (Whole == Wanted && Offset == 0)
      return true;
  }
}

Fields::Fields(const Module &Code) : Layout(Code.getDataLayout()) {
  DebugInfoFinder Finder;
  Finder.processModule(Code);
  for (const DIType *Type : Finder.types())
    if (const auto *Record = dyn_cast<DICompositeType>(Type))
      Records[Record->getName().split('<').first].push_back(Record);
}

// Returns false if the array is no field, or one of a union, whose type is not that of the access.
bool Fields::findMember(const GEPOperator &Subscript, Field &Result) const {
  const llvm::Value *Begin = Subscript.getPointerOperand();
  const Type *Wanted = Subscript.getSourceElementType();
  if (const auto *Member = dyn_cast<GEPOperator>(Begin); Member && isMember(*Member)) {
    Result.Record = cast<StructType>(Member->getSourceElementType());
    Result.Number = cast<ConstantInt>(Member->getOperand(2))->getZExtValue();
    if (Result.Record->getElementType(Result.Number) != Wanted)
      return false;
  } else if (isa<Constant>(Begin)) {
    APInt Offset(Layout.getIndexTypeSizeInBits(Begin->getType()), 0);
    const auto *Variable =
        dyn_cast<GlobalVariable>(Begin->stripAndAccumulateConstantOffsets(Layout, Offset, /*AllowNonInbounds=*/true));
    if (!Variable || Offset.isNegative() ||
        !findAt(Variable->getValueType(), Offset.getZExtValue(), Wanted, Layout, Result))
      return false;
  } else {
    return false;
  }
  return !mayBeFlexible(*Result.Record, Result.Number) &&
         !(Result.Record->hasName() && Result.Record->getName().starts_with("union."));
}

std::vector<Field> Fields::of(const llvm::Value &Address) const {
  std::vector<Field> Result;
  std::vector<const GEPOperator *> Steps;
  for (const auto *Step = dyn_cast<GEPOperator>(&Address); Step && Steps.size() < kMostSteps;
       Step = dyn_cast<GEPOperator>(Step->getPointerOperand())) {
    if (!isSubscript(*Step) && !isMember(*Step)) // an element of a pointer
      break;
    Steps.push_back(Step);
    Field Found = {nullptr, 0, Steps};
    if (isSubscript(*Step) && findMember(*Step, Found))
      Result.push_back(std::move(Found));
  }
  return Result;
}

uint64_t Fields::size(const Field &Of) const {
  return Layout.getTypeAllocSize(Of.Record->getElementType(Of.Number));
}

// LLVM's types and debug info share only name, offsets and sizes.
std::string Fields::name(const Field &Of) const {
  StringRef Full = Of.Record->hasName() ? Of.Record->getName().split('.').second : "";
  if (auto [Rest, Number] = Full.rsplit('.'); !Number.empty() && all_of(Number, isDigit)) // of several of one name
    Full = Rest;
  StringRef Short = Full;
  if (const size_t Scope = Full.rfind(':'); Scope != StringRef::npos)
    Short = Full.substr(Scope + 1);
  const uint64_t Offset = Layout.getStructLayout(const_cast<StructType *>(Of.Record))->getElementOffset(Of.Number);
  if (auto Found = Records.find(Short == "anon" ? "" : Short); Found != Records.end())
    for (const DICompositeType *Record : Found->second)
      for (const DINode *Element : Record->getElements())
        if (const auto *Member = dyn_cast_or_null<DIDerivedType>(Element); Member && !Member->isStaticMember() &&
                                                                           Member->getOffsetInBits() == Offset * 8 &&
                                                                           Member->getSizeInBits() == size(Of) * 8)
          return (Record->getName().empty() ? "" : Record->getName().str() + "::") + Member->getName().str();
  return (Full.empty() ? "a structure" : Full.str()) + "::<unknown field>";
}

} // namespace gasan::scan
