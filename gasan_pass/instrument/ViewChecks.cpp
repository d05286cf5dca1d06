// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/ViewChecks.h"
#include "gasan_pass/instrument/Params.h"
#include "gasan_pass/ptx/PtxValues.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gasan {
namespace {

struct ViewAccess {
  CallInst *Where = nullptr;
  Value *Object = nullptr; // i64
  bool IsSurface = false;
  Value *Place[3] = {}; // i32: x, y, z; null: the shape has no such coordinate
  unsigned Size = 0;    // bytes; 0: one element, and x counts elements
  bool Trap = false;
  gasan_access Kind = GASAN_ACCESS_READ;
  Value *Guard = nullptr; // i1; null: always
};

// Returns which coordinate (0 to 2 for x to z) each coordinate operand of an instruction is. A layer is z.
std::optional<ArrayRef<unsigned>> coordinatesOf(StringRef Shape) {
  static const unsigned Plain[] = {0, 1, 2}, Layered[] = {2, 0, 1};
  const unsigned Count =
      StringSwitch<unsigned>(Shape).Case("1d", 1).Cases({"2d", "a1d"}, 2).Cases({"3d", "a2d"}, 3).Default(0);
  if (!Count)
    return std::nullopt;
  return ArrayRef<unsigned>(Shape.starts_with("a") ? Layered : Plain, Count);
}

gasan_access kindOf(StringRef Opcode) {
  return Opcode == "suld" ? GASAN_ACCESS_READ : Opcode == "sust" ? GASAN_ACCESS_WRITE : GASAN_ACCESS_ATOMIC;
}

bool isSurfaceOpcode(StringRef Opcode) {
  return Opcode == "suld" || Opcode == "sust" || Opcode == "sured";
}

bool isTextureOpcode(StringRef Opcode) {
  return Opcode == "tex" || Opcode == "tld4";
}

// Reads the forms suld.b.SHAPE{.cache}{.v2|.v4}.TYPE{.BOUNDS}, sust.b|p the same,
// sured.b|p.OPERATION.SHAPE.TYPE{.BOUNDS}. Returns false for an unknown form.
bool readSurfaceForm(ArrayRef<std::string> Modifiers, ViewAccess &A, ArrayRef<unsigned> &Coordinates) {
  unsigned Vector = 1;
  std::optional<PtxType> Type;
  bool HasShape = false;
  A.Trap = true;
  for (const std::string &Modifier : Modifiers) {
    if (std::optional<ArrayRef<unsigned>> Found = coordinatesOf(Modifier)) {
      Coordinates = *Found;
      HasShape = true;
    } else if (Modifier == "v2" || Modifier == "v4") {
      Vector = Modifier == "v2" ? 2 : 4;
    } else if (Modifier == "clamp" || Modifier == "zero") {
      A.Trap = false;
    } else if (std::optional<PtxType> Found = parsePtxType(Modifier)) {
      Type = Found;
    }
  }
  if (!HasShape || !Type || Modifiers.empty() || (Modifiers[0] != "b" && Modifiers[0] != "p"))
    return false;
  A.Size = Modifiers[0] == "b" ? Vector * Type->Bits / 8 : 0;
  return A.Size || Modifiers[0] == "p";
}

SmallVector<std::string, 4> partsOf(StringRef Operand, char Open, char Close) {
  Operand = Operand.trim();
  if (Operand.starts_with(StringRef(&Open, 1)) && Operand.ends_with(StringRef(&Close, 1)))
    return splitPtxOperands(Operand.drop_front().drop_back());
  return {Operand.str()};
}

enum class Reading { None, Unknown, Done };

Reading readStatement(const PtxStatement &S, PtxValues &Values, ViewAccess &A) {
  A.IsSurface = isSurfaceOpcode(S.Opcode);
  if (!A.IsSurface && !isTextureOpcode(S.Opcode))
    return Reading::None;
  const unsigned At = S.Opcode == "sust" || S.Opcode == "sured" ? 0 : 1;
  ArrayRef<unsigned> Coordinates;
  if (S.Operands.size() <= At || (A.IsSurface && !readSurfaceForm(S.Modifiers, A, Coordinates)))
    return Reading::Unknown;
  const PtxValues::Condition Guard = Values.readGuard(S);
  SmallVector<std::string, 4> Parts = partsOf(S.Operands[At], '[', ']');
  if (!Guard.Known || Parts.size() < 2)
    return Reading::Unknown;
  A.Guard = Values.keep(Guard.Holds);
  A.Kind = A.IsSurface ? kindOf(S.Opcode) : GASAN_ACCESS_READ;
  A.Object = Values.keep(Values.readInteger(Parts[0], 64));
  if (!A.Object)
    return Reading::Unknown;
  SmallVector<std::string, 4> Names = partsOf(Parts[1], '{', '}');
  if (Names.size() < Coordinates.size())
    return Reading::Unknown;
  for (auto [Name, Coordinate] : zip(Names, Coordinates)) {
    A.Place[Coordinate] = Values.keep(Values.readInteger(Name, 32));
    if (!A.Place[Coordinate])
      return Reading::Unknown;
  }
  return Reading::Done;
}

void findInPtx(CallInst &Asm, SmallVectorImpl<ViewAccess> &Found, unsigned &Unknown) {
  std::optional<std::vector<PtxStatement>> Statements =
      parsePtx(cast<InlineAsm>(Asm.getCalledOperand())->getAsmString());
  if (!Statements) {
    ++Unknown;
    return;
  }
  PtxValues Values(Asm);
  bool Branched = false;
  for (const PtxStatement &S : *Statements) {
    Branched |= PtxValues::mayJump(S);
    ViewAccess A;
    A.Where = &Asm;
    const Reading Result = readStatement(S, Values, A);
    if (Result == Reading::Unknown || (Result == Reading::Done && Branched))
      ++Unknown;
    else if (Result == Reading::Done)
      Found.push_back(A);
    Values.execute(S);
  }
}

// Reads the intrinsics llvm.nvvm.suld.SHAPE{.array}.TYPE.BOUNDS(object, coordinates); llvm.nvvm.sust.b and sust.p of
// the same form, with the values as last operands; llvm.nvvm.tex.unified and tld4.unified, whose first operand is the
// object.
bool findInIntrinsic(IntrinsicInst &I, SmallVectorImpl<ViewAccess> &Found) {
  StringRef Name = I.getCalledFunction()->getName();
  if (!Name.consume_front("llvm.nvvm."))
    return false;
  ViewAccess A;
  A.Where = &I;
  if (Name.starts_with("tex.unified.") || Name.starts_with("tld4.unified.")) {
    A.Object = I.getArgOperand(0);
    Found.push_back(A);
    return true;
  }
  SmallVector<StringRef, 8> Parts;
  Name.split(Parts, '.');
  if (!isSurfaceOpcode(Parts[0]) || Parts.size() < 4)
    return false;
  SmallVector<std::string, 6> Modifiers;
  if (Parts[0] == "suld")
    Modifiers.push_back("b");
  for (StringRef Part : drop_begin(Parts)) {
    if (Part == "array")
      Modifiers.back() = "a" + Modifiers.back();
    else if (Part.consume_front("v2i") || Part.consume_front("v4i"))
      Modifiers.append({Name.contains(".v2i") ? "v2" : "v4", "b" + Part.str()});
    else
      Modifiers.push_back(Part.consume_front("i") ? "b" + Part.str() : Part.str());
  }
  ArrayRef<unsigned> Coordinates;
  if (!readSurfaceForm(Modifiers, A, Coordinates) || I.arg_size() < 1 + Coordinates.size())
    return false;
  A.IsSurface = true;
  A.Kind = kindOf(Parts[0]);
  A.Object = I.getArgOperand(0);
  for (unsigned Index = 0; Index < Coordinates.size(); ++Index)
    A.Place[Coordinates[Index]] = I.getArgOperand(1 + Index);
  Found.push_back(A);
  return true;
}

SmallVector<ViewAccess, 8> findAccesses(Function &F, SiteTable &Sites) {
  SmallVector<ViewAccess, 8> Found;
  SmallVector<CallInst *, 8> Calls; // collected first: the search inserts instructions
  unsigned Unknown = 0;
  for (Instruction &I : instructions(F))
    if (hasViewAccess(I) && !I.hasMetadata(LLVMContext::MD_nosanitize))
      Calls.push_back(cast<CallInst>(&I));
  for (CallInst *Call : Calls)
    if (Call->isInlineAsm())
      findInPtx(*Call, Found, Unknown);
    else if (!findInIntrinsic(*cast<IntrinsicInst>(Call), Found))
      ++Unknown;
  Sites.addUnchecked(Unknown);
  return Found;
}

class Inserter {
public:
  Inserter(Function &F, SiteTable &Sites) : F(F), M(*F.getParent()), Sites(Sites) {}

  void insert(const ViewAccess &A) {
    Access Site;
    Site.Where = A.Where;
    Site.Kind = A.Kind;
    Site.Size = A.Size;
    const uint32_t Number = Sites.add(Site);
    Value *Slot = slotOf(A);
    IRBuilder<> B(A.Where);
    Type *I32 = B.getInt32Ty();
    SmallVector<Value *, 8> Arguments{Slot};
    for (Value *Coordinate : A.Place)
      Arguments.push_back(Coordinate ? Coordinate : B.getInt32(0));
    Arguments.push_back(B.getInt32(A.Size));
    Value *Fault = B.getInt32(GASAN_OBJECT_VIEW_DEAD), *Bad;
    if (A.IsSurface) {
      FunctionCallee Check = M.getOrInsertFunction("__gasan_surface_fault", I32, B.getPtrTy(), I32, I32, I32, I32, I32);
      SmallVector<Value *, 8> All(Arguments);
      All.push_back(B.getInt32(A.Trap));
      Fault = B.CreateCall(Check, All, "gasan.fault");
      Bad = B.CreateIsNotNull(Fault);
    } else {
      Bad = B.CreateIsNotNull(Slot);
    }
    if (A.Guard)
      Bad = B.CreateAnd(A.Guard, Bad);
    MDNode *Unlikely = MDBuilder(M.getContext()).createUnlikelyBranchWeights();
    B.SetInsertPoint(SplitBlockAndInsertIfThen(Bad, A.Where->getIterator(), /*Unreachable=*/true, Unlikely));
    FunctionCallee Report = M.getOrInsertFunction("__gasan_report_view", B.getVoidTy(), B.getInt64Ty(), B.getPtrTy(),
                                                  I32, I32, I32, I32, I32, I32);
    Arguments.insert(Arguments.begin(), A.Object);
    Arguments.append({B.getInt32(Number), Fault});
    B.CreateCall(Report, Arguments)->setDoesNotReturn();
  }

private:
  Function &F;
  Module &M;
  SiteTable &Sites;
  DenseMap<Value *, Value *> Slots[2]; // by object; textures, surfaces

  // Looks up the slot right after the object's definition. This is not too early: the host changes an object's state
  // only when no running or launched kernel can use the object.
  Value *slotOf(const ViewAccess &A) {
    Value *&Slot = Slots[A.IsSurface][A.Object];
    if (Slot)
      return Slot;
    IRBuilder<> B(M.getContext());
    auto *Definition = dyn_cast<Instruction>(A.Object);
    std::optional<BasicBlock::iterator> Behind;
    if (Definition)
      Behind = Definition->getInsertionPointAfterDef();
    if (Behind)
      B.SetInsertPoint(*Behind);
    else if (Definition)
      B.SetInsertPoint(A.Where);
    else
      B.SetInsertPoint(F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    const char *Name = A.IsSurface ? "__gasan_find_surface" : "__gasan_find_dead_texture";
    CallInst *Found = B.CreateCall(M.getOrInsertFunction(Name, B.getPtrTy(), B.getInt64Ty()), {A.Object}, "gasan.view");
    if (Definition && !Behind)
      return Found; // valid for this access only
    return Slot = Found;
  }
};

} // namespace

bool hasViewAccess(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  if (!Call)
    return false;
  if (Call->isInlineAsm()) {
    StringRef Text = cast<InlineAsm>(Call->getCalledOperand())->getAsmString();
    return any_of(ArrayRef<StringRef>{"tex.", "tld4.", "suld.", "sust.", "sured."},
                  [&](StringRef Opcode) { return Text.contains(Opcode); });
  }
  auto *Intrinsic = dyn_cast<IntrinsicInst>(Call);
  StringRef Name = Intrinsic ? Intrinsic->getCalledFunction()->getName() : "";
  return Name.starts_with("llvm.nvvm.suld.") || Name.starts_with("llvm.nvvm.sust.") ||
         Name.starts_with("llvm.nvvm.tex.unified.") || Name.starts_with("llvm.nvvm.tld4.unified.");
}

void checkViews(Function &F, SiteTable &Sites) {
  SmallVector<ViewAccess, 8> Found = findAccesses(F, Sites);
  if (Found.empty())
    return;
  setParamsFlag(*F.getParent(), GASAN_FLAG_VIEWS);
  // A thread that has passed one check of a texture passes all checks of it.
  const DominatorTree Tree(F);
  SmallVector<ViewAccess, 8> Needed;
  for (const ViewAccess &A : Found)
    if (A.IsSurface || none_of(Found, [&](const ViewAccess &Other) {
          return !Other.IsSurface && Other.Object == A.Object && !Other.Guard && Other.Where != A.Where &&
                 Tree.dominates(Other.Where, A.Where);
        }))
      Needed.push_back(A);
  Inserter Checks(F, Sites);
  for (const ViewAccess &A : Needed)
    Checks.insert(A);
}

} // namespace gasan
