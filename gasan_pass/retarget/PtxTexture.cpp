// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translates textures and surfaces of inline PTX, in the forms that the CUDA headers use. Each instruction with its
// shape has a helper.
#include "gasan_pass/retarget/PtxHandlers.h"

using namespace llvm;

namespace gasan::ptx {

namespace {

constexpr unsigned kVector = 4; // PTX pads vectors of coordinates to a power of two

SmallVector<std::string, 4> partsOf(StringRef Operand) {
  if (Operand.consume_front("{") && Operand.consume_back("}"))
    return splitPtxOperands(Operand);
  return {Operand.str()};
}

// Reads four 32-bit values; missing ones are zero.
void readVector(PtxFunction &P, StringRef Operand, SmallVectorImpl<Value *> &Values) {
  SmallVector<std::string, 4> Parts = partsOf(Operand.trim());
  if (Parts.size() > kVector)
    return P.fail();
  for (unsigned I = 0; I < kVector; ++I)
    Values.push_back(I < Parts.size() ? P.read(Parts[I], kBits32) : P.Builder.getInt32(0));
}

// "[object, coordinates]"
void readPlace(PtxFunction &P, StringRef Operand, SmallVectorImpl<Value *> &Values) {
  SmallVector<std::string, 4> Parts;
  if (Operand.consume_front("[") && Operand.consume_back("]"))
    Parts = splitPtxOperands(Operand);
  if (Parts.size() != 2)
    return P.fail();
  Values.push_back(P.read(Parts[0], PtxType{'b', 64}));
  readVector(P, Parts[1], Values);
}

Value *elementOf(PtxFunction &P, AllocaInst *Buffer, unsigned Index) {
  return P.Builder.CreateConstInBoundsGEP2_32(Buffer->getAllocatedType(), Buffer, 0, Index);
}

AllocaInst *createBuffer(PtxFunction &P, unsigned Count, unsigned Bits) {
  return P.createSlot(ArrayType::get(P.Builder.getIntNTy(Bits), Count));
}

void writeParts(PtxFunction &P, ArrayRef<std::string> Targets, AllocaInst *Buffer, unsigned Bits) {
  for (unsigned I = 0; I < Targets.size(); ++I)
    P.write(Targets[I], P.Builder.CreateLoad(P.Builder.getIntNTy(Bits), elementOf(P, Buffer, I)));
}

} // namespace

// tex{.level|.grad}.SHAPE.v4.TYPE.COORDINATES d{|p}, [object, coordinates]{, level | gradient, gradient}
// tld4.COMPONENT.2d.v4.TYPE.f32 d{|p}, [object, coordinates]
void fetchTexture(PtxFunction &P, const PtxStatement &S) {
  ArrayRef<std::string> Modifiers(S.Modifiers);
  std::string Name = S.Opcode;
  while (Modifiers.size() > 4) {
    Name += "_" + Modifiers.front();
    Modifiers = Modifiers.drop_front();
  }
  if (Modifiers.size() != 4 || Modifiers[1] != "v4" || S.Operands.size() < 2 ||
      !is_contained({"s32", "u32", "f32"}, Modifiers[2]))
    return P.fail();
  Name += "_" + Modifiers[0] + "_" + Modifiers[3];
  SmallVector<Value *, 16> Arguments;
  readPlace(P, S.Operands[1], Arguments);
  for (const std::string &Operand : drop_begin(S.Operands, 2))
    if (S.has("grad"))
      readVector(P, Operand, Arguments);
    else
      Arguments.push_back(P.read(Operand, kBits32));
  AllocaInst *Result = createBuffer(P, kVector, 32);
  Arguments.push_back(Result);
  auto [Targets, Resident] = StringRef(S.Operands[0]).split('|');
  SmallVector<std::string, 4> Parts = partsOf(Targets.trim());
  if (P.failed() || Parts.size() != kVector || !P.callHelper(Name, Arguments))
    return P.fail();
  writeParts(P, Parts, Result, 32);
  if (!Resident.empty())
    P.write(Resident, P.Builder.getTrue());
}

// suld.b.SHAPE{.v2|.v4}.TYPE.BOUNDS d, [object, coordinates]; sust.b.... [object, coordinates], value
void accessSurface(PtxFunction &P, const PtxStatement &S) {
  const bool IsRead = S.Opcode == "suld";
  const unsigned Count = S.has("v2") ? 2 : S.has("v4") ? 4 : 1;
  std::optional<PtxType> T;
  if (S.Modifiers.size() == 4u + (Count > 1))
    T = parsePtxType(S.Modifiers[S.Modifiers.size() - 2]);
  if (!T || S.Operands.size() != 2 || S.Modifiers[0] != "b")
    return P.fail();
  SmallVector<std::string, 4> Parts = partsOf(S.Operands[IsRead ? 0 : 1]);
  if (Parts.size() != Count)
    return P.fail();
  AllocaInst *Buffer = createBuffer(P, Count, T->Bits);
  SmallVector<Value *, 8> Arguments;
  readPlace(P, S.Operands[IsRead ? 1 : 0], Arguments);
  Arguments.append({P.Builder.getInt32(Count * T->Bits / 8), Buffer});
  for (unsigned I = 0; !IsRead && I < Count; ++I)
    P.Builder.CreateStore(P.read(Parts[I], PtxType{'b', T->Bits}), elementOf(P, Buffer, I));
  if (P.failed() || !P.callHelper(S.Opcode + "_b_" + S.Modifiers[1] + "_" + S.Modifiers.back(), Arguments))
    return P.fail();
  if (IsRead)
    writeParts(P, Parts, Buffer, T->Bits);
}

} // namespace gasan::ptx
