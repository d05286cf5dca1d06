// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/DeviceHeap.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/Params.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace gasan {
namespace {

struct HeapFunction {
  const char *Name;
  const char *Hidden;
  const char *Ours; // has the same parameters, and then the site
  gasan_access Kind;
  unsigned Parameters;
};

const HeapFunction HeapFunctions[] = {
    {"malloc", "__gasan_hidden_malloc", "__gasan_malloc", GASAN_ACCESS_ALLOCATE, 1},
    {"free", "__gasan_hidden_free", "__gasan_free", GASAN_ACCESS_FREE, 1},
    {"__nv_aligned_device_malloc_impl", "__gasan_hidden_aligned_malloc", "__gasan_malloc_aligned",
     GASAN_ACCESS_ALLOCATE, 2},
};

// The wrappers in clang's cuda_wrappers/new and __clang_cuda_runtime_wrapper.h.
const char *const Wrappers[] = {
    "_Znwm",
    "_Znam",
    "_ZnwmRKSt9nothrow_t",
    "_ZnamRKSt9nothrow_t",
    "_ZdlPv",
    "_ZdaPv",
    "_ZdlPvm",
    "_ZdaPvm",
    "_ZdlPvRKSt9nothrow_t",
    "_ZdaPvRKSt9nothrow_t",
    "_ZStL6mallocm",
    "_ZStL4freePv",
    "__nv_aligned_device_malloc",
};

// Wrappers call each other; a program's own wrapper might call itself.
constexpr unsigned MostWrappers = 4;

// Instructions searched to save one lookup.
constexpr unsigned LongestLook = 64;

// Returns the declaration of the heap function. Null: the module defines a function of this name itself, or declares
// one with other parameters.
Function *declared(const Module &M, const char *Name, const HeapFunction &Heap) {
  Function *F = M.getFunction(Name);
  if (!F || !F->isDeclaration() || F->isVarArg() || F->arg_size() != Heap.Parameters)
    return nullptr;
  Type *Pointer = PointerType::get(M.getContext(), 0), *I64 = Type::getInt64Ty(M.getContext());
  bool Frees = Heap.Kind == GASAN_ACCESS_FREE;
  Type *Result = Frees ? Type::getVoidTy(M.getContext()) : Pointer;
  bool Fits = F->getReturnType() == Result &&
              all_of(F->args(), [&](const Argument &A) { return A.getType() == (Frees ? Pointer : I64); });
  return Fits ? F : nullptr;
}

// Renames F. If a linked-in module already has a function of this name, replaces F by that function.
void rename(Module &M, Function &F, const char *Name) {
  if (Function *Other = M.getFunction(Name)) {
    F.replaceAllUsesWith(Other);
    F.eraseFromParent();
    return;
  }
  F.setName(Name);
}

// Drops all attributes, and forbids merging calls: a merged call would have no source line.
void dropAttributes(Function &F) {
  F.setAttributes(AttributeList());
  F.setDoesNotThrow();
  for (User *U : F.users())
    if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledOperand() == &F)
      Call->setAttributes(AttributeList().addFnAttribute(F.getContext(), Attribute::NoMerge));
}

// Defines a function that forwards its arguments with an unknown site; for a pointer to malloc or free.
Function *thunk(Module &M, Function &F, FunctionCallee Ours) {
  auto *Thunk = Function::Create(F.getFunctionType(), GlobalValue::InternalLinkage,
                                 Twine(Ours.getCallee()->getName()) + "_thunk", M);
  Thunk->setDoesNotThrow();
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "", Thunk));
  SmallVector<Value *, 3> Arguments;
  for (Argument &A : Thunk->args())
    Arguments.push_back(&A);
  Arguments.push_back(B.getInt32(GASAN_SITE_UNKNOWN_WRITE));
  CallInst *Call = B.CreateCall(Ours, Arguments);
  if (Thunk->getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Call);
  return Thunk;
}

FunctionCallee ours(Module &M, const HeapFunction &Heap, FunctionType *Type) {
  SmallVector<llvm::Type *, 3> Parameters(Type->params());
  Parameters.push_back(Type::getInt32Ty(M.getContext()));
  FunctionCallee Ours = M.getOrInsertFunction(Heap.Ours, FunctionType::get(Type->getReturnType(), Parameters, false));
  cast<Function>(Ours.getCallee())->setDoesNotThrow();
  return Ours;
}

void replaceCall(CallBase &Call, const HeapFunction &Heap, FunctionCallee Ours, SiteTable &Sites) {
  Access A;
  A.Where = &Call;
  A.Kind = Heap.Kind;
  IRBuilder<> B(&Call);
  SmallVector<Value *, 3> Arguments(Call.args());
  Arguments.push_back(B.getInt32(Sites.add(A)));
  CallInst *New = B.CreateCall(Ours, Arguments);
  New->takeName(&Call);
  Call.replaceAllUsesWith(New);
  Call.eraseFromParent();
}

void replaceFunction(Module &M, Function &F, const HeapFunction &Heap, SiteTable &Sites) {
  FunctionCallee Ours = ours(M, Heap, F.getFunctionType());
  SmallVector<CallInst *, 16> Calls;
  for (Function &Caller : M) // in program order, so that sites are, too
    for (BasicBlock &Block : Caller)
      for (Instruction &I : Block)
        if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->getCalledOperand() == &F)
          Calls.push_back(Call);
  for (CallInst *Call : Calls)
    replaceCall(*Call, Heap, Ours, Sites);
  if (!F.use_empty())
    F.replaceAllUsesWith(thunk(M, F, Ours));
  F.eraseFromParent();
}

// Returns true for functions that may be defined elsewhere and get memory from CUDA's heap, and for functions whose asm
// statements call functions.
bool mayUseCudaHeap(const Function &F) {
  static const char *const Known[] = {"vprintf", "__assertfail"};
  for (const Instruction &I : instructions(F))
    if (const auto *Call = dyn_cast<CallBase>(&I); Call && Call->isInlineAsm())
      if (cast<InlineAsm>(Call->getCalledOperand())->getAsmString().contains("call"))
        return true;
  return F.isDeclaration() && !F.isIntrinsic() && !is_contained(Known, F.getName()) &&
         none_of(HeapFunctions,
                 [&](const HeapFunction &Heap) { return declared(*F.getParent(), Heap.Name, Heap) == &F; });
}

// Returns true if code outside of the linked device runtime allocates.
bool allocates(const Module &M) {
  return any_of(HeapFunctions, [&](const HeapFunction &Heap) {
    const Function *Ours = Heap.Kind == GASAN_ACCESS_ALLOCATE ? M.getFunction(Heap.Ours) : nullptr;
    return Ours && any_of(Ours->users(), [](const User *U) {
             const auto *I = dyn_cast<Instruction>(U);
             return !I || !I->getFunction()->hasFnAttribute(kRuntimeAttr);
           });
  });
}

bool isWrapper(const Function &F) {
  return !F.isDeclaration() && is_contained(Wrappers, F.getName());
}

} // namespace

void hideHeap(Module &M) {
  for (const HeapFunction &Heap : HeapFunctions)
    if (Function *F = declared(M, Heap.Name, Heap)) {
      dropAttributes(*F);
      rename(M, *F, Heap.Hidden);
    }
}

void showHeap(Module &M) {
  for (const HeapFunction &Heap : HeapFunctions)
    if (Function *F = declared(M, Heap.Hidden, Heap))
      rename(M, *F, Heap.Name);
}

void inlineHeapWrappers(Module &M) {
  SmallVector<std::pair<CallInst *, unsigned>, 16> Calls; // each with the depth of the wrapper around it
  auto Add = [&](Value *V, unsigned Depth) {
    auto *Call = dyn_cast<CallInst>(V);
    if (Call && Call->getCalledFunction() && isWrapper(*Call->getCalledFunction()) && !isWrapper(*Call->getFunction()))
      Calls.push_back({Call, Depth});
  };
  for (Function &F : M)
    if (isWrapper(F))
      for (User *U : F.users())
        Add(U, 0);
  while (!Calls.empty()) {
    auto [Call, Depth] = Calls.pop_back_val();
    InlineFunctionInfo Info;
    if (InlineFunction(*Call, Info).isSuccess() && Depth < MostWrappers)
      for (CallBase *Inner : Info.InlinedCallSites)
        Add(Inner, Depth + 1);
  }
  for (Function &F : make_early_inc_range(M))
    if (isWrapper(F) && F.isDefTriviallyDead())
      F.eraseFromParent();
}

bool freesHeap(const Module &M) {
  for (const HeapFunction &Heap : HeapFunctions)
    if (Heap.Kind == GASAN_ACCESS_FREE)
      for (const char *Name : {Heap.Name, Heap.Hidden, Heap.Ours})
        if (const Function *F = M.getFunction(Name); F && F->isDeclaration() && !F->use_empty())
          return true;
  return false;
}

static bool isLookup(const Value *V) {
  auto *Call = dyn_cast<CallBase>(V);
  return Call && Call->getCalledFunction() && Call->getCalledFunction()->getName().starts_with("__gasan_bounds");
}

// The bounds of a phi or a call may have been looked up long before.
bool mayBeFreedBetween(const Value &Size, const Instruction &At) {
  auto *From = dyn_cast<ExtractValueInst>(&Size);
  if (!From || From->getParent() != At.getParent() || !isLookup(From->getAggregateOperand()))
    return true;
  unsigned Steps = 0;
  for (auto I = std::next(From->getIterator()); &*I != &At; ++I) {
    if (I->isTerminator() || ++Steps > LongestLook) // too far, or after the access
      return true;
    auto *Call = dyn_cast<CallBase>(&*I);
    if (I->isAtomic() || I->isVolatile() ||
        (Call && !isLookup(Call) && (Call->mayWriteToMemory() || Call->isConvergent())))
      return true;
  }
  return false;
}

Value *sizeNow(const Bounds &Of, Instruction &At) {
  IRBuilder<> B(&At);
  FunctionCallee Now =
      At.getModule()->getOrInsertFunction("__gasan_bounds_now", B.getInt64Ty(), B.getInt64Ty(), B.getInt64Ty());
  cast<Function>(Now.getCallee())->setDoesNotThrow();
  return B.CreateCall(Now, {Of.Base, Of.Size}, "gasan.now");
}

void replaceHeap(Module &M, SiteTable &Sites) {
  bool Any = false;
  for (const HeapFunction &Heap : HeapFunctions)
    for (const char *Name : {Heap.Hidden, Heap.Name})
      if (Function *F = declared(M, Name, Heap)) {
        Any |= !F->use_empty();
        replaceFunction(M, *F, Heap, Sites);
      }
  if (Any)
    setParamsFlag(M, GASAN_FLAG_HEAP);
}

void dropCudaHeap(Module &M) {
  if (any_of(M, mayUseCudaHeap) || !M.getModuleInlineAsm().empty())
    return;
  const bool Allocates = allocates(M);
  for (const HeapFunction &Heap : HeapFunctions) {
    if (Heap.Kind == GASAN_ACCESS_FREE && !Allocates) // some other module does, which may be one without checks
      continue;
    Function *F = declared(M, Heap.Name, Heap);
    if (!F ||
        !all_of(F->users(), [&](User *U) { return isa<CallInst>(U) && cast<CallInst>(U)->getCalledOperand() == F; }))
      continue;
    for (User *U : make_early_inc_range(F->users())) {
      if (!U->getType()->isVoidTy())
        U->replaceAllUsesWith(Constant::getNullValue(U->getType()));
      cast<CallInst>(U)->eraseFromParent();
    }
    F->eraseFromParent();
  }
}

} // namespace gasan
