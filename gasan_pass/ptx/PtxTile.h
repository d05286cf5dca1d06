/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Describes the memory of a wmma load or store: rows at equal distances.
#ifndef GASAN_PASS_PTX_PTXTILE_H
#define GASAN_PASS_PTX_PTXTILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"
#include <optional>

namespace gasan {

struct PtxTile {
  bool IsStore;
  unsigned Rows;   // columns of a tile that is stored by columns
  unsigned Length; // elements of a row
  unsigned ElementBits;
};

// Parses the words of an instruction's or intrinsic's name, in any order, such as: load a row m16n16k16 f16. Empty: the
// name is not a tile access.
std::optional<PtxTile> parsePtxTile(llvm::ArrayRef<llvm::StringRef> Words);

struct PtxTileRow {
  llvm::Value *Pointer;
  llvm::Value *Size;  // bytes, a constant
  llvm::Value *Guard; // i1: this lane has a row; null: all lanes have one
};

// Returns the row that this lane checks. The warp accesses the tile together, so each lane checks one row, if there are
// as many. Guard: the access happens if this is true; null: always. Stride: distance between rows in elements; null:
// the rows are adjacent.
PtxTileRow rowOfThisLane(llvm::IRBuilderBase &B, const PtxTile &Tile, llvm::Value *Pointer, llvm::Value *Stride,
                         llvm::Value *Guard = nullptr);

} // namespace gasan

#endif
