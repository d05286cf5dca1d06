// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix instructions of inline PTX.
#include "device/cpu/matrix.h"
#include "gasan_pass/retarget/PtxHandlers.h"
#include "gasan_pass/retarget/Steps.h"

using namespace llvm;

namespace gasan {

std::optional<unsigned> matrixType(StringRef Name) {
  constexpr std::pair<StringRef, unsigned> kTypes[] = {
      {"f16", GASAN_MATRIX_F16}, {"bf16", GASAN_MATRIX_BF16}, {"tf32", GASAN_MATRIX_TF32}, {"f32", GASAN_MATRIX_F32},
      {"f64", GASAN_MATRIX_F64}, {"s8", GASAN_MATRIX_S8},     {"u8", GASAN_MATRIX_U8},     {"s4", GASAN_MATRIX_S4},
      {"u4", GASAN_MATRIX_U4},   {"b1", GASAN_MATRIX_B1},     {"s32", GASAN_MATRIX_S32},
  };
  for (auto [Known, Type] : kTypes)
    if (Known == Name)
      return Type;
  return std::nullopt;
}

std::optional<MatrixShape> matrixShape(StringRef Name) {
  MatrixShape Shape;
  if (Name.consume_front("m") && !Name.consumeInteger(10, Shape.M) && Name.consume_front("n") &&
      !Name.consumeInteger(10, Shape.N) && Name.consume_front("k") && !Name.consumeInteger(10, Shape.K) && Name.empty())
    return Shape;
  return std::nullopt;
}

AllocaInst *createMatrixSlot(IRBuilderBase &AtEntry) {
  return AtEntry.CreateAlloca(ArrayType::get(AtEntry.getInt32Ty(), GASAN_MATRIX_REGISTERS));
}

namespace ptx {

namespace {

AllocaInst *createMatrix(PtxFunction &P) {
  BasicBlock &Entry = P.function()->getEntryBlock();
  IRBuilder<> AtEntry(&Entry, Entry.begin());
  return createMatrixSlot(AtEntry);
}

SmallVector<std::string, 4> registersOf(StringRef Operand) {
  if (Operand.consume_front("{") && Operand.consume_back("}"))
    return splitPtxOperands(Operand);
  return {Operand.str()};
}

// Stores the registers "{a, b}" into memory.
AllocaInst *storeRegisters(PtxFunction &P, StringRef Operand, unsigned Bits) {
  AllocaInst *Memory = createMatrix(P);
  SmallVector<std::string, 4> Registers = registersOf(Operand);
  if (Registers.size() * Bits > GASAN_MATRIX_REGISTERS * 32) {
    P.fail();
    return Memory;
  }
  Type *T = P.Builder.getIntNTy(Bits);
  for (auto [I, Register] : enumerate(Registers))
    P.Builder.CreateStore(P.read(Register, PtxType{'b', Bits}), P.Builder.CreateConstGEP1_32(T, Memory, I));
  return Memory;
}

void loadRegisters(PtxFunction &P, StringRef Operand, AllocaInst *Memory, unsigned Bits) {
  Type *T = P.Builder.getIntNTy(Bits);
  for (auto [I, Register] : enumerate(registersOf(Operand)))
    P.write(Register, P.Builder.CreateLoad(T, P.Builder.CreateConstGEP1_32(T, Memory, I)));
}

} // namespace

// mma.sync.aligned.SHAPE.row.col{.satfinite}.D.A.B.C{.OPERATION.popc} d, a, b, c
void multiplyMatrices(PtxFunction &P, const PtxStatement &S) {
  std::optional<MatrixShape> Shape;
  SmallVector<unsigned, 4> Types;
  for (StringRef Modifier : S.Modifiers) {
    if (std::optional<MatrixShape> Found = matrixShape(Modifier))
      Shape = Found;
    if (std::optional<unsigned> Type = matrixType(Modifier))
      Types.push_back(*Type);
  }
  // For the smallest shape, only f64 has this layout; f16's is Volta's own.
  const bool IsVolta = Shape && Types.size() == 4 && Shape->M == 8 && Shape->K == 4 && Types[1] != GASAN_MATRIX_F64;
  if (!Shape || Types.size() != 4 || IsVolta || !S.has("row") || !S.has("col") || !hasOperands(P, S, 4))
    return P.fail();
  auto BitsOf = [](unsigned Type) { return Type == GASAN_MATRIX_F64 ? 64u : 32u; };
  IRBuilder<> &B = P.Builder;
  AllocaInst *D = createMatrix(P);
  AllocaInst *Sources[3];
  for (unsigned I = 0; I < 3; ++I)
    Sources[I] = storeRegisters(P, S.Operands[I + 1], BitsOf(Types[I + 1]));
  const unsigned Flags = GASAN_MATRIX_FRAGMENT_MMA | (S.has("satfinite") ? GASAN_MATRIX_SATFINITE : 0) |
                         (S.has("and") ? GASAN_MATRIX_AND : 0);
  P.callHelper("matrix_multiply", {B.getInt32(Shape->M), B.getInt32(Shape->N), B.getInt32(Shape->K), B.getInt32(Flags),
                                   B.getInt32(Types[1]), B.getInt32(Types[2]), B.getInt32(Types[3]),
                                   B.getInt32(Types[0]), Sources[0], Sources[1], Sources[2], D});
  loadRegisters(P, S.Operands[0], D, BitsOf(Types[0]));
}

// ldmatrix.sync.aligned.m8n8.xN{.trans}.shared.b16 d, [address of a row]
void loadMatrix(PtxFunction &P, const PtxStatement &S) {
  const unsigned Count = S.has("x4") ? 4 : S.has("x2") ? 2 : 1;
  if (!hasOperands(P, S, 2) || registersOf(S.Operands[0]).size() != Count)
    return P.fail();
  AllocaInst *D = createMatrix(P);
  P.callHelper("ldmatrix",
               {P.readAddress(S.Operands[1]), P.Builder.getInt32(Count), P.Builder.getInt1(S.has("trans")), D});
  loadRegisters(P, S.Operands[0], D, 32);
}

// movmatrix.sync.aligned.m8n8.trans.b16 d, a
void transposeMatrix(PtxFunction &P, const PtxStatement &S) {
  callNamed(P, S, "movmatrix");
}

} // namespace ptx

} // namespace gasan
