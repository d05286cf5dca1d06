// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/ptx/PtxValues.h"
#include "gasan_pass/ptx/PtxInteger.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gasan {

PtxValues::PtxValues(CallInst &Asm)
    : Builder(Asm.getContext(), InstSimplifyFolder(Asm.getDataLayout()),
              IRBuilderCallbackInserter([this](Instruction *I) { Created.push_back(I); })) {
  Builder.SetInsertPoint(&Asm);
  bindOperands(Asm);
}

Value *PtxValues::resultOf(CallInst &Asm) {
  std::optional<std::vector<PtxStatement>> Statements =
      parsePtx(cast<InlineAsm>(Asm.getCalledOperand())->getAsmString());
  if (!Statements || !Asm.getType()->isIntegerTy())
    return nullptr;
  PtxValues Values(Asm);
  for (const PtxStatement &S : *Statements) {
    if (mayJump(S))
      return nullptr;
    Values.execute(S);
  }
  return Values.keep(Values.readInteger("$0", Asm.getType()->getIntegerBitWidth()));
}

bool PtxValues::mayJump(const PtxStatement &S) {
  return is_contained({"bra", "brx", "call", "ret", "exit", "trap", ":"}, StringRef(S.Opcode));
}

PtxValues::~PtxValues() {
  for (Instruction *I : reverse(Created))
    if (I->use_empty() && !Kept.contains(I))
      I->eraseFromParent();
}

Value *PtxValues::keep(Value *V) {
  if (V)
    Kept.insert(V);
  return V;
}

// $N counts outputs, then inputs, in the order of the constraints. An input that is tied to an output is the initial
// value of that output's register.
void PtxValues::bindOperands(CallInst &Asm) {
  unsigned NextArgument = 0;
  for (const InlineAsm::ConstraintInfo &Info : cast<InlineAsm>(Asm.getCalledOperand())->ParseConstraints()) {
    if (Info.Type == InlineAsm::isClobber)
      continue;
    Register R;
    if (Info.isIndirect || Info.Type == InlineAsm::isLabel) {
      NextArgument += Info.hasArg();
      R.Written = true;
    } else if (Info.Type == InlineAsm::isInput) {
      R.Content = Asm.getArgOperand(NextArgument++);
      R.Written = true;
      R.Immediate =
          isa<ConstantInt>(R.Content) && any_of(Info.Codes, [](StringRef Code) { return Code == "n" || Code == "i"; });
      unsigned Tied;
      if (!Info.Codes.empty() && to_integer(Info.Codes[0], Tied) && Tied < AsmOperands.size())
        AsmOperands[Tied] = R;
    }
    AsmOperands.push_back(R);
  }
}

PtxValues::Register *PtxValues::findRegister(StringRef Name) {
  unsigned Number;
  if (Name.starts_with("$") && to_integer(Name.drop_front(), Number))
    return Number < AsmOperands.size() ? &AsmOperands[Number] : nullptr;
  auto Found = Registers.find(Name);
  return Found == Registers.end() ? nullptr : &Found->second;
}

Value *PtxValues::readRegister(const Register &R, unsigned Bits) {
  if (!R.Content || R.Ambiguous)
    return nullptr;
  if (R.Immediate)
    return ConstantInt::get(Builder.getIntNTy(Bits), cast<ConstantInt>(R.Content)->getValue().sextOrTrunc(Bits));
  if (R.Content->getType()->isPointerTy())
    return Bits == 64 ? Builder.CreatePtrToInt(R.Content, Builder.getInt64Ty()) : nullptr;
  return R.Content->getType()->isIntegerTy(Bits) ? R.Content : nullptr;
}

// Returns the special registers whose value does not change in the whole grid or in the thread. Addresses are computed
// from these.
Value *PtxValues::readSpecial(StringRef Name, unsigned Bits) {
  const auto Id = StringSwitch<Intrinsic::ID>(Name)
                      .Case("%tid.x", Intrinsic::nvvm_read_ptx_sreg_tid_x)
                      .Case("%tid.y", Intrinsic::nvvm_read_ptx_sreg_tid_y)
                      .Case("%tid.z", Intrinsic::nvvm_read_ptx_sreg_tid_z)
                      .Case("%ntid.x", Intrinsic::nvvm_read_ptx_sreg_ntid_x)
                      .Case("%ntid.y", Intrinsic::nvvm_read_ptx_sreg_ntid_y)
                      .Case("%ntid.z", Intrinsic::nvvm_read_ptx_sreg_ntid_z)
                      .Case("%ctaid.x", Intrinsic::nvvm_read_ptx_sreg_ctaid_x)
                      .Case("%ctaid.y", Intrinsic::nvvm_read_ptx_sreg_ctaid_y)
                      .Case("%ctaid.z", Intrinsic::nvvm_read_ptx_sreg_ctaid_z)
                      .Case("%nctaid.x", Intrinsic::nvvm_read_ptx_sreg_nctaid_x)
                      .Case("%nctaid.y", Intrinsic::nvvm_read_ptx_sreg_nctaid_y)
                      .Case("%nctaid.z", Intrinsic::nvvm_read_ptx_sreg_nctaid_z)
                      .Case("%laneid", Intrinsic::nvvm_read_ptx_sreg_laneid)
                      .Default(Intrinsic::not_intrinsic);
  return Id == Intrinsic::not_intrinsic || Bits != 32 ? nullptr : Builder.CreateIntrinsic(Id, {});
}

Value *PtxValues::readImmediate(StringRef Text, unsigned Bits) {
  const bool Negative = Text.consume_front("-");
  Text.consume_back("U");
  uint64_t Number;
  if (Text.trim().getAsInteger(0, Number))
    return nullptr;
  return ConstantInt::get(Builder.getIntNTy(Bits), APInt(64, Negative ? -Number : Number).sextOrTrunc(Bits));
}

Value *PtxValues::readInteger(StringRef Operand, unsigned Bits) {
  Operand = Operand.trim();
  if (Bits == 1 && Operand.consume_front("!")) {
    Value *V = readInteger(Operand, Bits);
    return V ? Builder.CreateNot(V) : nullptr;
  }
  if (Operand.consume_front("{")) {
    Operand.consume_back("}");
    SmallVector<std::string, 4> Parts = splitPtxOperands(Operand);
    if (Parts.empty() || Bits % Parts.size() || Bits == Parts.size())
      return nullptr;
    const unsigned PartBits = Bits / Parts.size();
    Value *Whole = Builder.getIntN(Bits, 0);
    for (unsigned I = 0; I < Parts.size(); ++I) {
      Value *Part = readInteger(Parts[I], PartBits);
      if (!Part)
        return nullptr;
      Whole = Builder.CreateOr(Whole, Builder.CreateShl(Builder.CreateZExt(Part, Whole->getType()), I * PartBits));
    }
    return Whole;
  }
  if (const Register *R = findRegister(Operand))
    return readRegister(*R, Bits);
  if (Operand == "WARP_SZ")
    return Builder.getIntN(Bits, 32);
  return Operand.starts_with("%") ? readSpecial(Operand, Bits) : readImmediate(Operand, Bits);
}

// Returns the pointer whose address the number is, or null. Its object is better known than the number's.
Value *PtxValues::pointerOf(Value *Number, unsigned Space) {
  using namespace PatternMatch;
  Value *Pointer = nullptr;
  const bool IsShort = Space == NVPTXAS::ADDRESS_SPACE_SHARED && match(Number, m_Trunc(m_PtrToInt(m_Value(Pointer))));
  if (!IsShort && !match(Number, m_PtrToInt(m_Value(Pointer))))
    return nullptr;
  const unsigned From = Pointer->getType()->getPointerAddressSpace();
  if (From == Space)
    return Pointer;
  // A global address is the same number as the generic one.
  return From == NVPTXAS::ADDRESS_SPACE_GLOBAL && Space == NVPTXAS::ADDRESS_SPACE_GENERIC
             ? Builder.CreateAddrSpaceCast(Pointer, Builder.getPtrTy(Space))
             : nullptr;
}

// A pointer operand stays a pointer, so that its object can be found.
Value *PtxValues::readAddress(StringRef Operand, unsigned Space) {
  if (!Operand.consume_front("[") || !Operand.consume_back("]"))
    return nullptr;
  const size_t Sign = Operand.find_first_of("+-", 1);
  StringRef Base = Operand.take_front(Sign).trim();
  Value *Offset = Builder.getInt64(0);
  if (Sign != StringRef::npos) {
    StringRef Text = Operand.drop_front(Sign);
    Text.consume_front("+");
    Offset = readInteger(Text, 64);
  }
  if (!Offset || !isa<ConstantInt>(Offset))
    return nullptr;
  const Register *R = findRegister(Base);
  Value *Pointer = R && R->Content && !R->Ambiguous && R->Content->getType()->isPointerTy() ? R->Content : nullptr;
  if (Pointer && Space && Pointer->getType()->getPointerAddressSpace() != Space)
    return nullptr;
  if (!Pointer) {
    Value *Number = readInteger(Base, 64);
    Value *Short = Number || !Space ? nullptr : readInteger(Base, 32);
    if (!Number && !Short)
      return nullptr;
    Pointer = pointerOf(Number ? Number : Short, Space);
    if (!Pointer)
      Pointer = Builder.CreateIntToPtr(Number ? Number : Builder.CreateZExt(Short, Builder.getInt64Ty()),
                                       Builder.getPtrTy(Space));
  }
  return cast<ConstantInt>(Offset)->isZero() ? Pointer : Builder.CreatePtrAdd(Pointer, Offset);
}

PtxValues::Condition PtxValues::readGuard(const PtxStatement &S) {
  if (S.Guard.empty())
    return {true, nullptr};
  Value *Holds = readInteger(S.Guard, 1);
  if (Holds && S.GuardNegated)
    Holds = Builder.CreateNot(Holds);
  return {Holds != nullptr, Holds};
}

void PtxValues::declare(const PtxStatement &S) {
  for (StringRef Name : S.Operands) {
    auto [Known, IsNew] = Registers.try_emplace(Name);
    Register &R = Known->second;
    // A second scope at the same depth begins after the first has ended; another depth may be inside.
    const bool Ambiguous = !IsNew && (R.Ambiguous || R.Depth != S.Depth);
    R = Register();
    R.Depth = S.Depth;
    R.Ambiguous = Ambiguous;
  }
}

void PtxValues::write(StringRef Operand, Value *V, const Condition &Guard) {
  Operand = Operand.trim();
  if (Operand == "_" || Operand.empty() || Operand.starts_with("["))
    return;
  if (Operand.consume_front("{")) {
    Operand.consume_back("}");
    SmallVector<std::string, 4> Parts = splitPtxOperands(Operand);
    const unsigned Bits = V ? V->getType()->getIntegerBitWidth() : 0;
    const bool Splits = V && !Parts.empty() && Bits % Parts.size() == 0;
    for (unsigned I = 0; I < Parts.size(); ++I) {
      const unsigned PartBits = Splits ? Bits / Parts.size() : 0;
      write(Parts[I],
            Splits ? Builder.CreateTrunc(Builder.CreateLShr(V, I * PartBits), Builder.getIntNTy(PartBits)) : nullptr,
            Guard);
    }
    return;
  }
  if (Operand.contains('|')) { // setp.lt.s32 p|q, a, b: q is not followed
    auto [First, Second] = Operand.split('|');
    write(First, V, Guard);
    return write(Second, nullptr, Guard);
  }
  unsigned Number;
  if (Operand.starts_with("$") && to_integer(Operand.drop_front(), Number) && Number >= AsmOperands.size())
    return;
  Register *Known = findRegister(Operand);
  Register &R = Known ? *Known : Registers[Operand];
  if (!Guard.Known)
    V = nullptr;
  // If the guard is false, a register that was never written has no value that a program may use.
  if (V && Guard.Holds && R.Written) {
    Value *Old = readRegister(R, V->getType()->getIntegerBitWidth());
    V = Old ? Builder.CreateSelect(Guard.Holds, V, Old) : nullptr;
  }
  R.Content = V;
  R.Written = true;
  R.Immediate = false;
}

// cvt.TO.FROM between integers
Value *PtxValues::convert(const PtxStatement &S) {
  if (S.Modifiers.size() != 2 || S.Operands.size() != 2)
    return nullptr;
  std::optional<PtxType> To = parsePtxType(S.Modifiers[0]), From = parsePtxType(S.Modifiers[1]);
  if (!To || !From || To->isFloat() || From->isFloat())
    return nullptr;
  Value *V = readInteger(S.Operands[1], From->Bits);
  if (!V)
    return nullptr;
  Type *T = Builder.getIntNTy(To->Bits);
  return From->isSigned() ? Builder.CreateSExtOrTrunc(V, T) : Builder.CreateZExtOrTrunc(V, T);
}

// OPCODE d, a, b{, c} on integers
Value *PtxValues::evaluateArithmetic(const PtxStatement &S, const PtxType &T) {
  const StringRef Opcode(S.Opcode);
  const bool Wide = S.has("wide");
  if (S.Modifiers.size() > 2 || (S.Modifiers.size() == 2 && !S.has("lo") && !Wide))
    return nullptr;
  const bool IsShift = Opcode == "shl" || Opcode == "shr";
  Value *A = readInteger(S.Operands[1], T.Bits), *B = readInteger(S.Operands[2], IsShift ? 32 : T.Bits);
  if (!A || !B)
    return nullptr;
  if (IsShift)
    return ptxShift(Builder, S, T, A, B);
  if (Opcode == "mul" && S.Operands.size() == 3)
    return ptxProduct(Builder, S, T, A, B);
  if (Opcode == "mad" && S.Operands.size() == 4) {
    Value *C = readInteger(S.Operands[3], Wide ? 2 * T.Bits : T.Bits);
    return C ? Builder.CreateAdd(ptxProduct(Builder, S, T, A, B), C) : nullptr;
  }
  const auto Operation = StringSwitch<std::optional<Instruction::BinaryOps>>(Opcode)
                             .Case("add", Instruction::Add)
                             .Case("sub", Instruction::Sub)
                             .Case("and", Instruction::And)
                             .Case("or", Instruction::Or)
                             .Case("xor", Instruction::Xor)
                             .Default(std::nullopt);
  return Operation && S.Modifiers.size() == 1 ? Builder.CreateBinOp(*Operation, A, B) : nullptr;
}

// bmsk d, start, width; bfe d, a, start, width
Value *PtxValues::evaluateBits(const PtxStatement &S, const PtxType &T) {
  const bool IsMask = S.Opcode == "bmsk";
  if (S.Operands.size() != (IsMask ? 3 : 4) || S.Modifiers.size() != (IsMask ? 2 : 1))
    return nullptr;
  Value *V = IsMask ? nullptr : readInteger(S.Operands[1], T.Bits);
  Value *Start = readInteger(S.Operands[IsMask ? 1 : 2], 32), *Width = readInteger(S.Operands[IsMask ? 2 : 3], 32);
  if (!Start || !Width || (!IsMask && !V))
    return nullptr;
  return IsMask ? ptxMask(Builder, S, Start, Width) : ptxField(Builder, T, V, Start, Width);
}

// Returns the value that the statement writes to its first operand.
Value *PtxValues::evaluate(const PtxStatement &S) {
  const StringRef Opcode(S.Opcode);
  if (Opcode == "cvt")
    return convert(S);
  std::optional<PtxType> T = S.Modifiers.empty() ? std::nullopt : parsePtxType(S.Modifiers.back());
  if (!T || T->isFloat() || S.Operands.size() < 2)
    return nullptr;
  if (Opcode == "mov")
    return S.Modifiers.size() == 1 ? readInteger(S.Operands[1], T->Bits) : nullptr;
  // Generic and global addresses are the same numbers.
  if (Opcode == "cvta")
    return S.Modifiers.size() == 1 || S.has("global") ? readInteger(S.Operands[1], T->Bits) : nullptr;
  if (Opcode == "not" && S.Modifiers.size() == 1) {
    Value *V = readInteger(S.Operands[1], T->Bits);
    return V ? Builder.CreateNot(V) : nullptr;
  }
  if (S.Operands.size() < 3)
    return nullptr;
  if (Opcode == "setp") {
    std::optional<CmpInst::Predicate> Predicate = ptxComparison(S.Modifiers[0], *T);
    Value *A = readInteger(S.Operands[1], T->Bits), *B = readInteger(S.Operands[2], T->Bits);
    return Predicate && A && B && S.Modifiers.size() == 2 ? Builder.CreateICmp(*Predicate, A, B) : nullptr;
  }
  if (Opcode == "selp" && S.Operands.size() == 4 && S.Modifiers.size() == 1) {
    Value *A = readInteger(S.Operands[1], T->Bits), *B = readInteger(S.Operands[2], T->Bits);
    Value *Choice = readInteger(S.Operands[3], 1);
    return A && B && Choice ? Builder.CreateSelect(Choice, A, B) : nullptr;
  }
  if (Opcode == "bmsk" || (Opcode == "bfe" && !T->isSigned()))
    return evaluateBits(S, *T);
  return evaluateArithmetic(S, *T);
}

void PtxValues::execute(const PtxStatement &S) {
  if (S.Opcode == ".reg")
    return declare(S);
  if (!S.Operands.empty() && S.Opcode != ":")
    write(S.Operands[0], evaluate(S), readGuard(S));
}

} // namespace gasan
