// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes the values of floating-point numbers from which indices are made, as their ordinals (proof/floats.h):
//
//   x = (column + 0.5f) * scale - 0.5f;  i = min((int)max(x, 0.0f), width - 1)
//
// Only operations whose rounding is known are followed. Fast-math flags promise results, or allow other operations in
// their place, so an operation with such flags gives any number, apart from `contract`: a product that the code
// generator may fuse with an addition is the exact one, too.
#include "gasan_pass/instrument/proof/Formula.h"
#include "llvm/IR/NVVMIntrinsicUtils.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {
namespace {

APInt ordinalOf(const APFloat &Number) {
  APInt Bits = Number.bitcastToAPInt();
  if (!Bits.isSignBitSet())
    return Bits;
  Bits.clearSignBit();
  return -Bits;
}

bool mayBeReplaced(const Instruction &I) {
  const auto *Operator = dyn_cast<FPMathOperator>(&I);
  return Operator && (Operator->hasAllowReassoc() || Operator->hasAllowReciprocal() || Operator->hasApproxFunc() ||
                      I.getMetadata(LLVMContext::MD_fpmath));
}

// Returns true if divisions of 32 bits are rounded to nearest: no option asks for faster ones.
bool hasPreciseDivision() {
  auto &Options = cl::getRegisteredOptions();
  auto Found = Options.find("nvptx-prec-divf32");
  return Found == Options.end() || !Found->second->getNumOccurrences();
}

// Returns true if the code generator cannot fuse the product with what uses it.
bool isRounded(const Instruction &Product) {
  return all_of(Product.users(), [](const User *U) {
    if (isa<FPToSIInst, FPToUIInst, FCmpInst>(U))
      return true;
    const auto *Call = dyn_cast<IntrinsicInst>(U);
    switch (Call ? Call->getIntrinsicID() : Intrinsic::not_intrinsic) {
    case Intrinsic::floor:
    case Intrinsic::ceil:
    case Intrinsic::trunc:
    case Intrinsic::rint:
    case Intrinsic::maxnum:
    case Intrinsic::minnum:
      return true;
    default:
      return false;
    }
  });
}

// Returns true for a conversion to an integer that names its rounding, as __float2int_rd().
bool isConversion(const IntrinsicInst &I) {
  StringRef Name = I.getCalledFunction()->getName();
  for (const char *Prefix : {"llvm.nvvm.f2", "llvm.nvvm.d2"})
    if (Name.consume_front(Prefix))
      for (const char *Type : {"i.r", "ui.r", "ll.r", "ull.r"})
        if (Name.starts_with(Type))
          return true;
  return false;
}

std::optional<gasan_proof_operation> roundingBefore(APFloat::roundingMode Mode) {
  switch (Mode) {
  case APFloat::rmTowardNegative:
    return GASAN_PROOF_FLOAT_FLOOR;
  case APFloat::rmTowardPositive:
    return GASAN_PROOF_FLOAT_CEIL;
  case APFloat::rmTowardZero:
    return GASAN_PROOF_FLOAT_CHOP;
  case APFloat::rmNearestTiesToEven:
    return GASAN_PROOF_FLOAT_EVEN;
  default:
    return std::nullopt;
  }
}

} // namespace

// Returns the node of an integer that is converted from a number. Empty: it is none.
std::optional<Node> Formulas::integerOfFloat(Value *V, const Place *At) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !isInteger(V))
    return std::nullopt;
  if (isa<FPToSIInst, FPToUIInst>(I))
    return isFloat(I->getOperand(0))
               ? Nodes.operate(isa<FPToSIInst>(I) ? GASAN_PROOF_FLOAT_TO_SIGNED : GASAN_PROOF_FLOAT_TO_UNSIGNED,
                               bitsOf(V), of(I->getOperand(0), At))
               : anything(V);
  auto *Call = dyn_cast<IntrinsicInst>(I);
  if (!Call || Call->arg_size() != 1 || !isFloat(Call->getArgOperand(0)) || !isConversion(*Call))
    return std::nullopt;
  const Intrinsic::ID Own = Call->getIntrinsicID();
  const std::optional<gasan_proof_operation> Rounding = roundingBefore(nvvm::GetFPToIntegerRoundingMode(Own));
  if (!Rounding)
    return anything(V);
  Value *From = Call->getArgOperand(0);
  return Nodes.operate(nvvm::FPToIntegerIntrinsicResultIsSigned(Own) ? GASAN_PROOF_FLOAT_TO_SIGNED
                                                                     : GASAN_PROOF_FLOAT_TO_UNSIGNED,
                       bitsOf(V), Nodes.operate(*Rounding, bitsOf(From), of(From, At)));
}

// Returns the node of an intrinsic's result. Empty: it may be any number.
std::optional<Node> Formulas::floatIntrinsic(IntrinsicInst &I, const Place *At) {
  const unsigned Bits = bitsOf(&I);
  if (!all_of(I.args(), [](const Use &U) { return isFloat(U); }))
    return std::nullopt;
  auto Operand = [&](unsigned Index) { return of(I.getArgOperand(Index), At); };
  auto Number = [&](double Value) {
    return Nodes.constant(ordinalOf(Bits == 32 ? APFloat(float(Value)) : APFloat(Value)));
  };
  auto Unary = [&](gasan_proof_operation Operation) { return Nodes.operate(Operation, Bits, Operand(0)); };
  auto Binary = [&](gasan_proof_operation Operation) { return Nodes.operate(Operation, Bits, Operand(0), Operand(1)); };
  switch (I.getIntrinsicID()) {
  case Intrinsic::maxnum:
    return Binary(GASAN_PROOF_SMAX);
  case Intrinsic::minnum:
    return Binary(GASAN_PROOF_SMIN);
  case Intrinsic::nvvm_saturate_f:
  case Intrinsic::nvvm_saturate_ftz_f:
  case Intrinsic::nvvm_saturate_d:
    return Nodes.operate(GASAN_PROOF_SMIN, Bits, Nodes.operate(GASAN_PROOF_SMAX, Bits, Operand(0), Number(0)),
                         Number(1));
  case Intrinsic::floor:
    return Unary(GASAN_PROOF_FLOAT_FLOOR);
  case Intrinsic::ceil:
    return Unary(GASAN_PROOF_FLOAT_CEIL);
  case Intrinsic::trunc:
    return Unary(GASAN_PROOF_FLOAT_CHOP);
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::roundeven:
    return Unary(GASAN_PROOF_FLOAT_EVEN);
  case Intrinsic::fabs:
  case Intrinsic::nvvm_fabs:
  case Intrinsic::nvvm_fabs_ftz:
    return absolute(Operand(0));
  case Intrinsic::copysign: // roundf() adds 0.5 with the sign of the number
    if (const APFloat *Size; match(I.getArgOperand(0), m_APFloat(Size)) && !Size->isNaN()) {
      const APInt Greatest = ordinalOf(abs(*Size));
      return Nodes.between(Bits, (-Greatest).getZExtValue(), Greatest.getZExtValue());
    }
    return std::nullopt;
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
  case Intrinsic::nvvm_fma_rn_f:
  case Intrinsic::nvvm_fma_rn_ftz_f:
  case Intrinsic::nvvm_fma_rn_d:
    return Nodes.operate(GASAN_PROOF_FLOAT_ADD, Bits, Binary(GASAN_PROOF_FLOAT_REAL_MUL), Operand(2));
  case Intrinsic::nvvm_add_rn_f:
  case Intrinsic::nvvm_add_rn_ftz_f:
  case Intrinsic::nvvm_add_rn_d:
    return Binary(GASAN_PROOF_FLOAT_ADD);
  case Intrinsic::nvvm_add_rz_f:
  case Intrinsic::nvvm_add_rz_ftz_f: {
    // Next to the sum that is rounded to nearest.
    const double Next = 1 + std::numeric_limits<float>::epsilon();
    const Node Around = Nodes.between(Bits, ordinalOf(APFloat(float(1 / Next))).getZExtValue(),
                                      ordinalOf(APFloat(float(Next))).getZExtValue());
    return Nodes.operate(GASAN_PROOF_FLOAT_REAL_MUL, Bits, Binary(GASAN_PROOF_FLOAT_ADD), Around);
  }
  case Intrinsic::nvvm_mul_rn_f:
  case Intrinsic::nvvm_mul_rn_ftz_f:
  case Intrinsic::nvvm_mul_rn_d:
    return Binary(GASAN_PROOF_FLOAT_MUL);
  case Intrinsic::nvvm_div_rn_f:
  case Intrinsic::nvvm_div_rn_ftz_f:
  case Intrinsic::nvvm_div_rn_d:
    return Binary(GASAN_PROOF_FLOAT_DIV);
  case Intrinsic::nvvm_sqrt_rn_f:
  case Intrinsic::nvvm_sqrt_rn_ftz_f:
  case Intrinsic::nvvm_sqrt_rn_d:
    return Unary(GASAN_PROOF_FLOAT_SQRT);
  default:
    return std::nullopt;
  }
}

Node Formulas::ofFloat(Value *V, const Place *At) {
  const unsigned Bits = bitsOf(V);
  if (const auto *Constant = dyn_cast<ConstantFP>(V))
    return Constant->isNaN() ? anything(V) : Nodes.constant(ordinalOf(Constant->getValueAPF()));
  if (std::optional<ArgumentPart> Part = argumentPart(*V, Written))
    return Nodes.operate(GASAN_PROOF_FLOAT_OF_BITS, Bits, Nodes.argument(Bits, Part->Number, Part->Offset));
  auto *I = dyn_cast<Instruction>(V);
  if (!I || mayBeReplaced(*I))
    return anything(V);
  if (auto *Phi = dyn_cast<PHINode>(I))
    return Loops.isLoopHeader(Phi->getParent()) ? anything(V) : phi(*Phi);
  if (auto *Select = dyn_cast<SelectInst>(I))
    return select(*Select, At);
  if (auto *Call = dyn_cast<IntrinsicInst>(I)) {
    std::optional<Node> Result = floatIntrinsic(*Call, At);
    return Result ? *Result : anything(V);
  }
  Value *First = I->getNumOperands() ? I->getOperand(0) : nullptr;
  auto Binary = [&](gasan_proof_operation Operation) {
    Node A = of(First, At);
    return Nodes.operate(Operation, Bits, A, of(I->getOperand(1), At));
  };
  switch (I->getOpcode()) {
  case Instruction::FAdd:
    return Binary(GASAN_PROOF_FLOAT_ADD);
  case Instruction::FSub:
    return Binary(GASAN_PROOF_FLOAT_SUB);
  case Instruction::FMul:
    return Binary(isRounded(*I) ? GASAN_PROOF_FLOAT_MUL : GASAN_PROOF_FLOAT_REAL_MUL);
  case Instruction::FDiv:
    return Bits == 64 || hasPreciseDivision() ? Binary(GASAN_PROOF_FLOAT_DIV) : anything(V);
  case Instruction::FNeg:
    return Nodes.operate(GASAN_PROOF_SUB, Bits, Nodes.constant(Bits, 0), of(First, At));
  case Instruction::FPExt:
  case Instruction::FPTrunc:
    return isFloat(First) ? Nodes.operate(GASAN_PROOF_FLOAT_RESIZE, Bits, of(First, At)) : anything(V);
  case Instruction::Freeze:
    return of(First, At);
  case Instruction::SIToFP:
    return isInteger(First) ? Nodes.operate(GASAN_PROOF_FLOAT_OF_SIGNED, Bits, of(First, At)) : anything(V);
  case Instruction::UIToFP: {
    if (!isInteger(First))
      return anything(V);
    const Node From = of(First, At);
    const Node Result = Nodes.operate(GASAN_PROOF_FLOAT_OF_UNSIGNED, Bits, From);
    return I->hasNonNeg()
               ? Nodes.unlessThereIs(Result, Nodes.where(CmpInst::ICMP_SLT, From, Nodes.constant(Nodes.bits(From), 0)))
               : Result;
  }
  default:
    return anything(V);
  }
}

// Narrows N, the values of V, by comparisons. One that holds for NaN, too, counts if neither number may be NaN.
Node Formulas::narrowFloat(Value *V, Node N, const Place *At) {
  if (Nodes.isPoint(N))
    return N;
  const Node Greatest = Nodes.constant(ordinalOf(APFloat::getInf(V->getType()->getFltSemantics())));
  const Node Least = Nodes.constant(ordinalOf(APFloat::getInf(V->getType()->getFltSemantics(), /*Negative=*/true)));
  for (const Place *P = At; P; P = P->Outer)
    for (const FloatRelation &F : P->Floats)
      for (const Relation &R : {F.Of, F.Of.swapped()}) {
        if (R.Left != V || openItem(&F))
          continue;
        const Node Limit = whileOpen(&F, 0, [&] { return of(R.Right, P); });
        Node Result = Nodes.where(R.Predicate, N, Limit);
        for (Node Compared : {N, Limit})
          for (Node NoNumber :
               {Nodes.where(CmpInst::ICMP_SGT, Compared, Greatest), Nodes.where(CmpInst::ICMP_SLT, Compared, Least)})
            if (!F.IsOrdered)
              Result = Nodes.unlessThereIs(Result, NoNumber);
        N = Result;
      }
  return N;
}

} // namespace gasan
