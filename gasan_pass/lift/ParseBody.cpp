// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/lift/Parser.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace gasan::lift {

namespace {

constexpr unsigned kMostTargets = 1 << 16;

class BodyParser {
public:
  BodyParser(Reader &R, SyntaxTree &Tree, Function &F) : R(R), Tree(Tree), F(F) {}

  void run() {
    R.expect('{');
    while (!R.failed()) {
      if (R.atEnd())
        return R.fail("'" + F.Name + "' has no closing brace");
      if (R.consume('}')) {
        if (Depth == 0)
          return;
        --Depth;
        add(Item::Kind::Close);
      } else if (R.consume('{')) {
        ++Depth;
        add(Item::Kind::Open);
      } else if (!R.consume(';')) {
        parseItem();
      }
    }
  }

private:
  Reader &R;
  SyntaxTree &Tree;
  Function &F;
  unsigned Depth = 0;

  Item &add(Item::Kind What, size_t Index = 0) {
    F.Body.push_back({What, R.line(), {}, "", Index});
    return F.Body.back();
  }

  void parseItem() {
    StringRef Word = R.directive();
    if (!Word.empty())
      return parseDirective(Word);
    const unsigned Line = R.line();
    std::string Start;
    if (R.peek() != '@') {
      Start = R.name().str();
      if (Start.empty())
        return R.fail("expected an instruction");
      const bool HasSpace = R.atSpace();
      if (R.consume(':'))
        return parseLabel(Start, Line);
      if (HasSpace && R.peek() != '.')
        Start += ' ';
    }
    const std::string Text = Start + R.statement();
    std::optional<PtxStatement> Statement = parsePtxStatement(Text);
    if (!Statement || Statement->Opcode.empty())
      return R.fail("malformed instruction '" + Text + "'");
    Item &I = add(Item::Kind::Statement);
    I.Line = Line;
    I.Text = Text;
    I.Statement = std::move(*Statement);
  }

  // "L<3>" names L0, L1 and L2.
  void addTargets(PtxStatement &List, StringRef Target) {
    auto [Stem, Count] = Target.split('<');
    unsigned Number;
    if (!Count.consume_back(">") || Count.trim().getAsInteger(10, Number)) {
      List.Operands.push_back(Target.str());
      return;
    }
    if (Number > kMostTargets)
      return R.fail("'" + Target + "' names more than " + Twine(kMostTargets) + " labels");
    for (unsigned I = 0; I < Number; ++I)
      List.Operands.push_back((Stem.rtrim() + Twine(I)).str());
  }

  // A label may name a place, a list of targets or a prototype.
  void parseLabel(const std::string &Name, unsigned Line) {
    StringRef Word = R.peekDirective();
    if (Word == "branchtargets" || Word == "calltargets") {
      R.directive();
      Item &I = add(Item::Kind::Targets);
      I.Line = Line;
      I.Text = Name;
      for (StringRef Target : splitPtxOperands(R.statement()))
        addTargets(I.Statement, Target);
      return;
    }
    Item &I = add(Word == "callprototype" ? Item::Kind::CallPrototype : Item::Kind::Label);
    I.Line = Line;
    I.Statement.Operands.push_back(Name);
    if (Word == "callprototype") {
      I.Index = F.Prototypes.size();
      R.directive();
      parsePrototype();
    }
  }

  // {(.param .b32 _)} _ (.param .b64 _, ...) {.noreturn};
  void parsePrototype() {
    Prototype P;
    if (R.peek() == '(')
      parseParameters(R, P.Results);
    if (R.name() != "_")
      return R.fail("expected '_' in .callprototype");
    if (R.peek() == '(')
      parseParameters(R, P.Parameters);
    for (StringRef Word = R.directive(); !Word.empty(); Word = R.directive())
      if (Word == "noreturn")
        P.NoReturn = true;
      else if (Word == "abi_preserve" || Word == "abi_preserve_control")
        R.constant();
      else
        return R.fail("unknown directive ." + Word + " of a prototype");
    R.expect(';');
    F.Prototypes.push_back(std::move(P));
  }

  void parseDirective(StringRef Word) {
    if (StringSwitch<bool>(Word).Cases({"reg", "global", "const", "shared", "local", "param"}, true).Default(false)) {
      const size_t First = F.Variables.size();
      parseVariables(R, Word, Linkage::Local, F.Variables);
      for (size_t I = First; I < F.Variables.size(); ++I)
        add(Item::Kind::Declaration, I);
    } else if (Word == "loc") {
      F.Places.push_back(parseLocation(R));
      add(Item::Kind::Place, F.Places.size() - 1);
    } else if (Word == "file") {
      parseFile(R, Tree);
    } else if (Word == "pragma") { // other pragmas are hints for ptxas's optimiser
      if (StringRef(R.statement()).contains("nounroll"))
        add(Item::Kind::NoUnroll);
    } else if (Word == "attribute") {
      R.fail("attributes in bodies are not supported");
    } else {
      R.fail("unknown directive ." + Word + " in the body of '" + F.Name + "'");
    }
  }
};

} // namespace

void parseBody(Reader &R, SyntaxTree &Tree, Function &F) {
  BodyParser(R, Tree, F).run();
}

} // namespace gasan::lift
