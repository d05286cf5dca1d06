#include "gasan_pass/instrument/Reach.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace gasan {
namespace {

struct Calls {
  SetVector<const Function *> Direct;
  bool Indirect = false;
};

Calls findCalls(Function &F) {
  Calls Result;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || Call->isInlineAsm())
      continue;
    if (auto *Callee = dyn_cast<Function>(Call->getCalledOperand()->stripPointerCastsAndAliases()))
      Result.Direct.insert(Callee);
    else
      Result.Indirect = true;
  }
  return Result;
}

} // namespace

Reach::Reach(Module &M) {
  DenseMap<const Function *, Calls> Graph;
  std::vector<const Function *> AddressTaken;
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    Graph[&F] = findCalls(F);
    if (F.getCallingConv() == CallingConv::PTX_Kernel)
      Kernels.push_back(&F);
    if (F.hasAddressTaken())
      AddressTaken.push_back(&F);
  }
  for (uint32_t Index = 0; Index < Kernels.size(); ++Index) {
    SetVector<const Function *> Reached;
    Reached.insert(Kernels[Index]);
    for (size_t Next = 0; Next < Reached.size(); ++Next) {
      auto Node = Graph.find(Reached[Next]);
      if (Node == Graph.end())
        continue;
      Reached.insert_range(Node->second.Direct);
      if (Node->second.Indirect)
        Reached.insert_range(AddressTaken);
    }
    for (const Function *F : Reached)
      Reaching[F].push_back(Index);
  }
}

const std::vector<uint32_t> &Reach::kernelsThatReach(const Function &F) const {
  static const std::vector<uint32_t> None;
  auto Found = Reaching.find(&F);
  return Found == Reaching.end() ? None : Found->second;
}

} // namespace gasan
