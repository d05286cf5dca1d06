// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Completes the coverage of device code (instrument/Coverage.h) when the CPU image is optimised: adds a table of
// addresses for each array of counters, and a constructor that gives both to libFuzzer.
#include "gasan_pass/retarget/Steps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace gasan {

namespace {

constexpr const char *kCounters = "__sancov_cntrs", *kAddresses = "__sancov_pcs";
constexpr int kConstructorPriority = 2; // as SanitizerCoverage's
constexpr uint64_t kFunctionEntry = 1;  // a flag in the table of addresses

// For each array, an access of each counter. Null: the optimiser has removed the counter's code.
using AccessMap = MapVector<GlobalVariable *, SmallVector<Instruction *, 16>>;

// Notes an access of counters. The optimiser may have joined accesses of neighbours to one of a vector.
void noteAccess(AccessMap &Accesses, Instruction &I) {
  const DataLayout &Layout = I.getModule()->getDataLayout();
  const Value *Pointer = getLoadStorePointerOperand(&I);
  if (!Pointer)
    return;
  APInt Offset(Layout.getIndexTypeSizeInBits(Pointer->getType()), 0);
  auto *Base = dyn_cast<GlobalVariable>(Pointer->stripAndAccumulateConstantOffsets(Layout, Offset, true));
  auto Found = Base ? Accesses.find(const_cast<GlobalVariable *>(Base)) : Accesses.end();
  if (Found == Accesses.end())
    return;
  const uint64_t First = Offset.getZExtValue(), Size = Layout.getTypeStoreSize(getLoadStoreType(&I));
  for (uint64_t Counter = First; Counter < First + Size && Counter < Found->second.size(); ++Counter)
    if (!Found->second[Counter])
      Found->second[Counter] = &I;
}

AccessMap findAccesses(Module &M) {
  AccessMap Accesses;
  for (GlobalVariable &G : M.globals())
    if (G.getSection() == kCounters)
      Accesses[&G].resize(cast<ArrayType>(G.getValueType())->getNumElements());
  if (!Accesses.empty())
    for (Function &F : M)
      for (Instruction &I : instructions(F))
        noteAccess(Accesses, I);
  return Accesses;
}

// Returns the address of the access, which gets a block of its own.
Constant *addressOf(Instruction *Access, DenseMap<Instruction *, Constant *> &Known) {
  Constant *&Address = Known[Access];
  if (!Address)
    Address = BlockAddress::get(SplitBlock(Access->getParent(), Access));
  return Address;
}

GlobalVariable *createAddresses(Module &M, ArrayRef<Instruction *> Accesses,
                                DenseMap<Instruction *, Constant *> &Known) {
  PointerType *Pointer = PointerType::getUnqual(M.getContext());
  IntegerType *Word = M.getDataLayout().getIntPtrType(M.getContext());
  SmallVector<Constant *, 32> Entries;
  for (Instruction *Access : Accesses) {
    const uint64_t Flags = Entries.empty() ? kFunctionEntry : 0;
    Entries.push_back(Access ? addressOf(Access, Known) : ConstantPointerNull::get(Pointer));
    Entries.push_back(ConstantExpr::getIntToPtr(ConstantInt::get(Word, Flags), Pointer));
  }
  ArrayType *Type = ArrayType::get(Pointer, Entries.size());
  auto *Addresses = new GlobalVariable(M, Type, /*isConstant=*/true, GlobalValue::PrivateLinkage,
                                       ConstantArray::get(Type, Entries), "__sancov_gen_");
  Addresses->setSection(kAddresses);
  Addresses->setAlignment(M.getDataLayout().getPointerABIAlignment(0));
  return Addresses;
}

// Calls one of libFuzzer's functions with the bounds of a section.
void callWithSection(IRBuilderBase &Builder, Module &M, StringRef Function, StringRef Section) {
  Type *Pointer = Builder.getPtrTy();
  auto Bound = [&](StringRef Prefix) {
    auto *G = cast<GlobalVariable>(M.getOrInsertGlobal((Prefix + Section).str(), Builder.getInt8Ty()));
    G->setLinkage(GlobalValue::ExternalWeakLinkage);
    G->setVisibility(GlobalValue::HiddenVisibility);
    return G;
  };
  Builder.CreateCall(M.getOrInsertFunction(Function, Builder.getVoidTy(), Pointer, Pointer),
                     {Bound("__start_"), Bound("__stop_")});
}

void createConstructor(Module &M) {
  LLVMContext &Context = M.getContext();
  auto *Constructor = Function::Create(FunctionType::get(Type::getVoidTy(Context), false), GlobalValue::InternalLinkage,
                                       "gasan.register_coverage", M);
  IRBuilder<> Builder(BasicBlock::Create(Context, "", Constructor));
  callWithSection(Builder, M, "__sanitizer_cov_8bit_counters_init", kCounters);
  callWithSection(Builder, M, "__sanitizer_cov_pcs_init", kAddresses);
  Builder.CreateRetVoid();
  appendToGlobalCtors(M, Constructor, kConstructorPriority);
}

} // namespace

bool isCoverageCallback(const Function &F) {
  return F.isDeclaration() && F.getName().starts_with("__sanitizer_cov_");
}

PreservedAnalyses CoverageTablesPass::run(Module &M, ModuleAnalysisManager &) {
  AccessMap Accesses = findAccesses(M);
  if (Accesses.empty())
    return PreservedAnalyses::all();
  SmallVector<GlobalValue *, 16> Kept;
  DenseMap<Instruction *, Constant *> Known;
  for (auto &[Counters, Places] : Accesses) {
    Kept.push_back(Counters);
    Kept.push_back(createAddresses(M, Places, Known));
  }
  appendToUsed(M, Kept);
  createConstructor(M);
  return PreservedAnalyses::none();
}

} // namespace gasan
