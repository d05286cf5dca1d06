// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces llvm.nvvm.wmma.* by helpers, which get the fragments' registers through memory.
#include "device/cpu/matrix.h"
#include "gasan_pass/retarget/Steps.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gasan {

namespace {

struct Wmma {
  MatrixShape Shape;
  SmallVector<StringRef, 8> Words; // of the name after the shape

  bool has(StringRef Word) const { return is_contained(Words, Word); }
};

class WmmaCall {
public:
  WmmaCall(CallInst &Call, const Module &Helpers)
      : Call(Call), Helpers(Helpers), Builder(&Call),
        Entry(&Call.getFunction()->getEntryBlock(), Call.getFunction()->getEntryBlock().begin()) {}

  void load(const Wmma &W, unsigned Operand, unsigned Type) {
    AllocaInst *Registers = createMatrixSlot(Entry);
    Builder.CreateMemSet(Registers, Builder.getInt8(0), GASAN_MATRIX_REGISTERS * 4, Registers->getAlign());
    move("load", W, Operand, Type, Call.getArgOperand(0), Call.getArgOperand(Call.arg_size() - 1), Registers);
    finish(Registers);
  }

  void store(const Wmma &W, unsigned Type) {
    move("store", W, GASAN_MATRIX_C, Type, Call.getArgOperand(0), Call.getArgOperand(Call.arg_size() - 1),
         storeArguments(1, Call.arg_size() - 2));
    Call.eraseFromParent();
  }

  void multiply(const Wmma &W, unsigned TypeA, unsigned TypeC, unsigned TypeD, unsigned CountA, unsigned CountB) {
    AllocaInst *D = createMatrixSlot(Entry), *A = storeArguments(0, CountA), *B = storeArguments(CountA, CountB);
    AllocaInst *C = storeArguments(CountA + CountB, Call.arg_size() - CountA - CountB);
    const unsigned Flags = (W.has("satfinite") ? GASAN_MATRIX_SATFINITE : 0) | (W.has("and") ? GASAN_MATRIX_AND : 0);
    SmallVector<Value *, 12> Arguments;
    for (unsigned Number : {W.Shape.M, W.Shape.N, W.Shape.K, Flags, TypeA, TypeA, TypeC, TypeD})
      Arguments.push_back(Builder.getInt32(Number));
    Arguments.append({A, B, C, D});
    callHelper(Builder, *Helpers.getFunction("gasan_nvvm_matrix_multiply"), Arguments);
    finish(D);
  }

private:
  void move(StringRef What, const Wmma &W, unsigned Operand, unsigned Type, Value *Memory, Value *Stride,
            Value *Registers) {
    SmallVector<Value *, 9> Arguments;
    for (unsigned Number : {W.Shape.M, W.Shape.N, W.Shape.K, Operand, Type, unsigned(W.has("col"))})
      Arguments.push_back(Builder.getInt32(Number));
    Arguments.append({Memory, Stride, Registers});
    callHelper(Builder, *Helpers.getFunction(("gasan_nvvm_matrix_" + What).str()), Arguments);
  }

  AllocaInst *storeArguments(unsigned First, unsigned Count) {
    AllocaInst *Registers = createMatrixSlot(Entry);
    for (unsigned I = 0; I < Count; ++I) {
      Value *V = Call.getArgOperand(First + I);
      Builder.CreateAlignedStore(V, Builder.CreateConstGEP1_32(V->getType(), Registers, I), Align(4));
    }
    return Registers;
  }

  // Replaces the call's result by the registers' values.
  void finish(AllocaInst *Registers) {
    Type *Result = Call.getType();
    auto Load = [&](Type *T, unsigned I) {
      return Builder.CreateAlignedLoad(T, Builder.CreateConstGEP1_32(T, Registers, I), Align(4));
    };
    Value *Whole;
    if (auto *Struct = dyn_cast<StructType>(Result)) {
      Whole = PoisonValue::get(Struct);
      for (unsigned I = 0; I < Struct->getNumElements(); ++I)
        Whole = Builder.CreateInsertValue(Whole, Load(Struct->getElementType(I), I), I);
    } else {
      Whole = Load(Result, 0);
    }
    Call.replaceAllUsesWith(Whole);
    Call.eraseFromParent();
  }

  CallInst &Call;
  const Module &Helpers;
  IRBuilder<> Builder, Entry;
};

// Returns the number of registers of an operand of A's or B's type. An f16 operand holds each element twice, as on
// Volta.
unsigned registersOf(unsigned Elements, unsigned Type) {
  switch (Type) {
  case GASAN_MATRIX_F16:
    return 8;
  case GASAN_MATRIX_BF16:
    return Elements / 64;
  case GASAN_MATRIX_S8:
  case GASAN_MATRIX_U8:
    return Elements / 128;
  case GASAN_MATRIX_S4:
  case GASAN_MATRIX_U4:
    return Elements / 256;
  case GASAN_MATRIX_B1:
    return Elements / 1024;
  default:
    return Elements / 32;
  }
}

// Returns an accumulator's matrix type, by its IR type.
unsigned accumulatorType(Type *T) {
  if (auto *Struct = dyn_cast<StructType>(T))
    T = Struct->getElementType(0);
  return T->isFloatTy()    ? GASAN_MATRIX_F32
         : T->isDoubleTy() ? GASAN_MATRIX_F64
         : T->isVectorTy() ? GASAN_MATRIX_F16
                           : GASAN_MATRIX_S32;
}

// m16n16k16.load.a.row.stride.f16.p0, m16n16k16.mma.row.col.f32.f16, m16n16k16.store.d.row.stride.f32.p0
std::optional<Wmma> parse(StringRef Name) {
  Wmma Result;
  Name.split(Result.Words, '.');
  std::optional<MatrixShape> Shape = matrixShape(Result.Words.front());
  if (!Shape)
    return std::nullopt;
  Result.Shape = *Shape;
  Result.Words.erase(Result.Words.begin());
  if (Result.Words.size() < 3)
    return std::nullopt;
  return Result;
}

} // namespace

bool lowerWmma(StringRef Name, ArrayRef<CallInst *> Calls, const Module &Helpers) {
  if (!Name.consume_front("llvm.nvvm.wmma."))
    return false;
  std::optional<Wmma> W = parse(Name);
  if (!W)
    return false;
  const StringRef Action = W->Words[0];
  std::optional<unsigned> Type;
  for (StringRef Word : W->Words)
    if (!Type)
      Type = matrixType(Word);
  const bool Strided = W->has("stride");
  if (!Type || (Action != "mma" && !Strided))
    return false;
  for (CallInst *Call : Calls) {
    WmmaCall Lowering(*Call, Helpers);
    if (Action == "load") {
      Lowering.load(*W,
                    W->Words[1] == "a"   ? GASAN_MATRIX_A
                    : W->Words[1] == "b" ? GASAN_MATRIX_B
                                         : GASAN_MATRIX_C,
                    *Type);
    } else if (Action == "store") {
      Lowering.store(*W, *Type);
    } else {
      // For f16, the name has the types of D and C only.
      const unsigned TypeA = *Type == GASAN_MATRIX_F32 ? unsigned(GASAN_MATRIX_F16) : *Type;
      Lowering.multiply(*W, TypeA, accumulatorType(Call->getArgOperand(Call->arg_size() - 1)->getType()),
                        accumulatorType(Call->getType()), registersOf(W->Shape.M * W->Shape.K, TypeA),
                        registersOf(W->Shape.N * W->Shape.K, TypeA));
    }
  }
  return true;
}

} // namespace gasan
