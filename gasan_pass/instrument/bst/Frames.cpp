// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/Frames.h"
#include "gasan_pass/instrument/Prepare.h"
#include "gasan_pass/instrument/bst/Escape.h"
#include "gasan_pass/instrument/bst/VariableNames.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gasan {
namespace {

// Must equal the constants in gasan_rt/kernel/frames.cu.
constexpr uint64_t kAlignment = 16, kArenaHead = 16, kBlockHead = 16;
// Bytes of an arena. Every thread that may be resident needs as much local memory.
constexpr uint64_t kSmallestArena = 512, kLargestArena = 4096;
// The arena holds this many generations of all variables, so that a dangling pointer is recognised for that long.
constexpr uint64_t kGenerations = 4;

uint64_t sizeOf(const AllocaInst &Variable) {
  return Variable.getAllocationSize(Variable.getDataLayout())->getFixedValue();
}

uint64_t blockLength(const AllocaInst &Variable) {
  return kBlockHead + alignDown(sizeOf(Variable), kAlignment) + kAlignment;
}

bool fitsArena(const AllocaInst &Variable) {
  return Variable.isStaticAlloca() && Variable.getAlign().value() <= kAlignment && Variable.getAddressSpace() == 0 &&
         blockLength(Variable) <= kLargestArena - kArenaHead;
}

bool isKernel(const Function &F) {
  return F.getCallingConv() == CallingConv::PTX_Kernel;
}

// Returns F's exits: its returns, or the musttail call before a return, because nothing may stand between the two.
SmallVector<Instruction *, 4> exitsOf(Function &F) {
  SmallVector<Instruction *, 4> Exits;
  for (BasicBlock &Block : F)
    if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator())) {
      CallInst *Tail = Block.getTerminatingMustTailCall();
      Exits.push_back(Tail ? static_cast<Instruction *>(Tail) : Return);
    }
  return Exits;
}

bool isStart(const LifetimeIntrinsic &Marker) {
  return Marker.getIntrinsicID() == Intrinsic::lifetime_start;
}

} // namespace

Frames::Frames(Module &M, SiteTable &Sites) : M(M), Sites(Sites) {
  Escape Addresses;
  for (Function &F : M) {
    if (!wantsInstrumentation(F))
      continue;
    for (Instruction &I : instructions(F))
      if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && fitsArena(*Variable) && Addresses.mayEscape(*Variable))
        Variables[&F].push_back(Variable);
  }
}

void Frames::moveOne(AllocaInst &Variable, ArrayRef<Instruction *> Exits) {
  SmallVector<LifetimeIntrinsic *, 4> Markers;
  for (User *U : Variable.users())
    if (auto *Marker = dyn_cast<LifetimeIntrinsic>(U))
      Markers.push_back(Marker);
  const bool HasScope = any_of(Markers, [](const LifetimeIntrinsic *Marker) { return isStart(*Marker); });

  SourceObject Object = describeVariable(Variable);
  Object.Size = sizeOf(Variable);
  BasicBlock &Entry = Variable.getFunction()->getEntryBlock();
  IRBuilder<> B(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
  Type *Void = B.getVoidTy(), *Pointer = B.getPtrTy(), *I32 = B.getInt32Ty();
  FunctionCallee Enter = M.getOrInsertFunction("__gasan_frame_enter", Pointer, Pointer, I32, I32, I32);
  FunctionCallee Scope = M.getOrInsertFunction("__gasan_frame_scope", Void, Pointer, Pointer, I32);
  FunctionCallee Leave = M.getOrInsertFunction("__gasan_frame_leave", Void, Pointer, Pointer);
  CallInst *Moved = B.CreateCall(
      Enter, {&Variable, B.getInt32(Object.Size), B.getInt32(Sites.addObject(Object)), B.getInt32(!HasScope)});
  Variable.replaceUsesWithIf(Moved,
                             [&](Use &U) { return U.getUser() != Moved && !isa<LifetimeIntrinsic>(U.getUser()); });
  for (LifetimeIntrinsic *Marker : Markers) {
    B.SetInsertPoint(Marker);
    if (HasScope)
      B.CreateCall(Scope, {Moved, &Variable, B.getInt32(isStart(*Marker))});
    Marker->eraseFromParent();
  }
  for (Instruction *Exit : Exits) {
    B.SetInsertPoint(Exit);
    B.CreateCall(Leave, {Moved, &Variable});
  }
}

void Frames::move(Function &F) {
  auto Found = Variables.find(&F);
  if (Found == Variables.end())
    return;
  SmallVector<Instruction *, 4> Exits;
  if (!isKernel(F)) // nothing runs after a kernel
    Exits = exitsOf(F);
  for (AllocaInst *Variable : Found->second)
    moveOne(*Variable, Exits);
}

unsigned Frames::arenaSize() const {
  uint64_t Sum = 0;
  for (const auto &[F, Found] : Variables)
    for (const AllocaInst *Variable : F->hasFnAttribute(kCopyAttr) ? ArrayRef<AllocaInst *>() : Found)
      Sum += blockLength(*Variable);
  return kArenaHead + std::clamp(kGenerations * Sum, kSmallestArena, kLargestArena - kArenaHead);
}

void Frames::finish() {
  if (Variables.empty())
    return;
  const Reach Calls(M);
  DenseSet<uint32_t> NeedArena;
  for (const auto &[F, Found] : Variables)
    NeedArena.insert_range(Calls.kernelsThatReach(*F));
  for (auto [Number, Kernel] : enumerate(Calls.kernels())) {
    if (Kernel->isDeclaration())
      continue;
    BasicBlock &Entry = Kernel->getEntryBlock();
    IRBuilder<> B(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
    FunctionCallee Begin = M.getOrInsertFunction("__gasan_frames_begin", B.getVoidTy(), B.getPtrTy(), B.getInt32Ty());
    if (!NeedArena.contains(Number)) {
      B.CreateCall(Begin, {ConstantPointerNull::get(B.getPtrTy()), B.getInt32(0)});
      continue;
    }
    IRBuilder<> Top(&Entry, Entry.begin());
    AllocaInst *Arena = Top.CreateAlloca(ArrayType::get(B.getInt8Ty(), arenaSize()), nullptr, "gasan.frames");
    Arena->setAlignment(Align(kAlignment));
    B.CreateCall(Begin, {Arena, B.getInt32(arenaSize())});
  }
  for (StringRef Name : {"__gasan_bounds", "__gasan_check"})
    if (Function *Lookup = M.getFunction(Name))
      Lookup->replaceAllUsesWith(
          M.getOrInsertFunction((Name + "_with_frames").str(), Lookup->getFunctionType(), Lookup->getAttributes())
              .getCallee());
}

} // namespace gasan
