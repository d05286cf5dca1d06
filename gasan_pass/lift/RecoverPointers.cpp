// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/lift/RecoverPointers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gasan::lift {

namespace {

constexpr unsigned kDeepest = 64; // operands followed from an address
constexpr unsigned kRounds = 16;  // over all numbers

// How sure it is that a number is an address.
enum Certainty { None, Likely, Certain };

class Recovery {
public:
  Recovery(Function &F, UnclearParameters &Unclear) : F(F), Tree(F), Unclear(Unclear) {}

  // Returns the addresses that are made from numbers, and judges these numbers.
  SmallVector<IntToPtrInst *, 64> judge() {
    judgeNumbers();
    SmallVector<IntToPtrInst *, 64> Casts;
    for (Instruction &I : instructions(F))
      if (auto *Cast = dyn_cast<IntToPtrInst>(&I))
        Casts.push_back(Cast);
    findAddresses(Casts);
    return Casts;
  }

  void recover() {
    for (IntToPtrInst *Cast : judge()) {
      Value *Number = numberOf(*Cast);
      IRBuilder<> B(Cast);
      Value *Pointer = certainty(Number) == None ? nullptr : build(B, Number, Cast->getType(), 0);
      if (!Pointer || Pointer == Cast)
        continue;
      Cast->replaceAllUsesWith(Pointer);
      Cast->eraseFromParent();
    }
  }

private:
  Function &F;
  const DominatorTree Tree;
  DenseMap<std::pair<Value *, Type *>, Value *> Built;
  DenseMap<const Value *, Certainty> Known;
  SmallPtrSet<const Value *, 16> Addresses; // loaded numbers and parameters that are certainly addresses
  UnclearParameters &Unclear;

  // Values that go around a loop depend on themselves, so all are looked at until nothing changes.
  void judgeNumbers() {
    bool Changed = true;
    for (unsigned Round = 0; Changed && Round < kRounds; ++Round) {
      Changed = false;
      for (Instruction &I : instructions(F)) {
        if (!I.getType()->isIntegerTy(64) && !I.getType()->isIntegerTy(32))
          continue;
        const Certainty Now = look(I);
        Changed |= Known.lookup(&I) != Now;
        Known[&I] = Now;
      }
    }
  }

  static Value *numberOf(const IntToPtrInst &Cast) {
    auto *Short = dyn_cast<ZExtInst>(Cast.getOperand(0)); // a shared or local address
    return Short && Short->getSrcTy()->isIntegerTy(32) ? Short->getOperand(0) : Cast.getOperand(0);
  }

  // Returns true for numbers that are the same in the whole launch. A number in memory is more often an address or a
  // distance, as another number in memory says.
  static bool isLoadedParameter(const LoadInst &Load) {
    const Value *Object = getUnderlyingObject(Load.getPointerOperand());
    const auto *Parameter = dyn_cast<Argument>(Object);
    return Load.getType()->isIntegerTy(64) &&
           ((Parameter && Parameter->hasByValAttr()) ||
            Object->getType()->getPointerAddressSpace() == NVPTXAS::ADDRESS_SPACE_CONST);
  }

  // Returns the loaded number, or the parameter, that an accessed address is made of, if no other part of the sum may
  // be an address. So it is one, also where it is added to a number that may be one: &matrix[row][0] +
  // bytes_to_the_next_row.
  const Value *soleAddress(const Value *Number) const {
    for (unsigned Depth = 0; Depth < kDeepest; ++Depth) {
      if (isa<Argument>(Number))
        return certainty(Number) != None ? Number : nullptr;
      if (auto *Load = dyn_cast<LoadInst>(Number))
        return isLoadedParameter(*Load) ? Load : nullptr;
      auto *Sum = dyn_cast<BinaryOperator>(Number);
      if (!Sum || (Sum->getOpcode() != Instruction::Add && Sum->getOpcode() != Instruction::Sub))
        return nullptr;
      const bool Left = certainty(Sum->getOperand(0)) != None, Right = certainty(Sum->getOperand(1)) != None;
      if (Left == Right || (Right && Sum->getOpcode() == Instruction::Sub))
        return nullptr;
      Number = Sum->getOperand(Left ? 0 : 1);
    }
    return nullptr;
  }

  // Returns true if the user of an address counts as an access there. Steps and choices may lie far before the access,
  // or have another address, too. But iterators of CUTLASS make steps only, from loaded numbers.
  static bool isAccess(const User &U, const Value &Address) {
    return !isa<PHINode, SelectInst>(U) && (isa<LoadInst>(Address) || !isa<GetElementPtrInst>(U));
  }

  // A program may use one number as an address or as a distance, as another number says. So an access at the address
  // alone must come before each access at a sum of the address and another number that may be one.
  void findAddresses(ArrayRef<IntToPtrInst *> Casts) {
    DenseMap<const Value *, SmallPtrSet<const BasicBlock *, 4>> Accessed; // by address
    for (const IntToPtrInst *Cast : Casts)
      if (const Value *Address = soleAddress(numberOf(*Cast)); Address && !Unclear.contains(Address))
        for (const User *Access : Cast->users())
          if (isAccess(*Access, *Address))
            Accessed[Address].insert(cast<Instruction>(Access)->getParent());
    for (const IntToPtrInst *Cast : Casts)
      for (const Value *Part : addendsOf(*numberOf(*Cast))) {
        auto Found = Accessed.find(Part);
        if (Found != Accessed.end() && all_of(Cast->users(), [&](const User *Access) {
              return any_of(Found->second, [&](const BasicBlock *Alone) {
                return Tree.dominates(Alone, cast<Instruction>(Access)->getParent());
              });
            }))
          continue;
        if (isa<Argument>(Part))
          Unclear.insert(Part);
        Accessed.erase(Part);
      }
    for (const auto &[Address, Blocks] : Accessed)
      Addresses.insert(Address);
    judgeNumbers(); // with these
  }

  // Returns the loaded numbers and parameters that the number, or one that is merged into it, adds to another number
  // that may be an address.
  SmallPtrSet<const Value *, 8> addendsOf(const Value &Number) const {
    SmallPtrSet<const Value *, 8> Addends;
    SmallSet<std::pair<const Value *, bool>, 16> Seen;
    SmallVector<std::pair<const Value *, bool>, 8> Pending = {{&Number, false}}; // with: it is part of such a sum
    while (!Pending.empty()) {
      const auto Next = Pending.pop_back_val();
      const Value *V = Next.first;
      bool InSum = Next.second;
      if (certainty(V) == Certainty::None || !Seen.insert(Next).second)
        continue;
      if (isa<LoadInst, Argument>(V)) {
        if (InSum)
          Addends.insert(V);
        continue;
      }
      if (!isa<BinaryOperator, SelectInst, PHINode>(V))
        continue;
      const auto *I = cast<Instruction>(V);
      InSum |= isa<BinaryOperator>(I) &&
               all_of(I->operands(), [&](const Value *Of) { return certainty(Of) != Certainty::None; });
      for (const Value *Of : I->operands())
        Pending.push_back({Of, InSum});
    }
    return Addends;
  }

  Certainty certainty(const Value *V) const {
    if (isa<PtrToIntOperator>(V) || Addresses.contains(V))
      return Certain;
    if (isa<Argument>(V))
      return V->getType()->isIntegerTy(64) ? Likely : None;
    return Known.lookup(V); // None for a constant
  }

  // A number of 64 bits may be an address unless it is clear that it is not. Then a sum has no known address, and the
  // pass looks up the address itself.
  Certainty look(const Instruction &I) const {
    Certainty Most = None;
    switch (I.getOpcode()) {
    case Instruction::PtrToInt:
      return Certain;
    case Instruction::Add:
      return std::max(certainty(I.getOperand(0)), certainty(I.getOperand(1)));
    case Instruction::Sub:
      return certainty(I.getOperand(1)) == None ? certainty(I.getOperand(0)) : None;
    case Instruction::Select:
      return std::max(certainty(I.getOperand(1)), certainty(I.getOperand(2)));
    case Instruction::PHI:
      for (const Value *Incoming : cast<PHINode>(I).incoming_values())
        Most = std::max(Most, certainty(Incoming));
      return Most;
    case Instruction::Or:
    case Instruction::And:
    case Instruction::Xor:
      if (isa<ConstantInt>(I.getOperand(1)))
        return std::min(certainty(I.getOperand(0)), Likely);
      break;
    case Instruction::SExt:
    case Instruction::ZExt: // of an index
    case Instruction::Mul:
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
    case Instruction::Trunc:
      return None;
    default:
      break;
    }
    return I.getType()->isIntegerTy(64) ? Likely : None;
  }

  // Returns true if the generic address may start from a shared or local variable. For LLVM, a step from such a pointer
  // stays in the variable's space, and an access of shared memory takes the place of the generic one. But a distance of
  // 64 bits may lead to another space.
  bool startsInNarrowSpace(Value *Address) const {
    SmallVector<Value *, 8> Pending = {Address};
    SmallPtrSet<Value *, 8> Seen;
    while (!Pending.empty()) {
      Value *V = Pending.pop_back_val();
      if (!Seen.insert(V).second)
        continue;
      if (auto *Cast = dyn_cast<PtrToIntOperator>(V)) {
        const unsigned Space = getUnderlyingObject(Cast->getPointerOperand())->getType()->getPointerAddressSpace();
        if (Space == NVPTXAS::ADDRESS_SPACE_SHARED || Space == NVPTXAS::ADDRESS_SPACE_LOCAL)
          return true;
      } else if (isa<BinaryOperator, SelectInst, PHINode>(V)) {
        for (Value *Operand : cast<Instruction>(V)->operands())
          if (certainty(Operand) != None)
            Pending.push_back(Operand);
      }
    }
    return false;
  }

  // Returns true for a difference of two numbers that may be addresses: link + (to - from) is a link into another copy
  // of an object, which the pass looks up.
  bool isWayBetweenNumbers(const Value *V) const {
    const auto *Difference = dyn_cast<BinaryOperator>(V);
    return Difference && Difference->getOpcode() == Instruction::Sub &&
           certainty(Difference->getOperand(0)) == Likely && certainty(Difference->getOperand(1)) == Likely;
  }

  // Returns the number as a pointer, or null if it is not clear which number is the address.
  Value *build(IRBuilder<> &B, Value *V, Type *T, unsigned Depth) {
    if (auto Found = Built.find({V, T}); Found != Built.end())
      return Found->second;
    if (Depth > kDeepest)
      return fromNumber(V, T);
    if (auto *Cast = dyn_cast<PtrToIntOperator>(V))
      return fromPointer(Cast->getPointerOperand(), V, T);
    auto *I = dyn_cast<Instruction>(V);
    if (!I || certainty(V) == None)
      return fromNumber(V, T);
    switch (I->getOpcode()) {
    case Instruction::Add: {
      const Certainty A = certainty(I->getOperand(0)), C = certainty(I->getOperand(1));
      if (A == C || isWayBetweenNumbers(I->getOperand(A > C ? 1 : 0)))
        return fromNumber(V, T);
      return step(I, I->getOperand(A > C ? 0 : 1), I->getOperand(A > C ? 1 : 0), false, T, Depth);
    }
    case Instruction::Sub:
      return step(I, I->getOperand(0), I->getOperand(1), true, T, Depth);
    case Instruction::Select: {
      Value *True = build(B, I->getOperand(1), T, Depth + 1), *False = build(B, I->getOperand(2), T, Depth + 1);
      IRBuilder<> Here(I);
      return Built[{V, T}] = Here.CreateSelect(I->getOperand(0), True, False);
    }
    case Instruction::PHI: {
      auto *Phi = cast<PHINode>(I);
      IRBuilder<> Here(Phi);
      PHINode *New = Here.CreatePHI(T, Phi->getNumIncomingValues());
      Built[{V, T}] = New;
      for (unsigned N = 0; N < Phi->getNumIncomingValues(); ++N)
        New->addIncoming(build(B, Phi->getIncomingValue(N), T, Depth + 1), Phi->getIncomingBlock(N));
      return New;
    }
    default:
      return fromNumber(V, T);
    }
  }

  // Returns the number that Base adds to an address, and sets Base to the address, if the number was loaded from a
  // place `Far` bytes behind it.
  Value *takeDistance(Value *&Base, const APInt &Far) const {
    auto *Sum = dyn_cast<BinaryOperator>(Base);
    if (!Sum || Sum->getOpcode() != Instruction::Add)
      return nullptr;
    for (unsigned Index : {0, 1}) {
      Value *Address = Sum->getOperand(Index);
      auto *Load = dyn_cast<LoadInst>(Sum->getOperand(1 - Index));
      if (!Load || certainty(Address) < certainty(Load))
        continue;
      Value *Place = Load->getPointerOperand();
      APInt From(F.getDataLayout().getIndexTypeSizeInBits(Place->getType()), 0);
      Place = Place->stripAndAccumulateConstantOffsets(F.getDataLayout(), From, /*AllowNonInbounds=*/true);
      // If both may be addresses, it must be this address.
      const bool IsSame = Built.lookup({Address, Place->getType()}) == Place ||
                          (isa<IntToPtrInst>(Place) && cast<IntToPtrInst>(Place)->getOperand(0) == Address);
      if (From.getSExtValue() != Far.getSExtValue() || (certainty(Address) == certainty(Load) && !IsSame))
        continue;
      Base = Address;
      return Load;
    }
    return nullptr;
  }

  Value *step(Instruction *Sum, Value *Base, Value *Offset, bool Negative, Type *T, unsigned Depth) {
    IRBuilder<> B(Sum);
    // nvcc computes `&p->next + p->next` as (p + p->next) + 8. The distance leads from `p + 8` to another object, and
    // from `p` to a place before it. So the constant comes first.
    auto *Far = Negative ? nullptr : dyn_cast<ConstantInt>(Offset);
    Value *Distance = Far ? takeDistance(Base, Far->getValue()) : nullptr;
    const bool MayLeave = certainty(Distance ? Distance : Offset) != None;
    if (MayLeave && T->getPointerAddressSpace() == NVPTXAS::ADDRESS_SPACE_GENERIC && startsInNarrowSpace(Base))
      return fromNumber(Sum, T);
    if (Distance) {
      Value *Pointer = build(B, Base, T, Depth + 1);
      B.SetInsertPoint(Sum);
      Pointer = B.CreatePtrAdd(Pointer, B.getInt64(Far->getSExtValue()));
      return Built[{Sum, T}] = B.CreatePtrAdd(Pointer, B.CreateSExt(Distance, B.getInt64Ty()));
    }
    Value *Pointer = build(B, Base, T, Depth + 1);
    B.SetInsertPoint(Sum);
    // A short address has 32 bits, and a difference may be negative.
    Value *Wide = B.CreateSExt(Offset, B.getInt64Ty());
    return Built[{Sum, T}] = B.CreatePtrAdd(Pointer, Negative ? B.CreateNeg(Wide) : Wide);
  }

  // Places code right behind the definition of the value.
  void placeBehind(IRBuilder<> &B, Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I) {
      B.SetInsertPoint(&F.getEntryBlock(), F.getEntryBlock().getFirstInsertionPt());
      return;
    }
    BasicBlock::iterator Place = isa<PHINode>(I) ? I->getParent()->getFirstInsertionPt() : std::next(I->getIterator());
    B.SetInsertPoint(Place->getParent(), Place);
    B.SetCurrentDebugLocation(I->getDebugLoc());
  }

  Value *fromPointer(Value *Pointer, Value *Number, Type *T) {
    if (Pointer->getType() == T)
      return Pointer;
    const unsigned From = Pointer->getType()->getPointerAddressSpace(), To = T->getPointerAddressSpace();
    const bool IsGlobal = From == NVPTXAS::ADDRESS_SPACE_GLOBAL || To == NVPTXAS::ADDRESS_SPACE_GLOBAL;
    // A global address is the same number as the generic one. Other spaces have their own numbers.
    if (!IsGlobal || (From != NVPTXAS::ADDRESS_SPACE_GENERIC && To != NVPTXAS::ADDRESS_SPACE_GENERIC))
      return fromNumber(Number, T);
    Value *&Result = Built[{Number, T}];
    if (!Result) {
      IRBuilder<> B(F.getContext());
      placeBehind(B, Pointer);
      Result = B.CreateAddrSpaceCast(Pointer, T);
    }
    return Result;
  }

  Value *fromNumber(Value *V, Type *T) {
    Value *&Result = Built[{V, T}];
    if (!Result) {
      IRBuilder<> B(F.getContext());
      placeBehind(B, V);
      Result = B.CreateIntToPtr(B.CreateZExt(V, B.getInt64Ty()), T);
    }
    return Result;
  }
};

bool isUsedAsPointer(const Argument &A) {
  return A.getType()->isIntegerTy(64) && any_of(A.users(), [](const User *U) { return isa<IntToPtrInst>(U); });
}

} // namespace

void recoverPointers(Function &F, UnclearParameters &Unclear) {
  Recovery(F, Unclear).recover();
}

// Makes the calls of the old function call the new one, whose parameters may be pointers instead of numbers.
static void changeCalls(Function &Old, Function &New) {
  for (User *U : make_early_inc_range(Old.users())) {
    auto *Call = cast<CallInst>(U);
    IRBuilder<> B(Call);
    SmallVector<Value *, 8> Arguments;
    for (auto [Given, Parameter] : zip(Call->args(), New.args()))
      Arguments.push_back(Given->getType() == Parameter.getType() ? Given.get()
                                                                  : B.CreateIntToPtr(Given, Parameter.getType()));
    CallInst *Now = B.CreateCall(&New, Arguments);
    Now->setAttributes(Call->getAttributes());
    Now->copyMetadata(*Call);
    Now->takeName(Call);
    Call->replaceAllUsesWith(Now);
    Call->eraseFromParent();
  }
}

Function *recoverParameters(Function &F, UnclearParameters &Unclear) {
  Recovery(F, Unclear).judge(); // calls may pass more addresses by now
  auto IsPointer = [&](const Argument &A) { return isUsedAsPointer(A) && !Unclear.contains(&A); };
  const bool IsOnlyCalled = all_of(F.uses(), [&](const Use &U) {
    const auto *Call = dyn_cast<CallInst>(U.getUser());
    return Call && Call->isCallee(&U) && Call->getFunctionType() == F.getFunctionType();
  });
  if (!IsOnlyCalled || none_of(F.args(), IsPointer))
    return &F;
  SmallVector<Type *, 8> Parameters;
  for (const Argument &A : F.args())
    Parameters.push_back(IsPointer(A) ? PointerType::get(F.getContext(), 0) : A.getType());
  Function *New =
      Function::Create(FunctionType::get(F.getReturnType(), Parameters, false), F.getLinkage(), "", F.getParent());
  New->copyAttributesFrom(&F);
  New->setSubprogram(F.getSubprogram());
  F.setSubprogram(nullptr);
  New->takeName(&F);
  New->splice(New->begin(), &F);
  for (unsigned I = 0; I < F.arg_size(); ++I) {
    Argument *Old = F.getArg(I), *Now = New->getArg(I);
    Now->takeName(Old);
    if (Unclear.erase(Old))
      Unclear.insert(Now);
    if (Now->getType() == Old->getType()) {
      Old->replaceAllUsesWith(Now);
      continue;
    }
    for (User *U : make_early_inc_range(Old->users()))
      if (auto *Cast = dyn_cast<IntToPtrInst>(U)) {
        IRBuilder<> At(Cast);
        Cast->replaceAllUsesWith(At.CreatePointerBitCastOrAddrSpaceCast(Now, Cast->getType()));
        Cast->eraseFromParent();
      }
    IRBuilder<> B(&New->getEntryBlock(), New->getEntryBlock().getFirstInsertionPt());
    if (!Old->use_empty())
      Old->replaceAllUsesWith(B.CreatePtrToInt(Now, Old->getType()));
  }
  changeCalls(F, *New);
  F.eraseFromParent();
  return New;
}

} // namespace gasan::lift
