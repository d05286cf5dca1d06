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
using namespace llvm::PatternMatch;

namespace gasan {
namespace {

// In a kernel with a proven variant. Above this number, doubling the code is not worth it.
constexpr unsigned kMostInstructions = 50000;
constexpr unsigned kMostBoundedInstructions = 5000; // in a kernel with a bounded variant, a third copy
// In all kernels with bounded variants of a module with more than a few kernels. Such a module's kernels are mostly
// made from few templates. A program launches some of them, and most launches are proven as a whole.
constexpr unsigned kMostBoundedInModule = 12000, kFewKernels = 4;

// Copies the metadata by which nvcc and older compilers attach attributes to a kernel.
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

constexpr const char *kElements = "__gasan_hidden_elements"; // placeholder for an argument
constexpr unsigned kMostAsked = 24;
constexpr unsigned kSizePart = 1;     // of a lookup's result
constexpr uint64_t kWidest = 1 << 20; // bytes of an access whose limit is an argument

// Returns the pointer whose bounds the call looks up, or null.
Value *lookedUp(const CallInst &Call) {
  const Function *Callee = Call.getCalledFunction();
  static const char *const Names[] = {"__gasan_bounds", "__gasan_bounds_global", "__gasan_bounds_with_frames"};
  if (!Callee || !(is_contained(Names, Callee->getName()) || Callee->getName() == kElements))
    return nullptr;
  auto *Address = dyn_cast<PtrToIntOperator>(Call.getArgOperand(0));
  return Address ? Address->getPointerOperand() : nullptr;
}

// Returns true for a check that looks up its pointer.
bool looksUp(const CallInst &Call) {
  return Call.getCalledFunction() && Call.getCalledFunction()->getName().starts_with("__gasan_check");
}

bool asksForElements(const CallInst &Call) {
  return Call.getCalledFunction() && Call.getCalledFunction()->getName() == kElements;
}

// Decodes the request that KernelVariants::askForElements() encoded as the call's operands, except for the argument.
gasan_hidden askedFor(const CallInst &Call) {
  if (!asksForElements(Call))
    return {};
  auto Number = [&](unsigned Operand) { return cast<ConstantInt>(Call.getArgOperand(Operand))->getZExtValue(); };
  return {0,
          0,
          uint32_t(Number(1)),
          uint32_t(Number(2)),
          uint32_t(Number(3)),
          uint8_t(Number(4)),
          uint8_t(Number(5)),
          uint8_t(Number(6)),
          GASAN_HIDDEN_ALONE};
}

constexpr uint64_t kManyParameters = 2048; // bytes; a kernel with more has room for bounds only

uint64_t parameterBytes(const Function &F) {
  const std::vector<gasan_proof_argument> Arguments = argumentsOf(F);
  return Arguments.empty() ? 0 : uint64_t(Arguments.back().offset) + Arguments.back().size;
}

// Estimates the numbers of instructions that threads execute, assuming eight rounds for each loop. Includes the code
// that lookups will expand to, but none of the device runtime's functions.
class Weights {
public:
  uint64_t ofBody(const Function &F) { return of(F).Body; }
  // Of all functions that F calls.
  uint64_t ofCalls(const Function &F) { return of(F).Calls; }

private:
  struct Weight {
    uint64_t Body = 0, Calls = 0;
  };
  static constexpr uint64_t kMost = uint64_t(1) << 40;
  DenseMap<const Function *, Weight> Known;

  static bool isCallOfProgram(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    return Callee && !Callee->isDeclaration() && !Callee->getName().starts_with("__gasan_");
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
    return Call && !isa<IntrinsicInst>(Call) && !Call->isInlineAsm();
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
  if (V.Asked == kMostAsked)
    return std::nullopt;
  ++V.Asked;
  IRBuilder<> B(At.getNodeParent(), At);
  Type *I64 = B.getInt64Ty();
  SmallVector<Value *, 7> Operands = {B.CreatePtrToInt(&Root, I64)};
  for (uint64_t Number :
       {What.width, What.alignment, What.start, uint32_t(What.shift), uint32_t(What.bits), uint32_t(What.is_signed)})
    Operands.push_back(B.getInt64(Number));
  FunctionType *Type = FunctionType::get(StructType::get(I64, I64), SmallVector<llvm::Type *, 7>(Operands.size(), I64),
                                         /*isVarArg=*/false);
  CallInst *Call = B.CreateCall(M.getOrInsertFunction(kElements, Type), Operands);
  Call->setDoesNotThrow();
  Call->setDoesNotAccessMemory();
  Call->addFnAttr(Attribute::WillReturn);
  return Elements{B.CreateExtractValue(Call, 0), B.CreateExtractValue(Call, 1)};
}

// Returns the number of the entry, which is added if it is new.
static unsigned entryFor(std::vector<gasan_hidden> &Hidden, const gasan_hidden &Entry) {
  auto Known = find_if(Hidden, [&](const gasan_hidden &Other) { return !memcmp(&Other, &Entry, sizeof Entry); });
  const unsigned Number = Known - Hidden.begin();
  if (Known == Hidden.end())
    Hidden.push_back(Entry);
  return Number;
}

// Returns the number of the table's first entry. Adds the entries if there are none yet.
unsigned KernelVariants::entriesFor(Variant &V, const ArgumentTable &Table) {
  auto Known = find_if(V.Tables, [&](const auto &Other) { return Other.first.hasSamePlaces(Table); });
  if (Known != V.Tables.end())
    return Known->second;
  const unsigned First = V.Hidden.size();
  for (uint64_t Place = 0; Place < Table.Size; ++Place) {
    gasan_hidden Entry = {};
    Entry.argument = Table.Number;
    Entry.offset = Table.Offset + Place * Table.Stride;
    Entry.place = Place ? GASAN_HIDDEN_NEXT : GASAN_HIDDEN_FIRST;
    V.Hidden.push_back(Entry);
  }
  V.Tables.push_back({Table, First});
  return First;
}

// Returns the argument that is the root of an aligned limit (BoundsCheck::alignedLimit()) of Limit. Null: it is none.
static Value *alignedRoot(const User *Chosen, const Value *Limit, uint64_t &Alignment) {
  Value *Address;
  ConstantInt *Low;
  if (!match(Chosen, m_Select(m_SpecificICmp(ICmpInst::ICMP_EQ, m_And(m_Value(Address), m_ConstantInt(Low)), m_Zero()),
                              m_Specific(Limit), m_Zero())))
    return nullptr;
  auto *Pointer = dyn_cast<PtrToIntOperator>(Address);
  Alignment = Low->getZExtValue() + 1;
  return Pointer ? Pointer->getPointerOperand() : nullptr;
}

// Finds the limits that the kernel computes from the size, and adds hidden entries for them.
void KernelVariants::hideLimits(const Kernel &K, Variant &V, CallInst &Call, const ArgumentPart &Part,
                                SmallVectorImpl<Limit> &Limits) {
  auto add = [&](Value &Old, uint64_t Width, uint64_t Alignment) {
    if (V.Asked == kMostAsked || parameterBytes(*K.Full) > kManyParameters)
      return false;
    ++V.Asked;
    const gasan_hidden Entry = {Part.Number, uint32_t(Part.Offset), uint32_t(Width), uint32_t(Alignment), 0, 0, 0,
                                0,           GASAN_HIDDEN_ALONE};
    Limits.push_back({&Old, entryFor(V.Hidden, Entry)});
    return true;
  };
  for (User *Size : Call.users()) {
    if (cast<ExtractValueInst>(Size)->getIndices()[0] != kSizePart)
      continue;
    for (User *Less : Size->users()) {
      ConstantInt *Number;
      if (!match(Less, m_Intrinsic<Intrinsic::usub_sat>(m_Specific(Size), m_ConstantInt(Number))) ||
          Number->getValue().uge(kWidest))
        continue;
      bool IsUsed = false;
      for (User *Chosen : Less->users()) {
        uint64_t Alignment = 1;
        Value *Root = alignedRoot(Chosen, Less, Alignment);
        std::optional<ArgumentPart> Of = Root ? argumentPart(*Root, K.Written) : std::nullopt;
        const bool IsSame = Of && Of->Number == Part.Number && Of->Offset == Part.Offset;
        IsUsed |= !IsSame || !add(*Chosen, Number->getZExtValue() + 1, Alignment);
      }
      if (IsUsed)
        add(*Less, Number->getZExtValue() + 1, 1);
    }
  }
}

// Finds the remaining lookups of the kernel's arguments, and adds hidden entries for their bounds.
SmallVector<KernelVariants::Lookup, 8> KernelVariants::hideLookups(const Kernel &K, Variant &V,
                                                                   SmallVectorImpl<Limit> &Limits) {
  SmallVector<Lookup, 8> Lookups;
  for (Instruction &I : instructions(V.Code)) {
    auto *Call = dyn_cast<CallInst>(&I);
    Value *Root = Call && HiddenArguments ? lookedUp(*Call) : nullptr;
    if (!Root)
      continue;
    if (std::optional<ArgumentPart> Part = argumentPart(*Root, K.Written)) {
      gasan_hidden Asked = askedFor(*Call);
      Asked.argument = Part->Number;
      Asked.offset = Part->Offset;
      Lookups.push_back({Call, entryFor(V.Hidden, Asked), /*IsInTable=*/false});
      if (!asksForElements(*Call))
        hideLimits(K, V, *Call, *Part, Limits);
    } else if (std::optional<ArgumentTable> Table = argumentTable(*Root, K.Written)) {
      Lookups.push_back({Call, entriesFor(V, *Table), /*IsInTable=*/true});
    }
  }
  return Lookups;
}

// Returns the type of a table's elements: base and size.
static StructType *placeType(LLVMContext &Context) {
  Type *I64 = Type::getInt64Ty(Context);
  return StructType::get(I64, I64);
}

// Moves the variant's code into a new function with the hidden arguments. Returns, for each hidden entry, the number of
// its first argument.
SmallVector<unsigned, 8> KernelVariants::addParameters(const Kernel &K, Variant &V, const char *Prefix, bool WithMask) {
  LLVMContext &Context = M.getContext();
  Type *I64 = Type::getInt64Ty(Context);
  SmallVector<Type *, 16> Parameters(V.Code->getFunctionType()->params());
  SmallVector<unsigned, 8> Begins;
  for (const gasan_hidden &Entry : V.Hidden) {
    Begins.push_back(Parameters.size());
    if (Entry.place == GASAN_HIDDEN_ALONE)
      Parameters.append(2, I64);
    else if (Entry.place == GASAN_HIDDEN_FIRST)
      Parameters.push_back(PointerType::get(Context, 0));
  }
  Parameters.append(WithMask, I64);
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
  for (const auto &[Table, First] : V.Tables) {
    Argument *Places = New->getArg(Begins[First]);
    Places->setName("gasan.table");
    Places->addAttr(Attribute::getWithByValType(Context, ArrayType::get(placeType(Context), Table.Size)));
    Places->addAttr(Attribute::getWithAlignment(Context, Align(8)));
    Places->addAttr(Attribute::ReadOnly);
  }
  copyAnnotations(M, *K.Full, *New);
  V.Code->eraseFromParent();
  V.Code = New;
  return Begins;
}

// Replaces the parts of the lookup's result.
static void replaceParts(CallInst &Call, ArrayRef<Value *> Parts) {
  for (User *U : make_early_inc_range(Call.users()))
    if (auto *Part = dyn_cast<ExtractValueInst>(U)) { // only a lookup's parts are used
      Part->replaceAllUsesWith(Parts[Part->getIndices()[0]]);
      Part->eraseFromParent();
    }
}

// Replaces the lookup by the passed bounds. Null and unknown pointers get bounds that no memory has.
static void takeBounds(CallInst &Call, Argument &Base, Argument &Size) {
  const bool AreElements = asksForElements(Call);
  Base.setName(AreElements ? "gasan.before" : "gasan.base");
  Size.setName(AreElements ? "gasan.elements" : "gasan.size");
  replaceParts(Call, {&Base, &Size, ConstantInt::get(Type::getInt32Ty(Call.getContext()), GASAN_OBJECT_OF_BOUNDS)});
  if (Call.use_empty())
    Call.eraseFromParent();
}

// Reads the bounds from the table. Calls the lookup only for pointers whose bounds the table lacks.
static void readTable(CallInst &Call, const ArgumentTable &Table, Argument &Places) {
  IRBuilder<> B(&Call);
  Type *I64 = B.getInt64Ty();
  Value *Number = B.getInt64(Table.First);
  for (auto [Term, Factor] : Table.Terms)
    Number = B.CreateAdd(Number, B.CreateMul(B.CreateSExtOrTrunc(Term, I64), B.getInt64(Factor)));
  Value *IsPlace = B.CreateICmpULT(Number, B.getInt64(Table.Size));
  Value *Read = B.CreateSelect(IsPlace, Number, B.getInt64(0));
  StructType *Place = placeType(B.getContext());
  Value *At = B.CreateInBoundsGEP(Place, &Places, Read);
  Value *Base = B.CreateAlignedLoad(I64, At, Align(8), "gasan.base");
  Value *Size = B.CreateAlignedLoad(I64, B.CreateStructGEP(Place, At, 1), Align(8), "gasan.size");
  Value *Unknown = B.CreateNot(B.CreateAnd(IsPlace, B.CreateIsNotNull(Size)));
  BasicBlock *Head = Call.getParent();
  Instruction *End = SplitBlockAndInsertIfThen(Unknown, std::next(Call.getIterator()), /*Unreachable=*/false,
                                               MDBuilder(B.getContext()).createUnlikelyBranchWeights());
  Call.moveBefore(End->getIterator());
  Call.addFnAttr(Attribute::Cold);
  Value *OfTable[] = {Base, Size, B.getInt32(GASAN_OBJECT_OF_BOUNDS)};
  SmallVector<Value *, 3> Parts;
  BasicBlock *Tail = End->getSuccessor(0);
  B.SetInsertPoint(Tail, Tail->begin());
  for (Value *Own : OfTable) {
    PHINode *Part = B.CreatePHI(Own->getType(), 2);
    Part->addIncoming(Own, Head);
    Parts.push_back(Part);
  }
  replaceParts(Call, Parts);
  B.SetInsertPoint(End);
  for (unsigned Part = 0; Part < 3; ++Part)
    cast<PHINode>(Parts[Part])->addIncoming(B.CreateExtractValue(&Call, Part), End->getParent());
}

// Copies a hidden argument that reports share right before each branch to the report. Otherwise the code generator
// would load the argument before the check, into registers that stay occupied from there on.
static void copyForReports(Argument &Hidden) {
  auto *Copy = InlineAsm::get(FunctionType::get(Hidden.getType(), {Hidden.getType()}, /*isVarArg=*/false),
                              "mov.b64 $0, $1;", "=l,l", /*hasSideEffects=*/false);
  for (Use &U : make_early_inc_range(Hidden.uses()))
    if (auto *Phi = dyn_cast<PHINode>(U.getUser())) {
      CallInst *Call =
          CallInst::Create(Copy, {&Hidden}, "gasan.copy", Phi->getIncomingBlock(U)->getTerminator()->getIterator());
      Call->setDoesNotAccessMemory();
      Call->setDoesNotThrow();
      Call->addFnAttr(Attribute::WillReturn);
      U.set(Call);
    }
}

// Replaces the remaining lookups of the kernel's arguments by hidden arguments.
void KernelVariants::takeArguments(const Kernel &K, Variant &V, const char *Prefix, bool WithMask) {
  SmallVector<Limit, 8> Limits;
  const SmallVector<Lookup, 8> Lookups = hideLookups(K, V, Limits);
  const SmallVector<unsigned, 8> Begins = addParameters(K, V, Prefix, WithMask);
  for (const Limit &L : Limits) {
    Argument &Own = *V.Code->getArg(Begins[L.Entry] + 1);
    Own.setName("gasan.limit");
    L.Old->replaceAllUsesWith(&Own);
    RecursivelyDeleteTriviallyDeadInstructions(L.Old);
  }
  for (const Lookup &L : Lookups) {
    Argument &First = *V.Code->getArg(Begins[L.Entry]);
    if (L.IsInTable) // its terms may be arguments, which are new now
      readTable(*L.Call, *argumentTable(*lookedUp(*L.Call), K.Written), First);
    else
      takeBounds(*L.Call, First, *V.Code->getArg(Begins[L.Entry] + 1));
  }
  for (const auto &[Begin, Entry] : zip(Begins, V.Hidden))
    if (Entry.place == GASAN_HIDDEN_ALONE)
      for (unsigned Part = 0; Part < 2; ++Part)
        copyForReports(*V.Code->getArg(Begin + Part));
  if (!WithMask)
    return;
  Argument *Failed = V.Code->getArg(V.Code->arg_size() - 1);
  for (Instruction &I : make_early_inc_range(V.Code->getEntryBlock()))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && Mask && Call->getCalledOperand() == Mask.getCallee()) {
      Failed->takeName(Call);
      Call->replaceAllUsesWith(Failed);
      Call->eraseFromParent();
    }
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
  const bool IsSame = !K.Proof->keptChecks() && V.Hidden.empty() && effectsIn(*K.Untouched) == effectsIn(*V.Code) &&
                      none_of(instructions(*V.Code), UsesRuntime) && none_of(instructions(*K.Untouched), UsesRuntime);
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

void KernelVariants::drop(Variant &V) {
  if (V.Code)
    V.Code->eraseFromParent();
  V.Code = nullptr;
  V.Hidden.clear();
  V.Tables.clear();
}

void KernelVariants::finish() {
  Weights Of;
  for (Kernel &K : Kernels) {
    finishSourceChecks(K);
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
  if (Function *Elements = M.getFunction(kElements))
    Elements->eraseFromParent();
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
