// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/ptx/PtxTile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr unsigned kLanes = 32; // of a warp

struct Shape {
  unsigned M = 0, N = 0, K = 0;
};

// m16n16k16
std::optional<Shape> parseShape(StringRef Word) {
  Shape S;
  if (!Word.consume_front("m") || Word.consumeInteger(10, S.M) || !Word.consume_front("n") ||
      Word.consumeInteger(10, S.N) || !Word.consume_front("k") || Word.consumeInteger(10, S.K) || !Word.empty())
    return std::nullopt;
  return S;
}

unsigned elementBits(StringRef Word) {
  return StringSwitch<unsigned>(Word)
      .Case("b1", 1)
      .Cases({"s4", "u4"}, 4)
      .Cases({"s8", "u8"}, 8)
      .Cases({"f16", "bf16"}, 16)
      .Cases({"f32", "tf32", "s32"}, 32)
      .Case("f64", 64)
      .Default(0);
}

} // namespace

std::optional<PtxTile> parsePtxTile(ArrayRef<StringRef> Words) {
  Shape S;
  PtxTile Tile = {};
  char Fragment = 0;
  for (StringRef Word : Words) {
    if (std::optional<Shape> Found = parseShape(Word))
      S = *Found;
    if (unsigned Bits = elementBits(Word))
      Tile.ElementBits = Bits;
    if (Word.size() == 1 && StringRef("abcd").contains(Word))
      Fragment = Word[0];
  }
  Tile.IsStore = is_contained(Words, "store");
  Tile.Rows = Fragment == 'b' ? S.K : S.M;
  Tile.Length = Fragment == 'a' ? S.K : S.N;
  if (is_contained(Words, "col"))
    std::swap(Tile.Rows, Tile.Length);
  const bool IsOne = (Tile.IsStore || is_contained(Words, "load")) && Fragment && Tile.ElementBits;
  // Each lane takes one row, so there must not be more rows than lanes.
  if (!IsOne || Tile.Rows == 0 || Tile.Rows > kLanes || Tile.Length == 0 || Tile.Length > 256)
    return std::nullopt;
  return Tile;
}

PtxTileRow rowOfThisLane(IRBuilderBase &B, const PtxTile &Tile, Value *Pointer, Value *Stride, Value *Guard) {
  Value *Lane = B.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_laneid, {});
  Value *Elements = Stride ? B.CreateZExtOrTrunc(Stride, B.getInt64Ty()) : B.getInt64(Tile.Length);
  Value *Bits = B.CreateMul(B.CreateMul(B.CreateZExt(Lane, B.getInt64Ty()), Elements), B.getInt64(Tile.ElementBits));
  if (Tile.Rows < kLanes) {
    Value *HasRow = B.CreateICmpULT(Lane, B.getInt32(Tile.Rows));
    Guard = Guard ? B.CreateLogicalAnd(Guard, HasRow) : HasRow;
  }
  return {B.CreatePtrAdd(Pointer, B.CreateLShr(Bits, 3)), B.getInt64(uint64_t(Tile.Length) * Tile.ElementBits / 8),
          Guard};
}

} // namespace gasan
