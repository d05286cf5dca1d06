/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "scan/Certain.h"

namespace gasan::scan {

bool Certain::hasUnknown(const Node *A) {
  if (auto Found = Unknown.find(A); Found != Unknown.end())
    return Found->second;
  bool Result = false;
  if (A->Operation == Op::Var) {
    Result = A->Var->Kind == VariableKind::Unknown || A->Var->Kind == VariableKind::Address;
    if (Result)
      Stands[A->Var] = Nodes.constant(A->Width, A->Var->Low);
  }
  for (unsigned I = 0; I < A->Count; I++)
    Result |= hasUnknown(A->Kids[I]); // without a short cut: Stands needs all variables
  return Unknown[A] = Result;
}

const Node *Certain::withoutUnknown(const Node *A) {
  return hasUnknown(A) ? Nodes.substitute(A, Stands, Replaced) : A;
}

const Node *Certain::decide(const Node *A, bool Wanted) {
  if (!hasUnknown(A))
    return Wanted ? A : Nodes.negate(A);
  if (auto Found = Decided[Wanted].find(A); Found != Decided[Wanted].end())
    return Found->second;
  const Node *Result = decideNew(A, Wanted);
  return Decided[Wanted][A] = Result;
}

const Node *Certain::decideNew(const Node *A, bool Wanted) {
  switch (A->Operation) {
  case Op::Var:
    return Nodes.boolean(false);
  case Op::And:
  case Op::Or: {
    const Node *L = decide(A->Kids[0], Wanted), *R = decide(A->Kids[1], Wanted);
    return (A->Operation == Op::And) == Wanted ? Nodes.both(L, R) : Nodes.either(L, R);
  }
  case Op::Xor:
  case Op::Eq: { // of two conditions: both are certain
    if (A->Kids[0]->Width != 1)
      break;
    const bool Same = (A->Operation == Op::Eq) == Wanted;
    const Node *L = A->Kids[0], *R = A->Kids[1];
    return Nodes.either(Nodes.both(isTrue(L), decide(R, Same)), Nodes.both(isFalse(L), decide(R, !Same)));
  }
  case Op::Ite: {
    const Node *L = decide(A->Kids[1], Wanted), *R = decide(A->Kids[2], Wanted);
    return Nodes.either(Nodes.both(L, R),
                        Nodes.either(Nodes.both(isTrue(A->Kids[0]), L), Nodes.both(isFalse(A->Kids[0]), R)));
  }
  default:
    break;
  }
  const Node *Result = withoutUnknown(A);
  if (!Wanted)
    Result = Nodes.negate(Result);
  for (unsigned I = 0; I < A->Count; I++)
    Result = Nodes.both(isKnown(A->Kids[I]), Result);
  return Result;
}

const Node *Certain::isKnown(const Node *A) {
  if (!hasUnknown(A))
    return Nodes.boolean(true);
  if (auto Found = Numbers.find(A); Found != Numbers.end())
    return Found->second;
  const Node *Result = isKnownNew(A);
  return Numbers[A] = Result;
}

const Node *Certain::isKnownNew(const Node *A) {
  if (A->Width == 1)
    return Nodes.either(isTrue(A), isFalse(A));
  if (A->Operation == Op::Var)
    return Nodes.boolean(false);
  if (A->Operation == Op::Ite)
    return Nodes.either(Nodes.both(isTrue(A->Kids[0]), isKnown(A->Kids[1])),
                        Nodes.both(isFalse(A->Kids[0]), isKnown(A->Kids[2])));
  const Node *Result = Nodes.boolean(true);
  for (unsigned I = 0; I < A->Count; I++)
    Result = Nodes.both(Result, isKnown(A->Kids[I]));
  return Result;
}

} // namespace gasan::scan
