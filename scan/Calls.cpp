/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Calls, and the intrinsics that host and device share.
#include "scan/Effects.h"
#include "scan/Executor.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;

namespace gasan::scan {

Value Executor::argument(const CallBase &Call, unsigned Index) {
  return Index < Call.arg_size() ? valueOf(Call.getArgOperand(Index)) : Value();
}

const Node *Executor::argumentNumber(const CallBase &Call, unsigned Index, unsigned Width) {
  return number(Call.getArgOperand(Index), Width, false);
}

// Returns a constant text; empty: it is none.
std::string Executor::text(const llvm::Value *V) {
  StringRef Result;
  return getConstantStringInfo(V, Result) ? Result.str() : "";
}

// Returns true if the program ends in the call because it expects an argument that it does not have:
// std::string(argv[1]).
bool Executor::lacksArgument(const CallBase &Call, const Function &Code) {
  const StringRef Name = Code.getName();
  if (!Settings.NoArguments || Current || !Code.isDeclaration() || Name == "free" || Name.starts_with("_Zd") ||
      Name.starts_with("cuda") || Name.starts_with("__cuda"))
    return false;
  return any_of(Call.args(), [&](const Use &Argument) {
    const Value Given = Argument->getType()->isPointerTy() ? valueOf(Argument) : Value();
    return !isa<Constant>(Argument) && !Given.Targets.empty() &&
           all_of(Given.Targets, [](const Target &T) { return T.Root->Where == Space::Null; });
  });
}

Value Executor::executeCall(const CallBase &Call) {
  Value Result;
  if (Call.isInlineAsm())
    return callUnknown(Call, "inline assembly");
  Function *Code = Call.getCalledFunction();
  if (!Code) { // through a pointer
    const Value Pointer = valueOf(Call.getCalledOperand());
    if (Pointer.Form == Value::Pointer && Pointer.Targets.size() == 1)
      Code = Pointer.Targets[0].Root->Code;
    if (!Code)
      return callUnknown(Call, "a function behind a pointer");
  }
  const StringRef Name = Code->getName();
  if (callIntrinsic(Call, Name, Result) || callArithmetic(Call, Name, Result))
    return Result;
  if (lacksArgument(Call, *Code)) {
    endProgram();
    return Result;
  }
  if (Current ? callDevice(Call, Name, Result)
              : callLaunch(Call, Name, Result) || callCuda(Call, Name, Result) || callHost(Call, Name, Result))
    return Result;
  if (Code->isDeclaration())
    return callUnknown(Call, demangle(Name.str()));
  std::vector<Value> Given;
  for (const Use &Argument : Call.args())
    Given.push_back(valueOf(Argument));
  for (unsigned I = 0; I < Call.arg_size(); I++)
    if (Call.isByValArgument(I)) { // the function has a copy of its own
      Type *Copied = Call.getParamByValType(I);
      Object *Copy = Memory.create(Current ? Space::Local : Space::Host, userName(*Code->getArg(I)),
                                   Nodes.constant(64, Host.getDataLayout().getTypeAllocSize(Copied)));
      Now.change(Copy);
      const Value Mine = Memory.pointer(Copy);
      copy(Mine, Given[I], Copy->Size);
      Given[I] = Mine;
    }
  if (Code->isVarArg())
    return callUnknown(Call, demangle(Name.str()));
  if (const Effects &Limit = effectsOf(*Code); !Current && Limit.IsRecursive && Limit.IsKnown) {
    for (GlobalVariable *Variable : Limit.Variables)
      Memory.blur(Now, objectOf(Variable), "memory that " + demangle(Name.str()) + " may write");
    return callUnknown(Call, demangle(Name.str()));
  }
  const unsigned Objects = Memory.count();
  Result = call(*Code, std::move(Given), &Call);
  checkLeaks(Call, Result, Objects);
  return Result;
}

// A function without code here may call Code, at any time: std::thread, qsort, an exit handler.
void Executor::mayCall(const Function &Code, const std::string &Caller) {
  if (Code.isDeclaration() || Code.getName().contains("__device_stub__"))
    return;
  const Effects &Limit = effectsOf(const_cast<Function &>(Code));
  if (!Limit.IsKnown)
    giveUp("'" + demangle(Code.getName().str()) + "', which " + Caller + " may call");
  for (GlobalVariable *Variable : Limit.Variables)
    Memory.blur(Now, objectOf(Variable), "memory that '" + demangle(Code.getName().str()) + "' may write");
}

// Returns true for a function of the system or of CUDA, which knows no variable of the program. Clang names the file of
// each declaration.
static bool isOfLibrary(const CallBase &Call) {
  const Function *Code = Call.getCalledFunction();
  if (!Code)
    return false;
  const DISubprogram *Declared = Code->getSubprogram();
  if (!Declared || !Declared->getFile())
    return Code->isIntrinsic() || Code->getName().starts_with("__c") || Code->getName().starts_with("_ZNS") ||
           Code->getName().starts_with("_ZNKS") || Code->getName().starts_with("_ZS");
  return isSystemFile(Declared->getFile()->getFilename());
}

// A function without code here. It may write all memory that its arguments lead to.
Value Executor::callUnknown(const CallBase &Call, const std::string &Name) {
  const std::string Reason = kResultOf + Name;
  std::set<Object *> Seen;
  std::vector<Object *> Work;
  auto add = [&](const Value &V) {
    for (const Target &T : V.Targets)
      Work.push_back(T.Root);
  };
  for (unsigned I = 0; I < Call.arg_size(); I++) {
    const bool ReadsOnly = Call.paramHasAttr(I, Attribute::ReadOnly) || Call.paramHasAttr(I, Attribute::ReadNone) ||
                           Call.onlyReadsMemory();
    const Value Given = valueOf(Call.getArgOperand(I));
    if (!ReadsOnly)
      add(Given);
    for (const Target &T : Given.Targets)
      if (T.Root->Code)
        Work.push_back(T.Root);
  }
  while (!Work.empty()) {
    Object *Root = Work.back();
    Work.pop_back();
    if (!Seen.insert(Root).second)
      continue;
    if (Root->Code && !Current) {
      mayCall(*Root->Code, Name);
      continue;
    }
    if (Root->Where == Space::Unknown)
      continue; // often a handle of the library, such as a FILE; other code may write anything anyway
    Root->Escaped = true;
    if (const Contents *Known = Now.find(Root))
      for (const auto &[Offset, C] : Known->Cells)
        add(C.Content);
    if (Root->Source && Root->Source->isConstant())
      continue;
    Memory.blur(Now, Root, "memory that " + Name + " may write");
  }
  if (!Current && !isOfLibrary(Call))
    Memory.blurEscaped(Now, "memory that " + Name + " may write", /*OtherFiles=*/true);
  if (Call.doesNotReturn())
    endProgram();
  return Call.getType()->isVoidTy() ? Value() : any(Call, Reason);
}

// An operation, and whether it wraps.
Value Executor::executeOverflow(const IntrinsicInst &Call) {
  const auto &Operation = cast<WithOverflowInst>(Call);
  const unsigned Width = Operation.getLHS()->getType()->getScalarSizeInBits();
  if (!Operation.getLHS()->getType()->isIntegerTy() || Width > 64)
    return any(Call, "arithmetic on vectors or wide numbers");
  const Node *L = number(Operation.getLHS(), Width, false), *R = number(Operation.getRHS(), Width, false);
  const Op Kind = Operation.getBinaryOp() == Instruction::Add   ? Op::Add
                  : Operation.getBinaryOp() == Instruction::Sub ? Op::Sub
                                                                : Op::Mul;
  if (Kind == Op::Mul && L->isConst())
    std::swap(L, R);
  const Node *Wraps = nullptr, *Number = Nodes.make(Kind, L, R);
  if (Width <= 32) { // twice the width holds the exact number
    const bool Signed = Operation.isSigned();
    const Node *Exact = Nodes.make(Kind, Nodes.resize(L, 2 * Width, Signed), Nodes.resize(R, 2 * Width, Signed));
    Wraps = Nodes.negate(Nodes.eq(Exact, Nodes.resize(Number, 2 * Width, Signed)));
  } else if (!Operation.isSigned() && Kind == Op::Add) {
    Wraps = Nodes.ult(Number, L);
  } else if (!Operation.isSigned() && Kind == Op::Sub) {
    Wraps = Nodes.ult(L, R);
  } else if (!Operation.isSigned() && R->isConst()) {
    Wraps = R->Value ? Nodes.ult(Nodes.constant(Width, maskOf(Width) / R->Value), L) : Nodes.boolean(false);
  } else {
    Wraps = number(UndefValue::get(Type::getInt1Ty(Call.getContext())), 1, false);
  }
  Value Result;
  Result.Form = Value::Parts;
  Result.Elements = {Value::integer(Number), Value::integer(Wraps)};
  return Result;
}

bool Executor::callIntrinsic(const CallBase &Call, StringRef Name, Value &Result) {
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call);
  if (!Intrinsic)
    return false;
  const Type *Type = Call.getType();
  const bool Whole = Type->isIntegerTy() && Type->getIntegerBitWidth() <= 64;
  const unsigned Width = Whole ? Type->getIntegerBitWidth() : 0;
  auto both = [&](unsigned Index) { return number(Call.getArgOperand(Index), Width, false); };
  switch (Intrinsic->getIntrinsicID()) {
  case Intrinsic::memcpy:
  case Intrinsic::memmove:
  case Intrinsic::memcpy_inline: {
    const Value To = argument(Call, 0), From = argument(Call, 1);
    const Node *Bytes = argumentNumber(Call, 2, 64);
    if (Current && !Bytes->isConst(0)) {
      check(Call, From, Bytes, "read");
      check(Call, To, Bytes, "write");
    }
    copy(To, From, Bytes);
    return true;
  }
  case Intrinsic::memset: {
    const Value To = argument(Call, 0);
    const Node *Bytes = argumentNumber(Call, 2, 64);
    if (Current && !Bytes->isConst(0))
      check(Call, To, Bytes, "write");
    for (const Target &T : To.Targets)
      Memory.clear(Now, T, Bytes, argumentNumber(Call, 1, 8)->isConst(0));
    return true;
  }
  case Intrinsic::smin:
  case Intrinsic::smax:
  case Intrinsic::umin:
  case Intrinsic::umax: {
    if (!Whole)
      return false;
    const Node *A = both(0), *B = both(1);
    const auto ID = Intrinsic->getIntrinsicID();
    const bool Signed = ID == Intrinsic::smin || ID == Intrinsic::smax;
    const Node *Less = Signed ? Nodes.slt(A, B) : Nodes.ult(A, B);
    const bool Least = ID == Intrinsic::smin || ID == Intrinsic::umin;
    Result = Value::integer(Least ? Nodes.ite(Less, A, B) : Nodes.ite(Less, B, A));
    return true;
  }
  case Intrinsic::uadd_with_overflow:
  case Intrinsic::umul_with_overflow:
  case Intrinsic::usub_with_overflow:
  case Intrinsic::sadd_with_overflow:
  case Intrinsic::smul_with_overflow:
  case Intrinsic::ssub_with_overflow:
    Result = executeOverflow(*Intrinsic);
    return true;
  case Intrinsic::abs:
    if (Whole)
      Result = Value::integer(Nodes.ite(Nodes.slt(both(0), Nodes.constant(Width, 0)),
                                        Nodes.sub(Nodes.constant(Width, 0), both(0), true), both(0)));
    else
      Result = any(Call, "abs");
    return true;
  case Intrinsic::expect:
    Result = argument(Call, 0);
    return true;
  case Intrinsic::launder_invariant_group:
  case Intrinsic::strip_invariant_group:
  case Intrinsic::ptr_annotation:
    Result = argument(Call, 0);
    return true;
  case Intrinsic::objectsize:
    Result = Value::integer(Nodes.constant(64, ~0ull));
    return true;
  case Intrinsic::is_constant:
    Result = Value::integer(Nodes.boolean(false));
    return true;
  case Intrinsic::assume: // a promise of the program, which is not believed
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::dbg_declare:
  case Intrinsic::dbg_value:
  case Intrinsic::dbg_label:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::donothing:
  case Intrinsic::vastart:
  case Intrinsic::vaend:
    return true;
  case Intrinsic::trap:
    endProgram();
    return true;
  case Intrinsic::stacksave:
  case Intrinsic::stackrestore:
  case Intrinsic::prefetch:
    Result = Call.getType()->isVoidTy() ? Value() : any(Call, "the stack");
    return true;
  case Intrinsic::ceil:
  case Intrinsic::floor:
    return false;
  default:
    return false;
  }
}

// Functions of <math.h> and libdevice on whole numbers.
bool Executor::callArithmetic(const CallBase &Call, StringRef Name, Value &Result) {
  if (Call.getType()->isDoubleTy() && Call.arg_size() == 1 &&
      (Name == "ceil" || Name == "floor" || Name.starts_with("llvm.ceil.") || Name.starts_with("llvm.floor."))) {
    const Value V = argument(Call, 0);
    if (V.Form != Value::Real || !V.Number) {
      Result = Value::real();
      return true;
    }
    const Node *Unit = Nodes.constant(64, V.Divisor), *Zero = Nodes.constant(64, 0), *One = Nodes.constant(64, 1);
    const Node *Quotient = Nodes.make(Op::SDiv, V.Number, Unit), *Rest = Nodes.make(Op::SRem, V.Number, Unit);
    Result = Value::real(Name.contains("ceil") ? Nodes.ite(Nodes.slt(Zero, Rest), Nodes.add(Quotient, One), Quotient)
                                               : Nodes.ite(Nodes.slt(Rest, Zero), Nodes.sub(Quotient, One), Quotient));
    return true;
  }
  if (Call.getType()->isFloatingPointTy() && (Name.starts_with("llvm.") || Name.starts_with("__nv_")) &&
      !Name.contains(".sreg.")) {
    bool Pure = true;
    for (const Use &A : Call.args())
      Pure &= !A->getType()->isPointerTy();
    if (Pure) {
      Result = Value::real();
      return true;
    }
  }
  return false;
}

} // namespace gasan::scan
