/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "scan/Expression.h"

namespace gasan::scan {

uint64_t maskOf(unsigned Width) {
  return Width >= 64 ? ~0ull : (1ull << Width) - 1;
}

int64_t signedValue(uint64_t Value, unsigned Width) {
  return int64_t(Value << (64 - Width)) >> (64 - Width);
}

static uint64_t computeDivision(Op Operation, unsigned Width, uint64_t A, uint64_t B) {
  const int64_t SignedA = signedValue(A, Width), SignedB = signedValue(B, Width);
  switch (Operation) {
  case Op::UDiv:
    return B ? A / B : ~0ull;
  case Op::URem:
    return B ? A % B : A;
  case Op::SDiv:
    if (!B)
      return SignedA < 0 ? 1 : ~0ull;
    return SignedB == -1 ? -A : uint64_t(SignedA / SignedB);
  default:
    if (!B)
      return A;
    return SignedB == -1 ? 0 : uint64_t(SignedA % SignedB);
  }
}

uint64_t compute(Op Operation, unsigned Width, unsigned KidWidth, uint64_t A, uint64_t B) {
  const int64_t SignedA = signedValue(A, KidWidth), SignedB = signedValue(B, KidWidth);
  const uint64_t Mask = maskOf(Width);
  switch (Operation) {
  case Op::Add:
    return (A + B) & Mask;
  case Op::Sub:
    return (A - B) & Mask;
  case Op::Mul:
    return (A * B) & Mask;
  case Op::UDiv:
  case Op::SDiv:
  case Op::URem:
  case Op::SRem:
    return computeDivision(Operation, KidWidth, A, B) & Mask;
  case Op::Shl:
    return B >= KidWidth ? 0 : (A << B) & Mask;
  case Op::LShr:
    return B >= KidWidth ? 0 : A >> B;
  case Op::AShr:
    return uint64_t(SignedA >> (B >= KidWidth ? KidWidth - 1 : B)) & Mask;
  case Op::And:
    return A & B;
  case Op::Or:
    return A | B;
  case Op::Xor:
    return A ^ B;
  case Op::ZExt:
    return A;
  case Op::SExt:
    return uint64_t(SignedA) & Mask;
  case Op::Trunc:
    return A & Mask;
  case Op::Eq:
    return A == B;
  case Op::Ult:
    return A < B;
  case Op::Ule:
    return A <= B;
  case Op::Slt:
    return SignedA < SignedB;
  case Op::Sle:
    return SignedA <= SignedB;
  default:
    return 0;
  }
}

const Node *Expressions::intern(Node Candidate) {
  if (auto Found = Known.find(&Candidate); Found != Known.end())
    return *Found;
  Candidate.Id = Nodes.size();
  for (const Node *Kid : Candidate.Kids)
    Candidate.Count += Kid != nullptr;
  Nodes.push_back(Candidate);
  Known.insert(&Nodes.back());
  return &Nodes.back();
}

size_t Expressions::Hash::operator()(const Node *A) const {
  uint64_t Result = uint64_t(A->Operation) << 16 | uint64_t(A->Signed) << 8 | A->Width;
  auto mix = [&](uint64_t Part) { Result = (Result ^ Part) * 0x9e3779b97f4a7c15ull, Result ^= Result >> 32; };
  for (const Node *Kid : A->Kids)
    mix(Kid ? Kid->Id + 1 : 0);
  mix(A->Value);
  mix(A->Var ? A->Var->Rank : 0);
  return size_t(Result);
}

bool Expressions::Equal::operator()(const Node *A, const Node *B) const {
  return A->Operation == B->Operation && A->Signed == B->Signed && A->Width == B->Width && A->Kids[0] == B->Kids[0] &&
         A->Kids[1] == B->Kids[1] && A->Kids[2] == B->Kids[2] && A->Value == B->Value && A->Var == B->Var;
}

static Node blank(Op Operation, unsigned Width) {
  Node Result{};
  Result.Operation = Operation;
  Result.Width = uint8_t(Width);
  return Result;
}

const Node *Expressions::constant(unsigned Width, uint64_t Value) {
  Node Result = blank(Op::Const, Width);
  Result.Value = Value & maskOf(Width);
  return intern(Result);
}

Variable *Expressions::createVariable(VariableKind Kind, unsigned Width, std::string Name, std::string Reason) {
  Variables.push_back({});
  Variable *Result = &Variables.back();
  Result->Kind = Kind;
  Result->Width = uint8_t(Width);
  Result->Name = std::move(Name);
  Result->Reason = std::move(Reason);
  Result->High = maskOf(Width);
  Result->Rank = Variables.size();
  Node Use = blank(Op::Var, Width);
  Use.Var = Result;
  Result->Use = intern(Use);
  return Result;
}

const Node *Expressions::content(unsigned Block, const Node *Offset, unsigned Width) {
  Node Result = blank(Op::Content, Width);
  Result.Value = Block;
  Result.Kids[0] = Offset;
  return intern(Result);
}

static bool isComparison(Op Operation) {
  return Operation >= Op::Eq && Operation <= Op::Sle;
}

static bool isCommutative(Op Operation) {
  return Operation == Op::Add || Operation == Op::Mul || Operation == Op::And || Operation == Op::Or ||
         Operation == Op::Xor || Operation == Op::Eq;
}

const Node *Expressions::make(Op Operation, const Node *A, const Node *B, bool Signed) {
  if (isCommutative(Operation) && (A->isConst() || (!B->isConst() && A->Id > B->Id)))
    std::swap(A, B);
  const unsigned Width = isComparison(Operation) ? 1 : A->Width;
  Signed &= Operation == Op::Add || Operation == Op::Sub || Operation == Op::Mul || Operation == Op::Shl;
  if (A->isConst() && B->isConst())
    return constant(Width, compute(Operation, Width, A->Width, A->Value, B->Value));
  if (const Node *Simple = simplify(Operation, A, B, Signed))
    return Simple;
  Node Result = blank(Operation, Width);
  Result.Signed = Signed && Operation != Op::Shl; // a shift by a constant is a product by now
  Result.Kids[0] = A;
  Result.Kids[1] = B;
  return intern(Result);
}

const Node *Expressions::simplify(Op Operation, const Node *A, const Node *B, bool Signed) {
  if (isComparison(Operation))
    return simplifyComparison(Operation, A, B);
  switch (Operation) {
  case Op::Add:
    if (B->isConst(0))
      return A;
    if (B->isConst() && A->Operation == Op::Add && A->Kids[1]->isConst() && !Signed && !A->Signed)
      return add(A->Kids[0], constant(A->Width, A->Kids[1]->Value + B->Value));
    return nullptr;
  case Op::Sub:
    if (A == B)
      return constant(A->Width, 0);
    if (B->isConst(0))
      return A;
    if (B->isConst() && !Signed)
      return add(A, constant(A->Width, -B->Value));
    for (int I : {0, 1}) { // the distance between two places of one object
      if (A->Operation == Op::Add && A->Kids[I] == B)
        return A->Kids[1 - I];
      for (int J : {0, 1})
        if (A->Operation == Op::Add && B->Operation == Op::Add && A->Kids[I] == B->Kids[J])
          return sub(A->Kids[1 - I], B->Kids[1 - J]);
    }
    return nullptr;
  case Op::Mul:
    return B->isConst(0) ? B : B->isConst(1) ? A : nullptr;
  case Op::UDiv:
  case Op::SDiv:
    return B->isConst(1) ? A : nullptr;
  case Op::URem:
    return B->isConst(1) ? constant(A->Width, 0) : nullptr;
  case Op::Shl:
  case Op::LShr:
  case Op::AShr:
    if (B->isConst(0))
      return A;
    if (Operation == Op::LShr && A->Operation == Op::Concat && B->isConst(A->Kids[1]->Width))
      return zext(A->Kids[0], A->Width);
    if (Operation == Op::Shl && B->isConst() && B->Value < A->Width)
      return mul(A, constant(A->Width, 1ull << B->Value), Signed);
    return nullptr;
  default:
    return simplifyLogic(Operation, A, B);
  }
}

const Node *Expressions::simplifyLogic(Op Operation, const Node *A, const Node *B) {
  const uint64_t All = maskOf(A->Width);
  switch (Operation) {
  case Op::And:
    if (A == B || B->isConst(All))
      return A;
    if (B->isConst(0) || (A->Width == 1 && (negate(A) == B)))
      return constant(A->Width, 0);
    return nullptr;
  case Op::Or:
    if (A == B || B->isConst(0))
      return A;
    if (B->isConst(All) || (A->Width == 1 && negate(A) == B))
      return constant(A->Width, All);
    if (A->Width == 1) // (p and c) or (p and not c)
      for (int I : {0, 1})
        for (int J : {0, 1})
          if (A->Operation == Op::And && B->Operation == Op::And && A->Kids[I] == B->Kids[J] &&
              negate(A->Kids[1 - I]) == B->Kids[1 - J])
            return A->Kids[I];
    return nullptr;
  case Op::Xor:
    if (A == B)
      return constant(A->Width, 0);
    if (B->isConst(0))
      return A;
    if (B->isConst(All) && A->Operation == Op::Xor && A->Kids[1]->isConst(All))
      return A->Kids[0];
    return nullptr;
  default:
    return nullptr;
  }
}

const Node *Expressions::simplifyComparison(Op Operation, const Node *A, const Node *B) {
  if (A == B)
    return boolean(Operation == Op::Eq || Operation == Op::Ule || Operation == Op::Sle);
  if (Operation == Op::Eq && A->Width == 1 && B->isConst())
    return B->Value ? A : negate(A);
  // A comparison of two wider numbers with the same extension, or of one with a constant.
  if ((A->Operation == Op::ZExt || A->Operation == Op::SExt) && A->Operation == B->Operation &&
      A->Kids[0]->Width == B->Kids[0]->Width) {
    const bool Unsigned = A->Operation == Op::ZExt;
    Op Narrow = Operation;
    if (Unsigned && Operation == Op::Slt)
      Narrow = Op::Ult;
    if (Unsigned && Operation == Op::Sle)
      Narrow = Op::Ule;
    return make(Narrow, A->Kids[0], B->Kids[0]);
  }
  if (Operation == Op::Eq && A->Operation == Op::ZExt && B->isConst())
    return B->Value > maskOf(A->Kids[0]->Width) ? boolean(false)
                                                : eq(A->Kids[0], constant(A->Kids[0]->Width, B->Value));
  if (Operation == Op::Eq && A->Operation == Op::Ite && B->isConst() &&
      (A->Kids[1]->isConst() || A->Kids[2]->isConst()))
    return ite(A->Kids[0], eq(A->Kids[1], B), eq(A->Kids[2], B));
  Range Left = unsignedRange(A), Right = unsignedRange(B);
  if (Operation == Op::Slt || Operation == Op::Sle)
    Left = signedRange(A), Right = signedRange(B);
  const bool Strict = Operation == Op::Ult || Operation == Op::Slt;
  if (Operation == Op::Eq)
    return Left.High < Right.Low || Right.High < Left.Low ? boolean(false) : nullptr;
  if (Strict ? Left.High < Right.Low : Left.High <= Right.Low)
    return boolean(true);
  if (Strict ? Left.Low >= Right.High : Left.Low > Right.High)
    return boolean(false);
  return nullptr;
}

const Node *Expressions::zext(const Node *A, unsigned Width) {
  if (A->Width == Width)
    return A;
  if (A->isConst())
    return constant(Width, A->Value);
  if (A->Operation == Op::ZExt)
    return zext(A->Kids[0], Width);
  Node Result = blank(Op::ZExt, Width);
  Result.Kids[0] = A;
  return intern(Result);
}

const Node *Expressions::sext(const Node *A, unsigned Width) {
  if (A->Width == Width)
    return A;
  if (A->isConst())
    return constant(Width, uint64_t(signedValue(A->Value, A->Width)));
  if (A->Operation == Op::ZExt)
    return zext(A->Kids[0], Width);
  if (A->Operation == Op::SExt)
    return sext(A->Kids[0], Width);
  if (A->Width > 1 && signedRange(A).Low >= 0)
    return zext(A, Width);
  Node Result = blank(Op::SExt, Width);
  Result.Kids[0] = A;
  return intern(Result);
}

const Node *Expressions::trunc(const Node *A, unsigned Width) {
  if (A->Width == Width)
    return A;
  if (A->isConst())
    return constant(Width, A->Value);
  if (A->Operation == Op::ZExt || A->Operation == Op::SExt) {
    const Node *Inner = A->Kids[0];
    if (Inner->Width >= Width)
      return trunc(Inner, Width);
    return A->Operation == Op::ZExt ? zext(Inner, Width) : sext(Inner, Width);
  }
  if (A->Operation == Op::Concat && A->Kids[1]->Width >= Width)
    return trunc(A->Kids[1], Width);
  if (A->Operation == Op::Trunc)
    return trunc(A->Kids[0], Width);
  if (A->Operation == Op::Ite)
    return ite(A->Kids[0], trunc(A->Kids[1], Width), trunc(A->Kids[2], Width));
  Node Result = blank(Op::Trunc, Width);
  Result.Kids[0] = A;
  return intern(Result);
}

const Node *Expressions::resize(const Node *A, unsigned Width, bool Signed) {
  return Width < A->Width ? trunc(A, Width) : Signed ? sext(A, Width) : zext(A, Width);
}

const Node *Expressions::concat(const Node *High, const Node *Low) {
  const unsigned Width = High->Width + Low->Width;
  if (High->isConst() && Low->isConst())
    return constant(Width, High->Value << Low->Width | Low->Value);
  if (High->isConst(0))
    return zext(Low, Width);
  if (High->Operation == Op::Trunc && Low->Operation == Op::Trunc && Low->Kids[0]->Width == Width &&
      High->Kids[0]->Operation == Op::LShr && High->Kids[0]->Kids[0] == Low->Kids[0] &&
      High->Kids[0]->Kids[1]->isConst(Low->Width))
    return Low->Kids[0]; // both halves of one number
  Node Result = blank(Op::Concat, Width);
  Result.Kids[0] = High;
  Result.Kids[1] = Low;
  return intern(Result);
}

const Node *Expressions::negate(const Node *Condition) {
  if (!Condition->Opposite)
    Condition->Opposite = makeOpposite(Condition);
  return Condition->Opposite;
}

const Node *Expressions::makeOpposite(const Node *Condition) {
  switch (Condition->Operation) { // a negated comparison is a comparison, too
  case Op::Ult:
    return make(Op::Ule, Condition->Kids[1], Condition->Kids[0]);
  case Op::Ule:
    return make(Op::Ult, Condition->Kids[1], Condition->Kids[0]);
  case Op::Slt:
    return make(Op::Sle, Condition->Kids[1], Condition->Kids[0]);
  case Op::Sle:
    return make(Op::Slt, Condition->Kids[1], Condition->Kids[0]);
  default:
    return make(Op::Xor, Condition, boolean(true));
  }
}

const Node *Expressions::ite(const Node *Condition, const Node *A, const Node *B) {
  if (Condition->isConst())
    return Condition->Value ? A : B;
  if (A == B)
    return A;
  if (A->Width == 1) {
    if (A->isTrue())
      return either(Condition, B);
    if (A->isFalse())
      return both(negate(Condition), B);
    if (B->isFalse())
      return both(Condition, A);
    if (B->isTrue())
      return either(negate(Condition), A);
  }
  if (B->Operation == Op::Ite && B->Kids[1] == A)
    return ite(either(Condition, B->Kids[0]), A, B->Kids[2]);
  Node Result = blank(Op::Ite, A->Width);
  Result.Kids[0] = Condition;
  Result.Kids[1] = A;
  Result.Kids[2] = B;
  return intern(Result);
}

const Node *Expressions::substitute(const Node *A, const std::map<const Variable *, const Node *> &With,
                                    std::unordered_map<const Node *, const Node *> &Done) {
  if (A->isConst())
    return A;
  if (auto Found = Done.find(A); Found != Done.end())
    return Found->second;
  const Node *Result = A;
  if (A->Operation == Op::Var) {
    auto Found = With.find(A->Var);
    Result = Found == With.end() ? A : Found->second;
  } else {
    const Node *Kids[3] = {};
    for (unsigned I = 0; I < A->Count; I++)
      Kids[I] = substitute(A->Kids[I], With, Done);
    switch (A->Operation) {
    case Op::Content:
      Result = content(unsigned(A->Value), Kids[0], A->Width);
      break;
    case Op::ZExt:
      Result = zext(Kids[0], A->Width);
      break;
    case Op::SExt:
      Result = sext(Kids[0], A->Width);
      break;
    case Op::Trunc:
      Result = trunc(Kids[0], A->Width);
      break;
    case Op::Concat:
      Result = concat(Kids[0], Kids[1]);
      break;
    case Op::Ite:
      Result = ite(Kids[0], Kids[1], Kids[2]);
      break;
    default:
      Result = make(A->Operation, Kids[0], Kids[1], A->Signed);
    }
  }
  return Done[A] = Result;
}

} // namespace gasan::scan
