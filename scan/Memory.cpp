/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "scan/Memory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DerivedTypes.h"

namespace gasan::scan {

static constexpr unsigned kMaxTemplates = 8, kMaxCells = 64;

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
    if (!joinTemplates(A, B)) {
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
      Mine.Content = Value::anything();
  }
  for (const auto &[Offset, Other] : B.Cells)
    if (!A.Cells.count(Offset)) {
      Cell &New = A.Cells[Offset] = Other;
      if (A.Rest.Form == Background::Zero && Other.Content.Form == Value::Integer && Other.Size <= 8)
        New.Content = choose(Condition, Value::integer(Nodes.constant(Other.Size * 8, 0)), Other.Content);
      else if (A.Rest.Form != Background::Undefined)
        New.Content = Value::anything();
    }
  for (auto It = A.Cells.begin(); It != A.Cells.end(); ++It) // of cells that overlap, neither is known
    if (auto Next = std::next(It); Next != A.Cells.end() && It->first + It->second.Size > Next->first) {
      It->second.Size = std::max(It->first + It->second.Size, Next->first + Next->second.Size) - It->first;
      It->second.Content = Value::anything();
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

// Cuts the bytes from Begin to End out of the cells.
static void cutCells(Expressions &Nodes, Contents &From, uint64_t Begin, uint64_t End) {
  auto It = From.Cells.upper_bound(Begin);
  if (It != From.Cells.begin())
    --It;
  while (It != From.Cells.end() && It->first < End) {
    const uint64_t Offset = It->first, Last = Offset + It->second.Size;
    if (Last <= Begin) {
      ++It;
      continue;
    }
    Cell Old = It->second;
    It = From.Cells.erase(It);
    auto keep = [&](uint64_t First, uint64_t Behind) {
      Value Part = Value::anything();
      if (Old.Content.Form == Value::Integer && Old.Content.Number->Width == Old.Size * 8)
        Part = Value::integer(Nodes.trunc(
            Nodes.make(Op::LShr, Old.Content.Number, Nodes.constant(Old.Content.Number->Width, (First - Offset) * 8)),
            (Behind - First) * 8));
      From.Cells[First] = {Behind - First, Part};
    };
    if (Offset < Begin)
      keep(Offset, Begin);
    if (Last > End)
      keep(End, Last);
  }
}

// Adds the numbers of Unit bytes that the memory may have anywhere. Returns false if they are not known.
bool Heap::collectTemplates(const Contents &From, uint64_t Unit, std::vector<Template> &All) {
  auto add = [&](const Template &New) {
    if (!llvm::is_contained(All, New))
      All.push_back(New);
  };
  switch (From.Rest.Form) {
  case Background::Undefined:
    break;
  case Background::Zero:
    add({Nodes.boolean(true), Nodes.constant(Unit * 8, 0)});
    break;
  case Background::Templates:
    if (From.Rest.Unit != Unit)
      return false;
    for (const Template &T : *From.Rest.Stored)
      add(T);
    break;
  default:
    return false;
  }
  for (const auto &[Offset, Old] : From.Cells) {
    if (Old.Size != Unit || Old.Content.Form != Value::Integer || Old.Content.Number->Width != Unit * 8)
      return false;
    add({Nodes.boolean(true), Old.Content.Number});
  }
  return true;
}

void Heap::setTemplates(Contents &To, uint64_t Unit, std::vector<Template> All) {
  To.Cells.clear();
  if (All.size() > kMaxTemplates)
    To.Rest = Background::unknown("memory written in many ways");
  else
    To.Rest = {Background::Templates, 0, "", "", unsigned(Unit), std::make_shared<std::vector<Template>>(All)};
}

// Lets A have the numbers of A and B, anywhere. Returns false if they are not known.
bool Heap::joinTemplates(Contents &A, const Contents &B) {
  for (const Contents *Side : {static_cast<const Contents *>(&A), &B})
    for (const auto &[Offset, C] : Side->Cells)
      markEscaped(C.Content);
  const bool Stored = A.Rest.Form == Background::Templates;
  if (!Stored && B.Rest.Form != Background::Templates)
    return false;
  const unsigned Unit = Stored ? A.Rest.Unit : B.Rest.Unit;
  std::vector<Template> All;
  if (!collectTemplates(A, Unit, All) || !collectTemplates(B, Unit, All))
    return false;
  setTemplates(A, Unit, std::move(All));
  return true;
}

void Heap::addTemplate(Contents &To, const Value &What, uint64_t Size, const Node *Guard) {
  std::vector<Template> All;
  if (What.Form != Value::Integer || What.Number->Width != Size * 8 || !collectTemplates(To, Size, All)) {
    To.Cells.clear();
    To.Rest = Background::unknown("memory written at a computed index");
    return;
  }
  const Template New = {Guard, What.Number};
  if (!llvm::is_contained(All, New))
    All.push_back(New);
  setTemplates(To, Size, std::move(All));
}

void Heap::store(State &Now, const Target &At, const Value &What, uint64_t Size, const Node *Guard) {
  if (!At.Offset->isConst() || At.Root->Where == Space::Unknown)
    markEscaped(What);
  if (At.Root->Where == Space::Unknown || At.Root->Where == Space::Null || At.Root->Where == Space::Function)
    return; // an unknown place; the executor says what that means
  Contents &To = Now.change(At.Root);
  if (!At.Offset->isConst())
    return addTemplate(To, What, Size, Guard);
  if (To.Rest.Form == Background::Templates && To.Rest.Unit == Size && What.Form == Value::Integer)
    return addTemplate(To, What, Size, Guard);
  const uint64_t Offset = At.Offset->Value;
  if (At.Guard->isTrue()) {
    cutCells(Nodes, To, Offset, Offset + Size);
    To.Cells[Offset] = {Size, What};
    return;
  }
  auto Old = To.Cells.find(Offset);
  Value Mixed = Value::anything();
  if (Old != To.Cells.end() && Old->second.Size == Size)
    Mixed = choose(At.Guard, What, Old->second.Content);
  cutCells(Nodes, To, Offset, Offset + Size);
  To.Cells[Offset] = {Size, Mixed};
}

Value Heap::loadWhole(const Cell &From, llvm::Type *Type, const llvm::DataLayout &Layout) {
  const Value &V = From.Content;
  if (Type->isPointerTy()) {
    if (V.Form == Value::Pointer)
      return V;
    return V.Form == Value::Integer && V.Number->Width == 64
               ? fromAddress(V.Number)
               : unknownPointer("a pointer that code wrote as other data");
  }
  if (Type->isIntegerTy()) {
    if (V.Form == Value::Integer)
      return V.Number->Width == Type->getIntegerBitWidth()
                 ? V
                 : Value::integer(Nodes.trunc(V.Number, Type->getIntegerBitWidth()));
    if (V.Form == Value::Pointer && Type->getIntegerBitWidth() == 64)
      return Value::integer(address(V));
  }
  if (Type->isFloatingPointTy() && V.Form == Value::Real)
    return V;
  if (V.Form == Value::Parts && (Type->isVectorTy() || Type->isStructTy()))
    return V;
  return anyOf(Type, "memory of another type", Layout);
}

static std::string describe(const Object *Root) {
  return Root->Name.empty() ? "memory" : "'" + Root->Name + "'";
}

const Node *Heap::fromTemplates(const Background &From, unsigned Width) {
  // All choices that the stored numbers depend on are made anew: another round, another thread.
  bool First;
  Variable *Result = unknownVariable(Width, "a number that code stored earlier", From.Stored.get(), First);
  if (!First)
    return Result->Use;
  const Node *Any = Nodes.boolean(false);
  for (const Template &T : *From.Stored) {
    std::map<const Variable *, const Node *> With;
    std::vector<const Node *> Work = {T.Guard, T.Number};
    std::set<const Node *> Seen;
    std::vector<std::pair<Variable *, Variable *>> Renamed;
    while (!Work.empty()) {
      const Node *A = Work.back();
      Work.pop_back();
      if (!Seen.insert(A).second)
        continue;
      for (unsigned I = 0; I < A->Count; I++)
        Work.push_back(A->Kids[I]);
      if (A->Operation != Op::Var || A->Var->Kind == VariableKind::Input || A->Var->Kind == VariableKind::Address)
        continue;
      Variable *New =
          Nodes.createVariable(VariableKind::Unknown, A->Width, A->Var->Name, "a number that code stored earlier");
      New->Low = A->Var->Low;
      New->High = A->Var->High;
      Renamed.push_back({A->Var, New});
      With[A->Var] = New->Use;
      Work.insert(Work.end(), A->Var->Facts.begin(), A->Var->Facts.end());
    }
    std::unordered_map<const Node *, const Node *> Done;
    for (auto [Old, New] : Renamed)
      for (const Node *Fact : Old->Facts)
        New->Facts.push_back(Nodes.substitute(Fact, With, Done));
    const Node *Number = Nodes.substitute(T.Number, With, Done);
    if (From.Stored->size() == 1)
      if (const Range R = Nodes.unsignedRange(Number); R.High < __int128(Result->High) || R.Low > 0) {
        Result->Low = uint64_t(R.Low);
        Result->High = uint64_t(R.High);
      }
    Any = Nodes.either(Any, Nodes.both(Nodes.substitute(T.Guard, With, Done), Nodes.eq(Result->Use, Number)));
  }
  Result->Facts.push_back(Any);
  return Result->Use;
}

const Node *Heap::background(const Contents &From, const Node *Offset, unsigned Width, const Object *Root) {
  auto any = [&](const std::string &Reason) { return unknownNumber(Width, Reason); };
  switch (From.Rest.Form) {
  case Background::Zero:
    return Nodes.constant(Width, 0);
  case Background::Input:
    return Nodes.content(From.Rest.Block, Offset, Width);
  case Background::Templates:
    if (From.Rest.Unit * 8 == Width)
      return fromTemplates(From.Rest, Width);
    return any("a part of a number in " + describe(Root));
  case Background::Unknown:
    return any(From.Rest.Reason);
  default:
    return any("uninitialised " + describe(Root));
  }
}

Value Heap::loadNumber(const Contents &From, uint64_t Offset, uint64_t Size, const Target &At) {
  // Byte ranges of one or more cells, or of the background.
  const Node *Result = nullptr;
  for (uint64_t Next = Offset; Next < Offset + Size;) {
    auto It = From.Cells.upper_bound(Next);
    const uint64_t Gap = It == From.Cells.end() ? Offset + Size : std::min(Offset + Size, It->first);
    uint64_t Behind;
    const Node *Part;
    if (It != From.Cells.begin() && std::prev(It)->first + std::prev(It)->second.Size > Next) {
      --It;
      const Cell &C = It->second;
      Behind = std::min(Offset + Size, It->first + C.Size);
      const unsigned Width = (Behind - Next) * 8;
      const Node *Number = C.Content.Form == Value::Integer ? C.Content.Number : nullptr;
      if (C.Content.Form == Value::Pointer && C.Size == 8)
        Number = address(C.Content);
      if (Number && Number->Width == C.Size * 8)
        Part = Nodes.trunc(Nodes.make(Op::LShr, Number, Nodes.constant(Number->Width, (Next - It->first) * 8)), Width);
      else
        Part = unknownNumber(Width, "data in " + describe(At.Root));
    } else {
      Behind = Gap;
      Part = background(From, Nodes.constant(64, Next), (Behind - Next) * 8, At.Root);
    }
    Result = Result ? Nodes.concat(Part, Result) : Part;
    Next = Behind;
  }
  return Value::integer(Result);
}

Value Heap::load(State &Now, const Target &At, llvm::Type *Type, const llvm::DataLayout &Layout) {
  const Contents *From = Now.find(At.Root);
  const uint64_t Size = Layout.getTypeStoreSize(Type);
  if (At.Root->Where == Space::Unknown)
    return anyOf(Type, At.Root->Reason, Layout);
  if (!From || At.Root->Where == Space::Null)
    return anyOf(Type, "the contents of " + describe(At.Root), Layout);
  if (auto *Vector = llvm::dyn_cast<llvm::FixedVectorType>(Type); Vector && Vector->getNumElements() <= 16) {
    Value Result;
    Result.Form = Value::Parts;
    const uint64_t Step = Layout.getTypeStoreSize(Vector->getElementType());
    for (unsigned I = 0; I < Vector->getNumElements(); I++)
      Result.Elements.push_back(load(Now, {At.Guard, At.Root, Nodes.add(At.Offset, Nodes.constant(64, I * Step))},
                                     Vector->getElementType(), Layout));
    return Result;
  }
  const bool Number = Type->isIntegerTy() && Size <= 8 && Type->getIntegerBitWidth() <= 64;
  if (At.Offset->isConst()) {
    auto Exact = From->Cells.find(At.Offset->Value);
    if (Exact != From->Cells.end() && Exact->second.Size == Size)
      return loadWhole(Exact->second, Type, Layout);
    if (Number || Type->isPointerTy()) {
      Value Result = loadNumber(*From, At.Offset->Value, Size, At);
      if (Type->isPointerTy())
        return Result.Number->Operation == Op::Content ? unknownPointer("a pointer that is read from input")
                                                       : fromAddress(Result.Number);
      return Type->getIntegerBitWidth() == Size * 8
                 ? Result
                 : Value::integer(Nodes.trunc(Result.Number, Type->getIntegerBitWidth()));
    }
    return anyOf(Type, "data in " + describe(At.Root), Layout);
  }
  if (Number && Type->getIntegerBitWidth() == Size * 8) {
    if (From->Cells.empty())
      return Value::integer(background(*From, At.Offset, Size * 8, At.Root));
    bool Uniform = From->Cells.size() <= kMaxCells;
    for (const auto &[Offset, C] : From->Cells)
      Uniform &= C.Size == Size && C.Content.Form == Value::Integer && C.Content.Number->Width == Size * 8;
    if (Uniform) {
      const Node *Result = background(*From, At.Offset, Size * 8, At.Root);
      for (const auto &[Offset, C] : From->Cells)
        Result = Nodes.ite(Nodes.eq(At.Offset, Nodes.constant(64, Offset)), C.Content.Number, Result);
      return Value::integer(Result);
    }
  }
  if (Type->isPointerTy() && !From->Cells.empty() && From->Cells.size() <= kMaxCells) { // a table of pointers
    Value Result;
    bool Uniform = true;
    for (const auto &[Offset, C] : From->Cells) {
      Uniform &= C.Size == 8 && C.Content.Form == Value::Pointer;
      if (Uniform)
        Result = choose(Nodes.eq(At.Offset, Nodes.constant(64, Offset)), C.Content, Result);
    }
    if (Uniform)
      return choose(Nodes.ult(At.Offset, Nodes.constant(64, From->Cells.rbegin()->first + 8)), Result,
                    unknownPointer("a pointer from a table"));
  }
  for (const auto &[Offset, C] : From->Cells)
    markEscaped(C.Content);
  return anyOf(Type, From->Rest.Form == Background::Unknown ? From->Rest.Reason : "data in " + describe(At.Root),
               Layout);
}

void Heap::blur(State &Now, Object *Root, const std::string &Reason) {
  if (Root->Where == Space::Unknown || Root->Where == Space::Null || Root->Where == Space::Function)
    return;
  Contents &To = Now.change(Root);
  for (const auto &[Offset, C] : To.Cells)
    markEscaped(C.Content);
  To.Cells.clear();
  To.Rest = Background::unknown(Reason);
}

void Heap::makeInput(State &Now, Object *Root, const std::string &Name) {
  if (Root->Where == Space::Unknown || Root->Where == Space::Null || Root->Where == Space::Function)
    return;
  Contents &To = Now.change(Root);
  To.Cells.clear();
  To.Rest = Background();
  To.Rest.Form = Background::Input;
  To.Rest.Block = ++LastBlock;
  To.Rest.Name = Name;
}

void Heap::clear(State &Now, const Target &At, const Node *Bytes, bool Zero) {
  if (At.Root->Where == Space::Unknown || At.Root->Where == Space::Null || At.Root->Where == Space::Function)
    return;
  Contents &To = Now.change(At.Root);
  if (At.Offset->isConst(0) && At.Root->Size == Bytes && At.Guard->isTrue()) { // all of it
    To.Cells.clear();
    To.Rest = Zero ? Background::zero() : Background::unknown("memory set to a byte");
    return;
  }
  if (At.Offset->isConst() && Bytes->isConst() && Bytes->Value <= 4096 && At.Guard->isTrue()) {
    cutCells(Nodes, To, At.Offset->Value, At.Offset->Value + Bytes->Value);
    const uint64_t End = At.Offset->Value + Bytes->Value;
    for (uint64_t I = At.Offset->Value; I < End;) {
      const uint64_t Size = std::min<uint64_t>(I % 4 ? 1 : 4, End - I);
      To.Cells[I] = {Size == 4 ? 4ull : 1ull,
                     Zero ? Value::integer(Nodes.constant(Size == 4 ? 32 : 8, 0)) : Value::anything()};
      I += Size == 4 ? 4 : 1;
    }
    return;
  }
  if (Zero && To.Cells.empty() && To.Rest.Form == Background::Zero)
    return;
  if (Zero && To.Cells.empty() && (To.Rest.Form == Background::Undefined)) {
    To.Rest = Background::zero();
    return;
  }
  blur(Now, At.Root, "memory set by memset");
}

void Heap::copy(State &Now, const Target &To, const Target &From, const Node *Bytes, const Node *Guard) {
  if (To.Root->Where == Space::Unknown || To.Root->Where == Space::Null || To.Root->Where == Space::Function)
    return;
  const Contents *Source = Now.find(From.Root);
  if (!Source)
    return blur(Now, To.Root, "a copy of unknown memory");
  const Contents Copy = *Source;
  if (To.Offset->isConst() && From.Offset->isConst() && Bytes->isConst() && To.Guard->isTrue() &&
      From.Guard->isTrue()) {
    const uint64_t Begin = From.Offset->Value, End = Begin + Bytes->Value, At = To.Offset->Value;
    Contents &Destination = Now.change(To.Root);
    cutCells(Nodes, Destination, At, At + Bytes->Value);
    uint64_t Covered = 0;
    for (const auto &[Offset, C] : Copy.Cells)
      if (Offset >= Begin && Offset + C.Size <= End) {
        Destination.Cells[Offset - Begin + At] = C;
        Covered += C.Size;
      }
    if (Covered == Bytes->Value || Copy.Rest == Destination.Rest || Copy.Rest.Form == Background::Undefined)
      return;
    if ((Destination.Rest.Form == Background::Undefined || Destination.Cells.size() <= Copy.Cells.size()) &&
        At == Begin)
      Destination.Rest = Copy.Rest;
    else
      Destination.Rest = Background::unknown("a copy of a part");
    return;
  }
  Contents &Destination = Now.change(To.Root);
  const bool Same = To.Offset == From.Offset && To.Guard->isTrue() && From.Guard->isTrue();
  if (Same && Destination.Cells.empty() && Copy.Cells.empty() &&
      (Destination.Rest.Form == Background::Undefined || Destination.Rest == Copy.Rest)) {
    Destination.Rest = Copy.Rest;
    return;
  }
  if (Copy.Cells.empty() && Copy.Rest.Form == Background::Templates && Destination.Cells.empty() &&
      (Destination.Rest.Form == Background::Undefined || Destination.Rest == Copy.Rest)) {
    Destination.Rest = Copy.Rest;
    return;
  }
  if (To.Offset->isConst(0) && From.Offset->isConst(0) && To.Guard->isTrue() && From.Guard->isTrue() &&
      (To.Root->Size == Bytes || From.Root->Size == Bytes)) { // a whole object
    Destination.Cells = Copy.Cells;
    Destination.Rest = Copy.Rest;
    return;
  }
  for (const Contents *Side : {&Copy, static_cast<const Contents *>(&Destination)})
    for (const auto &[Offset, C] : Side->Cells)
      markEscaped(C.Content);
  Destination.Cells.clear();
  Destination.Rest = Background::unknown("a copy of a part");
}

} // namespace gasan::scan
