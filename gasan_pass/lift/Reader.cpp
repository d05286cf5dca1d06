// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/lift/Reader.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace gasan::lift {

namespace {

constexpr unsigned kDeepest = 200; // parentheses and signs in an expression; a limit of this parser's stack

bool isNameStart(char C) {
  return isAlpha(C) || StringRef("_$%").contains(C);
}

bool isNameCharacter(char C) {
  return isAlnum(C) || StringRef("_$").contains(C);
}

// The operators of C by level, those that bind weakest first. Longer names come before their beginnings.
constexpr const char *kOperators[][5] = {
    {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"},
    {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
constexpr unsigned kLevels = std::size(kOperators);

} // namespace

void Reader::fail(const Twine &Reason) {
  if (Message.empty())
    Message = ("line " + Twine(Line) + ": " + Reason).str();
  Text = StringRef();
}

void Reader::skip() {
  while (!Text.empty()) {
    if (Text.front() == '\n') {
      ++Line;
      AtLineStart = true;
      Text = Text.drop_front();
    } else if (isSpace(Text.front())) {
      Text = Text.drop_front();
    } else if (Text.starts_with("//") || (AtLineStart && Text.front() == '#')) { // a comment, or a preprocessor's line
      Text = Text.drop_until([](char C) { return C == '\n'; });
    } else if (Text.starts_with("/*")) {
      const size_t End = Text.find("*/", 2);
      if (End == StringRef::npos)
        return fail("a comment has no end");
      Line += Text.take_front(End).count('\n');
      Text = Text.drop_front(End + 2);
    } else {
      break;
    }
  }
  AtLineStart = false;
}

bool Reader::atEnd() {
  skip();
  return Text.empty();
}

unsigned Reader::line() {
  skip();
  return Line;
}

char Reader::peek() {
  skip();
  return Text.empty() ? 0 : Text.front();
}

bool Reader::atSpace() const {
  return !Text.empty() && isSpace(Text.front());
}

bool Reader::consume(char C) {
  if (peek() != C || !C)
    return false;
  Text = Text.drop_front();
  return true;
}

void Reader::expect(char C) {
  if (!consume(C))
    fail(Twine("expected '") + Twine(C) + "' before '" +
         Text.take_front(20).take_until([](char N) { return N == '\n'; }) + "'");
}

StringRef Reader::peekDirective() {
  if (peek() != '.')
    return StringRef();
  return Text.drop_front().take_while(isNameCharacter);
}

StringRef Reader::directive() {
  StringRef Word = peekDirective();
  if (!Word.empty())
    Text = Text.drop_front(1 + Word.size());
  return Word;
}

StringRef Reader::name() {
  if (!isNameStart(peek()))
    return StringRef();
  StringRef Name = Text.take_front(1 + Text.drop_front().take_while(isNameCharacter).size());
  Text = Text.drop_front(Name.size());
  return Name;
}

std::string Reader::string() {
  if (peek() != '"') {
    fail("expected a string");
    return "";
  }
  std::string Result;
  Text = Text.drop_front();
  while (!Text.empty() && Text.front() != '"' && Text.front() != '\n') {
    if (Text.front() == '\\' && Text.size() > 1) // a file's name has no other escapes
      Text = Text.drop_front();
    Result += Text.front();
    Text = Text.drop_front();
  }
  if (!Text.consume_front("\""))
    fail("a string has no end");
  return Result;
}

unsigned Reader::version() {
  skip();
  unsigned Major = 0, Minor = 0;
  if (Text.consumeInteger(10, Major) || !Text.consume_front(".") || Text.consumeInteger(10, Minor) || Major > 99 ||
      Minor > 9)
    fail("expected a version such as 8.7");
  return Major * 10 + Minor;
}

// Expressions of decimal floating-point numbers are computed in double precision, and rounded at the end.
uint64_t Reader::constant(unsigned Bits) {
  ConstantBits = Bits;
  IsFloat = false;
  const uint64_t Value = conditional();
  return IsFloat && Bits == 32 ? llvm::bit_cast<uint32_t>(static_cast<float>(llvm::bit_cast<double>(Value))) : Value;
}

uint64_t Reader::conditional() {
  const uint64_t Condition = binary(0);
  if (!consume('?'))
    return Condition;
  if (Depth > kDeepest) {
    fail("an expression is nested too deeply");
    return 0;
  }
  ++Depth;
  const uint64_t Then = conditional();
  expect(':');
  const uint64_t Else = conditional();
  --Depth;
  return Condition ? Then : Else;
}

static uint64_t apply(StringRef Operator, uint64_t A, uint64_t B) {
  const auto SignedA = static_cast<int64_t>(A), SignedB = static_cast<int64_t>(B);
  switch (Operator[0]) {
  case '|':
    return Operator == "||" ? A || B : A | B;
  case '&':
    return Operator == "&&" ? A && B : A & B;
  case '^':
    return A ^ B;
  case '=':
    return A == B;
  case '!':
    return A != B;
  case '<':
    return Operator == "<<" ? (B < 64 ? A << B : 0) : Operator == "<=" ? SignedA <= SignedB : SignedA < SignedB;
  case '>':
    return Operator == ">>" ? (B < 64 ? A >> B : 0) : Operator == ">=" ? SignedA >= SignedB : SignedA > SignedB;
  case '+':
    return A + B;
  case '-':
    return A - B;
  case '*':
    return A * B;
  default: // the divisor is not 0, and not -1
    return Operator == "/" ? static_cast<uint64_t>(SignedA / SignedB) : static_cast<uint64_t>(SignedA % SignedB);
  }
}

// Returns a number, or the bits of a double.
static uint64_t applyToDoubles(StringRef Operator, uint64_t BitsOfA, uint64_t BitsOfB) {
  const auto A = llvm::bit_cast<double>(BitsOfA), B = llvm::bit_cast<double>(BitsOfB);
  switch (Operator[0]) {
  case '=':
    return A == B;
  case '!':
    return A != B;
  case '<':
    return Operator == "<=" ? A <= B : A < B;
  case '>':
    return Operator == ">=" ? A >= B : A > B;
  case '+':
    return llvm::bit_cast<uint64_t>(A + B);
  case '-':
    return llvm::bit_cast<uint64_t>(A - B);
  case '*':
    return llvm::bit_cast<uint64_t>(A * B);
  default:
    return llvm::bit_cast<uint64_t>(A / B);
  }
}

uint64_t Reader::binary(unsigned Level) {
  if (Level == kLevels)
    return unary();
  uint64_t Left = binary(Level + 1);
  for (;;) {
    skip();
    StringRef Operator;
    for (const char *Name : kOperators[Level])
      if (Name && Operator.empty() && Text.starts_with(Name))
        Operator = Name;
    // "a & b" is not the beginning of "a && b"
    if (Operator.empty() ||
        (Operator.size() == 1 && StringRef("|&<>").contains(Operator[0]) && Text.size() > 1 && Text[1] == Operator[0]))
      return Left;
    Text = Text.drop_front(Operator.size());
    const bool WasFloat = IsFloat;
    IsFloat = false;
    const uint64_t Right = binary(Level + 1);
    if (WasFloat || IsFloat) {
      if (WasFloat != IsFloat || StringRef("|&^%").contains(Operator[0]) || Operator == "<<" || Operator == ">>") {
        fail("a constant expression has numbers of two types");
        return 0;
      }
      Left = applyToDoubles(Operator, Left, Right);
      IsFloat = StringRef("+-*/").contains(Operator[0]);
      continue;
    }
    if (StringRef("/%").contains(Operator[0]) && (Right == 0 || Right + 1 == 0)) {
      if (Right == 0)
        fail("a division by zero");
      Left = Operator == "/" ? -Left : 0;
      continue;
    }
    Left = apply(Operator, Left, Right);
  }
}

uint64_t Reader::unary() {
  if (Depth > kDeepest) {
    fail("an expression is nested too deeply");
    return 0;
  }
  ++Depth;
  uint64_t Value;
  if (consume('-')) {
    Value = unary();
    Value = IsFloat ? Value ^ (uint64_t(1) << 63) : -Value;
  } else if (consume('+')) {
    Value = unary();
  } else if (consume('~')) {
    Value = ~unary();
  } else if (consume('!')) {
    Value = !unary();
  } else {
    Value = primary();
  }
  --Depth;
  return Value;
}

uint64_t Reader::primary() {
  if (consume('(')) {
    if (peekDirective() == "s64" || peekDirective() == "u64") { // a cast
      directive();
      expect(')');
      return unary();
    }
    const uint64_t Value = conditional();
    expect(')');
    return Value;
  }
  if (isDigit(peek()) || (peek() == '.' && Text.size() > 1 && isDigit(Text[1])))
    return number();
  if (Text.consume_front("WARP_SZ"))
    return 32;
  fail("expected a constant before '" + Text.take_front(20).take_until([](char C) { return C == '\n'; }) + "'");
  return 0;
}

// 12, 12U, 0x1f, 017, 0b11, 0f3f800000 (float), 0d3ff0000000000000 (double), 1.5, 1e3
uint64_t Reader::number() {
  uint64_t Value = 0;
  const bool IsDouble = Text.starts_with_insensitive("0d");
  if (Text.consume_front_insensitive("0f") || Text.consume_front_insensitive("0d")) {
    if (Text.consumeInteger(16, Value))
      fail("expected hexadecimal digits");
    if (!IsDouble || ConstantBits != 32)
      return Value;
    APFloat Rounded(APFloat::IEEEdouble(), APInt(64, Value)); // as ptxas does for a type of 32 bits
    bool LosesInfo;
    Rounded.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &LosesInfo);
    return Rounded.bitcastToAPInt().getZExtValue();
  }
  StringRef Digits = Text.take_while(isDigit);
  StringRef After = Text.drop_front(Digits.size());
  if (After.starts_with(".") || After.starts_with_insensitive("e")) {
    StringRef Rest = After.starts_with(".") ? After.drop_front().ltrim("0123456789") : After;
    if (StringRef Exponent = Rest; Exponent.consume_front_insensitive("e")) {
      if (Exponent.starts_with("+") || Exponent.starts_with("-"))
        Exponent = Exponent.drop_front();
      if (!Exponent.empty() && isDigit(Exponent.front()))
        Rest = Exponent.ltrim("0123456789");
    }
    StringRef Whole = Text.drop_back(Rest.size());
    APFloat Float(APFloat::IEEEdouble());
    if (Expected<APFloat::opStatus> Status = Float.convertFromString(Whole, APFloat::rmNearestTiesToEven); !Status) {
      consumeError(Status.takeError());
      fail("expected a number");
      return 0;
    }
    Text = Rest;
    IsFloat = true;
    return Float.bitcastToAPInt().getZExtValue();
  }
  if (Text.consumeInteger(0, Value))
    fail("expected a number of at most 64 bits");
  Text.consume_front("U");
  return Value;
}

std::string Reader::statement() {
  std::string Result;
  for (;;) {
    const StringRef Before = Text;
    skip();
    if (Before.size() != Text.size())
      Result += ' ';
    if (Text.empty()) {
      fail("a statement has no semicolon");
      return Result;
    }
    if (Text.consume_front(";"))
      return Result;
    Result += Text.front();
    Text = Text.drop_front();
  }
}

void Reader::skipBraces() {
  unsigned Open = 0;
  do {
    if (peek() == '"')
      string();
    else if (consume('{'))
      ++Open;
    else if (consume('}'))
      --Open;
    else if (Text.empty())
      return fail("a section has no end");
    else
      Text = Text.drop_front();
  } while (Open > 0 && !failed());
}

} // namespace gasan::lift
