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

// "a[3]" becomes "[a+12]" for an access, and "a+12" for a number.
std::string FunctionLifter::writeOutElement(StringRef Operand, bool IsAccess) {
  auto [Name, Rest] = Operand.split('[');
  const Place *P = findPlace(Name.trim());
  const Variable *V = P ? P->Declared : L.findVariable(Name.trim());
  if (!V || V->Extents.size() != 1)
    return Operand.str();
  std::optional<uint64_t> Index = readConstant(Rest.drop_back(), 64);
  if (!Index) {
    fail("an index of an array that is no constant is not supported");
    return Operand.str();
  }
  const std::string Sum = (Name.trim() + "+" + Twine(*Index * V->Vector * ((V->Type.Bits + 7) / 8))).str();
  return IsAccess ? "[" + Sum + "]" : Sum;
}

// Returns true if writeOut may change the statement.
bool FunctionLifter::hasShorthand(const PtxStatement &S) const {
  return HasVectors || any_of(S.Operands, [](StringRef Operand) {
           return !Operand.empty() && isNameCharacter(Operand.front()) && Operand.ends_with("]");
         });
}

// Returns the statement without shorthands.
PtxStatement FunctionLifter::writeOut(const PtxStatement &S) {
  PtxStatement Result = S;
  for (std::string &Operand : Result.Operands) {
    if (HasVectors)
      Operand = writeOutVectors(Operand);
    if (!Operand.empty() && isNameCharacter(Operand[0]) && StringRef(Operand).ends_with("]"))
      Operand = writeOutElement(Operand, S.Opcode != "mov" && S.Opcode != "cvta");
  }
  return Result;
}

} // namespace gasan::lift
