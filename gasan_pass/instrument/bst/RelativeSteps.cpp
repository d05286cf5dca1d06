// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/RelativeSteps.h"
#include "gasan_pass/instrument/Prepare.h"
#include "gasan_pass/instrument/bst/OffsetTerms.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr const char *kMark = "gasan.relative";
constexpr unsigned kDeepest = 4;  // depth of calls that are followed, and of operations that are compared
constexpr size_t kMostWays = 64;  // for one pointer
constexpr size_t kMostCalls = 64; // of one function

// The pointers from which a pointer is derived, one for each path.
struct Ways {
  SmallMapVector<Value *, std::optional<int64_t>, 8> Steps; // with its distance from there; empty: not constant
  SmallVector<Value *, 2> Ends;                             // where the search ends
};

bool isPointerTerm(const Value *V) {
  return isa<PtrToIntOperator>(V) || isa<PtrToAddrOperator>(V);
}

Value *pointerOf(Value *Term) {
  return cast<Operator>(Term)->getOperand(0);
}

std::optional<int64_t> sum(std::optional<int64_t> A, std::optional<int64_t> B) {
  return A && B ? std::optional<int64_t>(uint64_t(*A) + uint64_t(*B)) : std::nullopt;
}

std::optional<int64_t> constantStep(const GEPOperator &Gep) {
  const auto *I = dyn_cast<Instruction>(&Gep);
  if (!I)
    return std::nullopt;
  APInt Constant(I->getDataLayout().getIndexTypeSizeInBits(I->getType()), 0);
  return Gep.accumulateConstantOffset(I->getDataLayout(), Constant) ? std::optional<int64_t>(Constant.getSExtValue())
                                                                    : std::nullopt;
}

void addWays(Ways &To, Value *Pointer, std::optional<int64_t> Distance) {
  SmallVector<std::pair<Value *, std::optional<int64_t>>, 8> Pending = {{Pointer, Distance}};
  while (!Pending.empty()) {
    auto [At, Far] = Pending.pop_back_val();
    if (!At->getType()->isPointerTy() || isa<ConstantPointerNull, UndefValue>(At) || !To.Steps.insert({At, Far}).second)
      continue;
    const size_t Before = Pending.size();
    if (To.Steps.size() > kMostWays || relativeStep(*At) != RelativeStep::None) {
      To.Ends.push_back(At);
      continue;
    }
    if (auto *Gep = dyn_cast<GEPOperator>(At)) {
      Pending.push_back({Gep->getPointerOperand(), sum(Far, constantStep(*Gep))});
    } else if (auto *Phi = dyn_cast<PHINode>(At)) {
      for (Value *Incoming : Phi->incoming_values())
        Pending.push_back({Incoming, Far});
    } else if (auto *Select = dyn_cast<SelectInst>(At)) {
      Pending.append({{Select->getTrueValue(), Far}, {Select->getFalseValue(), Far}});
    } else if (auto *Call = dyn_cast<CallBase>(At)) {
      if (const Value *Same = getArgumentAliasingToReturnedPointer(Call, /*MustPreserveNullness=*/false))
        Pending.push_back({const_cast<Value *>(Same), std::nullopt});
    } else if (auto *Change = dyn_cast<Operator>(At)) {
      if (isa<BitCastOperator, AddrSpaceCastOperator, FreezeInst>(Change))
        Pending.push_back({Change->getOperand(0), Far});
      else if (Change->getOpcode() == Instruction::IntToPtr)
        for (const OffsetTerm &T : termsOf(Change->getOperand(0)))
          if (isPointerTerm(T.V) && T.isAdded())
            Pending.push_back({pointerOf(T.V), std::nullopt});
    }
    if (Pending.size() == Before)
      To.Ends.push_back(At);
  }
}

Ways waysOf(Value *Pointer, std::optional<int64_t> Distance = 0) {
  Ways Found;
  addWays(Found, Pointer, Distance);
  return Found;
}

// Returns true for two loads from the same place, and for two calls with the same arguments. Unoptimised code has such
// pairs where optimised code has one value.
bool isLikelySame(const Value *A, const Value *B, unsigned Depth = 0) {
  if (A == B)
    return true;
  const auto *I = dyn_cast<Instruction>(A), *J = dyn_cast<Instruction>(B);
  if (!I || !J || Depth > 2 * kDeepest || isa<PHINode, AllocaInst>(I) || !I->isSameOperationAs(J))
    return false;
  return all_of(zip(I->operands(), J->operands()),
                [&](const auto &Pair) { return isLikelySame(std::get<0>(Pair), std::get<1>(Pair), Depth + 1); });
}

bool isLoadOrCall(const Value *V) {
  return isa<LoadInst, CallBase>(V);
}

// Compares two pointers. Own: they are the same address. Object: they are addresses in the same object.
RelativeStep compare(const Ways &A, const Ways &B) {
  RelativeStep Result = RelativeStep::None;
  for (const auto &[V, Distance] : A.Steps)
    for (const auto &[W, Other] : B.Steps) {
      if (V != W && !(isLoadOrCall(V) && isLoadOrCall(W) && isLikelySame(V, W)))
        continue;
      if (Distance && Other && *Distance == *Other)
        return RelativeStep::Own;
      Result = RelativeStep::Object;
    }
  return Result;
}

// Returns true if both are derived from one pointer, on every path.
bool areOfOneObject(Value *A, Value *B) {
  const Ways OfA = waysOf(A), OfB = waysOf(B);
  return OfA.Ends.size() == 1 && OfB.Ends.size() == 1 && isLikelySame(OfA.Ends.front(), OfB.Ends.front());
}

bool isFollowed(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && wantsInstrumentation(*Callee) && Callee->getFunctionType() == Call.getFunctionType();
}

SmallVector<Value *, 2> resultsOf(const Function &F) {
  SmallVector<Value *, 2> Results;
  for (const BasicBlock &Block : F)
    if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator()); Return && Return->getReturnValue())
      Results.push_back(Return->getReturnValue());
  return Results;
}

bool countsOnce(const OffsetTerm &T) {
  return T.isAdded() || T.isSubtracted();
}

// Adds the addresses from which the term was loaded, as far as the surrounding code shows them.
void addPlaces(SmallVectorImpl<Ways> &Places, const OffsetTerm &T, unsigned Depth = 0) {
  Value *V = T.V;
  while (isa<ExtractValueInst, ExtractElementInst>(V))
    V = cast<Instruction>(V)->getOperand(0);
  auto *Call = dyn_cast<CallBase>(V);
  if (Call && isFollowed(*Call)) {
    if (Depth > kDeepest)
      return;
    SmallVector<Ways, 4> Inside;
    for (Value *Result : resultsOf(*Call->getCalledFunction()))
      for (const OffsetTerm &Inner : termsOf(Result, T.Times))
        addPlaces(Inside, Inner, Depth + 1);
    for (const Ways &Place : Inside)
      for (const auto &[At, Distance] : Place.Steps)
        if (auto *Parameter = dyn_cast<Argument>(At))
          Places.push_back(waysOf(Call->getArgOperand(Parameter->getArgNo()), Distance));
    return;
  }
  if (!countsOnce(T))
    return;
  if (auto *Load = dyn_cast<LoadInst>(V))
    Places.push_back(waysOf(Load->getPointerOperand()));
  else if (auto *Update = dyn_cast<AtomicRMWInst>(V))
    Places.push_back(waysOf(Update->getPointerOperand()));
  else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(V))
    Places.push_back(waysOf(Exchange->getPointerOperand()));
  else if (Call && Call->mayReadFromMemory()) // an intrinsic, PTX or external code
    for (Value *Argument : Call->args())
      if (Argument->getType()->isPointerTy())
        Places.push_back(waysOf(Argument));
}

// Removes differences of pointers into the same object, because they are ordinary numbers.
void dropNumbers(OffsetTerms &Pointers) {
  auto isNumber = [&](const OffsetTerm &Minus) {
    if (!Minus.isSubtracted())
      return false;
    auto *Plus = find_if(Pointers, [&](const OffsetTerm &T) {
      return T.isAdded() && areOfOneObject(pointerOf(T.V), pointerOf(Minus.V));
    });
    if (Plus == Pointers.end())
      return false;
    Pointers.erase(Plus);
    return true;
  };
  for (size_t Index = 0; Index < Pointers.size();) {
    Value *const Minus = Pointers[Index].V;
    if (!isNumber(Pointers[Index])) {
      ++Index;
      continue;
    }
    erase_if(Pointers, [&](const OffsetTerm &T) { return T.isSubtracted() && T.V == Minus; });
    Index = 0;
  }
}

RelativeStep stepBy(const Ways &Base, ArrayRef<OffsetTerm> All, unsigned Depth = 0);

// Classifies the step by a distance that is a parameter, from the arguments at all calls.
RelativeStep stepByArgument(const Ways &Base, const Argument &Distance, Factor Times, unsigned Depth) {
  RelativeStep Result = RelativeStep::None;
  size_t Calls = 0;
  for (const Use &U : Distance.getParent()->uses()) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    if (!Call || !Call->isCallee(&U) || !isFollowed(*Call) || ++Calls > kMostCalls)
      continue;
    Ways Outside;
    for (const auto &[At, Far] : Base.Steps)
      if (auto *Parameter = dyn_cast<Argument>(At))
        addWays(Outside, Call->getArgOperand(Parameter->getArgNo()), Far);
    Result = std::max(Result, stepBy(Outside, termsOf(Call->getArgOperand(Distance.getArgNo()), Times), Depth + 1));
  }
  return Result;
}

RelativeStep stepByLoaded(const Ways &Base, const OffsetTerm &T) {
  RelativeStep Result = RelativeStep::None;
  SmallVector<Ways, 4> Places;
  addPlaces(Places, T);
  for (const Ways &Place : Places) {
    const RelativeStep Of = compare(Base, Place);
    if (T.V->getType()->isIntegerTy(64) || (Of == RelativeStep::Own && T.V->getType()->isIntegerTy(32)))
      Result = std::max(Result, Of);
  }
  return Result;
}

// Returns the pointers in the sum that may belong to different objects.
OffsetTerms differencesIn(ArrayRef<OffsetTerm> All) {
  OffsetTerms Pointers;
  copy_if(All, std::back_inserter(Pointers), [](const OffsetTerm &T) { return isPointerTerm(T.V) && countsOnce(T); });
  dropNumbers(Pointers);
  return Pointers;
}

// Returns the terms of a result of the called function. Numbers among the parameters become the terms of the arguments:
// a function that was PTX computes with addresses as with numbers.
OffsetTerms termsOfResult(const CallBase &Call, Value *Result, Factor Times) {
  OffsetTerms All;
  for (const OffsetTerm &T : termsOf(Result, Times)) {
    auto *Parameter = dyn_cast<Argument>(T.V);
    if (Parameter && Parameter->getType()->isIntegerTy(64))
      append_range(All, termsOf(Call.getArgOperand(Parameter->getArgNo()), T.Times));
    else
      All.push_back(T);
  }
  return All;
}

bool bringsDifference(const OffsetTerm &T) {
  auto *Call = dyn_cast<CallBase>(T.V);
  return Call && isFollowed(*Call) && any_of(resultsOf(*Call->getCalledFunction()), [&](Value *Result) {
           return !differencesIn(termsOfResult(*Call, Result, T.Times)).empty();
         });
}

// Classifies the sum of a pointer with these origins and the terms.
RelativeStep stepBy(const Ways &Base, ArrayRef<OffsetTerm> All, unsigned Depth) {
  RelativeStep Result = RelativeStep::None;
  if (Base.Steps.empty() || Depth > kDeepest)
    return Result;
  for (const OffsetTerm &T : All) {
    if (auto *Distance = dyn_cast<Argument>(T.V))
      Result = std::max(Result, stepByArgument(Base, *Distance, T.Times, Depth));
    else if (!isPointerTerm(T.V))
      Result =
          std::max({Result, stepByLoaded(Base, T), bringsDifference(T) ? RelativeStep::Object : RelativeStep::None});
  }
  for (const OffsetTerm &T : differencesIn(All))
    Result = std::max(Result, compare(Base, waysOf(pointerOf(T.V))) != RelativeStep::None ? RelativeStep::Own
                                                                                          : RelativeStep::Object);
  return Result;
}

// Returns true if the term could make a step relative.
bool matters(const OffsetTerm &T) {
  if (const auto *Distance = dyn_cast<Argument>(T.V))
    return Distance->getParent()->getCallingConv() != CallingConv::PTX_Kernel;
  const auto *Call = dyn_cast<CallBase>(T.V);
  return (Call && isFollowed(*Call)) || (countsOnce(T) && !isa<Constant>(T.V)) || isPointerTerm(T.V);
}

RelativeStep find(Instruction &I) {
  if (auto *Gep = dyn_cast<GetElementPtrInst>(&I)) {
    if (Gep->hasAllConstantIndices() || !Gep->getType()->isPointerTy())
      return RelativeStep::None;
    const OffsetTerms Terms = termsOf(*cast<GEPOperator>(Gep), I.getDataLayout());
    const RelativeStep Found =
        any_of(Terms, matters) ? stepBy(waysOf(Gep->getPointerOperand()), Terms) : RelativeStep::None;
    const unsigned Space = Gep->getAddressSpace();
    const bool StaysInSpace = Space != NVPTXAS::ADDRESS_SPACE_GENERIC && Space != NVPTXAS::ADDRESS_SPACE_GLOBAL;
    return Found == RelativeStep::Object && StaysInSpace ? RelativeStep::None : Found;
  }
  auto *Pointer = dyn_cast<IntToPtrInst>(&I);
  if (!Pointer || !Pointer->getType()->isPointerTy())
    return RelativeStep::None;
  // PointerSteps knows more about pointers in the sum.
  Ways Base;
  OffsetTerms Others;
  for (const OffsetTerm &T : termsOf(Pointer->getOperand(0)))
    if (!isPointerTerm(T.V))
      Others.push_back(T);
    else if (T.isAdded())
      addWays(Base, pointerOf(T.V), 0);
  return stepBy(Base, Others) == RelativeStep::None ? RelativeStep::None : RelativeStep::Own;
}

} // namespace

void markRelativeSteps(Module &M) {
  LLVMContext &Context = M.getContext();
  MDNode *const Own = MDNode::get(Context, {}), *const Object = MDNode::get(Context, MDString::get(Context, "object"));
  for (Function &F : M)
    if (wantsInstrumentation(F))
      for (Instruction &I : instructions(F))
        if (const RelativeStep Found = find(I); Found != RelativeStep::None)
          I.setMetadata(kMark, Found == RelativeStep::Own ? Own : Object);
}

RelativeStep relativeStep(const Value &Pointer) {
  const auto *I = dyn_cast<Instruction>(&Pointer);
  const MDNode *Mark = I ? I->getMetadata(kMark) : nullptr;
  return !Mark ? RelativeStep::None : Mark->getNumOperands() ? RelativeStep::Object : RelativeStep::Own;
}

} // namespace gasan
