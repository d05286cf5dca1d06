// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/PointerSteps.h"
#include "gasan_pass/instrument/bst/RelativeSteps.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr unsigned kMostValues = 256; // in one search; beyond, nothing is certain
constexpr unsigned kDeepest = 32;

// Returns true if the integer has the whole address. Shared memory's addresses have 32 bits.
bool fits(const Value *Pointer, const Type *Integer) {
  return Integer->isIntegerTy(64) || Pointer->getType()->getPointerAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED;
}

bool stepsAreMultiples(GEPOperator &Gep, Align Alignment, const DataLayout &DL) {
  const unsigned Width = DL.getIndexTypeSizeInBits(Gep.getType());
  SmallMapVector<Value *, APInt, 4> Variable;
  APInt Constant(Width, 0);
  if (!Gep.collectOffset(DL, Width, Variable, Constant) || Constant.countr_zero() < Log2(Alignment))
    return false;
  const SimplifyQuery WithoutPromises(DL, /*TLI=*/nullptr, /*DT=*/nullptr, /*AC=*/nullptr, /*CXTI=*/nullptr,
                                      /*UseInstrInfo=*/false);
  return all_of(Variable, [&](const auto &Term) {
    return Term.second.countr_zero() + computeKnownBits(Term.first, WithoutPromises).countMinTrailingZeros() >=
           Log2(Alignment);
  });
}

} // namespace

bool PointerSteps::isMerge(const Value *Pointer) {
  if (const auto *Select = dyn_cast<SelectInst>(Pointer))
    return Select->getType()->isPointerTy() && Select->getCondition()->getType()->isIntegerTy(1);
  return isa<PHINode>(Pointer) && Pointer->getType()->isPointerTy();
}

// Returns true for null + n, which is the address n.
static bool isAddress(const GEPOperator &Gep) {
  return isa<ConstantPointerNull>(Gep.getPointerOperand()->stripPointerCasts()) && !Gep.hasAllConstantIndices();
}

Value *PointerSteps::stepFrom(Value *Pointer) {
  if (!Pointer->getType()->isPointerTy() || relativeStep(*Pointer) != RelativeStep::None)
    return nullptr;
  Value *From = nullptr;
  if (auto *Gep = dyn_cast<GEPOperator>(Pointer))
    From = isAddress(*Gep) ? nullptr : Gep->getPointerOperand();
  else if (auto *Alias = dyn_cast<GlobalAlias>(Pointer))
    From = Alias->getAliasee();
  else if (auto *Call = dyn_cast<CallBase>(Pointer))
    From = const_cast<Value *>(getArgumentAliasingToReturnedPointer(Call, /*MustPreserveNullness=*/false));
  else if (auto *Change = dyn_cast<Operator>(Pointer))
    switch (Change->getOpcode()) {
    case Instruction::BitCast:
    case Instruction::AddrSpaceCast:
    case Instruction::Freeze:
      From = Change->getOperand(0);
      break;
    case Instruction::IntToPtr:
      From = pointerInside(Change->getOperand(0));
      break;
    default:
      break;
    }
  return From && From->getType()->isPointerTy() ? From : nullptr;
}

Value *PointerSteps::soleSource(Value *Pointer) {
  auto [Entry, New] = Soles.try_emplace(Pointer, nullptr); // null during the search: not certain
  if (!New)
    return Entry->second;
  SmallPtrSet<Value *, 16> Seen;
  SmallVector<Value *, 16> Pending = {Pointer};
  Value *Sole = nullptr;
  while (!Pending.empty()) {
    Value *At = Pending.pop_back_val();
    if (!Seen.insert(At).second)
      continue;
    if (Seen.size() > kMostValues)
      return nullptr;
    if (isMerge(At) && !isRoot(At)) {
      if (auto *Select = dyn_cast<SelectInst>(At))
        Pending.append({Select->getTrueValue(), Select->getFalseValue()});
      else
        append_range(Pending, cast<PHINode>(At)->incoming_values());
      continue;
    }
    if (Value *From = stepFrom(At)) {
      Pending.push_back(From);
      continue;
    }
    if (Sole && Sole != At)
      return nullptr;
    Sole = At;
  }
  return Soles[Pointer] = Sole;
}

Value *PointerSteps::sourceAsAligned(Value *Pointer, Align Alignment, const DataLayout &DL) {
  Value *Sole = soleSource(Pointer);
  SmallPtrSet<Value *, 16> Seen;
  SmallVector<Value *, 16> Pending = {Pointer};
  while (Sole && !Pending.empty()) {
    Value *At = Pending.pop_back_val();
    if (At == Sole || !Seen.insert(At).second)
      continue;
    if (auto *Select = dyn_cast<SelectInst>(At)) {
      Pending.append({Select->getTrueValue(), Select->getFalseValue()});
      continue;
    }
    if (auto *Phi = dyn_cast<PHINode>(At)) {
      append_range(Pending, Phi->incoming_values());
      continue;
    }
    auto *Gep = dyn_cast<GEPOperator>(At);
    if (Gep ? !stepsAreMultiples(*Gep, Alignment, DL) : isa<IntToPtrInst, CallBase>(At))
      return nullptr;
    Pending.push_back(stepFrom(At));
    if (!Pending.back())
      return nullptr;
  }
  return Sole;
}

Value *PointerSteps::pointerInside(Value *Integer) {
  auto [Entry, New] = Integers.try_emplace(Integer, nullptr);
  if (!New)
    return Entry->second;
  SmallDenseMap<Value *, Inside, 8> Seen;
  Inside Found = look(Integer, Seen, 0);
  return Integers[Integer] = Found.Kind == Inside::One ? Found.Pointer : nullptr;
}

PointerSteps::Inside PointerSteps::sum(Inside A, Inside B) {
  if (A.Kind == Inside::None)
    return B;
  return B.Kind == Inside::None ? A : Inside{Inside::Unsure, nullptr};
}

// The difference of pointers into one object is a number.
PointerSteps::Inside PointerSteps::difference(Inside A, Inside B) {
  if (B.Kind == Inside::None)
    return A;
  Value *Source = A.Kind == Inside::One && B.Kind == Inside::One ? soleSource(A.Pointer) : nullptr;
  return {Source && Source == soleSource(B.Pointer) ? Inside::None : Inside::Unsure, nullptr};
}

PointerSteps::Inside PointerSteps::merge(Inside A, Inside B) {
  if (A.Kind == Inside::Open)
    return B;
  if (B.Kind == Inside::Open || (A.Kind == B.Kind && A.Pointer == B.Pointer))
    return A;
  if (A.Kind == Inside::One && B.Kind == Inside::One)
    if (Value *Source = soleSource(A.Pointer); Source && Source == soleSource(B.Pointer))
      return {Inside::One, Source};
  return {Inside::Unsure, nullptr};
}

PointerSteps::Inside PointerSteps::look(Value *Integer, SmallDenseMap<Value *, Inside, 8> &Seen, unsigned Depth) {
  const Inside None = {Inside::None, nullptr}, Unsure = {Inside::Unsure, nullptr};
  auto *At = dyn_cast<Operator>(Integer);
  if (!At || !(Integer->getType()->isIntegerTy(64) || Integer->getType()->isIntegerTy(32)))
    return None;
  if (Depth > kDeepest || Seen.size() > kMostValues)
    return Unsure;
  auto Operand = [&](unsigned Index) { return look(At->getOperand(Index), Seen, Depth + 1); };
  switch (At->getOpcode()) {
  case Instruction::PtrToInt:
  case Instruction::PtrToAddr:
    if (!At->getOperand(0)->getType()->isPointerTy())
      return Unsure;
    return fits(At->getOperand(0), Integer->getType()) ? Inside{Inside::One, At->getOperand(0)} : None;
  case Instruction::Trunc: {
    Inside Whole = Operand(0);
    return Whole.Kind != Inside::One || fits(Whole.Pointer, Integer->getType()) ? Whole : None;
  }
  case Instruction::ZExt:
  case Instruction::Freeze:
    return Operand(0);
  case Instruction::Add:
    return sum(Operand(0), Operand(1));
  case Instruction::Or: { // if it is an addition
    auto *Bits = dyn_cast<ConstantInt>(At->getOperand(1));
    auto *Disjoint = dyn_cast<PossiblyDisjointInst>(At);
    if ((Disjoint && Disjoint->isDisjoint()) || (Bits && !Bits->isNegative()))
      return sum(Operand(0), Operand(1));
    return Unsure;
  }
  case Instruction::Sub:
    return difference(Operand(0), Operand(1));
  case Instruction::Mul: // distances may be counted in elements in between
  case Instruction::Shl:
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::AShr:
  case Instruction::LShr:
    return Operand(0).Kind == Inside::Unsure ? Unsure : None;
  case Instruction::And: { // a mask that rounds down; other masks leave low bits, a number
    auto *Mask = dyn_cast<ConstantInt>(At->getOperand(1));
    return !Mask ? Unsure : Mask->isNegative() ? Operand(0) : None;
  }
  case Instruction::PHI: {
    auto [Entry, New] = Seen.try_emplace(Integer, Inside{Inside::Open, nullptr});
    if (!New)
      return Entry->second;
    Inside All = {Inside::Open, nullptr};
    for (Value *Incoming : cast<PHINode>(Integer)->incoming_values())
      All = merge(All, look(Incoming, Seen, Depth + 1));
    return Seen[Integer] = All;
  }
  case Instruction::Select:
    return merge(Operand(1), Operand(2));
  default:
    return None;
  }
}

} // namespace gasan
