#include "gasan_pass/instrument/proof/KernelProof.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gasan {

KernelProof::KernelProof(Function &Kernel, RootBounds &Roots)
    : Kernel(Kernel), Roots(Roots), Values(Kernel, Nodes, Roots.steps()) {}

// The check has to ask for what the claim is about: the bounds that the root has at entry, or a variable as a whole.
std::optional<gasan_claim> KernelProof::rootOf(const ProvableCheck &Check) {
  Value *Root = Roots.steps().soleSource(Check.Pointer);
  if (!Root || (Check.Alignment > 1 && !Check.AlignedAsRoot))
    return std::nullopt;
  gasan_claim Claim = {};
  Claim.alignment = 1;
  const bool Aligned = getKnownAlignment(Root, Kernel.getDataLayout()) >= Check.Alignment;
  const Bounds Whole = Roots.of(Root);
  if (!(Check.Of.Size == Whole.Size))
    return std::nullopt;
  if (Roots.isVariable(Root)) {
    const auto *Variable = dyn_cast<GlobalVariable>(Root);
    const bool Shared = Variable && Variable->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED;
    const auto *Size = dyn_cast<ConstantInt>(Whole.Size);
    if (!Aligned || (!Size && !Shared) || (Size && Size->isMinusOne()))
      return std::nullopt;
    Claim.root = !Shared ? GASAN_ROOT_VARIABLE : Size ? GASAN_ROOT_STATIC_SHARED : GASAN_ROOT_DYNAMIC_SHARED;
    Claim.size = Size ? Size->getZExtValue() : 0;
    return Claim;
  }
  std::optional<ArgumentPart> Part = Values.argumentPart(Root);
  if (!Part)
    return std::nullopt;
  Claim.root = GASAN_ROOT_ARGUMENT;
  Claim.argument = Part->Number;
  Claim.offset = Part->Offset;
  if (!Aligned)
    Claim.alignment = Check.Alignment.value();
  return Claim;
}

bool KernelProof::claim(const ProvableCheck &Check) {
  auto Keep = [&](const char *Why) {
    ++Kept;
    Lines.push_back({Check.Where, std::string("checked: ") + Why});
    return false;
  };
  if (!Check.Width || Check.Width > UINT32_MAX)
    return Keep("how many bytes it touches is known only when it runs");
  std::optional<gasan_claim> Claim = rootOf(Check);
  if (!Claim)
    return Keep("where the pointer comes from is known only when it runs");
  const Place *At = Values.guards().at(Check.Where->getParent());
  if (Check.Guard)
    At = Values.guards().with(At, Check.Guard, true);
  Node Offset = Values.of(Check.Pointer, At);
  Claim->node = Values.ifReached(Offset, At);
  Claim->width = Check.Width;
  Claim->site = Check.Site;
  if (!Nodes.isBounded(Offset)) {
    std::string Why;
    raw_string_ostream Out(Why);
    Out << "no bounds for " << describe(*Claim);
    return Keep(Why.c_str());
  }
  Lines.push_back({Check.Where, "proven at launch if " + describe(*Claim) + " is in bounds"});
  auto Same = find_if(Claims, [&](const gasan_claim &Old) {
    return Old.root == Claim->root && Old.argument == Claim->argument && Old.offset == Claim->offset &&
           Old.node == Claim->node && Old.size == Claim->size;
  });
  if (Same == Claims.end()) {
    Claims.push_back(*Claim);
  } else {
    Same->width = std::max(Same->width, Claim->width);
    Same->alignment = std::max(Same->alignment, Claim->alignment);
  }
  return true;
}

std::string KernelProof::describe(const gasan_claim &Claim) const {
  std::string Text;
  raw_string_ostream Out(Text);
  if (Claim.root == GASAN_ROOT_ARGUMENT) {
    Out << "argument " << Claim.argument;
    if (!Kernel.getArg(Claim.argument)->getName().empty())
      Out << " (" << Kernel.getArg(Claim.argument)->getName() << ")";
    if (Claim.offset)
      Out << " at byte " << Claim.offset;
    if (Claim.alignment > 1)
      Out << ", a multiple of " << Claim.alignment << ",";
  } else if (Claim.root == GASAN_ROOT_DYNAMIC_SHARED) {
    Out << "dynamic shared memory";
  } else {
    Out << (Claim.root == GASAN_ROOT_STATIC_SHARED ? "shared variable" : "variable") << " of " << Claim.size << " bytes";
  }
  Out << " + ";
  Nodes.print(Out, Claim.node, Kernel);
  Out << " .. + " << Claim.width;
  return Text;
}

std::string KernelProof::text() const {
  std::string Text;
  raw_string_ostream Out(Text);
  for (const auto &[Where, What] : Lines) {
    Out << "  ";
    if (const DILocation *Location = Where->getDebugLoc())
      Out << Location->getFilename() << ':' << Location->getLine() << ':' << Location->getColumn() << ": ";
    Out << What << '\n';
  }
  return Text;
}

} // namespace gasan
