/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Splits the text of inline PTX into statements.
#ifndef GASAN_PASS_PTX_PTXTEXT_H
#define GASAN_PASS_PTX_PTXTEXT_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace gasan {

// @!Guard Opcode.Modifier.Modifier Operand, Operand;
struct PtxStatement {
  std::string Guard; // predicate register; empty: always
  bool GuardNegated = false;
  std::string Opcode; // ".reg" for a declaration, ":" for a label
  unsigned Depth = 0; // number of braces around it; a name lives until the brace after its declaration closes
  llvm::SmallVector<std::string, 6> Modifiers;
  llvm::SmallVector<std::string, 4> Operands;

  bool has(llvm::StringRef Modifier) const { return llvm::is_contained(Modifiers, Modifier); }
};

// Kind: u, s, b (bits), f (f32, f64), h (f16), z (bf16), t (tf32), p (predicate). Packed: two values, Bits is their
// sum.
struct PtxType {
  char Kind;
  unsigned Bits;
  bool Packed = false;

  bool isFloat() const { return Kind == 'f' || Kind == 'h' || Kind == 'z'; }
  bool isSigned() const { return Kind == 's'; }
};

// Parses the string of an inline asm, with operands $0, $1, ... Empty: a declaration is malformed.
std::optional<std::vector<PtxStatement>> parsePtx(llvm::StringRef AsmString);
// Parses one statement without its semicolon, without comments. Empty: a declaration is malformed.
std::optional<PtxStatement> parsePtxStatement(llvm::StringRef Text);
std::optional<PtxType> parsePtxType(llvm::StringRef Name);
// Splits "a, {b, c}, [d], (e, f)" at the commas outside of brackets.
llvm::SmallVector<std::string, 4> splitPtxOperands(llvm::StringRef Text);

} // namespace gasan

#endif
