// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/SourceFaults.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr const char *kFault =
    "__gasan_source_fault"; // address, size, kind, the object's start, and its size that may be accessed
constexpr const char *kReport = "__gasan_report_bounds"; // the same, with a site and a number of the object
constexpr const char *kObjectMetadata = "gasan.object";  // {name, function, file, line, size, kind}, on calls of kFault
constexpr const char *kNumberMetadata = "gasan.fault";   // {number}, on both calls

// Returns true for CUDA's atomics, which are functions whose first argument is the address, and for a program's
// overloads of them. A function with another name, such as `atomicAddIf(address, value, condition)`, may not access the
// address.
bool isAtomicFunction(const Function &F) {
  if (!F.getName().starts_with("_Z"))
    return false;
  const std::string Signature = demangle(F.getName());
  StringRef Name = StringRef(Signature).split('(').first;
  if (!Name.consume_front("atomic"))
    return false;
  for (StringRef Scope : {"_block", "_system"})
    Name.consume_back(Scope);
  return is_contained({"Add", "Sub", "Exch", "Min", "Max", "Inc", "Dec", "CAS", "And", "Or", "Xor"}, Name);
}

// Returns the type that an atomic function's first argument points to. Null: not known.
Type *atomicType(const CallInst &Call) {
  if (auto *Element = dyn_cast<GEPOperator>(Call.getArgOperand(0)))
    return Element->getResultElementType();
  Type *Operand = Call.arg_size() > 1 ? Call.getArgOperand(1)->getType() : nullptr;
  return Operand && (Operand->isIntegerTy() || Operand->isFloatingPointTy()) ? Operand : nullptr;
}

Value *generic(IRBuilder<> &B, Value *Pointer) {
  return B.CreateAddrSpaceCast(Pointer, B.getPtrTy());
}

// Declares the report. The call never returns, so its attributes do not make the object escape for alias analysis.
FunctionCallee entry(Module &M) {
  LLVMContext &Context = M.getContext();
  Type *Pointer = PointerType::get(Context, 0), *I64 = Type::getInt64Ty(Context), *I32 = Type::getInt32Ty(Context);
  auto *Signature = FunctionType::get(Type::getVoidTy(Context), {Pointer, I64, I32, Pointer, I64}, false);
  FunctionCallee Entry = M.getOrInsertFunction(kFault, Signature);
  auto *F = cast<Function>(Entry.getCallee());
  F->addFnAttr(Attribute::Cold);
  F->setDoesNotReturn();
  F->setDoesNotThrow();
  F->setOnlyAccessesInaccessibleMemory();
  for (unsigned Parameter : {0u, 3u})
    F->addParamAttr(Parameter, Attribute::getWithCaptureInfo(Context, CaptureInfo::none()));
  return Entry;
}

MDNode *describe(LLVMContext &Context, const SourceObject &Object) {
  auto Text = [&](StringRef S) { return MDString::get(Context, S); };
  auto Number = [&](uint64_t N) { return ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(Context), N)); };
  return MDNode::get(Context, {Text(Object.Name), Text(Object.Function), Text(Object.File), Number(Object.Line),
                               Number(Object.Size), Number(Object.Kind)});
}

SourceObject objectOf(const CallInst &Fault) {
  SourceObject Object;
  const MDNode *Description = Fault.getMetadata(kObjectMetadata);
  if (!Description) {
    Object.Kind = GASAN_OBJECT_KIND_FIELD;
    Object.Name = "<unknown field>";
    Object.Size = cast<ConstantInt>(Fault.getArgOperand(4))->getZExtValue();
    return Object;
  }
  auto Text = [&](unsigned Index) { return cast<MDString>(Description->getOperand(Index))->getString().str(); };
  auto Number = [&](unsigned Index) {
    return mdconst::extract<ConstantInt>(Description->getOperand(Index))->getZExtValue();
  };
  Object.Name = Text(0);
  Object.Function = Text(1);
  Object.File = Text(2);
  Object.Line = Number(3);
  Object.Size = Number(4);
  Object.Kind = static_cast<gasan_object_kind>(Number(5));
  return Object;
}

void lower(CallInst &Fault, SiteTable &Sites) {
  IRBuilder<> B(&Fault);
  Access A;
  A.Where = &Fault;
  A.Size = cast<ConstantInt>(Fault.getArgOperand(1))->getZExtValue();
  A.Kind = static_cast<gasan_access>(cast<ConstantInt>(Fault.getArgOperand(2))->getZExtValue());
  Type *I64 = B.getInt64Ty(), *I32 = B.getInt32Ty();
  FunctionCallee Report = Fault.getModule()->getOrInsertFunction(kReport, B.getVoidTy(), I64, I64, I32, I64, I64, I32);
  CallInst *Call = B.CreateCall(Report, {B.CreatePtrToInt(Fault.getArgOperand(0), I64), Fault.getArgOperand(1),
                                         B.getInt32(Sites.add(A)), B.CreatePtrToInt(Fault.getArgOperand(3), I64),
                                         Fault.getArgOperand(4), B.getInt32(Sites.addObject(objectOf(Fault)))});
  Call->setDoesNotReturn();
  Call->setMetadata(kNumberMetadata, Fault.getMetadata(kNumberMetadata));
  Fault.eraseFromParent();
}

} // namespace

std::optional<SourceAccess> sourceAccess(Instruction &I) {
  auto Describe = [&](Value *Pointer, Type *Accessed, gasan_access Kind) {
    return SourceAccess{&I, Pointer, I.getDataLayout().getTypeStoreSize(Accessed).getKnownMinValue(), Kind};
  };
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return Describe(Load->getPointerOperand(), Load->getType(), GASAN_ACCESS_READ);
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return Describe(Store->getPointerOperand(), Store->getValueOperand()->getType(), GASAN_ACCESS_WRITE);
  if (auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    return Describe(RMW->getPointerOperand(), RMW->getType(), GASAN_ACCESS_ATOMIC);
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return Describe(Exchange->getPointerOperand(), Exchange->getNewValOperand()->getType(), GASAN_ACCESS_ATOMIC);
  auto *Call = dyn_cast<CallInst>(&I);
  if (Call && Call->arg_size() && Call->getCalledFunction() && isAtomicFunction(*Call->getCalledFunction()))
    if (Type *Accessed = atomicType(*Call))
      return Describe(Call->getArgOperand(0), Accessed, GASAN_ACCESS_ATOMIC);
  return std::nullopt;
}

void insertSourceFault(const SourceAccess &Access, Value *Bad, Value *Start, uint64_t Allowed,
                       const SourceObject &Object) {
  Module &M = *Access.Where->getModule();
  MDNode *Unlikely = MDBuilder(M.getContext()).createUnlikelyBranchWeights();
  IRBuilder<> B(SplitBlockAndInsertIfThen(Bad, Access.Where->getIterator(), /*Unreachable=*/true, Unlikely));
  B.SetCurrentDebugLocation(Access.Where->getDebugLoc());
  CallInst *Fault = B.CreateCall(entry(M), {generic(B, Access.Pointer), B.getInt64(Access.Size),
                                            B.getInt32(Access.Kind), generic(B, Start), B.getInt64(Allowed)});
  Fault->addFnAttr(Attribute::NoMerge);
  Fault->setMetadata(kObjectMetadata, describe(M.getContext(), Object));
}

void numberSourceFaults(Module &M) {
  Function *Fault = M.getFunction(kFault);
  if (!Fault)
    return;
  IRBuilder<> B(M.getContext());
  unsigned Number = 0;
  for (User *U : Fault->users())
    cast<CallInst>(U)->setMetadata(kNumberMetadata,
                                   MDNode::get(M.getContext(), ConstantAsMetadata::get(B.getInt32(Number++))));
}

void lowerSourceFaults(Module &M, SiteTable &Sites) {
  Function *Fault = M.getFunction(kFault);
  if (!Fault)
    return;
  for (User *U : make_early_inc_range(Fault->users()))
    lower(*cast<CallInst>(U), Sites);
  Fault->eraseFromParent();
}

SmallVector<CallInst *, 4> sourceFaultsOf(Function &F) {
  SmallVector<CallInst *, 4> Found;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->hasMetadata(kNumberMetadata))
      Found.push_back(Call);
  return Found;
}

unsigned numberOfSourceFault(const CallInst &Fault) {
  return mdconst::extract<ConstantInt>(Fault.getMetadata(kNumberMetadata)->getOperand(0))->getZExtValue();
}

SmallVector<BranchInst *, 4> branchesToFault(const CallInst &Fault) {
  SmallVector<BranchInst *, 4> Found;
  for (BasicBlock *From : predecessors(const_cast<BasicBlock *>(Fault.getParent()))) {
    auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
    if (!Branch || !Branch->isConditional() || Branch->getSuccessor(0) == Branch->getSuccessor(1))
      return {};
    Found.push_back(Branch);
  }
  return Found;
}

void dropSourceFault(CallInst &Fault) {
  BasicBlock *Report = Fault.getParent();
  const SmallVector<BranchInst *, 4> Branches = branchesToFault(Fault);
  if (Branches.empty())
    return;
  for (BranchInst *Branch : Branches) {
    BasicBlock *Good = Branch->getSuccessor(Branch->getSuccessor(0) == Report);
    Value *Condition = Branch->getCondition();
    Report->removePredecessor(Branch->getParent());
    ReplaceInstWithInst(Branch, BranchInst::Create(Good));
    RecursivelyDeleteTriviallyDeadInstructions(Condition);
    MergeBlockIntoPredecessor(Good);
  }
  DeleteDeadBlock(Report);
}

void guardSourceFault(CallInst &Fault, Value &IsOn) {
  for (BranchInst *Branch : branchesToFault(Fault)) {
    IRBuilder<> B(Branch);
    const bool IsBad = Branch->getSuccessor(0) == Fault.getParent();
    Branch->setCondition(IsBad ? B.CreateAnd(Branch->getCondition(), &IsOn)
                               : B.CreateOr(Branch->getCondition(), B.CreateNot(&IsOn)));
  }
}

} // namespace gasan
