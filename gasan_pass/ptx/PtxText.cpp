// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/ptx/PtxText.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace gasan {

namespace {

std::string withoutComments(StringRef Text) {
  std::string Result;
  while (!Text.empty()) {
    if (Text.starts_with("//")) {
      Text = Text.drop_until([](char C) { return C == '\n'; });
    } else if (Text.starts_with("/*")) {
      size_t End = Text.find("*/", 2);
      Text = End == StringRef::npos ? StringRef() : Text.drop_front(End + 2);
      Result += ' ';
    } else {
      Result += Text.front();
      Text = Text.drop_front();
    }
  }
  return Result;
}

bool isSpace(char C) {
  return C == ' ' || C == '\t' || C == '\n' || C == '\r';
}

// Removes "name:" from the front. "shared::cta" is no label.
std::optional<StringRef> consumeLabel(StringRef &Text) {
  const size_t End = Text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$%");
  if (End == 0 || End == StringRef::npos)
    return std::nullopt;
  StringRef Rest = Text.drop_front(End).ltrim();
  if (!Rest.consume_front(":") || Rest.starts_with(":"))
    return std::nullopt;
  StringRef Name = Text.take_front(End);
  Text = Rest.ltrim();
  return Name;
}

} // namespace

std::optional<PtxStatement> parsePtxStatement(StringRef Text) {
  PtxStatement Result;
  if (Text.consume_front("@")) {
    Text = Text.ltrim();
    Result.GuardNegated = Text.consume_front("!");
    Text = Text.ltrim();
    StringRef Guard = Text.take_until(isSpace);
    Result.Guard = Guard.str();
    Text = Text.drop_front(Guard.size()).ltrim();
  }
  const bool IsDeclaration = Text.consume_front(".reg");
  // An operand may follow the opcode without a space: "call(result), f;", "st.global.u32[p], x;".
  StringRef Head =
      IsDeclaration ? StringRef() : Text.take_until([](char C) { return isSpace(C) || StringRef("[({").contains(C); });
  Text = Text.drop_front(Head.size()).ltrim();
  if (IsDeclaration) {
    Result.Opcode = ".reg";
    while (Text.consume_front(".")) { // a vector's size and the type
      StringRef Type = Text.take_until([](char C) { return isSpace(C) || C == '.'; });
      Result.Modifiers.push_back(Type.str());
      Text = Text.drop_front(Type.size()).ltrim();
    }
    if (Result.Modifiers.empty())
      return std::nullopt;
  } else {
    SmallVector<StringRef, 6> Parts;
    Head.split(Parts, '.');
    Result.Opcode = Parts[0].str();
    for (StringRef Part : drop_begin(Parts))
      Result.Modifiers.push_back(Part.str());
  }
  Result.Operands = splitPtxOperands(Text);
  return Result;
}

SmallVector<std::string, 4> splitPtxOperands(StringRef Text) {
  SmallVector<std::string, 4> Result;
  unsigned Depth = 0;
  std::string Current;
  for (char C : Text) {
    if (StringRef("{[(").contains(C))
      ++Depth;
    if (StringRef("}])").contains(C) && Depth > 0)
      --Depth;
    if (C == ',' && Depth == 0) {
      Result.push_back(StringRef(Current).trim().str());
      Current.clear();
    } else {
      Current += C;
    }
  }
  if (!StringRef(Current).trim().empty())
    Result.push_back(StringRef(Current).trim().str());
  return Result;
}

// Resolves escapes: in an asm string "$$" stands for a dollar sign in a name, "${:uid}" for a number of this copy of
// the asm.
static std::string unescape(StringRef Text) {
  std::string Result;
  while (!Text.empty()) {
    if (Text.consume_front("$$") || Text.consume_front("${:uid}")) {
      Result += '_';
    } else {
      Result += Text.front();
      Text = Text.drop_front();
    }
  }
  return Result;
}

std::optional<std::vector<PtxStatement>> parsePtx(StringRef AsmString) {
  const std::string Clean = withoutComments(unescape(AsmString));
  StringRef Rest(Clean);
  std::vector<PtxStatement> Result;
  unsigned Depth = 0;
  for (;;) {
    for (; !Rest.empty() && (isSpace(Rest.front()) || StringRef("{};").contains(Rest.front()));
         Rest = Rest.drop_front())
      Depth += (Rest.front() == '{') - (Rest.front() == '}' && Depth > 0);
    if (Rest.empty())
      return Result;
    if (std::optional<StringRef> Name = consumeLabel(Rest)) {
      PtxStatement Label;
      Label.Opcode = ":";
      Label.Operands.push_back(Name->str());
      Label.Depth = Depth;
      Result.push_back(Label);
      continue;
    }
    StringRef Body = Rest.take_until([](char C) { return C == ';'; });
    Rest = Rest.drop_front(Body.size());
    Body = Body.trim();
    // The last statement needs no semicolon, so a scope may end right after it.
    if (Rest.empty() && Body.ends_with("}") && Body.count('{') < Body.count('}'))
      Body = Body.drop_back().rtrim();
    std::optional<PtxStatement> Statement = parsePtxStatement(Body);
    if (!Statement)
      return std::nullopt;
    Statement->Depth = Depth;
    Result.push_back(*Statement);
  }
}

std::optional<PtxType> parsePtxType(StringRef Name) {
  return StringSwitch<std::optional<PtxType>>(Name)
      .Case("pred", PtxType{'p', 1})
      .Case("f16", PtxType{'h', 16})
      .Case("f16x2", PtxType{'h', 32, true})
      .Case("bf16", PtxType{'z', 16})
      .Case("bf16x2", PtxType{'z', 32, true})
      .Case("f32", PtxType{'f', 32})
      .Case("f64", PtxType{'f', 64})
      .Case("tf32", PtxType{'t', 32})
      .Case("u8", PtxType{'u', 8})
      .Case("u16", PtxType{'u', 16})
      .Case("u32", PtxType{'u', 32})
      .Case("u64", PtxType{'u', 64})
      .Case("s8", PtxType{'s', 8})
      .Case("s16", PtxType{'s', 16})
      .Case("s32", PtxType{'s', 32})
      .Case("s64", PtxType{'s', 64})
      .Case("b8", PtxType{'b', 8})
      .Case("b16", PtxType{'b', 16})
      .Case("b32", PtxType{'b', 32})
      .Case("b64", PtxType{'b', 64})
      .Case("b128", PtxType{'b', 128})
      .Default(std::nullopt);
}

} // namespace gasan
