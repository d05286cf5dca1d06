// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the row of PtxInstructions.inc that allows a statement and translates it.
#include "gasan_pass/retarget/PtxHandlers.h"

using namespace llvm;

namespace gasan {

namespace {

struct ModifierClass {
  StringRef Name, Members;
};
struct Instruction {
  StringRef Opcode;
  void (*Translate)(PtxFunction &, const PtxStatement &);
  StringRef Modifiers;
};

constexpr ModifierClass kClasses[] = {
#define GASAN_PTX_CLASS(name, members) {name, members},
#include "gasan_pass/retarget/PtxInstructions.inc"
};
constexpr Instruction kInstructions[] = {
#define GASAN_PTX(opcode, handler, modifiers) {opcode, ptx::handler, modifiers},
#include "gasan_pass/retarget/PtxInstructions.inc"
};

SmallVector<StringRef, 16> wordsOf(StringRef List) {
  SmallVector<StringRef, 16> Words;
  List.split(Words, ' ', -1, /*KeepEmpty=*/false);
  return Words;
}

// Returns true if `Modifier` is among the words of `List`, in which "<name>" stands for the members of a class.
bool allows(StringRef List, StringRef Modifier) {
  return any_of(wordsOf(List), [&](StringRef Word) {
    Word.consume_front("+");
    if (Word == Modifier || Word == "*")
      return true;
    if (!Word.consume_front("<") || !Word.consume_back(">"))
      return false;
    return any_of(kClasses, [&](const ModifierClass &C) { return C.Name == Word && allows(C.Members, Modifier); });
  });
}

bool isDescribedBy(const PtxStatement &S, const Instruction &I) {
  return I.Opcode == S.Opcode &&
         all_of(S.Modifiers, [&](StringRef Modifier) { return allows(I.Modifiers, Modifier); }) &&
         all_of(wordsOf(I.Modifiers), [&](StringRef Word) { return !Word.consume_front("+") || S.has(Word); });
}

} // namespace

void translateStatement(PtxFunction &P, const PtxStatement &Statement) {
  for (const Instruction &I : kInstructions)
    if (isDescribedBy(Statement, I))
      return I.Translate(P, Statement);
  P.fail();
}

namespace ptx {

SmallVector<PtxType, 4> typesOf(const PtxStatement &S) {
  SmallVector<PtxType, 4> Types;
  for (StringRef Modifier : S.Modifiers)
    if (std::optional<PtxType> T = parsePtxType(Modifier))
      Types.push_back(*T);
  return Types;
}

PtxType lastType(PtxFunction &P, const PtxStatement &S) {
  const SmallVector<PtxType, 4> Types = typesOf(S);
  if (Types.empty())
    P.fail();
  return Types.empty() ? kBits32 : Types.back();
}

bool hasOperands(PtxFunction &P, const PtxStatement &S, size_t Least, size_t Most) {
  if (S.Operands.size() < Least || S.Operands.size() > Most)
    P.fail();
  return !P.failed();
}

// "add.rn.ftz.f32": "add_rn_ftz_f"
std::string helperName(const PtxStatement &S) {
  std::string Name = S.Opcode;
  for (StringRef Modifier : S.Modifiers) {
    Name += '_';
    Name += Modifier == "f32" ? "f" : Modifier == "f64" ? "d" : Modifier.str();
  }
  return Name;
}

// Returns the PTX type by which an operand for this helper's parameter or result is read or written.
static PtxType typeLike(const Type *T) {
  if (T->isPointerTy())
    return {'b', 64};
  char Kind = T->isFloatTy() || T->isDoubleTy() ? 'f' : T->isHalfTy() ? 'h' : T->isBFloatTy() ? 'z' : 'b';
  return {Kind, static_cast<unsigned>(T->getPrimitiveSizeInBits())};
}

void callNamed(PtxFunction &P, const PtxStatement &S, const Twine &Name) {
  const Function *Helper = P.findHelper(Name);
  const bool HasResult = Helper && !Helper->getReturnType()->isVoidTy();
  if (!Helper || Helper->arg_size() + HasResult != S.Operands.size())
    return P.fail();
  SmallVector<Value *, 4> Arguments;
  for (const Argument &A : Helper->args()) {
    StringRef Operand = S.Operands[A.getArgNo() + HasResult];
    Arguments.push_back(Operand.starts_with("[") ? P.readAddress(Operand) : P.read(Operand, typeLike(A.getType())));
  }
  Value *Result = P.callHelper(Name, Arguments);
  if (HasResult && Result)
    P.write(S.Operands[0], Result);
}

// Calls the helper whose name has no type, as most helpers' names: "bmsk.clamp.b32" is bmsk_clamp.
void callByName(PtxFunction &P, const PtxStatement &S) {
  std::string Name = helperName(S);
  if (!P.findHelper(Name) && !S.Modifiers.empty() && parsePtxType(S.Modifiers.back())) {
    PtxStatement Untyped = S;
    Untyped.Modifiers.pop_back();
    Name = helperName(Untyped);
  }
  callNamed(P, S, Name);
}

// .reg .TYPE name, name<count>
void declare(PtxFunction &P, const PtxStatement &S) {
  PtxType T = lastType(P, S);
  T.Bits *= S.has("v2") ? 2 : S.has("v4") ? 4 : 1;
  for (StringRef Name : S.Operands) {
    unsigned Count;
    auto [Stem, Rest] = Name.split('<');
    if (Rest.empty()) {
      P.declare(Name.trim(), T);
    } else if (!Rest.consume_back(">") || Rest.trim().getAsInteger(10, Count) || Count > 4096) {
      P.fail();
    } else {
      for (unsigned I = 0; I < Count; ++I)
        P.declare((Stem.trim() + Twine(I)).str(), T);
    }
  }
}

void move(PtxFunction &P, const PtxStatement &S) {
  PtxType T{'b', lastType(P, S).Bits};
  T.Bits *= S.has("v2") ? 2 : S.has("v4") ? 4 : 1;
  if (hasOperands(P, S, 2))
    P.write(S.Operands[0], P.read(S.Operands[1], T));
}

} // namespace ptx

} // namespace gasan
