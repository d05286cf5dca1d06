// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names: registers, variables, parameters and labels, each in the braces of its declaration.
#include "gasan_pass/lift/FunctionLifter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gasan::lift {

// Labels may be used before they are placed, so they are collected first.
void FunctionLifter::collectScopes() {
  Scopes.push_back({});
  size_t Inside = 0;
  for (const Item &I : Source.Body) {
    At = &I;
    switch (I.What) {
    case Item::Kind::Open:
      Scopes.push_back({});
      Scopes.back().Parent = Inside;
      Inside = Scopes.size() - 1;
      break;
    case Item::Kind::Close:
      Inside = Scopes[Inside].Parent;
      break;
    case Item::Kind::Label: {
      BasicBlock *&Block = Scopes[Inside].Labels[I.Statement.Operands[0]];
      if (Block)
        return fail("the label '" + I.Statement.Operands[0] + "' is placed twice");
      Block = BasicBlock::Create(F.getContext(), "", &F);
      break;
    }
    case Item::Kind::Targets:
      Scopes[Inside].Targets[I.Text] = &I;
      break;
    case Item::Kind::CallPrototype:
      Scopes[Inside].Prototypes[I.Statement.Operands[0]] = &Source.Prototypes[I.Index];
      break;
    default:
      break;
    }
  }
  At = nullptr;
}

AllocaInst *FunctionLifter::createSlot(Type *T, StringRef Name) {
  BasicBlock &Entry = F.getEntryBlock();
  return IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(T, nullptr, Name);
}

void FunctionLifter::declare(const Variable &V) {
  Scope &S = Scopes[Current];
  if (V.Space == "reg") {
    if (V.Registers) {
      S.FamilyTypes[V.Name] = V.Type;
      S.Families[V.Name] = {V.Name, V.Registers};
      return;
    }
    if (V.Vector == 1) {
      S.Registers[V.Name] = {createSlot(registerType(F.getContext(), V.Type), V.Name), V.Type};
      return;
    }
    S.Vectors[V.Name] = std::min(V.Vector, 4u);
    HasVectors = true;
    for (unsigned I = 0; I < V.Vector && I < 4; ++I) {
      const std::string Name = V.Name + "." + "xyzw"[I];
      const Register R = {createSlot(registerType(F.getContext(), V.Type), Name), V.Type};
      S.Registers[Name] = R;
      S.Registers[V.Name + "." + "rgba"[I]] = R;
    }
    return;
  }
  if (V.Space == "local" || V.Space == "param") {
    AllocaInst *Slot = createSlot(memoryType(F.getContext(), V), V.Name);
    Slot->setAlignment(Align(V.alignment()));
    S.Places[V.Name] = {Slot, &V, false};
    return;
  }
  GlobalVariable *G = L.declareVariable(V);
  if (!G)
    return;
  S.Places[V.Name] = {L.initialise(*G, V), &V, false};
}

void FunctionLifter::bindParameters() {
  Scope &Outermost = Scopes[0];
  for (unsigned I = 0; I < Source.Type.Parameters.size(); ++I) {
    const Variable &V = Source.Type.Parameters[I];
    Argument *A = F.getArg(I);
    A->setName(V.Name);
    if (V.Space == "reg") {
      declare(V);
      B.CreateStore(A, Outermost.Registers[V.Name].Slot);
    } else if (isAggregate(V)) {
      Outermost.Places[V.Name] = {A, &V, Source.IsEntry};
    } else {
      AllocaInst *Slot = createSlot(A->getType(), V.Name);
      B.CreateStore(A, Slot);
      Outermost.Places[V.Name] = {Slot, &V, Source.IsEntry};
    }
  }
  for (const Variable &V : Source.Type.Results)
    declare(V);
}

FunctionLifter::Register *FunctionLifter::findRegister(StringRef Name) {
  for (size_t I = Current;; I = Scopes[I].Parent) {
    Scope &S = Scopes[I];
    if (auto Found = S.Registers.find(Name); Found != S.Registers.end())
      return &Found->second;
    StringRef Stem = Name.rtrim("0123456789");
    unsigned Number;
    // "%r12" is of the family "%r<20>", and "%f1_3" of "%f1_<4>"; a family's own name may end in digits.
    for (StringRef Family = Stem; Family.size() < Name.size(); Family = Name.take_front(Family.size() + 1)) {
      auto Found = S.Families.find(Family);
      if (Found == S.Families.end() || Name.drop_front(Family.size()).getAsInteger(10, Number) ||
          Number >= Found->second.second)
        continue;
      const PtxType T = S.FamilyTypes[Family];
      return &(S.Registers[Name] = {createSlot(registerType(F.getContext(), T), ""), T});
    }
    if (I == 0)
      return nullptr;
  }
}

const FunctionLifter::Place *FunctionLifter::findPlace(StringRef Name) {
  for (size_t I = Current;; I = Scopes[I].Parent) {
    if (auto Found = Scopes[I].Places.find(Name); Found != Scopes[I].Places.end())
      return &Found->second;
    if (I == 0)
      return nullptr;
  }
}

BasicBlock *FunctionLifter::findLabel(StringRef Name) {
  for (size_t I = Current;; I = Scopes[I].Parent) {
    if (BasicBlock *Block = Scopes[I].Labels.lookup(Name.trim()))
      return Block;
    if (I == 0)
      break;
  }
  fail("unknown label '" + Name + "'");
  return BasicBlock::Create(F.getContext(), "", &F);
}

const Item *FunctionLifter::findTargets(StringRef Name) {
  for (size_t I = Current;; I = Scopes[I].Parent)
    if (const Item *Found = Scopes[I].Targets.lookup(Name))
      return Found;
    else if (I == 0)
      return nullptr;
}

const Prototype *FunctionLifter::findLocalPrototype(StringRef Name) {
  for (size_t I = Current;; I = Scopes[I].Parent)
    if (const Prototype *Found = Scopes[I].Prototypes.lookup(Name))
      return Found;
    else if (I == 0)
      return nullptr;
}

} // namespace gasan::lift
