// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/RootBounds.h"
#include "gasan_pass/instrument/bst/Addresses.h"
#include "gasan_pass/instrument/bst/PointerSteps.h"
#include "gasan_pass/instrument/bst/RelativeSteps.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr size_t kLongestChain = 10000; // steps; only unreachable code has longer chains

unsigned spaceOf(const Value *Pointer) {
  return Pointer->getType()->getScalarType()->getPointerAddressSpace();
}

bool isGlobalOrGeneric(unsigned Space) {
  return Space == NVPTXAS::ADDRESS_SPACE_GENERIC || Space == NVPTXAS::ADDRESS_SPACE_GLOBAL;
}

// Returns true if a generic pointer can point into the address space.
bool isPartOfGeneric(unsigned Space) {
  return isGlobalOrGeneric(Space) || Space == NVPTXAS::ADDRESS_SPACE_SHARED || Space == NVPTXAS::ADDRESS_SPACE_CONST ||
         Space == NVPTXAS::ADDRESS_SPACE_LOCAL;
}

// The same type as in the device runtime, so that linking merges both.
StructType *boundsType(LLVMContext &Context) {
  constexpr const char *kName = "struct.gasan_bounds";
  Type *I64 = Type::getInt64Ty(Context), *I32 = Type::getInt32Ty(Context);
  StructType *Type = StructType::getTypeByName(Context, kName);
  if (Type && Type->elements() == ArrayRef<llvm::Type *>({I64, I64, I32}))
    return Type;
  return StructType::create({I64, I64, I32}, kName);
}

} // namespace

RootBounds::RootBounds(Function &F, VariableBounds &Variables, bool MayMerge)
    : F(F), Variables(Variables), M(*F.getParent()), Tree(F), Steps(MayMerge ? mergedRoots() : nullptr),
      I64(Type::getInt64Ty(M.getContext())), I32(Type::getInt32Ty(M.getContext())) {}

// Creates the analysis of merged roots. An argument's bounds have to be looked up if neither the caller nor the launch
// supplies them.
std::unique_ptr<MergedRoots> RootBounds::mergedRoots() {
  return std::make_unique<MergedRoots>(Tree, [this](const Argument &A) {
    return F.getCallingConv() != CallingConv::PTX_Kernel && !A.hasPassPointeeByValueCopyAttr() && !Known.contains(&A);
  });
}

Bounds RootBounds::constant(uint64_t Base, uint64_t Size, uint32_t Object) const {
  return {ConstantInt::get(I64, Base), ConstantInt::get(I64, Size), ConstantInt::get(I32, Object)};
}

Bounds RootBounds::notChecked() const {
  return constant(0, ~uint64_t(0), GASAN_OBJECT_MEMORY);
}

std::optional<BasicBlock::iterator> RootBounds::behind(Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  auto *Alloca = dyn_cast<AllocaInst>(V);
  if (!I || (Alloca && Alloca->isStaticAlloca())) // after the other allocas
    return F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  auto *Call = dyn_cast<CallInst>(I);
  if (I->isTerminator() || (Call && Call->isMustTailCall()))
    return std::nullopt;
  return I->getInsertionPointAfterDef();
}

Value *RootBounds::translate(IRBuilderBase &B, Value *Address, unsigned FromSpace, unsigned ToSpace) {
  if (FromSpace == ToSpace || (isGlobalOrGeneric(FromSpace) && isGlobalOrGeneric(ToSpace)))
    return Address;
  if (FromSpace == NVPTXAS::ADDRESS_SPACE_SHARED && ToSpace == NVPTXAS::ADDRESS_SPACE_GENERIC)
    return sharedToGeneric(B, Address);
  auto *Cast = dyn_cast<PtrToIntOperator>(Address);
  Value *Pointer = Cast && Cast->getPointerOperand()->getType() == B.getPtrTy(FromSpace)
                       ? Cast->getPointerOperand()
                       : B.CreateIntToPtr(Address, B.getPtrTy(FromSpace));
  if (FromSpace != NVPTXAS::ADDRESS_SPACE_GENERIC)
    Pointer = B.CreateAddrSpaceCast(Pointer, B.getPtrTy());
  return B.CreatePtrToInt(B.CreateAddrSpaceCast(Pointer, B.getPtrTy(ToSpace)), B.getInt64Ty());
}

Bounds RootBounds::inSpace(const Bounds &B, unsigned FromSpace, unsigned ToSpace, Value *For) {
  auto *Size = dyn_cast<ConstantInt>(B.Size);
  if (FromSpace == ToSpace || (Size && (Size->isMinusOne() || Size->isZero())))
    return B;
  std::optional<BasicBlock::iterator> At = behind(isa<Instruction>(For) ? For : B.Base);
  if (!At)
    return notChecked();
  BoundsBuilder Builder(At->getNodeParent(), *At, InstSimplifyFolder(M.getDataLayout()));
  return {translate(Builder, B.Base, FromSpace, ToSpace), B.Size, B.Object};
}

// The lookup accepts every pointer value, so the lookup may precede the point where the access becomes certain.
Bounds RootBounds::lookUp(Value *Root) {
  const unsigned Space = spaceOf(Root);
  std::optional<BasicBlock::iterator> At = behind(Root);
  if (!At || !isPartOfGeneric(Space))
    return notChecked();
  BoundsBuilder B(At->getNodeParent(), *At, InstSimplifyFolder(M.getDataLayout()));
  const bool IsGlobal =
      Space == NVPTXAS::ADDRESS_SPACE_GLOBAL ||
      (isa<Argument>(Root) && F.getCallingConv() == CallingConv::PTX_Kernel); // the host passes global pointers only
  const char *Name = IsGlobal ? "__gasan_bounds_global" : "__gasan_bounds";
  FunctionCallee Entry = M.getOrInsertFunction(Name, boundsType(M.getContext()), I64, I32);
  Value *Address = translate(B, B.CreatePtrToInt(Root, I64), Space, NVPTXAS::ADDRESS_SPACE_GENERIC);
  return found(B, B.CreateCall(Entry, {Address, B.getInt32(GASAN_SITE_UNKNOWN_READ)}), Space);
}

// Returns the parts of a call's result, which are in the generic space.
Bounds RootBounds::found(BoundsBuilder &B, CallInst *Call, unsigned Space) {
  Call->setDoesNotThrow();
  Made.push_back(Call);
  Bounds Result = {B.CreateExtractValue(Call, 0, "gasan.base"), B.CreateExtractValue(Call, 1, "gasan.size"),
                   B.CreateExtractValue(Call, 2, "gasan.object")};
  for (Value *Part : {Result.Base, Result.Size, Result.Object})
    Made.push_back(cast<Instruction>(Part));
  Result.Base = translate(B, Result.Base, NVPTXAS::ADDRESS_SPACE_GENERIC, Space);
  return Result;
}

// Returns the bounds of the object that the pointer was derived from. If the pointer is outside that object, returns
// the bounds of the object that it points to.
Bounds RootBounds::lookUpRelative(GEPOperator &Pointer) {
  const unsigned Space = spaceOf(&Pointer);
  std::optional<BasicBlock::iterator> At = behind(&Pointer);
  if (!At)
    return notChecked();
  const Bounds Of = walk(Pointer.getPointerOperand());
  BoundsBuilder B(At->getNodeParent(), *At, InstSimplifyFolder(M.getDataLayout()));
  FunctionCallee Entry =
      M.getOrInsertFunction("__gasan_relative_bounds", boundsType(M.getContext()), I64, I32, I64, I64, I32);
  Value *Address = B.CreatePtrToInt(&Pointer, I64); // the same in the global and the generic space
  return found(B, B.CreateCall(Entry, {Address, B.getInt32(GASAN_SITE_UNKNOWN_READ), Of.Base, Of.Size, Of.Object}),
               Space);
}

bool RootBounds::dominates(Value *Source, Value *User) const {
  auto *From = dyn_cast<Instruction>(Source), *To = dyn_cast<Instruction>(User);
  return !From || (To && Tree.dominates(From, To));
}

Bounds RootBounds::sourceBounds(Value *Source) {
  auto *I = dyn_cast<Instruction>(Source);
  if (I && !isReachable(*I))
    return notChecked(); // unreachable: a value may be derived from itself
  if (isa<UndefValue, Function, BlockAddress>(Source))
    return notChecked();
  if (isa<ConstantPointerNull>(Source) && isGlobalOrGeneric(spaceOf(Source)))
    return constant(0, 0, GASAN_OBJECT_NULL);
  if (std::optional<Bounds> Variable = Variables.of(Source)) {
    VariableRoots.insert(Source);
    return *Variable;
  }
  if (PointerSteps::isMerge(Source)) {
    Value *Sole = Steps.soleSource(Source);
    if (Sole && dominates(Sole, Source)) {
      const Bounds Of = walk(Sole);
      return inSpace(Of, spaceOf(Sole), spaceOf(Source), Of.Base); // in front of a loop, if the merge is in one
    }
    return Steps.isRoot(Source) ? lookUp(Source) : mergeBounds(*I);
  }
  if (auto *Gep = dyn_cast<GetElementPtrInst>(Source); Gep && relativeStep(*Gep) == RelativeStep::Object)
    return lookUpRelative(cast<GEPOperator>(*Gep));
  if (auto *Extract = dyn_cast<ExtractElementInst>(Source))
    if (auto *Lane = dyn_cast<ConstantInt>(Extract->getIndexOperand()); Lane && Lane->getValue().ult(kMostLanes))
      return laneBounds(Extract->getVectorOperand(), Lane->getZExtValue());
  return lookUp(Source);
}

// fill() sets the incoming bounds later, because they may be derived from this merge.
Bounds RootBounds::mergeBounds(Instruction &Of) {
  Merge New = {&Of, {}};
  Type *Types[] = {I64, I64, I32};
  for (unsigned Part = 0; Part < 3; ++Part) {
    if (auto *Phi = dyn_cast<PHINode>(&Of)) {
      New.Parts[Part] = PHINode::Create(Types[Part], Phi->getNumIncomingValues(), "gasan.bounds", Of.getIterator());
    } else {
      Value *Later = PoisonValue::get(Types[Part]);
      New.Parts[Part] =
          SelectInst::Create(cast<SelectInst>(Of).getCondition(), Later, Later, "gasan.bounds", Of.getIterator());
    }
    Made.push_back(New.Parts[Part]);
  }
  Unfilled.push_back(New);
  return {New.Parts[0], New.Parts[1], New.Parts[2]};
}

void RootBounds::fillOne(const Merge &Next) {
  auto Parts = [](const Bounds &B) { return std::array<Value *, 3>{B.Base, B.Size, B.Object}; };
  if (auto *Phi = dyn_cast<PHINode>(Next.Of)) {
    for (unsigned Index = 0; Index < Phi->getNumIncomingValues(); ++Index) {
      std::array<Value *, 3> Incoming = Parts(walk(Phi->getIncomingValue(Index)));
      for (unsigned Part = 0; Part < 3; ++Part)
        cast<PHINode>(Next.Parts[Part])->addIncoming(Incoming[Part], Phi->getIncomingBlock(Index));
    }
    return;
  }
  auto *Select = cast<SelectInst>(Next.Of);
  std::array<Value *, 3> True = Parts(walk(Select->getTrueValue())), False = Parts(walk(Select->getFalseValue()));
  for (unsigned Part = 0; Part < 3; ++Part) {
    Next.Parts[Part]->setOperand(1, True[Part]);
    Next.Parts[Part]->setOperand(2, False[Part]);
  }
}

void RootBounds::fill() {
  while (!Unfilled.empty())
    fillOne(Unfilled.pop_back_val());
}

Bounds RootBounds::stepBounds(Value *Step, const Bounds &From, unsigned FromSpace) {
  auto *I = dyn_cast<Instruction>(Step);
  if (I && !isReachable(*I))
    return notChecked();
  return inSpace(From, FromSpace, spaceOf(Step), Step);
}

Bounds RootBounds::walk(Value *Pointer) {
  SmallVector<Value *, 16> Chain;
  Value *At = Pointer;
  while (!Known.contains(At)) {
    auto *I = dyn_cast<Instruction>(At);
    Value *From = Chain.size() < kLongestChain && (!I || isReachable(*I)) ? Steps.stepFrom(At) : nullptr;
    if (!From || !dominates(From, At)) {
      Bounds Found = sourceBounds(At);
      Known.try_emplace(At, Found);
      break;
    }
    Chain.push_back(At);
    At = From;
  }
  Bounds Result = Known.find(At)->second;
  for (Value *Step : reverse(Chain)) {
    Result = stepBounds(Step, Result, spaceOf(At));
    Known.try_emplace(Step, Result);
    At = Step;
  }
  return Result;
}

Bounds RootBounds::of(Value *Pointer) {
  Bounds Result = walk(Pointer);
  fill();
  return Result;
}

Bounds RootBounds::ofInGeneric(Value *Pointer, Instruction &At) {
  Bounds Result = of(Pointer);
  BoundsBuilder B(At.getParent(), At.getIterator(), InstSimplifyFolder(M.getDataLayout()));
  if (!(Result == notChecked()))
    Result.Base = translate(B, Result.Base, spaceOf(Pointer), NVPTXAS::ADDRESS_SPACE_GENERIC);
  return Result;
}

void RootBounds::know(Value *Root, const Bounds &B, unsigned Space) {
  Known[Root] = inSpace(B, Space, spaceOf(Root), Root);
}

void RootBounds::knowDead(Value &Variable) {
  std::optional<BasicBlock::iterator> At = behind(&Variable); // after an alloca or argument there is always a place
  IRBuilder<> B(At->getNodeParent(), *At);
  Known[&Variable] = {B.CreatePtrToInt(&Variable, I64), B.getInt64(0), B.getInt32(GASAN_OBJECT_DEAD_FRAME)};
}

Bounds RootBounds::ofLane(Value *Vector, unsigned Lane) {
  Bounds Result = laneBounds(Vector, Lane);
  fill();
  return Result;
}

Bounds RootBounds::laneBounds(Value *Vector, unsigned Lane) {
  for (unsigned Depth = 0; Depth < kMostLanes; ++Depth) {
    if (auto *Known = dyn_cast<Constant>(Vector)) {
      Constant *Element = Known->getAggregateElement(Lane);
      return Element ? walk(Element) : notChecked();
    }
    if (auto *Insert = dyn_cast<InsertElementInst>(Vector)) {
      auto *Index = dyn_cast<ConstantInt>(Insert->getOperand(2));
      if (!Index)
        break;
      if (Index->equalsInt(Lane))
        return walk(Insert->getOperand(1));
      Vector = Insert->getOperand(0);
    } else if (auto *Shuffle = dyn_cast<ShuffleVectorInst>(Vector)) {
      auto *From = dyn_cast<FixedVectorType>(Shuffle->getOperand(0)->getType());
      if (!From || Lane >= Shuffle->getShuffleMask().size())
        break;
      const int Source = Shuffle->getMaskValue(Lane);
      if (Source < 0)
        return notChecked();
      const unsigned Width = From->getNumElements();
      Vector = Shuffle->getOperand(unsigned(Source) / Width);
      Lane = unsigned(Source) % Width;
    } else if (auto *Gep = dyn_cast<GetElementPtrInst>(Vector)) {
      if (!Gep->getPointerOperandType()->isVectorTy())
        return walk(Gep->getPointerOperand());
      Vector = Gep->getPointerOperand();
    } else {
      break;
    }
  }
  return lookUpLane(Vector, Lane);
}

Bounds RootBounds::lookUpLane(Value *Vector, unsigned Lane) {
  auto Found = KnownLanes.find({Vector, Lane});
  if (Found != KnownLanes.end())
    return Found->second;
  auto *I = dyn_cast<Instruction>(Vector);
  std::optional<BasicBlock::iterator> At = behind(Vector);
  Bounds Result = notChecked();
  if (At && (!I || isReachable(*I))) {
    IRBuilder<> B(At->getNodeParent(), *At);
    Value *Element = B.CreateExtractElement(Vector, Lane);
    Result = isa<Instruction>(Element) ? lookUp(Element) : walk(Element);
  }
  KnownLanes.try_emplace({Vector, Lane}, Result);
  return Result;
}

void RootBounds::nameSite(const Bounds &B, uint32_t Site) {
  SmallVector<Value *, 8> Left = {B.Size};
  while (!Left.empty()) {
    auto *I = dyn_cast<Instruction>(Left.pop_back_val());
    if (!I || !Named.insert(I).second)
      continue;
    if (auto *Part = dyn_cast<ExtractValueInst>(I)) {
      Left.push_back(Part->getAggregateOperand());
    } else if (isa<PHINode, SelectInst>(I)) {
      append_range(Left, I->operand_values());
    } else if (auto *Call = dyn_cast<CallInst>(I); Call && Call->getCalledFunction()) {
      const StringRef Name = Call->getCalledFunction()->getName();
      if (Name == "__gasan_bounds_now")
        Left.push_back(Call->getArgOperand(1));
      else if (Name == "__gasan_relative_bounds")
        Left.append({Call->getArgOperand(2), Call->getArgOperand(3)});
      if (Name == "__gasan_bounds" || Name == "__gasan_bounds_global" || Name == "__gasan_relative_bounds")
        Call->setArgOperand(1, ConstantInt::get(I32, Site));
    }
  }
}

Value *RootBounds::sameOnAllWays(Instruction &I) {
  if (auto *Phi = dyn_cast<PHINode>(&I))
    return Phi->hasConstantValue();
  auto *Select = dyn_cast<SelectInst>(&I);
  return Select && Select->getTrueValue() == Select->getFalseValue() ? Select->getTrueValue() : nullptr;
}

// Removes merges of parts that are equal on all paths, and lookups whose bounds only proven accesses use.
void RootBounds::finish() {
  constexpr unsigned kMostRounds = 8;
  Tree.recalculate(F);
  bool Changed = true;
  for (unsigned Round = 0; Changed && Round < kMostRounds; ++Round) {
    Changed = false;
    for (WeakTrackingVH &Handle : reverse(Made)) {
      Value *V = Handle;
      auto *I = dyn_cast_or_null<Instruction>(V);
      if (!I)
        continue;
      Value *Same = sameOnAllWays(*I);
      if (Same && Same != I && dominates(Same, I))
        I->replaceAllUsesWith(Same);
      else if (any_of(I->users(), [&](User *U) { return U != I; }))
        continue;
      I->replaceAllUsesWith(PoisonValue::get(I->getType()));
      I->eraseFromParent();
      Handle = nullptr;
      Changed = true;
    }
  }
}

} // namespace gasan
