/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Reads, writes and copies of an object's bytes.
#include "scan/Memory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DerivedTypes.h"

namespace gasan::scan {

static constexpr unsigned kMaxCells = 64;

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
    if (Offset < Begin || Last > End) // a part of a pointer stays
      Heap::markEscaped(Old.Content);
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

void Heap::store(State &Now, const Target &At, const Value &What, uint64_t Size, const Node *Guard) {
  if (!At.Offset->isConst() || At.Root->Where == Space::Unknown)
    markEscaped(What);
  storeToLost(Now, At, &What);
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
  if (!Type->isPointerTy() || V.Form != Value::Pointer)
    markEscaped(V); // the other type may have a pointer's bytes
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
  if (At.Root->Where == Space::Unknown) {
    if (Type->isPointerTy())
      markReachable(Now);
    return anyOf(Type, At.Root->Reason, Layout);
  }
  const bool InFront = At.Offset->isConst() && At.Offset->Value + Size < Size; // values[-1]
  if (!From || At.Root->Where == Space::Null || InFront)
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
  markEscaped(*From);
  return anyOf(Type, From->Rest.Form == Background::Unknown ? From->Rest.Reason : "data in " + describe(At.Root),
               Layout);
}

void Heap::blur(State &Now, Object *Root, const std::string &Reason) {
  storeToLost(Now, {nullptr, Root, Nodes.constant(64, 0)});
  if (Root->Where == Space::Unknown || Root->Where == Space::Null || Root->Where == Space::Function)
    return;
  Contents &To = Now.change(Root);
  markEscaped(To);
  To.Cells.clear();
  To.Rest = Background::unknown(Reason);
}

void Heap::makeInput(State &Now, Object *Root, const std::string &Name) {
  storeToLost(Now, {nullptr, Root, Nodes.constant(64, 0)});
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
  storeToLost(Now, At);
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
  if (isLost(To) && Now.find(From.Root))
    markEscaped(*Now.find(From.Root));
  storeToLost(Now, To);
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
  markEscaped(Copy);
  markEscaped(Destination);
  Destination.Cells.clear();
  Destination.Rest = Background::unknown("a copy of a part");
}

} // namespace gasan::scan
