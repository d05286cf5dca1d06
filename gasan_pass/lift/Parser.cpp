// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/lift/Parser.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace gasan::lift {

namespace {

class ModuleParser {
public:
  explicit ModuleParser(StringRef Text) : R(Text) {}

  std::optional<SyntaxTree> run(std::string &Error) {
    while (!R.atEnd() && !R.failed())
      parseDirective();
    if (!R.failed() && Tree.Version == 0)
      R.fail("the module has no .version; is it PTX?");
    if (!R.failed() && Tree.Target.empty())
      R.fail("the module has no .target");
    Error = R.error();
    if (R.failed())
      return std::nullopt;
    return std::move(Tree);
  }

private:
  Reader R;
  SyntaxTree Tree;

  void parseDirective() {
    Linkage Link = Linkage::Local;
    StringRef Word = R.directive();
    for (;; Word = R.directive()) {
      std::optional<Linkage> Named = StringSwitch<std::optional<Linkage>>(Word)
                                         .Case("extern", Linkage::Extern)
                                         .Case("visible", Linkage::Visible)
                                         .Case("weak", Linkage::Weak)
                                         .Case("common", Linkage::Common)
                                         .Default(std::nullopt);
      if (!Named)
        break;
      Link = *Named;
    }
    if (Word.empty())
      return R.fail("expected a directive");
    if (Word == "entry" || Word == "func")
      return parseFunction(Word == "entry", Link);
    if (StringSwitch<bool>(Word).Cases({"global", "const", "shared", "local"}, true).Default(false))
      return parseVariables(R, Word, Link, Tree.Variables);
    if (Word == "tex")
      return R.fail("texture references are not supported; use texture objects");
    if (Word == "version")
      Tree.Version = R.version();
    else if (Word == "target")
      parseTarget();
    else if (Word == "address_size")
      parseAddressSize();
    else if (Word == "file")
      parseFile(R, Tree);
    else if (Word == "section")
      parseSection();
    else if (Word == "alias")
      parseAlias();
    else if (Word == "pragma") // others are hints for ptxas's optimiser
      Tree.NoUnroll |= StringRef(R.statement()).contains("nounroll");
    else
      R.fail("unknown directive ." + Word);
  }

  void parseTarget() {
    do {
      StringRef Name = R.name();
      if (Name.empty())
        return R.fail("expected a target such as sm_90");
      if (Name.starts_with("sm_") || Name.starts_with("compute_"))
        Tree.Target = ("sm_" + Name.split('_').second).str();
      else if (Name == "texmode_independent")
        Tree.HasIndependentTextures = true;
      else if (Name != "debug" && Name != "texmode_unified")
        return R.fail("the target option '" + Name + "' is not supported");
    } while (R.consume(','));
  }

  void parseAddressSize() {
    Tree.AddressBits = static_cast<unsigned>(R.plainConstant());
    if (Tree.AddressBits != 64)
      R.fail("addresses of " + Twine(Tree.AddressBits) + " bits are not supported; compile for 64 bits");
  }

  void parseAlias() {
    std::string Name = R.name().str();
    R.expect(',');
    std::string Function = R.name().str();
    R.expect(';');
    if (Name.empty() || Function.empty())
      return R.fail("an alias needs two names");
    Tree.Aliases.push_back({Name, Function});
  }

  // Sections have DWARF for debuggers. Keeps the strings, which .loc refers to.
  void parseSection() {
    StringRef Name = R.directive();
    if (Name != "debug_str")
      return R.skipBraces();
    R.expect('{');
    while (!R.failed() && !R.consume('}')) {
      StringRef Label = R.name();
      if (!Label.empty()) {
        R.expect(':');
        Tree.DebugLabels[Label.str()] = Tree.DebugStrings.size();
        continue;
      }
      if (R.directive() != "b8")
        return R.fail("expected bytes in .debug_str");
      do
        Tree.DebugStrings += static_cast<char>(R.constant());
      while (R.consume(','));
    }
  }

  void parseFunction(bool IsEntry, Linkage Link) {
    Function F;
    F.Line = R.line();
    F.Link = Link;
    F.IsEntry = IsEntry;
    parseFunctionAttributes();
    if (!IsEntry && R.peek() == '(')
      parseParameters(R, F.Type.Results);
    StringRef Name = R.name();
    if (Name.empty())
      return R.fail("a function has no name");
    F.Name = Name.str();
    if (R.peek() == '(')
      parseParameters(R, F.Type.Parameters);
    parseLimits(F);
    F.HasBody = R.peek() == '{';
    if (F.HasBody)
      parseBody(R, Tree, F);
    else
      R.expect(';');
    Tree.Functions.push_back(std::move(F));
  }

  // .func .attribute(.unified(a, b)) ...
  void parseFunctionAttributes() {
    if (R.peekDirective() != "attribute")
      return;
    R.directive();
    unsigned Open = 0;
    do {
      if (R.consume('('))
        ++Open;
      else if (R.consume(')'))
        --Open;
      else if (!R.consume(',') && R.directive().empty())
        R.constant();
    } while (Open > 0 && !R.failed());
  }

  // Directives between the parameters and the body
  void parseLimits(Function &F) {
    for (StringRef Word = R.directive(); !Word.empty(); Word = R.directive()) {
      if (Word == "noreturn") {
        F.Type.NoReturn = true;
      } else if (Word == "pragma") {
        F.NoUnroll |= StringRef(R.statement()).contains("nounroll");
      } else if (Word == "abi_preserve" || Word == "abi_preserve_control") { // a number of registers
        R.constant();
      } else if (Word == "explicitcluster" || Word == "blocksareclusters") {
        F.Limits[Word.str()] = "";
      } else if (StringSwitch<bool>(Word)
                     .Cases({"maxnreg", "maxntid", "reqntid", "minnctapersm", "maxnctapersm"}, true)
                     .Cases({"reqnctapercluster", "maxclusterrank"}, true)
                     .Default(false)) {
        std::string Numbers;
        do
          Numbers += (Numbers.empty() ? "" : ",") + std::to_string(R.constant());
        while (!R.failed() && R.consume(','));
        F.Limits[Word.str()] = Numbers;
      } else {
        return R.fail("unknown directive ." + Word + " of function '" + F.Name + "'");
      }
    }
  }
};

} // namespace

void parseFile(Reader &R, SyntaxTree &Tree) {
  const auto Number = static_cast<unsigned>(R.constant());
  std::string Name = R.string();
  while (R.consume(',')) // time of the last change and size
    R.constant();
  Tree.Files[Number] = Name;
}

// file line column {, function_name label{+n}, inlined_at file line column}
Location parseLocation(Reader &R) {
  Location L;
  L.File = R.constant();
  L.Line = R.constant();
  L.Column = R.constant();
  while (R.consume(',')) {
    StringRef Word = R.name();
    if (Word == "function_name") {
      L.FunctionLabel = R.name().str();
      if (R.consume('+'))
        L.FunctionOffset = R.constant();
    } else if (Word == "inlined_at") {
      L.CallFile = R.constant();
      L.CallLine = R.constant();
      L.CallColumn = R.constant();
    } else {
      R.fail("expected function_name or inlined_at");
    }
  }
  return L;
}

std::optional<SyntaxTree> parseModule(StringRef Text, std::string &Error) {
  // A module in memory ends with a NUL.
  return ModuleParser(Text.take_until([](char C) { return C == 0; })).run(Error);
}

} // namespace gasan::lift
