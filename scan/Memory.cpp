/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "scan/Memory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DerivedTypes.h"

namespace gasan::scan {

bool Value::operator==(const Value &Other) const {
  if (Form != Other.Form || Number != Other.Number || Divisor != Other.Divisor || Elements != Other.Elements ||
      Targets.size() != Other.Targets.size())
    return false;
  for (size_t I = 0; I < Targets.size(); I++)
    if (Targets[I].Guard != Other.Targets[I].Guard || Targets[I].Root != Other.Targets[I].Root ||
        Targets[I].Offset != Other.Targets[I].Offset)
      return false;
  return true;
}

State::Slot &State::own(unsigned Number) {
  const unsigned Index = Number / kSlots;
  if (Chunks.size() <= Index)
    Chunks.resize(Index + 1);
  std::shared_ptr<Chunk> &Mine = Chunks[Index];
  if (!Mine)
    Mine = std::make_shared<Chunk>();
  else if (Mine.use_count() > 1)
    Mine = std::make_shared<Chunk>(*Mine);
  return Mine->Slots[Number % kSlots];
}

Contents &State::change(Object *Root) {
  Slot &Mine = own(Root->Number);
  if (!Mine)
    Mine = Root->Initial ? std::make_shared<Contents>(*Root->Initial) : std::make_shared<Contents>();
  else if (Mine.use_count() > 1)
    Mine = std::make_shared<Contents>(*Mine);
  return *Mine;
}

void State::set(unsigned Number, Slot New) {
  if (at(Number) != New)
    own(Number) = std::move(New);
}

Object *Heap::create(Space Where, std::string Name, const Node *Size) {
  Objects.push_back({});
  Object *Result = &Objects.back();
  Result->Where = Where;
  Result->Name = std::move(Name);
  Result->Size = Size;
  Result->Number = Objects.size() - 1;
  Result->Address = Nodes.createVariable(VariableKind::Address, 64, "address of " + Result->Name,
                                         "the address of " + (Result->Name.empty() ? "memory" : Result->Name));
  Result->Address->Tag = Result;
  return Result;
}

Object *Heap::unknown(const std::string &Reason) {
  Object *&Slot = Unknowns[Reason];
  if (!Slot) {
    Slot = create(Space::Unknown, "", nullptr);
    Slot->Reason = Reason;
  }
  return Slot;
}

Object *Heap::null() {
  if (!Null)
    Null = create(Space::Null, "null", Nodes.constant(64, 0));
  return Null;
}

Value Heap::pointer(Object *Root, const Node *Offset) {
  Value Result;
  Result.Form = Value::Pointer;
  Result.Targets.push_back({Nodes.boolean(true), Root, Offset ? Offset : Nodes.constant(64, 0)});
  return Result;
}

Variable *Heap::unknownVariable(unsigned Width, const std::string &Reason, const std::vector<Template> *Stored,
                                bool &New) {
  if (!Reader.first) {
    New = true;
    return Nodes.createVariable(VariableKind::Unknown, Width, Reason, Reason);
  }
  Variable *&Slot =
      Reused[{Reader.first, Reader.second, Reads++, Width, Reason, Stored ? *Stored : std::vector<Template>()}];
  New = !Slot;
  if (New)
    Slot = Nodes.createVariable(VariableKind::Unknown, Width, Reason, Reason);
  Used.push_back(Slot);
  return Slot;
}

const Node *Heap::unknownNumber(unsigned Width, const std::string &Reason) {
  bool New;
  return unknownVariable(Width, Reason, nullptr, New)->Use;
}

Value Heap::anyOf(llvm::Type *Type, const std::string &Reason, const llvm::DataLayout &Layout) {
  if (Type->isIntegerTy() && Type->getIntegerBitWidth() <= 64)
    return Value::integer(unknownNumber(Type->getIntegerBitWidth(), Reason));
  if (Type->isPointerTy())
    return unknownPointer(Reason);
  if (Type->isFloatingPointTy())
    return Value::real();
  Value Result;
  if (auto *Vector = llvm::dyn_cast<llvm::FixedVectorType>(Type)) {
    Result.Form = Value::Parts;
    for (unsigned I = 0; I < Vector->getNumElements() && I < 16; I++)
      Result.Elements.push_back(anyOf(Vector->getElementType(), Reason, Layout));
  } else if (auto *Struct = llvm::dyn_cast<llvm::StructType>(Type)) {
    Result.Form = Value::Parts;
    for (llvm::Type *Element : Struct->elements())
      Result.Elements.push_back(anyOf(Element, Reason, Layout));
  }
  return Result;
}

// Two unknown pointers have one object, but need not be equal.
const Node *Heap::address(const Value &Pointer) {
  markEscaped(Pointer);
  const Node *Result = nullptr;
  for (const Target &T : Pointer.Targets) {
    if (T.Root->Where == Space::Unknown)
      return unknownNumber(64, "an unknown pointer's address");
    const Node *One = T.Root->Where == Space::Null ? T.Offset : Nodes.add(T.Root->Address->Use, T.Offset);
    Result = Result ? Nodes.ite(T.Guard, One, Result) : One;
  }
  return Result ? Result : unknownNumber(64, "an unknown address");
}

Value Heap::fromAddress(const Node *Number) {
  auto rootOf = [&](const Node *A) -> Object * {
    return A->Operation == Op::Var && A->Var->Kind == VariableKind::Address
               ? static_cast<Object *>(const_cast<void *>(A->Var->Tag))
               : nullptr;
  };
  if (Object *Root = rootOf(Number))
    return pointer(Root);
  if (Number->isConst())
    return pointer(null(), Number);
  if (Number->Operation == Op::Add)
    for (int I : {0, 1}) {
      if (Object *Root = rootOf(Number->Kids[I]))
        return pointer(Root, Number->Kids[1 - I]);
      if (Number->Kids[I]->Operation == Op::Add) { // (address + a) + b
        Value Inner = fromAddress(Number->Kids[I]);
        if (Inner.Targets.size() == 1 && Inner.Targets[0].Root->Where != Space::Unknown)
          return pointer(Inner.Targets[0].Root, Nodes.add(Inner.Targets[0].Offset, Number->Kids[1 - I]));
      }
    }
  if (Number->Operation == Op::Ite)
    return choose(Number->Kids[0], fromAddress(Number->Kids[1]), fromAddress(Number->Kids[2]));
  return unknownPointer("a pointer that is made of a number");
}

Value Heap::choose(const Node *Condition, const Value &A, const Value &B) {
  if (Condition->isTrue() || A == B)
    return A;
  if (Condition->isFalse())
    return B;
  if (A.Form == Value::Nothing)
    return B; // the value of a way on which it is not defined
  if (B.Form == Value::Nothing)
    return A;
  if (A.Form != B.Form || A.Form == Value::Anything) {
    markEscaped(A);
    markEscaped(B);
    return Value::anything();
  }
  Value Result;
  Result.Form = A.Form;
  switch (A.Form) {
  case Value::Integer:
    if (A.Number->Width != B.Number->Width)
      return Value::anything();
    Result.Number = Nodes.ite(Condition, A.Number, B.Number);
    return Result;
  case Value::Real:
    return A.Number && B.Number && A.Divisor == B.Divisor
               ? Value::real(Nodes.ite(Condition, A.Number, B.Number), A.Divisor)
               : Value::real();
  case Value::Parts:
    for (size_t I = 0; I < std::min(A.Elements.size(), B.Elements.size()); I++)
      Result.Elements.push_back(choose(Condition, A.Elements[I], B.Elements[I]));
    return Result;
  default:
    break;
  }
  for (const Target &T : A.Targets) {
    auto Same = llvm::find_if(B.Targets, [&](const Target &U) { return U.Root == T.Root; });
    if (Same == B.Targets.end())
      Result.Targets.push_back({Nodes.both(Condition, T.Guard), T.Root, T.Offset});
    else
      Result.Targets.push_back(
          {Nodes.ite(Condition, T.Guard, Same->Guard), T.Root, Nodes.ite(Condition, T.Offset, Same->Offset)});
  }
  for (const Target &U : B.Targets)
    if (llvm::none_of(A.Targets, [&](const Target &T) { return U.Root == T.Root; }))
      Result.Targets.push_back({Nodes.both(Nodes.negate(Condition), U.Guard), U.Root, U.Offset, U.Part});
  return Result;
}

static void lose(Value &V) {
  Heap::markEscaped(V);
  V = Value::anything();
}

void Heap::joinContents(const Node *Condition, Contents &A, const Contents &B) {
  if (A.Exists && B.Exists)
    A.Exists = Nodes.either(A.Exists, B.Exists);
  if (B.Freed)
    A.Freed = A.Freed ? Nodes.either(A.Freed, B.Freed) : B.Freed;
  if (!A.FreedAt.isKnown())
    A.FreedAt = B.FreedAt;
  if (A.Cells == B.Cells && A.Rest == B.Rest)
    return;
  if (A.Rest.Form == Background::Templates || B.Rest.Form == Background::Templates) {
    if (!joinTemplates(A, B)) { // which marks the pointers
      A.Cells.clear();
      A.Rest = Background::unknown("memory with different contents on different ways");
    }
    return;
  }
  for (auto &[Offset, Mine] : A.Cells) {
    auto Other = B.Cells.find(Offset);
    if (Other != B.Cells.end() && Other->second.Size == Mine.Size)
      Mine.Content = choose(Condition, Mine.Content, Other->second.Content);
    else if (B.Rest.Form == Background::Zero && Mine.Content.Form == Value::Integer && Mine.Size <= 8)
      Mine.Content = choose(Condition, Mine.Content, Value::integer(Nodes.constant(Mine.Size * 8, 0)));
    else if (B.Rest.Form != Background::Undefined)
      lose(Mine.Content);
  }
  for (const auto &[Offset, Other] : B.Cells)
    if (!A.Cells.count(Offset)) {
      Cell &New = A.Cells[Offset] = Other;
      if (A.Rest.Form == Background::Zero && Other.Content.Form == Value::Integer && Other.Size <= 8)
        New.Content = choose(Condition, Value::integer(Nodes.constant(Other.Size * 8, 0)), Other.Content);
      else if (A.Rest.Form != Background::Undefined)
        lose(New.Content);
    }
  for (auto It = A.Cells.begin(); It != A.Cells.end(); ++It) // of cells that overlap, neither is known
    if (auto Next = std::next(It); Next != A.Cells.end() && It->first + It->second.Size > Next->first) {
      It->second.Size = std::max(It->first + It->second.Size, Next->first + Next->second.Size) - It->first;
      lose(It->second.Content);
      markEscaped(Next->second.Content);
      A.Cells.erase(Next);
    }
  if (A.Rest == B.Rest || B.Rest.Form == Background::Undefined)
    ;
  else if (A.Rest.Form == Background::Undefined)
    A.Rest = B.Rest;
  else
    A.Rest = Background::unknown("memory with different contents on different ways");
}

State Heap::join(const Node *Condition, const State &A, const State &B) {
  if (Condition->isTrue())
    return A;
  if (Condition->isFalse())
    return B;
  State Result = A;
  State::compare(A, B, [&](unsigned Number, const State::Slot &Mine, const State::Slot &Theirs) {
    Object *Root = byNumber(Number);
    if (!Mine && !Root->Initial)
      Result.set(Number, Theirs);
    else if (const Contents *Other = Theirs ? Theirs.get() : Root->Initial.get())
      joinContents(Condition, Result.change(Root), *Other);
  });
  return Result;
}

} // namespace gasan::scan
