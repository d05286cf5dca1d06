// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers and warp operations of inline PTX, and control.
#include "gasan_pass/retarget/PtxHandlers.h"

using namespace llvm;

namespace gasan::ptx {

namespace {

// Returns the one of `Names` that the statement has, or the first.
StringRef oneOf(const PtxStatement &S, ArrayRef<StringRef> Names) {
  for (StringRef Name : Names)
    if (S.has(Name))
      return Name;
  return Names.front();
}

// Calls a helper that returns a second result, a bool, through memory: "d|p".
void writeWithPredicate(PtxFunction &P, StringRef Targets, const Twine &Helper, SmallVector<Value *, 6> Arguments) {
  IRBuilder<> &B = P.Builder;
  AllocaInst *Result = P.createSlot(B.getInt32Ty()), *Valid = P.createSlot(B.getInt8Ty());
  Arguments.append({Result, Valid});
  if (!P.callHelper(Helper, Arguments))
    return;
  auto [Target, Predicate] = Targets.split('|');
  P.write(Target, B.CreateLoad(B.getInt32Ty(), Result));
  if (!Predicate.empty())
    P.write(Predicate, B.CreateTrunc(B.CreateLoad(B.getInt8Ty(), Valid), B.getInt1Ty()));
}

} // namespace

// bar.sync a{, b}; bar.arrive a, b; bar.red.OP.TYPE d, a{, b}, p; bar.warp.sync mask; barrier is the same
void barrier(PtxFunction &P, const PtxStatement &S) {
  if (S.has("warp"))
    return callNamed(P, S, "bar_warp_sync");
  if (!S.has("red"))
    return callNamed(P, S,
                     Twine(S.has("arrive") ? "barrier_cta_arrive_" : "barrier_cta_sync_") +
                         (S.Operands.size() > 1 ? "count" : "all"));
  if (!hasOperands(P, S, 3, 4))
    return;
  StringRef Predicate = S.Operands.back();
  const bool Negated = Predicate.consume_front("!");
  Value *Holds = P.read(Predicate, kPredicate);
  SmallVector<Value *, 3> Arguments{P.read(S.Operands[1], kBits32)};
  if (S.Operands.size() == 4)
    Arguments.push_back(P.read(S.Operands[2], kBits32));
  Arguments.push_back(Negated ? P.Builder.CreateNot(Holds) : Holds);
  Value *Result = P.callHelper(
      "barrier_cta_red_" + oneOf(S, {"popc", "and", "or"}) + (S.Operands.size() == 4 ? "_count" : "_all"), Arguments);
  if (Result)
    P.write(S.Operands[0], Result);
}

// barrier.cluster.arrive, barrier.cluster.wait
void clusterBarrier(PtxFunction &P, const PtxStatement &S) {
  callNamed(P, S, Twine("barrier_cluster_") + oneOf(S, {"arrive", "wait"}));
}

// vote.sync.MODE.b32 d, p, mask
void vote(PtxFunction &P, const PtxStatement &S) {
  if (!S.has("sync") || !hasOperands(P, S, 3))
    return P.fail();
  Value *Result = P.callHelper("vote_" + oneOf(S, {"ballot", "all", "any", "uni"}) + "_sync",
                               {P.read(S.Operands[2], kBits32), P.read(S.Operands[1], kPredicate)});
  if (Result)
    P.write(S.Operands[0], Result);
}

// shfl.sync.MODE.b32 d{|p}, a, b, c, mask
void shuffle(PtxFunction &P, const PtxStatement &S) {
  if (!S.has("sync") || !hasOperands(P, S, 5))
    return P.fail();
  writeWithPredicate(P, S.Operands[0], "shfl_sync_" + oneOf(S, {"idx", "up", "down", "bfly"}) + "_i32p",
                     {P.read(S.Operands[4], kBits32), P.read(S.Operands[1], kBits32), P.read(S.Operands[2], kBits32),
                      P.read(S.Operands[3], kBits32)});
}

// match.any.sync.TYPE d, a, mask; match.all.sync.TYPE d{|p}, a, mask
void match(PtxFunction &P, const PtxStatement &S) {
  const PtxType T = lastType(P, S);
  if (!hasOperands(P, S, 3))
    return;
  SmallVector<Value *, 6> Arguments{P.read(S.Operands[2], kBits32), P.read(S.Operands[1], T)};
  if (S.has("all"))
    return writeWithPredicate(P, S.Operands[0], "match_all_sync_i" + Twine(T.Bits) + "p", Arguments);
  if (Value *Result = P.callHelper("match_any_sync_i" + Twine(T.Bits), Arguments))
    P.write(S.Operands[0], Result);
}

// redux.sync.OP.TYPE
void reduce(PtxFunction &P, const PtxStatement &S) {
  const StringRef Operation = oneOf(S, {"add", "min", "max", "and", "or", "xor"});
  const bool IsUnsigned = S.has("u32") && (Operation == "min" || Operation == "max");
  callNamed(P, S, Twine("redux_sync_") + (IsUnsigned ? "u" : "") + Operation);
}

// elect.sync d|p, mask
void elect(PtxFunction &P, const PtxStatement &S) {
  if (hasOperands(P, S, 2))
    writeWithPredicate(P, S.Operands[0], "elect_sync", {P.read(S.Operands[1], kBits32)});
}

// Translates a branch. The caller has handled the statement's guard.
void branch(PtxFunction &P, const PtxStatement &S) {
  if (hasOperands(P, S, 1))
    P.branchTo(S.Operands[0]);
}

void trap(PtxFunction &P, const PtxStatement &) {
  P.Builder.CreateIntrinsic(P.Builder.getVoidTy(), Intrinsic::trap, {});
}

void nothing(PtxFunction &, const PtxStatement &) {}

} // namespace gasan::ptx
