// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/Reach.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gasan {
namespace {

struct Calls {
  SetVector<const Function *> Direct;
  bool Indirect = false;
  bool UnknownFrame = false; // the frame's size depends on run-time values
};

Calls findCalls(Function &F) {
  Calls Result;
  for (Instruction &I : instructions(F)) {
    if (auto *Variable = dyn_cast<AllocaInst>(&I))
      Result.UnknownFrame |= !Variable->isStaticAlloca();
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

using CallGraph = DenseMap<const Function *, Calls>;

// Decides whether a function, or one that it calls, may call itself. Ignores calls through pointers.
class Recursion {
public:
  explicit Recursion(const CallGraph &Graph) : Graph(Graph) {}

  bool from(const Function *F) {
    auto Node = Graph.find(F);
    if (Node == Graph.end())
      return false;
    auto [Entry, New] = Known.try_emplace(F, State::Open);
    if (!New)
      return Entry->second != State::None;
    const bool Found = any_of(Node->second.Direct, [this](const Function *Callee) { return from(Callee); });
    Known[F] = Found ? State::Some : State::None;
    return Found;
  }

private:
  enum class State { Open, None, Some };
  const CallGraph &Graph;
  DenseMap<const Function *, State> Known;
};

} // namespace

Reach::Reach(Module &M) {
  CallGraph Graph;
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
  Recursion Recursive(Graph);
  for (uint32_t Index = 0; Index < Kernels.size(); ++Index) {
    bool Unknown = Recursive.from(Kernels[Index]);
    SetVector<const Function *> Reached;
    Reached.insert(Kernels[Index]);
    for (size_t Next = 0; Next < Reached.size(); ++Next) {
      auto Node = Graph.find(Reached[Next]);
      if (Node == Graph.end())
        continue;
      Reached.insert_range(Node->second.Direct);
      if (Node->second.Indirect)
        Reached.insert_range(AddressTaken);
      Unknown |= Node->second.Indirect || Node->second.UnknownFrame;
    }
    if (Unknown)
      UnknownStack.insert(Index);
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
