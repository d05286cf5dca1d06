// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/Access.h"
#include "gasan_pass/instrument/PrintfStrings.h"
#include "gasan_pass/ptx/PtxAccess.h"
#include "gasan_pass/ptx/PtxTile.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gasan {
namespace {

bool isGlobalOrGeneric(const Type *PointerType) {
  unsigned Space = PointerType->getPointerAddressSpace();
  return Space == NVPTXAS::ADDRESS_SPACE_GLOBAL || Space == NVPTXAS::ADDRESS_SPACE_GENERIC;
}

// Returns true for address spaces with bounds: not kernels' parameters, another block's shared memory, or tensor
// memory.
bool hasBounds(const Type *PointerType) {
  unsigned Space = PointerType->getPointerAddressSpace();
  return isGlobalOrGeneric(PointerType->getScalarType()) || Space == NVPTXAS::ADDRESS_SPACE_SHARED ||
         Space == NVPTXAS::ADDRESS_SPACE_CONST || Space == NVPTXAS::ADDRESS_SPACE_LOCAL;
}

bool objectMayBeGlobal(const Value *Object) {
  if (!Object->getType()->isPointerTy() || !isGlobalOrGeneric(Object->getType()))
    return false;
  if (isa<AllocaInst, ConstantPointerNull, UndefValue, Function>(Object))
    return false;
  if (const auto *Parameter = dyn_cast<Argument>(Object))
    return !Parameter->hasByValAttr();
  return true;
}

// Returns true for copies whose addresses come from a tensor map, which is opaque.
bool isTensorCopy(StringRef Intrinsic) {
  return Intrinsic.starts_with("llvm.nvvm.cp.async.bulk.tensor.") && !Intrinsic.contains(".prefetch.");
}

// A number that is Size if Condition holds (null: always), and else 0.
struct AllOrNothing {
  Value *Condition;
  uint64_t Size; // 0: the number is something else
};

// Copies to shared memory read no byte outside of a matrix: their size is 16 or 0, which a condition decides.
AllOrNothing allOrNothing(IRBuilderBase &B, Value *Number) {
  using namespace PatternMatch;
  constexpr AllOrNothing kOther = {nullptr, 0};
  Value *Condition = nullptr, *Of = nullptr;
  const APInt *Constant = nullptr;
  if (match(Number, m_APInt(Constant)))
    return {nullptr, Constant->getLimitedValue()};
  if (match(Number, m_Select(m_Value(Condition), m_Value(Of), m_Zero())) ||
      match(Number, m_Select(m_Value(Condition), m_Zero(), m_Value(Of)))) {
    const AllOrNothing Inner = allOrNothing(B, Of);
    if (!Inner.Size)
      return kOther;
    if (cast<SelectInst>(Number)->getFalseValue() == Of)
      Condition = B.CreateNot(Condition);
    return {Inner.Condition ? B.CreateLogicalAnd(Condition, Inner.Condition) : Condition, Inner.Size};
  }
  if (match(Number, m_CombineOr(m_ZExt(m_Value(Of)), m_Trunc(m_Value(Of))))) {
    if (Of->getType()->isIntegerTy(1))
      return {Of, 1};
    const AllOrNothing Inner = allOrNothing(B, Of);
    return isUIntN(Number->getType()->getIntegerBitWidth(), Inner.Size) ? Inner : kOther;
  }
  if (match(Number, m_Shl(m_Value(Of), m_APInt(Constant))) && Constant->ult(Number->getType()->getIntegerBitWidth())) {
    const AllOrNothing Inner = allOrNothing(B, Of);
    const bool Fits = isUIntN(Number->getType()->getIntegerBitWidth() - Constant->getZExtValue(), Inner.Size);
    return Fits ? AllOrNothing{Inner.Condition, Inner.Size << Constant->getZExtValue()} : kOther;
  }
  if (match(Number, m_And(m_Value(Of), m_Power2(Constant)))) // one of the conditions that are bits of a number
    return {B.CreateIsNotNull(Number), Constant->getLimitedValue()};
  if (match(Number, m_c_UMin(m_Value(Of), m_APInt(Constant)))) {
    const AllOrNothing Inner = allOrNothing(B, Of);
    return {Inner.Condition, std::min(Inner.Size, Constant->getLimitedValue())};
  }
  return kOther;
}

class Finder {
public:
  Finder(Function &F, AccessSpaces Spaces) : F(F), DL(F.getDataLayout()), Spaces(Spaces) {}

  FoundAccesses run() {
    for (Instruction &I : instructions(F))
      if (mayAccessMemory(I) && !I.hasMetadata(LLVMContext::MD_nosanitize))
        visit(I);
    return std::move(Found);
  }

private:
  Function &F;
  const DataLayout &DL;
  AccessSpaces Spaces;
  FoundAccesses Found;

  void visit(Instruction &I) {
    if (auto *Load = dyn_cast<LoadInst>(&I))
      add(I, Load->getPointerOperand(), sizeOf(Load->getType()), Load->getAlign(), GASAN_ACCESS_READ);
    else if (auto *Store = dyn_cast<StoreInst>(&I))
      add(I, Store->getPointerOperand(), sizeOf(Store->getValueOperand()->getType()), Store->getAlign(),
          GASAN_ACCESS_WRITE);
    else if (auto *RMW = dyn_cast<AtomicRMWInst>(&I))
      add(I, RMW->getPointerOperand(), sizeOf(RMW->getType()), RMW->getAlign(), GASAN_ACCESS_ATOMIC);
    else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
      add(I, Exchange->getPointerOperand(), sizeOf(Exchange->getCompareOperand()->getType()), Exchange->getAlign(),
          GASAN_ACCESS_ATOMIC);
    else if (auto *Memory = dyn_cast<AnyMemIntrinsic>(&I))
      visitMemoryIntrinsic(*Memory);
    else if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I))
      visitIntrinsic(*Intrinsic);
    else if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->isInlineAsm())
      visitInlineAsm(*Call);
    else if (auto *Call = dyn_cast<CallBase>(&I))
      visitCall(*Call);
  }

  // The source comes first: it is read before the destination is written.
  void visitMemoryIntrinsic(AnyMemIntrinsic &I) {
    if (auto *Transfer = dyn_cast<AnyMemTransferInst>(&I))
      addRange(I, Transfer->getRawSource(), I.getLength(), Transfer->getSourceAlign().valueOrOne(), GASAN_ACCESS_READ);
    addRange(I, I.getRawDest(), I.getLength(), I.getDestAlign().valueOrOne(), GASAN_ACCESS_WRITE);
  }

  void visitIntrinsic(IntrinsicInst &I) {
    switch (I.getIntrinsicID()) {
    case Intrinsic::masked_load:
    case Intrinsic::masked_gather:
      return addLanes(I, I.getArgOperand(0), I.getArgOperand(1), I.getType(), GASAN_ACCESS_READ);
    case Intrinsic::masked_store:
    case Intrinsic::masked_scatter:
      return addLanes(I, I.getArgOperand(1), I.getArgOperand(2), I.getArgOperand(0)->getType(), GASAN_ACCESS_WRITE);
    case Intrinsic::nvvm_ldu_global_i:
    case Intrinsic::nvvm_ldu_global_f:
    case Intrinsic::nvvm_ldu_global_p:
      return add(I, I.getArgOperand(0), sizeOf(I.getType()),
                 Align(cast<ConstantInt>(I.getArgOperand(1))->getZExtValue()), GASAN_ACCESS_READ);
    case Intrinsic::nvvm_cp_async_ca_shared_global_4:
      return addCopyToShared(I, 4);
    case Intrinsic::nvvm_cp_async_ca_shared_global_8:
      return addCopyToShared(I, 8);
    case Intrinsic::nvvm_cp_async_ca_shared_global_16:
    case Intrinsic::nvvm_cp_async_cg_shared_global_16:
      return addCopyToShared(I, 16);
    case Intrinsic::nvvm_cp_async_ca_shared_global_4_s:
      return addCopyToShared(I, 4, I.getArgOperand(2));
    case Intrinsic::nvvm_cp_async_ca_shared_global_8_s:
      return addCopyToShared(I, 8, I.getArgOperand(2));
    case Intrinsic::nvvm_cp_async_ca_shared_global_16_s:
    case Intrinsic::nvvm_cp_async_cg_shared_global_16_s:
      return addCopyToShared(I, 16, I.getArgOperand(2));
    case Intrinsic::nvvm_cp_async_bulk_global_to_shared_cluster:
    case Intrinsic::nvvm_cp_async_bulk_global_to_shared_cta:
      return addRange(I, I.getArgOperand(2), I.getArgOperand(3), Align(16), GASAN_ACCESS_READ);
    case Intrinsic::nvvm_cp_async_bulk_shared_cta_to_global:
      return addRange(I, I.getArgOperand(0), I.getArgOperand(2), Align(16), GASAN_ACCESS_WRITE);
    default:
      break;
    }
    StringRef Name = I.getCalledFunction()->getName();
    if (Name.starts_with("llvm.nvvm.atomic."))
      add(I, I.getArgOperand(0), sizeOf(I.getType()), Align(sizeOf(I.getType())), GASAN_ACCESS_ATOMIC);
    else if (Name.starts_with("llvm.nvvm.wmma."))
      visitTile(I, Name);
    else if (isTensorCopy(Name) || I.getIntrinsicID() == Intrinsic::nvvm_cp_async_bulk_shared_cta_to_global_bytemask)
      ++Found.Uncheckable;
  }

  // `Read`: number of bytes that are read; the others are set to zero.
  void addCopyToShared(IntrinsicInst &I, uint64_t Size, Value *Read = nullptr) {
    if (Read)
      addRange(I, I.getArgOperand(1), Read, Align(4), GASAN_ACCESS_READ);
    else
      add(I, I.getArgOperand(1), Size, Align(Size), GASAN_ACCESS_READ);
    add(I, I.getArgOperand(0), Size, Align(Size), GASAN_ACCESS_WRITE);
  }

  void visitTile(IntrinsicInst &I, StringRef Name) {
    SmallVector<StringRef, 10> Words;
    Name.split(Words, '.');
    if (!is_contained(Words, "load") && !is_contained(Words, "store"))
      return; // mma has registers only
    if (!isWanted(I.getArgOperand(0)))
      return;
    std::optional<PtxTile> Tile = parsePtxTile(Words);
    if (!Tile) {
      ++Found.Uncheckable;
      return;
    }
    IRBuilder<> B(&I);
    Value *Stride = is_contained(Words, "stride") ? I.getArgOperand(I.arg_size() - 1) : nullptr;
    PtxTileRow Row = rowOfThisLane(B, *Tile, I.getArgOperand(0), Stride);
    addRange(I, Row.Pointer, Row.Size, Align(1), Tile->IsStore ? GASAN_ACCESS_WRITE : GASAN_ACCESS_READ, Row.Guard);
  }

  // A byval argument is copied at the call.
  void visitCall(CallBase &Call) {
    for (unsigned Index = 0; Index < Call.arg_size(); ++Index)
      if (Call.isByValArgument(Index))
        add(Call, Call.getArgOperand(Index), DL.getTypeAllocSize(Call.getParamByValType(Index)),
            Call.getParamAlign(Index).valueOrOne(), GASAN_ACCESS_READ);
    if (isPrintf(Call))
      for (const PrintfString &String : findPrintfStrings(Call))
        addString(Call, String);
  }

  void addString(CallBase &Call, const PrintfString &String) {
    if (!isWanted(String.Pointer))
      return;
    Access A;
    A.Where = &Call;
    A.Pointer = String.Pointer;
    A.Most = String.Most;
    A.Arguments = String.Arguments;
    A.Room = String.Room;
    A.Kind = GASAN_ACCESS_READ;
    Found.Checkable.push_back(A);
  }

  void visitInlineAsm(CallInst &Asm) {
    PtxAccesses Accesses = findPtxAccesses(Asm, /*WithShared=*/Spaces == AccessSpaces::All);
    Found.Uncheckable += Accesses.Unknown;
    for (const PtxAccess &A : Accesses.Known)
      addRange(Asm, A.Address, A.Size, A.Alignment, A.Kind, A.Guard);
  }

  bool isWanted(const Value *Pointer) const {
    return Spaces == AccessSpaces::All ? hasBounds(Pointer->getType()) : mayTouchGlobal(Pointer);
  }

  uint64_t sizeOf(Type *AccessType) const { return DL.getTypeStoreSize(AccessType); }

  void add(Instruction &I, Value *Pointer, uint64_t Size, Align Alignment, gasan_access Kind, Value *Guard = nullptr) {
    if (Size == 0 || !isWanted(Pointer) || (Spaces == AccessSpaces::Global && isInsideVariable(Pointer, Size)))
      return;
    Access A;
    A.Where = &I;
    A.Pointer = Pointer;
    A.Size = Size;
    A.Alignment = Alignment;
    A.Kind = Kind;
    A.Guard = Guard;
    Found.Checkable.push_back(A);
  }

  void addRange(Instruction &I, Value *Pointer, Value *Length, Align Alignment, gasan_access Kind,
                Value *Guard = nullptr) {
    if (auto *Constant = dyn_cast<ConstantInt>(Length))
      return add(I, Pointer, Constant->getZExtValue(), Alignment, Kind, Guard);
    if (!isWanted(Pointer))
      return;
    IRBuilder<> B(&I);
    if (const AllOrNothing Read = allOrNothing(B, Length); Read.Size) {
      Value *Holds = Guard && Read.Condition ? B.CreateLogicalAnd(Guard, Read.Condition)
                     : Guard                 ? Guard
                                             : Read.Condition;
      return add(I, Pointer, Read.Size, Alignment, Kind, Holds);
    }
    Access A;
    A.Where = &I;
    A.Pointer = Pointer;
    A.RunTimeSize = Length;
    A.Kind = Kind;
    A.Guard = Guard;
    Found.Checkable.push_back(A);
  }

  void addLanes(Instruction &I, Value *Pointer, Value *Mask, Type *DataType, gasan_access Kind) {
    auto *Vector = dyn_cast<FixedVectorType>(DataType);
    if (!Vector || !isWanted(Pointer))
      return;
    auto *ConstantMask = dyn_cast<Constant>(Mask);
    for (unsigned Lane = 0; Lane < Vector->getNumElements(); ++Lane) {
      if (ConstantMask && ConstantMask->getAggregateElement(Lane) &&
          ConstantMask->getAggregateElement(Lane)->isNullValue())
        continue;
      Access A;
      A.Where = &I;
      A.Pointer = Pointer;
      A.Size = sizeOf(Vector->getElementType());
      A.Kind = Kind;
      A.Mask = Mask;
      A.Lane = Lane;
      Found.Checkable.push_back(A);
    }
  }

  bool isInsideVariable(const Value *Pointer, uint64_t Size) const {
    APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
    const Value *Base = Pointer->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
    const auto *Variable = dyn_cast<GlobalVariable>(Base);
    if (!Variable || !Variable->getValueType()->isSized() || Offset.isNegative())
      return false;
    uint64_t VariableSize = DL.getTypeAllocSize(Variable->getValueType());
    return Size <= VariableSize && Offset.ule(VariableSize - Size);
  }
};

} // namespace

bool mayTouchGlobal(const Value *Pointer) {
  if (!isGlobalOrGeneric(Pointer->getType()->getScalarType()))
    return false;
  if (!Pointer->getType()->isPointerTy())
    return true; // a vector of pointers
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects, nullptr, /*MaxLookup=*/0);
  return any_of(Objects, objectMayBeGlobal);
}

bool mayAccessMemory(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  return I.mayReadOrWriteMemory() || (Call && Call->isInlineAsm());
}

FoundAccesses findAccesses(Function &F, AccessSpaces Spaces) {
  return Finder(F, Spaces).run();
}

} // namespace gasan
