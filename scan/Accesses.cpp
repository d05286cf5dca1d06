/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Reads and writes, and the checks that they need.
#include "scan/Executor.h"
#include "scan/Fields.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace gasan::scan {

std::vector<Place> Executor::stack(const Instruction &I) {
  std::vector<Place> Result;
  auto add = [&](const Instruction &At) {
    for (const DILocation *Loc = At.getDebugLoc(); Loc; Loc = Loc->getInlinedAt()) {
      Place P;
      P.Line = Loc->getLine();
      P.Column = Loc->getColumn();
      P.File = Loc->getFilename().str();
      P.Function = Loc->getScope()->getSubprogram()->getName().str();
      Result.push_back(P);
    }
  };
  add(I);
  for (const Frame *F = Top; F && F->Site; F = F->Caller) {
    if (Current && F->Code == Current->Kernel)
      break;
    add(*F->Site);
  }
  return Result;
}

bool Executor::isDeviceAccess(const Object *Root) const {
  return Current != nullptr && Root->Where != Space::Function;
}

// Returns the accessed address; NULL: a copy of more than one element, which may be intended.
static const llvm::Value *addressOf(const Instruction &I, StringRef Operation) {
  if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return Exchange->getPointerOperand();
  if (const auto *Atomic = dyn_cast<AtomicRMWInst>(&I))
    return Atomic->getPointerOperand();
  const auto *Copy = dyn_cast<MemTransferInst>(&I);
  if (!Copy)
    return getLoadStorePointerOperand(&I);
  const llvm::Value *Address = Operation == "read" ? Copy->getRawSource() : Copy->getRawDest();
  const auto *Element = dyn_cast<GEPOperator>(Address);
  const auto *Length = dyn_cast<ConstantInt>(Copy->getLength());
  return Element && Length && Element->getResultElementType()->isStructTy() &&
                 I.getDataLayout().getTypeAllocSize(Element->getResultElementType()) == Length->getZExtValue()
             ? Address
             : nullptr;
}

std::vector<FieldBounds> Executor::fieldsOf(const Instruction &I, const char *Operation) {
  std::vector<FieldBounds> Result;
  if (!Current)
    return Result;
  if (!DeviceFields)
    DeviceFields = std::make_unique<Fields>(*Device);
  const llvm::Value *Address = addressOf(I, Operation);
  const SaveAndRestore<Frame *> Mine(Top, Top);
  while (Address && isa<Argument>(Address) && Top->Code != Current->Kernel && Top->Site && Top->Code->getSubprogram() &&
         isSystemFile(Top->Code->getSubprogram()->getFilename())) { // such as atomicAdd()
    Address = Top->Site->getArgOperand(cast<Argument>(Address)->getArgNo());
    Top = Top->Caller;
  }
  if (Address)
    for (const Field &One : DeviceFields->of(*Address)) {
      const Node *Offset = Nodes.constant(64, 0);
      for (const GEPOperator *Step : One.Steps)
        Offset = Nodes.add(Offset, distanceOf(*Step));
      Result.push_back({DeviceFields->name(One), Offset, DeviceFields->size(One)});
    }
  return Result;
}

void Executor::record(Check New) {
  if (!Quiet)
    Checks.push_back(std::move(New));
}

void Executor::check(const Instruction &I, const Value &Pointer, const Node *Bytes, const char *Operation, Problem Kind,
                     const char *Api) {
  if (Quiet)
    return;
  Check New;
  New.Kind = Kind;
  New.Site = &I;
  New.In = Current;
  New.Operation = Operation;
  New.Api = Api ? Api : "";
  New.Stack = stack(I);
  New.Bytes = Bytes;
  New.ToStayIn = fieldsOf(I, Operation);
  for (const Target &T : Pointer.Targets) {
    Check One = New;
    One.Path = Nodes.both(Path, T.Guard);
    if (One.Path->isFalse())
      continue;
    One.Root = T.Root;
    One.Offset = T.Offset;
    One.Limit = T.Root->Size;
    if (T.Root->Where == Space::DynamicShared)
      One.Part = T.Part ? T.Part : Nodes.constant(64, 0);
    if (T.Root->Where == Space::Unknown)
      One.Unknown = T.Root->Reason;
    else if (T.Root->Where == Space::Null)
      One.Unknown = "a null pointer on a way that the analysis does not exclude";
    else if (!T.Root->Size)
      One.Unknown = "memory of unknown size";
    if (const Contents *Now = this->Now.find(T.Root)) {
      One.Freed = Now->Freed;
      One.FreedAt = Now->FreedAt;
    }
    record(One);
  }
  if (Pointer.Targets.empty()) {
    New.Path = Path;
    New.Unknown = "a pointer that the analysis does not follow";
    record(New);
  }
}

Value Executor::load(const Instruction &I, const Value &Pointer, Type *Type) {
  const DataLayout &Layout = Host.getDataLayout();
  if (Current)
    check(I, Pointer, Nodes.constant(64, Layout.getTypeStoreSize(Type)), "read");
  else
    excludeNull(Pointer);
  if (Pointer.Form != Value::Pointer || Pointer.Targets.empty())
    return any(I, "a pointer that the analysis does not follow");
  Value Result;
  for (const Target &T : Pointer.Targets) {
    Value One;
    if (!Current && T.Root->Where == Space::Null && Pointer.Targets.size() > 1)
      continue;
    if (T.Root->Where == Space::Text && !T.Root->Size && Type->isPointerTy()) { // argv[i]
      One = argumentText(T);
    } else {
      One = Memory.load(Now, T, Type, Layout);
    }
    Result = Result.Form == Value::Nothing ? One : Memory.choose(T.Guard, One, Result);
  }
  return Result.Form == Value::Nothing ? any(I, "data that the analysis does not follow") : Result;
}

void Executor::store(const Instruction &I, const Value &Pointer, const Value &What, uint64_t Bytes) {
  if (Current)
    check(I, Pointer, Nodes.constant(64, Bytes), I.isAtomic() ? "atomic" : "write");
  else
    excludeNull(Pointer);
  for (const Target &T : Pointer.Targets) {
    const bool Common = Current && T.Root->Where != Space::Local; // other threads write, too
    if (Common && T.Root->Where != Space::Unknown && T.Offset->isConst()) {
      // A computed index stands for the places that all threads write.
      Variable *Place = Nodes.createVariable(VariableKind::Unknown, 64, "place", "a place");
      Memory.store(Now, {T.Guard, T.Root, Place->Use}, What, Bytes, Nodes.both(Path, T.Guard));
    } else {
      Memory.store(Now, T, What, Bytes, Nodes.both(Path, T.Guard));
    }
  }
}

void Executor::copy(const Value &To, const Value &From, const Node *Bytes) {
  for (const Target &T : To.Targets) {
    if (From.Targets.size() == 1)
      Memory.copy(Now, T, From.Targets[0], Bytes, Path);
    else
      Memory.blur(Now, T.Root, "a copy from one of several places");
  }
}

} // namespace gasan::scan
