// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translates asynchronous copies, mbarriers, fences and cache hints of inline PTX. A copy completes immediately.
#include "gasan_pass/retarget/PtxHandlers.h"

using namespace llvm;

namespace gasan::ptx {

// cp.async.KIND.shared.global [to], [from], size{, source size | ignore source}{, cache policy}
void copyAsync(PtxFunction &P, const PtxStatement &S) {
  const bool HasPolicy = S.has("L2::cache_hint");
  if (!S.has("global") || !hasOperands(P, S, 3 + HasPolicy, 4 + HasPolicy))
    return P.fail();
  Value *Size = P.read(S.Operands[2], kBits32), *Source = Size;
  if (S.Operands.size() == 4u + HasPolicy)
    Source = P.isPredicate(S.Operands[3])
                 ? P.Builder.CreateSelect(P.read(S.Operands[3], kPredicate), P.Builder.getInt32(0), Size)
                 : P.read(S.Operands[3], kBits32);
  P.callHelper("cp_async", {P.readAddress(S.Operands[0]), P.readAddress(S.Operands[1]), Size, Source});
}

// cp.async.mbarrier.arrive{.noinc}.b64 [barrier]
void barrierArriveOfCopies(PtxFunction &P, const PtxStatement &S) {
  callNamed(P, S, S.has("noinc") ? "cp_async_mbarrier_arrive_noinc" : "cp_async_mbarrier_arrive");
}

namespace {

// mbarrier.test_wait p, [barrier], state; mbarrier.try_wait p, [barrier], state{, time}; with .parity the phase's
// parity
void waitOnBarrier(PtxFunction &P, const PtxStatement &S) {
  if (!hasOperands(P, S, 3, 4))
    return;
  const bool Parity = S.has("parity");
  Value *Passed = P.callHelper(Parity ? "mbarrier_test_wait_parity" : "mbarrier_test_wait",
                               {P.readAddress(S.Operands[1]), P.read(S.Operands[2], Parity ? kBits32 : kBits64)});
  if (Passed)
    P.write(S.Operands[0], Passed);
}

// mbarrier.arrive{_drop}{.noComplete} state, [barrier]{, count}
void arriveAtBarrier(PtxFunction &P, const PtxStatement &S) {
  // An arrival at another block's barrier returns no state.
  const bool HasState = !StringRef(S.Operands.front()).starts_with("[");
  ArrayRef<std::string> Rest = ArrayRef<std::string>(S.Operands).drop_front(HasState);
  if (Rest.empty() || Rest.size() > 2)
    return P.fail();
  Value *Count = Rest.size() == 2 ? P.read(Rest[1], kBits32) : P.Builder.getInt32(1);
  Value *State = P.callHelper(S.has("arrive_drop") ? "mbarrier_arrive_drop_noComplete" : "mbarrier_arrive_noComplete",
                              {P.readAddress(Rest[0]), Count});
  if (State && HasState)
    P.write(S.Operands[0], State);
}

} // namespace

void memoryBarrier(PtxFunction &P, const PtxStatement &S) {
  if (S.Modifiers.empty() || S.Operands.empty())
    return P.fail();
  const StringRef Operation = S.Modifiers[0];
  if (Operation == "test_wait" || Operation == "try_wait")
    return waitOnBarrier(P, S);
  if (Operation == "arrive" || Operation == "arrive_drop")
    return arriveAtBarrier(P, S);
  callNamed(P, S, "mbarrier_" + Operation);
}

void fence(PtxFunction &P, const PtxStatement &) {
  P.Builder.CreateFence(AtomicOrdering::SequentiallyConsistent);
}

// Does nothing: it moves data between caches, which programs cannot observe.
void hint(PtxFunction &, const PtxStatement &) {}

// Returns an arbitrary value, because a policy is only passed to other hints.
void createPolicy(PtxFunction &P, const PtxStatement &S) {
  if (hasOperands(P, S, 1, 4))
    P.write(S.Operands[0], P.Builder.getInt64(0));
}

} // namespace gasan::ptx
