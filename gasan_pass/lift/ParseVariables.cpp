// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/lift/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gasan::lift {

namespace {

constexpr uint64_t kMostBytes = uint64_t(1) << 40; // of a variable; also keeps products from overflowing
constexpr unsigned kMostRegisters = 1 << 22;
constexpr unsigned kMostAlignment = 1 << 16;
constexpr uint64_t kMostValues = 1 << 24; // of an initial value, with the zeros that it implies

void parseAttributes(Reader &R, Variable &V) {
  R.expect('(');
  do {
    StringRef Attribute = R.directive();
    if (Attribute == "managed") {
      V.IsManaged = true;
    } else if (Attribute == "unified") { // two numbers that identify the variable among modules
      R.expect('(');
      R.constant();
      R.expect(',');
      R.constant();
      R.expect(')');
    } else {
      return R.fail("expected .managed or .unified");
    }
  } while (R.consume(','));
  R.expect(')');
}

void parseAlignment(Reader &R, Variable &V) {
  const uint64_t Alignment = R.constant();
  if (Alignment > kMostAlignment || !isPowerOf2_64(Alignment))
    return R.fail("an alignment is no power of two");
  V.Alignment = static_cast<unsigned>(Alignment);
}

// .ptr{.space}{.align n} of a kernel's parameter. The alignment is that of the memory, a promise of the caller.
void parsePointer(Reader &R, Variable &V) {
  V.IsPointer = true;
  for (StringRef Word = R.peekDirective();
       Word == "global" || Word == "shared" || Word == "const" || Word == "local" || Word == "align";
       Word = R.peekDirective()) {
    R.directive();
    if (Word == "align")
      R.constant();
  }
}

// Reads what stands between the space and the name.
void parseType(Reader &R, Variable &V) {
  bool HasType = false;
  for (StringRef Word = R.directive(); !Word.empty(); Word = R.directive()) {
    if (Word == "align") {
      parseAlignment(R, V);
    } else if (Word == "attribute") {
      parseAttributes(R, V);
    } else if (Word == "ptr") {
      parsePointer(R, V);
    } else if (Word == "v2" || Word == "v4" || Word == "v8") {
      V.Vector = Word[1] - '0';
    } else if (Word == "texref" || Word == "samplerref" || Word == "surfref") {
      return R.fail("texture, sampler and surface references are not supported; use texture and surface objects");
    } else if (std::optional<PtxType> T = parsePtxType(Word)) {
      V.Type = *T;
      HasType = true;
    } else {
      return R.fail("unknown type ." + Word);
    }
  }
  if (!HasType)
    R.fail("a variable has no type");
}

// "[4][8]", "[]"
void parseExtents(Reader &R, Variable &V) {
  while (R.consume('[')) {
    V.IsArray = true;
    uint64_t Extent = 0;
    if (R.peek() != ']')
      Extent = R.constant();
    R.expect(']');
    if (Extent > kMostBytes || (Extent && V.Elements > kMostBytes / Extent))
      return R.fail("a variable is too large");
    V.Elements *= Extent;
    V.Extents.push_back(Extent);
  }
}

// A number, generic(symbol)+n, symbol+n, 0xFF(symbol), or a list of these in braces
void parseValues(Reader &R, Variable &V, unsigned Depth);

void parseSymbol(Reader &R, Constant &Value) {
  StringRef Name = R.name();
  if (Name == "generic") {
    Value.Generic = true;
    R.expect('(');
    Name = R.name();
  }
  if (Name.empty())
    return R.fail("expected a symbol");
  Value.Symbol = Name.str();
  if (R.peek() == '+' || R.peek() == '-') // a sum inside of generic(...)
    Value.Number = R.constant();
  if (Value.Generic) {
    R.expect(')');
    if (R.peek() == '+' || R.peek() == '-')
      Value.Number += R.constant();
  }
}

void parseValue(Reader &R, Variable &V) {
  Constant Value;
  const char First = R.peek();
  if ((isAlpha(First) || First == '_' || First == '$' || First == '%') && !R.startsWith("WARP_SZ")) {
    parseSymbol(R, Value);
  } else {
    Value.Number = R.constant(V.Type.Bits);
    if (R.consume('(')) {
      Value.Mask = Value.Number;
      Value.Number = 0;
      parseSymbol(R, Value);
      R.expect(')');
    }
  }
  V.Values.push_back(Value);
}

void parseValues(Reader &R, Variable &V, unsigned Depth) {
  if (!R.consume('{'))
    return parseValue(R, V);
  if (Depth > 16)
    return R.fail("an initial value is nested too deeply");
  const size_t First = V.Values.size();
  if (!R.consume('}')) {
    do
      parseValues(R, V, Depth + 1);
    while (!R.failed() && R.consume(','));
    R.expect('}');
  }
  if (Depth == 0)
    return;
  // Braces inside of others are one element of the array around them; zeros fill its rest.
  uint64_t Size = V.Vector;
  for (size_t I = Depth; I < V.Extents.size(); ++I)
    Size *= V.Extents[I];
  if (V.Values.size() - First > Size)
    return R.fail("'" + V.Name + "' has more initial values than elements");
  if (First + Size > kMostValues)
    return R.fail("the initial value of '" + V.Name + "' is too large");
  V.Values.resize(First + Size);
}

// Reads the name, the extents or the number of registers, and the initial value.
void parseDeclarator(Reader &R, Variable &V) {
  V.Line = R.line();
  StringRef Name = R.name();
  if (Name.empty())
    return R.fail("a declaration has no name");
  V.Name = Name.str();
  if (R.consume('<')) {
    const uint64_t Count = R.plainConstant();
    R.expect('>');
    if (Count == 0 || Count > kMostRegisters)
      return R.fail("a number of registers is out of range (1 to " + Twine(kMostRegisters) + ")");
    V.Registers = static_cast<unsigned>(Count);
  }
  parseExtents(R, V);
  if (R.consume('=')) {
    V.HasValues = true;
    parseValues(R, V, 0);
    if (V.IsArray && V.Elements == 0)
      V.Elements = V.Values.size() / V.Vector;
  }
  if (V.Values.size() > V.Elements * V.Vector)
    return R.fail("'" + V.Name + "' has more initial values than elements");
}

} // namespace

void parseVariables(Reader &R, StringRef Space, Linkage Link, std::vector<Variable> &Variables) {
  Variable Common;
  Common.Space = Space.str();
  Common.Link = Link;
  if (R.consume('[')) { // .const[bank], of old versions
    R.constant();
    R.expect(']');
  }
  parseType(R, Common);
  do {
    Variable V = Common;
    parseDeclarator(R, V);
    Variables.push_back(std::move(V));
  } while (!R.failed() && R.consume(','));
  R.expect(';');
}

void parseParameters(Reader &R, std::vector<Variable> &Parameters) {
  R.expect('(');
  if (R.consume(')'))
    return;
  do {
    Variable V;
    V.Space = R.directive().str();
    if (V.Space != "param" && V.Space != "reg")
      return R.fail("expected .param or .reg");
    parseType(R, V);
    parseDeclarator(R, V);
    Parameters.push_back(std::move(V));
  } while (!R.failed() && R.consume(','));
  R.expect(')');
}

} // namespace gasan::lift
