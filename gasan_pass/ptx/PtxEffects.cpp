// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/ptx/PtxEffects.h"
#include "gasan_pass/ptx/PtxText.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gasan {

bool onlyComputes(const PtxStatement &S) {
  static const StringSet<> Computing = {
      ".reg",  "abs",  "add",  "addc",  "and",  "bfe",   "bfi",   "bfind", "bmsk", "brev",    "clz",
      "cnot",  "cos",  "cvt",  "div",   "dp2a", "dp4a",  "ex2",   "fma",   "lg2",  "lop3",    "mad",
      "mad24", "madc", "max",  "min",   "mov",  "mul",   "mul24", "neg",   "not",  "or",      "popc",
      "prmt",  "rcp",  "rem",  "rsqrt", "sad",  "selp",  "set",   "setp",  "shf",  "shl",     "shr",
      "sin",   "slct", "sqrt", "sub",   "subc", "szext", "tanh",  "testp", "xor",  "copysign"};
  return Computing.contains(S.Opcode);
}

namespace {

// Returns false also for text that is malformed.
bool onlyComputes(const InlineAsm &Asm) {
  std::optional<std::vector<PtxStatement>> Statements = parsePtx(Asm.getAsmString());
  return !Asm.hasSideEffects() && Statements &&
         all_of(*Statements, [](const PtxStatement &S) { return onlyComputes(S); });
}

} // namespace

void markComputations(Module &M) {
  if (!M.getTargetTriple().isNVPTX())
    return;
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallInst>(&I);
      const auto *Asm = Call ? dyn_cast<InlineAsm>(Call->getCalledOperand()) : nullptr;
      if (!Asm || Call->mayReadOrWriteMemory() || !onlyComputes(*Asm))
        continue;
      Call->setNotConvergent();
      Call->setDoesNotThrow();
      Call->addFnAttr(Attribute::WillReturn);
    }
}

} // namespace gasan
