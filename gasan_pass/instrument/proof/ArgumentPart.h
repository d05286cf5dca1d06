/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Finds the values in a kernel that the host knows: arguments, and members of structures that are passed by value.
#ifndef GASAN_PASS_INSTRUMENT_PROOF_ARGUMENTPART_H
#define GASAN_PASS_INSTRUMENT_PROOF_ARGUMENTPART_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include <optional>

namespace gasan {

struct ArgumentPart {
  unsigned Number;
  uint64_t Offset; // bytes
};

// The bytes of by-value structures that a kernel may write. Must be created before anything is inserted.
class WrittenBytes {
public:
  explicit WrittenBytes(const llvm::Function &Kernel);

  // Returns true if the kernel may write to some of these bytes of its argument.
  bool mayHave(unsigned Argument, uint64_t Offset, uint64_t Size) const;

private:
  struct Range {
    unsigned Argument;
    int64_t Offset, Size; // bytes
  };
  llvm::SmallVector<Range, 4> Known;
  llvm::BitVector Unknown; // by argument: it may be written to anywhere

  bool follow(const llvm::Value &Pointer, unsigned Argument, int64_t Offset, const llvm::DataLayout &DL,
              unsigned Depth);
};

std::optional<ArgumentPart> argumentPart(const llvm::Value &V, const WrittenBytes &Written);

// Equally spaced places for pointers in a by-value structure. The kernel computes the number of the place that it
// reads: the sum of First and of each value times its factor, in 64 bits.
struct ArgumentTable {
  unsigned Number;               // of the argument
  uint64_t Offset, Stride, Size; // of the first place, in bytes; between places, in bytes; number of places
  int64_t First;
  llvm::SmallVector<std::pair<llvm::Value *, int64_t>, 2> Terms;

  bool hasSamePlaces(const ArgumentTable &Other) const {
    return Number == Other.Number && Offset == Other.Offset && Stride == Other.Stride && Size == Other.Size;
  }
};

// Returns the places from which the pointer may be loaded. Empty: the pointer is not loaded from a by-value structure,
// is loaded from one known place, or there are too many places.
std::optional<ArgumentTable> argumentTable(const llvm::Value &Pointer, const WrittenBytes &Written);

// Elements of an array in a by-value structure. The kernel reads the element that begins as many bytes behind the first
// as the sum of each value times its factor, in 64 bits.
struct ArgumentElements {
  unsigned Number;                // of the argument
  uint64_t Offset, Stride, Bytes; // of the first element; the sum is a multiple of Stride; of the array or its start
  llvm::SmallVector<std::pair<llvm::Value *, int64_t>, 2> Terms;
};

// Returns the elements of which V may be one. Empty: V is not loaded from a by-value structure, or from a known place.
std::optional<ArgumentElements> argumentElements(const llvm::Value &V, const WrittenBytes &Written);

} // namespace gasan

#endif
