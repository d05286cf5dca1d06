// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Relates a pointer to a counter of the same loop:
//
//   for (int i = 0; i < 48; i++, at += 4)
//     if (i >= 3)
//       ... at[-12] ...                  at = start + 4 * i
//
// nvcc makes such pointers of indices. Tests of the counter then bound the pointer.
//
// The relation holds while the counter does not wrap. In launches in which it may, the pointer has the values that
// follow from its steps.
#include "gasan_pass/instrument/proof/Formula.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {
namespace {

struct Moving { // in a loop's header
  Value *Start = nullptr;
  APInt Step;
};

std::optional<Moving> movingPointer(PHINode &Pointer, const Loop &L, const DataLayout &DL) {
  Moving M = {Pointer.getIncomingValueForBlock(L.getLoopPredecessor()),
              APInt(DL.getIndexTypeSizeInBits(Pointer.getType()), 0)};
  const Value *Next = Pointer.getIncomingValueForBlock(L.getLoopLatch());
  if (Next->stripAndAccumulateConstantOffsets(DL, M.Step, /*AllowNonInbounds=*/true) != &Pointer)
    return std::nullopt;
  return M;
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

// Narrows N, the values of a pointer in a loop's header, by those of a counter beside it.
Node Formulas::byCounterBeside(PHINode &Pointer, Node N, const Place *At) {
  const Loop *L = Loops.getLoopFor(Pointer.getParent());
  if (!L || L->getHeader() != Pointer.getParent() || !L->getLoopLatch() || !L->getLoopPredecessor())
    return N;
  constexpr unsigned kBits = 64;
  const std::optional<Moving> M = movingPointer(Pointer, *L, Kernel.getDataLayout());
  if (!M || M->Step.getBitWidth() != kBits || M->Step.isZero() || M->Step.isMinSignedValue())
    return N;
  for (PHINode &Phi : L->getHeader()->phis()) {
    const std::optional<Moving> C = counter(Phi, *L);
    if (!C || C->Step.isZero() || C->Step.isMinSignedValue() || openItem(&Phi))
      continue;
    const int64_t Step = C->Step.getSExtValue();
    if (M->Step.getSExtValue() % Step != 0)
      continue;
    const std::optional<Node> Times = timesOf(*L);
    const Node Number = of(&Phi, At);
    if (!Times || Number == phi(Phi)) // no test bounds it here
      return N;
    const unsigned Bits = bitsOf(&Phi);
    const uint64_t Most = uint64_t(maxIntN(Bits)) / uint64_t(std::abs(Step)); // rounds without wrapping
    Node Way = Nodes.operate(GASAN_PROOF_SUB, Bits, Number, of(C->Start, At));
    Node Moved = Nodes.operate(GASAN_PROOF_MUL, kBits, Nodes.resize(Way, kBits, /*Signed=*/true),
                               Nodes.constant(kBits, uint64_t(M->Step.getSExtValue() / Step)));
    Node Here = Nodes.where(CmpInst::ICMP_EQ, N, sumOfOffsets(of(M->Start, At), Moved));
    return unionOf(Here, Nodes.operate(GASAN_PROOF_IF, kBits, N,
                                       Nodes.where(CmpInst::ICMP_UGT, *Times, Nodes.constant(kBits, Most))));
  }
  return N;
}

} // namespace gasan
