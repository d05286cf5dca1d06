/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The parser's parts: modules and functions (Parser.cpp), variables (ParseVariables.cpp), bodies (ParseBody.cpp).
#ifndef GASAN_PASS_LIFT_PARSER_H
#define GASAN_PASS_LIFT_PARSER_H

#include "gasan_pass/lift/Reader.h"
#include "gasan_pass/lift/Syntax.h"

namespace gasan::lift {

// Reads variables after ".global" or another space, up to the semicolon, and appends them.
void parseVariables(Reader &R, llvm::StringRef Space, Linkage Link, std::vector<Variable> &Variables);
// Reads "(.param .b32 a, .param .b64 b)" and appends the parameters.
void parseParameters(Reader &R, std::vector<Variable> &Parameters);
// Reads a function's body from the opening brace on.
void parseBody(Reader &R, SyntaxTree &Tree, Function &F);
// Reads ".file" and ".loc" after these words.
void parseFile(Reader &R, SyntaxTree &Tree);
Location parseLocation(Reader &R);

} // namespace gasan::lift

#endif
