// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Defines the functions and variables that a device module only declares. A device module is a whole program: what
// CUDA's runtime does not provide must not resolve to names of the host program, which may have the same names.
#include "gasan_pass/retarget/Steps.h"

using namespace llvm;

namespace gasan {

namespace {

void defineAsFailing(Function &F) {
  for (User *U : F.users())
    if (auto *Call = dyn_cast<CallInst>(U)) {
      warnUnsupported(*Call, "undefined device function " + F.getName());
      break;
    }
  const std::string What = ("undefined device function " + F.getName()).str();
  F.setLinkage(GlobalValue::InternalLinkage);
  BasicBlock *Body = BasicBlock::Create(F.getContext(), "", &F);
  auto *End = new UnreachableInst(F.getContext(), Body);
  callUnsupported(*End, What);
}

} // namespace

void resolveDeclarations(Module &M) {
  SmallVector<Function *, 8> Missing;
  for (Function &F : M)
    if (F.isDeclaration() && !F.isIntrinsic() && !F.getName().starts_with("gasan_") && !isCoverageCallback(F) &&
        !F.use_empty())
      Missing.push_back(&F);
  for (Function *F : Missing)
    defineAsFailing(*F);
  // At -O0, clang refers to threadIdx and its like, whose members are functions: they only need an address.
  for (GlobalVariable &G : M.globals())
    if (G.isDeclaration()) {
      G.setLinkage(GlobalValue::InternalLinkage);
      G.setInitializer(Constant::getNullValue(G.getValueType()));
    }
}

} // namespace gasan
