// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and writes operands.
#include "gasan_pass/lift/FunctionLifter.h"
#include "gasan_pass/lift/Reader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gasan::lift {

std::optional<PtxType> FunctionLifter::lastType(const PtxStatement &S) const {
  return S.Modifiers.empty() ? std::nullopt : parsePtxType(S.Modifiers.back());
}

// Returns true if all modifiers but the types are among the words.
bool FunctionLifter::hasOnly(const PtxStatement &S, StringRef Words) const {
  SmallVector<StringRef, 16> Allowed;
  Words.split(Allowed, ' ', -1, /*KeepEmpty=*/false);
  return all_of(S.Modifiers, [&](StringRef M) { return is_contained(Allowed, M) || parsePtxType(M).has_value(); });
}

std::optional<uint64_t> FunctionLifter::readConstant(StringRef Operand, unsigned Bits) {
  Operand = Operand.trim();
  if (Operand.empty() ||
      !(isDigit(Operand[0]) || StringRef("-+~!(.").contains(Operand[0]) || Operand.starts_with("WARP_SZ")))
    return std::nullopt;
  Reader R(Operand);
  const uint64_t Value = R.constant(Bits);
  if (R.failed() || !R.atEnd())
    return std::nullopt;
  return Value;
}

// Reads %tid.x and the like.
Value *FunctionLifter::readSpecial(StringRef Name) {
  std::string Register = Name.drop_front().str();
  if (Register == "gridid") // LLVM reads 32 bits
    Register = "";
  const Intrinsic::ID Known =
      Register.empty() ? Intrinsic::not_intrinsic : Intrinsic::lookupIntrinsicID("llvm.nvvm.read.ptx.sreg." + Register);
  if (Known != Intrinsic::not_intrinsic)
    return B.CreateIntrinsic(Known, ArrayRef<Type *>(), {});
  const bool IsWide = StringRef(Register).ends_with("64") || Register.empty() || Name == "%globaltimer" ||
                      Name == "%current_graph_exec";
  if (Name == "%is_explicit_cluster")
    return B.CreateIntrinsic(Intrinsic::nvvm_is_explicit_cluster, ArrayRef<Type *>(), {});
  const std::string Text = (Twine(IsWide ? "mov.u64" : "mov.u32") + " $0, " + Name + ";").str();
  FunctionType *T = FunctionType::get(IsWide ? B.getInt64Ty() : B.getInt32Ty(), false);
  return B.CreateCall(InlineAsm::get(T, Text, IsWide ? "=l" : "=r", /*hasSideEffects=*/true));
}

// Returns the address of a variable, parameter or function as a number.
Value *FunctionLifter::readSymbol(StringRef Name) {
  Value *Pointer = nullptr;
  if (const Place *P = findPlace(Name)) {
    Pointer = P->Pointer;
    if (P->Declared->Space == "local" || isOpenArray(*P->Declared))
      Pointer = B.CreateAddrSpaceCast(Pointer, B.getPtrTy(NVPTXAS::ADDRESS_SPACE_LOCAL));
  } else {
    Pointer = L.findSymbol(Name);
  }
  return Pointer ? B.CreatePtrToInt(Pointer, B.getInt64Ty()) : nullptr;
}

// "{a, b}"
Value *FunctionLifter::pack(StringRef Operand, unsigned Bits) {
  SmallVector<std::string, 4> Parts = splitPtxOperands(Operand.drop_front().drop_back());
  if (Parts.empty() || Bits % Parts.size()) {
    fail("the vector '" + Operand + "' does not fit");
    return PoisonValue::get(B.getIntNTy(Bits));
  }
  const unsigned PartBits = Bits / Parts.size();
  Value *Vector = PoisonValue::get(FixedVectorType::get(B.getIntNTy(PartBits), Parts.size()));
  for (size_t I = 0; I < Parts.size(); ++I)
    Vector = B.CreateInsertElement(Vector, readBits(Parts[I], PartBits), I);
  return B.CreateBitCast(Vector, B.getIntNTy(Bits));
}

void FunctionLifter::unpack(StringRef Operand, Value *V, const PtxType &T) {
  SmallVector<std::string, 4> Parts = splitPtxOperands(Operand.drop_front().drop_back());
  if (Parts.empty() || T.Bits % Parts.size())
    return fail("the vector '" + Operand + "' does not fit");
  const unsigned PartBits = T.Bits / Parts.size();
  Value *Vector = changeBits(B, V, B.getIntNTy(T.Bits));
  Vector = B.CreateBitCast(Vector, FixedVectorType::get(B.getIntNTy(PartBits), Parts.size()));
  for (size_t I = 0; I < Parts.size(); ++I)
    write(Parts[I], B.CreateExtractElement(Vector, I), PtxType{'b', PartBits});
}

Value *FunctionLifter::readBits(StringRef Operand, unsigned Bits) {
  Operand = Operand.trim();
  Type *Integer = B.getIntNTy(Bits);
  if (Operand.starts_with("!") && Bits == 1)
    return B.CreateNot(readBits(Operand.drop_front(), 1));
  if (Operand.starts_with("{") && Operand.ends_with("}"))
    return pack(Operand, Bits);
  if (const Register *R = findRegister(Operand)) {
    if ((R->Type.Kind == 'p') != (Bits == 1))
      fail("'" + Operand + "' has another type");
    return changeBits(B, B.CreateLoad(R->Slot->getAllocatedType(), R->Slot), Integer);
  }
  if (Operand.starts_with("%") && !findPlace(Operand))
    return changeBits(B, readSpecial(Operand), Integer);
  if (std::optional<uint64_t> Number = readConstant(Operand, Bits))
    return ConstantInt::get(Integer, APInt(64, *Number).sextOrTrunc(Bits));
  const size_t Sign = Operand.find_first_of("+-");
  Value *Symbol = readSymbol(Operand.take_front(Sign).trim());
  std::optional<uint64_t> Offset = Sign == StringRef::npos ? 0 : readConstant(Operand.drop_front(Sign), 64);
  if (!Symbol || !Offset) {
    fail("unknown operand '" + Operand + "'");
    return PoisonValue::get(Integer);
  }
  if (*Offset) {
    auto *Address = dyn_cast<PtrToIntOperator>(Symbol); // a step from the pointer, so that its object stays known
    Symbol = Address
                 ? B.CreatePtrToInt(B.CreatePtrAdd(Address->getPointerOperand(), B.getInt64(*Offset)), B.getInt64Ty())
                 : B.CreateAdd(Symbol, B.getInt64(*Offset));
  }
  return changeBits(B, Symbol, Integer);
}

Value *FunctionLifter::read(StringRef Operand, const PtxType &T) {
  // A constant of a type of 32 bits may stand where half precision is read: its bits.
  return changeBits(B, readBits(Operand, T.Bits), valueType(F.getContext(), T));
}

void FunctionLifter::write(StringRef Operand, Value *V, const PtxType &T) {
  Operand = Operand.trim();
  if (Operand == "_")
    return;
  if (Operand.starts_with("{") && Operand.ends_with("}"))
    return unpack(Operand, V, T);
  const Register *R = findRegister(Operand);
  if (!R)
    return fail("'" + Operand + "' is no register");
  Type *Slot = R->Slot->getAllocatedType();
  if ((R->Type.Kind == 'p') != V->getType()->isIntegerTy(1))
    return fail("'" + Operand + "' has another type");
  V = changeBits(B, V, B.getIntNTy(V->getType()->isPointerTy() ? 64 : V->getType()->getPrimitiveSizeInBits()));
  Type *Integer = B.getIntNTy(Slot->getPrimitiveSizeInBits());
  V = T.isSigned() ? B.CreateSExtOrTrunc(V, Integer) : B.CreateZExtOrTrunc(V, Integer);
  B.CreateStore(changeBits(B, V, Slot), R->Slot);
}

Value *FunctionLifter::address(StringRef Operand, StringRef Space) {
  Operand = Operand.trim();
  Operand.consume_back(".unified"); // a promise of the program's
  if (!Operand.consume_front("[") || !Operand.consume_back("]")) {
    fail("expected an address in brackets");
    return PoisonValue::get(B.getPtrTy());
  }
  Operand = Operand.trim();
  const unsigned Number = addressSpace(Space);
  Type *Pointer = B.getPtrTy(Number);
  const size_t Sign = Operand.find_first_of("+-", 1);
  StringRef Base = Operand.take_front(Sign).trim();
  std::optional<uint64_t> Offset = 0;
  if (Sign != StringRef::npos)
    Offset = readConstant(Operand.drop_front(Sign), 64);
  Value *Result = nullptr;
  if (const Place *P = findPlace(Base)) {
    Result = P->Pointer;
  } else if (GlobalValue *G = L.findSymbol(Base)) {
    Result = G;
  } else if (findRegister(Base)) {
    const unsigned Bits = findRegister(Base)->Type.Bits;
    if (Bits < 16 || Bits > 64)
      fail("an address has 16 to 64 bits");
    Result = B.CreateIntToPtr(B.CreateZExt(readBits(Base, Bits), B.getInt64Ty()), Pointer);
  } else if (std::optional<uint64_t> Whole = readConstant(Operand, 64)) {
    return B.CreateIntToPtr(B.getInt64(*Whole), Pointer);
  }
  if (!Result || !Offset) {
    fail("unknown address '" + Operand + "'");
    return PoisonValue::get(Pointer);
  }
  // A local variable and a parameter have generic pointers here, as everywhere in LLVM.
  if (Result->getType() != Pointer && isa<GlobalValue>(Result))
    Result = B.CreateAddrSpaceCast(Result, Pointer);
  return *Offset ? B.CreatePtrAdd(Result, B.getInt64(*Offset)) : Result;
}

} // namespace gasan::lift
