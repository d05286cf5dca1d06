// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints nodes as text.
#include "gasan_pass/instrument/proof/Program.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr unsigned kDeepest = 24;

const char *symbolOf(unsigned Operation) {
  static const char *const Binary[] = {"+", "-", "*", "/u", "/", "%u", "%", "&", "|", "^", "<<", ">>u", ">>"};
  static const char *const Calls[] = {"min", "max", "minu", "maxu", "either"};
  static const char *const Tests[] = {"==", "!=", "<", "<=", ">", ">=", "<u", "<=u", ">u", ">=u"};
  static const char *const Floats[] = {"+", "-", "*", "*fused", "/"}; // may be fused
  static const char *const Rounds[] = {"!=", "<", "<=", ">", ">=", "<u", "<=u", ">u", ">=u"};
  if (Operation >= GASAN_PROOF_TIMES_NE)
    return Rounds[Operation - GASAN_PROOF_TIMES_NE];
  if (Operation >= GASAN_PROOF_WHERE_EQ)
    return Tests[Operation - GASAN_PROOF_WHERE_EQ];
  if (Operation >= GASAN_PROOF_FLOAT_ADD)
    return Floats[Operation - GASAN_PROOF_FLOAT_ADD];
  if (Operation >= GASAN_PROOF_SMIN)
    return Calls[Operation - GASAN_PROOF_SMIN];
  return Binary[Operation - GASAN_PROOF_ADD];
}

// Returns the name of a cast or of a function of a number.
std::string functionOf(const gasan_proof_node &N) {
  static const char *const Integers[] = {"s", "u", "low"};
  static const char *const Floats[] = {"", "f", "f", "s", "u", "floor", "ceil", "trunc", "rint", "f", "sqrt"};
  const bool IsFloat = N.operation >= GASAN_PROOF_FLOAT_OF_BITS;
  const char *Name =
      IsFloat ? Floats[N.operation - GASAN_PROOF_FLOAT_OF_BITS] : Integers[N.operation - GASAN_PROOF_SEXT];
  const bool HasBits = StringRef(Name).size() == 1 || !IsFloat;
  return Name + (HasBits ? std::to_string(N.bits) : "");
}

bool makesFloats(unsigned Operation) { // of integers
  return Operation >= GASAN_PROOF_FLOAT_OF_BITS && Operation <= GASAN_PROOF_FLOAT_OF_UNSIGNED;
}

bool takesFloats(unsigned Operation) {
  return (Operation >= GASAN_PROOF_FLOAT_ADD && Operation <= GASAN_PROOF_FLOAT_DIV) ||
         (Operation >= GASAN_PROOF_FLOAT_TO_SIGNED && Operation <= GASAN_PROOF_FLOAT_SQRT);
}

// Returns the number with this ordinal.
std::string numberOf(unsigned Bits, uint64_t Ordinal) {
  APInt Stored(Bits, Ordinal);
  if (Stored.isNegative()) {
    Stored.negate();
    Stored.setSignBit();
  }
  SmallString<24> Text;
  APFloat(Bits == 32 ? APFloat::IEEEsingle() : APFloat::IEEEdouble(), Stored).toString(Text, /*FormatPrecision=*/6);
  return Text.str().str();
}

class Writer {
public:
  Writer(raw_ostream &Out, ArrayRef<gasan_proof_node> Nodes, const Function &Kernel,
         function_ref<const Value *(Node)> Of)
      : Out(Out), Nodes(Nodes), Kernel(Kernel), Of(Of) {}

  // IsFloat: the value is the ordinal of a number in floating point.
  void write(Node Number, unsigned Depth = 0, bool IsFloat = false) {
    if (Depth > kDeepest) {
      Out << "...";
      return;
    }
    const gasan_proof_node &N = Nodes[Number];
    if (N.operation < GASAN_PROOF_ADD)
      return leaf(N, Of(Number), IsFloat);
    const bool HasFloats = takesFloats(N.operation) || (IsFloat && !makesFloats(N.operation));
    auto Operand = [&](Node Other) { write(Other, Depth + 1, HasFloats); };
    if (isExact(N)) { // printed once, with all conditions
      const bool Again = isExact(Nodes[N.a]);
      Out << (Again ? "" : "exact(");
      Operand(N.a);
      Out << (Again ? "" : ")");
      return;
    }
    if (isConditional(N)) {
      Out << "small(";
      Operand(N.a);
      Out << ')';
      return;
    }
    if (N.operation == GASAN_PROOF_IF || (N.operation >= GASAN_PROOF_WHERE_EQ && N.operation < GASAN_PROOF_IF)) {
      Out << '(';
      Operand(N.a);
      Out << (N.operation == GASAN_PROOF_IF ? " if there is " : " where ");
      if (N.operation != GASAN_PROOF_IF)
        Out << symbolOf(N.operation) << ' ';
      write(N.b, Depth + 1, HasFloats && N.operation != GASAN_PROOF_IF);
      Out << ')';
    } else if (N.operation == GASAN_PROOF_WHERE_CONGRUENT) {
      Out << '(';
      Operand(N.a);
      Out << " where % ";
      Operand(N.b);
      Out << " == ";
      Operand(N.c);
      Out << ')';
    } else if (N.operation >= GASAN_PROOF_RECURRENCE) {
      const bool Times = N.operation != GASAN_PROOF_RECURRENCE;
      Out << (Times ? "rounds(" : "loop(");
      Operand(N.a);
      Out << ", +";
      Operand(N.b);
      Out << (Times ? ", while " : ", ");
      if (Times)
        Out << symbolOf(N.operation) << ' ';
      Operand(N.c);
      Out << ')';
    } else if (N.operation == GASAN_PROOF_ARGUMENT_ELEMENT) {
      argument(N.b);
      Out << "@(" << N.value << " + ";
      Operand(N.a);
      Out << ')';
    } else if (N.operation >= GASAN_PROOF_SEXT) {
      const bool IsStored = N.operation == GASAN_PROOF_FLOAT_OF_BITS;
      Out << functionOf(N) << (IsStored ? "" : "(");
      Operand(N.a);
      Out << (IsStored ? "" : ")");
    } else if (N.operation >= GASAN_PROOF_SMIN && N.operation < GASAN_PROOF_FLOAT_ADD) {
      Out << symbolOf(N.operation) << '(';
      Operand(N.a);
      Out << ", ";
      Operand(N.b);
      Out << ')';
    } else {
      Out << '(';
      Operand(N.a);
      Out << ' ' << symbolOf(N.operation) << ' ';
      Operand(N.b);
      Out << ')';
    }
  }

private:
  raw_ostream &Out;
  ArrayRef<gasan_proof_node> Nodes;
  const Function &Kernel;
  function_ref<const Value *(Node)> Of;

  // Returns true for nodes of Program::unlessThereIs().
  bool isExact(const gasan_proof_node &N) const {
    if (N.operation != GASAN_PROOF_UNION || Nodes[N.b].operation != GASAN_PROOF_IF)
      return false;
    const Node Any = Nodes[N.b].a;
    return Nodes[Any].operation == GASAN_PROOF_BETWEEN && Nodes[Any].value == 0 &&
           Nodes[Any].value2 == maxUIntN(Nodes[Any].bits) && !Of(Any);
  }

  // Returns true for nodes of FormulaSums: a relation that applies only if no number is too great.
  bool isConditional(const gasan_proof_node &N) const {
    const bool IsRelation =
        Nodes[N.a].operation == GASAN_PROOF_WHERE_SLE || Nodes[N.a].operation == GASAN_PROOF_WHERE_EQ;
    return N.operation == GASAN_PROOF_UNION && IsRelation && Nodes[N.b].operation == GASAN_PROOF_IF &&
           Nodes[N.a].a == Nodes[N.b].a;
  }

  void leaf(const gasan_proof_node &N, const Value *Unknown, bool IsFloat) {
    static const char *const Shapes[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    if (Unknown)
      return unknown(*Unknown);
    switch (N.operation) {
    case GASAN_PROOF_CONSTANT:
      if (IsFloat)
        Out << numberOf(N.bits, N.value);
      else
        Out << APInt(N.bits, N.value).getSExtValue();
      break;
    case GASAN_PROOF_BETWEEN:
      if (N.value == 0 && N.value2 == maxUIntN(N.bits))
        Out << "any";
      else if (IsFloat)
        Out << '[' << numberOf(N.bits, N.value) << ", " << numberOf(N.bits, N.value2) << ']';
      else
        Out << '[' << N.value << ", " << N.value2 << ']';
      break;
    case GASAN_PROOF_ARGUMENT:
      argument(N.a);
      if (Kernel.getArg(N.a)->hasByValAttr())
        Out << '@' << N.value;
      break;
    case GASAN_PROOF_LANE:
      Out << "lane";
      break;
    case GASAN_PROOF_DYNAMIC_SHARED_SIZE:
      Out << "sharedSize";
      break;
    default:
      Out << Shapes[N.operation - GASAN_PROOF_THREAD_INDEX] << '.' << "xyz"[N.a];
    }
  }

  void argument(unsigned Number) {
    if (Kernel.getArg(Number)->getName().empty())
      Out << "argument" << Number;
    else
      Out << Kernel.getArg(Number)->getName();
  }

  void unknown(const Value &V) {
    const auto *I = dyn_cast<Instruction>(&V);
    Out << '<' << (I ? I->getOpcodeName() : "unknown");
    if (const DILocation *Location = I ? I->getDebugLoc().get() : nullptr)
      Out << " in line " << Location->getLine();
    Out << '>';
  }
};

} // namespace

void Program::print(raw_ostream &Out, Node N, const Function &Kernel) const {
  auto Of = [&](Node Number) { return Facts[Number].Of; };
  Writer(Out, Nodes, Kernel, Of).write(N);
}

} // namespace gasan
