// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/proof/Program.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr unsigned kFewBits = 8;                  // any value of such an integer is a reasonable index,
constexpr unsigned kShiftedBits = 16;             // and so are those that a shift to the right leaves
constexpr uint64_t kGreatestMask = (1 << 28) - 1; // in an index

gasan_proof_operation withPredicate(CmpInst::Predicate Predicate, gasan_proof_operation Equal,
                                    gasan_proof_operation Different, gasan_proof_operation FirstOrder) {
  static const CmpInst::Predicate Order[] = {CmpInst::ICMP_SLT, CmpInst::ICMP_SLE, CmpInst::ICMP_SGT,
                                             CmpInst::ICMP_SGE, CmpInst::ICMP_ULT, CmpInst::ICMP_ULE,
                                             CmpInst::ICMP_UGT, CmpInst::ICMP_UGE};
  if (Predicate == CmpInst::ICMP_EQ)
    return Equal;
  if (Predicate == CmpInst::ICMP_NE)
    return Different;
  return gasan_proof_operation(FirstOrder + (find(Order, Predicate) - std::begin(Order)));
}

} // namespace

Node Program::add(const gasan_proof_node &New, const Value *Of) {
  Key K = {New.operation, New.bits,  New.a,      New.b,
           New.c,         New.value, New.value2, uint64_t(reinterpret_cast<uintptr_t>(Of))};
  auto [Entry, IsNew] = Known.try_emplace(K, Nodes.size());
  if (IsNew) {
    Facts.push_back(factOf(New, Of));
    Nodes.push_back(New);
  }
  return Entry->second;
}

Node Program::between(unsigned Bits, uint64_t Low, uint64_t High) {
  gasan_proof_node New = {};
  New.operation = Low == High ? GASAN_PROOF_CONSTANT : GASAN_PROOF_BETWEEN;
  New.bits = Bits;
  New.value = Low;
  New.value2 = Low == High ? 0 : High;
  return add(New, nullptr);
}

Node Program::constant(const APInt &Value) {
  return between(Value.getBitWidth(), Value.getZExtValue(), Value.getZExtValue());
}

Node Program::anything(unsigned Bits, const Value &Of) {
  gasan_proof_node New = {};
  New.operation = GASAN_PROOF_BETWEEN;
  New.bits = Bits;
  New.value2 = maxUIntN(Bits);
  return add(New, &Of);
}

Node Program::argument(unsigned Bits, unsigned Number, uint64_t Offset) {
  gasan_proof_node New = {};
  New.operation = GASAN_PROOF_ARGUMENT;
  New.bits = Bits;
  New.a = Number;
  New.value = Offset;
  return add(New, nullptr);
}

Node Program::argumentElement(unsigned Bits, const ArgumentElements &Of, Node Distance) {
  gasan_proof_node New = {};
  New.operation = GASAN_PROOF_ARGUMENT_ELEMENT;
  New.bits = Bits;
  New.a = Distance;
  New.b = Of.Number;
  New.c = Of.Bytes;
  New.value = Of.Offset;
  New.value2 = Of.Stride;
  return add(New, nullptr);
}

Node Program::leaf(gasan_proof_operation Operation, unsigned Axis) {
  gasan_proof_node New = {};
  New.operation = Operation;
  New.bits = 32;
  New.a = Axis;
  return add(New, nullptr);
}

Node Program::operate(gasan_proof_operation Operation, unsigned Bits, Node A, Node B, Node C) {
  if (Operation == GASAN_PROOF_ADD && Nodes[A].operation == GASAN_PROOF_CONSTANT &&
      Nodes[B].operation == GASAN_PROOF_CONSTANT)
    return constant(Bits, Nodes[A].value + Nodes[B].value);
  if (Operation == GASAN_PROOF_ADD && (isConstant(A, 0) || isConstant(B, 0)))
    return isConstant(A, 0) ? B : A;
  if ((Operation == GASAN_PROOF_MUL && isConstant(B, 1)) || (Operation == GASAN_PROOF_SUB && isConstant(B, 0)) ||
      (Operation == GASAN_PROOF_UNION && A == B))
    return A;
  gasan_proof_node New = {};
  New.operation = Operation;
  New.bits = Bits;
  New.a = A;
  New.b = B;
  New.c = C;
  return add(New, nullptr);
}

Node Program::where(CmpInst::Predicate Predicate, Node A, Node B) {
  return operate(withPredicate(Predicate, GASAN_PROOF_WHERE_EQ, GASAN_PROOF_WHERE_NE, GASAN_PROOF_WHERE_SLT), bits(A),
                 A, B);
}

Node Program::times(CmpInst::Predicate Predicate, Node Start, Node Step, Node Limit) {
  return operate(withPredicate(Predicate, GASAN_PROOF_TIMES_NE, GASAN_PROOF_TIMES_NE, GASAN_PROOF_TIMES_SLT), 64, Start,
                 Step, Limit);
}

Node Program::unlessThereIs(Node N, Node Other) {
  Node Any = between(bits(N), 0, maxUIntN(bits(N)));
  Node Result = operate(GASAN_PROOF_UNION, bits(N), N, operate(GASAN_PROOF_IF, bits(N), Any, Other));
  Facts[Result] = Facts[N];
  Facts[Result].Of = nullptr;
  return Result;
}

Node Program::oneOf(Node A, Node B) {
  Node Result = operate(GASAN_PROOF_UNION, bits(A), A, B);
  Facts[Result].Point = Facts[A].Point && Facts[B].Point;
  return Result;
}

Node Program::resize(Node A, unsigned Bits, bool Signed) {
  if (Bits == bits(A))
    return A;
  return operate(Bits < bits(A) ? GASAN_PROOF_TRUNC : Signed ? GASAN_PROOF_SEXT : GASAN_PROOF_ZEXT, Bits, A);
}

bool Program::isConstant(Node N, uint64_t Value) const {
  return N < Nodes.size() && Nodes[N].operation == GASAN_PROOF_CONSTANT && Nodes[N].value == Value;
}

bool Program::isComputed(Node N) const {
  auto Narrows = [](unsigned Operation) {
    return Operation == GASAN_PROOF_ZEXT || Operation == GASAN_PROOF_SEXT || Operation == GASAN_PROOF_TRUNC ||
           (Operation >= GASAN_PROOF_WHERE_EQ && Operation < GASAN_PROOF_IF);
  };
  while (Narrows(Nodes[N].operation))
    N = Nodes[N].a;
  return Nodes[N].operation >= GASAN_PROOF_ADD;
}

std::optional<uint64_t> Program::constantOf(Node N) const {
  return isConstant(N) ? std::optional(Nodes[N].value) : std::nullopt;
}

Program::Fact Program::factOf(const gasan_proof_node &New, const Value *Of) const {
  const bool Few = New.bits <= kFewBits;
  auto Bounded = [](const Fact &F) { return F.Low && F.High; };
  if (New.operation < GASAN_PROOF_ADD) {
    const bool Full = New.operation == GASAN_PROOF_BETWEEN && New.value == 0 && New.value2 == maxUIntN(New.bits);
    const bool Point = New.operation == GASAN_PROOF_CONSTANT || New.operation == GASAN_PROOF_ARGUMENT ||
                       New.operation == GASAN_PROOF_BLOCK_DIM || New.operation == GASAN_PROOF_GRID_DIM ||
                       New.operation == GASAN_PROOF_DYNAMIC_SHARED_SIZE;
    return {!Full || Few, !Full || Few, Point, Of};
  }
  const Fact A = Facts[New.a];
  if (New.operation == GASAN_PROOF_ARGUMENT_ELEMENT)
    return {true, true, A.Point, nullptr};
  const bool HasB = New.operation < GASAN_PROOF_SEXT || New.operation >= GASAN_PROOF_WHERE_EQ;
  const Fact B = HasB ? Facts[New.b] : A;
  const bool HasC = New.operation >= GASAN_PROOF_RECURRENCE;
  const Fact C = HasC ? Facts[New.c] : A;
  const bool BothBounded = Bounded(A) && Bounded(B) && Bounded(C);
  const bool OneValue = !HasC && New.operation != GASAN_PROOF_UNION;
  Fact Result = {BothBounded, BothBounded, OneValue && A.Point && B.Point, nullptr};
  auto Say = [&](bool Low, bool High) { Result.Low = Low, Result.High = High; };
  switch (New.operation) {
  case GASAN_PROOF_ADD:
  case GASAN_PROOF_UNION:
    Say(A.Low && B.Low, A.High && B.High);
    break;
  case GASAN_PROOF_SUB:
    Say(A.Low && B.High, A.High && B.Low);
    break;
  case GASAN_PROOF_UREM:
  case GASAN_PROOF_SREM:
    Say(Bounded(B), Bounded(B));
    break;
  case GASAN_PROOF_LSHR:
    if (Nodes[New.b].operation == GASAN_PROOF_CONSTANT ? Nodes[New.b].value + kShiftedBits >= New.bits : B.Point)
      Say(true, true);
    break;
  case GASAN_PROOF_AND: {
    auto IsMask = [&](Node N) {
      return Nodes[N].operation == GASAN_PROOF_CONSTANT ? Nodes[N].value <= kGreatestMask : Bounded(Facts[N]);
    };
    if (IsMask(New.a) || IsMask(New.b))
      Say(true, true);
    break;
  }
  case GASAN_PROOF_SMIN:
    Say(A.Low && B.Low, A.High || B.High);
    break;
  case GASAN_PROOF_SMAX:
    Say(A.Low || B.Low, A.High && B.High);
    break;
  case GASAN_PROOF_UMIN:
    Say(Bounded(A) || Bounded(B), Bounded(A) || Bounded(B));
    break;
  case GASAN_PROOF_SEXT:
    Say(A.Low, A.High);
    break;
  case GASAN_PROOF_TRUNC:
    Say(Bounded(A), Bounded(A));
    break;
  case GASAN_PROOF_WHERE_EQ:
    Say(A.Low || B.Low, A.High || B.High);
    break;
  case GASAN_PROOF_WHERE_NE:
  case GASAN_PROOF_WHERE_CONGRUENT:
  case GASAN_PROOF_IF:
    Say(A.Low, A.High);
    break;
  case GASAN_PROOF_WHERE_SLT:
  case GASAN_PROOF_WHERE_SLE:
    Say(A.Low, A.High || B.High);
    break;
  case GASAN_PROOF_WHERE_SGT:
  case GASAN_PROOF_WHERE_SGE:
    Say(A.Low || B.Low, A.High);
    break;
  case GASAN_PROOF_WHERE_ULT:
  case GASAN_PROOF_WHERE_ULE:
    Say(Bounded(A) || Bounded(B), Bounded(A) || Bounded(B));
    break;
  case GASAN_PROOF_WHERE_UGT:
  case GASAN_PROOF_WHERE_UGE:
    Say(A.Low, A.High);
    break;
  default:
    break;
  }
  if (Few)
    Say(true, true);
  return Result;
}

Node Program::splitConstant(Node N, int64_t &Constant) {
  Constant = 0;
  const gasan_proof_node Sum = Nodes[N];
  if (Sum.operation == GASAN_PROOF_CONSTANT && Sum.bits == 64) {
    Constant = Sum.value;
    return constant(64, 0);
  }
  if (Sum.operation != GASAN_PROOF_ADD || Sum.bits != 64)
    return N;
  for (auto [Other, Number] : {std::pair(Sum.a, Sum.b), std::pair(Sum.b, Sum.a)})
    if (Nodes[Number].operation == GASAN_PROOF_CONSTANT) {
      Constant = Nodes[Number].value;
      return Other;
    }
  return N;
}

std::vector<gasan_proof_node> Program::reachable(MutableArrayRef<Node> Roots) const {
  BitVector Used(Nodes.size());
  for (Node Root : Roots)
    Used.set(Root);
  auto ForOperands = [](const gasan_proof_node &N, auto Do) {
    if (N.operation >= GASAN_PROOF_ADD)
      Do(N.a);
    if ((N.operation >= GASAN_PROOF_ADD && N.operation < GASAN_PROOF_SEXT) || N.operation >= GASAN_PROOF_WHERE_EQ)
      Do(N.b);
    if (N.operation >= GASAN_PROOF_RECURRENCE)
      Do(N.c);
  };
  for (Node N = Nodes.size(); N-- > 0;)
    if (Used[N])
      ForOperands(Nodes[N], [&](Node Operand) { Used.set(Operand); });
  std::vector<Node> Numbers(Nodes.size());
  std::vector<gasan_proof_node> Result;
  for (unsigned N : Used.set_bits()) {
    Numbers[N] = Result.size();
    gasan_proof_node New = Nodes[N];
    if (New.operation >= GASAN_PROOF_ADD) {
      New.a = Numbers[New.a];
      if (New.operation != GASAN_PROOF_ARGUMENT_ELEMENT) {
        New.b = Numbers[New.b]; // an unused operand is 0, which stays 0 or names a node that is not read
        New.c = Numbers[New.c];
      }
    }
    Result.push_back(New);
  }
  for (Node &Root : Roots)
    Root = Numbers[Root];
  return Result;
}

} // namespace gasan
