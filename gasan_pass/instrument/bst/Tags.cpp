#include "gasan_pass/instrument/bst/Tags.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/Access.h"
#include "gasan_pass/instrument/AddressOperands.h"
#include "shadow/tags.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gasan {
namespace {

// Not a variable, nor an address that the program made up.
bool mayHaveTag(const Value *V) {
  return !isa<Constant>(V) && (V->getType()->isIntegerTy() || mayTouchGlobal(V));
}

bool asksForSpace(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && Callee->getName().starts_with("llvm.nvvm.isspacep.");
}

// Functions that are nowhere in the linked program's device code: CUDA's own. (Ours take tagged pointers.)
bool isOthers(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && Callee->isDeclaration() && !Callee->isIntrinsic() && !Callee->getName().starts_with("__gasan_");
}

// A pointer moves by as much as its tag is, so that the backend still finds out which space it is of. (It would not through
// inttoptr, nor through llvm.ptrmask, on which LLVM 22's SeparateConstOffsetFromGEP crashes.)
void strip(Use &Operand) {
  IRBuilder<> B(cast<Instruction>(Operand.getUser()));
  Value *Tagged = Operand.get();
  Type *Integer = Tagged->getType()->getWithNewType(B.getInt64Ty());
  if (Tagged->getType()->isIntegerTy()) {
    Operand.set(B.CreateAnd(Tagged, GASAN_TAG_ADDRESS_MASK));
    return;
  }
  Value *Tag = B.CreateAnd(B.CreatePtrToInt(Tagged, Integer), ConstantInt::get(Integer, ~GASAN_TAG_ADDRESS_MASK));
  Operand.set(B.CreateGEP(B.getInt8Ty(), Tagged, B.CreateNeg(Tag)));
}

// A number that is no pointer of ours must stay what it is.
void stripIfPointer(Use &Operand) {
  IRBuilder<> B(cast<Instruction>(Operand.getUser()));
  Module &M = *B.GetInsertBlock()->getModule();
  FunctionCallee Entry = M.getOrInsertFunction("__gasan_untag", B.getInt64Ty(), B.getInt64Ty());
  Operand.set(B.CreateCall(Entry, {Operand.get()}));
}

} // namespace

void stripTags(Function &F) {
  if (F.isDeclaration() || F.hasFnAttribute(kRuntimeAttr))
    return;
  SmallVector<Use *, 64> Certain, Possible;
  SmallVector<Instruction *, 64> Instructions;
  for (Instruction &I : instructions(F))
    Instructions.push_back(&I); // before those that finding an asm's addresses puts in
  for (Instruction *I : Instructions) {
    if (mayAccessMemory(*I))
      append_range(Certain, addressOperands(*I));
    auto *Call = dyn_cast<CallBase>(I);
    if (auto *Asm = dyn_cast<CallInst>(I); Asm && Asm->isInlineAsm())
      append_range(Possible, possibleAddresses(*Asm));
    else if (Call && (isOthers(*Call) || asksForSpace(*Call)))
      for (Use &Argument : Call->args())
        if (Argument->getType()->isPointerTy() && !is_contained(Certain, &Argument))
          Certain.push_back(&Argument);
  }
  for (Use *Operand : Certain)
    if (mayHaveTag(Operand->get()))
      strip(*Operand);
  for (Use *Operand : Possible)
    if (mayHaveTag(Operand->get()))
      stripIfPointer(*Operand);
}

} // namespace gasan
