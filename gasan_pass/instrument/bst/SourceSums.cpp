// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
constexpr size_t kMostProducts = 64, kMostFactors = 8, kMostOperations = 256;

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

Sum Leaves::get(const void *Key, int64_t Part, const Leaf &Kind) {
  auto [Found, IsNew] = Numbers.try_emplace({Key, Part}, All.size());
  if (IsNew)
    All.push_back(Kind);
  return {{{{Found->second}, 1}}};
}

Sum Leaves::operation(unsigned Opcode, const Sum &Left, const Sum &Right, Leaf Kind) {
  for (const Operation &Other : Operations)
    if (Other.Opcode == Opcode && Other.Left.Factors == Left.Factors && Other.Right.Factors == Right.Factors)
      return {{{{Other.Number}, 1}}};
  if (Operations.size() < kMostOperations)
    Operations.push_back({Opcode, Left, Right, unsigned(All.size())});
  for (const Sum *S : {&Left, &Right})
    for (const auto &[Product, Factor] : S->Factors)
      for (unsigned L : Product)
        Kind.Variables.append(All[L].Variables);
  All.push_back(Kind);
  return {{{{unsigned(All.size() - 1)}, 1}}};
}

Sum Leaves::quotient(const Sum &Dividend, int64_t Divisor) {
  if (Dividend.isConstant())
    return Sum::of(Dividend.constant() / Divisor);
  Leaf Kind;
  Kind.IsUniform = isUniform(Dividend);
  Kind.IsHalf = Divisor == 2;
  Kind.Divisor = Divisor;
  Kind.Dividend = Dividend;
  if (Dividend.Factors.size() == 1 && Dividend.Factors.begin()->first.size() == 1 &&
      Dividend.Factors.begin()->second == 1)
    if (const int64_t Greatest = All[Dividend.Factors.begin()->first[0]].GreatestNumber; Greatest >= 0)
      Kind.GreatestNumber = Greatest / Divisor;
  return operation(Instruction::UDiv, Dividend, Sum::of(Divisor), Kind);
}

bool Leaves::isUniform(const Sum::Product &P) const {
  return all_of(P, [&](unsigned L) { return All[L].IsUniform; });
}

bool Leaves::isUniform(const Sum &S) const {
  return all_of(S.Factors, [&](const auto &Part) { return isUniform(Part.first); });
}

bool Leaves::hasHalf(const Sum &S) const {
  return any_of(S.Factors,
                [&](const auto &Part) { return any_of(Part.first, [&](unsigned L) { return All[L].IsHalf; }); });
}

// Returns false for `n - 1 - t` and `127 - t`, and true for `t - n` and `t - 1`.
bool Leaves::mayBeNegative(const Sum &S) const {
  bool IsLess = false, IsLessByUniform = false, IsMore = false, IsMoreByConstant = false;
  for (const auto &[Product, Factor] : S.Factors) {
    if (any_of(Product, [&](unsigned L) { return All[L].MayBeNegative; }))
      return true;
    if (Factor < 0) {
      IsLess = true;
      IsLessByUniform |= isUniform(Product);
    } else if (isUniform(Product)) {
      (Product.empty() ? IsMoreByConstant : IsMore) = true;
    }
  }
  return IsLess && !IsMore && !(IsMoreByConstant && !IsLessByUniform);
}

// Returns true if the stored value can reach Until without passing Since.
static bool arrives(const StoreInst &Set, const Instruction &Since, const Instruction &Until) {
  const BasicBlock *From = Set.getParent();
  if (From == Since.getParent() && Set.comesBefore(&Since))
    return false;
  if (From == Until.getParent() && Set.comesBefore(&Until))
    return true;
  constexpr size_t kMostBlocks = 64;
  SmallVector<const BasicBlock *, 16> Left(successors(From));
  SmallPtrSet<const BasicBlock *, 16> Seen;
  while (!Left.empty()) {
    const BasicBlock *Block = Left.pop_back_val();
    if (Block == Since.getParent() || !Seen.insert(Block).second)
      continue;
    if (Block == Until.getParent() || Seen.size() > kMostBlocks)
      return true;
    append_range(Left, successors(Block));
  }
  return false;
}

bool Leaves::mayChange(const Sum &S, const Instruction &Since, const Instruction &Until) const {
  auto MayChange = [&](const AllocaInst *Variable) {
    return any_of(Variable->users(), [&](const User *U) {
      auto *Set = dyn_cast<StoreInst>(U);
      if (!Set || Set->getPointerOperand() != Variable)
        return !isa<LoadInst, LifetimeIntrinsic>(U) && !isa<IntrinsicInst>(U);
      return arrives(*Set, Since, Until);
    });
  };
  return any_of(S.Factors, [&](const auto &Part) {
    return any_of(Part.first, [&](unsigned L) { return any_of(All[L].Variables, MayChange); });
  });
}

Sum Leaves::withoutQuotients(const Sum &S, bool Positive) const {
  Sum Result;
  for (const auto &[Product, Factor] : S.Factors) {
    const Leaf *Only = Product.size() == 1 ? &All[Product[0]] : nullptr;
    const bool Replaced = Only && Only->Divisor && (Factor > 0) == Positive && Factor % Only->Divisor == 0;
    Result = Replaced ? Result.plus(Only->Dividend, Factor / Only->Divisor) : Result.plus({{{Product, Factor}}});
  }
  return Result;
}

SourceSums::SourceSums(Function &F, Leaves &Known, std::vector<std::optional<Sum>> Arguments)
    : DL(F.getDataLayout()), All(Known), IsKernel(F.getCallingConv() == CallingConv::PTX_Kernel),
      Arguments(std::move(Arguments)) {
  for (Instruction &I : instructions(F)) {
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

Sum SourceSums::of(Value *Integer) {
  if (auto Found = Known.find(Integer); Found != Known.end())
    return Found->second;
  if (++Depth > kDeepest) {
    --Depth;
    return All.get(Integer, 0, Leaf());
  }
  Sum Result = compute(Integer);
  --Depth;
  const bool IsLong = Result.Factors.size() > kMostProducts ||
                      any_of(Result.Factors, [](const auto &Part) { return Part.first.size() > kMostFactors; });
  if (IsLong)
    Result = All.get(Integer, 0, Leaf());
  Known[Integer] = Result;
  return Result;
}

Sum SourceSums::compute(Value *Integer) {
  const APInt *Constant;
  Value *A, *B;
  if (auto *C = dyn_cast<ConstantInt>(Integer))
    return C->getBitWidth() <= 64 ? Sum::of(C->getSExtValue()) : All.get(Integer, 0, Leaf());
  if (auto *Argument = dyn_cast<llvm::Argument>(Integer)) {
    if (Argument->getArgNo() < Arguments.size() && Arguments[Argument->getArgNo()])
      return *Arguments[Argument->getArgNo()];
    return All.get(Integer, 0, Leaf(IsKernel));
  }
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
    return of(A).times(Sum::of(int64_t(1) << Constant->getZExtValue()));
  if (auto *Load = dyn_cast<LoadInst>(Integer))
    return load(*Load);
  if (auto *Call = dyn_cast<CallInst>(Integer))
    return call(*Call);
  if (auto *I = dyn_cast<Instruction>(Integer))
    return opaque(*I);
  return All.get(Integer, 0, Leaf());
}

// A variable that is set once stands for its value. A variable that is set several times is a leaf, and so is a member
// of a kernel's parameter.
Sum SourceSums::load(LoadInst &Load) {
  if (auto *Alloca = dyn_cast<AllocaInst>(Load.getPointerOperand())) {
    if (StoreInst *Set = soleSetOf(*Alloca)) {
      Sum Result = of(Set->getValueOperand());
      return All.mayChange(Result, *Set, Load) ? All.get(Alloca, 0, Leaf()) : Result;
    }
    if (All.has(Alloca)) // it may be derived from itself
      return All.get(Alloca, 0, Leaf());
    Leaf Kind;
    Kind.Variables.push_back(Alloca);
    Sum Result = All.get(Alloca, 0, Kind);
    const Variable &Found = Variables[Alloca];
    for (StoreInst *Set : Found.Sets)
      if (!Found.IsPrivate || All.mayBeNegative(of(Set->getValueOperand())))
        All[Result.Factors.begin()->first[0]].MayBeNegative = true;
    return Result;
  }
  APInt Offset(DL.getIndexTypeSizeInBits(Load.getPointerOperandType()), 0);
  Value *Base = Load.getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
  if (auto *Parameter = dyn_cast<Argument>(Base); Parameter && Parameter->hasByValAttr())
    return All.get(Parameter, Offset.getSExtValue(), Leaf(IsKernel));
  return All.get(&Load, 0, Leaf());
}

// Returns the intrinsic call inside clang's functions that implement threadIdx and similar variables.
static const CallInst *inner(const CallInst *Call) {
  const Function *Callee = Call->getCalledFunction();
  if (!Callee || Callee->isDeclaration() || !Call->arg_empty())
    return Call;
  const CallInst *Sole = nullptr;
  for (const Instruction &I : instructions(*Callee))
    if (auto *Inner = dyn_cast<CallInst>(&I)) {
      if (Sole)
        return Call;
      Sole = Inner;
    }
  return Sole && isa<IntrinsicInst>(Sole) ? Sole : Call;
}

Sum SourceSums::call(CallInst &Call) {
  const auto *Read = dyn_cast<IntrinsicInst>(inner(&Call));
  if (!Read || !Read->arg_empty())
    return opaque(Call);
  const Intrinsic::ID Id = Read->getIntrinsicID();
  auto Size = [&](Intrinsic::ID Id, int64_t Greatest) {
    Leaf Kind;
    Kind.IsUniform = true;
    Kind.GreatestNumber = Greatest;
    return All.get(nullptr, Id, Kind);
  };
  auto Place = [&](const Sum &Most) {
    Leaf Kind;
    Kind.Most = Most;
    return All.get(nullptr, Id, Kind);
  };
  constexpr int64_t kMostThreads = 1024, kMostThreadsInZ = 64, kWarp = 32;
  switch (Id) {
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    return Size(Id, kMostThreads);
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
    return Size(Id, kMostThreadsInZ);
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    return Size(Id, -1);
  case Intrinsic::nvvm_read_ptx_sreg_warpsize:
    return Sum::of(kWarp);
  case Intrinsic::nvvm_read_ptx_sreg_laneid:
    return Place(Sum::of(kWarp - 1));
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    return Place(Size(Intrinsic::nvvm_read_ptx_sreg_ntid_x, kMostThreads).plus(Sum::of(1), -1));
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    return Place(Size(Intrinsic::nvvm_read_ptx_sreg_ntid_y, kMostThreads).plus(Sum::of(1), -1));
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return Place(Size(Intrinsic::nvvm_read_ptx_sreg_ntid_z, kMostThreadsInZ).plus(Sum::of(1), -1));
  default:
    return opaque(Call);
  }
}

// Returns a leaf for arithmetic that is not a sum. The leaf is uniform if all operands are.
Sum SourceSums::opaque(Instruction &I) {
  Value *A, *B;
  const APInt *Constant;
  if (match(&I, m_IDiv(m_Value(A), m_APInt(Constant))) && Constant->isStrictlyPositive() && Constant->ult(1u << 31))
    return All.quotient(of(A), Constant->getZExtValue());
  if (match(&I, m_Shr(m_Value(A), m_APInt(Constant))) && Constant->ult(31))
    return All.quotient(of(A), int64_t(1) << Constant->getZExtValue());
  Leaf Kind;
  auto IsUniform = [&](Value *V) { return V->getType()->isIntegerTy() && All.isUniform(of(V)); };
  if (isa<BinaryOperator, SelectInst>(I) || (isa<MinMaxIntrinsic>(I)))
    Kind.IsUniform = all_of(I.operands(), [&](Use &Operand) { return isa<Function>(Operand) || IsUniform(Operand); });
  if (match(&I, m_IRem(m_Value(), m_Value(B))))
    Kind.Most = of(B).plus(Sum::of(1), -1);
  else if (match(&I, m_And(m_Value(A), m_NegatedPower2(Constant))))
    Kind.Most = of(A);
  else if (match(&I, m_And(m_Value(A), m_Value(B))) && (IsUniform(A) || IsUniform(B)))
    Kind.Most = IsUniform(B) ? of(B) : of(A);
  if (!isa<BinaryOperator>(I))
    return All.get(&I, 0, Kind);
  return All.operation(I.getOpcode(), of(I.getOperand(0)), of(I.getOperand(1)), Kind);
}

Sum SourceSums::stepOf(GEPOperator &Gep) {
  Sum Result;
  for (gep_type_iterator Step = gep_type_begin(Gep), End = gep_type_end(Gep); Step != End; ++Step) {
    int64_t Bytes;
    Sum Index = of(Step.getOperand());
    if (StructType *Struct = Step.getStructTypeOrNull()) {
      Bytes = DL.getStructLayout(Struct)->getElementOffset(cast<ConstantInt>(Step.getOperand())->getZExtValue());
      Index = Sum::of(1);
    } else {
      Bytes = Step.getSequentialElementStride(DL).getFixedValue();
    }
    Result = Result.plus(Index, Bytes);
  }
  return Result;
}

} // namespace gasan
