/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Reads the tokens of PTX text.
#ifndef GASAN_PASS_LIFT_READER_H
#define GASAN_PASS_LIFT_READER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <optional>
#include <string>

namespace gasan::lift {

// Each function skips spaces and comments first. Records the first error; after an error all text counts as read.
class Reader {
public:
  explicit Reader(llvm::StringRef Text, unsigned Line = 1) : Text(Text), Line(Line) {}

  bool atEnd();
  unsigned line(); // of the next token
  char peek();     // 0 at the end
  bool startsWith(llvm::StringRef Token) { return peek() && Text.starts_with(Token); }
  bool atSpace() const; // before the next token
  bool consume(char C);
  void expect(char C);
  // Returns the word after a dot: "version" for ".version". Empty: the next token is no directive.
  llvm::StringRef directive();
  llvm::StringRef peekDirective();
  // Returns a name, which may begin with '%', '$' or '_'. Empty: the next token is no name.
  llvm::StringRef name();
  std::string string();
  // Returns a decimal number with a point as a number without: 87 for "8.7".
  unsigned version();
  // Returns the value of a constant expression of integers. A floating-point constant must stand alone, and its bits
  // are the value; Bits: the size of the type that it is for.
  uint64_t constant(unsigned Bits = 64);
  // Returns the value of a constant without operators, for places where an operator ends it: "<4>", "a+4".
  uint64_t plainConstant() { return primary(); }
  // Returns the text up to the next semicolon, without comments, and skips the semicolon.
  std::string statement();
  // Skips "{ ... }".
  void skipBraces();

  void fail(const llvm::Twine &Message);
  bool failed() const { return !Message.empty(); }
  const std::string &error() const { return Message; }

private:
  void skip();
  uint64_t conditional();
  uint64_t binary(unsigned Level);
  uint64_t unary();
  uint64_t primary();
  uint64_t number();

  llvm::StringRef Text; // not read yet
  unsigned Line;
  unsigned ConstantBits = 64;
  unsigned Depth = 0;   // of parentheses in an expression
  bool IsFloat = false; // the last part of an expression is a double's bits
  bool AtLineStart = true;
  std::string Message;
};

} // namespace gasan::lift

#endif
