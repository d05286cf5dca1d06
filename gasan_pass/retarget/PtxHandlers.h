/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Declares the handlers of PtxInstructions.inc, and functions that they share.
#ifndef GASAN_PASS_RETARGET_PTXHANDLERS_H
#define GASAN_PASS_RETARGET_PTXHANDLERS_H

#include "gasan_pass/retarget/PtxFunction.h"

namespace gasan::ptx {

#define GASAN_PTX(opcode, handler, modifiers) void handler(PtxFunction &P, const PtxStatement &S);
#include "gasan_pass/retarget/PtxInstructions.inc"

inline constexpr PtxType kBits32{'b', 32}, kBits64{'b', 64}, kPredicate{'p', 1};

// PtxDispatch.cpp
// Returns the last type among the modifiers. Calls fail() if there is none.
PtxType lastType(PtxFunction &P, const PtxStatement &S);
llvm::SmallVector<PtxType, 4> typesOf(const PtxStatement &S);
// Returns true if the number of the statement's operands is in the range. Otherwise calls fail() and returns false.
bool hasOperands(PtxFunction &P, const PtxStatement &S, size_t Least, size_t Most);
inline bool hasOperands(PtxFunction &P, const PtxStatement &S, size_t Count) {
  return hasOperands(P, S, Count, Count);
}
std::string helperName(const PtxStatement &S);
// Calls the helper `Name` with all operands but the first, which receives the result, if there is one.
void callNamed(PtxFunction &P, const PtxStatement &S, const llvm::Twine &Name);

// PtxFloat.cpp
// Replaces subnormals by zeros of the same sign if the statement has .ftz.
llvm::Value *flushIfAsked(PtxFunction &P, const PtxStatement &S, llvm::Value *V);
// Clamps to [0, 1]; NaN becomes 0.
llvm::Value *saturateToUnit(PtxFunction &P, llvm::Value *V);

} // namespace gasan::ptx

#endif
