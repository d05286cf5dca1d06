// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/lift/Types.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gasan::lift {

Type *registerType(LLVMContext &Context, const PtxType &T) {
  if (T.Kind == 'f')
    return T.Bits == 32 ? Type::getFloatTy(Context) : Type::getDoubleTy(Context);
  return IntegerType::get(Context, T.Bits);
}

Type *valueType(LLVMContext &Context, const PtxType &T) {
  Type *Scalar = T.Kind == 'h' ? Type::getHalfTy(Context) : T.Kind == 'z' ? Type::getBFloatTy(Context) : nullptr;
  if (!Scalar)
    return registerType(Context, T);
  return T.Packed ? FixedVectorType::get(Scalar, 2) : Scalar;
}

Type *memoryType(LLVMContext &Context, const Variable &V) {
  Type *Element = registerType(Context, V.Type);
  const uint64_t Count = V.Elements * V.Vector;
  return V.IsArray || Count != 1 ? ArrayType::get(Element, Count) : Element;
}

bool isAggregate(const Variable &V) {
  return V.IsArray || V.Vector > 1 || V.Type.Bits > 64 || V.InMemory;
}

// A result in memory is an array, whose elements have the alignment. The back end prints it as bytes again.
static Type *resultType(LLVMContext &Context, const Variable &V) {
  if (!isAggregate(V))
    return V.IsPointer ? PointerType::get(Context, 0) : registerType(Context, V.Type);
  const unsigned Bytes = std::min(V.alignment(), 16u);
  if (V.bytes() % Bytes == 0)
    return ArrayType::get(IntegerType::get(Context, 8 * Bytes), V.bytes() / Bytes);
  return ArrayType::get(Type::getInt8Ty(Context), V.bytes());
}

FunctionType *functionType(LLVMContext &Context, const Prototype &P) {
  SmallVector<Type *, 8> Parameters;
  for (const Variable &V : P.Parameters)
    Parameters.push_back(isAggregate(V) || V.IsPointer ? PointerType::get(Context, 0) : registerType(Context, V.Type));
  Type *Result = P.Results.empty() ? Type::getVoidTy(Context) : resultType(Context, P.Results[0]);
  if (P.Results.size() > 1) { // registers
    SmallVector<Type *, 4> Types;
    for (const Variable &V : P.Results)
      Types.push_back(registerType(Context, V.Type));
    Result = StructType::get(Context, Types);
  }
  return FunctionType::get(Result, Parameters, /*isVarArg=*/false);
}

AttributeList parameterAttributes(LLVMContext &Context, const Prototype &P, bool IsKernel) {
  AttributeList List;
  for (unsigned I = 0; I < P.Parameters.size(); ++I) {
    const Variable &V = P.Parameters[I];
    if (!isAggregate(V) || isOpenArray(V))
      continue;
    AttrBuilder B(Context);
    B.addByValAttr(ArrayType::get(Type::getInt8Ty(Context), V.bytes()));
    B.addAlignmentAttr(Align(V.alignment()));
    if (IsKernel) // the parameter is not written, and its address is that in the parameter space
      B.addAttribute("nvvm.grid_constant");
    List = List.addParamAttributes(Context, I, B);
  }
  return List;
}

Value *changeBits(IRBuilderBase &B, Value *V, Type *To) {
  Type *From = V->getType();
  if (From == To)
    return V;
  if (From->isPointerTy())
    return changeBits(B, B.CreatePtrToInt(V, B.getInt64Ty()), To);
  if (!From->isIntegerTy())
    V = B.CreateBitCast(V, B.getIntNTy(From->getPrimitiveSizeInBits()));
  if (To->isPointerTy())
    return B.CreateIntToPtr(B.CreateZExtOrTrunc(V, B.getInt64Ty()), To);
  V = B.CreateZExtOrTrunc(V, B.getIntNTy(To->getPrimitiveSizeInBits()));
  return To->isIntegerTy() ? V : B.CreateBitCast(V, To);
}

unsigned addressSpace(StringRef Space) {
  return StringSwitch<unsigned>(Space)
      .Case("global", NVPTXAS::ADDRESS_SPACE_GLOBAL)
      .Case("shared", NVPTXAS::ADDRESS_SPACE_SHARED)
      .Case("const", NVPTXAS::ADDRESS_SPACE_CONST)
      .Case("local", NVPTXAS::ADDRESS_SPACE_LOCAL)
      .Default(NVPTXAS::ADDRESS_SPACE_GENERIC);
}

} // namespace gasan::lift
