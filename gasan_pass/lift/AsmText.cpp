// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps an instruction as inline asm: its registers, variables and special registers become operands.
#include "gasan_pass/lift/FunctionLifter.h"
#include "gasan_pass/ptx/PtxEffects.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gasan::lift {

namespace {

// Returns true for an instruction whose first operand is no result though it may be a register.
bool hasNoResult(const PtxStatement &S) {
  static const StringSet<> None = {
      "st",         "red",       "membar", "fence",         "prefetch",       "prefetchu",
      "discard",    "nanosleep", "brkpt",  "applypriority", "pmevent",        "cp",
      "setmaxnreg", "sust",      "sured",  "stmatrix",      "griddepcontrol", "stackrestore"};
  const StringRef Opcode = S.Opcode;
  if (None.contains(Opcode))
    return true;
  if (Opcode == "bar" || Opcode == "barrier")
    return !S.has("red");
  if (Opcode == "multimem")
    return !S.has("ld_reduce");
  if (Opcode == "tcgen05")
    return !S.has("ld");
  return false;
}

// Returns true if the instruction reads its result's registers, too.
bool updatesResult(const PtxStatement &S) {
  return S.Opcode == "wgmma" && S.has("mma_async");
}

// Returns true if the result depends on the operands only: not on the carry, nor on what sets it.
bool dependsOnOperandsOnly(const PtxStatement &S) {
  static const StringSet<> More = {"fns", "isspacep", "mapa", "getctarank"}, Carry = {"addc", "madc", "subc"};
  return (onlyComputes(S) || More.contains(S.Opcode)) && !Carry.contains(S.Opcode) && !S.has("cc");
}

bool isNameCharacter(char C) {
  return isAlnum(C) || StringRef("_$%").contains(C);
}

StringRef constraintOf(const PtxType &T) {
  if (T.Kind == 'p')
    return "b";
  if (T.Kind == 'f')
    return T.Bits == 32 ? "f" : "d";
  return T.Bits == 16 ? "h" : T.Bits == 32 ? "r" : T.Bits == 64 ? "l" : T.Bits == 128 ? "q" : "";
}

} // namespace

// Splits operands into words, and replaces those that are registers or symbols by $N.
class AsmBuilder {
public:
  struct Output {
    AllocaInst *Slot;
    std::string Constraint;
  };
  SmallVector<Output, 8> Outputs;
  SmallVector<std::pair<Value *, std::string>, 8> Inputs;

  std::string addOutput(AllocaInst *Slot, StringRef Constraint) {
    Outputs.push_back({Slot, Constraint.str()});
    return "$" + std::to_string(Outputs.size() - 1);
  }
  // The number is known when all outputs are; \1 marks it until then.
  std::string addInput(Value *V, StringRef Constraint) {
    Inputs.push_back({V, Constraint.str()});
    return "\1" + std::to_string(Inputs.size() - 1) + "\2";
  }

  std::string resolve(StringRef Text) const {
    std::string Result;
    while (!Text.empty()) {
      if (Text.consume_front("\1")) {
        unsigned Number = 0;
        Text.consumeInteger(10, Number);
        Text.consume_front("\2");
        Result += "$" + std::to_string(Outputs.size() + Number);
      } else {
        Result += Text.front();
        Text = Text.drop_front();
      }
    }
    return Result;
  }
};

// Returns the space of the memory that an operand names by its address.
static std::optional<unsigned> spaceOfOperand(const PtxStatement &S, size_t Index) {
  const StringRef Operand = S.Operands[Index];
  if (!Operand.starts_with("[") || Operand.contains(',')) // a tensor map with coordinates
    return std::nullopt;
  static const StringMap<unsigned> Spaces = {{"global", NVPTXAS::ADDRESS_SPACE_GLOBAL},
                                             {"shared", NVPTXAS::ADDRESS_SPACE_SHARED},
                                             {"shared::cta", NVPTXAS::ADDRESS_SPACE_SHARED}};
  SmallVector<unsigned, 2> Named;
  for (StringRef Modifier : S.Modifiers)
    if (auto Found = Spaces.find(Modifier); Found != Spaces.end())
      Named.push_back(Found->second);
  const size_t Needed = S.Opcode == "cp" ? 2 : 1; // a copy names both spaces, and then other addresses
  if (Named.size() != Needed)
    return std::nullopt;
  return Needed == 1 ? Named[0] : Index < 2 ? std::optional(Named[Index]) : std::nullopt;
}

// Returns the register's value. An address becomes a pointer, whose steps recoverPointers() finds.
Value *FunctionLifter::asmInput(const Register &R, std::optional<unsigned> Space) {
  Value *V = B.CreateLoad(R.Slot->getAllocatedType(), R.Slot);
  if (!Space || !V->getType()->isIntegerTy() || (R.Type.Bits != 32 && R.Type.Bits != 64))
    return V;
  Value *Pointer = B.CreateIntToPtr(B.CreateZExt(V, B.getInt64Ty()), B.getPtrTy(*Space));
  return R.Type.Bits == 64 ? Pointer : B.CreatePtrToInt(Pointer, V->getType());
}

void FunctionLifter::keepAsAsm(const PtxStatement &S) {
  static const StringSet<> NeverText = {"bra",       "brx",          "call", "ret",  "alloca",
                                        "stacksave", "stackrestore", "addc", "subc", "madc"};
  if (NeverText.contains(S.Opcode) || S.has("cc"))
    return fail("this form is not supported");
  if (L.tree().HasIndependentTextures && (S.Opcode == "tex" || S.Opcode == "tld4")) // LLVM writes the unified mode
    return fail("a texture fetch with the target option texmode_independent is not supported");
  AsmBuilder Asm;
  auto Translate = [&](StringRef Operand, bool IsResult, std::optional<unsigned> Space) {
    std::string Text;
    while (!Operand.empty() && !L.failed()) {
      if (!isNameCharacter(Operand.front())) {
        Text += Operand.front();
        Operand = Operand.drop_front();
        continue;
      }
      StringRef Word = Operand.take_while([](char C) { return isNameCharacter(C) || C == '.'; });
      StringRef Selector; // of a video instruction: "%r1.b0"
      if (!findRegister(Word) && Word.contains('.')) {
        StringRef Stem = Word.split('.').first;
        if (findRegister(Stem))
          Selector = Word.drop_front(Stem.size());
        if (findRegister(Stem) || !Word.starts_with("%"))
          Word = Stem;
      }
      Operand = Operand.drop_front(Word.size() + Selector.size());
      if (const Register *R = findRegister(Word)) {
        const StringRef Constraint = constraintOf(R->Type);
        if (Constraint.empty())
          fail("registers of " + Twine(R->Type.Bits) + " bits are not supported here");
        Text += IsResult ? Asm.addOutput(R->Slot, Constraint) : Asm.addInput(asmInput(*R, Space), Constraint);
        Text += Selector;
      } else if (Word.starts_with("%")) {
        Value *Special = readSpecial(Word);
        Text += Asm.addInput(Special, Special->getType()->isIntegerTy(64) ? "l" : "r");
      } else if (isDigit(Word[0]) || Word == "_" || Word == "WARP_SZ") {
        Text += Word;
      } else if (Value *Symbol = readSymbol(Word)) {
        Text += Asm.addInput(Symbol, "l");
      } else { // a word of the instruction itself, as in "tex [t, {x}], ..."
        fail("unknown name '" + Word + "'");
      }
    }
    return Text;
  };
  const bool HasResult = !S.Operands.empty() && !hasNoResult(S) && !StringRef(S.Operands[0]).starts_with("[");
  std::string Text = S.Opcode;
  for (const std::string &Modifier : S.Modifiers)
    Text += "." + Modifier;
  for (size_t I = 0; I < S.Operands.size(); ++I)
    Text += (I ? ", " : " ") + Translate(S.Operands[I], I == 0 && HasResult, spaceOfOperand(S, I));
  if (L.failed())
    return;
  const bool IsPure = dependsOnOperandsOnly(S) && HasResult;
  SmallVector<std::string, 16> Constraints;
  SmallVector<Type *, 8> Results, Parameters;
  SmallVector<Value *, 8> Values;
  for (const auto &Output : Asm.Outputs) {
    Constraints.push_back("=" + Output.Constraint);
    Results.push_back(Output.Slot->getAllocatedType());
  }
  for (const auto &[V, Constraint] : Asm.Inputs) {
    Constraints.push_back(Constraint);
    Values.push_back(V);
  }
  if (updatesResult(S))
    for (size_t I = 0; I < Asm.Outputs.size(); ++I) {
      Constraints.push_back(std::to_string(I));
      Values.push_back(B.CreateLoad(Results[I], Asm.Outputs[I].Slot));
    }
  if (!IsPure)
    Constraints.push_back("~{memory}");
  for (Value *V : Values)
    Parameters.push_back(V->getType());
  Type *Result = Results.empty()       ? B.getVoidTy()
                 : Results.size() == 1 ? Results[0]
                                       : StructType::get(F.getContext(), Results);
  CallInst *Call = B.CreateCall(InlineAsm::get(FunctionType::get(Result, Parameters, false), Asm.resolve(Text) + ";",
                                               join(Constraints, ","), /*hasSideEffects=*/!IsPure),
                                Values);
  Call->setDoesNotThrow();
  if (IsPure)
    Call->setDoesNotAccessMemory();
  else
    Call->setConvergent();
  for (size_t I = 0; I < Asm.Outputs.size(); ++I)
    B.CreateStore(Results.size() == 1 ? Call : B.CreateExtractValue(Call, I), Asm.Outputs[I].Slot);
  L.countAsm(S.Opcode);
}

} // namespace gasan::lift
