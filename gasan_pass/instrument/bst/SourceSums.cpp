#include "gasan_pass/instrument/bst/SourceSums.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {

constexpr unsigned kDeepest = 64;
constexpr size_t kMostProducts = 64, kMostFactors = 8;

Sum Sum::plus(const Sum &Other, int64_t Times) const {
  Sum Result = *this;
  for (const auto &[Product, Factor] : Other.Factors) {
    int64_t &Own = Result.Factors[Product];
    Own = int64_t(uint64_t(Own) + uint64_t(Factor) * uint64_t(Times));
    if (!Own)
      Result.Factors.erase(Product);
  }
  return Result;
}

Sum Sum::times(const Sum &Other) const {
  Sum Result;
  for (const auto &[A, FactorOfA] : Factors)
    for (const auto &[B, FactorOfB] : Other.Factors) {
      Product Both = A;
      Both.insert(Both.end(), B.begin(), B.end());
      llvm::sort(Both);
      Result = Result.plus({{{Both, int64_t(uint64_t(FactorOfA) * uint64_t(FactorOfB))}}});
    }
  return Result;
}

int64_t Sum::constant() const {
  auto Found = Factors.find({});
  return Found == Factors.end() ? 0 : Found->second;
}

bool Sum::isNeverNegative() const {
  return all_of(Factors, [](const auto &Part) { return Part.second > 0; });
}

SourceSums::SourceSums(Function &Kernel) : DL(Kernel.getDataLayout()) {
  for (Instruction &I : instructions(Kernel)) {
    auto *Alloca = dyn_cast<AllocaInst>(&I);
    if (!Alloca)
      continue;
    Variable &Known = Variables[Alloca];
    for (User *U : Alloca->users()) {
      if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getPointerOperand() == Alloca)
        Known.Sets.push_back(Store);
      else if (!isa<LoadInst>(U) && !isa<LifetimeIntrinsic>(U) &&
               !(isa<IntrinsicInst>(U) && cast<IntrinsicInst>(U)->getIntrinsicID() == Intrinsic::var_annotation))
        Known.IsPrivate = false;
    }
  }
}

StoreInst *SourceSums::soleSetOf(const AllocaInst &Alloca) const {
  auto Found = Variables.find(&Alloca);
  return Found != Variables.end() && Found->second.IsPrivate && Found->second.Sets.size() == 1 ? Found->second.Sets[0]
                                                                                               : nullptr;
}

bool SourceSums::isUniform(const Sum &S) const {
  return all_of(S.Factors,
                [&](const auto &Part) { return all_of(Part.first, [&](unsigned L) { return Leaves[L].IsUniform; }); });
}

bool SourceSums::hasHalf(const Sum &S) const {
  return any_of(S.Factors,
                [&](const auto &Part) { return any_of(Part.first, [&](unsigned L) { return Leaves[L].IsHalf; }); });
}

// `n - 1 - t` is none of these; `t - n` and `t - 1` are, and `127 - t` is not.
bool SourceSums::mayBeNegative(const Sum &S) const {
  auto IsUniform = [&](const Sum::Product &Leaves) {
    return all_of(Leaves, [&](unsigned L) { return this->Leaves[L].IsUniform; });
  };
  bool IsLess = false, IsLessByUniform = false, IsMore = false, IsMoreByConstant = false;
  for (const auto &[Product, Factor] : S.Factors) {
    if (any_of(Product, [&](unsigned L) { return Leaves[L].MayBeNegative; }))
      return true;
    if (Factor < 0) {
      IsLess = true;
      IsLessByUniform |= IsUniform(Product);
    } else if (IsUniform(Product)) {
      (Product.empty() ? IsMoreByConstant : IsMore) = true;
    }
  }
  return IsLess && !IsMore && !(IsMoreByConstant && !IsLessByUniform);
}

bool SourceSums::shareVariable(const Sum &A, const Sum &B) const {
  auto Has = [&](const Sum &S, unsigned Leaf) {
    return any_of(S.Factors, [&](const auto &Part) { return is_contained(Part.first, Leaf); });
  };
  return any_of(A.Factors, [&](const auto &Part) {
    return any_of(Part.first, [&](unsigned L) { return !Leaves[L].IsUniform && Has(B, L); });
  });
}

Sum SourceSums::leaf(const void *Key, int64_t Part, Leaf Kind) {
  auto [Found, IsNew] = Numbers.try_emplace({Key, Part}, Leaves.size());
  if (IsNew)
    Leaves.push_back(Kind);
  return {{{{Found->second}, 1}}};
}

Sum SourceSums::of(Value *Integer) {
  if (auto Found = Known.find(Integer); Found != Known.end())
    return Found->second;
  if (++Depth > kDeepest) {
    --Depth;
    return leaf(Integer, 0, {});
  }
  Sum Result = compute(Integer);
  --Depth;
  const bool IsLong = Result.Factors.size() > kMostProducts ||
                      any_of(Result.Factors, [](const auto &Part) { return Part.first.size() > kMostFactors; });
  if (IsLong)
    Result = leaf(Integer, 0, {});
  Known[Integer] = Result;
  return Result;
}

Sum SourceSums::compute(Value *Integer) {
  auto Number = [](int64_t N) { return N ? Sum{{{{}, N}}} : Sum{}; };
  const APInt *Constant;
  Value *A, *B;
  if (auto *C = dyn_cast<ConstantInt>(Integer))
    return C->getBitWidth() <= 64 ? Number(C->getSExtValue()) : leaf(Integer, 0, {});
  if (isa<Argument>(Integer))
    return leaf(Integer, 0, {/*IsUniform=*/true});
  if (match(Integer, m_SExt(m_Value(A))) || match(Integer, m_ZExt(m_Value(A))) || match(Integer, m_Trunc(m_Value(A))) ||
      match(Integer, m_Freeze(m_Value(A))))
    return of(A);
  if (match(Integer, m_Add(m_Value(A), m_Value(B))))
    return of(A).plus(of(B));
  if (match(Integer, m_Sub(m_Value(A), m_Value(B))))
    return of(A).plus(of(B), -1);
  if (match(Integer, m_Mul(m_Value(A), m_Value(B))))
    return of(A).times(of(B));
  if (match(Integer, m_Shl(m_Value(A), m_APInt(Constant))) && Constant->ult(62))
    return of(A).times(Number(int64_t(1) << Constant->getZExtValue()));
  if (auto *Load = dyn_cast<LoadInst>(Integer))
    return load(*Load);
  if (auto *Call = dyn_cast<CallInst>(Integer))
    return call(*Call);
  if (auto *I = dyn_cast<Instruction>(Integer))
    return opaque(*I);
  return leaf(Integer, 0, {});
}

// A variable with one value is that value. One with several is a leaf, and so is a member of a kernel's parameter.
Sum SourceSums::load(LoadInst &Load) {
  if (auto *Alloca = dyn_cast<AllocaInst>(Load.getPointerOperand())) {
    if (StoreInst *Set = soleSetOf(*Alloca))
      return of(Set->getValueOperand());
    if (Numbers.contains({Alloca, 0})) // it may be set to what it is made of
      return leaf(Alloca, 0, {});
    Sum Result = leaf(Alloca, 0, {});
    const Variable &Found = Variables[Alloca];
    for (StoreInst *Set : Found.Sets)
      if (!Found.IsPrivate || mayBeNegative(of(Set->getValueOperand())))
        Leaves[Result.Factors.begin()->first[0]].MayBeNegative = true;
    return Result;
  }
  APInt Offset(DL.getIndexTypeSizeInBits(Load.getPointerOperandType()), 0);
  Value *Base = Load.getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
  if (auto *Parameter = dyn_cast<Argument>(Base); Parameter && Parameter->hasByValAttr())
    return leaf(Parameter, Offset.getSExtValue(), {/*IsUniform=*/true});
  return leaf(&Load, 0, {});
}

// clang's functions behind threadIdx and its kin call one intrinsic.
static const CallInst &inner(const CallInst &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || Callee->isDeclaration() || !Call.arg_empty())
    return Call;
  const CallInst *Sole = nullptr;
  for (const Instruction &I : instructions(*Callee))
    if (auto *Inner = dyn_cast<CallInst>(&I)) {
      if (Sole)
        return Call;
      Sole = Inner;
    }
  return Sole && isa<IntrinsicInst>(Sole) ? *Sole : Call;
}

Sum SourceSums::call(CallInst &Call) {
  const auto *Read = dyn_cast<IntrinsicInst>(&inner(Call));
  if (!Read || !Read->arg_empty())
    return opaque(Call);
  switch (Read->getIntrinsicID()) {
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
  case Intrinsic::nvvm_read_ptx_sreg_warpsize:
    return leaf(Read->getCalledFunction(), 0, {/*IsUniform=*/true});
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return leaf(Read->getCalledFunction(), 0, {});
  default:
    return opaque(Call);
  }
}

// Arithmetic that is no sum: as uniform as its operands.
Sum SourceSums::opaque(Instruction &I) {
  Leaf Kind;
  Kind.IsHalf = match(&I, m_IDiv(m_Value(), m_SpecificInt(2))) || match(&I, m_Shr(m_Value(), m_One()));
  if (isa<BinaryOperator, SelectInst>(I) || (isa<MinMaxIntrinsic>(I)))
    Kind.IsUniform = all_of(I.operands(), [&](Use &Operand) {
      return isa<Function>(Operand) || (Operand->getType()->isIntegerTy() && isUniform(of(Operand)));
    });
  if (!Kind.IsUniform || !isa<BinaryOperator>(I))
    return leaf(&I, 0, Kind);
  Operation Made = {I.getOpcode(), of(I.getOperand(0)), of(I.getOperand(1)), &I};
  for (const Operation &Other : Operations)
    if (Other.Opcode == Made.Opcode && Other.Left.Factors == Made.Left.Factors &&
        Other.Right.Factors == Made.Right.Factors)
      return leaf(Other.First, 0, Kind);
  Operations.push_back(Made);
  return leaf(&I, 0, Kind);
}

Sum SourceSums::stepOf(GEPOperator &Gep) {
  Sum Result;
  for (gep_type_iterator Step = gep_type_begin(Gep), End = gep_type_end(Gep); Step != End; ++Step) {
    int64_t Bytes;
    Sum Index = of(Step.getOperand());
    if (StructType *Struct = Step.getStructTypeOrNull()) {
      Bytes = DL.getStructLayout(Struct)->getElementOffset(cast<ConstantInt>(Step.getOperand())->getZExtValue());
      Index = Sum{{{{}, 1}}};
    } else {
      Bytes = Step.getSequentialElementStride(DL).getFixedValue();
    }
    Result = Result.plus(Index, Bytes);
  }
  return Result;
}

} // namespace gasan
