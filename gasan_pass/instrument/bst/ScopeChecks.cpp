// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/ScopeChecks.h"
#include "gasan_pass/instrument/bst/PointerFlow.h"
#include "gasan_pass/instrument/bst/Scopes.h"
#include "gasan_pass/instrument/bst/SourceFaults.h"
#include "gasan_pass/instrument/bst/VariableNames.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr const char *kOutOfScope = "__gasan_out_of_scope"; // pointer, variable; returns the pointer

bool hasScope(const AllocaInst &Variable) {
  return Variable.isStaticAlloca() && any_of(Variable.users(), [](const User *U) {
           const auto *Marker = dyn_cast<LifetimeIntrinsic>(U);
           return Marker && Marker->getIntrinsicID() == Intrinsic::lifetime_end;
         });
}

// Returns true if the variable's address is stored, merged with others, or passed to a function that returns it.
bool mayOutlive(const AllocaInst &Variable, ReturnedArguments &Returned) {
  SmallVector<const Value *, 8> Pending = {&Variable};
  SmallPtrSet<const Value *, 8> Seen;
  while (!Pending.empty()) {
    const Value *At = Pending.pop_back_val();
    if (!Seen.insert(At).second)
      continue;
    for (const User *U : At->users()) {
      if (isa<PHINode, SelectInst>(U))
        return true;
      if (PointerFlow::stepFrom(*U) == At) {
        Pending.push_back(U);
        continue;
      }
      const auto *Store = dyn_cast<StoreInst>(U);
      const auto *Call = dyn_cast<CallBase>(U);
      if ((Store && Store->getValueOperand() == At && PointerFlow::slotOf(*Store->getPointerOperand())) ||
          (Call && is_contained(PointerFlow::givenBack(*Call, Returned), At)))
        return true;
    }
  }
  return false;
}

// Inserts the checks of one function.
class Checker {
public:
  Checker(Function &F, ReturnedArguments &Returned, ArrayRef<const Value *> Variables)
      : F(F), DL(F.getDataLayout()), Variables(Variables), Flow(F, Variables, Returned) {
    Alive.enter(F);
  }

  void run() {
    SmallVector<SourceAccess, 16> Accesses;
    SmallVector<CallInst *, 8> Calls;
    for (Instruction &I : instructions(F)) {
      if (!I.hasMetadata(LLVMContext::MD_nosanitize))
        find(I, Accesses);
      if (auto *Call = dyn_cast<CallInst>(&I); Call && !isa<IntrinsicInst>(I) && !Call->isInlineAsm())
        Calls.push_back(Call);
    }
    for (CallInst *Call : Calls)
      for (Use &Argument : Call->args())
        pass(*Call, Argument);
    for (const SourceAccess &A : Accesses) {
      const BitVector Roots = Flow.rootsOf(*A.Pointer);
      for (unsigned Number : Roots.set_bits())
        check(A, Number);
    }
    for (auto [Access, Bad, Number] : Found) { // last, because blocks are split
      auto &Variable = *const_cast<AllocaInst *>(variable(Number));
      SourceObject Object = describeVariable(Variable);
      Object.Size = sizeOf(Number);
      insertSourceFault(Access, Bad, &Variable, 0, Object);
    }
    Alive.leave(F);
  }

private:
  struct Fault {
    SourceAccess Access;
    Value *Bad;
    unsigned Number;
  };
  Function &F;
  const DataLayout &DL;
  ArrayRef<const Value *> Variables;
  const PointerFlow Flow;
  Scopes Alive;
  SmallVector<Fault, 4> Found;
  DenseMap<std::pair<const Value *, unsigned>, Value *> Leads; // i1: the pointer points to the variable of this number
  DenseMap<std::pair<const Value *, unsigned>, AllocaInst *> SlotLeads; // the same of the slot's value

  const AllocaInst *variable(unsigned Number) const { return cast<AllocaInst>(Variables[Number]); }
  uint64_t sizeOf(unsigned Number) const { return variable(Number)->getAllocationSize(DL)->getFixedValue(); }
  Value *known(bool Is) { return ConstantInt::getBool(F.getContext(), Is); }

  static void find(Instruction &I, SmallVectorImpl<SourceAccess> &Accesses) {
    auto *Copy = dyn_cast<MemIntrinsic>(&I);
    if (!Copy) {
      if (std::optional<SourceAccess> A = sourceAccess(I))
        Accesses.push_back(*A);
      return;
    }
    auto *Length = dyn_cast<ConstantInt>(Copy->getLength());
    if (!Length || Length->isZero())
      return;
    if (auto *Transfer = dyn_cast<MemTransferInst>(&I))
      Accesses.push_back({&I, Transfer->getRawSource(), Length->getZExtValue(), GASAN_ACCESS_READ});
    Accesses.push_back({&I, Copy->getRawDest(), Length->getZExtValue(), GASAN_ACCESS_WRITE});
  }

  void check(const SourceAccess &A, unsigned Number) {
    Value *InScope = Alive.aliveAt(*variable(Number), *A.Where);
    if (!InScope)
      return;
    Value *Leading = leads(*A.Pointer, Number);
    IRBuilder<> B(A.Where);
    Found.push_back({A, B.CreateAnd(Leading, B.CreateNot(InScope)), Number});
  }

  void pass(CallInst &Call, Use &Argument) {
    Value *Pointer = Argument;
    const BitVector Roots = Flow.rootsOf(*Pointer);
    for (unsigned Number : Roots.set_bits()) {
      Value *InScope = Alive.aliveAt(*variable(Number), Call);
      if (!InScope)
        continue;
      Value *Leading = leads(*Pointer, Number);
      IRBuilder<> B(&Call);
      Value *Bad = B.CreateAnd(Leading, B.CreateNot(InScope));
      CallInst *Gone = B.CreateCall(outOfScope(), {Pointer, const_cast<AllocaInst *>(variable(Number))});
      Gone->addFnAttr(Attribute::NoMerge); // each call names its variable
      Argument.set(B.CreateSelect(Bad, Gone, Argument));
    }
  }

  FunctionCallee outOfScope() {
    Type *Pointer = PointerType::get(F.getContext(), 0);
    FunctionCallee Nothing =
        F.getParent()->getOrInsertFunction(kOutOfScope, FunctionType::get(Pointer, {Pointer, Pointer}, false));
    auto *Declaration = cast<Function>(Nothing.getCallee());
    Declaration->setDoesNotThrow();
    Declaration->setDoesNotAccessMemory();
    Declaration->setWillReturn();
    return Nothing;
  }

  // Returns an i1, defined at the pointer's definition: the pointer points to the variable.
  Value *leads(const Value &Pointer, unsigned Number) {
    if (!Flow.rootsOf(Pointer).test(Number))
      return known(false);
    if (const Value *From = PointerFlow::stepFrom(Pointer))
      return leads(*From, Number);
    if (auto Known = Leads.find({&Pointer, Number}); Known != Leads.end())
      return Known->second;
    if (const auto *Phi = dyn_cast<PHINode>(&Pointer))
      return ofPhi(*const_cast<PHINode *>(Phi), Number);
    return Leads[{&Pointer, Number}] = ofOther(*const_cast<Value *>(&Pointer), Number);
  }

  Value *ofPhi(PHINode &Phi, unsigned Number) {
    auto *Result =
        PHINode::Create(Type::getInt1Ty(F.getContext()), Phi.getNumIncomingValues(), "gasan.leads", Phi.getIterator());
    Leads[{&Phi, Number}] = Result; // the phi may be derived from itself
    for (unsigned Way = 0; Way < Phi.getNumIncomingValues(); ++Way)
      Result->addIncoming(leads(*Phi.getIncomingValue(Way), Number), Phi.getIncomingBlock(Way));
    return Result;
  }

  Value *ofOther(Value &Pointer, unsigned Number) {
    if (auto *Select = dyn_cast<SelectInst>(&Pointer)) {
      Value *True = leads(*Select->getTrueValue(), Number), *False = leads(*Select->getFalseValue(), Number);
      return IRBuilder<>(Select->getNextNode()).CreateSelect(Select->getCondition(), True, False);
    }
    if (auto *Load = dyn_cast<LoadInst>(&Pointer)) {
      AllocaInst *Slot = slotLeads(*cast<AllocaInst>(Load->getPointerOperand()), Number);
      return IRBuilder<>(Load->getNextNode()).CreateLoad(Slot->getAllocatedType(), Slot);
    }
    if (auto *Call = dyn_cast<CallInst>(&Pointer))
      return ofCall(*Call, Number);
    return known(&Pointer == Variables[Number]);
  }

  // Compares the call's result with the variable's address range. No other variable has that address if this one is in
  // scope.
  Value *ofCall(CallInst &Call, unsigned Number) {
    Value *InScope = Alive.aliveAt(*variable(Number), Call);
    IRBuilder<> B(Call.getNextNode());
    auto Address = [&](Value *Pointer) {
      return B.CreatePtrToInt(B.CreateAddrSpaceCast(Pointer, B.getPtrTy()), B.getInt64Ty());
    };
    Value *Offset = B.CreateSub(Address(&Call), Address(const_cast<AllocaInst *>(variable(Number))));
    Value *Inside = B.CreateICmpULT(Offset, B.getInt64(sizeOf(Number)));
    return InScope ? B.CreateAnd(InScope, Inside) : Inside;
  }

  AllocaInst *slotLeads(AllocaInst &Slot, unsigned Number) {
    auto [Entry, New] = SlotLeads.try_emplace({&Slot, Number}, nullptr);
    if (!New)
      return Entry->second;
    IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
    AllocaInst *Result = Entry->second = B.CreateAlloca(B.getInt1Ty(), nullptr, "gasan.leads");
    B.SetInsertPoint(&F.getEntryBlock(), F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    B.CreateStore(B.getFalse(), Result);
    for (User *U : Slot.users())
      if (auto *Store = dyn_cast<StoreInst>(U)) {
        Value *Leading = leads(*Store->getValueOperand(), Number);
        IRBuilder<>(Store->getNextNode()).CreateStore(Leading, Result);
      }
    return Result;
  }
};

void checkScopes(Function &F, ReturnedArguments &Returned) {
  SmallVector<const Value *, 8> Variables;
  for (Instruction &I : F.getEntryBlock())
    if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && hasScope(*Variable) && mayOutlive(*Variable, Returned))
      Variables.push_back(Variable);
  if (!Variables.empty())
    Checker(F, Returned, Variables).run();
}

} // namespace

static const CallInst *callOutOfScope(const Value &Pointer) {
  auto *Call = dyn_cast<CallInst>(&Pointer);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Callee->getName() == kOutOfScope ? Call : nullptr;
}

AllocaInst *variableOutOfScope(Value &Pointer) {
  const CallInst *Call = callOutOfScope(Pointer);
  return Call ? dyn_cast<AllocaInst>(Call->getArgOperand(1)->stripPointerCasts()) : nullptr;
}

const Value *addressOutOfScope(const Value &Pointer) {
  const CallInst *Call = callOutOfScope(Pointer);
  return Call ? Call->getArgOperand(0) : nullptr;
}

void lowerOutOfScope(Module &M) {
  Function *Nothing = M.getFunction(kOutOfScope);
  if (!Nothing)
    return;
  for (User *U : make_early_inc_range(Nothing->users())) {
    auto *Call = cast<CallInst>(U);
    Call->replaceAllUsesWith(Call->getArgOperand(0));
    Call->eraseFromParent();
  }
  Nothing->eraseFromParent();
}

PreservedAnalyses ScopeChecksPass::run(Module &M, ModuleAnalysisManager &) {
  if (!M.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  ReturnedArguments Returned;
  for (Function &F : M) // -fgpu-rdc's linked module has its checks already, and kSanitizeAttr instead of this
    if (F.hasFnAttribute(Attribute::SanitizeAddress))
      checkScopes(F, Returned);
  return PreservedAnalyses::none();
}

} // namespace gasan
