// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/lift/FunctionLifter.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace gasan::lift {

namespace {

using Handler = bool (FunctionLifter::*)(const PtxStatement &);

struct Instruction {
  StringRef Opcode;
  Handler Translate;
};

constexpr Instruction kInstructions[] = {
    {"mov", &FunctionLifter::move},
    {"add", &FunctionLifter::arithmetic},
    {"sub", &FunctionLifter::arithmetic},
    {"addc", &FunctionLifter::carry},
    {"subc", &FunctionLifter::carry},
    {"madc", &FunctionLifter::carry},
    {"mul", &FunctionLifter::multiply},
    {"mad", &FunctionLifter::multiply},
    {"fma", &FunctionLifter::fuse},
    {"div", &FunctionLifter::divide},
    {"rem", &FunctionLifter::divide},
    {"sqrt", &FunctionLifter::root},
    {"min", &FunctionLifter::extreme},
    {"max", &FunctionLifter::extreme},
    {"neg", &FunctionLifter::sign},
    {"abs", &FunctionLifter::sign},
    {"and", &FunctionLifter::bitwise},
    {"or", &FunctionLifter::bitwise},
    {"xor", &FunctionLifter::bitwise},
    {"not", &FunctionLifter::bitwise},
    {"shl", &FunctionLifter::shift},
    {"shr", &FunctionLifter::shift},
    {"shf", &FunctionLifter::funnelShift},
    {"popc", &FunctionLifter::countBits},
    {"clz", &FunctionLifter::countBits},
    {"brev", &FunctionLifter::countBits},
    {"bfe", &FunctionLifter::field},
    {"selp", &FunctionLifter::select},
    {"setp", &FunctionLifter::compare},
    {"cvt", &FunctionLifter::convert},
    {"cvta", &FunctionLifter::convertAddress},
    {"alloca", &FunctionLifter::allocate},
    {"stacksave", &FunctionLifter::allocate},
    {"stackrestore", &FunctionLifter::allocate},
    {"ld", &FunctionLifter::load},
    {"st", &FunctionLifter::store},
    {"atom", &FunctionLifter::update},
    {"red", &FunctionLifter::update},
    {"fence", &FunctionLifter::fence},
    {"bra", &FunctionLifter::branch},
    {"brx", &FunctionLifter::indexedBranch},
    {"ret", &FunctionLifter::leave},
    {"exit", &FunctionLifter::exit},
    {"trap", &FunctionLifter::trap},
    {"bar", &FunctionLifter::barrier},
    {"barrier", &FunctionLifter::barrier},
    {"call", &FunctionLifter::call},
};

} // namespace

FunctionLifter::FunctionLifter(ModuleLifter &L, const Function &Source, llvm::Function &Target)
    : L(L), Source(Source), F(Target), B(Target.getContext()) {}

void FunctionLifter::fail(const Twine &Reason) {
  L.fail(At ? At->Line : Source.Line,
         Reason + " in '" + (At ? StringRef(At->Text).trim() : StringRef()) + "' of '" + Source.Name + "'");
}

// The treatment of denormal numbers is an attribute of functions in LLVM, and a part of instructions in PTX. Chooses
// that of most instructions; the others stay text.
void FunctionLifter::findFlush() {
  unsigned With = 0, Without = 0;
  for (const Item &I : Source.Body)
    if (I.What == Item::Kind::Statement && I.Statement.has("f32") &&
        StringSwitch<bool>(I.Statement.Opcode)
            .Cases({"add", "sub", "mul", "fma", "setp", "min", "max", "div", "sqrt"}, true)
            .Default(false))
      ++(I.Statement.has("ftz") ? With : Without);
  FlushesFloats = With > Without;
  if (FlushesFloats)
    F.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
}

void FunctionLifter::run() {
  B.SetInsertPoint(BasicBlock::Create(F.getContext(), "", &F));
  L.lines().start(F, Source);
  B.SetCurrentDebugLocation(L.lines().entry());
  findFlush();
  Carry = createSlot(B.getInt1Ty(), "cc");
  collectScopes();
  bindParameters();
  for (const Item &I : Source.Body) {
    if (L.failed())
      return;
    At = &I;
    lift(I);
  }
  At = nullptr;
  if (L.failed())
    return;
  leave(PtxStatement());                 // the end of the body returns
  B.GetInsertBlock()->eraseFromParent(); // begun behind the return, unreachable and empty
}

// Blocks stay in the order of the text.
void FunctionLifter::startBlock(BasicBlock *Block) {
  if (Block != &F.back())
    Block->moveAfter(&F.back());
  B.SetInsertPoint(Block);
  Started.insert(Block);
}

void FunctionLifter::lift(const Item &I) {
  switch (I.What) {
  case Item::Kind::Statement:
    return liftGuarded(I.Statement);
  case Item::Kind::Label: {
    BasicBlock *Block = findLabel(I.Statement.Operands[0]);
    branchTo(Block);
    return startBlock(Block);
  }
  case Item::Kind::Open:
    Current = ++Opened;
    return;
  case Item::Kind::Close:
    Current = Scopes[Current].Parent;
    return;
  case Item::Kind::Declaration:
    return declare(Source.Variables[I.Index]);
  case Item::Kind::Place:
    B.SetCurrentDebugLocation(L.lines().locate(Source.Places[I.Index]));
    return;
  case Item::Kind::NoUnroll: // counts only in front of a block's first instruction
    if (B.GetInsertBlock()->empty())
      KeptLoops.insert(B.GetInsertBlock());
    return;
  case Item::Kind::Targets:
  case Item::Kind::CallPrototype:
    return;
  }
}

Value *FunctionLifter::readGuard(const PtxStatement &S) {
  if (S.Guard == "%is_explicit_cluster") {
    Value *Guard = readSpecial(S.Guard);
    return S.GuardNegated ? B.CreateNot(Guard) : Guard;
  }
  const Register *R = findRegister(S.Guard);
  if (!R || R->Type.Kind != 'p') {
    fail("'" + S.Guard + "' is no predicate");
    return B.getFalse();
  }
  Value *Guard = B.CreateLoad(B.getInt1Ty(), R->Slot);
  return S.GuardNegated ? B.CreateNot(Guard) : Guard;
}

// Returns true if the instruction only computes values of registers, so that it may run without need.
bool FunctionLifter::isSpeculatable(const PtxStatement &S) const {
  static const StringSet<> Computing = {"mov", "and", "or",  "xor", "not", "shl", "shr", "selp", "setp", "add",
                                        "sub", "mul", "mad", "min", "max", "neg", "abs", "fma",  "cvt"};
  return Computing.contains(S.Opcode) && !S.has("cc") && !S.Operands.empty();
}

void FunctionLifter::liftGuarded(const PtxStatement &Given) {
  PtxStatement Written;
  if (hasShorthand(Given))
    Written = writeOut(Given);
  const PtxStatement &S = Written.Opcode.empty() ? Given : Written;
  if (S.Guard.empty())
    return liftStatement(S);
  Value *Guard = readGuard(S);
  if (L.failed())
    return;
  LLVMContext &Context = F.getContext();
  if (S.Opcode == "bra" && S.Operands.size() == 1) {
    BasicBlock *Next = BasicBlock::Create(Context, "", &F);
    branchOn(Guard, findLabel(S.Operands[0]), Next);
    return startBlock(Next);
  }
  const Register *Result = S.Operands.empty() ? nullptr : findRegister(S.Operands[0]);
  if (Result && isSpeculatable(S)) {
    Type *T = Result->Slot->getAllocatedType();
    AllocaInst *Slot = Result->Slot;
    Value *Before = B.CreateLoad(T, Slot);
    liftStatement(S);
    B.CreateStore(B.CreateSelect(Guard, B.CreateLoad(T, Slot), Before), Slot);
    return;
  }
  BasicBlock *Then = BasicBlock::Create(Context, "", &F), *After = BasicBlock::Create(Context, "", &F);
  B.CreateCondBr(Guard, Then, After);
  startBlock(Then);
  liftStatement(S);
  B.CreateBr(After);
  startBlock(After);
}

void FunctionLifter::liftStatement(const PtxStatement &S) {
  for (const Instruction &I : kInstructions)
    if (I.Opcode == S.Opcode) {
      if ((this->*I.Translate)(S) || L.failed())
        return;
      break;
    }
  keepAsAsm(S);
}

void liftBody(ModuleLifter &L, const Function &Source, llvm::Function &Target) {
  FunctionLifter(L, Source, Target).run();
}

} // namespace gasan::lift
