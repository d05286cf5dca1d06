// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes out operands that are shorthands in PTX: the name of a vector of registers, and an element of an array.
#include "gasan_pass/lift/FunctionLifter.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gasan::lift {

namespace {

bool isNameCharacter(char C) {
  return isAlnum(C) || StringRef("_$%").contains(C);
}

} // namespace

// Returns the number of registers of a vector with this name; 0: there is none.
unsigned FunctionLifter::findVector(StringRef Name) const {
  for (size_t I = Current;; I = Scopes[I].Parent) {
    if (unsigned Count = Scopes[I].Vectors.lookup(Name))
      return Count;
    if (I == 0 || Scopes[I].Registers.contains(Name))
      return 0;
  }
}

// "V" of ".reg .v2 .f32 V" becomes "{V.x, V.y}". A name beside a dot is a component or a modifier.
std::string FunctionLifter::writeOutVectors(StringRef Operand) const {
  std::string Result;
  char Before = 0;
  while (!Operand.empty()) {
    StringRef Word = Operand.take_while(isNameCharacter);
    if (Word.empty()) {
      Before = Operand.front();
      Result += Before;
      Operand = Operand.drop_front();
      continue;
    }
    Operand = Operand.drop_front(Word.size());
    const unsigned Count = Before == '.' || Operand.starts_with(".") ? 0 : findVector(Word);
    for (unsigned I = 0; I < Count; ++I)
      Result += (I ? ", " : "{") + Word.str() + "." + "xyzw"[I];
    Result += Count ? "}" : Word.str();
    Before = 0;
  }
  return Result;
}

// "a[3]" becomes "[a+12]" for an access, and "a+12" for a number. "a[r]" and "a[r+3]" become a new register with the
// address. As in ptxas, an array of several dimensions, or of vectors, is one row of numbers, and the distance has 32
// bits.
std::string FunctionLifter::writeOutElement(StringRef Operand, bool IsAccess) {
  auto [Name, Rest] = Operand.split('[');
  const Place *P = findPlace(Name.trim());
  const Variable *V = P ? P->Declared : L.findVariable(Name.trim());
  if (!V || V->Extents.empty())
    return Operand.str();
  const unsigned Size = (V->Type.Bits + 7) / 8;
  StringRef Index = Rest.drop_back().trim();
  if (std::optional<uint64_t> Number = readConstant(Index, 64)) {
    const std::string Sum = (Name.trim() + "+" + Twine(*Number * Size)).str();
    return IsAccess ? "[" + Sum + "]" : Sum;
  }
  auto [Register, More] = Index.split('+');
  std::optional<uint64_t> Number = More.empty() ? 0 : readConstant(More, 32);
  Value *Start = readSymbol(Name.trim());
  if (!findRegister(Register.trim()) || !Number || !Start) {
    fail("an index of an array is no constant, no register, and no sum of the two");
    return Operand.str();
  }
  Value *Distance = B.CreateMul(B.CreateAdd(readBits(Register, 32), B.getInt32(*Number)), B.getInt32(Size));
  const std::string Address = ("element." + Twine(Elements++)).str();
  const FunctionLifter::Register Made = {createSlot(B.getInt64Ty(), Address), PtxType{'b', 64}};
  B.CreateStore(B.CreateAdd(Start, B.CreateZExt(Distance, B.getInt64Ty())), Made.Slot);
  Scopes[0].Registers[Address] = Made;
  return IsAccess ? "[" + Address + "]" : Address;
}

// "%tid" becomes "{%tid.x, %tid.y, %tid.z, %tid.w}".
static std::string writeOutSpecial(StringRef Operand) {
  static constexpr StringRef Vectors[] = {"%tid", "%ntid", "%ctaid", "%nctaid", "%clusterid", "%nclusterid"};
  if (!is_contained(Vectors, Operand.trim()) && !Operand.trim().starts_with("%cluster_"))
    return Operand.str();
  std::string Result;
  for (char Component : {'x', 'y', 'z', 'w'})
    Result += (Twine(Result.empty() ? "{" : ", ") + Operand.trim() + "." + Twine(Component)).str();
  return Result + "}";
}

static bool isVectorMove(const PtxStatement &S) {
  return S.Opcode == "mov" && S.Operands.size() == 2 && (S.has("v4") || S.has("v2")) &&
         StringRef(S.Operands[1]).trim().starts_with("%");
}

// Returns true if writeOut may change the statement.
bool FunctionLifter::hasShorthand(const PtxStatement &S) const {
  return HasVectors || isVectorMove(S) || any_of(S.Operands, [](StringRef Operand) {
           return !Operand.empty() && isNameCharacter(Operand.front()) && Operand.ends_with("]");
         });
}

// Returns the statement without shorthands.
PtxStatement FunctionLifter::writeOut(const PtxStatement &S) {
  PtxStatement Result = S;
  if (isVectorMove(S))
    Result.Operands[1] = writeOutSpecial(S.Operands[1]);
  for (std::string &Operand : Result.Operands) {
    if (HasVectors)
      Operand = writeOutVectors(Operand);
    if (!Operand.empty() && isNameCharacter(Operand[0]) && StringRef(Operand).ends_with("]"))
      Operand = writeOutElement(Operand, S.Opcode != "mov" && S.Opcode != "cvta");
  }
  return Result;
}

} // namespace gasan::lift
