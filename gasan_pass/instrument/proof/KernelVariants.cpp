// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/proof/KernelVariants.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/Prepare.h"
#include "gasan_pass/instrument/bst/SourceFaults.h"
#include "gasan_pass/instrument/proof/TableReads.h"
#include "shadow/bounds.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include <map>

using namespace llvm;

namespace gasan {
namespace {

// In a kernel with a proven variant. Above this number, doubling the code is not worth it.
constexpr unsigned kMostInstructions = 50000;
constexpr unsigned kMostBoundedInstructions = 5000; // in a kernel with a bounded variant, a third copy
// In all kernels with bounded variants of a module with more than a few kernels. Such a module's kernels are mostly
// made from few templates. A program launches some of them, and most launches are proven as a whole.
constexpr unsigned kMostBoundedInModule = 12000, kFewKernels = 4;

// Returns true for a check that looks up its pointer.
bool looksUp(const CallInst &Call) {
  return Call.getCalledFunction() && Call.getCalledFunction()->getName().starts_with("__gasan_check");
}

// Estimates the numbers of instructions that threads execute, assuming eight rounds for each loop. Includes the code
// that lookups will expand to, but none of the device runtime's functions.
class Weights {
public:
  // Checked: the functions that may have checks.
  explicit Weights(const DenseMap<const Function *, unsigned> &Checked) : Checked(Checked) {}

  uint64_t ofBody(const Function &F) { return of(F).Body; }
  // Of all functions that F calls, but those of CUDA's math library, which have no checks.
  uint64_t ofCalls(const Function &F) { return of(F).Calls; }

private:
  struct Weight {
    uint64_t Body = 0, Calls = 0;
  };
  static constexpr uint64_t kMost = uint64_t(1) << 40;
  const DenseMap<const Function *, unsigned> &Checked;
  DenseMap<const Function *, Weight> Known;

  bool isCallOfProgram(const CallBase &Call) const {
    const Function *Callee = Call.getCalledFunction();
    return Callee && Checked.contains(Callee);
  }

  Weight of(const Function &F) {
    constexpr unsigned kRounds = 3, kDeepest = 4, kLookup = 40; // kRounds: log2 of the rounds
    auto [Found, IsNew] = Known.try_emplace(&F);
    if (!IsNew) // a recursion counts once
      return Found->second;
    DominatorTree Dominators(const_cast<Function &>(F));
    LoopInfo Loops(Dominators);
    Weight Sum;
    for (const BasicBlock &Block : F) {
      uint64_t Instructions = Block.size(), Called = 0;
      for (const Instruction &I : Block) {
        const auto *Call = dyn_cast<CallInst>(&I);
        if (Call && !Call->hasFnAttr(Attribute::Cold) && (lookedUp(*Call) || looksUp(*Call)))
          Instructions += kLookup;
        if (Call && isCallOfProgram(*Call)) {
          const Weight Callee = of(*Call->getCalledFunction());
          Called += Callee.Body + Callee.Calls;
        }
      }
      const unsigned Depth = kRounds * std::min(Loops.getLoopDepth(&Block), kDeepest);
      Sum.Body += Instructions << Depth;
      Sum.Calls = std::min(kMost, Sum.Calls + (std::min(kMost, Called) << Depth));
    }
    return Known[&F] = Sum;
  }
};

// Returns true if the variant has too many parameters for ptxas. Before CUDA 12.1 the limit is 4 KiB.
bool hasTooManyParameters(const Function &Full, const Function &Variant) {
  constexpr uint64_t kOlder = 4096, kNewer = 32764;
  return parameterBytes(Variant) > (parameterBytes(Full) > kOlder ? kNewer : kOlder);
}

// Returns true if the variant saves enough checks and lookups to be worth its code.
bool savesEnough(Weights &Of, const Function &Full, const Function &Proven) {
  constexpr uint64_t kOneIn = 20;
  const uint64_t All = Of.ofBody(Full) + Of.ofCalls(Full);
  return Of.ofBody(Proven) + All / kOneIn < Of.ofBody(Full);
}

} // namespace

bool KernelVariants::isVariant(const Function &F) {
  return F.hasFnAttribute(kCopyAttr);
}

Function *KernelVariants::copy(Function &Full, const char *Suffix) {
  ValueToValueMapTy Map;
  Function *Copy = CloneFunction(&Full, Map);
  Copy->setName(Full.getName() + Suffix);
  Copy->setComdat(nullptr);
  Copy->addFnAttr(kCopyAttr, Full.getName());
  return Copy;
}

// Moves the kernel's body into a new function, and leaves a copy of the body in the kernel. A copy would not do for the
// new function: the back end's results depend on the order of a value's uses, which copies do not preserve.
Function *KernelVariants::setAside(Function &Full) {
  auto CallsFunction = [](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isa<IntrinsicInst>(Call) || Call->isInlineAsm())
      return false;
    const Function *Callee = Call->getCalledFunction(); // one of the math library has no checks
    return !Callee || Callee->isDeclaration() || wantsInstrumentation(*Callee);
  };
  if (any_of(instructions(Full), CallsFunction))
    return nullptr;
  Function *Body = Function::Create(Full.getFunctionType(), Full.getLinkage(), Full.getAddressSpace(),
                                    Full.getName() + ".untouched", Full.getParent());
  Body->copyAttributesFrom(&Full);
  Body->copyMetadata(&Full, 0);
  Full.clearMetadata();
  Body->splice(Body->begin(), &Full);
  ValueToValueMapTy Map;
  for (auto [Old, New] : zip(Full.args(), Body->args())) {
    New.takeName(&Old);
    Old.replaceAllUsesWith(&New); // reverses their order
    New.reverseUseList();
    Old.setName(New.getName());
    Map[&New] = &Old;
  }
  SmallVector<ReturnInst *, 4> Returns;
  CloneFunctionInto(&Full, Body, Map, CloneFunctionChangeType::LocalChangesOnly, Returns);
  unmark(*Body); // it gets no checks
  return Body;
}

KernelVariants::KernelVariants(Module &M) : M(M) {
  if (LaunchProof != "on" || StrictTemporal || Tags == "on")
    return;
  for (Function &F : M)
    if (wantsInstrumentation(F) && F.getCallingConv() == CallingConv::PTX_Kernel && !F.isVarArg() &&
        !F.hasLocalLinkage() && F.getInstructionCount() <= kMostInstructions)
      Kernels.push_back({&F, nullptr, {}, {}, WrittenBytes(F), nullptr});
  const unsigned MostBounded = mostBounded();
  for (Kernel &K : Kernels) {
    K.Untouched = setAside(*K.Full);
    K.Proven.Code = copy(*K.Full, ".proven");
    if (PartialProof && HiddenArguments && K.Full->getInstructionCount() <= MostBounded)
      K.Bounded.Code = copy(*K.Full, ".bounded");
  }
}

// Returns the size of the largest kernels that get a bounded variant. Of many kernels, the smallest ones come first,
// and all kernels of the same size together.
unsigned KernelVariants::mostBounded() const {
  if (Kernels.size() <= kFewKernels)
    return kMostBoundedInstructions;
  std::map<unsigned, unsigned> Sums; // of the instructions of all kernels of a size
  for (const Kernel &K : Kernels)
    Sums[K.Full->getInstructionCount()] += K.Full->getInstructionCount();
  unsigned Most = 0, Sum = 0;
  for (auto [Size, OfSize] : Sums) {
    Sum += OfSize;
    if (Size > kMostBoundedInstructions || Sum > kMostBoundedInModule)
      break;
    Most = Size;
  }
  return Most;
}

KernelProof *KernelVariants::begin(Function &F, RootBounds &Roots) {
  auto K = find_if(Kernels, [&](const Kernel &Each) { return Each.Proven.Code == &F; });
  if (K == Kernels.end())
    return nullptr;
  K->Proof = std::make_unique<KernelProof>(F, Roots, K->Written);
  return K->Proof.get();
}

void KernelVariants::end(Function &F) {
  auto K = find_if(Kernels, [&](const Kernel &Each) { return Each.Proven.Code == &F; });
  if (K == Kernels.end())
    return;
  K->Proof->finish();
  if (PrintProofs)
    errs() << "gasan: kernel " << K->Full->getName() << ": " << K->Proof->claims().size() << " claims, "
           << K->Proof->keptChecks() << " checks in all variants\n"
           << K->Proof->text();
}

const KernelProof *KernelVariants::claimsFor(const Function &F) {
  auto K = find_if(Kernels, [&](const Kernel &Each) { return Each.Bounded.Code == &F; });
  return K == Kernels.end() ? nullptr : K->Proof.get();
}

Value *KernelVariants::failedClaims(Function &F) {
  if (!Mask)
    Mask = M.getOrInsertFunction("__gasan_failed_claims",
                                 FunctionType::get(Type::getInt64Ty(M.getContext()), /*isVarArg=*/false));
  BasicBlock &Entry = F.getEntryBlock();
  CallInst *Call = CallInst::Create(Mask, "gasan.failed", Entry.getFirstNonPHIOrDbgOrAlloca());
  Call->setDoesNotThrow();
  Call->addFnAttr(Attribute::WillReturn);
  Call->setDoesNotAccessMemory();
  return Call;
}

bool KernelVariants::hasHiddenBounds(Function &F, const Value &Root) const {
  auto K = find_if(Kernels, [&](const Kernel &Each) { return Each.Proven.Code == &F || Each.Bounded.Code == &F; });
  return K != Kernels.end() && HiddenArguments && (argumentPart(Root, K->Written) || argumentTable(Root, K->Written));
}

std::optional<Elements> KernelVariants::askForElements(Function &F, Value &Root, const gasan_hidden &What,
                                                       BasicBlock::iterator At) {
  auto K = find_if(Kernels, [&](const Kernel &Each) { return Each.Proven.Code == &F || Each.Bounded.Code == &F; });
  if (K == Kernels.end() || !HiddenArguments || !argumentPart(Root, K->Written))
    return std::nullopt;
  Variant &V = K->Proven.Code == &F ? K->Proven : K->Bounded;
  return V.Arguments.askForElements(M, Root, What, At);
}

void KernelVariants::takeArguments(const Kernel &K, Variant &V, const char *Prefix, bool WithMask) {
  V.Code = V.Arguments.take(*K.Full, *V.Code, K.Written, Prefix, Mask ? Mask.getCallee() : nullptr, WithMask);
}

// Returns the number of instructions that have effects besides their result.
static size_t effectsIn(const Function &F) {
  return count_if(instructions(F), [](const Instruction &I) {
    return I.mayReadOrWriteMemory() || (isa<CallBase>(I) && !isa<IntrinsicInst>(I)) || isa<UnreachableInst>(I);
  });
}

// Gives a proven variant without any check the kernel's original body, which the preparation of checks has not changed.
// The variant then becomes the same machine code as without the sanitizer.
void KernelVariants::takeUntouched(const Kernel &K, Variant &V) {
  if (!K.Untouched)
    return;
  auto UsesRuntime = [](const Instruction &I) {
    return any_of(I.operands(), [](const Value *Operand) {
      const auto *Global = dyn_cast<GlobalValue>(Operand->stripPointerCasts());
      return Global && Global->getName().starts_with("__gasan_");
    });
  };
  const bool IsSame = !K.Proof->keptChecks() && V.Arguments.Entries.empty() &&
                      effectsIn(*K.Untouched) == effectsIn(*V.Code) && none_of(instructions(*V.Code), UsesRuntime) &&
                      none_of(instructions(*K.Untouched), UsesRuntime);
  if (!IsSame) {
    K.Untouched->eraseFromParent();
    return;
  }
  K.Untouched->setComdat(V.Code->getComdat());
  K.Untouched->removeFromParent();
  M.getFunctionList().insert(V.Code->getIterator(), K.Untouched);
  K.Untouched->takeName(V.Code);
  copyAnnotations(M, *K.Full, *K.Untouched);
  V.Code->eraseFromParent();
  V.Code = K.Untouched;
}

// Removes the claimed source-level checks from a proven variant. In a bounded variant, makes them conditional: they are
// executed only if the launch has not proven their claims.
void KernelVariants::finishSourceChecks(const Kernel &K) {
  for (Function *F : {K.Untouched, K.Proven.Code})
    if (F)
      for (CallInst *Fault : sourceFaultsOf(*F))
        if (K.Proof->bitsOfFault(*Fault))
          dropSourceFault(*Fault);
  if (!K.Bounded.Code)
    return;
  for (CallInst *Fault : sourceFaultsOf(*K.Bounded.Code))
    if (const uint64_t Bits = K.Proof->bitsOfFault(*Fault)) {
      auto *Failed = cast<Instruction>(failedClaims(*K.Bounded.Code));
      IRBuilder<> B(Failed->getNextNode());
      guardSourceFault(*Fault, *B.CreateIsNotNull(B.CreateAnd(Failed, Bits)));
    }
}

// Returns the number of checks in the functions that F calls, and that these call. A call through a pointer counts as
// one check.
unsigned KernelVariants::checksInCalls(Function &F) const {
  SmallPtrSet<const Function *, 16> Seen;
  SmallVector<Function *, 8> Left = {&F};
  unsigned Checks = 0;
  while (!Left.empty())
    for (Instruction &I : instructions(*Left.pop_back_val())) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || Call->isInlineAsm())
        continue;
      Function *Callee = Call->getCalledFunction();
      Checks += !Callee;
      if (!Callee || Callee->isDeclaration() || Callee->getName().starts_with("__gasan_") ||
          !Seen.insert(Callee).second)
        continue;
      Checks += ChecksOf.lookup(Callee) + sourceFaultsOf(*Callee).size();
      Left.push_back(Callee);
    }
  return Checks;
}

void KernelVariants::drop(Variant &V) {
  if (V.Code)
    V.Code->eraseFromParent();
  V.Code = nullptr;
  V.Arguments.clear();
}

void KernelVariants::finish() {
  Weights Of(ChecksOf);
  for (Kernel &K : Kernels) {
    finishSourceChecks(K);
    K.KeptInCalls = checksInCalls(*K.Proven.Code);
    if (PrintProofs && K.KeptInCalls)
      errs() << "gasan: kernel " << K.Full->getName() << ": " << K.KeptInCalls
             << " checks in functions that all variants call\n";
    takeArguments(K, K.Proven, GASAN_PROVEN_PREFIX, /*WithMask=*/false);
    takeUntouched(K, K.Proven);
    if (K.Proof->claims().empty()) // then the proven variant has all checks, too
      drop(K.Bounded);
    // Mostly, functions do the work. ptxas takes disproportionate time for each kernel that calls them.
    K.IsWorth = (!K.Proof->claims().empty() && !Of.ofCalls(*K.Full)) || savesEnough(Of, *K.Full, *K.Proven.Code);
    if (K.Bounded.Code)
      takeArguments(K, K.Bounded, GASAN_BOUNDED_PREFIX, /*WithMask=*/true);
    if (K.Bounded.Code && hasTooManyParameters(*K.Full, *K.Bounded.Code))
      drop(K.Bounded);
  }
  erase_if(Kernels, [](Kernel &K) {
    const bool IsUseful = K.IsWorth && !hasTooManyParameters(*K.Full, *K.Proven.Code);
    if (!IsUseful) {
      drop(K.Proven);
      drop(K.Bounded);
    }
    return !IsUseful;
  });
  VariantArguments::dropPlaceholders(M);
  if (Mask)
    cast<Function>(Mask.getCallee())->eraseFromParent();
  if (!Kernels.empty())
    emitTable();
}

bool KernelVariants::lookNothingUp() const {
  return all_of(M, [&](const Function &F) {
    if (F.isDeclaration() || F.getCallingConv() != CallingConv::PTX_Kernel)
      return true;
    auto K = find_if(Kernels, [&](const Kernel &Each) { return Each.Full == &F; });
    return !looksUp(K == Kernels.end() ? F : *K->Proven.Code);
  });
}

} // namespace gasan
