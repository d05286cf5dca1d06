// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes an index again that a compiler has reduced to sums. The index of a convolution's patch, for example, is a
// product with a difference in it:
//
//   for (w = first; w < end; w++)
//     patches[(x - w * stride) * rows + w]
//
// nvcc moves the index beside w, and unrolls the loop:
//
//   index = (x - first * stride) * rows + first
//   for (w = first; w < end; w += 4, index += 4 * (1 - stride * rows))
//     patches[index], patches[index + (1 - stride * rows)], ...
//
// Intervals show nothing about the moving index. The rules about differences (FormulaWindows.cpp) need w in place of
// `first`. So this file puts w + k there, in instructions of its own, and evaluates these.
//
// The proof: let f(w) be the index's first value with w in place of `first`, and s the step of w. All numbers have 32
// bits, and wrap. Polynomials show that f(w + 1) - f(w) is a number d that the loop does not change, and that each
// round adds s * d to the index. So the index is f(w) in each round, whatever wraps. An offset of size * (index + k *
// d), computed in 64 bits, is size * f(w + k) modulo size * 2^32. The two are the same number if index + k * d is a
// number of 32 bits. In launches in which it may not be one, the offset has the values that follow from its operands.
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/proof/Sum.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr unsigned kBits = 32;
constexpr int64_t kMostUnrolled = 16; // rounds in one
constexpr int64_t kMostSize = 1 << 16;

// Copies sums and products of an operand, with another value in the operand's place and without promises.
class Copy {
public:
  Copy(const Value &Old, Value &New, BasicBlock::iterator At, SmallVectorImpl<WeakVH> &Made)
      : Old(Old), New(New), At(At), Made(Made) {}

  // Returns V's copy: V itself if the operand is not in it. Null: it is too large, or another operation has the
  // operand.
  Value *of(Value *V) {
    auto *I = dyn_cast<BinaryOperator>(V);
    if (V == &Old || !contains(V))
      return V == &Old ? &New : V;
    if (!I || !isCopied(*I) || ++Copied > kMostCopied)
      return nullptr;
    Value *Left = of(I->getOperand(0)), *Right = Left ? of(I->getOperand(1)) : nullptr;
    return Right ? insert(I->getOpcode(), Left, Right) : nullptr;
  }

  Value *insert(Instruction::BinaryOps Opcode, Value *Left, Value *Right) {
    Made.push_back(BinaryOperator::Create(Opcode, Left, Right, "", At));
    return Made.back();
  }

private:
  static constexpr unsigned kMostCopied = 32, kMostVisited = 512, kDeepest = 16;
  const Value &Old;
  Value &New;
  BasicBlock::iterator At;
  SmallVectorImpl<WeakVH> &Made;
  unsigned Copied = 0, Visited = 0;

  // Returns true if the operand may be in V.
  bool contains(const Value *V, unsigned Depth = 0) {
    if (V == &Old || Depth > kDeepest || ++Visited > kMostVisited)
      return true;
    const auto *I = dyn_cast<Instruction>(V);
    return I && !isa<PHINode>(I) && any_of(I->operands(), [&](const Value *O) { return contains(O, Depth + 1); });
  }

  static bool isCopied(const BinaryOperator &I) {
    constexpr Instruction::BinaryOps kSums[] = {Instruction::Add, Instruction::Sub, Instruction::Mul};
    return is_contained(kSums, I.getOpcode()) ||
           (I.getOpcode() == Instruction::Shl && isa<ConstantInt>(I.getOperand(1)));
  }
};

} // namespace

// An index that moves beside a counter of its loop.
struct Formulas::Reduced : Formulas::Sum {
  const Loop &L;
  PHINode &Index, &Counter;
  Polynomial Slope = Polynomial(kBits); // f(w + 1) - f(w)

  bool isNumber(const PHINode &Phi) const { return Phi.getType()->isIntegerTy(kBits); }

  // Returns what each round adds to the variable.
  Polynomial added(PHINode &Phi) { return of(Phi.getIncomingValueForBlock(L.getLoopLatch())).minus(of(&Phi)); }

  bool isInvariant(const Polynomial &Of) const {
    return all_of(Of.terms(), [&](const auto &Term) {
      return all_of(Term.first, [&](unsigned Atom) { return !P.minimum(Atom) && L.isLoopInvariant(P.atom(Atom)); });
    });
  }

  // Returns f(counter + More). Null: it is no sum of products of the counter.
  Value *ahead(int64_t More) {
    auto [Known, IsNew] = F.ReducedIndices.try_emplace({&Index, &Counter, More}, nullptr);
    if (!IsNew)
      return Known->second;
    BasicBlock *Entry = L.getLoopPredecessor();
    Value *Start = Counter.getIncomingValueForBlock(Entry);
    const BasicBlock::iterator At = L.getHeader()->getFirstInsertionPt();
    Value *Moved = &Counter;
    if (More)
      Moved = Copy(*Start, Counter, At, F.Copies)
                  .insert(Instruction::Add, &Counter, ConstantInt::getSigned(Counter.getType(), More));
    Value *Result = Copy(*Start, *Moved, At, F.Copies).of(Index.getIncomingValueForBlock(Entry));
    auto *Made = dyn_cast_or_null<Instruction>(Result);
    return Known->second = Made && L.contains(Made) ? Result : nullptr;
  }

  // Returns true if the index is f(counter) in each round. A slope that is a constant is left to intervals.
  bool isReduced() {
    if (!isNumber(Counter) || &Counter == &Index ||
        isa<Constant>(Counter.getIncomingValueForBlock(L.getLoopPredecessor())))
      return false;
    const std::optional<int64_t> Step = added(Counter).constant();
    const Polynomial Moved = added(Index);
    if (!Step || *Step == 0 || std::abs(*Step) > kMostUnrolled || Moved.constant() || !isInvariant(Moved))
      return false;
    Value *Here = ahead(0), *Next = Here ? ahead(1) : nullptr;
    if (!Next)
      return false;
    Slope = of(Next).minus(of(Here));
    return isInvariant(Slope) && Moved == Polynomial(kBits).plus(Slope, *Step) && Minima.empty();
  }

  // Returns the k for which Way is k * d. Empty: there is none.
  std::optional<int64_t> roundsIn(const Polynomial &Way) const {
    Polynomial Total(64);
    for (int64_t Rounds = 0; Rounds < kMostUnrolled; ++Rounds, Total = Total.plus(slope()))
      if (Total == Way)
        return Rounds;
    return std::nullopt;
  }

  // Returns the slope as a number of 64 bits.
  Polynomial slope() const {
    Polynomial Result(64);
    for (const auto &[Product, Coefficient] : Slope.terms())
      Result.add(Product, Coefficient);
    return Result;
  }
};

// Narrows the offset of a pointer by an index that moves beside a counter.
Node Formulas::narrowReduced(Value *Pointer, Node Offset, const BasicBlock &Block) {
  if (!Kernel.hasFnAttribute(kLiftedAttr)) // other code has not been reduced yet
    return Offset;
  const Place *At = Conditions.at(&Block);
  SmallVector<Polynomials::Narrow, 4> Casts;
  Sum Offsets = {*this, Sums};
  const std::optional<Polynomial> Whole = Offsets.offset(Pointer, Casts);
  if (!Whole || !Offsets.Minima.empty())
    return Offset;
  for (const auto &[Product, Size] : Whole->terms()) {
    auto *Index = Product.size() == 1 ? dyn_cast_or_null<PHINode>(Sums.atom(Product.front())) : nullptr;
    const Loop *L = Index ? Loops.getLoopFor(Index->getParent()) : nullptr;
    if (!L || L->getHeader() != Index->getParent() || !L->contains(&Block) || !L->getLoopLatch() ||
        !L->getLoopPredecessor() || !Index->getType()->isIntegerTy(kBits) || Size <= 0 || Size > kMostSize)
      continue;
    Polynomial Rest = *Whole;
    Rest.add(Product, -Size);
    const std::optional<Polynomial> Way = Rest.quotient(Polynomial(64, Size));
    for (PHINode &Counter : L->getHeader()->phis()) {
      Reduced R = {{*this, Sums}, *L, *Index, Counter};
      if (!Way || !R.isReduced())
        continue;
      const std::optional<int64_t> Rounds = R.roundsIn(*Way);
      Value *Here = R.ahead(0), *There = Rounds ? R.ahead(*Rounds) : nullptr;
      if (!There)
        continue;
      startClaim(); // a second share: of the written index
      WholeNumbers Numbers(Nodes);
      if (any_of(Casts, [&](const Polynomials::Narrow &Cast) { return Cast.V == Index && !Cast.IsSigned; }))
        continue;
      erase_if(Casts, [&](const Polynomials::Narrow &Cast) { return Cast.V == Index; }); // the index may be any number
      const std::optional<Node> Slope = R.value(Numbers, R.slope(), At);
      if (!Slope || !R.require(Numbers, Casts, At))
        continue;
      const Node From = Numbers.extended(of(Here, At), /*Signed=*/true);
      const Node Reached = Numbers.plus(From, Numbers.times(*Slope, Numbers.constant(*Rounds)));
      Numbers.refuse(CmpInst::ICMP_UGT, Numbers.plus(Reached, Numbers.constant(int64_t(1) << 31)),
                     Numbers.constant(UINT32_MAX));
      const Node Written = Numbers.times(Numbers.extended(of(There, At), /*Signed=*/true), Numbers.constant(Size));
      return Numbers.result(Nodes.where(CmpInst::ICMP_EQ, Offset, Written), Offset);
    }
  }
  return Offset;
}

} // namespace gasan
