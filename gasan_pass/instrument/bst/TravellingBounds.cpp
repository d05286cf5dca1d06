// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/TravellingBounds.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/Prepare.h"
#include "gasan_pass/instrument/bst/DeviceHeap.h"
#include "gasan_pass/instrument/bst/Escape.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr unsigned kGeneric = NVPTXAS::ADDRESS_SPACE_GENERIC;

bool hasBody(const Function &F) {
  return wantsInstrumentation(F) && !F.isVarArg() && F.getCallingConv() != CallingConv::PTX_Kernel &&
         !F.hasFnAttribute(Attribute::Naked);
}

bool isMustTail(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  return Call && Call->isMustTailCall();
}

// Returns the use's call, if it is a direct call by instrumented code that can be redirected. Otherwise null.
CallInst *directCall(const Use &U, const Function &Callee) {
  auto *Call = dyn_cast<CallInst>(U.getUser());
  if (!Call || !Call->isCallee(&U) || Call->getFunctionType() != Callee.getFunctionType() || Call->isMustTailCall() ||
      Call->hasOperandBundles())
    return nullptr;
  return wantsInstrumentation(*Call->getFunction()) ? Call : nullptr;
}

// Returns true for a pointer that was just loaded from memory.
bool isFresh(const CallInst &Call, unsigned Index) {
  auto *Load = dyn_cast<LoadInst>(Call.getArgOperand(Index));
  return Load && Load->getParent() == Call.getParent();
}

bool isKernelArgument(const CallInst &Call, unsigned Index) {
  auto *Parameter = dyn_cast<Argument>(Call.getArgOperand(Index));
  return Parameter && Parameter->getParent()->getCallingConv() == CallingConv::PTX_Kernel && !Parameter->hasByValAttr();
}

// Drops the result's attributes: they do not apply to a pointer with its bounds.
AttributeList withoutReturn(AttributeList Old, LLVMContext &Context, unsigned Parameters) {
  AttributeList New = Old.removeAttributesAtIndex(Context, AttributeList::ReturnIndex)
                          .removeFnAttribute(Context, Attribute::AllocSize)
                          .removeFnAttribute(Context, Attribute::AllocKind);
  for (unsigned Index = 0; Index < Parameters; ++Index)
    New = New.removeParamAttribute(Context, Index, Attribute::Returned);
  return New;
}

// Returns false if the call does not access the pointer's memory. LLVM may have moved such a call after the end of a
// variable's scope.
bool staysInScope(const CallInst &Call, unsigned Index) {
  return !Call.doesNotAccessMemory() && !Call.doesNotAccessMemory(Index);
}

bool isOwnVariable(const Value *Root) {
  auto *Parameter = dyn_cast<Argument>(Root);
  return isa<AllocaInst>(Root) || (Parameter && Parameter->hasByValAttr());
}

// Returns true for a pointer from memory or from a call: it may point to a variable of the function.
bool isLoadedOrReturned(const Value *Root) {
  return !isOwnVariable(Root) && !isa<Argument>(Root) && !isa<Constant>(Root);
}

} // namespace

FunctionType *TravellingBounds::typeOf(const Function &F, const Signature &S) const {
  Type *I64 = Type::getInt64Ty(M.getContext()), *I32 = Type::getInt32Ty(M.getContext());
  SmallVector<Type *, 8> Parameters(F.getFunctionType()->params());
  for (size_t Index = 0; Index < S.Pointers.size(); ++Index)
    Parameters.append({I64, I64, I32});
  Type *Result = F.getReturnType();
  return FunctionType::get(S.Returns ? StructType::get(Result, I64, I64, I32) : Result, Parameters, /*isVarArg=*/false);
}

TravellingBounds::TravellingBounds(Module &M) : M(M) {
  const bool MayLookUp =
      CalleeLookups && Tags != "on" && !StrictTemporal && !freesHeap(M); // no memory can be freed in between
  SmallVector<Function *, 16> Candidates;
  for (Function &F : M)
    if (hasBody(F) && none_of(instructions(F), isMustTail))
      Candidates.push_back(&F);
  for (Function *F : Candidates) {
    Signature S = {{}, unsigned(F->arg_size()), F->getReturnType()->isPointerTy()};
    SmallVector<CallInst *, 8> Calls;
    for (const Use &U : F->uses())
      if (CallInst *Call = directCall(U, *F))
        Calls.push_back(Call);
    auto isLookedUp = [&](unsigned Index) {
      return MayLookUp && none_of(Calls, [](const CallInst *Call) { return Call->getFunction()->hasOptNone(); }) &&
             any_of(Calls, [&](const CallInst *Call) { return isFresh(*Call, Index); }) &&
             all_of(Calls,
                    [&](const CallInst *Call) { return isFresh(*Call, Index) || isKernelArgument(*Call, Index); });
    };
    for (const Argument &A : F->args())
      if (A.getType()->isPointerTy() && !A.hasPassPointeeByValueCopyAttr() && !isLookedUp(A.getArgNo()))
        S.Pointers.push_back(A.getArgNo());
    if (Calls.empty() || (S.Pointers.empty() && !S.Returns))
      continue;
    Function *Extended = extend(*F, S);
    Signatures[Extended] = S;
    for (CallInst *Call : Calls)
      redirect(*Call, *Extended);
    if (F->use_empty() && F->hasLocalLinkage())
      F->eraseFromParent();
    else
      makeThunk(*F, *Extended);
  }
  for (Function &F : M)
    if (Signatures.contains(&F) || !callsWithBounds(F).empty())
      Concerned.insert(&F);
}

// Moves the body into the function with bounds. Calls of F inside the body are redirected later, like all other calls.
Function *TravellingBounds::extend(Function &F, const Signature &S) {
  LLVMContext &Context = M.getContext();
  Function *Extended =
      Function::Create(typeOf(F, S), GlobalValue::InternalLinkage, F.getAddressSpace(), F.getName() + ".bounds");
  M.getFunctionList().insert(std::next(F.getIterator()), Extended);
  Extended->copyAttributesFrom(&F);
  Extended->setLinkage(GlobalValue::InternalLinkage);
  Extended->setVisibility(GlobalValue::DefaultVisibility);
  Extended->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  Extended->setComdat(nullptr);
  if (S.Returns)
    Extended->setAttributes(withoutReturn(F.getAttributes(), Context, F.arg_size()));
  Extended->splice(Extended->begin(), &F);
  Extended->setSubprogram(F.getSubprogram());
  F.setSubprogram(nullptr);
  for (auto [Old, New] : zip(F.args(), Extended->args())) {
    New.takeName(&Old);
    Old.replaceAllUsesWith(&New);
  }
  if (S.Returns)
    replaceReturns(*Extended);
  return Extended;
}

void TravellingBounds::replaceReturns(Function &Extended) {
  for (BasicBlock &Block : Extended)
    if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator())) {
      IRBuilder<> B(Return);
      Value *Result = PoisonValue::get(Extended.getReturnType());
      B.CreateRet(B.CreateInsertValue(Result, Return->getReturnValue(), 0));
      Return->eraseFromParent();
    }
}

void TravellingBounds::redirect(CallInst &Call, Function &Extended) {
  const bool Returns = Extended.getReturnType() != Call.getType();
  SmallVector<Value *, 8> Arguments(Call.args());
  for (Argument &Extra : drop_begin(Extended.args(), Call.arg_size()))
    Arguments.push_back(PoisonValue::get(Extra.getType()));
  IRBuilder<> B(&Call);
  CallInst *New = B.CreateCall(Extended.getFunctionType(), &Extended, Arguments);
  New->setCallingConv(Call.getCallingConv());
  New->setTailCallKind(Call.getTailCallKind());
  New->copyMetadata(Call, {LLVMContext::MD_dbg, LLVMContext::MD_nosanitize});
  New->setAttributes(Returns ? withoutReturn(Call.getAttributes(), M.getContext(), Call.arg_size())
                             : Call.getAttributes());
  Value *Result = Returns ? B.CreateExtractValue(New, 0) : New;
  Result->takeName(&Call);
  Call.replaceAllUsesWith(Result);
  Call.eraseFromParent();
}

void TravellingBounds::makeThunk(Function &Thunk, Function &Extended) {
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "", &Thunk));
  SmallVector<Value *, 8> Arguments;
  for (Argument &A : Thunk.args())
    Arguments.push_back(&A);
  for (Argument &Extra : drop_begin(Extended.args(), Thunk.arg_size()))
    Arguments.push_back(PoisonValue::get(Extra.getType()));
  CallInst *Call = B.CreateCall(Extended.getFunctionType(), &Extended, Arguments);
  Call->setCallingConv(Extended.getCallingConv());
  for (Argument &A : Thunk.args()) // how the caller passes the argument; the others have no use any more
    for (Attribute::AttrKind Kind : {Attribute::ByVal, Attribute::StructRet})
      if (A.hasAttribute(Kind))
        Call->addParamAttr(A.getArgNo(), A.getAttribute(Kind));
  if (Thunk.getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Signatures.lookup(&Extended).Returns ? B.CreateExtractValue(Call, 0) : Call);
}

const TravellingBounds::Signature *TravellingBounds::signatureOf(const CallInst &Call) const {
  auto Found = Signatures.find(Call.getCalledFunction());
  return Found == Signatures.end() ? nullptr : &Found->second;
}

SmallVector<CallInst *, 8> TravellingBounds::callsWithBounds(Function &F) {
  SmallVector<CallInst *, 8> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && signatureOf(*Call))
      Calls.push_back(Call);
  return Calls;
}

void TravellingBounds::arrive(Function &F, RootBounds &Roots) {
  auto Own = Signatures.find(&F);
  if (Own != Signatures.end()) {
    unsigned Next = Own->second.FirstBound;
    for (unsigned Index : Own->second.Pointers) {
      Roots.know(F.getArg(Index), {F.getArg(Next), F.getArg(Next + 1), F.getArg(Next + 2)}, kGeneric);
      Next += 3;
    }
  }
  for (CallInst *Call : callsWithBounds(F))
    for (User *U : Call->users()) {
      auto *Result = dyn_cast<ExtractValueInst>(U);
      if (!Result || Result->getIndices()[0] != 0 || !signatureOf(*Call)->Returns)
        continue;
      IRBuilder<> B(Call->getNextNode());
      Roots.know(Result, {B.CreateExtractValue(Call, 1), B.CreateExtractValue(Call, 2), B.CreateExtractValue(Call, 3)},
                 kGeneric);
      break;
    }
}

void TravellingBounds::leave(Function &F, RootBounds &Roots, VariableBounds &Variables) {
  for (CallInst *Call : callsWithBounds(F)) {
    const Signature &S = *signatureOf(*Call);
    unsigned Next = S.FirstBound;
    for (unsigned Index : S.Pointers) {
      Value *Argument = Call->getArgOperand(Index);
      Bounds B = Roots.ofInGeneric(Argument, *Call);
      Value *Root = Roots.steps().soleSource(Argument);
      if (Root && isa<AllocaInst>(Root) && Roots.isVariable(Root) && staysInScope(*Call, Index))
        B.Size = Variables.sizeAt(Root, B, *Call);
      for (Value *Part : {B.Base, B.Size, B.Object})
        Call->setArgOperand(Next++, Part);
    }
  }
  auto Own = Signatures.find(&F);
  if (Own == Signatures.end() || !Own->second.Returns)
    return;
  giveResult(F, Roots, Variables);
}

// Fills in the bounds of the result. A returned pointer to a variable of F has the bounds of a dead variable, since F's
// variables end with F.
void TravellingBounds::giveResult(Function &F, RootBounds &Roots, VariableBounds &Variables) {
  RootBounds Outside(F, Variables);
  arrive(F, Outside);
  for (Instruction &I : instructions(F))
    if (isOwnVariable(&I))
      Outside.knowDead(I);
  for (Argument &A : F.args())
    if (isOwnVariable(&A))
      Outside.knowDead(A);
  // A called function that got a pointer to a variable may have returned it.
  SmallSetVector<Value *, 4> Lent;
  for (CallInst *Call : callsWithBounds(F))
    if (const Signature &S = *signatureOf(*Call); S.Returns)
      for (unsigned Index : S.Pointers) {
        Value *Object = getUnderlyingObject(Call->getArgOperand(Index));
        auto *Variable = dyn_cast<AllocaInst>(Object);
        if (isOwnVariable(Object) && (!Variable || Variable->isStaticAlloca()))
          Lent.insert(Object);
      }
  // If the variable's address got into memory, a load may return it.
  SmallVector<Value *, 4> Stored;
  Escape Escapes;
  for (Instruction &I : F.getEntryBlock())
    if (auto *Variable = dyn_cast<AllocaInst>(&I);
        Variable && Variable->isStaticAlloca() && Escapes.mayEscape(*Variable))
      Stored.push_back(Variable);
  for (BasicBlock &Block : F) {
    auto *Return = dyn_cast<ReturnInst>(Block.getTerminator());
    if (!Return)
      continue;
    Value *Whole = Return->getReturnValue();
    auto *Insert = dyn_cast<InsertValueInst>(Whole);
    auto *Known = dyn_cast<Constant>(Whole); // each part is an inserted value or a constant
    if (!Insert && !Known)
      continue;
    Value *Pointer = Insert ? Insert->getInsertedValueOperand() : Known->getAggregateElement(0u);
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(Pointer, Objects, nullptr, /*MaxLookup=*/0);
    Bounds Result = (any_of(Objects, isOwnVariable) ? Outside : Roots).ofInGeneric(Pointer, *Return);
    IRBuilder<> B(Return);
    SmallSetVector<Value *, 4> Dying = Lent;
    if (any_of(Objects, isLoadedOrReturned))
      Dying.insert(Stored.begin(), Stored.end());
    for (Value *Variable : Dying) {
      Bounds Dead = Outside.ofInGeneric(Variable, *Return);
      Value *IsIt = B.CreateICmpEQ(Result.Base, Dead.Base);
      Result.Size = B.CreateSelect(IsIt, Dead.Size, Result.Size);
      Result.Object = B.CreateSelect(IsIt, Dead.Object, Result.Object);
    }
    Value *All = Whole;
    unsigned Part = 1;
    for (Value *V : {Result.Base, Result.Size, Result.Object})
      All = B.CreateInsertValue(All, V, Part++);
    Return->setOperand(0, All);
  }
  Outside.finish();
}

} // namespace gasan
