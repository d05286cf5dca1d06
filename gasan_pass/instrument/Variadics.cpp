// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/Variadics.h"
#include "gasan_pass/instrument/bst/VariableNames.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/IPO/ExpandVariadics.h"

using namespace llvm;

namespace gasan {
namespace {

bool isBuffer(const AllocaInst &Alloca) {
  const auto *Type = dyn_cast<StructType>(Alloca.getAllocatedType());
  return Type && Type->hasName() && Type->getName().contains(".vararg") &&
         Alloca.getName().starts_with("vararg_buffer");
}

// Enlarges the buffer after the last argument. clang passes a structure as its members, but va_arg reads the whole
// structure, including the padding after its last member.
void pad(AllocaInst &Buffer) {
  const uint64_t Size = Buffer.getAllocationSize(Buffer.getDataLayout())->getFixedValue();
  auto *Bytes = ArrayType::get(Type::getInt8Ty(Buffer.getContext()), alignTo(Size, Buffer.getAlign()));
  auto *Padded = new AllocaInst(Bytes, Buffer.getAddressSpace(), nullptr, Buffer.getAlign(), "", Buffer.getIterator());
  Padded->takeName(&Buffer);
  nameVariable(*Padded, "<variadic arguments>");
  Buffer.replaceAllUsesWith(Padded);
  Buffer.eraseFromParent();
}

} // namespace

void expandVariadics(Module &M, ModuleAnalysisManager &Analyses) {
  if (ExpandVariadicsPass(ExpandVariadicsMode::Lowering).run(M, Analyses).areAllPreserved())
    return;
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (auto *Alloca = dyn_cast<AllocaInst>(&I); Alloca && isBuffer(*Alloca))
        pad(*Alloca);
}

} // namespace gasan
