// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces llvm.nvvm.*: typed ones (atomics, ldu) by instructions, all others by calls of helpers.
#include "gasan_pass/retarget/Steps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;

namespace gasan {

namespace {

constexpr const char *kPrefix = "llvm.nvvm.";
constexpr const char *kRegisterPrefix = "llvm.nvvm.read.ptx.sreg.";

SmallVector<CallInst *, 32> callsOf(Function &F) {
  SmallVector<CallInst *, 32> Calls;
  for (User *U : F.users())
    if (auto *Call = dyn_cast<CallInst>(U); Call && Call->getCalledFunction() == &F)
      Calls.push_back(Call);
  return Calls;
}

void replace(CallInst &Call, Value *Result) {
  if (!Call.getType()->isVoidTy()) {
    if (auto *I = dyn_cast<Instruction>(Result); I && !I->hasName())
      I->takeName(&Call);
    Call.replaceAllUsesWith(Result);
  }
  Call.eraseFromParent();
}

// Finds the helper gasan_nvvm_ + name with underscores. A mangled pointer type at the end ("_p0") is no part of a
// helper's name.
const Function *findHelper(const Module &Helpers, StringRef Intrinsic) {
  std::string Name = ("gasan_" + Intrinsic.drop_front(strlen("llvm."))).str();
  std::replace(Name.begin(), Name.end(), '.', '_');
  for (;;) {
    if (const Function *Helper = Helpers.getFunction(Name); Helper && !Helper->isDeclaration())
      return Helper;
    size_t Suffix = Name.rfind("_p");
    if (Suffix == std::string::npos || !all_of(StringRef(Name).drop_front(Suffix + 2), isDigit))
      return nullptr;
    Name.resize(Suffix);
  }
}

// Calls a helper that returns a struct through memory, with one slot for each member.
Value *callWithStructResult(CallInst &Call, const Function &Helper) {
  auto *Result = cast<StructType>(Call.getType());
  IRBuilder<> Entry(&Call.getFunction()->getEntryBlock(), Call.getFunction()->getEntryBlock().begin());
  SmallVector<Value *, 8> Arguments(Call.args());
  SmallVector<std::pair<Value *, Type *>, 4> Slots;
  for (Type *Member : Result->elements()) {
    Type *Stored = Member->isIntegerTy(1) ? Entry.getInt8Ty() : Member; // C's bool
    Slots.push_back({Entry.CreateAlloca(Stored), Stored});
    Arguments.push_back(Slots.back().first);
  }
  IRBuilder<> Builder(&Call);
  callHelper(Builder, Helper, Arguments);
  Value *Whole = PoisonValue::get(Result);
  for (unsigned I = 0; I < Slots.size(); ++I) {
    Value *Member = Builder.CreateLoad(Slots[I].second, Slots[I].first);
    Whole = Builder.CreateInsertValue(Whole, Builder.CreateTrunc(Member, Result->getElementType(I)), I);
  }
  return Whole;
}

// Returns true for a register that keeps its value as long as the thread runs.
bool isConstantRegister(StringRef Name) {
  return Name.consume_front(kRegisterPrefix) && !Name.contains("clock") && !Name.contains("timer");
}

void callHelperInstead(ArrayRef<CallInst *> Calls, const Function &Helper, bool OncePerFunction) {
  DenseMap<Function *, Value *> AtEntry;
  for (CallInst *Call : Calls) {
    if (OncePerFunction) {
      Value *&Result = AtEntry[Call->getFunction()];
      if (!Result) {
        IRBuilder<> Entry(Call->getContext());
        moveToEntry(Entry, *Call->getFunction());
        Result = convertBits(Entry, callHelper(Entry, Helper, {}), Call->getType());
      }
      replace(*Call, Result);
    } else if (Call->getType()->isStructTy()) {
      replace(*Call, callWithStructResult(*Call, Helper));
    } else {
      IRBuilder<> Builder(Call);
      Value *Result = callHelper(Builder, Helper, SmallVector<Value *, 8>(Call->args()));
      replace(*Call, Call->getType()->isVoidTy() ? Result : convertBits(Builder, Result, Call->getType()));
    }
  }
}

// llvm.nvvm.atomic.OP.gen.TYPE.SCOPE.*
std::optional<AtomicRMWInst::BinOp> atomicOperation(StringRef Operation, bool Floating) {
  if (Floating)
    return Operation == "add" ? std::optional(AtomicRMWInst::FAdd) : std::nullopt;
  return StringSwitch<std::optional<AtomicRMWInst::BinOp>>(Operation)
      .Case("add", AtomicRMWInst::Add)
      .Case("exch", AtomicRMWInst::Xchg)
      .Case("and", AtomicRMWInst::And)
      .Case("or", AtomicRMWInst::Or)
      .Case("xor", AtomicRMWInst::Xor)
      .Case("min", AtomicRMWInst::Min)
      .Case("max", AtomicRMWInst::Max)
      .Case("inc", AtomicRMWInst::UIncWrap)
      .Case("dec", AtomicRMWInst::UDecWrap)
      .Default(std::nullopt);
}

bool lowerScopedAtomic(StringRef Name, ArrayRef<CallInst *> Calls) {
  if (!Name.consume_front("llvm.nvvm.atomic."))
    return false;
  SmallVector<StringRef, 6> Parts;
  Name.split(Parts, '.');
  if (Parts.size() < 3)
    return false;
  const auto Order = AtomicOrdering::SequentiallyConsistent;
  std::optional<AtomicRMWInst::BinOp> Operation = atomicOperation(Parts[0], Parts[2] == "f");
  if (!Operation && Parts[0] != "cas")
    return false;
  for (CallInst *Call : Calls) {
    IRBuilder<> Builder(Call);
    Value *Pointer = Call->getArgOperand(0), *Operand = Call->getArgOperand(1), *Old;
    if (Operation)
      Old = Builder.CreateAtomicRMW(*Operation, Pointer, Operand, MaybeAlign(), Order);
    else
      Old = Builder.CreateExtractValue(
          Builder.CreateAtomicCmpXchg(Pointer, Operand, Call->getArgOperand(2), MaybeAlign(), Order, Order), 0);
    replace(*Call, Old);
  }
  return true;
}

bool lowerTypedIntrinsic(StringRef Name, ArrayRef<CallInst *> Calls) {
  if (Name.starts_with("llvm.nvvm.ldu.global.") || Name.starts_with("llvm.nvvm.ldg.global.")) {
    for (CallInst *Call : Calls) {
      IRBuilder<> Builder(Call);
      uint64_t Alignment = cast<ConstantInt>(Call->getArgOperand(1))->getZExtValue();
      replace(*Call, Builder.CreateAlignedLoad(Call->getType(), Call->getArgOperand(0), Align(Alignment)));
    }
    return true;
  }
  if (Name.starts_with("llvm.nvvm.move.") || Name.starts_with("llvm.nvvm.internal.addrspace.wrap")) {
    for (CallInst *Call : Calls) {
      IRBuilder<> Builder(Call);
      replace(*Call, convertBits(Builder, Call->getArgOperand(0), Call->getType()));
    }
    return true;
  }
  return false;
}

// Resolves __nvvm_reflect, which is left in modules that no NVPTX pass has processed.
void resolveReflect(Module &M, unsigned Arch) {
  for (const char *Name : {"__nvvm_reflect", "llvm.nvvm.reflect"}) {
    Function *F = M.getFunction(Name);
    if (!F)
      continue;
    for (CallInst *Call : callsOf(*F)) {
      StringRef Question;
      getConstantStringInfo(Call->getArgOperand(0), Question);
      replace(*Call, ConstantInt::get(Call->getType(), Question == "__CUDA_ARCH" ? Arch * 10 : 0));
    }
  }
}

// Replaces generic intrinsics for which x86 would compute a different result.
void lowerGenericIntrinsics(Module &M, const Module &Helpers) {
  for (const char *Name : {"llvm.trap", "llvm.ubsantrap"})
    if (Function *F = M.getFunction(Name))
      for (CallInst *Call : callsOf(*F)) {
        IRBuilder<> Builder(Call);
        callHelper(Builder, *Helpers.getFunction("gasan_trap"), {});
        Call->eraseFromParent();
      }
  if (Function *F = M.getFunction("llvm.debugtrap"))
    for (CallInst *Call : callsOf(*F))
      Call->eraseFromParent();
}

} // namespace

void lowerIntrinsics(Module &M, const Module &Helpers, unsigned Arch, const Unsupported &Policy) {
  resolveReflect(M, Arch);
  lowerGenericIntrinsics(M, Helpers);
  SmallVector<Function *, 64> Intrinsics;
  for (Function &F : M)
    if (F.isDeclaration() && F.getName().starts_with(kPrefix))
      Intrinsics.push_back(&F);
  for (Function *F : Intrinsics) {
    StringRef Name = F->getName();
    SmallVector<CallInst *, 32> Calls = callsOf(*F);
    if (!lowerScopedAtomic(Name, Calls) && !lowerTypedIntrinsic(Name, Calls) && !lowerWmma(Name, Calls, Helpers)) {
      if (const Function *Helper = findHelper(Helpers, Name))
        callHelperInstead(Calls, *Helper, isConstantRegister(Name));
      else
        for (CallInst *Call : Calls)
          Policy.replace(*Call, Name);
    }
    if (F->use_empty())
      F->eraseFromParent();
  }
}

} // namespace gasan
