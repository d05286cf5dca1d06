/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Functions that read a text: atoi, strcmp, strlen and their kin. The same text gives the same answers, and its answers
// agree: a text is "small" or "large", not both, and one that is "7" has the number 7.
#include "scan/Executor.h"
#include "scan/Paths.h"

using namespace llvm;

namespace gasan::scan {

static constexpr unsigned kFirstAnswer = 400;    // of the variables of a call
static constexpr uint64_t kMostArguments = 7;    // in a hunt
static constexpr uint64_t kMostCharacters = 256; // of a constant text
static constexpr uint64_t kLongest = 131071;     // characters of an argument that Linux passes on

void Executor::excludeNull(const Value &Pointer) {
  if (Settings.Hunt && Pointer.Targets.size() == 1 && Pointer.Targets[0].Root->Where == Space::Null)
    Path = Nodes.boolean(false);
  if (Pointer.Targets.size() < 2)
    return;
  for (const Target &T : Pointer.Targets)
    if (T.Root->Where == Space::Null)
      Path = Nodes.both(Path, Nodes.negate(T.Guard));
}

// Returns the text of constant memory, without the 0 at its end; nothing: there is none.
static std::optional<std::string> constantText(const Object *Root, uint64_t Offset) {
  if (!Root->Source || !Root->Source->isConstant() || !Root->Source->hasInitializer())
    return std::nullopt;
  const Constant *From = Root->Source->getInitializer();
  if (From->isNullValue())
    return "";
  const auto *Data = dyn_cast<ConstantDataSequential>(From);
  if (!Data || !Data->isString() || Offset >= Data->getNumElements())
    return std::nullopt;
  const StringRef Rest = Data->getAsString().drop_front(Offset);
  const size_t End = Rest.find('\0');
  if (End == StringRef::npos || End > kMostCharacters)
    return std::nullopt;
  return Rest.take_front(End).str();
}

std::vector<Executor::Text> Executor::textsOf(const Value &Pointer) {
  excludeNull(Pointer);
  std::vector<Text> Result;
  for (const Target &T : Pointer.Targets) {
    if (T.Root->Where == Space::Null && Pointer.Targets.size() > 1)
      continue;
    Text New;
    New.Guard = T.Guard;
    New.Name = T.Root->Name;
    if (auto Found = ArgumentNumbers.find(T.Root); Found != ArgumentNumbers.end() && ArgumentCount)
      New.Exists = Nodes.slt(Nodes.constant(32, Found->second), ArgumentCount);
    if (T.Offset->isConst()) {
      New.Constant = constantText(T.Root, T.Offset->Value);
      const Contents *Known = Now.find(T.Root);
      if (Known && Known->Rest.Form == Background::Input && Known->Cells.empty())
        New.All = &Answers[{T.Root, Known->Rest.Block, T.Offset->Value}];
    }
    Result.push_back(New);
  }
  return Result;
}

static void addFact(Variable *To, const Node *Fact) {
  if (!is_contained(To->Facts, Fact))
    To->Facts.push_back(Fact);
}

static bool isWhole(StringRef Pattern) {
  return Pattern.ends_with(StringRef("\0", 1));
}

// Adds how the answers of one text depend on each other. New is the latest of them.
void Executor::relateAnswers(const TextAnswers &All, Variable *New) {
  auto imply = [&](const Node *A, const Node *B) { addFact(New, Nodes.either(Nodes.negate(A), B)); };
  for (const auto &[Pattern, Begins] : All.Begins) {
    for (const auto &[Other, OtherBegins] : All.Begins)
      if (&Other == &Pattern || (Begins != New && OtherBegins != New))
        continue;
      else if (StringRef(Pattern).starts_with(Other))
        imply(Begins->Use, OtherBegins->Use);
      else if (!StringRef(Other).starts_with(Pattern))
        imply(Begins->Use, Nodes.negate(OtherBegins->Use));
    const bool HasNumber = isWhole(Pattern) || !strchr(" \t\n\v\f\r+-0123456789", Pattern[0]);
    for (const auto &[Kind, Number] : All.Numbers)
      if (HasNumber && Kind.second == 10 && (Begins == New || Number == New))
        imply(Begins->Use, Nodes.eq(Number->Use, Nodes.constant(Number->Width, strtoll(Pattern.c_str(), nullptr, 10))));
    if (All.Length && (Begins == New || All.Length == New)) {
      const Node *Characters = Nodes.constant(64, strlen(Pattern.c_str()));
      imply(Begins->Use,
            isWhole(Pattern) ? Nodes.eq(All.Length->Use, Characters) : Nodes.ule(Characters, All.Length->Use));
    }
  }
  // A long number may be cut in one type and not in the other, so this is no fact for proofs.
  for (const auto &[Kind, Number] : All.Numbers)
    if (Number != New && Kind.second == 10 && All.Numbers.count({New->Width, 10}) &&
        All.Numbers.at({New->Width, 10}) == New) {
      const bool Wider = New->Width > Number->Width;
      const Node *Same = Wider ? Nodes.eq(New->Use, Nodes.sext(Number->Use, New->Width))
                               : Nodes.eq(Number->Use, Nodes.sext(New->Use, Number->Width));
      if (!is_contained(New->Exact, Same))
        New->Exact.push_back(Same);
    }
}

// Returns the number that a function like atoi() reads from a text.
const Node *Executor::numberOfText(const CallBase &Call, const Value &Pointer, unsigned Width, unsigned Base) {
  const std::string Name = userName(Call).empty() ? nameOfTarget(Pointer, Call.getArgOperand(0)) : userName(Call);
  const std::vector<Text> Texts = textsOf(Pointer);
  const Node *Result = nullptr;
  unsigned Index = kFirstAnswer;
  for (const Text &T : Texts) {
    const Node *One;
    if (T.Constant) {
      One = Nodes.constant(Width, uint64_t(strtoll(T.Constant->c_str(), nullptr, int(Base))));
    } else {
      Variable **Known = T.All ? &T.All->Numbers[{Width, Base}] : nullptr;
      Variable *Number = Known ? *Known : nullptr;
      if (!Number)
        Number =
            variableFor(&Call, Texts.size() == 1 ? 0 : Index++, Known ? VariableKind::Input : VariableKind::Unknown,
                        Width, Name, "a number in a text that the analysis does not follow");
      if (Known && !*Known) {
        *Known = Number;
        relateAnswers(*T.All, Number);
      }
      One = Number->Use;
    }
    Result = Result ? Nodes.ite(T.Guard, One, Result) : One;
  }
  return Result ? Result : any(Call, "a number in a text that the analysis does not follow").Number;
}

const Node *Executor::lengthOfText(const CallBase &Call, const Text &Of) {
  if (Of.Constant)
    return Nodes.constant(64, Of.Constant->size());
  if (!Of.All)
    return nullptr;
  if (!Of.All->Length) {
    Of.All->Length = variableFor(&Call, kFirstAnswer, VariableKind::Input, 64, "strlen(" + Of.Name + ")", "");
    Of.All->Length->High = kLongest;
    relateAnswers(*Of.All, Of.All->Length);
  }
  return Of.All->Length->Use;
}

// Returns the condition that a text begins with Pattern. A pattern with a 0 at its end is the whole text.
const Node *Executor::beginsWith(const CallBase &Call, const Text &Of, const std::string &Pattern) {
  for (const auto &[Other, Begins] : Of.All->Begins)
    if (Other == Pattern)
      return Begins->Use;
  const std::string Name = (Of.Name.empty() ? "a text" : Of.Name) + (isWhole(Pattern) ? " is \"" : " begins with \"") +
                           Pattern.c_str() + "\"";
  Variable *New =
      variableFor(&Call, kFirstAnswer + unsigned(hash_value(Pattern) % 100000), VariableKind::Input, 1, Name, "");
  Of.All->Begins.push_back({Pattern, New});
  if (Of.Exists)
    addFact(New, Nodes.either(Nodes.negate(New->Use), Of.Exists));
  relateAnswers(*Of.All, New);
  return New->Use;
}

// Returns the result of strcmp, or of strncmp with a constant number of characters; NULL: it is not known.
const Node *Executor::compareTexts(const CallBase &Call, const Text &A, const Text &B, uint64_t Most) {
  if (A.Constant && B.Constant) {
    const int Order = StringRef(*A.Constant).take_front(Most).compare(StringRef(*B.Constant).take_front(Most));
    return Nodes.constant(32, uint64_t(int64_t(Order)));
  }
  if (B.All && !A.All)
    return compareTexts(Call, B, A, Most);
  if (!A.All || !B.Constant || !Most)
    return nullptr;
  std::string Pattern = *B.Constant;
  Pattern.push_back('\0');
  Pattern.resize(std::min<uint64_t>(Pattern.size(), Most));
  // The sign of the difference is not followed.
  const Node *Less = any(Call, "the order of two texts").Number;
  const Node *Differs =
      Nodes.ite(Nodes.slt(Less, Nodes.constant(32, 0)), Nodes.constant(32, ~0u), Nodes.constant(32, 1));
  return Nodes.ite(beginsWith(Call, A, Pattern), Nodes.constant(32, 0), Differs);
}

bool Executor::callText(const CallBase &Call, StringRef Name, Value &Result) {
  if (Name == "strlen") {
    const Node *Length = nullptr;
    for (const Text &T : textsOf(argument(Call, 0))) {
      const Node *One = lengthOfText(Call, T);
      if (!One)
        return false;
      Length = Length ? Nodes.ite(T.Guard, One, Length) : One;
    }
    if (Length)
      Result = Value::integer(Length);
    return Length != nullptr;
  }
  if (Name != "strcmp" && Name != "strncmp")
    return false;
  uint64_t Most = ~0ull;
  if (Name == "strncmp") {
    const Node *Characters = argumentNumber(Call, 2, 64);
    if (!Characters->isConst())
      return false;
    Most = Characters->Value;
  }
  const std::vector<Text> Left = textsOf(argument(Call, 0)), Right = textsOf(argument(Call, 1));
  const Node *Difference = nullptr;
  for (const Text &A : Left)
    for (const Text &B : Right) {
      const Node *One = compareTexts(Call, A, B, Most);
      if (!One)
        return false;
      Difference = Difference ? Nodes.ite(Nodes.both(A.Guard, B.Guard), One, Difference) : One;
    }
  if (Difference)
    Result = Value::integer(Difference);
  return Difference != nullptr;
}

// Returns the least value of a number that the conditions of a way leave, as far as comparisons with constants say so.
static uint64_t leastOf(const Node *Number, const Node *Path) {
  uint64_t Least = 0;
  for (const Node *Part : splitConditions(Path)) {
    const bool Negated = Part->Operation == Op::Xor && Part->Kids[1]->isTrue();
    const Node *C = Negated ? Part->Kids[0] : Part;
    const bool Strict = C->Operation == Op::Slt || C->Operation == Op::Ult;
    if (!Strict && C->Operation != Op::Sle && C->Operation != Op::Ule && C->Operation != Op::Eq)
      continue;
    const Node *Other = C->Kids[Negated ? 1 : 0], *Mine = C->Kids[Negated ? 0 : 1];
    if (C->Operation == Op::Eq && !Negated && C->Kids[0] == Number)
      std::swap(Other, Mine);
    if (Mine == Number && Other->isConst() && Other->Value < 1 << 16 && (C->Operation != Op::Eq || !Negated))
      Least = std::max(Least, Other->Value + (Strict != Negated && C->Operation != Op::Eq));
  }
  return Least;
}

// Returns the text that an element of argv points to: NULL behind the last argument.
Value Executor::argumentText(const Target &Element) {
  if (!Element.Offset->isConst()) { // a loop over argv ends at its NULL
    Object *Text = Memory.create(Space::Text, "an argument", Nodes.constant(64, 4096));
    Memory.makeInput(Now, Text, Text->Name);
    return Memory.choose(
        Nodes.createVariable(VariableKind::Unknown, 1, "argument", "the number of arguments that a loop reads")->Use,
        Memory.pointer(Text), Memory.pointer(Memory.null()));
  }
  const uint64_t Number = Element.Offset->Value / 8;
  const Node *Count = ArgumentCount ? ArgumentCount : Nodes.constant(32, kMostArguments);
  if (Settings.Hunt && Number >= kMostArguments) {
    Path = Nodes.both(Path, Nodes.ule(Count, Nodes.constant(32, kMostArguments)));
    return Memory.pointer(Memory.null());
  }
  Object *&Text = ArgumentTexts[{Element.Root, Element.Offset->Value}];
  if (!Text) {
    Text = Memory.create(Space::Text, "argv[" + std::to_string(Number) + "]", Nodes.constant(64, 4096));
    Memory.makeInput(Now, Text, Text->Name);
    Text->Initial = Now.at(Text->Number); // one text in all states
    Now.forget(Text);
    ArgumentNumbers[Text] = Number;
  }
  if (leastOf(Count, Path) > Number) // a condition more would be one more in each formula
    return Memory.pointer(Text);
  return Memory.choose(Nodes.slt(Nodes.constant(32, Number), Count), Memory.pointer(Text),
                       Memory.pointer(Memory.null()));
}

} // namespace gasan::scan
