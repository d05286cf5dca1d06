// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/Params.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace gasan {

static constexpr uint64_t kConstantMemory = 64 << 10;

// Defines the struct in constant memory, so that ptxas uses its members directly as instruction operands. If the
// program's own constants leave no room, defines the struct in global memory.
GlobalVariable *defineParams(Module &M, gasan_code Code) {
  uint64_t ConstantBytes = 0;
  for (const GlobalVariable &Variable : M.globals())
    if (Variable.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_CONST && Variable.getValueType()->isSized())
      ConstantBytes = alignTo(ConstantBytes, M.getDataLayout().getPreferredAlign(&Variable)) +
                      M.getDataLayout().getTypeAllocSize(Variable.getValueType());
  bool Fits = alignTo(ConstantBytes, 8) + sizeof(gasan_params) <= kConstantMemory;

  LLVMContext &Context = M.getContext();
  Type *I32 = Type::getInt32Ty(Context), *I64 = Type::getInt64Ty(Context);
  auto *Type = StructType::get(Context, {I64, I64, I32, I32, I64, I64, I32, I32, I64, I32, I32, I64, I64, I64,
                                         I64, I64, I64, I64, I64, I64, I64, I64, I64, I32, I32, I32, I32});
  auto *Unset = ConstantStruct::get(Type, {ConstantInt::get(I64, 0),
                                           ConstantInt::get(I64, 0),
                                           ConstantInt::get(I32, GASAN_PARAMS_UNSET_MASK_HIGH),
                                           ConstantInt::get(I32, GASAN_PARAMS_UNSET_BASE_HIGH),
                                           ConstantInt::get(I64, 0),
                                           ConstantInt::get(I64, 0),
                                           ConstantInt::get(I32, 0),
                                           ConstantInt::get(I32, GASAN_ABI_VERSION),
                                           ConstantInt::get(I64, 0),
                                           ConstantInt::get(I32, 0),
                                           ConstantInt::get(I32, Code),
                                           ConstantInt::get(I64, 0),
                                           ConstantInt::get(I64, 0),
                                           ConstantInt::get(I64, 0),
                                           ConstantInt::get(I64, 0),
                                           ConstantInt::get(I64, 0),
                                           ConstantInt::get(I64, 0),
                                           ConstantInt::get(I64, 0),
                                           ConstantInt::get(I64, 0),
                                           ConstantInt::get(I64, 0),
                                           ConstantInt::get(I64, 0),
                                           ConstantInt::get(I64, 0),
                                           ConstantInt::get(I64, 0),
                                           ConstantInt::get(I32, 0),
                                           ConstantInt::get(I32, 0),
                                           ConstantInt::get(I32, 0),
                                           ConstantInt::get(I32, 0)});
  auto *Params = new GlobalVariable(M, Type, /*isConstant=*/false, GlobalValue::ExternalLinkage, Unset,
                                    GASAN_PARAMS_SYMBOL, nullptr, GlobalValue::NotThreadLocal,
                                    Fits ? NVPTXAS::ADDRESS_SPACE_CONST : NVPTXAS::ADDRESS_SPACE_GLOBAL,
                                    /*isExternallyInitialized=*/true);
  Params->setAlignment(Align(8));
  appendToCompilerUsed(M, {Params});
  return Params;
}

void moveParamsToGlobalMemory(Module &M) {
  GlobalVariable *Old = M.getNamedGlobal(GASAN_PARAMS_SYMBOL);
  const bool HasOtherConstants = any_of(M.globals(), [&](const GlobalVariable &Variable) {
    return &Variable != Old && Variable.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_CONST;
  });
  if (Old->getAddressSpace() != NVPTXAS::ADDRESS_SPACE_CONST || HasOtherConstants)
    return;
  removeFromUsedLists(M, [&](Constant *Used) { return Used->stripPointerCasts() == Old; });
  Old->removeDeadConstantUsers();
  if (!Old->use_empty()) { // code outside of the device runtime reads it
    appendToCompilerUsed(M, {Old});
    return;
  }
  auto *New = new GlobalVariable(M, Old->getValueType(), /*isConstant=*/false, Old->getLinkage(), Old->getInitializer(),
                                 "", nullptr, GlobalValue::NotThreadLocal, NVPTXAS::ADDRESS_SPACE_GLOBAL,
                                 /*isExternallyInitialized=*/true);
  New->setAlignment(Old->getAlign());
  New->takeName(Old);
  Old->eraseFromParent();
  appendToCompilerUsed(M, {New});
}

void setParamsFlag(Module &M, uint32_t Flag) {
  GlobalVariable *Params = M.getNamedGlobal(GASAN_PARAMS_SYMBOL);
  auto *Known = cast<ConstantStruct>(Params->getInitializer());
  SmallVector<Constant *, 32> Members;
  for (const Use &Member : Known->operands())
    Members.push_back(cast<Constant>(Member));
  auto *Flags = cast<ConstantInt>(Members.back()); // the last member
  Members.back() = ConstantInt::get(Flags->getType(), Flags->getZExtValue() | Flag);
  Params->setInitializer(ConstantStruct::get(Known->getType(), Members));
}

} // namespace gasan
