// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/WarpMasks.h"
#include "base/warp.h"
#include "gasan_pass/instrument/ViewChecks.h"
#include "gasan_pass/ptx/PtxValues.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr unsigned kLanes = 32;
constexpr unsigned kDeepest = 8; // operations between a mask and its operands that are followed

// Reads the parts of the name, in the order of LLVM ("vote.ballot.sync") or PTX ("vote.sync.ballot.b32").
std::optional<gasan_warp_operation> operationOf(ArrayRef<StringRef> Parts) {
  if (!is_contained(Parts, "sync") || Parts.front() == "barrier")
    return std::nullopt;
  const bool Unsigned = is_contained(Parts, "u32");
  for (StringRef Part : Parts.drop_front()) {
    const int Found = StringSwitch<int>((Parts.front() + "." + Part).str())
                          .Case("shfl.idx", GASAN_WARP_SHFL_IDX)
                          .Case("shfl.up", GASAN_WARP_SHFL_UP)
                          .Case("shfl.down", GASAN_WARP_SHFL_DOWN)
                          .Case("shfl.bfly", GASAN_WARP_SHFL_BFLY)
                          .Case("vote.ballot", GASAN_WARP_BALLOT)
                          .Case("vote.all", GASAN_WARP_ALL)
                          .Case("vote.any", GASAN_WARP_ANY)
                          .Case("vote.uni", GASAN_WARP_UNI)
                          .Case("elect.sync", GASAN_WARP_ELECT)
                          .Case("match.any", GASAN_WARP_MATCH_ANY)
                          .Case("match.all", GASAN_WARP_MATCH_ALL)
                          .Case("bar.warp", GASAN_WARP_SYNC)
                          .Case("redux.add", GASAN_WARP_ADD)
                          .Cases({"redux.min", "redux.fmin"}, Unsigned ? GASAN_WARP_UMIN : GASAN_WARP_MIN)
                          .Cases({"redux.max", "redux.fmax"}, Unsigned ? GASAN_WARP_UMAX : GASAN_WARP_MAX)
                          .Case("redux.umin", GASAN_WARP_UMIN)
                          .Case("redux.umax", GASAN_WARP_UMAX)
                          .Case("redux.and", GASAN_WARP_AND)
                          .Case("redux.or", GASAN_WARP_OR)
                          .Case("redux.xor", GASAN_WARP_XOR)
                          .Default(-1);
    if (Found >= 0)
      return gasan_warp_operation(Found);
  }
  return std::nullopt;
}

std::optional<gasan_warp_operation> operationOf(const IntrinsicInst &I) {
  SmallVector<StringRef, 6> Parts;
  StringRef Name = I.getCalledFunction()->getName();
  if (!Name.consume_front("llvm.nvvm."))
    return std::nullopt;
  Name.split(Parts, '.');
  return operationOf(Parts);
}

std::optional<gasan_warp_operation> operationOf(const PtxStatement &S) {
  SmallVector<StringRef, 6> Parts{S.Opcode};
  Parts.append(S.Modifiers.begin(), S.Modifiers.end());
  return S.Operands.empty() ? std::nullopt : operationOf(Parts);
}

Value *maskOf(IntrinsicInst &I, gasan_warp_operation Operation) {
  return I.getArgOperand(Operation >= GASAN_WARP_ADD ? 1 : 0); // redux has the value first
}

// Returns the text of inline PTX with one statement: "mov.u32 %0, %laneid;" and the like.
StringRef asmTextOf(const Value *V) {
  auto *Call = dyn_cast<CallInst>(V);
  return Call && Call->isInlineAsm() ? cast<InlineAsm>(Call->getCalledOperand())->getAsmString() : StringRef();
}

// Returns V's value in this lane, if V depends on the lane's number only.
std::optional<uint32_t> evaluate(const Value *V, unsigned Lane, unsigned Depth = 0) {
  if (auto *Constant = dyn_cast<ConstantInt>(V))
    return Constant->getBitWidth() <= 32 ? std::optional<uint32_t>(Constant->getZExtValue()) : std::nullopt;
  if (Depth > kDeepest || !V->getType()->isIntegerTy(32))
    return std::nullopt;
  const uint32_t Own = 1u << Lane;
  const std::string Register = StringSwitch<std::string>(asmTextOf(V).trim())
                                   .Case("mov.u32 $0, %laneid;", "laneid")
                                   .Case("mov.u32 $0, %lanemask_eq;", "lanemask.eq")
                                   .Case("mov.u32 $0, %lanemask_le;", "lanemask.le")
                                   .Case("mov.u32 $0, %lanemask_ge;", "lanemask.ge")
                                   .Default("");
  auto *Read = dyn_cast<IntrinsicInst>(V);
  const Intrinsic::ID Id = Read ? Read->getIntrinsicID() : Intrinsic::not_intrinsic;
  if (Id == Intrinsic::nvvm_read_ptx_sreg_laneid || Register == "laneid")
    return Lane;
  if (Id == Intrinsic::nvvm_read_ptx_sreg_lanemask_eq || Register == "lanemask.eq")
    return Own;
  if (Id == Intrinsic::nvvm_read_ptx_sreg_lanemask_le || Register == "lanemask.le")
    return Own | (Own - 1);
  if (Id == Intrinsic::nvvm_read_ptx_sreg_lanemask_ge || Register == "lanemask.ge")
    return ~(Own - 1);
  auto *Operator = dyn_cast<BinaryOperator>(V);
  if (!Operator)
    return std::nullopt;
  std::optional<uint32_t> Left = evaluate(Operator->getOperand(0), Lane, Depth + 1);
  std::optional<uint32_t> Right = Left ? evaluate(Operator->getOperand(1), Lane, Depth + 1) : std::nullopt;
  if (!Right)
    return std::nullopt;
  switch (Operator->getOpcode()) { // modulo 2^32, as the device computes: nsw, nuw and exact are ignored
  case Instruction::And:
    return *Left & *Right;
  case Instruction::Or:
    return *Left | *Right;
  case Instruction::Xor:
    return *Left ^ *Right;
  case Instruction::Add:
    return *Left + *Right;
  case Instruction::Sub:
    return *Left - *Right;
  case Instruction::Shl:
    return *Right < 32 ? std::optional<uint32_t>(*Left << *Right) : std::nullopt;
  case Instruction::LShr:
    return *Right < 32 ? std::optional<uint32_t>(*Left >> *Right) : std::nullopt;
  default:
    return std::nullopt;
  }
}

// Returns true if the mask contains the lane of every thread that computes the mask. Relies on no promise. Follows
// constants, the lane's number, and operations whose result has the caller's bit.
bool containsLane(const Value *Mask, SmallPtrSetImpl<const Value *> &Seen) {
  if (!Seen.insert(Mask).second) // around a loop: true if all other incoming masks contain the lane
    return true;
  bool AllLanes = true;
  for (unsigned Lane = 0; Lane < kLanes && AllLanes; ++Lane) {
    std::optional<uint32_t> Value = evaluate(Mask, Lane);
    AllLanes = Value && *Value >> Lane & 1;
  }
  if (AllLanes)
    return true;
  if (asmTextOf(Mask).trim() == "activemask.b32 $0;")
    return true;
  auto Contains = [&](const Value *V) { return containsLane(V, Seen); };
  if (auto *Call = dyn_cast<IntrinsicInst>(Mask)) {
    if (Call->getIntrinsicID() == Intrinsic::nvvm_activemask)
      return true;
    std::optional<gasan_warp_operation> Operation = operationOf(*Call);
    auto *Vote = Operation == GASAN_WARP_BALLOT ? dyn_cast<ConstantInt>(Call->getArgOperand(1)) : nullptr;
    return Operation == GASAN_WARP_MATCH_ANY ||
           (Vote && Vote->isOne()); // provided that the thread was in the mask, which is checked
  }
  if (auto *Phi = dyn_cast<PHINode>(Mask))
    return all_of(Phi->incoming_values(), Contains);
  if (auto *Frozen = dyn_cast<FreezeInst>(Mask))
    return Contains(Frozen->getOperand(0));
  if (auto *Select = dyn_cast<SelectInst>(Mask))
    return Contains(Select->getTrueValue()) && Contains(Select->getFalseValue());
  auto *Operator = dyn_cast<BinaryOperator>(Mask);
  if (Operator && Operator->getOpcode() == Instruction::And)
    return Contains(Operator->getOperand(0)) && Contains(Operator->getOperand(1));
  // An operand that does not contain the lane may stay in Seen, where it would count as one that does.
  if (Operator && Operator->getOpcode() == Instruction::Or)
    for (const Value *Side : Operator->operands()) {
      SmallPtrSet<const Value *, 8> Own(Seen.begin(), Seen.end());
      if (containsLane(Side, Own))
        return true;
    }
  return false;
}

struct MaskCheck {
  CallInst *Where;
  Value *Mask;
  Value *Guard; // i1; null: always
  gasan_warp_operation Operation;
};

void findInPtx(CallInst &Asm, SmallVectorImpl<MaskCheck> &Found) {
  std::optional<std::vector<PtxStatement>> Statements =
      parsePtx(cast<InlineAsm>(Asm.getCalledOperand())->getAsmString());
  if (!Statements || none_of(*Statements, [](const PtxStatement &S) { return operationOf(S).has_value(); }))
    return;
  PtxValues Values(Asm);
  for (const PtxStatement &S : *Statements) {
    // The later statements run under a condition, or more than once.
    if (is_contained({"bra", "brx", "call", "ret", "exit", "trap", ":"}, StringRef(S.Opcode)))
      return;
    std::optional<gasan_warp_operation> Operation = operationOf(S);
    const PtxValues::Condition Guard = Values.readGuard(S);
    Value *Mask = Operation && Guard.Known ? Values.readInteger(S.Operands.back(), 32) : nullptr;
    if (Mask)
      Found.push_back({&Asm, Values.keep(Mask), Values.keep(Guard.Holds), *Operation});
    Values.execute(S);
  }
}

SmallVector<MaskCheck, 8> findMasks(Function &F) {
  SmallVector<MaskCheck, 8> Found;
  SmallVector<CallInst *, 8> Asms; // collected first: the search inserts instructions
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call || Call->hasMetadata(LLVMContext::MD_nosanitize))
      continue;
    if (Call->isInlineAsm())
      Asms.push_back(Call);
    else if (auto *Intrinsic = dyn_cast<IntrinsicInst>(Call))
      if (std::optional<gasan_warp_operation> Operation = operationOf(*Intrinsic))
        Found.push_back({Call, maskOf(*Intrinsic, *Operation), nullptr, *Operation});
  }
  for (CallInst *Asm : Asms)
    findInPtx(*Asm, Found);
  return Found;
}

void insertCheck(const MaskCheck &Check, SiteTable &Sites) {
  Module &M = *Check.Where->getModule();
  Access A;
  A.Where = Check.Where;
  A.Kind = GASAN_ACCESS_WARP;
  A.Size = Check.Operation;
  const uint32_t Site = Sites.add(A);
  IRBuilder<> B(Check.Where);
  Value *Own = B.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_lanemask_eq, {});
  Value *Bad = B.CreateIsNull(B.CreateAnd(Check.Mask, Own), "gasan.not.in.mask");
  if (Check.Guard)
    Bad = B.CreateAnd(Check.Guard, Bad);
  MDNode *Unlikely = MDBuilder(M.getContext()).createUnlikelyBranchWeights();
  B.SetInsertPoint(SplitBlockAndInsertIfThen(Bad, Check.Where->getIterator(), /*Unreachable=*/true, Unlikely));
  Type *I64 = B.getInt64Ty(), *I32 = B.getInt32Ty();
  FunctionCallee Report = M.getOrInsertFunction("__gasan_report_bounds", B.getVoidTy(), I64, I64, I32, I64, I64, I32);
  CallInst *Call = B.CreateCall(Report, {B.CreateZExt(Check.Mask, I64), B.getInt64(1), B.getInt32(Site), B.getInt64(0),
                                         B.getInt64(0), B.getInt32(GASAN_OBJECT_WARP_MASK)});
  Call->setDoesNotReturn();
}

bool isHeaderFunction(const Function &F) {
  const DISubprogram *Subprogram = F.isDeclaration() ? nullptr : F.getSubprogram();
  const StringRef File = Subprogram ? sys::path::filename(Subprogram->getFilename()) : "";
  return File.starts_with("__clang_") || (File.starts_with("sm_") && File.ends_with("_rt.hpp")) ||
         File == "surface_indirect_functions.h" || File == "texture_indirect_functions.h";
}

} // namespace

bool hasWarpMask(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  if (!Call)
    return false;
  if (auto *Intrinsic = dyn_cast<IntrinsicInst>(Call))
    return operationOf(*Intrinsic).has_value();
  return Call->isInlineAsm() && asmTextOf(Call).contains(".sync");
}

// Repeats until nothing changes, since such functions call each other. A function that contains an operation, its own
// or one inlined into it, is inlined into its callers.
void inlineHeaderFunctions(Module &M) {
  for (unsigned Round = 0; Round < kDeepest; ++Round) {
    SmallVector<CallInst *, 16> Calls;
    for (Function &F : M)
      if (isHeaderFunction(F) &&
          any_of(instructions(F), [](const Instruction &I) { return hasWarpMask(I) || hasViewAccess(I); }))
        for (User *U : F.users())
          if (auto *Call = dyn_cast<CallInst>(U); Call && Call->getCalledOperand() == &F && Call->getFunction() != &F)
            Calls.push_back(Call);
    if (Calls.empty())
      return;
    for (CallInst *Call : Calls) {
      InlineFunctionInfo Info;
      InlineFunction(*Call, Info);
    }
  }
}

void checkWarpMasks(Function &F, SiteTable &Sites) {
  SmallVector<MaskCheck, 8> Found = findMasks(F);
  erase_if(Found, [](const MaskCheck &Check) {
    SmallPtrSet<const Value *, 8> Seen;
    return containsLane(Check.Mask, Seen);
  });
  if (Found.empty())
    return;
  // A thread that has passed one check of a mask passes all checks of it.
  const DominatorTree Tree(F);
  SmallVector<MaskCheck, 8> Needed;
  for (const MaskCheck &Check : Found)
    if (none_of(Found, [&](const MaskCheck &Other) {
          return Other.Mask == Check.Mask && !Other.Guard && Tree.dominates(Other.Where, Check.Where);
        }))
      Needed.push_back(Check);
  for (const MaskCheck &Check : Needed)
    insertCheck(Check, Sites);
}

} // namespace gasan
