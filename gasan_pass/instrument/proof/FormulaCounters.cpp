// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Relates a pointer or an index to a counter of the same loop:
//
//   for (int i = 0; i < 48; i++, at += 4)
//     if (i >= 3)
//       ... at[-12] ...                  at = start + 4 * i
//
//   for (int k = 0; k < depth; k += 32, index += 32 * width)
//     if (k < depth - 64)
//       ... b[index + 64 * width] ...    index = start + k / 32 * (32 * width)
//
// Optimisers make such pointers and indices of products. Tests of the counter then bound them.
//
// The relation holds while the counter does not wrap. In launches in which it may, the pointer or index has the values
// that follow from its steps.
#include "gasan_pass/instrument/proof/Formula.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {
namespace {

struct Moving { // in a loop's header
  Value *Start = nullptr;
  APInt Step;
  Value *Invariant = nullptr; // the step, if it is no constant
};

std::optional<Moving> movingPointer(PHINode &Pointer, const Loop &L, const DataLayout &DL) {
  Moving M = {Pointer.getIncomingValueForBlock(L.getLoopPredecessor()),
              APInt(DL.getIndexTypeSizeInBits(Pointer.getType()), 0)};
  const Value *Next = Pointer.getIncomingValueForBlock(L.getLoopLatch());
  if (Next->stripAndAccumulateConstantOffsets(DL, M.Step, /*AllowNonInbounds=*/true) != &Pointer)
    return std::nullopt;
  return M.Step.getBitWidth() != 64 || M.Step.isZero() || M.Step.isMinSignedValue() ? std::nullopt : std::optional(M);
}

// Leaves out indices with a constant step: they may be the counters of each other.
std::optional<Moving> movingIndex(PHINode &Index, const Loop &L) {
  Value *Step;
  if (!match(Index.getIncomingValueForBlock(L.getLoopLatch()), m_c_Add(m_Specific(&Index), m_Value(Step))) ||
      isa<Constant>(Step) || !L.isLoopInvariant(Step))
    return std::nullopt;
  return Moving{Index.getIncomingValueForBlock(L.getLoopPredecessor()), APInt(), Step};
}

std::optional<Moving> counter(PHINode &Phi, const Loop &L) {
  const APInt *Start, *Step;
  Value *Begin = Phi.getIncomingValueForBlock(L.getLoopPredecessor());
  if (!Phi.getType()->isIntegerTy() || Phi.getType()->getIntegerBitWidth() > 64 || !match(Begin, m_APInt(Start)) ||
      !match(Phi.getIncomingValueForBlock(L.getLoopLatch()), m_Add(m_Specific(&Phi), m_APInt(Step))))
    return std::nullopt;
  return Moving{Begin, *Step};
}

} // namespace

// Narrows N, the values of a pointer or index in a loop's header, by those of a counter beside it.
Node Formulas::byCounterBeside(PHINode &Variable, Node N, const Place *At) {
  const Loop *L = Loops.getLoopFor(Variable.getParent());
  if (!L || L->getHeader() != Variable.getParent() || !L->getLoopLatch() || !L->getLoopPredecessor())
    return N;
  const bool IsPointer = Variable.getType()->isPointerTy();
  const std::optional<Moving> M =
      IsPointer ? movingPointer(Variable, *L, Kernel.getDataLayout()) : movingIndex(Variable, *L);
  if (!M)
    return N;
  constexpr unsigned kBits = 64;
  const unsigned OwnBits = IsPointer ? kBits : bitsOf(&Variable);
  for (PHINode &Phi : L->getHeader()->phis()) {
    const std::optional<Moving> C = counter(Phi, *L);
    if (!C || C->Step.isZero() || C->Step.isMinSignedValue() || openItem(&Phi))
      continue;
    const int64_t Step = C->Step.getSExtValue();
    if (IsPointer && M->Step.getSExtValue() % Step != 0)
      continue;
    const std::optional<Node> Times = timesOf(*L);
    const Node Number = of(&Phi, At);
    if (!Times || Number == phi(Phi)) // no test bounds it here
      return N;
    const unsigned Bits = bitsOf(&Phi);
    const uint64_t Most = uint64_t(maxIntN(Bits)) / uint64_t(std::abs(Step)); // rounds without wrapping
    Node Way = Nodes.operate(GASAN_PROOF_SUB, Bits, Number, of(C->Start, At));
    Way = Nodes.resize(Way, kBits, /*Signed=*/true);
    Node Now;
    if (IsPointer) {
      const Node Factor = Nodes.constant(kBits, uint64_t(M->Step.getSExtValue() / Step));
      Now = sumOfOffsets(of(M->Start, At), Nodes.operate(GASAN_PROOF_MUL, kBits, Way, Factor));
    } else {
      const Node Rounds = Nodes.operate(GASAN_PROOF_SDIV, kBits, Way, Nodes.constant(kBits, uint64_t(Step)));
      const Node Moved =
          Nodes.operate(GASAN_PROOF_MUL, OwnBits, Nodes.resize(Rounds, OwnBits, /*Signed=*/true), of(M->Invariant, At));
      Now = Nodes.operate(GASAN_PROOF_ADD, OwnBits, of(M->Start, At), Moved);
    }
    return unionOf(
        Nodes.where(CmpInst::ICMP_EQ, N, Now),
        Nodes.operate(GASAN_PROOF_IF, OwnBits, N, Nodes.where(CmpInst::ICMP_UGT, *Times, Nodes.constant(kBits, Most))));
  }
  return N;
}

} // namespace gasan
