#include "gasan_pass/instrument/bst/MergedScopes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace gasan {

constexpr unsigned kMostSources = 256; // of one pointer: beyond, its variables count as in scope

// A merge, or what is none and made of nothing else.
Value *MergedScopes::sourceOf(Value *Pointer) {
  for (;;) {
    const auto *I = dyn_cast<Instruction>(Pointer);
    Value *From = !I || Tree.isReachableFromEntry(I->getParent()) ? Steps.stepFrom(Pointer) : nullptr;
    const auto *Before = dyn_cast_or_null<Instruction>(From);
    if (!From || (Before && !(I && Tree.dominates(Before, I))))
      return Pointer;
    Pointer = From;
  }
}

ArrayRef<AllocaInst *> MergedScopes::variablesOf(Value *Pointer) {
  auto [Entry, New] = Variables.try_emplace(Pointer);
  if (!New)
    return Entry->second;
  SmallSetVector<Value *, 8> Sources;
  Sources.insert(sourceOf(Pointer));
  for (size_t Index = 0; Index < Sources.size(); ++Index) {
    Value *At = Sources[Index];
    if (Sources.size() > kMostSources)
      return {};
    if (!PointerSteps::isMerge(At) || Steps.isRoot(At) || !Tree.isReachableFromEntry(cast<Instruction>(At)->getParent()))
      continue;
    auto Incoming = [&](Value *V) { Sources.insert(sourceOf(V)); };
    if (auto *Phi = dyn_cast<PHINode>(At)) {
      for_each(Phi->incoming_values(), Incoming);
    } else {
      Incoming(cast<SelectInst>(At)->getTrueValue());
      Incoming(cast<SelectInst>(At)->getFalseValue());
    }
  }
  for (Value *Source : Sources)
    if (auto *Variable = dyn_cast<AllocaInst>(Source); Variable && Sources.size() > 1)
      Entry->second.push_back(Variable);
  return Entry->second;
}

Value *MergedScopes::leadsNow(Value *Pointer, AllocaInst &Variable) {
  Value *Source = sourceOf(Pointer);
  LLVMContext &Context = Variable.getContext();
  auto *Merge = dyn_cast<Instruction>(Source);
  if (!PointerSteps::isMerge(Source) || Steps.isRoot(Source) || !Tree.isReachableFromEntry(Merge->getParent()))
    return ConstantInt::getBool(Context, Source == &Variable);
  auto [Entry, New] = Leads.try_emplace({Source, &Variable}, nullptr);
  if (!New)
    return Entry->second;
  Type *I1 = Type::getInt1Ty(Context);
  if (auto *Phi = dyn_cast<PHINode>(Merge))
    Entry->second = PHINode::Create(I1, Phi->getNumIncomingValues(), "gasan.leads", Merge->getIterator());
  else
    Entry->second = SelectInst::Create(cast<SelectInst>(Merge)->getCondition(), PoisonValue::get(I1), PoisonValue::get(I1),
                                       "gasan.leads", Merge->getIterator());
  Made.push_back(Entry->second);
  Unfilled.push_back({Source, &Variable});
  return Entry->second;
}

// i1, defined where the pointer is.
Value *MergedScopes::leads(Value *Pointer, AllocaInst &Variable) {
  Value *Result = leadsNow(Pointer, Variable);
  while (!Unfilled.empty()) {
    auto [Merge, Of] = Unfilled.pop_back_val();
    Instruction *Made = Leads.lookup({Merge, Of});
    if (auto *Phi = dyn_cast<PHINode>(Merge)) {
      for (unsigned Way = 0; Way < Phi->getNumIncomingValues(); ++Way)
        cast<PHINode>(Made)->addIncoming(leadsNow(Phi->getIncomingValue(Way), *Of), Phi->getIncomingBlock(Way));
      continue;
    }
    Made->setOperand(1, leadsNow(cast<SelectInst>(Merge)->getTrueValue(), *Of));
    Made->setOperand(2, leadsNow(cast<SelectInst>(Merge)->getFalseValue(), *Of));
  }
  return Result;
}

Value *MergedScopes::sizeAt(Value *Pointer, const Bounds &B, Instruction &At, VariableBounds &Bounds) {
  Value *Size = B.Size;
  if (!Bounds.hasScopes())
    return Size;
  for (AllocaInst *Variable : variablesOf(Pointer)) {
    Value *Alive = Bounds.aliveAt(*Variable, At);
    if (!Alive)
      continue;
    Value *Leading = leads(Pointer, *Variable);
    IRBuilder<> Builder(&At);
    Size = Builder.CreateSelect(Builder.CreateAnd(Leading, Builder.CreateNot(Alive)), Builder.getInt64(0), Size);
  }
  return Size;
}

} // namespace gasan
