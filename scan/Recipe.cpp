/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "scan/Replay.h"

#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace gasan::scan {

namespace {

class Cook {
public:
  Cook(const Launch &L, const Assignment &Values, const std::map<const Node *, uint64_t> &Contents)
      : L(L), Inputs(Contents), Numbers(Values, Contents) {}

  Recipe cook() {
    Result.Stub = L.Stub;
    if (const DISubprogram *Code = L.Kernel->getSubprogram(); Code && Code->getUnit()) {
      Result.File = Code->getUnit()->getFilename().str();
      Result.Folder = Code->getUnit()->getDirectory().str();
    } else {
      Result.Unable = "the kernel's source is not known";
    }
    const DataLayout &Layout = L.Kernel->getParent()->getDataLayout();
    for (const Argument &A : L.Kernel->args()) {
      const Value &Given = L.Arguments[A.getArgNo()];
      RecipeBytes New;
      if (A.hasByValAttr()) {
        New.Size = Layout.getTypeAllocSize(A.getParamByValType());
        if (const Target *T = chosen(Given))
          addContents(New, T->Root, Numbers.evaluate(T->Offset), New.Size);
      } else {
        New.Size = Layout.getTypeAllocSize(A.getType());
        addValue(New, 0, New.Size, Given);
      }
      Result.Arguments.push_back(std::move(New));
    }
    return Result;
  }

private:
  // Returns the place that the pointer has with these numbers; NULL: none.
  const Target *chosen(const Value &Pointer) {
    for (const Target &T : Pointer.Targets)
      if (Numbers.evaluate(T.Guard))
        return &T;
    return nullptr;
  }

  void addNumber(RecipeBytes &To, uint64_t At, uint64_t Size, uint64_t Number) {
    for (uint64_t I = 0; I < Size && I < 8 && At + I < To.Size; I++)
      To.Bytes[At + I] = uint8_t(Number >> (8 * I));
  }

  // Values that the formula does not depend on may be missing.
  void addValue(RecipeBytes &To, uint64_t At, uint64_t Size, const Value &V) {
    if (V.Form == Value::Integer)
      return addNumber(To, At, Size, Numbers.evaluate(V.Number));
    if (V.Form == Value::Real && V.Number && (Size == 4 || Size == 8)) {
      const double Number = double(int64_t(Numbers.evaluate(V.Number))) / double(V.Divisor);
      const float Short = float(Number);
      uint64_t Bits = 0;
      memcpy(&Bits, Size == 4 ? static_cast<const void *>(&Short) : &Number, Size);
      return addNumber(To, At, Size, Bits);
    }
    if (V.Form != Value::Pointer || Size != 8)
      return;
    const Target *T = chosen(V);
    if (!T || T->Root->Where == Space::Null || T->Root->Where == Space::Unknown)
      return;
    if (!T->Root->isDeviceHeap() || !T->Root->Size) {
      Result.Unable = "an argument points to memory that no cudaMalloc made";
      return;
    }
    const unsigned Index = memoryOf(T->Root);
    To.Pointers.push_back({At, Index, Numbers.evaluate(T->Offset)});
  }

  // Adds the bytes of an object from Begin on.
  void addContents(RecipeBytes &To, const Object *Root, uint64_t Begin, uint64_t Size) {
    const gasan::scan::Contents *From = L.Before.find(Root);
    if (!From)
      return;
    for (const auto &[Offset, C] : From->Cells)
      if (Offset >= Begin && Offset - Begin + C.Size <= Size)
        addValue(To, Offset - Begin, C.Size, C.Content);
    if (From->Rest.Form == Background::Input)
      for (auto [Content, Number] : Inputs)
        if (Content->Value == From->Rest.Block) {
          const uint64_t At = Numbers.evaluate(Content->Kids[0]) - Begin;
          if (At < Size)
            addNumber(To, At, Content->Width / 8, Number);
        }
  }

  unsigned memoryOf(Object *Root) {
    if (auto Found = Indices.find(Root); Found != Indices.end())
      return Found->second;
    const unsigned Index = Indices[Root] = Result.Memory.size();
    Result.Memory.push_back({});
    RecipeMemory New;
    New.Size = Numbers.evaluate(Root->Size);
    New.Managed = Root->Where == Space::Managed;
    if (const gasan::scan::Contents *Known = L.Before.find(Root)) {
      New.Zero = Known->Rest.Form == Background::Zero;
      New.Freed = Known->Freed && Numbers.evaluate(Known->Freed);
    }
    addContents(New, Root, 0, New.Size);
    Result.Memory[Index] = std::move(New);
    return Index;
  }

  const Launch &L;
  const std::map<const Node *, uint64_t> &Inputs;
  Evaluator Numbers;
  std::map<const Object *, unsigned> Indices;
  Recipe Result;
};

} // namespace

Recipe makeRecipe(const Check &C, const Assignment &Values, const std::map<const Node *, uint64_t> &Contents) {
  if (!C.In) {
    Recipe None;
    None.Unable = "the error is a call of the host's code, and only kernels are replayed";
    return None;
  }
  return Cook(*C.In, Values, Contents).cook();
}

} // namespace gasan::scan
