// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/Partitions.h"
#include "gasan_pass/instrument/bst/Carving.h"
#include "gasan_pass/instrument/bst/VariableNames.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gasan {
namespace {

// Each variable has a function of its own, because calls lose their metadata during optimisation and functions do not.
constexpr const char *kStart = "__gasan_partition.";

// Inserts the call after the stores that set the views. Pointers that are derived from the first variable before the
// call keep the bounds of the region.
void begin(const CarvedBuffer &Buffer, unsigned Number) {
  Function &F = *Buffer.First->getFunction();
  Module &M = *F.getParent();
  Type *Shared = PointerType::get(M.getContext(), NVPTXAS::ADDRESS_SPACE_SHARED);
  FunctionCallee Entry =
      M.getOrInsertFunction((kStart + F.getName() + "." + Twine(Number)).str(), Shared, Shared, Shared);
  auto *Start = cast<Function>(Entry.getCallee());
  Start->setDoesNotAccessMemory();
  Start->setDoesNotThrow();
  for (Attribute::AttrKind Promise :
       {Attribute::WillReturn, Attribute::NoSync, Attribute::NoFree, Attribute::Speculatable})
    Start->addFnAttr(Promise);
  copyVariableName(*cast<AllocaInst>(Buffer.First->getPointerOperand()), *Start);
  IRBuilder<> B(Buffer.Last->getNextNode());
  Value *Address = B.CreateAddrSpaceCast(Buffer.First->getValueOperand(), Shared);
  Value *End = B.CreateAddrSpaceCast(Buffer.End->getValueOperand(), Shared);
  Value *Bounded =
      B.CreateAddrSpaceCast(B.CreateCall(Entry, {Address, End}), Buffer.First->getValueOperand()->getType());
  B.CreateAlignedStore(Bounded, Buffer.First->getPointerOperand(), Buffer.First->getAlign());
}

// Drops the annotations: a variable with annotations could not be promoted.
void dropMarks(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Annotation = dyn_cast<IntrinsicInst>(&I);
        Annotation && Annotation->getIntrinsicID() == Intrinsic::var_annotation)
      if (StringRef Mark = markOf(*Annotation); Mark == kPartitionMark || Mark == kNoPartitionMark)
        Annotation->eraseFromParent();
}

bool mayCarve(const Module &M) {
  return any_of(M.globals(), isDynamicShared);
}

} // namespace

PreservedAnalyses PartitionsPass::run(Module &M, ModuleAnalysisManager &) {
  if (!M.getTargetTriple().isNVPTX() || !mayCarve(M))
    return PreservedAnalyses::all();
  for (Function &F : M) {
    if (!F.hasFnAttribute(Attribute::SanitizeAddress)) // -fgpu-rdc's linked module has its calls already
      continue;
    unsigned Count = 0;
    if (F.getCallingConv() == CallingConv::PTX_Kernel)
      for (const CarvedBuffer &Buffer : Carving(F).find())
        begin(Buffer, Count++);
    dropMarks(F);
  }
  return PreservedAnalyses::none();
}

namespace partitions {

bool isStart(const Value &V) {
  auto *Call = dyn_cast<CallInst>(&V);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Callee->getName().starts_with(kStart);
}

Value *addressOf(const Value &Start) {
  return cast<CallInst>(Start).getArgOperand(0);
}
Value *endOf(const Value &Start) {
  return cast<CallInst>(Start).getArgOperand(1);
}

GlobalVariable *regionOf(const Value &Start) {
  constexpr unsigned kMostSteps = 100;
  Value *At = addressOf(Start);
  for (unsigned Steps = 0; Steps < kMostSteps; ++Steps) {
    if (auto *Variable = dyn_cast<GlobalVariable>(At))
      return isDynamicShared(*Variable) ? Variable : nullptr;
    if (auto *Gep = dyn_cast<GEPOperator>(At))
      At = Gep->getPointerOperand();
    else if (auto *Cast = dyn_cast<AddrSpaceCastOperator>(At))
      At = Cast->getPointerOperand();
    else
      return nullptr;
  }
  return nullptr;
}

static SmallVector<CallInst *, 4> startsIn(Function &F) {
  SmallVector<CallInst *, 4> Starts;
  for (Instruction &I : instructions(F))
    if (isStart(I))
      Starts.push_back(cast<CallInst>(&I));
  return Starts;
}

static void becomeAddress(CallInst &Start) {
  Function *Callee = Start.getCalledFunction();
  Start.replaceAllUsesWith(addressOf(Start));
  Start.eraseFromParent();
  if (Callee->use_empty())
    Callee->eraseFromParent();
}

void settle(Function &F) {
  // Believes no promise about the address.
  const SimplifyQuery Query(F.getDataLayout(), nullptr, nullptr, nullptr, nullptr, /*UseInstrInfo=*/false);
  for (CallInst *Start : startsIn(F)) {
    if (!regionOf(*Start)) {
      becomeAddress(*Start);
      continue;
    }
    const unsigned Zeros = computeKnownBits(addressOf(*Start), Query).countMinTrailingZeros();
    constexpr unsigned kMost = 8;
    Start->addRetAttr(Attribute::getWithAlignment(F.getContext(), Align(uint64_t(1) << std::min(Zeros, kMost))));
  }
}

void leave(Function &F) {
  for (CallInst *Start : startsIn(F))
    becomeAddress(*Start);
}

} // namespace partitions
} // namespace gasan
