// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/Lookups.h"
#include "gasan_pass/instrument/bst/CheckLookups.h"
#include "gasan_pass/instrument/bst/VirtualTables.h"
#include "shadow/bounds.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr LookupKind kKinds[] = {{"__gasan_bounds", "__gasan_bounds_any"},
                                 {"__gasan_bounds_global", "__gasan_bounds_global_any"},
                                 {"__gasan_bounds_with_frames", "__gasan_bounds_any_with_frames"}};
constexpr size_t kMostVirtualTables = 8; // compared with a pointer
constexpr size_t kMostTogether = 8;      // results stay in registers

const LookupKind *kindOf(const Instruction &I) {
  return lookupKind(I, kKinds);
}

class Expansion : LookupCode {
public:
  explicit Expansion(Module &M) : LookupCode(M), ForChecks(M) {
    for (GlobalVariable &Variable : M.globals())
      if (Variable.getName().starts_with("_ZTV") && Variable.isConstant() && !Variable.isDeclaration())
        VirtualTables.push_back(&Variable);
    if (VirtualTables.size() > kMostVirtualTables)
      VirtualTables.clear();
  }

  void run(BasicBlock &Block) {
    SmallVector<CallInst *, 4> Together, Checks;
    Instruction *Next = nullptr; // in another block if this one is split
    for (Instruction *I = &Block.front(); I; I = Next) {
      Next = I->getNextNode();
      if (CheckLookups::isOne(*I)) {
        expand(Together);
        Checks.push_back(cast<CallInst>(I));
        continue;
      }
      if (kindOf(*I) || !isSafeToSpeculativelyExecute(I) || I->mayReadFromMemory()) // it may need a check before it
        ForChecks.expand(Checks);
      if (!kindOf(*I)) {
        if (I->mayHaveSideEffects()) // it may free memory, or not return
          expand(Together);
        continue;
      }
      auto *Lookup = cast<CallInst>(I);
      if (!Together.empty() && (Together.size() == kMostTogether || isVirtualTablePointer(*Lookup) ||
                                isVirtualTablePointer(*Together.front()) || !moveUsersBehind(Together.front(), *I)))
        expand(Together);
      Together.push_back(Lookup);
      Next = I->getNextNode();
    }
    expand(Together);
    ForChecks.expand(Checks);
  }

private:
  CheckLookups ForChecks;
  SmallVector<GlobalVariable *, kMostVirtualTables> VirtualTables; // of the module; empty if there are too many

  // Returns true for a pointer to a class's virtual functions: no lookup knows it, and the call would search for long.
  bool isVirtualTablePointer(const CallInst &Lookup) const {
    const auto *Address = dyn_cast<PtrToIntInst>(Lookup.getArgOperand(0));
    const auto *Load = Address ? dyn_cast<LoadInst>(Address->getPointerOperand()) : nullptr;
    return Load && loadsVirtualTable(*Load) && !VirtualTables.empty();
  }

  // Moves the users of looked-up bounds after the next lookup. Returns false if the next lookup itself needs one of
  // these users.
  static bool moveUsersBehind(Instruction *First, Instruction &Next) {
    SmallPtrSet<Instruction *, 16> Users;
    SmallVector<Instruction *, 16> InOrder;
    for (Instruction *I = First; I != &Next; I = I->getNextNode()) {
      const bool IsLookup = kindOf(*I);
      const bool Uses =
          any_of(I->operands(), [&](Value *V) { return isa<Instruction>(V) && Users.contains(cast<Instruction>(V)); });
      if (Uses && (IsLookup || I->mayReadFromMemory() || isa<AllocaInst, PHINode>(I)))
        return false;
      if (Uses || IsLookup)
        Users.insert(I);
      if (Uses)
        InOrder.push_back(I);
    }
    if (any_of(Next.operands(), [&](Value *V) { return isa<Instruction>(V) && Users.contains(cast<Instruction>(V)); }))
      return false;
    Instruction *At = &Next;
    for (Instruction *I : InOrder) {
      I->moveAfter(At);
      At = I;
    }
    return true;
  }

  // Has no branch: for a pointer whose chunk is known, it reads the table of zeros.
  Pair findBlock(IRBuilderBase &B, Value *Pointer, const Pair &Page, Value *IsChunk) {
    Value *Table = B.CreateTrunc(Page[0], B.getInt32Ty());
    if (!IsChunk)
      return find(B, "__gasan_find_block", {Pointer, Table});
    const Pair Found =
        find(B, "__gasan_find_block", {Pointer, B.CreateSelect(IsChunk, B.getInt32(GASAN_NO_BLOCK_TABLE), Table)});
    return {B.CreateSelect(IsChunk, Page[0], Found[0]), B.CreateSelect(IsChunk, Page[1], Found[1])};
  }

  using BoundsParts = std::array<Value *, 3>; // base, size, object

  struct Way { // a path at whose end the bounds of all pointers are known
    BasicBlock *End;
    SmallVector<BoundsParts, 4> Bounds;
  };

  // Returns an i1: the address is in one of the tables.
  Value *isVirtualTable(IRBuilderBase &B, Value *Address) {
    Value *Any = B.getFalse();
    for (GlobalVariable *Table : VirtualTables) {
      Value *Base = B.CreatePtrToInt(B.CreateAddrSpaceCast(Table, B.getPtrTy()), I64);
      Value *Size = B.getInt64(M.getDataLayout().getTypeAllocSize(Table->getValueType()));
      Any = B.CreateOr(Any, B.CreateICmpULT(B.CreateSub(Address, Base), Size));
    }
    return Any;
  }

  // Looks up all pointers in steps: are all mapped; are all in pages with a single chunk; are the others in blocks of
  // live chunks? If a step fails for one pointer, a call looks all of them up, unless all are null.
  void expand(SmallVectorImpl<CallInst *> &Together) {
    if (Together.empty())
      return;
    CallInst *Last = Together.back();
    BasicBlock *First = Last->getParent(), *Done = SplitBlock(First, Last);
    auto create = [&](const char *Name, BasicBlock *Next) {
      return BasicBlock::Create(M.getContext(), Name, First->getParent(), Next);
    };
    BasicBlock *Page = create("gasan.find", Done), *Block = create("gasan.block", nullptr),
               *Null = create("gasan.null", nullptr), *Look = create("gasan.look", nullptr);
    First->getTerminator()->eraseFromParent();
    IRBuilder<> B(First);
    B.SetCurrentDebugLocation(Last->getDebugLoc());
    auto all = [&](auto Holds) {
      Value *So = B.getTrue();
      for (size_t Index = 0; Index < Together.size(); ++Index)
        So = B.CreateAnd(So, Holds(Index));
      return So;
    };
    auto pointer = [&](size_t Index) { return Together[Index]->getArgOperand(0); };
    SmallVector<Way, 5> Ways;
    if (isVirtualTablePointer(*Last)) {
      BasicBlock *Other = create("gasan.other", Page);
      B.CreateCondBr(isVirtualTable(B, pointer(0)), Done, Other, Likely);
      const BoundsParts Unknown = {B.getInt64(GASAN_NULL_PAGE),
                                   B.getInt64((1ull << GASAN_ADDRESS_BITS) - GASAN_NULL_PAGE),
                                   B.getInt32(GASAN_OBJECT_UNKNOWN)};
      Ways.push_back({First, {Unknown}});
      B.SetInsertPoint(Other);
    }
    B.CreateCondBr(all([&](size_t Index) { return call(B, "__gasan_is_mapped", B.getInt1Ty(), pointer(Index)); }), Page,
                   Null, Likely);

    Value *Memory = B.getInt32(GASAN_OBJECT_MEMORY);
    B.SetInsertPoint(Page);
    SmallVector<Pair, 4> Pages;
    SmallVector<Value *, 4> AreChunks;
    Value *Least = nullptr; // minimum: one comparison decides for all
    Way FromPage = {Page, {}};
    for (size_t Index = 0; Index < Together.size(); ++Index) {
      Pages.push_back(find(B, "__gasan_find_page", call(B, "__gasan_page_of", B.getInt32Ty(), pointer(Index))));
      FromPage.Bounds.push_back({Pages[Index][0], Pages[Index][1], Memory});
      AreChunks.push_back(call(B, "__gasan_is_chunk", B.getInt32Ty(), Pages[Index][0]));
      Least = Index ? B.CreateBinaryIntrinsic(Intrinsic::umin, Least, AreChunks[Index]) : AreChunks[Index];
    }
    B.CreateCondBr(B.CreateIsNotNull(Least), Done, Block, Likely);
    Ways.push_back(std::move(FromPage));

    B.SetInsertPoint(Block);
    Way FromBlock = {Block, {}};
    for (size_t Index = 0; Index < Together.size(); ++Index) {
      const Pair Found = findBlock(B, pointer(Index), Pages[Index],
                                   Together.size() > 1 ? B.CreateIsNotNull(AreChunks[Index]) : nullptr);
      FromBlock.Bounds.push_back({Found[0], Found[1], Memory});
    }
    B.CreateCondBr(all([&](size_t Index) { return B.CreateIsNotNull(FromBlock.Bounds[Index][1]); }), Done, Look,
                   Likely);
    Ways.push_back(std::move(FromBlock));

    B.SetInsertPoint(Null);
    B.CreateCondBr(all([&](size_t Index) { return call(B, "__gasan_is_null", B.getInt1Ty(), pointer(Index)); }), Done,
                   Look);
    const BoundsParts None = {B.getInt64(0), B.getInt64(0), B.getInt32(GASAN_OBJECT_NULL)};
    Ways.push_back({Null, SmallVector<BoundsParts, 4>(Together.size(), None)});

    B.SetInsertPoint(Look);
    Way Looked = {Look, {}};
    for (CallInst *Lookup : Together) {
      CallInst *Found =
          call(B, kindOf(*Lookup)->Any, Lookup->getType(), {Lookup->getArgOperand(0), Lookup->getArgOperand(1)});
      Looked.Bounds.push_back(
          {B.CreateExtractValue(Found, 0), B.CreateExtractValue(Found, 1), B.CreateExtractValue(Found, 2)});
    }
    B.CreateBr(Done);
    Ways.push_back(std::move(Looked));

    B.SetInsertPoint(Done, Done->begin());
    for (size_t Index = 0; Index < Together.size(); ++Index) {
      BoundsParts Merged;
      for (unsigned Part = 0; Part < 3; ++Part) {
        PHINode *Phi = B.CreatePHI(Ways.front().Bounds[Index][Part]->getType(), Ways.size());
        for (const Way &W : Ways)
          Phi->addIncoming(W.Bounds[Index][Part], W.End);
        Merged[Part] = Phi;
      }
      replace(Together[Index], Merged);
    }
    for (CallInst *Lookup : Together)
      Lookup->eraseFromParent();
    Together.clear();
  }

  static void replace(CallInst *Lookup, const BoundsParts &Parts) {
    for (User *U : make_early_inc_range(Lookup->users())) {
      auto *Extract = cast<ExtractValueInst>(U);
      Extract->replaceAllUsesWith(Parts[Extract->getIndices()[0]]);
      Extract->eraseFromParent();
    }
  }
};

} // namespace

void expandLookups(Module &M) {
  Expansion Lookups(M);
  for (Function &F : M)
    for (BasicBlock &Block : make_early_inc_range(F))
      Lookups.run(Block);
  eraseUnused(M, kKinds);
  CheckLookups::finish(M);
}

} // namespace gasan
