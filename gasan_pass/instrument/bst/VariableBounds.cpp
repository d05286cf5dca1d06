// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/VariableBounds.h"
#include "gasan_pass/instrument/bst/Partitions.h"
#include "gasan_pass/instrument/bst/ScopeChecks.h"
#include "gasan_pass/instrument/bst/VariableNames.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gasan {
namespace {

// Returns true if the module does not determine the size: for `extern T x[]` without a definition, and for a weak
// declaration. A weak definition does determine it: a module is all of a source's device code, or, with -fgpu-rdc, all
// of a link's.
bool hasUnknownSize(const GlobalVariable &Variable, uint64_t Size) {
  return Variable.isDeclaration() && (Size == 0 || Variable.hasExternalWeakLinkage());
}

bool isDynamicShared(const GlobalVariable &Variable, uint64_t Size) {
  return Variable.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED && Variable.isDeclaration() && Size == 0;
}

// Returns the managed variable whose pointer this load reads (Managed.h), or null.
const GlobalVariable *managedVariable(const LoadInst &Load) {
  const auto *Pointer = dyn_cast<GlobalVariable>(Load.getPointerOperand()->stripPointerCasts());
  StringRef Name = Pointer ? Pointer->getName() : "";
  return Name.consume_back(GASAN_MANAGED_SUFFIX) ? Pointer->getParent()->getNamedGlobal(Name) : nullptr;
}

} // namespace

VariableBounds::VariableBounds(Module &M, SiteTable &Sites) : M(M), Sites(Sites) {}

void VariableBounds::enter(Function &F) {
  Current = &F;
  LocalScopes.enter(F);
}

void VariableBounds::leave(Function &F) {
  LocalScopes.leave(F);
  partitions::leave(F);
}

Instruction *VariableBounds::entryPoint() {
  return &*Current->getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
}

Constant *VariableBounds::object(const Value &Variable, uint64_t Size) {
  SourceObject Object = describeVariable(Variable);
  Object.Size = Size;
  return ConstantInt::get(Type::getInt32Ty(M.getContext()), Sites.addObject(Object));
}

Bounds VariableBounds::ofAlloca(AllocaInst &Alloca) {
  const DataLayout &DL = M.getDataLayout();
  IRBuilder<> B(Alloca.isStaticAlloca() ? entryPoint() : Alloca.getNextNode());
  uint64_t Element = DL.getTypeAllocSize(Alloca.getAllocatedType());
  Value *Base = B.CreatePtrToInt(&Alloca, B.getInt64Ty());
  if (std::optional<TypeSize> Size = Alloca.getAllocationSize(DL))
    return {Base, B.getInt64(*Size), object(Alloca, *Size)};
  Value *Count = B.CreateZExtOrTrunc(Alloca.getArraySize(), B.getInt64Ty());
  return {Base, B.CreateMul(Count, B.getInt64(Element)), object(Alloca, 0)};
}

Bounds VariableBounds::ofOutOfScope(AllocaInst &Variable) {
  IRBuilder<> B(entryPoint());
  const uint64_t Size = *Variable.getAllocationSize(M.getDataLayout());
  return {B.CreatePtrToInt(&Variable, B.getInt64Ty()), B.getInt64(0), object(Variable, Size)};
}

Bounds VariableBounds::ofParameter(Argument &Parameter) {
  IRBuilder<> B(entryPoint());
  uint64_t Size = M.getDataLayout().getTypeAllocSize(Parameter.getParamByValType());
  return {B.CreatePtrToInt(&Parameter, B.getInt64Ty()), B.getInt64(Size), object(Parameter, Size)};
}

// Returns the bytes of dynamic shared memory at the launch, an i64. A check can then compare 32 bits.
static Value *dynamicSharedSize(IRBuilderBase &B) {
  constexpr uint64_t kGreatest = 1 << 28; // no GPU has as much shared memory
  CallInst *Size = B.CreateIntrinsic(B.getInt32Ty(), Intrinsic::nvvm_read_ptx_sreg_dynamic_smem_size, {});
  Size->addRangeRetAttr(ConstantRange(APInt(32, 0), APInt(32, kGreatest)));
  return B.CreateZExt(Size, B.getInt64Ty());
}

Bounds VariableBounds::ofGlobal(GlobalVariable &Variable) {
  IRBuilder<> B(entryPoint());
  Type *ValueType = Variable.getValueType();
  uint64_t Size = ValueType->isSized() ? M.getDataLayout().getTypeAllocSize(ValueType).getFixedValue() : 0;
  if (isDynamicShared(Variable, Size))
    return {B.CreatePtrToInt(&Variable, B.getInt64Ty()), dynamicSharedSize(B), object(Variable, 0)};
  if (hasUnknownSize(Variable, Size))
    return {B.getInt64(0), B.getInt64(~uint64_t(0)), B.getInt32(GASAN_OBJECT_MEMORY)};
  return {B.CreatePtrToInt(&Variable, B.getInt64Ty()), B.getInt64(Size), object(Variable, Size)};
}

Bounds VariableBounds::ofManaged(LoadInst &Pointer, const GlobalVariable &Variable) {
  IRBuilder<> B(Pointer.getNextNode());
  uint64_t Size = M.getDataLayout().getTypeAllocSize(Variable.getValueType());
  return {B.CreatePtrToInt(&Pointer, B.getInt64Ty()), B.getInt64(Size), object(Variable, Size)};
}

std::optional<Bounds> VariableBounds::of(Value *Root) {
  if (auto *Alloca = dyn_cast<AllocaInst>(Root))
    return ofAlloca(*Alloca);
  if (auto *Variable = dyn_cast<GlobalVariable>(Root))
    return ofGlobal(*Variable);
  if (auto *Parameter = dyn_cast<Argument>(Root); Parameter && Parameter->hasByValAttr())
    return ofParameter(*Parameter);
  if (partitions::isStart(*Root))
    return ofPartition(*cast<CallInst>(Root));
  if (AllocaInst *Variable = variableOutOfScope(*Root))
    return ofOutOfScope(*Variable);
  if (auto *Load = dyn_cast<LoadInst>(Root))
    if (const GlobalVariable *Variable = managedVariable(*Load); Variable && Variable->getValueType()->isSized())
      return ofManaged(*Load, *Variable);
  return std::nullopt;
}

// Returns the bounds of a buffer, which ends where the next buffer begins. A next buffer that begins at the same
// address, before it, or outside the region does not end it.
std::optional<Bounds> VariableBounds::ofPartition(CallInst &Start) {
  GlobalVariable *Region = partitions::regionOf(Start);
  if (!Region || !isDynamicShared(*Region, M.getDataLayout().getTypeAllocSize(Region->getValueType())))
    return std::nullopt;
  IRBuilder<> B(Start.getNextNode());
  Value *Base = B.CreatePtrToInt(&Start, B.getInt64Ty());
  Value *Whole = B.CreatePtrToInt(Region, B.getInt64Ty());
  Value *Rest = B.CreateBinaryIntrinsic(Intrinsic::usub_sat, dynamicSharedSize(B), B.CreateSub(Base, Whole));
  Value *Distance = B.CreateSub(B.CreatePtrToInt(partitions::endOf(Start), B.getInt64Ty()), Base);
  Value *Size =
      B.CreateSelect(B.CreateIsNull(Distance), Rest, B.CreateBinaryIntrinsic(Intrinsic::umin, Distance, Rest));
  return Bounds{Base, Size, object(Start, 0)};
}

Value *VariableBounds::sizeAt(Value *Root, const Bounds &B, Instruction &At) {
  auto *Variable = dyn_cast<AllocaInst>(Root);
  Value *Alive = Variable ? LocalScopes.aliveAt(*Variable, At) : nullptr;
  if (!Alive)
    return B.Size;
  IRBuilder<> Builder(&At);
  return Builder.CreateSelect(Alive, B.Size, Builder.getInt64(0));
}

} // namespace gasan
