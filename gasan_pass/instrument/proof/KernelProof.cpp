// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/proof/KernelProof.h"
#include "gasan_pass/instrument/bst/Partitions.h"
#include "gasan_pass/instrument/bst/SourceFaults.h"
#include "gasan_pass/instrument/proof/OtherThreads.h"
#include "gasan_pass/instrument/proof/SharedStart.h"
#include "proof/plausible.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {

KernelProof::KernelProof(Function &Kernel, RootBounds &Roots, const WrittenBytes &Written)
    : Kernel(Kernel), Roots(Roots), Written(Written), Values(Kernel, Nodes, Roots.steps(), this->Written) {}

bool KernelProof::Claim::operator==(const Claim &Other) const {
  return To.root == Other.To.root && To.argument == Other.To.argument && To.offset == Other.To.offset &&
         To.size == Other.To.size && Offset == Other.Offset && Reached == Other.Reached && Buffer == Other.Buffer;
}

// Returns true if one alignment condition serves both claims.
bool KernelProof::Claim::isAlignedLike(const Claim &Other) const {
  if (!To.aligns_each && !Other.To.aligns_each)
    return true;
  return To.aligns_each == Other.To.aligns_each && To.alignment == Other.To.alignment &&
         (Low - Other.Low) % To.alignment == 0;
}

KernelProof::Claim KernelProof::Claim::with(const Claim &Other) const {
  Claim Both = *this;
  Both.Low = std::min(Low, Other.Low);
  Both.High = std::max(High, Other.High);
  Both.To.alignment = std::max(To.alignment, Other.To.alignment);
  return Both;
}

bool KernelProof::isDynamicSharedAligned(Align To) {
  if (!DynamicShared)
    DynamicShared = alignmentOfDynamicShared(Kernel);
  return To <= *DynamicShared;
}

// Returns the claim's root. Empty unless the check compares with the bounds that the root has at the kernel's entry, or
// with a whole variable.
std::optional<gasan_claim> KernelProof::rootOf(const ProvableCheck &Check) {
  Value *Root = Roots.steps().soleSource(Check.Pointer);
  if (!Root)
    return std::nullopt;
  gasan_claim Claim = {};
  Claim.alignment = 1;
  const bool Aligned = getKnownAlignment(Root, Kernel.getDataLayout()) >= Check.Alignment;
  const Bounds Whole = Roots.of(Root);
  if (!(Check.Of.Size == Whole.Size))
    return std::nullopt;
  if (partitions::isStart(*Root)) {
    if (!Aligned || !Roots.isVariable(Root) ||
        !isa_and_nonnull<GlobalVariable>(Roots.steps().soleSource(partitions::endOf(*Root))))
      return std::nullopt;
    Claim.root = GASAN_ROOT_DYNAMIC_SHARED;
    return Claim;
  }
  if (Roots.isVariable(Root)) {
    const auto *Variable = dyn_cast<GlobalVariable>(Root);
    const bool Shared = Variable && Variable->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED;
    const auto *Size = dyn_cast<ConstantInt>(Whole.Size);
    const bool AlignedByPlace = Shared && !Size && isDynamicSharedAligned(Check.Alignment);
    if (!(Aligned || AlignedByPlace) || (!Size && !Shared) || (Size && Size->isMinusOne()))
      return std::nullopt;
    Claim.root = !Shared ? GASAN_ROOT_VARIABLE : Size ? GASAN_ROOT_STATIC_SHARED : GASAN_ROOT_DYNAMIC_SHARED;
    Claim.size = Size ? Size->getZExtValue() : 0;
    return Claim;
  }
  std::optional<ArgumentPart> Part = argumentPart(*Root, Written);
  if (!Part)
    return std::nullopt;
  Claim.root = GASAN_ROOT_ARGUMENT;
  Claim.argument = Part->Number;
  Claim.offset = Part->Offset;
  if (!Aligned)
    Claim.alignment = Check.Alignment.value();
  return Claim;
}

std::optional<unsigned> KernelProof::claim(const ProvableCheck &Check) {
  All.push_back({Check.Site, Check.Width, findClaim(Check)});
  return All.back().Claim;
}

uint64_t KernelProof::bitOf(size_t Index, const ProvableCheck &Check) const {
  if (Index >= All.size() || All[Index].Site != Check.Site || All[Index].Width != Check.Width)
    return 0;
  const std::optional<unsigned> Claim = All[Index].Claim;
  return Claim && isClaimed(*Claim) ? GASAN_CLAIM_BIT(Claims[*Claim].Number) : 0;
}

// Returns the intersection of the two nodes, or A if B is not bounded.
Node KernelProof::narrowed(Node A, Node B) {
  return Nodes.isBounded(B) ? Nodes.where(CmpInst::ICMP_EQ, A, B) : A;
}

// Returns the claim for an access to this root. Not bounded: describe() shows what nothing bounds. Empty: a test with a
// number of other threads bounds the access.
std::optional<KernelProof::Claim> KernelProof::claimOfAccess(Formulas &With, const ProvableCheck &Check,
                                                             const gasan_claim &To) {
  With.startClaim();
  const Place *At = With.guards().before(*Check.Where);
  if (Check.Guard)
    At = With.guards().with(At, Check.Guard, true);
  BasicBlock *Block = Check.Where->getParent();
  if (isBoundedByOthers(At) || any_of(predecessors(Block), [&](BasicBlock *From) {
        return isBoundedByOthers(With.guards().onEdge(From, Block));
      }))
    return std::nullopt;
  auto OffsetNow = [&] {
    return Check.Guard ? With.of(Check.Pointer, At) : With.ofAccess(Check.Pointer, *Check.Where);
  };
  const Node InAllRounds = OffsetNow();
  const std::optional<Node> Each = With.inEachRound(*Check.Where->getParent(), OffsetNow);
  const Node Offset = Each ? narrowed(*Each, InAllRounds) : InAllRounds;
  Claim New = {To, Offset, With.whereReached(At), 0, 0};
  if (Value *Root = Roots.steps().soleSource(Check.Pointer); partitions::isStart(*Root)) {
    const Node Start = With.of(partitions::addressOf(*Root), At), End = With.of(partitions::endOf(*Root), At);
    New.Buffer = {Start, Nodes.operate(GASAN_PROOF_SUB, 64, End, Start)};
  }
  if (Each)
    New.Shown = InAllRounds;
  New.Offset = Nodes.splitConstant(New.Offset, New.Low);
  New.High = New.Low + int64_t(Check.Width);
  return New;
}

bool KernelProof::isBounded(const Claim &C) const {
  return Nodes.isBounded(C.Offset) &&
         !(C.Buffer && !(Nodes.isBounded(C.Buffer->Start) && Nodes.isBounded(C.Buffer->Size)));
}

std::optional<unsigned> KernelProof::findClaim(const ProvableCheck &Check) {
  auto Keep = [&](const Twine &Why) {
    keep(*Check.Where, Why);
    return std::nullopt;
  };
  Values.startClaim();
  if (!Check.Width || Check.Width > UINT32_MAX)
    return Keep("the access's size is known at run time only");
  std::optional<gasan_claim> To = rootOf(Check);
  if (!To)
    return Keep("the pointer's object is known at run time only");
  To->site = Check.Site;
  noteLoadedIndex(Check, *To);
  if (Check.Alignment > 1 && !Check.AlignedAsRoot) {
    To->aligns_each = 1;
    To->alignment = Check.Alignment.value();
  }
  std::optional<Claim> Made = claimOfAccess(Values, Check, *To);
  // Accesses with one index share a claim, but those that know more of the index than others do not. So what checks
  // have shown is of use if there is no such claim yet, or a claim without it could hold in no launch. The sizes of
  // arguments' memory are not known here; there, the smaller range is better.
  auto Suffices = [&](const Claim &Own) {
    const Claim *Like = findLike(Own);
    return (Like || To->root != GASAN_ROOT_ARGUMENT) && isPlausible(Like ? Like->with(Own) : Own);
  };
  if (BehindChecks && !(Made && isBounded(*Made) && Suffices(*Made)))
    if (std::optional<Claim> Behind = claimOfAccess(*BehindChecks, Check, *To); Behind && isBounded(*Behind))
      Made = Behind;
  if (!Made)
    return Keep("a test with a number of other threads bounds it");
  return isBounded(*Made) ? std::optional(addClaim(*Made, *Check.Where)) : Keep("nothing bounds " + describe(*Made));
}

void KernelProof::keep(Instruction &Where, const Twine &Why) {
  ++Kept;
  Lines.push_back({&Where, ("checked: " + Why).str(), std::nullopt});
}

// Returns a claim with the same offset that can cover the new one's accesses, too. Null: there is none.
KernelProof::Claim *KernelProof::findLike(const Claim &New) {
  constexpr int64_t kGreatestSpan = 1 << 20;
  auto Found = find_if(Claims, [&](const Claim &Old) {
    return Old == New && Old.isAlignedLike(New) &&
           std::max(Old.High, New.High) - std::min(Old.Low, New.Low) <= kGreatestSpan;
  });
  return Found == Claims.end() ? nullptr : &*Found;
}

unsigned KernelProof::addClaim(const Claim &New, Instruction &Where) {
  Lines.push_back({&Where, describe(New), Claims.size()});
  Claim *Old = findLike(New);
  if (!Old) {
    Claims.push_back(New);
    return Claims.size() - 1;
  }
  *Old = Old->with(New);
  Lines.back().Claim = Old - Claims.data();
  return Old - Claims.data();
}

// Returns the claim that the comparison never finds a bad index. Good indices are consecutive, so an index is good if
// its distance from the first one is less than their number. Code after the check may rely on the check's result, as on
// a guard; if the claim holds, the result is the same without the check.
std::optional<KernelProof::Claim> KernelProof::claimOfIndex(ICmpInst &Compare, bool IsBad, BasicBlock &Block) {
  Formulas &With = BehindChecks ? *BehindChecks : Values;
  Value *Index = Compare.getOperand(0);
  auto *Constant = dyn_cast<ConstantInt>(Compare.getOperand(1));
  if (!Constant || Constant->getBitWidth() > 64)
    return std::nullopt;
  const ConstantRange Good = ConstantRange::makeExactICmpRegion(
      IsBad ? Compare.getInversePredicate() : Compare.getPredicate(), Constant->getValue());
  if (Good.isFullSet() || Good.isEmptySet())
    return std::nullopt;
  gasan_claim To = {};
  With.startClaim();
  To.root = GASAN_ROOT_INDEX;
  To.alignment = 1;
  To.size = (Good.getUpper() - Good.getLower()).getZExtValue();
  auto IndexNow = [&] { return With.ofInteger(Index, Block); };
  Node Number = IndexNow();
  if (std::optional<Node> Each = With.inEachRound(Block, IndexNow))
    Number = narrowed(*Each, Number);
  const Node Distance =
      Nodes.operate(GASAN_PROOF_SUB, Constant->getBitWidth(), Number, Nodes.constant(Good.getLower()));
  return Claim{To, Nodes.resize(Distance, 64, /*Signed=*/false),
               With.whereReached(With.guards().before(*Block.getTerminator())), 0, 1};
}

// Makes claims that the report of a source-level check is never reached.
void KernelProof::claimFault(CallInst &Fault) {
  SourceCheck &Of = SourceChecks[numberOfSourceFault(Fault)];
  auto Keep = [&] {
    Of.IsKept = true;
    keep(Fault, "an array's index or a variable's scope in the source");
  };
  SmallVector<Claim, 2> New;
  for (BranchInst *Branch : branchesToFault(Fault)) {
    const bool IsBad = Branch->getSuccessor(0) == Fault.getParent();
    SmallVector<Value *, 4> Conditions = {Branch->getCondition()};
    while (!Conditions.empty()) {
      Value *Condition = Conditions.pop_back_val(), *A, *B;
      if (IsBad ? match(Condition, m_LogicalOr(m_Value(A), m_Value(B)))
                : match(Condition, m_LogicalAnd(m_Value(A), m_Value(B)))) {
        Conditions.append({A, B});
        continue;
      }
      auto *Compare = dyn_cast<ICmpInst>(Condition);
      std::optional<Claim> Made = Compare ? claimOfIndex(*Compare, IsBad, *Branch->getParent()) : std::nullopt;
      if (!Made || !Nodes.isBounded(Made->Offset))
        return Keep();
      Made->To.site = cast<ConstantInt>(Fault.getArgOperand(2))->getZExtValue();
      New.push_back(*Made);
    }
  }
  if (New.empty())
    return Keep();
  for (const Claim &C : New)
    Of.Claims.push_back(addClaim(C, Fault));
}

uint64_t KernelProof::bitsOfFault(const CallInst &Fault) const {
  const auto Of = SourceChecks.find(numberOfSourceFault(Fault));
  if (Of == SourceChecks.end() || Of->second.IsKept ||
      !all_of(Of->second.Claims, [&](unsigned Claim) { return isClaimed(Claim); }))
    return 0;
  uint64_t Bits = 0;
  for (unsigned Claim : Of->second.Claims)
    Bits |= GASAN_CLAIM_BIT(Claims[Claim].Number);
  return Bits;
}

Node KernelProof::nodeOf(const Claim &C) {
  Node Lowest = Nodes.operate(GASAN_PROOF_ADD, 64, C.Offset, Nodes.constant(64, C.Low));
  if (C.Buffer) { // the bytes before and after the access must not be negative
    const Node Behind = Nodes.operate(GASAN_PROOF_ADD, 64, Lowest, Nodes.constant(64, C.High - C.Low));
    const Node Left = Nodes.operate(GASAN_PROOF_SUB, 64, C.Buffer->Size, Behind);
    const Node InRegion = Nodes.operate(GASAN_PROOF_ADD, 64, C.Buffer->Start, Lowest);
    Lowest = Nodes.operate(GASAN_PROOF_UNION, 64, Lowest, Nodes.operate(GASAN_PROOF_UNION, 64, InRegion, Left));
  }
  return Nodes.operate(GASAN_PROOF_ADD, 64, Lowest, C.Reached);
}

gasan_claim KernelProof::made(const Claim &C) {
  gasan_claim Made = C.To;
  Made.node = nodeOf(C);
  Made.width = C.High - C.Low;
  return Made;
}

// Returns, for each claim, whether it can hold in a launch.
std::unique_ptr<bool[]> KernelProof::arePlausible(ArrayRef<Claim> Of) {
  std::vector<gasan_claim> Made;
  std::vector<Node> Roots;
  for (const Claim &C : Of) {
    Made.push_back(made(C));
    Roots.push_back(Made.back().node);
  }
  const std::vector<gasan_proof_node> Program = Nodes.reachable(Roots);
  for (auto [C, Root] : zip_equal(Made, Roots))
    C.node = Root;
  auto Plausible = std::make_unique<bool[]>(Of.size());
  gasan_proof_plausible(Program.data(), Program.size(), Made.data(), Made.size(), Plausible.get());
  return Plausible;
}

bool KernelProof::isPlausible(const Claim &C) {
  return arePlausible(C)[0];
}

// Drops claims that hold in no launch: one such claim would keep the proven variant from ever running.
void KernelProof::dropImplausible() {
  const std::unique_ptr<bool[]> Plausible = arePlausible(Claims);
  for (auto [Number, C] : enumerate(Claims))
    C.IsPlausible = Plausible[Number];
  Kept += count_if(Lines, [&](const Line &L) { return L.Claim && !isClaimed(*L.Claim); });
}

void KernelProof::finish() {
  for (CallInst *Fault : sourceFaultsOf(Kernel))
    claimFault(*Fault);
  dropImplausible();
  for (Claim &C : Claims) {
    if (!C.IsPlausible)
      continue;
    C.Number = Finished.size();
    Finished.push_back(made(C));
  }
  finishLoadedIndices();
}

std::string KernelProof::describe(const Claim &C) const {
  std::string Text;
  raw_string_ostream Out(Text);
  if (C.To.root == GASAN_ROOT_ARGUMENT) {
    const Argument &Parameter = *Kernel.getArg(C.To.argument);
    if (Parameter.getName().empty())
      Out << "argument" << C.To.argument;
    else
      Out << Parameter.getName();
    if (Parameter.hasByValAttr())
      Out << '@' << C.To.offset;
  } else if (C.To.root == GASAN_ROOT_INDEX) {
    Out << "the index ";
    Nodes.print(Out, C.Offset, Kernel);
    Out << ", of " << C.To.size << ',';
    return Text;
  } else if (C.To.root == GASAN_ROOT_DYNAMIC_SHARED) {
    Out << "dynamic shared memory";
  } else {
    Out << (C.To.root == GASAN_ROOT_STATIC_SHARED ? "shared variable" : "variable") << " of " << C.To.size << " bytes";
  }
  Out << " + ";
  Nodes.print(Out, C.Shown.value_or(C.Offset), Kernel);
  if (C.Shown)
    Out << ", round by round";
  else if (C.Low)
    Out << (C.Low < 0 ? " - " : " + ") << (C.Low < 0 ? -uint64_t(C.Low) : uint64_t(C.Low));
  Out << ", " << C.High - C.Low << " bytes,";
  if (C.To.aligns_each)
    Out << " aligned to " << C.To.alignment << ',';
  return Text;
}

std::string KernelProof::text() const {
  std::string Text;
  raw_string_ostream Out(Text);
  for (const Line &L : Lines) {
    Out << "  ";
    if (const DILocation *Location = L.Where->getDebugLoc())
      Out << Location->getFilename() << ':' << Location->getLine() << ':' << Location->getColumn() << ": ";
    if (!L.Claim)
      Out << L.What << '\n';
    else if (isClaimed(*L.Claim))
      Out << "proven at launch if " << L.What << " is in bounds\n";
    else
      Out << "checked: in ordinary launches nothing shows that " << L.What << " is in bounds\n";
  }
  return Text;
}

} // namespace gasan
