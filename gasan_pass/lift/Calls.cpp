// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/lift/FunctionLifter.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gasan::lift {

// Returns the value for a parameter of the called function: of a register, a constant, or a variable in the parameter
// space.
Value *FunctionLifter::argument(StringRef Operand, const Variable &Parameter, Type *T) {
  const Place *P = findPlace(Operand);
  if (!P)
    return changeBits(B, readBits(Operand, Parameter.Type.Bits), T);
  if (isAggregate(Parameter))
    return P->Pointer;
  LoadInst *Load = B.CreateAlignedLoad(T, P->Pointer, Align(1));
  Load->setNoSanitizeMetadata();
  return Load;
}

// call{.uni} {(result),} function{, (arguments)}{, prototype or targets}
bool FunctionLifter::call(const PtxStatement &S) {
  SmallVector<StringRef, 4> Operands(S.Operands.begin(), S.Operands.end());
  auto TakeList = [&]() -> SmallVector<std::string, 4> {
    if (Operands.empty() || !Operands[0].starts_with("("))
      return {};
    StringRef List = Operands.front();
    Operands.erase(Operands.begin());
    return splitPtxOperands(List.drop_front().drop_back());
  };
  const SmallVector<std::string, 4> Results = TakeList();
  if (Operands.empty()) {
    fail("malformed call");
    return true;
  }
  StringRef Name = Operands.front();
  Operands.erase(Operands.begin());
  const SmallVector<std::string, 4> Arguments = TakeList();
  const Prototype *P = L.findPrototype(Name);
  Value *Callee = L.findSymbol(Name);
  if (!P && isRegister(Name)) {
    P = Operands.empty() ? nullptr : findLocalPrototype(Operands[0]);
    // a list of functions: all have one type
    if (const Item *List = Operands.empty() || P ? nullptr : findTargets(Operands[0]);
        List && !List->Statement.Operands.empty())
      P = L.findPrototype(List->Statement.Operands[0]);
    Callee = P ? B.CreateIntToPtr(readBits(Name, 64), B.getPtrTy()) : nullptr;
  }
  // A call without further arguments may leave out their array.
  const bool HasOpenArray = P && !P->Parameters.empty() && isOpenArray(P->Parameters.back());
  if (!P || !Callee || Arguments.size() > P->Parameters.size() ||
      Arguments.size() + HasOpenArray < P->Parameters.size() || Results.size() != P->Results.size()) {
    fail("the function or its prototype is unknown, or has other parameters");
    return true;
  }
  FunctionType *T = functionType(F.getContext(), *P);
  SmallVector<Value *, 8> Values;
  for (size_t I = 0; I < Arguments.size(); ++I)
    Values.push_back(argument(Arguments[I], P->Parameters[I], T->getParamType(I)));
  if (Arguments.size() < P->Parameters.size())
    Values.push_back(ConstantPointerNull::get(B.getPtrTy()));
  if (L.failed())
    return true;
  CallInst *Call = B.CreateCall(T, Callee, Values);
  Call->setAttributes(parameterAttributes(F.getContext(), *P, /*IsKernel=*/false));
  Call->setConvergent();
  Call->setDoesNotThrow();
  for (size_t I = 0; Results.size() > 1 && I < Results.size(); ++I)
    write(Results[I], B.CreateExtractValue(Call, I), P->Results[I].Type);
  if (Results.size() == 1) {
    if (const Place *Slot = findPlace(Results[0]))
      B.CreateAlignedStore(Call, Slot->Pointer, Align(1))->setNoSanitizeMetadata();
    else
      write(Results[0], Call, P->Results[0].Type);
  }
  if (P->NoReturn) {
    Call->setDoesNotReturn();
    B.CreateUnreachable();
    endBlock();
  }
  return true;
}

} // namespace gasan::lift
