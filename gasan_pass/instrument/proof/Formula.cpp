// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/proof/Formula.h"
#include "gasan_pass/ptx/PtxValues.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {
namespace {

constexpr unsigned kMostWork = 1000000;    // values of one kernel; beyond, all values are possible
constexpr unsigned kMostClaimWork = 12500; // of one claim
constexpr unsigned kDeepest = 250;
constexpr unsigned kOffsetBits = 64;

std::optional<gasan_proof_operation> operationOf(Instruction::BinaryOps Opcode) {
  switch (Opcode) {
  case Instruction::Add:
    return GASAN_PROOF_ADD;
  case Instruction::Sub:
    return GASAN_PROOF_SUB;
  case Instruction::Mul:
    return GASAN_PROOF_MUL;
  case Instruction::UDiv:
    return GASAN_PROOF_UDIV;
  case Instruction::SDiv:
    return GASAN_PROOF_SDIV;
  case Instruction::URem:
    return GASAN_PROOF_UREM;
  case Instruction::SRem:
    return GASAN_PROOF_SREM;
  case Instruction::And:
    return GASAN_PROOF_AND;
  case Instruction::Or:
    return GASAN_PROOF_OR;
  case Instruction::Xor:
    return GASAN_PROOF_XOR;
  case Instruction::Shl:
    return GASAN_PROOF_SHL;
  case Instruction::LShr:
    return GASAN_PROOF_LSHR;
  case Instruction::AShr:
    return GASAN_PROOF_ASHR;
  default:
    return std::nullopt;
  }
}

} // namespace

Formulas::Formulas(Function &Kernel, Program &Nodes, PointerSteps &Steps, const WrittenBytes &Written)
    : Kernel(Kernel), Nodes(Nodes), Steps(Steps), Conditions(Kernel), Loops(Conditions.tree()),
      Walks(Conditions, Loops), Written(Written) {}

Formulas::~Formulas() {
  for (auto &[Asm, Result] : AsmResults)
    if (Result)
      RecursivelyDeleteTriviallyDeadInstructions(Result);
  for (WeakVH &Copy : reverse(Copies))                                      // users first
    if (auto *I = dyn_cast_or_null<Instruction>(Copy); I && I->use_empty()) // it may have been removed as unused
      I->eraseFromParent();
}

bool Formulas::isInteger(const Value *V) {
  return V->getType()->isIntegerTy() && V->getType()->getIntegerBitWidth() <= 64;
}

bool Formulas::isFloat(const Value *V) {
  return V->getType()->isFloatTy() || V->getType()->isDoubleTy();
}

unsigned Formulas::bitsOf(const Value *V) const {
  return V->getType()->isPointerTy() ? kOffsetBits : V->getType()->getPrimitiveSizeInBits().getFixedValue();
}

const Formulas::Item *Formulas::openItem(const void *Key) {
  auto Found = Open.find(Key);
  if (Found == Open.end())
    return nullptr;
  Low = std::min(Low, Found->second.Depth);
  return &Found->second;
}

void Formulas::startClaim() {
  WorkLimit = std::min(Work + kMostClaimWork, kMostWork);
}

Node Formulas::of(Value *V, const Place *At) {
  if (auto *Constant = dyn_cast<ConstantInt>(V))
    return Nodes.constant(Constant->getValue());
  auto Found = Known.find({V, At});
  if (Found != Known.end())
    return Found->second;
  if (++Work > WorkLimit || Depth > kDeepest) {
    Low = 0;
    return anything(V);
  }
  ++Depth;
  scope_exit Leave([&] { --Depth; });
  const unsigned Outer = std::exchange(Low, kNone);
  Node Result = refine(V, structure(V, At), At);
  if (Low == kNone)
    Known[{V, At}] = Result;
  Low = std::min(Low, Outer);
  return Result;
}

// Returns true if the block joins the two sides of a single if statement. The tests on both sides then add nothing.
static bool joinsOneTest(const BasicBlock &Block, const BasicBlock &Above) {
  return all_of(predecessors(&Block),
                [&](const BasicBlock *From) { return From == &Above || From->getSinglePredecessor() == &Above; }) &&
         all_of(successors(&Above),
                [&](const BasicBlock *To) { return To == &Block || To->getSingleSuccessor() == &Block; });
}

// Returns the union of V's values on the edges into the block; on each edge, different tests may bound V. Empty: all
// these tests together say no more than the tests that dominate the block.
std::optional<Node> Formulas::onWaysTo(BasicBlock &Block, Value *V) {
  constexpr unsigned kMost = 4;
  const DomTreeNode *InTree = Conditions.tree().getNode(&Block);
  if (pred_size(&Block) < 2 || pred_size(&Block) > kMost || Loops.isLoopHeader(&Block) || !InTree ||
      !InTree->getIDom() || joinsOneTest(Block, *InTree->getIDom()->getBlock()))
    return std::nullopt;
  std::optional<Node> Ways;
  for (BasicBlock *From : predecessors(&Block))
    Ways = unionOf(Ways, of(V, Conditions.onEdge(From, &Block)));
  return Ways;
}

Node Formulas::ofAccess(Value *Pointer, Instruction &Access) {
  BasicBlock *Block = Access.getParent();
  Node Whole = narrowByBounds(Pointer, of(Pointer, Conditions.before(Access)), *Block);
  Whole = narrowReduced(Pointer, Whole, *Block);
  std::optional<Node> Ways = onWaysTo(*Block, Pointer);
  if (!Ways)
    return Whole;
  if (*Ways == Whole)
    return Whole;
  int64_t Constant, OfWays;
  Node Narrowed = Nodes.splitConstant(Whole, Constant), Other = Nodes.splitConstant(*Ways, OfWays);
  Other = Nodes.operate(GASAN_PROOF_ADD, kOffsetBits, Other,
                        Nodes.constant(kOffsetBits, uint64_t(OfWays) - uint64_t(Constant)));
  return Nodes.operate(GASAN_PROOF_ADD, kOffsetBits, Nodes.where(CmpInst::ICMP_EQ, Narrowed, Other),
                       Nodes.constant(kOffsetBits, uint64_t(Constant)));
}

Node Formulas::ofInteger(Value *V, BasicBlock &Block) {
  const Node Whole = of(V, Conditions.before(*Block.getTerminator()));
  const std::optional<Node> Ways = onWaysTo(Block, V);
  return !Ways || *Ways == Whole ? Whole : Nodes.where(CmpInst::ICMP_EQ, Whole, *Ways);
}

// Returns the result of inline PTX as LLVM's instructions compute it. Null: not known.
Value *Formulas::resultOfAsm(CallInst &Asm) {
  auto [Known, IsNew] = AsmResults.try_emplace(&Asm);
  if (IsNew)
    Known->second = PtxValues::resultOf(Asm);
  return Known->second;
}

Node Formulas::structure(Value *V, const Place *At) {
  if (V->getType()->isPointerTy())
    return offset(V, At);
  if (isFloat(V))
    return narrowFloat(V, ofFloat(V, At), At);
  if (std::optional<Node> Converted = integerOfFloat(V, At))
    return *Converted;
  if (std::optional<ArgumentPart> Part = argumentPart(*V, Written)) {
    const unsigned Bits = bitsOf(V);
    if (Bits == 1) // a bool is passed as a byte
      return Nodes.resize(Nodes.argument(8, Part->Number, Part->Offset), 1, false);
    if (Bits == 8 || Bits == 16 || Bits == 32 || Bits == 64)
      return Nodes.argument(Bits, Part->Number, Part->Offset);
    return anything(V);
  }
  if (std::optional<Node> Element = argumentElement(V, At))
    return *Element;
  if (auto *Binary = dyn_cast<BinaryOperator>(V))
    return binary(*Binary, At);
  if (auto *Phi = dyn_cast<PHINode>(V))
    return phi(*Phi);
  if (auto *Select = dyn_cast<SelectInst>(V))
    return select(*Select, At);
  if (auto *Intrinsic = dyn_cast<IntrinsicInst>(V))
    return intrinsic(*Intrinsic, At);
  if (auto *Call = dyn_cast<CallInst>(V); Call && Call->isInlineAsm()) {
    Value *Result = resultOfAsm(*Call);
    return Result ? of(Result, At) : anything(V);
  }
  auto *Cast = dyn_cast<CastInst>(V);
  if (isa<TruncInst, SExtInst, ZExtInst>(V) && isInteger(Cast->getOperand(0)))
    return Nodes.resize(of(Cast->getOperand(0), At), bitsOf(V), isa<SExtInst>(V));
  if (auto *Freeze = dyn_cast<FreezeInst>(V))
    return of(Freeze->getOperand(0), At);
  return anything(V);
}

// Returns the value of a number that the kernel loads from a computed place in a by-value structure.
std::optional<Node> Formulas::argumentElement(Value *V, const Place *At) {
  const unsigned Bits = bitsOf(V);
  std::optional<ArgumentElements> Elements =
      Bits % 8 == 0 && isPowerOf2_32(Bits) ? argumentElements(*V, Written) : std::nullopt;
  if (!Elements)
    return std::nullopt;
  Node Distance = Nodes.constant(64, 0);
  for (const auto &[Term, Factor] : Elements->Terms) {
    if (!isInteger(Term))
      return std::nullopt;
    Node Index = Nodes.resize(of(Term, At), 64, /*Signed=*/true);
    Distance = Nodes.operate(GASAN_PROOF_ADD, 64, Distance,
                             Nodes.operate(GASAN_PROOF_MUL, 64, Index, Nodes.constant(64, Factor)));
  }
  return Nodes.isBounded(Distance) ? std::optional(Nodes.argumentElement(Bits, *Elements, Distance)) : std::nullopt;
}

SimplifyQuery Formulas::withoutPromises(const DataLayout &DL) {
  return SimplifyQuery(DL, /*TLI=*/nullptr, /*DT=*/nullptr, /*AC=*/nullptr, /*CXTI=*/nullptr, /*UseInstrInfo=*/false);
}

// Counts the instructions that V is made of, up to a limit. A phi may be made of any number.
static unsigned sizeOf(const Value *V, unsigned Most) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || isa<LoadInst, CallInst>(I) || Most == 0)
    return 0;
  if (isa<PHINode>(I))
    return Most;
  unsigned Size = 1;
  for (const Value *Operand : I->operands())
    Size += sizeOf(Operand, Most - Size);
  return Size;
}

Node Formulas::binary(BinaryOperator &I, const Place *At) {
  std::optional<gasan_proof_operation> Operation = operationOf(I.getOpcode());
  if (!Operation)
    return anything(&I);
  if (std::optional<Node> Known = division(I, At))
    return *Known;
  if (I.getOpcode() == Instruction::Or &&
      haveNoCommonBitsSet(I.getOperand(0), I.getOperand(1), withoutPromises(Kernel.getDataLayout())))
    Operation = GASAN_PROOF_ADD;
  // The simpler operand comes first, while there is work left.
  constexpr unsigned kMostSize = 20;
  const unsigned First = sizeOf(I.getOperand(1), kMostSize) < sizeOf(I.getOperand(0), kMostSize) ? 1 : 0;
  Node Operands[2];
  Operands[First] = of(I.getOperand(First), At);
  if (*Operation == GASAN_PROOF_XOR && Nodes.isAnything(Operands[First]))
    return anything(&I);
  Operands[1 - First] = of(I.getOperand(1 - First), At);
  const Node A = Operands[0], B = Operands[1];
  if (auto *Exact = dyn_cast<PossiblyExactOperator>(&I); Exact && Exact->isExact() && I.isIntDivRem())
    return exactQuotient(I, *Operation, A, B);
  const bool IsDifference = *Operation == GASAN_PROOF_SUB;
  const bool NeverBelow = IsDifference && isAtLeast(I.getOperand(0), I.getOperand(1), At, /*Signed=*/false);
  Node Result = Nodes.operate(*Operation, bitsOf(&I), A, B);
  if (NeverBelow) {
    Result = Nodes.where(CmpInst::ICMP_ULE, Result, A);
  } else if (IsDifference && isAtLeast(I.getOperand(0), I.getOperand(1), At, /*Signed=*/true)) {
    Node Negative = Nodes.where(CmpInst::ICMP_SLT, B, Nodes.constant(bitsOf(&I), 0));
    Node NoMore = Nodes.unlessThereIs(Nodes.where(CmpInst::ICMP_ULE, anything(&I), A), Negative);
    Result = Nodes.where(CmpInst::ICMP_EQ, Result, NoMore); // the intersection
  }
  Result = ifExact(I, A, B, Result, NeverBelow);
  if (I.getOpcode() == Instruction::Add && !isa<Constant>(I.getOperand(1)))
    Result = narrowByTerms(I, Result, At);
  if (I.getOpcode() == Instruction::Mul)
    Result = narrowProduct(I, Result, At);
  Value *PowerOfTwo;
  if (match(&I, m_LShr(m_Value(), m_Intrinsic<Intrinsic::cttz>(m_Value(PowerOfTwo))))) { // the optimiser's A / B
    Node Number = of(PowerOfTwo, At), Zero = Nodes.constant(bitsOf(&I), 0);
    Node Lowest = Nodes.operate(GASAN_PROOF_AND, bitsOf(&I), Number,
                                Nodes.operate(GASAN_PROOF_SUB, bitsOf(&I), Zero, Number)); // the only bit
    Result = Nodes.where(CmpInst::ICMP_EQ, Result, Nodes.operate(GASAN_PROOF_UDIV, bitsOf(&I), A, Lowest));
  }
  if (IsDifference)
    Result = narrowInWindow(I, narrowDifference(I, Result, At), At);
  if (I.isShift())
    Result = narrowByCarry(I, Result, At);
  if (std::optional<Node> Both = distributed(I, *Operation, At))
    Result = Nodes.where(CmpInst::ICMP_EQ, Result, *Both);
  std::optional<Node> OfBits = butterfly(I, At);
  return OfBits ? Nodes.where(CmpInst::ICMP_EQ, *OfBits, Result) : Result; // the intersection
}

// Handles a sum or difference with a selected number: x += x < 0 ? width : 0. The condition of the selection also
// bounds the other operand.
std::optional<Node> Formulas::distributed(BinaryOperator &I, gasan_proof_operation Operation, const Place *At) {
  constexpr unsigned kMost = 2; // of these inside each other
  if ((Operation != GASAN_PROOF_ADD && Operation != GASAN_PROOF_SUB) || Selected >= kMost)
    return std::nullopt;
  for (unsigned Index : {0, 1}) {
    auto *Choice = dyn_cast<SelectInst>(I.getOperand(Index));
    if (!Choice || !Choice->getCondition()->getType()->isIntegerTy(1) || isa<Constant>(I.getOperand(1 - Index)))
      continue;
    ++Selected;
    scope_exit Leave([&] { --Selected; });
    std::optional<Node> Result;
    for (bool Truth : {true, false}) {
      const Place *Where = Conditions.with(At, Choice->getCondition(), Truth);
      Node Chosen = of(Truth ? Choice->getTrueValue() : Choice->getFalseValue(), Where);
      Node Other = of(I.getOperand(1 - Index), Where), A = Index ? Other : Chosen, B = Index ? Chosen : Other;
      Result = unionOf(Result, ifExact(I, A, B, Nodes.operate(Operation, bitsOf(&I), A, B)));
    }
    return Result;
  }
  return std::nullopt;
}

// Returns the quotient, or any value if the division may have a remainder: for an `exact` division, code generators
// multiply by the divisor's inverse.
Node Formulas::exactQuotient(const BinaryOperator &I, gasan_proof_operation Division, Node A, Node B) {
  const unsigned Bits = bitsOf(&I);
  Node Rest = Nodes.operate(Division == GASAN_PROOF_SDIV ? GASAN_PROOF_SREM : GASAN_PROOF_UREM, Bits, A, B);
  return Nodes.unlessThereIs(Nodes.operate(Division, Bits, A, B),
                             Nodes.where(CmpInst::ICMP_NE, Rest, Nodes.constant(Bits, 0)));
}

// Returns the result, or any value if I may break a promise. Code derived from I may rely on I's flags: a 32-bit sum
// that is extended may become a 64-bit sum, which yields another address where the 32-bit sum wraps. There is no wider
// sum than one of 64 bits.
Node Formulas::ifExact(const BinaryOperator &I, Node A, Node B, Node Result, bool NeverBelow) {
  SmallVector<Node, 4> Otherwise;
  broken(I, A, B, Otherwise, NeverBelow);
  for (Node Broken : Otherwise)
    Result = Nodes.unlessThereIs(Result, Broken);
  return Result;
}

// Adds nodes to Otherwise. If one of these nodes is non-empty, I, applied to A and B, may break a promise. NeverBelow:
// I is a difference, and a test excludes that the first operand is smaller.
void Formulas::broken(const BinaryOperator &I, Node A, Node B, SmallVectorImpl<Node> &Otherwise, bool NeverBelow) {
  constexpr unsigned kWide = 64;
  const auto *Flags = dyn_cast<OverflowingBinaryOperator>(&I);
  const unsigned Bits = bitsOf(&I);
  if (!Flags || Bits > kWide / 2)
    return;
  for (bool Signed : {true, false}) {
    if (!(Signed ? Flags->hasNoSignedWrap() : Flags->hasNoUnsignedWrap() && !NeverBelow))
      continue;
    const bool IsShift = I.getOpcode() == Instruction::Shl;
    Node Wide = Nodes.operate(*operationOf(I.getOpcode()), kWide, Nodes.resize(A, kWide, Signed),
                              Nodes.resize(B, kWide, Signed && !IsShift));
    if (Signed) // the smallest value becomes 0
      Wide = Nodes.operate(GASAN_PROOF_ADD, kWide, Wide, Nodes.constant(kWide, uint64_t(1) << (Bits - 1)));
    Otherwise.push_back(Nodes.where(CmpInst::ICMP_UGT, Wide, Nodes.constant(kWide, maxUIntN(Bits))));
  }
}

Node Formulas::absolute(Node A) {
  const unsigned Bits = Nodes.bits(A);
  Node Least = Nodes.constant(APInt::getSignedMinValue(Bits)), Zero = Nodes.constant(Bits, 0);
  Node Result = Nodes.operate(GASAN_PROOF_SMAX, Bits, A, Nodes.operate(GASAN_PROOF_SUB, Bits, Zero, A));
  Result = Nodes.where(CmpInst::ICMP_SGE, Result, Zero);
  return Nodes.unlessThereIs(Result, Nodes.where(CmpInst::ICMP_EQ, A, Least)); // whose negation is negative
}

Node Formulas::intrinsic(IntrinsicInst &I, const Place *At) {
  static const struct {
    Intrinsic::ID First; // x; y and z follow
    Intrinsic::ID Second, Third;
    gasan_proof_operation Operation;
  } Shape[] = {
      {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y, Intrinsic::nvvm_read_ptx_sreg_tid_z,
       GASAN_PROOF_THREAD_INDEX},
      {Intrinsic::nvvm_read_ptx_sreg_ctaid_x, Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
       Intrinsic::nvvm_read_ptx_sreg_ctaid_z, GASAN_PROOF_BLOCK_INDEX},
      {Intrinsic::nvvm_read_ptx_sreg_ntid_x, Intrinsic::nvvm_read_ptx_sreg_ntid_y, Intrinsic::nvvm_read_ptx_sreg_ntid_z,
       GASAN_PROOF_BLOCK_DIM},
      {Intrinsic::nvvm_read_ptx_sreg_nctaid_x, Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
       Intrinsic::nvvm_read_ptx_sreg_nctaid_z, GASAN_PROOF_GRID_DIM},
  };
  const Intrinsic::ID Own = I.getIntrinsicID();
  for (const auto &S : Shape)
    if (Own == S.First || Own == S.Second || Own == S.Third)
      return Nodes.leaf(S.Operation, Own == S.First ? 0 : Own == S.Second ? 1 : 2);
  const unsigned Bits = bitsOf(&I);
  auto Both = [&](gasan_proof_operation Operation) {
    return Nodes.operate(Operation, Bits, of(I.getArgOperand(0), At), of(I.getArgOperand(1), At));
  };
  switch (Own) {
  case Intrinsic::nvvm_read_ptx_sreg_laneid:
    return Nodes.leaf(GASAN_PROOF_LANE);
  case Intrinsic::nvvm_read_ptx_sreg_dynamic_smem_size:
    return Nodes.leaf(GASAN_PROOF_DYNAMIC_SHARED_SIZE);
  case Intrinsic::nvvm_read_ptx_sreg_warpsize:
    return Nodes.constant(32, 32);
  case Intrinsic::smin:
    return Both(GASAN_PROOF_SMIN);
  case Intrinsic::smax:
    return Both(GASAN_PROOF_SMAX);
  case Intrinsic::umin:
    return Both(GASAN_PROOF_UMIN);
  case Intrinsic::umax:
    return Both(GASAN_PROOF_UMAX);
  case Intrinsic::abs:
    return absolute(of(I.getArgOperand(0), At));
  case Intrinsic::usub_sat:
    return Nodes.operate(GASAN_PROOF_SUB, Bits, Both(GASAN_PROOF_UMAX), of(I.getArgOperand(1), At));
  case Intrinsic::ctpop:
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
    return Nodes.between(Bits, 0, Bits);
  default:
    return anything(&I);
  }
}

Node Formulas::select(SelectInst &I, const Place *At) {
  if (!I.getCondition()->getType()->isIntegerTy(1))
    return anything(&I);
  auto Arm = [&](Value *V, bool If) {
    const Place *Chosen = Conditions.with(At, I.getCondition(), If);
    return ifReached(of(V, Chosen), Chosen, At);
  };
  Node True = Arm(I.getTrueValue(), true);
  if (Nodes.isAnything(True))
    return anything(&I);
  const Node False = Arm(I.getFalseValue(), false);
  const auto *Test = dyn_cast<ICmpInst>(I.getCondition());
  const bool IsOne =
      Test && all_of(Test->operands(), [&](Value *V) { return isInteger(V) && Nodes.isPoint(of(V, At)); });
  return IsOne ? Nodes.oneOf(True, False) : unionOf(True, False); // then the arguments choose
}

// Returns the sum of a GEP's indices in bytes. Empty: an index is not an integer, or changes between rounds of the
// loop.
std::optional<Node> Formulas::sumOfIndices(GEPOperator &Gep, const Place *At, const Loop *InvariantIn) {
  SmallMapVector<Value *, APInt, 4> Variable;
  APInt Constant(kOffsetBits, 0);
  const DataLayout &DL = Kernel.getDataLayout();
  if (DL.getIndexTypeSizeInBits(Gep.getType()) != kOffsetBits || Gep.getType()->isVectorTy() ||
      !Gep.collectOffset(DL, kOffsetBits, Variable, Constant))
    return std::nullopt;
  Node Sum = Nodes.constant(kOffsetBits, 0);
  for (const auto &[Index, Scale] : Variable) {
    if (!isInteger(Index) || (InvariantIn && !InvariantIn->isLoopInvariant(Index)))
      return std::nullopt;
    Node Wide = Nodes.resize(of(Index, At), kOffsetBits, /*Signed=*/true);
    Sum = Nodes.operate(GASAN_PROOF_ADD, kOffsetBits, Sum,
                        Nodes.operate(GASAN_PROOF_MUL, kOffsetBits, Wide, Nodes.constant(Scale)));
  }
  return Nodes.operate(GASAN_PROOF_ADD, kOffsetBits, Sum, Nodes.constant(Constant));
}

// Adds the constant last, so that accesses at constant distances become one claim.
Node Formulas::sumOfOffsets(Node A, Node B) {
  int64_t First, Second;
  Node Sum = Nodes.operate(GASAN_PROOF_ADD, kOffsetBits, Nodes.splitConstant(A, First), Nodes.splitConstant(B, Second));
  return Nodes.operate(GASAN_PROOF_ADD, kOffsetBits, Sum,
                       Nodes.constant(kOffsetBits, uint64_t(First) + uint64_t(Second)));
}

Node Formulas::offset(Value *Pointer, const Place *At) {
  if (Steps.isMerge(Pointer)) {
    if (auto *Phi = dyn_cast<PHINode>(Pointer))
      return byCounterBeside(*Phi, inRound(*Phi, phi(*Phi), At), At);
    return select(*cast<SelectInst>(Pointer), At);
  }
  Value *From = Steps.stepFrom(Pointer);
  if (!From)
    return Nodes.constant(kOffsetBits, 0);
  if (auto *Gep = dyn_cast<GEPOperator>(Pointer)) {
    const Node Start = of(From, At); // mostly simple, so before the work is spent on indices
    std::optional<Node> Moved = sumOfIndices(*Gep, At, nullptr);
    return Moved ? narrowBySteps(Pointer, sumOfOffsets(Start, *Moved), At) : anything(Pointer);
  }
  if (isa<AddrSpaceCastOperator, BitCastOperator, FreezeInst>(Pointer))
    return of(From, At);
  return anything(Pointer);
}

// Returns the phi's value on one incoming edge. The node is empty in launches whose arguments alone rule out the edge.
Node Formulas::incoming(PHINode &Phi, unsigned Index) {
  const Place *Edge = Conditions.onEdge(Phi.getIncomingBlock(Index), Phi.getParent());
  return ifReached(of(Phi.getIncomingValue(Index), Edge), Edge, Conditions.above(Phi.getParent()));
}

Node Formulas::anyIncoming(PHINode &Phi) {
  Node Result = incoming(Phi, 0);
  for (unsigned Index = 1; Index < Phi.getNumIncomingValues() && !Nodes.isAnything(Result); ++Index)
    Result = unionOf(Result, incoming(Phi, Index));
  return Result;
}

Node Formulas::phi(PHINode &Phi) {
  if (Now)
    if (auto Found = Now->Variables.find(&Phi); Found != Now->Variables.end())
      return Found->second;
  if (const Item *Meanwhile = openItem(&Phi))
    return Meanwhile->Assumed;
  const Loop *L = Loops.getLoopFor(Phi.getParent());
  if (L && L->getHeader() == Phi.getParent() && L->getLoopLatch())
    return loopVariable(Phi, *L);
  return whileOpen(&Phi, anything(&Phi), [&] { return anyIncoming(Phi); });
}

} // namespace gasan
