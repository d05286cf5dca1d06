/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The tile of memory that a wmma load or store reads or writes: rows at equal distances.
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

// The words of an instruction's (or an intrinsic's) name, in any order: load a row m16n16k16 f16. Empty if it is no
// tile.
std::optional<PtxTile> parsePtxTile(llvm::ArrayRef<llvm::StringRef> Words);

struct PtxTileRow {
  llvm::Value *Pointer;
  llvm::Value *Size; // bytes
};

// A warp makes the access together: each lane takes one row for its own (lanes past the last row: no bytes). Stride:
// from one row to the next, in elements; null: the rows are next to each other.
PtxTileRow rowOfThisLane(llvm::IRBuilderBase &B, const PtxTile &Tile, llvm::Value *Pointer, llvm::Value *Stride);

} // namespace gasan

#endif
