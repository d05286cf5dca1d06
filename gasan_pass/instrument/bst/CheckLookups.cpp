// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/CheckLookups.h"
#include "shadow/bounds.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr LookupKind kChecks[] = {{"__gasan_check", "__gasan_check_any"},
                                  {"__gasan_check_global", "__gasan_check_global_any"},
                                  {"__gasan_check_with_frames", "__gasan_check_any_with_frames"}};

constexpr const char *kPrefetchMetadata = "gasan.prefetch";

} // namespace

bool CheckLookups::isOne(const Instruction &I) {
  return lookupKind(I, kChecks);
}

void CheckLookups::markForPrefetch(CallInst &Check) {
  Check.setMetadata(kPrefetchMetadata, MDNode::get(Check.getContext(), {}));
}

void CheckLookups::finish(Module &M) {
  eraseUnused(M, kChecks);
}

// Splits a checked address into another address and a constant distance from it.
std::pair<Value *, int64_t> CheckLookups::addressOf(const CallInst &Check) {
  Value *Address = Check.getArgOperand(1);
  auto *Sum = dyn_cast<BinaryOperator>(Address);
  auto *Distance = Sum && Sum->getOpcode() == Instruction::Add ? dyn_cast<ConstantInt>(Sum->getOperand(1)) : nullptr;
  return Distance ? std::pair(Sum->getOperand(0), Distance->getSExtValue()) : std::pair(Address, int64_t(0));
}

// Returns the stretches of bytes that the fast path compares.
SmallVector<CheckLookups::Stretch, 8> CheckLookups::stretchesOf(ArrayRef<CallInst *> Checks) {
  SmallVector<Stretch, 8> Found;
  for (const CallInst *Check : Checks) {
    auto number = [&](unsigned Operand) { return cast<ConstantInt>(Check->getArgOperand(Operand))->getZExtValue(); };
    const auto [Address, Low] = addressOf(*Check);
    const Stretch Own = {Check->getArgOperand(0),  Address,   Low,
                         Low + int64_t(number(2)), number(3), Check->hasMetadata(kPrefetchMetadata)};
    auto *Same = find_if(Found, [&](const Stretch &S) {
      return S.Pointer == Own.Pointer && S.Address == Own.Address && S.Alignment == Own.Alignment &&
             (S.Low - Own.Low) % int64_t(Own.Alignment) == 0;
    });
    if (Same == Found.end()) {
      Found.push_back(Own);
      continue;
    }
    Same->Prefetch |= Own.Prefetch;
    Same->Low = std::min(Same->Low, Own.Low);
    Same->High = std::max(Same->High, Own.High);
  }
  return Found;
}

// Returns an i1: the stretch is inside of the chunk. Chunks begin at multiples of any alignment.
Value *CheckLookups::isGood(IRBuilderBase &B, const Stretch &S, const Pair &Chunk) {
  const uint64_t Width = S.High - S.Low;
  Value *Offset = B.CreateSub(B.CreateAdd(S.Address, B.getInt64(S.Low)), Chunk[0]);
  if (Width == S.Alignment) // the subtraction cannot wrap then
    return B.CreateICmpULT(Offset, B.CreateAnd(Chunk[1], -Width));
  Value *Fits = B.CreateICmpUGE(Chunk[1], B.getInt64(Width));
  return B.CreateAnd(Fits, B.CreateICmpULE(Offset, B.CreateSub(Chunk[1], B.getInt64(Width))));
}

Value *CheckLookups::areAligned(IRBuilderBase &B, ArrayRef<Stretch> Stretches) {
  Value *Low = B.getInt32(0);
  for (const Stretch &S : Stretches)
    Low = B.CreateOr(
        Low, B.CreateAnd(B.CreateTrunc(B.CreateAdd(S.Address, B.getInt64(S.Low)), B.getInt32Ty()), S.Alignment - 1));
  return B.CreateIsNull(Low);
}

// Returns an i64: the distance of the checked address from the pointer. Computes the distance from values that exist
// before the pointer, so that the pointer needs no register.
Value *CheckLookups::distanceOf(IRBuilderBase &B, const CallInst &Check) {
  constexpr size_t kMostSteps = 3;
  Value *const Pointer = Check.getArgOperand(0);
  const auto [Of, Low] = addressOf(Check);
  auto *Root = dyn_cast<PtrToIntOperator>(Pointer), *Address = dyn_cast<PtrToIntOperator>(Of);
  SmallVector<GEPOperator *, kMostSteps> Steps;
  Value *At = Address ? Address->getPointerOperand() : nullptr;
  while (Root && At && At != Root->getPointerOperand()) {
    auto *Step = dyn_cast<GEPOperator>(At);
    At = Step && Steps.size() < kMostSteps ? Step->getPointerOperand() : nullptr;
    Steps.push_back(Step);
  }
  if (!Root || !At)
    return B.CreateSub(Check.getArgOperand(1), Pointer);
  Value *Distance = B.getInt64(Low);
  for (GEPOperator *Step : Steps)
    Distance = B.CreateAdd(emitGEPOffset(&B, M.getDataLayout(), Step, /*NoAssumptions=*/true), Distance);
  return Distance;
}

void CheckLookups::expand(SmallVectorImpl<CallInst *> &Checks) {
  if (Checks.empty())
    return;
  CallInst *Last = Checks.back();
  BasicBlock *First = Last->getParent(), *Done = SplitBlock(First, std::next(Last->getIterator()));
  auto create = [&](const char *Name, BasicBlock *Next) {
    return BasicBlock::Create(M.getContext(), Name, First->getParent(), Next);
  };
  BasicBlock *Page = create("gasan.find", Done), *Block = create("gasan.block", nullptr),
             *Look = create("gasan.look", nullptr);
  First->getTerminator()->eraseFromParent();
  IRBuilder<> B(First);
  B.SetCurrentDebugLocation(Last->getDebugLoc());
  const SmallVector<Stretch, 8> Stretches = stretchesOf(Checks);
  // LLVM has the instruction for sm_80 and later only.
  InlineAsm *Prefetch = InlineAsm::get(FunctionType::get(B.getVoidTy(), {B.getInt64Ty()}, false),
                                       "prefetch.global.L1 [$0];", "l", /*hasSideEffects=*/true);
  for (const Stretch &S : Stretches)
    if (S.Prefetch)
      B.CreateCall(Prefetch, {B.CreateAdd(S.Address, B.getInt64(S.Low))});
  MapVector<Value *, Value *> Blocks; // by pointer: its block's number
  for (const Stretch &S : Stretches)
    Blocks[S.Pointer] = nullptr;
  Value *AreMapped = B.getTrue();
  for (auto &[Pointer, Number] : Blocks)
    AreMapped = B.CreateAnd(AreMapped, call(B, "__gasan_is_mapped", B.getInt1Ty(), Pointer));
  B.CreateCondBr(AreMapped, Page, Look, Likely);

  B.SetInsertPoint(Page);
  Value *Least = nullptr; // minimum: one comparison decides for all
  MapVector<Value *, Pair> Chunks;
  for (auto &[Pointer, Number] : Blocks) {
    Number = call(B, "__gasan_block_of", B.getInt32Ty(), Pointer);
    Chunks[Pointer] = find(B, "__gasan_find_page", B.CreateLShr(Number, GASAN_MAP_PAGE_SHIFT - GASAN_MAP_BLOCK_SHIFT));
    Value *IsChunk = call(B, "__gasan_is_chunk", B.getInt32Ty(), Chunks[Pointer][0]);
    Least = Least ? B.CreateBinaryIntrinsic(Intrinsic::umin, Least, IsChunk) : IsChunk;
  }
  Value *AreAligned = areAligned(B, Stretches);
  auto areGood = [&](Value *Good, Value *Pointer, const Pair &Chunk) {
    for (const Stretch &S : Stretches)
      if (S.Pointer == Pointer)
        Good = B.CreateAnd(Good, isGood(B, S, Chunk));
    return Good;
  };
  Value *Good = B.CreateAnd(B.CreateIsNotNull(Least), AreAligned);
  for (auto &[Pointer, Chunk] : Chunks)
    Good = areGood(Good, Pointer, Chunk);
  B.CreateCondBr(Good, Done, Block, Likely);

  for (auto &[Pointer, Number] : Blocks) { // one after the other, which needs few registers
    B.SetInsertPoint(Block);
    Block = Pointer == Blocks.back().first ? Done : create("gasan.block", nullptr);
    B.CreateCondBr(areGood(AreAligned, Pointer, find(B, "__gasan_find_again", Number)), Block, Look, Likely);
  }

  B.SetInsertPoint(Look);
  for (CallInst *Check : Checks) {
    SmallVector<Value *, 5> Arguments(Check->args());
    Arguments[0] = distanceOf(B, *Check);
    CallInst *Any = call(B, lookupKind(*Check, kChecks)->Any, Check->getType(), Arguments);
    Any->setDebugLoc(Check->getDebugLoc());
    Check->eraseFromParent();
  }
  B.CreateBr(Done);
  Checks.clear();
}

} // namespace gasan
