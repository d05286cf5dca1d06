// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/AsanCalls.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr StringRef kPrefix = "__asan_";

// The access that an entry point's name describes.
struct Entry {
  gasan_access Kind = GASAN_ACCESS_READ;
  uint64_t Size = 0;    // bytes; 0: the size is the second argument
  bool Reports = false; // reports without a check
  bool GoesOn = false;  // the thread continues after a fault

  const char *callee() const {
    if (Reports)
      return GoesOn ? "__gasan_report_noabort" : "__gasan_report";
    return GoesOn ? "__gasan_check_range_noabort" : "__gasan_check_range";
  }
};

std::optional<Entry> accessEntry(StringRef Name) {
  Entry E;
  if (!Name.consume_front(kPrefix))
    return std::nullopt;
  E.Reports = Name.consume_front("report_");
  E.GoesOn = Name.consume_back("_noabort");
  if (Name.consume_front("store"))
    E.Kind = GASAN_ACCESS_WRITE;
  else if (!Name.consume_front("load"))
    return std::nullopt;
  if (Name == (E.Reports ? "_n" : "N"))
    return E;
  if (Name.getAsInteger(10, E.Size) || !isPowerOf2_64(E.Size) || E.Size > 16)
    return std::nullopt;
  return E;
}

// Returns true if the call has the entry point's parameter types. A program may declare another function of the same
// name.
bool passes(const CallInst &Call, ArrayRef<Type *> Types) {
  return Call.arg_size() == Types.size() &&
         all_of(zip(Call.args(), Types), [](auto Pair) { return std::get<0>(Pair)->getType() == std::get<1>(Pair); });
}

class Numbering {
public:
  Numbering(Module &M, SiteTable &Sites)
      : M(M), Sites(Sites), I64(Type::getInt64Ty(M.getContext())), Pointer(PointerType::get(M.getContext(), 0)) {}

  // Name: the called function's. A call that does not match an entry point stays.
  void replace(CallInst &Call, StringRef Name) {
    if (std::optional<Entry> E = accessEntry(Name))
      access(Call, *E);
    else if (Name == "__asan_memset")
      fill(Call);
    else if (Name == "__asan_memcpy" || Name == "__asan_memmove")
      copy(Call, /*MayOverlap=*/Name == "__asan_memmove");
  }

private:
  Module &M;
  SiteTable &Sites;
  Type *I64;
  PointerType *Pointer;

  void check(CallInst &At, const Entry &E, Value *Address, Value *Size) {
    Access A;
    A.Where = &At;
    A.Kind = E.Kind;
    auto *Known = dyn_cast<ConstantInt>(Size);
    A.Size = Known ? Known->getZExtValue() : 0;
    IRBuilder<> B(&At);
    FunctionCallee Callee = M.getOrInsertFunction(E.callee(), B.getVoidTy(), I64, I64, B.getInt32Ty());
    B.CreateCall(Callee, {B.CreatePtrToInt(Address, I64), Size, B.getInt32(Sites.add(A))});
  }

  void access(CallInst &Call, const Entry &E) {
    SmallVector<Type *, 2> Types(E.Size ? 1 : 2, I64);
    if (!passes(Call, Types) || !Call.use_empty())
      return;
    check(Call, E, Call.getArgOperand(0), E.Size ? ConstantInt::get(I64, E.Size) : Call.getArgOperand(1));
    Call.eraseFromParent();
  }

  void fill(CallInst &Call) {
    if (!passes(Call, {Pointer, Type::getInt32Ty(M.getContext()), I64}) || Call.getType() != Pointer)
      return;
    Value *To = Call.getArgOperand(0), *Size = Call.getArgOperand(2);
    check(Call, {GASAN_ACCESS_WRITE}, To, Size);
    IRBuilder<> B(&Call);
    B.CreateMemSet(To, B.CreateTrunc(Call.getArgOperand(1), B.getInt8Ty()), Size, MaybeAlign());
    finish(Call, To);
  }

  // Checks the source first, as ASan does.
  void copy(CallInst &Call, bool MayOverlap) {
    if (!passes(Call, {Pointer, Pointer, I64}) || Call.getType() != Pointer)
      return;
    Value *To = Call.getArgOperand(0), *From = Call.getArgOperand(1), *Size = Call.getArgOperand(2);
    check(Call, {GASAN_ACCESS_READ}, From, Size);
    check(Call, {GASAN_ACCESS_WRITE}, To, Size);
    IRBuilder<> B(&Call);
    if (MayOverlap)
      B.CreateMemMove(To, MaybeAlign(), From, MaybeAlign(), Size);
    else
      B.CreateMemCpy(To, MaybeAlign(), From, MaybeAlign(), Size);
    finish(Call, To);
  }

  static void finish(CallInst &Call, Value *Result) {
    Call.replaceAllUsesWith(Result);
    Call.eraseFromParent();
  }
};

} // namespace

void numberAsanCalls(Module &M, SiteTable &Sites) {
  SmallVector<std::pair<CallInst *, Function *>, 0> Calls; // in program order, so that sites are, too
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallInst>(&I);
      Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (Callee && Callee->isDeclaration() && Callee->getName().starts_with(kPrefix))
        Calls.push_back({Call, Callee});
    }
  Numbering Numbers(M, Sites);
  for (auto [Call, Callee] : Calls)
    Numbers.replace(*Call, Callee->getName());
  for (Function &F : make_early_inc_range(M))
    if (F.isDeclaration() && F.use_empty() && F.getName().starts_with(kPrefix))
      F.eraseFromParent();
}

} // namespace gasan
