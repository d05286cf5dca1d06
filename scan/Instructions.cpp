/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The values of instructions and constants.
#include "scan/Executor.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"

using namespace llvm;

namespace gasan::scan {

Value Executor::any(const llvm::Value &V, const std::string &Reason) {
  return Memory.anyOf(V.getType(), Reason, Host.getDataLayout());
}

const Node *Executor::number(const llvm::Value *V, unsigned Width, bool Signed) {
  const Value Result = valueOf(V);
  if (Result.Form == Value::Integer)
    return Nodes.resize(Result.Number, Width, Signed);
  if (Result.Form == Value::Pointer)
    return Nodes.resize(Memory.address(Result), Width, false);
  return Nodes.createVariable(VariableKind::Unknown, Width, "value", "a value that the analysis does not follow")->Use;
}

Object *Executor::objectOf(GlobalVariable *Variable) {
  Object *&Slot = Variables[Variable];
  if (Slot)
    return Slot;
  const DataLayout &Layout = Variable->getParent()->getDataLayout();
  const bool OnDevice = Device && Variable->getParent() == Device;
  const unsigned Space = Variable->getAddressSpace();
  gasan::scan::Space Where = !OnDevice ? Space::HostVariable : Space == 3 ? Space::Shared : Space::DeviceVariable;
  SmallVector<DIGlobalVariableExpression *, 1> Debug;
  Variable->getDebugInfo(Debug);
  std::string Name = Debug.empty() ? Variable->getName().str() : Debug[0]->getVariable()->getName().str();
  const bool Sized = !(Variable->isDeclaration() || Layout.getTypeAllocSize(Variable->getValueType()) == 0);
  Slot = Memory.create(Where, Name,
                       Sized ? Nodes.constant(64, Layout.getTypeAllocSize(Variable->getValueType())) : nullptr);
  Slot->Source = Variable;
  if (!Debug.empty()) {
    Slot->Allocated.Line = Debug[0]->getVariable()->getLine();
    Slot->Allocated.File = Debug[0]->getVariable()->getFilename().str();
  }
  if (Where == Space::Shared && !Sized)
    Slot->Where = Space::DynamicShared;
  if (Slot->Where == Space::Shared || Slot->Where == Space::DynamicShared) {
    Now.change(Slot);
    return Slot;
  }
  if (OnDevice && !Variable->isConstant())
    Now.change(Slot).Rest = Background::unknown("the contents of '" + Name + "'");
  else if (Variable->hasInitializer())
    initialise(Slot, Variable->getInitializer(), 0);
  else
    Now.change(Slot).Rest = Background::unknown("'" + Name + "', a variable of another file");
  Slot->Initial = Now.at(Slot->Number); // in all states, not only in this one
  Now.forget(Slot);
  return Slot;
}

void Executor::initialise(Object *Root, const Constant *C, uint64_t Offset) {
  const DataLayout &Layout = Root->Source->getParent()->getDataLayout();
  Contents &To = Now.change(Root);
  if (C->isNullValue()) {
    if (Offset == 0 && To.Cells.empty())
      To.Rest = Background::zero();
    else if (C->getType()->isIntegerTy() || C->getType()->isPointerTy())
      To.Cells[Offset] = {Layout.getTypeStoreSize(C->getType()), valueOfConstant(C)};
    return; // the rest of an object with an initialiser is zero
  }
  To.Rest = Background::zero();
  const unsigned kMost = 4096;
  if (auto *Data = dyn_cast<ConstantDataSequential>(C)) {
    if (Data->getNumElements() > kMost || !Data->getElementType()->isIntegerTy()) {
      To.Rest = Background::unknown("the contents of '" + Root->Name + "'");
      return;
    }
    for (unsigned I = 0; I < Data->getNumElements(); I++)
      To.Cells[Offset + I * Data->getElementByteSize()] = {Data->getElementByteSize(),
                                                           valueOfConstant(Data->getElementAsConstant(I))};
    return;
  }
  if (auto *Array = dyn_cast<ConstantArray>(C)) {
    const uint64_t Size = Layout.getTypeAllocSize(Array->getType()->getElementType());
    for (unsigned I = 0; I < Array->getNumOperands(); I++)
      initialise(Root, Array->getOperand(I), Offset + I * Size);
    return;
  }
  if (auto *Struct = dyn_cast<ConstantStruct>(C)) {
    const StructLayout *Fields = Layout.getStructLayout(Struct->getType());
    for (unsigned I = 0; I < Struct->getNumOperands(); I++)
      initialise(Root, Struct->getOperand(I), Offset + Fields->getElementOffset(I));
    return;
  }
  Value V = valueOfConstant(C);
  Now.change(Root).Cells[Offset] = {Layout.getTypeStoreSize(C->getType()), V};
}

Value Executor::valueOfConstant(const Constant *C) {
  if (auto *Number = dyn_cast<ConstantInt>(C)) {
    if (Number->getBitWidth() > 64)
      return Value();
    return Value::integer(Nodes.constant(Number->getBitWidth(), Number->getZExtValue()));
  }
  if (isa<ConstantPointerNull>(C))
    return Memory.pointer(Memory.null());
  if (auto *Code = dyn_cast<Function>(C)) {
    Object *Root = Memory.unknown("function " + Code->getName().str());
    Root->Where = Space::Function;
    Root->Code = const_cast<Function *>(Code);
    return Memory.pointer(Root);
  }
  if (auto *Variable = dyn_cast<GlobalVariable>(C))
    return Memory.pointer(objectOf(const_cast<GlobalVariable *>(Variable)));
  if (auto *Number = dyn_cast<ConstantFP>(C)) {
    const APFloat &Float = Number->getValueAPF(); // whole numbers only
    APSInt Whole(64, false);
    bool Exact = false;
    if (Float.convertToInteger(Whole, APFloat::rmTowardZero, &Exact) == APFloat::opOK && Exact)
      return Value::real(Nodes.constant(64, Whole.getExtValue()), 1);
    return Value::real();
  }
  if (auto *Expression = dyn_cast<ConstantExpr>(C)) {
    if (auto *Address = dyn_cast<GEPOperator>(Expression))
      return executeAddress(*Address);
    if (Expression->isCast() && Expression->getOpcode() != Instruction::PtrToInt &&
        Expression->getOpcode() != Instruction::IntToPtr)
      return valueOfConstant(Expression->getOperand(0));
  }
  if (auto *Vector = dyn_cast<ConstantDataVector>(C)) {
    Value Result;
    Result.Form = Value::Parts;
    for (unsigned I = 0; I < Vector->getNumElements(); I++)
      Result.Elements.push_back(valueOfConstant(Vector->getElementAsConstant(I)));
    return Result;
  }
  if (isa<ConstantAggregate>(C) || isa<ConstantAggregateZero>(C)) {
    Value Result;
    Result.Form = Value::Parts;
    for (unsigned I = 0; const Constant *Element = C->getAggregateElement(I); I++)
      Result.Elements.push_back(valueOfConstant(Element));
    return Result;
  }
  if (isa<UndefValue>(C))
    return any(*C, "an undefined value");
  return any(*C, "a constant that the analysis does not follow");
}

Value Executor::valueOf(const llvm::Value *V) {
  if (auto *C = dyn_cast<Constant>(V))
    return valueOfConstant(C);
  auto Found = Top->Values.find(V);
  return Found == Top->Values.end() ? any(*V, "an undefined value") : Found->second;
}

Value Executor::executeReal(const BinaryOperator &Operation, const Value &A, const Value &B) {
  // Quotients of whole numbers by small constants are exact enough for ceil() and floor() of sizes.
  const auto small = [&](const Node *Number) {
    const Range R = Nodes.signedRange(Number);
    return R.Low >= -(__int128(1) << 32) && R.High <= (__int128(1) << 32);
  };
  if (!A.Number || !B.Number || !small(A.Number) || !small(B.Number) || !Operation.getType()->isDoubleTy())
    return Value::real();
  if (Operation.getOpcode() == Instruction::FDiv && A.Divisor == 1 && B.Divisor == 1 && B.Number->isConst() &&
      B.Number->Value > 0 && B.Number->Value < 1u << 20)
    return Value::real(A.Number, B.Number->Value);
  if (A.Divisor != 1 || B.Divisor != 1)
    return Value::real();
  if (Operation.getOpcode() == Instruction::FAdd)
    return Value::real(Nodes.add(A.Number, B.Number));
  if (Operation.getOpcode() == Instruction::FSub)
    return Value::real(Nodes.sub(A.Number, B.Number));
  return Value::real();
}

Value Executor::executeBinary(const BinaryOperator &Operation) {
  const Value A = valueOf(Operation.getOperand(0)), B = valueOf(Operation.getOperand(1));
  if (Operation.getType()->isFloatingPointTy())
    return executeReal(Operation, A, B);
  if (!Operation.getType()->isIntegerTy() || Operation.getType()->getIntegerBitWidth() > 64)
    return any(Operation, "arithmetic on vectors or wide numbers");
  const unsigned Width = Operation.getType()->getIntegerBitWidth();
  const Node *L = number(Operation.getOperand(0), Width, false), *R = number(Operation.getOperand(1), Width, false);
  bool Signed = false;
  if (auto *Flags = dyn_cast<OverflowingBinaryOperator>(&Operation))
    Signed = Flags->hasNoSignedWrap();
  switch (Operation.getOpcode()) {
  case Instruction::Add:
    return Value::integer(Nodes.add(L, R, Signed));
  case Instruction::Sub:
    return Value::integer(Nodes.sub(L, R, Signed));
  case Instruction::Mul:
    return Value::integer(Nodes.mul(L, R, Signed));
  case Instruction::UDiv:
    return Value::integer(Nodes.make(Op::UDiv, L, R));
  case Instruction::SDiv:
    return Value::integer(
        Nodes.make(Nodes.signedRange(L).Low >= 0 && Nodes.signedRange(R).Low >= 0 ? Op::UDiv : Op::SDiv, L, R));
  case Instruction::URem:
    return Value::integer(Nodes.make(Op::URem, L, R));
  case Instruction::SRem:
    return Value::integer(
        Nodes.make(Nodes.signedRange(L).Low >= 0 && Nodes.signedRange(R).Low >= 0 ? Op::URem : Op::SRem, L, R));
  case Instruction::Shl:
    return Value::integer(Nodes.make(Op::Shl, L, R, Signed));
  case Instruction::LShr:
    return Value::integer(Nodes.make(Op::LShr, L, R));
  case Instruction::AShr:
    return Value::integer(Nodes.make(Nodes.signedRange(L).Low >= 0 ? Op::LShr : Op::AShr, L, R));
  case Instruction::And:
    return Value::integer(Nodes.make(Op::And, L, R));
  case Instruction::Or:
    return Value::integer(Nodes.make(Op::Or, L, R));
  default:
    return Value::integer(Nodes.make(Op::Xor, L, R));
  }
}

Value Executor::executeCast(const CastInst &Cast) {
  const Value V = valueOf(Cast.getOperand(0));
  Type *To = Cast.getType();
  const bool Whole = V.Form == Value::Integer && To->isIntegerTy() && To->getIntegerBitWidth() <= 64;
  switch (Cast.getOpcode()) {
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::Trunc:
    if (Whole)
      return Value::integer(Nodes.resize(V.Number, To->getIntegerBitWidth(), Cast.getOpcode() == Instruction::SExt));
    break;
  case Instruction::PtrToInt:
    if (V.Form == Value::Pointer && To->isIntegerTy())
      return Value::integer(Nodes.resize(Memory.address(V), To->getIntegerBitWidth(), false));
    break;
  case Instruction::IntToPtr:
    if (V.Form == Value::Integer)
      return Memory.fromAddress(Nodes.resize(V.Number, 64, false));
    break;
  case Instruction::AddrSpaceCast:
    return V;
  case Instruction::BitCast:
    if (Whole || (To->isPointerTy() && V.Form == Value::Pointer))
      return V;
    break;
  case Instruction::SIToFP:
  case Instruction::UIToFP:
    if (V.Form == Value::Integer && V.Number->Width <= 32 && To->isDoubleTy())
      return Value::real(Nodes.resize(V.Number, 64, Cast.getOpcode() == Instruction::SIToFP), 1);
    return Value::real();
  case Instruction::FPToSI:
  case Instruction::FPToUI:
    if (V.Form == Value::Real && V.Number && To->isIntegerTy() && To->getIntegerBitWidth() <= 64)
      return Value::integer(
          Nodes.resize(Nodes.make(Op::SDiv, V.Number, Nodes.constant(64, V.Divisor)), To->getIntegerBitWidth(), true));
    return any(Cast, "a number that is computed in floating point");
  case Instruction::FPExt:
    return V.Form == Value::Real && V.Number && Nodes.signedRange(V.Number).High < 1 << 24 &&
                   Nodes.signedRange(V.Number).Low > -(1 << 24) && V.Divisor == 1
               ? V
               : Value::real();
  default:
    break;
  }
  return any(Cast, "a conversion that the analysis does not follow");
}

Value Executor::comparePointers(const CmpInst &Compare, const Value &A, const Value &B) {
  auto relate = [&](const Node *L, const Node *R) {
    switch (Compare.getPredicate()) {
    case CmpInst::ICMP_EQ:
      return Nodes.eq(L, R);
    case CmpInst::ICMP_NE:
      return Nodes.negate(Nodes.eq(L, R));
    case CmpInst::ICMP_ULT:
    case CmpInst::ICMP_SLT:
      return Nodes.ult(L, R);
    case CmpInst::ICMP_ULE:
    case CmpInst::ICMP_SLE:
      return Nodes.ule(L, R);
    case CmpInst::ICMP_UGT:
    case CmpInst::ICMP_SGT:
      return Nodes.ult(R, L);
    default:
      return Nodes.ule(R, L);
    }
  };
  const bool Equality = Compare.isEquality();
  const Node *Result = nullptr;
  for (const Target &T : A.Targets)
    for (const Target &U : B.Targets) {
      const Node *One = nullptr;
      if (T.Root == U.Root && T.Root->Where != Space::Unknown)
        One = relate(T.Offset, U.Offset);
      else if (Equality && T.Root->Where != Space::Unknown && U.Root->Where != Space::Unknown)
        One = Nodes.boolean(Compare.getPredicate() == CmpInst::ICMP_NE); // different pieces of memory
      else
        One = Nodes.createVariable(VariableKind::Unknown, 1, "order", "a comparison of pointers")->Use;
      Result = Result ? Nodes.ite(Nodes.both(T.Guard, U.Guard), One, Result) : One;
    }
  return Value::integer(Result ? Result : Nodes.boolean(false));
}

Value Executor::executeCompare(const CmpInst &Compare) {
  const Value A = valueOf(Compare.getOperand(0)), B = valueOf(Compare.getOperand(1));
  if (A.Form == Value::Pointer && B.Form == Value::Pointer)
    return comparePointers(Compare, A, B);
  if (A.Form != Value::Integer || B.Form != Value::Integer || A.Number->Width != B.Number->Width ||
      !Compare.getType()->isIntegerTy())
    return any(Compare, isa<FCmpInst>(Compare) ? "a comparison in floating point" : "a comparison");
  const Node *L = A.Number, *R = B.Number;
  switch (Compare.getPredicate()) {
  case CmpInst::ICMP_EQ:
    return Value::integer(Nodes.eq(L, R));
  case CmpInst::ICMP_NE:
    return Value::integer(Nodes.negate(Nodes.eq(L, R)));
  case CmpInst::ICMP_ULT:
    return Value::integer(Nodes.ult(L, R));
  case CmpInst::ICMP_ULE:
    return Value::integer(Nodes.ule(L, R));
  case CmpInst::ICMP_UGT:
    return Value::integer(Nodes.ult(R, L));
  case CmpInst::ICMP_UGE:
    return Value::integer(Nodes.ule(R, L));
  case CmpInst::ICMP_SLT:
    return Value::integer(Nodes.slt(L, R));
  case CmpInst::ICMP_SLE:
    return Value::integer(Nodes.sle(L, R));
  case CmpInst::ICMP_SGT:
    return Value::integer(Nodes.slt(R, L));
  default:
    return Value::integer(Nodes.sle(R, L));
  }
}

// Returns the bytes that an address computation adds.
const Node *Executor::distanceOf(const GEPOperator &Step) {
  const DataLayout &Layout = Host.getDataLayout();
  const Node *Move = Nodes.constant(64, 0);
  for (auto It = gep_type_begin(Step), End = gep_type_end(Step); It != End; ++It) {
    const llvm::Value *Index = It.getOperand();
    if (StructType *Struct = It.getStructTypeOrNull()) {
      const uint64_t Field = cast<ConstantInt>(Index)->getZExtValue();
      Move = Nodes.add(Move, Nodes.constant(64, Layout.getStructLayout(Struct)->getElementOffset(Field)));
      continue;
    }
    const uint64_t Size = It.getSequentialElementStride(Layout);
    Move = Nodes.add(Move, Nodes.mul(number(Index, 64, true), Nodes.constant(64, Size)));
  }
  return Move;
}

Value Executor::executeAddress(const GEPOperator &Address) {
  Value Base = valueOf(Address.getPointerOperand());
  if (Base.Form != Value::Pointer || !Address.getType()->isPointerTy())
    return any(Address, "a pointer that the analysis does not follow");
  const Node *Move = distanceOf(Address);
  for (Target &T : Base.Targets)
    T.Offset = Nodes.add(T.Offset, Move);
  if (auto *I = dyn_cast<Instruction>(&Address); I && Current)
    for (Target &T : Base.Targets)
      if (T.Root->Where == Space::DynamicShared)
        carve(*I, T);
  return Base;
}

void Executor::execute(const Instruction &I) {
  if (Current || !Quiet)
    Executed.insert(&I);
  if (Current) // a kernel is executed again until its memory is stable
    Memory.begin(&I, Context);
  Value Result;
  const DataLayout &Layout = Host.getDataLayout();
  if (auto *Operation = dyn_cast<BinaryOperator>(&I)) {
    Result = executeBinary(*Operation);
  } else if (auto *Compare = dyn_cast<CmpInst>(&I)) {
    Result = executeCompare(*Compare);
  } else if (auto *Cast = dyn_cast<CastInst>(&I)) {
    Result = executeCast(*Cast);
  } else if (auto *Address = dyn_cast<GetElementPtrInst>(&I)) {
    Result = executeAddress(*cast<GEPOperator>(Address));
  } else if (auto *Load = dyn_cast<LoadInst>(&I)) {
    Result = load(I, valueOf(Load->getPointerOperand()), Load->getType());
  } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
    return store(I, valueOf(Store->getPointerOperand()), valueOf(Store->getValueOperand()),
                 Layout.getTypeStoreSize(Store->getValueOperand()->getType()));
  } else if (auto *Local = dyn_cast<AllocaInst>(&I)) {
    const Node *Count = number(Local->getArraySize(), 64, false);
    const Node *Size = Nodes.mul(Count, Nodes.constant(64, Layout.getTypeAllocSize(Local->getAllocatedType())));
    Object *Root = Memory.create(Current ? Space::Local : Space::Host, userName(I), Size);
    Root->Allocated = placeOf(I);
    if (!Root->Allocated.isKnown())
      for (const DbgVariableRecord *Record : findDVRDeclares(const_cast<AllocaInst *>(Local))) {
        Root->Allocated.Line = Record->getVariable()->getLine();
        Root->Allocated.File = Record->getVariable()->getFilename().str();
      }
    Now.change(Root);
    Result = Memory.pointer(Root);
  } else if (auto *Select = dyn_cast<SelectInst>(&I)) {
    Result = Select->getCondition()->getType()->isIntegerTy()
                 ? Memory.choose(number(Select->getCondition(), 1, false), valueOf(Select->getTrueValue()),
                                 valueOf(Select->getFalseValue()))
                 : any(I, "a choice between vectors");
  } else if (auto *Call = dyn_cast<CallBase>(&I)) {
    Result = executeCall(*Call);
  } else if (isa<FreezeInst>(I)) {
    Result = valueOf(I.getOperand(0));
  } else if (auto *Atomic = dyn_cast<AtomicRMWInst>(&I)) {
    store(I, valueOf(Atomic->getPointerOperand()), any(I, "the result of an atomic operation"),
          Layout.getTypeStoreSize(I.getType()));
    Result = any(I, "the result of an atomic operation");
  } else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I)) {
    llvm::Type *Type = Exchange->getNewValOperand()->getType();
    store(I, valueOf(Exchange->getPointerOperand()), Memory.anyOf(Type, "the result of an atomic operation", Layout),
          Layout.getTypeStoreSize(Type));
    Result = any(I, "the result of an atomic operation");
  } else if (auto *Extract = dyn_cast<ExtractValueInst>(&I)) {
    Result = valueOf(Extract->getAggregateOperand());
    for (unsigned Index : Extract->indices())
      Result = Index < Result.Elements.size() ? Value(Result.Elements[Index]) : Value();
    if (Result.Form == Value::Nothing)
      Result = any(I, "a part of a value");
  } else if (auto *Insert = dyn_cast<InsertValueInst>(&I)) {
    Result = valueOf(Insert->getAggregateOperand());
    if (Insert->getNumIndices() == 1 && Insert->getIndices()[0] < Result.Elements.size())
      Result.Elements[Insert->getIndices()[0]] = valueOf(Insert->getInsertedValueOperand());
    else
      Result = any(I, "a part of a value");
  } else if (auto *Element = dyn_cast<ExtractElementInst>(&I)) {
    const Value Vector = valueOf(Element->getVectorOperand());
    const auto *Index = dyn_cast<ConstantInt>(Element->getIndexOperand());
    Result = Index && Index->getZExtValue() < Vector.Elements.size() ? Vector.Elements[Index->getZExtValue()]
                                                                     : any(I, "a part of a vector");
  } else if (auto *Change = dyn_cast<InsertElementInst>(&I)) {
    Result = valueOf(Change->getOperand(0));
    const auto *Index = dyn_cast<ConstantInt>(Change->getOperand(2));
    if (Index && Index->getZExtValue() < Result.Elements.size())
      Result.Elements[Index->getZExtValue()] = valueOf(Change->getOperand(1));
    else
      Result = any(I, "a part of a vector");
  } else if (!I.getType()->isVoidTy()) {
    Result = any(I, "an instruction that the analysis does not follow");
  }
  if (!I.getType()->isVoidTy())
    Top->Values[&I] = std::move(Result);
  Touched.insert(Touched.end(), Memory.Used.begin(), Memory.Used.end());
  Memory.Used.clear();
  Memory.begin(nullptr, 0);
}

} // namespace gasan::scan
