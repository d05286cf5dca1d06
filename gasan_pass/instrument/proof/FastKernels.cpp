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

bool FastKernels::isFast(const Function &F) { return F.hasFnAttribute(kCopyAttr); }

FastKernels::FastKernels(Module &M) : M(M) {
  if (LaunchProof != "on" || StrictTemporal || Tags == "on")
    return;
  for (Function &F : M)
    if (wantsInstrumentation(F) && F.getCallingConv() == CallingConv::PTX_Kernel && !F.isVarArg() && !F.hasLocalLinkage() &&
        F.getInstructionCount() <= kMostInstructions)
      Pairs.push_back({&F, nullptr, writtenStructures(F), nullptr, {}});
  for (Pair &P : Pairs) {
    ValueToValueMapTy Map;
    P.Fast = CloneFunction(P.Full, Map);
    P.Fast->setName(P.Full->getName() + ".fast");
    P.Fast->setComdat(nullptr);
    P.Fast->addFnAttr(kCopyAttr, P.Full->getName());
  }
}

FastKernels::Pair *FastKernels::pairOf(const Function &F) {
  auto Found = find_if(Pairs, [&](const Pair &P) { return P.Fast == &F; });
  return isFast(F) && Found != Pairs.end() ? &*Found : nullptr;
}

KernelProof *FastKernels::begin(Function &F, RootBounds &Roots) {
  Pair *P = pairOf(F);
  if (!P)
    return nullptr;
  P->Proof = std::make_unique<KernelProof>(F, Roots, P->WrittenStructures);
  return P->Proof.get();
}

void FastKernels::end(Function &F) {
  Pair *P = pairOf(F);
  if (!P)
    return;
  P->Proof->finish();
  if (PrintProofs)
    errs() << "gasan: kernel " << P->Full->getName() << ": " << P->Proof->claims().size() << " claims, "
           << P->Proof->keptChecks() << " checks in both variants\n"
           << P->Proof->text();
}

// What is left of lookups of the kernel's arguments becomes arguments.
void FastKernels::takeArguments(Pair &P) {
  Type *I64 = Type::getInt64Ty(M.getContext());
  SmallVector<std::pair<CallInst *, unsigned>, 8> Lookups;
  for (Instruction &I : instructions(P.Fast)) {
    auto *Call = dyn_cast<CallInst>(&I);
    Value *Root = Call && HiddenArguments == "on" ? lookedUp(*Call) : nullptr;
    std::optional<ArgumentPart> Part = Root ? argumentPart(*Root, P.WrittenStructures) : std::nullopt;
    if (!Part)
      continue;
    auto IsIt = [&](const gasan_hidden &Known) { return Known.argument == Part->Number && Known.offset == Part->Offset; };
    auto Known = find_if(P.Hidden, IsIt);
    Lookups.push_back({Call, unsigned(Known - P.Hidden.begin())});
    if (Known == P.Hidden.end())
      P.Hidden.push_back({Part->Number, uint32_t(Part->Offset)});
  }
  SmallVector<Type *, 16> Parameters(P.Fast->getFunctionType()->params());
  const unsigned First = Parameters.size();
  Parameters.append(2 * P.Hidden.size(), I64);
  Function *New = Function::Create(FunctionType::get(P.Fast->getReturnType(), Parameters, /*isVarArg=*/false),
                                   P.Fast->getLinkage(), P.Fast->getAddressSpace());
  M.getFunctionList().insert(std::next(P.Full->getIterator()), New);
  New->copyAttributesFrom(P.Fast);
  New->copyMetadata(P.Fast, 0);
  New->removeFnAttr(kCopyAttr);
  New->setName(GASAN_FAST_PREFIX + P.Full->getName());
  New->splice(New->begin(), P.Fast);
  for (auto [Old, Parameter] : zip(P.Fast->args(), New->args())) {
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
  copyAnnotations(M, *P.Full, *New);
  P.Fast->eraseFromParent();
  P.Fast = New;
}

void FastKernels::finish() {
  for (Pair &P : Pairs)
    takeArguments(P);
  erase_if(Pairs, [](const Pair &P) {
    const bool Useless = P.Proof->claims().empty() && !savesEnough(*P.Full, *P.Fast);
    if (Useless)
      P.Fast->eraseFromParent();
    return Useless;
  });
  if (!Pairs.empty())
    emitTable();
}

} // namespace gasan
