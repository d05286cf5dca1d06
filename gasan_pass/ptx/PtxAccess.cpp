// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/ptx/PtxAccess.h"
#include "gasan_pass/ptx/PtxTile.h"
#include "gasan_pass/ptx/PtxValues.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gasan {
namespace {

bool isOneOf(StringRef Name, std::initializer_list<StringRef> Names) {
  return is_contained(Names, Name);
}

// Returns true for ".global", and for no space: generic addresses may be global.
bool isSpace(StringRef Modifier) {
  return isOneOf(Modifier.split("::").first, {"global", "shared", "local", "const", "param"});
}

SmallVector<StringRef, 2> spacesOf(const PtxStatement &S) {
  SmallVector<StringRef, 2> Spaces;
  for (StringRef Modifier : S.Modifiers)
    if (isSpace(Modifier))
      Spaces.push_back(Modifier);
  return Spaces;
}

unsigned vectorLength(const PtxStatement &S) {
  return S.has("v8") ? 8 : S.has("v4") ? 4 : S.has("v2") ? 2 : 1;
}

bool isMemoryAddress(StringRef Operand) {
  return Operand.starts_with("[");
}

class Reader {
public:
  Reader(CallInst &Asm, bool WithShared) : Asm(Asm), Values(Asm), WithShared(WithShared) {}

  PtxAccesses run() {
    std::optional<std::vector<PtxStatement>> Parsed = parsePtx(cast<InlineAsm>(Asm.getCalledOperand())->getAsmString());
    if (!Parsed) {
      ++Result.Unknown;
      return std::move(Result);
    }
    Statements = std::move(*Parsed);
    for (Next = 0; Next < Statements.size(); ++Next) {
      const PtxStatement &S = Statements[Next];
      read(S);
      if (S.Opcode == ":")
        FirstLabel = std::min(FirstLabel, Next);
      // The later statements run under a condition, or more than once.
      if (isOneOf(S.Opcode, {"bra", "brx", "call", "ret", "exit", "trap"}))
        Certain = false;
      Values.execute(S);
    }
    return std::move(Result);
  }

private:
  CallInst &Asm;
  PtxValues Values;
  const bool WithShared;
  PtxAccesses Result;
  std::vector<PtxStatement> Statements;
  size_t Next = 0, FirstLabel = SIZE_MAX;
  bool Certain = true;

  // Returns the address space of a statement's address. Empty: the access needs no check.
  std::optional<unsigned> spaceOf(const PtxStatement &S) const {
    SmallVector<StringRef, 2> Spaces = spacesOf(S);
    if (Spaces.empty() || Spaces[0] == "global")
      return NVPTXAS::ADDRESS_SPACE_GENERIC;
    if (WithShared && isOneOf(Spaces[0], {"shared", "shared::cta"}))
      return NVPTXAS::ADDRESS_SPACE_SHARED;
    return std::nullopt;
  }

  void read(const PtxStatement &S) {
    const StringRef Opcode(S.Opcode);
    if (isOneOf(Opcode, {"ld", "ldu"}))
      readTyped(S, 1, GASAN_ACCESS_READ);
    else if (Opcode == "st" && !S.has("bulk"))
      readTyped(S, 0, GASAN_ACCESS_WRITE);
    else if (Opcode == "atom")
      readTyped(S, 1, GASAN_ACCESS_ATOMIC);
    else if (Opcode == "red")
      readTyped(S, 0, GASAN_ACCESS_ATOMIC);
    else if (Opcode == "discard") // the bytes lose their values
      readDiscard(S);
    else if (Opcode == "tensormap" && is_contained(spacesOf(S), "global")) // changes a tensor map
      ++Result.Unknown;
    else if (Opcode == "cp")
      readCopy(S);
    else if (Opcode == "multimem")
      readMultimem(S);
    else if (Opcode == "wmma" && (S.has("load") || S.has("store")))
      readTile(S);
  }

  // The size is the type's size times the vector's length. The hardware needs this alignment.
  void readTyped(const PtxStatement &S, size_t AddressOperand, gasan_access Kind) {
    std::optional<unsigned> Space = spaceOf(S);
    if (!Space)
      return;
    std::optional<PtxType> T = S.Modifiers.empty() ? std::nullopt : parsePtxType(S.Modifiers.back());
    if (!T || T->Bits < 8) {
      ++Result.Unknown;
      return;
    }
    add(S, AddressOperand, Kind, Values.Builder.getInt64(T->Bits / 8 * vectorLength(S)), Values.readGuard(S), Align(1),
        *Space);
  }

  void readDiscard(const PtxStatement &S) {
    std::optional<unsigned> Space = spaceOf(S);
    Value *Size = S.Operands.size() < 2 ? nullptr : Values.readInteger(S.Operands[1], 32);
    if (Space)
      add(S, 0, GASAN_ACCESS_WRITE, Size, Values.readGuard(S), Align(1), *Space);
  }

  // cp.async and cp.async.bulk, which name the spaces of destination and source in this order
  void readCopy(const PtxStatement &S) {
    SmallVector<StringRef, 2> Spaces = spacesOf(S);
    if (Spaces.empty() || !is_contained(Spaces, "global") || S.has("prefetch"))
      return;
    if (S.has("tensor") || Spaces.size() != 2 || S.Operands.size() < 3 || S.has("cp_mask") || S.has("ignore_oob")) {
      ++Result.Unknown;
      return;
    }
    if (!S.has("bulk"))
      return readSmallCopy(S);
    const bool ToGlobal = Spaces[0] == "global";
    const gasan_access Kind = !ToGlobal         ? GASAN_ACCESS_READ
                              : S.has("reduce") ? GASAN_ACCESS_ATOMIC
                                                : GASAN_ACCESS_WRITE;
    add(S, ToGlobal ? 0 : 1, Kind, Values.readInteger(S.Operands[2], 32), Values.readGuard(S), Align(16));
  }

  // cp.async.KIND.shared.global [to], [from], size{, bytes to read | predicate: read nothing}{, cache policy}
  void readSmallCopy(const PtxStatement &S) {
    IRBuilderBase &B = Values.Builder;
    Value *All = Values.readInteger(S.Operands[2], 32), *Size = All;
    PtxValues::Condition Guard = Values.readGuard(S);
    if (Size && S.Operands.size() - S.has("L2::cache_hint") > 3) {
      if (Value *Bytes = Values.readInteger(S.Operands[3], 32)) {
        Size = B.CreateBinaryIntrinsic(Intrinsic::umin, Size, Bytes);
      } else {
        Value *Ignored = Values.readInteger(S.Operands[3], 1);
        Guard.Known = Guard.Known && Ignored;
        if (Guard.Known)
          Guard.Holds = Guard.Holds ? B.CreateAnd(Guard.Holds, B.CreateNot(Ignored)) : B.CreateNot(Ignored);
      }
    }
    add(S, 1, GASAN_ACCESS_READ, Size, Guard);
    if (WithShared) // bytes that are not read are set to zero
      add(S, 0, GASAN_ACCESS_WRITE, All, Values.readGuard(S), Align(1), NVPTXAS::ADDRESS_SPACE_SHARED);
  }

  // multimem.ld_reduce d, [from]; multimem.st [to], d; multimem.red [to], d; multimem.cp...
  void readMultimem(const PtxStatement &S) {
    if (S.has("ld_reduce"))
      readTyped(S, 1, GASAN_ACCESS_READ);
    else if (S.has("st"))
      readTyped(S, 0, GASAN_ACCESS_WRITE);
    else if (S.has("red") && !S.has("cp"))
      readTyped(S, 0, GASAN_ACCESS_ATOMIC);
    else
      ++Result.Unknown;
  }

  // wmma.load...: d, [from]{, stride}; wmma.store...: [to], d{, stride}
  void readTile(const PtxStatement &S) {
    std::optional<unsigned> Space = spaceOf(S);
    if (!Space)
      return;
    std::optional<PtxTile> Tile = parsePtxTile(SmallVector<StringRef, 8>(S.Modifiers.begin(), S.Modifiers.end()));
    Value *Pointer = S.Operands.size() < 2 ? nullptr : Values.readAddress(S.Operands[S.has("store") ? 0 : 1], *Space);
    Value *Stride = S.Operands.size() < 3 ? nullptr : Values.readInteger(S.Operands[2], 32);
    PtxValues::Condition Guard = Values.readGuard(S);
    if (!Tile || !Pointer || (!Stride && S.Operands.size() > 2) || !Guard.Known || !Certain) {
      ++Result.Unknown;
      return;
    }
    PtxTileRow Row = rowOfThisLane(Values.Builder, *Tile, Pointer, Stride, Guard.Holds);
    Result.Known.push_back({Tile->IsStore ? GASAN_ACCESS_WRITE : GASAN_ACCESS_READ, Values.keep(Row.Pointer),
                            Values.keep(Row.Size), Align(1), Values.keep(Row.Guard)});
  }

  void add(const PtxStatement &S, size_t AddressOperand, gasan_access Kind, Value *Size, PtxValues::Condition Guard,
           Align Alignment = Align(1), unsigned Space = NVPTXAS::ADDRESS_SPACE_GENERIC) {
    // ld.v2's braces are one operand. A red has the address first; so have forms that ptxas will refuse.
    Value *Address = AddressOperand < S.Operands.size() && isMemoryAddress(S.Operands[AddressOperand])
                         ? Values.readAddress(S.Operands[AddressOperand], Space)
                         : nullptr;
    if (!Address || !Size || !Guard.Known || !Certain) {
      ++Result.Unknown;
      return;
    }
    if (auto *Bytes = dyn_cast<ConstantInt>(Size); Bytes && isPowerOf2_64(Bytes->getZExtValue()))
      Alignment = std::max(Alignment, Align(Bytes->getZExtValue()));
    Result.Known.push_back({Kind, Values.keep(Address), Values.keep(Size), Alignment, Values.keep(Guard.Holds)});
    // If a loop changes the address, only the first round's address is known.
    if (isMovedByLoop(S.Operands[AddressOperand]))
      ++Result.Unknown;
  }

  bool isMovedByLoop(StringRef AddressOperand) {
    if (FirstLabel == SIZE_MAX)
      return false;
    StringRef Base = AddressOperand.drop_front().take_until([](char C) { return StringRef("+-]").contains(C); }).trim();
    bool IsWritten = false, IsLoop = false;
    for (const PtxStatement &S : ArrayRef(Statements).drop_front(FirstLabel))
      IsWritten |= !S.Operands.empty() && S.Operands[0] == Base;
    for (const PtxStatement &S : ArrayRef(Statements).drop_front(Next))
      IsLoop |= isOneOf(S.Opcode, {"bra", "brx"});
    return IsWritten && IsLoop;
  }
};

} // namespace

PtxAccesses findPtxAccesses(CallInst &Asm, bool WithShared) {
  return Reader(Asm, WithShared).run();
}

} // namespace gasan
