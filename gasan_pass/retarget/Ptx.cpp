// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/retarget/Ptx.h"
#include "gasan_pass/retarget/PtxFunction.h"
#include "gasan_pass/retarget/Steps.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gasan {

PtxFunction::PtxFunction(Module &M, const InlineAsm &Asm, const Module &Helpers)
    : Builder(M.getContext()), Helpers(Helpers) {
  F = Function::Create(Asm.getFunctionType(), GlobalValue::InternalLinkage, "gasan.ptx", M);
  F->addFnAttr(Attribute::AlwaysInline);
  F->addFnAttr(Attribute::NoUnwind);
  F->addFnAttr(Attribute::Convergent);
  Builder.SetInsertPoint(BasicBlock::Create(M.getContext(), "", F));
  Carry = createRegister(1);
  bindOperands(Asm);
}

// $N counts outputs, then inputs, in the order of the constraints. An input that is tied to an output is the initial
// value of that output's register.
void PtxFunction::bindOperands(const InlineAsm &Asm) {
  unsigned NextArgument = 0, NextOutput = 0;
  auto *Struct = dyn_cast<StructType>(F->getReturnType());
  for (const InlineAsm::ConstraintInfo &Info : Asm.ParseConstraints()) {
    if (Info.Type == InlineAsm::isClobber)
      continue;
    if (Info.isIndirect || Info.Type == InlineAsm::isLabel)
      return fail();
    if (Info.Type == InlineAsm::isOutput) {
      Type *T = Struct ? Struct->getElementType(NextOutput) : F->getReturnType();
      ++NextOutput;
      Outputs.push_back(createRegister(T->getPrimitiveSizeInBits()));
      AsmOperands.push_back(Outputs.back());
      continue;
    }
    Value *Argument = asInteger(F->getArg(NextArgument++));
    AllocaInst *Register = createRegister(Argument->getType()->getIntegerBitWidth());
    Builder.CreateStore(Argument, Register);
    AsmOperands.push_back(Register);
    unsigned Tied;
    if (!Info.Codes.empty() && to_integer(Info.Codes[0], Tied)) {
      if (Tied >= Outputs.size() || Outputs[Tied]->getAllocatedType() != Argument->getType())
        return fail();
      Builder.CreateStore(Argument, Outputs[Tied]);
    }
  }
}

bool PtxFunction::finish() {
  for (const auto &Label : Labels)
    Failed |= Label.second->empty() && Label.second != Builder.GetInsertBlock();
  if (Failed)
    return false;
  Type *Result = F->getReturnType();
  auto Load = [&](AllocaInst *Output, Type *T) {
    return convertBits(Builder, Builder.CreateLoad(Output->getAllocatedType(), Output), T);
  };
  if (Result->isVoidTy()) {
    Builder.CreateRetVoid();
  } else if (auto *Struct = dyn_cast<StructType>(Result)) {
    Value *Whole = PoisonValue::get(Struct);
    for (unsigned I = 0; I < Outputs.size(); ++I)
      Whole = Builder.CreateInsertValue(Whole, Load(Outputs[I], Struct->getElementType(I)), I);
    Builder.CreateRet(Whole);
  } else {
    Builder.CreateRet(Load(Outputs[0], Result));
  }
  return true;
}

AllocaInst *PtxFunction::createRegister(unsigned Bits) {
  return createSlot(Builder.getIntNTy(Bits == 0 ? 64 : Bits)); // 0: a pointer
}

void PtxFunction::declare(StringRef Register, const PtxType &Type) {
  Registers[Register] = createRegister(Type.Bits);
}

AllocaInst *PtxFunction::createSlot(Type *T) {
  BasicBlock &Entry = F->getEntryBlock();
  return IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(T);
}

void PtxFunction::branchTo(StringRef Label) {
  BasicBlock *&Target = Labels[Label];
  if (!Target)
    Target = BasicBlock::Create(Builder.getContext(), "", F);
  Builder.CreateBr(Target);
  Builder.SetInsertPoint(BasicBlock::Create(Builder.getContext(), "", F));
}

void PtxFunction::placeLabel(StringRef Label) {
  BasicBlock *&Target = Labels[Label];
  if (!Target)
    Target = BasicBlock::Create(Builder.getContext(), "", F);
  if (!Target->empty())
    return fail(); // placed twice
  Builder.CreateBr(Target);
  Builder.SetInsertPoint(Target);
}

bool PtxFunction::isPredicate(StringRef Operand) {
  Operand = Operand.trim();
  AllocaInst *Register = findRegister(Operand.starts_with("!") ? Operand.drop_front() : Operand);
  return Register && Register->getAllocatedType()->isIntegerTy(1);
}

Value *PtxFunction::asInteger(Value *V) {
  Type *T = V->getType();
  if (T->isIntegerTy())
    return V;
  unsigned Bits = T->isPointerTy() ? 64 : static_cast<unsigned>(T->getPrimitiveSizeInBits());
  return Builder.CreateBitOrPointerCast(V, Builder.getIntNTy(Bits));
}

Type *PtxFunction::typeOf(const PtxType &T) {
  Type *Scalar;
  switch (T.Kind) {
  case 'f':
    return T.Bits == 32 ? Builder.getFloatTy() : Builder.getDoubleTy();
  case 'h':
    Scalar = Builder.getHalfTy();
    break;
  case 'z':
    Scalar = Builder.getBFloatTy();
    break;
  default:
    return Builder.getIntNTy(T.Bits);
  }
  return T.Packed ? FixedVectorType::get(Scalar, 2) : Scalar;
}

AllocaInst *PtxFunction::findRegister(StringRef Name) {
  unsigned Number;
  if (Name.starts_with("$") && to_integer(Name.drop_front(), Number))
    return Number < AsmOperands.size() ? AsmOperands[Number] : nullptr;
  return Registers.lookup(Name);
}

// 12, -3, 0x1f, 0f3f800000 (float), 0d3ff0000000000000 (double)
Value *PtxFunction::readImmediate(StringRef Text, unsigned Bits) {
  uint64_t Number = 0;
  StringRef Digits = Text;
  const bool Negative = Digits.consume_front("-");
  const bool IsBits = Digits.starts_with_insensitive("0f") || Digits.starts_with_insensitive("0d");
  if (IsBits ? Digits.drop_front(2).getAsInteger(16, Number) : Digits.rtrim('U').getAsInteger(0, Number)) {
    fail();
    return UndefValue::get(Builder.getIntNTy(Bits));
  }
  return ConstantInt::get(Builder.getIntNTy(Bits), APInt(64, Negative ? -Number : Number).sextOrTrunc(Bits));
}

Value *PtxFunction::readBits(StringRef Operand, unsigned Bits) {
  Operand = Operand.trim();
  Type *Integer = Builder.getIntNTy(Bits);
  if (Operand.consume_front("!"))
    return Builder.CreateNot(readBits(Operand, Bits));
  if (Operand.starts_with("{")) {
    SmallVector<std::string, 4> Parts = splitPtxOperands(Operand.drop_front().drop_back());
    const unsigned PartBits = Parts.empty() ? 0 : Bits / Parts.size();
    if (PartBits == 0) {
      fail();
      return UndefValue::get(Integer);
    }
    Value *Whole = ConstantInt::get(Integer, 0);
    for (unsigned I = 0; I < Parts.size(); ++I) {
      Value *Part = Builder.CreateZExt(readBits(Parts[I], PartBits), Integer);
      Whole = Builder.CreateOr(Whole, Builder.CreateShl(Part, I * PartBits));
    }
    return Whole;
  }
  if (AllocaInst *Register = findRegister(Operand))
    return Builder.CreateZExtOrTrunc(Builder.CreateLoad(Register->getAllocatedType(), Register), Integer);
  if (Operand == "WARP_SZ")
    return ConstantInt::get(Integer, 32);
  if (Operand.consume_front("%")) {
    std::string Name = Operand == "gridid" && Bits == 64 ? "gridid64" : Operand.str();
    std::replace(Name.begin(), Name.end(), '.', '_');
    Value *Special = callHelper("read_ptx_sreg_" + Name, {});
    return Special ? Builder.CreateZExtOrTrunc(Special, Integer) : UndefValue::get(Integer);
  }
  return readImmediate(Operand, Bits);
}

Value *PtxFunction::read(StringRef Operand, const PtxType &T) {
  return convertBits(Builder, readBits(Operand, T.Bits), typeOf(T));
}

void PtxFunction::write(StringRef Operand, Value *V, bool SignExtend) {
  Operand = Operand.trim();
  V = asInteger(V);
  if (Operand == "_")
    return;
  if (Operand.starts_with("{")) {
    SmallVector<std::string, 4> Parts = splitPtxOperands(Operand.drop_front().drop_back());
    const unsigned PartBits = Parts.empty() ? 0 : V->getType()->getIntegerBitWidth() / Parts.size();
    if (PartBits == 0)
      return fail();
    for (unsigned I = 0; I < Parts.size(); ++I)
      write(Parts[I], Builder.CreateTrunc(Builder.CreateLShr(V, I * PartBits), Builder.getIntNTy(PartBits)),
            SignExtend);
    return;
  }
  AllocaInst *Register = findRegister(Operand);
  if (!Register)
    return fail();
  Type *T = Register->getAllocatedType();
  Builder.CreateStore(SignExtend ? Builder.CreateSExtOrTrunc(V, T) : Builder.CreateZExtOrTrunc(V, T), Register);
}

Value *PtxFunction::readAddress(StringRef Operand) {
  if (!Operand.consume_front("[") || !Operand.consume_back("]")) {
    fail();
    return PoisonValue::get(Builder.getPtrTy());
  }
  StringRef Base = Operand.take_until([](char C) { return C == '+' || C == '-'; });
  StringRef Offset = Operand.drop_front(Base.size());
  Offset.consume_front("+"); // a minus belongs to the number
  Value *Address = readBits(Base, 64);
  if (!Offset.empty())
    Address = Builder.CreateAdd(Address, readBits(Offset, 64));
  return Builder.CreateIntToPtr(Address, Builder.getPtrTy());
}

Value *PtxFunction::readCarry() {
  return Builder.CreateLoad(Builder.getInt1Ty(), Carry);
}

void PtxFunction::writeCarry(Value *V) {
  Builder.CreateStore(V, Carry);
}

const Function *PtxFunction::findHelper(const Twine &Name) const {
  return Helpers.getFunction(("gasan_nvvm_" + Name).str());
}

Value *PtxFunction::callHelper(const Twine &Name, ArrayRef<Value *> Arguments) {
  const Function *Helper = findHelper(Name);
  if (!Helper || Helper->arg_size() != Arguments.size()) {
    fail();
    return nullptr;
  }
  return gasan::callHelper(Builder, *Helper, Arguments);
}

namespace {

// Translates "@p statement": puts the statement into a block of its own.
void translateGuarded(PtxFunction &P, const PtxStatement &Statement) {
  if (Statement.Guard.empty())
    return translateStatement(P, Statement);
  Value *Condition = P.read(Statement.Guard, PtxType{'p', 1});
  if (Statement.GuardNegated)
    Condition = P.Builder.CreateNot(Condition);
  LLVMContext &Context = P.Builder.getContext();
  BasicBlock *Then = BasicBlock::Create(Context, "", P.function()),
             *After = BasicBlock::Create(Context, "", P.function());
  P.Builder.CreateCondBr(Condition, Then, After);
  P.Builder.SetInsertPoint(Then);
  translateStatement(P, Statement);
  P.Builder.CreateBr(After);
  P.Builder.SetInsertPoint(After);
}

std::string textOf(const PtxStatement &S) {
  std::string Text = S.Opcode;
  for (const std::string &Modifier : S.Modifiers)
    Text += "." + Modifier;
  return Text;
}

} // namespace

PtxTranslation translatePtx(Module &M, const InlineAsm &Asm, const Module &Helpers) {
  std::optional<std::vector<PtxStatement>> Statements = parsePtx(Asm.getAsmString());
  if (!Statements)
    return {nullptr, "text that is not a list of statements"};
  PtxFunction P(M, Asm, Helpers);
  std::string Unknown = "an operand of unknown kind";
  for (const PtxStatement &Statement : *Statements) {
    if (P.failed())
      break;
    if (Statement.Opcode == ":")
      P.placeLabel(Statement.Operands[0]);
    else
      translateGuarded(P, Statement);
    if (P.failed())
      Unknown = textOf(Statement);
  }
  if (P.finish())
    return {P.function(), ""};
  P.function()->eraseFromParent();
  return {nullptr, Unknown};
}

} // namespace gasan
