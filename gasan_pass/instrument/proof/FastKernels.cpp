#include "gasan_pass/instrument/proof/FastKernels.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/Prepare.h"
#include "shadow/bounds.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr unsigned kMostInstructions = 50000; // of a kernel: twice as much code is not worth it
constexpr unsigned kMostBoundedInstructions = 5000; // nor is a third one with all checks

// The metadata by which nvcc's and older compilers' attributes of a kernel go with it.
void copyAnnotations(Module &M, const Function &From, Function &To) {
  NamedMDNode *All = M.getNamedMetadata("nvvm.annotations");
  if (!All)
    return;
  SmallVector<MDNode *, 4> Copies;
  for (MDNode *Node : All->operands()) {
    auto *Of = Node->getNumOperands() ? dyn_cast_or_null<ValueAsMetadata>(Node->getOperand(0)) : nullptr;
    if (!Of || Of->getValue() != &From)
      continue;
    SmallVector<Metadata *, 8> Operands(Node->op_begin(), Node->op_end());
    Operands[0] = ValueAsMetadata::get(&To);
    Copies.push_back(MDNode::get(M.getContext(), Operands));
  }
  for (MDNode *Copy : Copies)
    All->addOperand(Copy);
}

// The pointer whose bounds this looks up, or null.
Value *lookedUp(const CallInst &Call) {
  const Function *Callee = Call.getCalledFunction();
  static const char *const Names[] = {"__gasan_bounds", "__gasan_bounds_global", "__gasan_bounds_with_frames"};
  if (!Callee || !is_contained(Names, Callee->getName()))
    return nullptr;
  auto *Address = dyn_cast<PtrToIntOperator>(Call.getArgOperand(0));
  return Address ? Address->getPointerOperand() : nullptr;
}

// How many instructions a thread executes, if loops go round eight times; of lookups those that they will have.
uint64_t weightOf(Function &F) {
  constexpr unsigned kRounds = 3, kDeepest = 4, kLookup = 40; // kRounds: as a shift
  DominatorTree Dominators(F);
  LoopInfo Loops(Dominators);
  uint64_t Weight = 0;
  for (BasicBlock &Block : F) {
    uint64_t Instructions = Block.size();
    for (Instruction &I : Block)
      if (auto *Call = dyn_cast<CallInst>(&I); Call && lookedUp(*Call))
        Instructions += kLookup;
    Weight += Instructions << kRounds * std::min(Loops.getLoopDepth(&Block), kDeepest);
  }
  return Weight;
}

// Does the variant, which has all checks, save enough lookups to be worth its code?
bool savesEnough(Function &Full, Function &Fast) {
  constexpr uint64_t kOneIn = 20;
  return weightOf(Fast) + weightOf(Full) / kOneIn < weightOf(Full);
}

} // namespace

bool FastKernels::isVariant(const Function &F) { return F.hasFnAttribute(kCopyAttr); }

Function *FastKernels::copy(Function &Full, const char *Suffix) {
  ValueToValueMapTy Map;
  Function *Copy = CloneFunction(&Full, Map);
  Copy->setName(Full.getName() + Suffix);
  Copy->setComdat(nullptr);
  Copy->addFnAttr(kCopyAttr, Full.getName());
  return Copy;
}

FastKernels::FastKernels(Module &M) : M(M) {
  if (LaunchProof != "on" || StrictTemporal || Tags == "on")
    return;
  for (Function &F : M)
    if (wantsInstrumentation(F) && F.getCallingConv() == CallingConv::PTX_Kernel && !F.isVarArg() && !F.hasLocalLinkage() &&
        F.getInstructionCount() <= kMostInstructions)
      Kernels.push_back({&F, {}, {}, writtenStructures(F), nullptr});
  for (Kernel &K : Kernels) {
    K.Fast.Code = copy(*K.Full, ".fast");
    if (PartialProof && HiddenArguments == "on" && K.Full->getInstructionCount() <= kMostBoundedInstructions)
      K.Bounded.Code = copy(*K.Full, ".bounded");
  }
}

KernelProof *FastKernels::begin(Function &F, RootBounds &Roots) {
  auto K = find_if(Kernels, [&](const Kernel &Each) { return Each.Fast.Code == &F; });
  if (K == Kernels.end())
    return nullptr;
  K->Proof = std::make_unique<KernelProof>(F, Roots, K->WrittenStructures);
  return K->Proof.get();
}

void FastKernels::end(Function &F) {
  auto K = find_if(Kernels, [&](const Kernel &Each) { return Each.Fast.Code == &F; });
  if (K == Kernels.end())
    return;
  K->Proof->finish();
  if (PrintProofs)
    errs() << "gasan: kernel " << K->Full->getName() << ": " << K->Proof->claims().size() << " claims, "
           << K->Proof->keptChecks() << " checks in all variants\n"
           << K->Proof->text();
}

const KernelProof *FastKernels::claimsFor(const Function &F) {
  auto K = find_if(Kernels, [&](const Kernel &Each) { return Each.Bounded.Code == &F; });
  return K == Kernels.end() ? nullptr : K->Proof.get();
}

Value *FastKernels::failedClaims(Function &F) {
  if (!Mask)
    Mask = M.getOrInsertFunction("__gasan_failed_claims", FunctionType::get(Type::getInt64Ty(M.getContext()), /*isVarArg=*/false));
  BasicBlock &Entry = F.getEntryBlock();
  CallInst *Call = CallInst::Create(Mask, "gasan.failed", Entry.getFirstNonPHIOrDbgOrAlloca());
  Call->setDoesNotThrow();
  Call->addFnAttr(Attribute::WillReturn);
  Call->setDoesNotAccessMemory();
  return Call;
}

// What is left of lookups of the kernel's arguments becomes arguments.
void FastKernels::takeArguments(const Kernel &K, Variant &V, const char *Prefix, bool WithMask) {
  Type *I64 = Type::getInt64Ty(M.getContext());
  SmallVector<std::pair<CallInst *, unsigned>, 8> Lookups;
  for (Instruction &I : instructions(V.Code)) {
    auto *Call = dyn_cast<CallInst>(&I);
    Value *Root = Call && HiddenArguments == "on" ? lookedUp(*Call) : nullptr;
    std::optional<ArgumentPart> Part = Root ? argumentPart(*Root, K.WrittenStructures) : std::nullopt;
    if (!Part)
      continue;
    auto IsIt = [&](const gasan_hidden &Known) { return Known.argument == Part->Number && Known.offset == Part->Offset; };
    auto Known = find_if(V.Hidden, IsIt);
    Lookups.push_back({Call, unsigned(Known - V.Hidden.begin())});
    if (Known == V.Hidden.end())
      V.Hidden.push_back({Part->Number, uint32_t(Part->Offset)});
  }
  SmallVector<Type *, 16> Parameters(V.Code->getFunctionType()->params());
  const unsigned First = Parameters.size();
  Parameters.append(2 * V.Hidden.size() + WithMask, I64);
  Function *New = Function::Create(FunctionType::get(V.Code->getReturnType(), Parameters, /*isVarArg=*/false),
                                   V.Code->getLinkage(), V.Code->getAddressSpace());
  M.getFunctionList().insert(std::next(K.Full->getIterator()), New);
  New->copyAttributesFrom(V.Code);
  New->copyMetadata(V.Code, 0);
  New->removeFnAttr(kCopyAttr);
  New->setName(Prefix + K.Full->getName());
  New->splice(New->begin(), V.Code);
  for (auto [Old, Parameter] : zip(V.Code->args(), New->args())) {
    Parameter.takeName(&Old);
    Old.replaceAllUsesWith(&Parameter);
  }
  for (auto [Call, Number] : Lookups) {
    IRBuilder<> B(Call);
    Value *Base = New->getArg(First + 2 * Number), *Size = New->getArg(First + 2 * Number + 1);
    Base->setName("gasan.base");
    Size->setName("gasan.size");
    for (User *U : make_early_inc_range(Call->users())) {
      auto *Part = dyn_cast<ExtractValueInst>(U);
      if (!Part) // a lookup's parts are all that is used
        continue;
      Value *Is = Part->getIndices()[0] == 0 ? Base : Size;
      if (Part->getIndices()[0] == 2) { // null pointers and unknown ones have bounds that no memory has
        Is = B.CreateSelect(B.CreateIsNull(B.CreateOr(Base, Size)), B.getInt32(GASAN_OBJECT_NULL), B.getInt32(GASAN_OBJECT_MEMORY));
        Is = B.CreateSelect(B.CreateICmpEQ(Base, B.getInt64(GASAN_NULL_PAGE)), B.getInt32(GASAN_OBJECT_NOBODYS), Is);
      }
      Part->replaceAllUsesWith(Is);
      Part->eraseFromParent();
    }
    if (Call->use_empty())
      Call->eraseFromParent();
  }
  if (WithMask) {
    Argument *Failed = New->getArg(Parameters.size() - 1);
    for (Instruction &I : make_early_inc_range(New->getEntryBlock()))
      if (auto *Call = dyn_cast<CallInst>(&I); Call && Mask && Call->getCalledOperand() == Mask.getCallee()) {
        Failed->takeName(Call);
        Call->replaceAllUsesWith(Failed);
        Call->eraseFromParent();
      }
  }
  copyAnnotations(M, *K.Full, *New);
  V.Code->eraseFromParent();
  V.Code = New;
}

void FastKernels::drop(Variant &V) {
  if (V.Code)
    V.Code->eraseFromParent();
  V.Code = nullptr;
}

void FastKernels::finish() {
  for (Kernel &K : Kernels) {
    takeArguments(K, K.Fast, GASAN_FAST_PREFIX, /*WithMask=*/false);
    if (K.Proof->claims().empty()) // then the fast variant has all checks
      drop(K.Bounded);
    if (K.Bounded.Code)
      takeArguments(K, K.Bounded, GASAN_BOUNDED_PREFIX, /*WithMask=*/true);
  }
  erase_if(Kernels, [](Kernel &K) {
    const bool Useless = K.Proof->claims().empty() && !savesEnough(*K.Full, *K.Fast.Code);
    if (Useless)
      drop(K.Fast);
    return Useless;
  });
  if (Mask)
    cast<Function>(Mask.getCallee())->eraseFromParent();
  if (!Kernels.empty())
    emitTable();
}

} // namespace gasan
