// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/proof/VariantArguments.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/SiteTable.h"
#include "shadow/bounds.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {
namespace {

constexpr const char *kElements = "__gasan_hidden_elements"; // placeholder for an argument
constexpr unsigned kMostAsked = 24;
constexpr unsigned kSizePart = 1;     // of a lookup's result
constexpr uint64_t kWidest = 1 << 20; // bytes of an access whose limit is an argument

bool asksForElements(const CallInst &Call) {
  return Call.getCalledFunction() && Call.getCalledFunction()->getName() == kElements;
}

// Decodes the request that askForElements() encoded as the call's operands, except for the argument.
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

} // namespace

Value *lookedUp(const CallInst &Call) {
  const Function *Callee = Call.getCalledFunction();
  static const char *const Names[] = {"__gasan_bounds", "__gasan_bounds_global", "__gasan_bounds_with_frames"};
  if (!Callee || !(is_contained(Names, Callee->getName()) || Callee->getName() == kElements))
    return nullptr;
  auto *Address = dyn_cast<PtrToIntOperator>(Call.getArgOperand(0));
  return Address ? Address->getPointerOperand() : nullptr;
}

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

uint64_t parameterBytes(const Function &F) {
  const std::vector<gasan_proof_argument> Arguments = argumentsOf(F);
  return Arguments.empty() ? 0 : uint64_t(Arguments.back().offset) + Arguments.back().size;
}

std::optional<Elements> VariantArguments::askForElements(Module &M, Value &Root, const gasan_hidden &What,
                                                         BasicBlock::iterator At) {
  if (Asked == kMostAsked)
    return std::nullopt;
  ++Asked;
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
unsigned VariantArguments::entryFor(const gasan_hidden &Entry) {
  auto Known = find_if(Entries, [&](const gasan_hidden &Other) { return !memcmp(&Other, &Entry, sizeof Entry); });
  const unsigned Number = Known - Entries.begin();
  if (Known == Entries.end())
    Entries.push_back(Entry);
  return Number;
}

// Returns the number of the table's first entry. Adds the entries if there are none yet.
unsigned VariantArguments::entriesFor(const ArgumentTable &Table) {
  auto Known = find_if(Tables, [&](const auto &Other) { return Other.first.hasSamePlaces(Table); });
  if (Known != Tables.end())
    return Known->second;
  const unsigned First = Entries.size();
  for (uint64_t Place = 0; Place < Table.Size; ++Place) {
    gasan_hidden Entry = {};
    Entry.argument = Table.Number;
    Entry.offset = Table.Offset + Place * Table.Stride;
    Entry.place = Place ? GASAN_HIDDEN_NEXT : GASAN_HIDDEN_FIRST;
    Entries.push_back(Entry);
  }
  Tables.push_back({Table, First});
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
void VariantArguments::hideLimits(const Function &Full, CallInst &Call, const ArgumentPart &Part,
                                  const WrittenBytes &Written, SmallVectorImpl<Limit> &Limits) {
  auto add = [&](Value &Old, uint64_t Width, uint64_t Alignment) {
    if (Asked == kMostAsked || parameterBytes(Full) > kManyParameters)
      return false;
    ++Asked;
    const gasan_hidden Entry = {Part.Number, uint32_t(Part.Offset), uint32_t(Width), uint32_t(Alignment), 0, 0, 0,
                                0,           GASAN_HIDDEN_ALONE};
    Limits.push_back({&Old, entryFor(Entry)});
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
        std::optional<ArgumentPart> Of = Root ? argumentPart(*Root, Written) : std::nullopt;
        const bool IsSame = Of && Of->Number == Part.Number && Of->Offset == Part.Offset;
        IsUsed |= !IsSame || !add(*Chosen, Number->getZExtValue() + 1, Alignment);
      }
      if (IsUsed)
        add(*Less, Number->getZExtValue() + 1, 1);
    }
  }
}

// Finds the remaining lookups of the kernel's arguments, and adds hidden entries for their bounds.
SmallVector<VariantArguments::Lookup, 8> VariantArguments::hideLookups(const Function &Full, Function &Code,
                                                                       const WrittenBytes &Written,
                                                                       SmallVectorImpl<Limit> &Limits) {
  SmallVector<Lookup, 8> Lookups;
  for (Instruction &I : instructions(Code)) {
    auto *Call = dyn_cast<CallInst>(&I);
    Value *Root = Call && HiddenArguments ? lookedUp(*Call) : nullptr;
    if (!Root)
      continue;
    if (std::optional<ArgumentPart> Part = argumentPart(*Root, Written)) {
      gasan_hidden Asked = askedFor(*Call);
      Asked.argument = Part->Number;
      Asked.offset = Part->Offset;
      Lookups.push_back({Call, entryFor(Asked), /*IsInTable=*/false});
      if (!asksForElements(*Call))
        hideLimits(Full, *Call, *Part, Written, Limits);
    } else if (std::optional<ArgumentTable> Table = argumentTable(*Root, Written)) {
      Lookups.push_back({Call, entriesFor(*Table), /*IsInTable=*/true});
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
SmallVector<unsigned, 8> VariantArguments::addParameters(Function &Full, Function *&Code, const char *Prefix,
                                                         bool WithMask) {
  Module &M = *Full.getParent();
  LLVMContext &Context = M.getContext();
  Type *I64 = Type::getInt64Ty(Context);
  SmallVector<Type *, 16> Parameters(Code->getFunctionType()->params());
  SmallVector<unsigned, 8> Begins;
  for (const gasan_hidden &Entry : Entries) {
    Begins.push_back(Parameters.size());
    if (Entry.place == GASAN_HIDDEN_ALONE)
      Parameters.append(2, I64);
    else if (Entry.place == GASAN_HIDDEN_FIRST)
      Parameters.push_back(PointerType::get(Context, 0));
  }
  Parameters.append(WithMask, I64);
  Function *New = Function::Create(FunctionType::get(Code->getReturnType(), Parameters, /*isVarArg=*/false),
                                   Code->getLinkage(), Code->getAddressSpace());
  M.getFunctionList().insert(std::next(Full.getIterator()), New);
  New->copyAttributesFrom(Code);
  New->copyMetadata(Code, 0);
  New->removeFnAttr(kCopyAttr);
  New->setName(Prefix + Full.getName());
  New->splice(New->begin(), Code);
  for (auto [Old, Parameter] : zip(Code->args(), New->args())) {
    Parameter.takeName(&Old);
    Old.replaceAllUsesWith(&Parameter);
  }
  for (const auto &[Table, First] : Tables) {
    Argument *Places = New->getArg(Begins[First]);
    Places->setName("gasan.table");
    Places->addAttr(Attribute::getWithByValType(Context, ArrayType::get(placeType(Context), Table.Size)));
    Places->addAttr(Attribute::getWithAlignment(Context, Align(8)));
    Places->addAttr(Attribute::ReadOnly);
  }
  copyAnnotations(M, Full, *New);
  Code->eraseFromParent();
  Code = New;
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

// Copies values that reports share right before the branches to the report. The code generator would otherwise make
// them ready before the check, in registers that stay occupied from there on. A phi has one value for all edges from
// one block, as a switch has them.
class CopiesForReports {
public:
  // The user is a phi of a report's block.
  void copy(Use &U) {
    auto *Phi = cast<PHINode>(U.getUser());
    BasicBlock *From = Phi->getIncomingBlock(U);
    CallInst *&Call = Copies[{Phi, From}];
    if (!Call) {
      Type *T = U->getType();
      auto *Copy = InlineAsm::get(FunctionType::get(T, {T}, /*isVarArg=*/false), "mov.b64 $0, $1;", "=l,l",
                                  /*hasSideEffects=*/false);
      Call = CallInst::Create(Copy, {U.get()}, "gasan.copy", From->getTerminator()->getIterator());
      Call->setDoesNotAccessMemory();
      Call->setDoesNotThrow();
      Call->addFnAttr(Attribute::WillReturn);
    }
    U.set(Call);
  }

private:
  DenseMap<std::pair<PHINode *, BasicBlock *>, CallInst *> Copies;
};

static void copyForReports(Argument &Hidden) {
  CopiesForReports Copies;
  for (Use &U : make_early_inc_range(Hidden.uses()))
    if (isa<PHINode>(U.getUser()))
      Copies.copy(U);
}

// Copies the addresses that checks pass to a shared report. ptxas would otherwise copy each address into the report's
// register before the check.
static void copyAddresses(Function &Variant) {
  for (Instruction &I : instructions(Variant)) {
    auto *Call = dyn_cast<CallInst>(&I);
    const Function *F = Call ? Call->getCalledFunction() : nullptr;
    if (!F || !F->getName().starts_with("__gasan_report_bounds"))
      continue;
    auto *Address = dyn_cast<PHINode>(Call->getArgOperand(0));
    if (!Address)
      continue;
    CopiesForReports Copies;
    for (Use &U : Address->incoming_values())
      if (isa<Instruction>(U))
        Copies.copy(U);
  }
}

// Replaces the remaining lookups of the kernel's arguments by hidden arguments.
Function *VariantArguments::take(Function &Full, Function &Old, const WrittenBytes &Written, const char *Prefix,
                                 const Value *FailedClaims, bool WithMask) {
  SmallVector<Limit, 8> Limits;
  const SmallVector<Lookup, 8> Lookups = hideLookups(Full, Old, Written, Limits);
  Function *Code = &Old;
  const SmallVector<unsigned, 8> Begins = addParameters(Full, Code, Prefix, WithMask);
  for (const Limit &L : Limits) {
    Argument &Own = *Code->getArg(Begins[L.Entry] + 1);
    Own.setName("gasan.limit");
    L.Old->replaceAllUsesWith(&Own);
    RecursivelyDeleteTriviallyDeadInstructions(L.Old);
  }
  for (const Lookup &L : Lookups) {
    Argument &First = *Code->getArg(Begins[L.Entry]);
    if (L.IsInTable) // its terms may be arguments, which are new now
      readTable(*L.Call, *argumentTable(*lookedUp(*L.Call), Written), First);
    else
      takeBounds(*L.Call, First, *Code->getArg(Begins[L.Entry] + 1));
  }
  for (const auto &[Begin, Entry] : zip(Begins, Entries))
    if (Entry.place == GASAN_HIDDEN_ALONE)
      for (unsigned Part = 0; Part < 2; ++Part)
        copyForReports(*Code->getArg(Begin + Part));
  copyAddresses(*Code);
  if (!WithMask)
    return Code;
  Argument *Failed = Code->getArg(Code->arg_size() - 1);
  for (Instruction &I : make_early_inc_range(Code->getEntryBlock()))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && FailedClaims && Call->getCalledOperand() == FailedClaims) {
      Failed->takeName(Call);
      Call->replaceAllUsesWith(Failed);
      Call->eraseFromParent();
    }
  return Code;
}

void VariantArguments::dropPlaceholders(Module &M) {
  if (Function *Placeholder = M.getFunction(kElements))
    Placeholder->eraseFromParent();
}

void VariantArguments::clear() {
  Entries.clear();
  Tables.clear();
}

} // namespace gasan
