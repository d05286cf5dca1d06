#include "gasan_pass/instrument/bst/VariableBounds.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gasan {

VariableBounds::VariableBounds(Module &M, SiteTable &) : M(M) {}

void VariableBounds::enter(Function &) {}

std::optional<Bounds> VariableBounds::of(Value *Root) {
  auto *Parameter = dyn_cast<Argument>(Root);
  if (!isa<AllocaInst, GlobalVariable>(Root) && !(Parameter && Parameter->hasByValAttr()))
    return std::nullopt;
  Type *I64 = Type::getInt64Ty(M.getContext()), *I32 = Type::getInt32Ty(M.getContext());
  return Bounds{ConstantInt::get(I64, 0), ConstantInt::getAllOnesValue(I64), ConstantInt::get(I32, GASAN_OBJECT_MEMORY)};
}

std::optional<Bounds> VariableBounds::narrow(Instruction &, const Bounds &) {
  return std::nullopt;
}

Value *VariableBounds::sizeAt(Value *, const Bounds &B, Instruction &) {
  return B.Size;
}

} // namespace gasan
