// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses GASAN_OPTIONS and prints the text of help=1, from one table of our options and sanitizer_common's.
// sanitizer_common's own parser truncates numbers to 32 bits and only warns of unknown names; this parser refuses each
// bad option.
#include "gasan_rt/sanitizer/RuntimeOptions.h"
#include "gasan_rt/sanitizer/SanitizerInternal.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#include "sanitizer_common/sanitizer_allocator_internal.h"
#include "sanitizer_common/sanitizer_file.h"
#include "sanitizer_common/sanitizer_flags.h"
#include "sanitizer_common/sanitizer_libc.h"

using namespace gasan;

struct gasan_options gasan::Options = {
#define GASAN_OPTION(type, name, value, description) value,
#include "gasan_rt/core/options.inc"
#undef GASAN_OPTION
};

namespace {

enum class Type { Switch, Int, Size, Text, List, Signal };

struct Option {
  const char *Name;
  const char *Description;
  Type ValueType;
  void *Value;
  s64 Least, Most;
  const char *Words; // "a|b|c"; null: any text
};

bool isSeparator(char C) {
  return C == ' ' || C == ',' || C == ':' || C == '\n' || C == '\t' || C == '\r';
}

struct Limits {
  const char *Name;
  s64 Least, Most;
  const char *Words;
};

constexpr s64 MostInt = 0x7fffffff;
constexpr s64 MostSize = 0x7fffffffffffffff;

// Ranges that sanitizer_common does not state. A process has an exit code of 8 bits.
constexpr Limits CommonLimits[] = {
    {"exitcode", 0, 255, nullptr},
    {"malloc_context_size", 0, MostContextFrames, nullptr},
    {"color", 0, 0, "auto|always|never"},
};

constexpr Type typeOf(bool *) {
  return Type::Switch;
}
constexpr Type typeOf(int *) {
  return Type::Int;
}
constexpr Type typeOf(uptr *) {
  return Type::Size;
}
constexpr Type typeOf(const char **) {
  return Type::Text;
}
constexpr Type typeOf(HandleSignalMode *) {
  return Type::Signal;
}

constexpr bool isSame(const char *A, const char *B) {
  while (*A && *A == *B)
    ++A, ++B;
  return *A == *B;
}

template <typename T>
constexpr Option ours(const char *Name, const char *Description, T *Value, s64 Least, s64 Most, const char *Words) {
  return {Name, Description, typeOf(Value), Value, Least, Most, Words};
}

template <typename T>
constexpr Option common(const char *Name, const char *Description, T *Value) {
  Option Result = {Name, Description, typeOf(Value), Value, 0, MostSize, nullptr};
  if (Result.ValueType == Type::Int) {
    Result.Least = -MostInt - 1;
    Result.Most = MostInt;
  }
  for (const Limits &Known : CommonLimits)
    if (isSame(Known.Name, Name)) {
      Result.Least = Known.Least;
      Result.Most = Known.Most;
      Result.Words = Known.Words;
    }
  return Result;
}

constexpr Option list(const char *Name, const char *Description, const char **Value, const char *Words) {
  return {Name, Description, Type::List, Value, 0, 0, Words};
}

// Constant, so that no constructor runs.
constexpr Option Table[] = {
#define GASAN_SWITCH(name, value, description) ours(#name, description, &Options.name, 0, 1, nullptr),
#define GASAN_NUMBER(name, value, least, most, description)                                                            \
  ours(#name, description, &Options.name, least, most, nullptr),
#define GASAN_CHOICE(name, value, words, description) ours(#name, description, &Options.name, 0, 0, words),
#define GASAN_LIST(name, value, words, description) list(#name, description, &Options.name, words),
#define GASAN_TEXT(name, value, description) ours(#name, description, &Options.name, 0, 0, nullptr),
#include "gasan_rt/core/options.inc"
#define COMMON_FLAG(type, name, value, description) common(#name, description, &common_flags_dont_use.name),
#include "sanitizer_common/sanitizer_flags.inc"
#undef COMMON_FLAG
};

constexpr uptr MostText = 128;

/// Writes "a|b|c" as "a, b or c".
void joinWords(const char *Words, char *Text) {
  uptr Length = 0;
  const char *Last = internal_strrchr(Words, '|');
  for (const char *At = Words; *At && Length + 5 < MostText; ++At) {
    const char *Piece = At == Last ? " or " : ", ";
    if (*At != '|')
      Text[Length++] = *At;
    else
      while (*Piece)
        Text[Length++] = *Piece++;
  }
  Text[Length] = 0;
}

/// Returns the separator at the end of the value. In a list, a comma in front of another word does not end the value.
const char *findEnd(const char *At, bool IsList) {
  while (*At && (!isSeparator(*At) || (IsList && *At == ','))) {
    if (*At == ',') {
      const char *Next = At + 1;
      while (*Next && *Next != '=' && !isSeparator(*Next))
        ++Next;
      if (*Next == '=' || Next == At + 1)
        break;
    }
    ++At;
  }
  return At;
}

/// Writes the option's allowed values, as the end of a sentence; "" for any text.
void describeValues(const Option &Known, char *Text) {
  Text[0] = 0;
  if (Known.Words)
    joinWords(Known.Words, Text);
  else if (Known.ValueType == Type::Switch)
    internal_strlcpy(Text, "0 or 1", MostText);
  else if (Known.ValueType == Type::Signal)
    internal_strlcpy(Text, "0, 1 or 2", MostText);
  else if (Known.ValueType != Type::Text)
    internal_snprintf(Text, MostText, "%lld to %lld", Known.Least, Known.Most);
}

bool isWord(const char *Words, const char *Value) {
  const uptr Length = internal_strlen(Value);
  while (Length && Words) {
    if (internal_strncmp(Words, Value, Length) == 0 && (Words[Length] == '|' || !Words[Length]))
      return true;
    Words = internal_strchr(Words, '|');
    Words = Words ? Words + 1 : nullptr;
  }
  return false;
}

/// Returns true for one or more of the words.
bool isListOfWords(const char *Words, const char *Value) {
  char Word[MostText];
  for (;;) {
    uptr Length = 0;
    while (Value[Length] && Value[Length] != ',')
      ++Length;
    if (Length >= sizeof Word)
      return false;
    internal_memcpy(Word, Value, Length);
    Word[Length] = 0;
    if (!isWord(Words, Word))
      return false;
    if (!Value[Length])
      return true;
    Value += Length + 1;
  }
}

bool parseSwitch(const char *Value, bool *Result) {
  const char *const Yes[] = {"1", "yes", "true"}, *const No[] = {"0", "no", "false"};
  for (uptr I = 0; I < ARRAY_SIZE(Yes); ++I) {
    *Result = isSame(Value, Yes[I]);
    if (*Result || isSame(Value, No[I]))
      return true;
  }
  return false;
}

enum class Number { Ok, None, OutOfRange };

Number parseNumber(const char *Text, s64 Least, s64 Most, s64 *Result) {
  const bool Negative = *Text == '-';
  const char *Digit = Text + Negative;
  bool Fits = true;
  u64 Value = 0;
  if (!*Digit)
    return Number::None;
  for (; *Digit; ++Digit) {
    if (*Digit < '0' || *Digit > '9')
      return Number::None;
    Fits = Fits && Value < static_cast<u64>(MostSize) / 10;
    Value = Fits ? Value * 10 + static_cast<u64>(*Digit - '0') : 0;
  }
  *Result = Negative ? -static_cast<s64>(Value) : static_cast<s64>(Value);
  return Fits && *Result >= Least && *Result <= Most ? Number::Ok : Number::OutOfRange;
}

/// Parses one source of options: the variable, or a file that it includes.
class Parser {
public:
  explicit Parser(const char *Source, bool IsFile) : Source(Source), IsFile(IsFile) {}
  /// Returns the number of bad options; prints a line for each.
  int parse(const char *Text);

private:
  const char *Source;
  bool IsFile;
  int Wrong = 0;

  void parseOne(char *Name, char *Value);
  void include(const char *Value, bool IgnoreMissing);
  void set(const Option &Known, const char *Value);
  void complain(const char *Name, const char *Value, const char *What);
};

void Parser::complain(const char *Name, const char *Value, const char *What) {
  ++Wrong;
  Report("gasan: ERROR: %s%s%s%s%s %s\n", Source, IsFile ? ": " : "=", Name, Value ? "=" : "", Value ? Value : "",
         What);
}

void Parser::set(const Option &Known, const char *Value) {
  char Allowed[MostText], What[MostText + 32];
  const char *Format = Known.Words ? "is not one of %s" : "is no number (%s)";
  s64 Parsed = 0;
  bool IsOn = false;
  describeValues(Known, Allowed);
  if (Known.ValueType == Type::Text) {
    if (!Known.Words || isWord(Known.Words, Value)) {
      *static_cast<const char **>(Known.Value) = Value;
      return;
    }
  } else if (Known.ValueType == Type::List) {
    if (isListOfWords(Known.Words, Value)) {
      *static_cast<const char **>(Known.Value) = Value;
      return;
    }
    Format = "is not a list of %s";
  } else if (Known.ValueType == Type::Switch) {
    if (parseSwitch(Value, static_cast<bool *>(Known.Value)))
      return;
    Format = "is neither on nor off (%s)";
  } else if (Known.ValueType == Type::Signal) {
    const bool Exclusive = isSame(Value, "2") || isSame(Value, "exclusive");
    if (Exclusive || parseSwitch(Value, &IsOn)) {
      *static_cast<HandleSignalMode *>(Known.Value) = Exclusive ? kHandleSignalExclusive
                                                      : IsOn    ? kHandleSignalYes
                                                                : kHandleSignalNo;
      return;
    }
  } else {
    Number Result = parseNumber(Value, Known.Least, Known.Most, &Parsed);
    if (Result == Number::Ok && Known.ValueType == Type::Int)
      *static_cast<int *>(Known.Value) = static_cast<int>(Parsed);
    if (Result == Number::Ok && Known.ValueType == Type::Size)
      *static_cast<uptr *>(Known.Value) = static_cast<uptr>(Parsed);
    if (Result == Number::Ok)
      return;
    if (Result == Number::OutOfRange)
      Format = "is out of range (%s)";
  }
  internal_snprintf(What, sizeof What, Format, Allowed);
  complain(Known.Name, Value, What);
}

void Parser::include(const char *Value, bool IgnoreMissing) {
  static int Depth;
  char *Path = static_cast<char *>(InternalAlloc(kMaxPathLength));
  SubstituteForFlagValue(Value, Path, kMaxPathLength);
  char *Text;
  uptr Mapped, Length;
  if (Depth >= 16)
    complain(IgnoreMissing ? "include_if_exists" : "include", Value, "is included by itself, or too deep (16 files)");
  else if (ReadFileToBuffer(Path, &Text, &Mapped, &Length)) {
    ++Depth;
    Wrong += Parser(Path, true).parse(Text);
    --Depth;
    UnmapOrDie(Text, Mapped);
  } else if (!IgnoreMissing)
    complain("include", Value, "cannot be read");
  InternalFree(Path);
}

bool isList(const char *Name) {
  for (const Option &Known : Table)
    if (isSame(Known.Name, Name))
      return Known.ValueType == Type::List;
  return false;
}

void Parser::parseOne(char *Name, char *Value) {
  if (isSame(Name, "include") || isSame(Name, "include_if_exists")) {
    include(Value, Name[sizeof "include" - 1] != 0);
    return;
  }
  for (const Option &Known : Table)
    if (isSame(Known.Name, Name)) {
      set(Known, Value);
      return;
    }
  complain(Name, Value, "is unknown; GASAN_OPTIONS=help=1 prints all options");
}

/// Copies a piece of the text. Never freed, because options refer to it.
char *copy(const char *Begin, const char *End) {
  const uptr Length = static_cast<uptr>(End - Begin);
  char *Result = static_cast<char *>(InternalAlloc(Length + 1));
  internal_memcpy(Result, Begin, Length);
  Result[Length] = 0;
  return Result;
}

/// Returns the end of a value that ends at `At`. "schedule=random:7" is one option, although ':' separates options.
const char *endWithSeed(const char *Name, const char *Begin, const char *At) {
  const char Random[] = "random:";
  if (!isSame(Name, "schedule") || internal_strncmp(Begin, Random, sizeof Random - 1))
    return At;
  for (At = Begin + sizeof Random - 1; *At >= '0' && *At <= '9';)
    ++At;
  return At;
}

int Parser::parse(const char *Text) {
  const char *At = Text;
  for (;;) {
    while (isSeparator(*At))
      ++At;
    if (!*At)
      return Wrong;
    const char *Begin = At;
    while (*At && *At != '=' && !isSeparator(*At))
      ++At;
    char *Name = copy(Begin, At);
    if (*At != '=') {
      complain(Name, nullptr, "has no value; write name=value");
      continue;
    }
    const char Quote = At[1] == '\'' || At[1] == '"' ? At[1] : 0;
    Begin = At += Quote ? 2 : 1;
    if (Quote)
      while (*At && *At != Quote)
        ++At;
    else
      At = endWithSeed(Name, Begin, findEnd(At, isList(Name)));
    char *Value = copy(Begin, At);
    if (Quote && !*At)
      complain(Name, Value, "has a quote that does not end");
    else
      parseOne(Name, Value);
    At += Quote && *At;
  }
}

void formatValue(const Option &Known, char *Text, uptr Size) {
  switch (Known.ValueType) {
  case Type::Switch:
    internal_strlcpy(Text, *static_cast<bool *>(Known.Value) ? "1" : "0", Size);
    break;
  case Type::Int:
    internal_snprintf(Text, Size, "%d", *static_cast<int *>(Known.Value));
    break;
  case Type::Size:
    internal_snprintf(Text, Size, "%zu", *static_cast<uptr *>(Known.Value));
    break;
  case Type::Text:
  case Type::List:
    internal_snprintf(Text, Size, "%s", *static_cast<const char **>(Known.Value));
    break;
  case Type::Signal:
    internal_snprintf(Text, Size, "%d", *static_cast<HandleSignalMode *>(Known.Value));
    break;
  }
}

} // namespace

static void overrideFlags(int ContextSize, int Exitcode) {
  CommonFlags Flags;
  Flags.CopyFrom(*common_flags());
  Flags.malloc_context_size = ContextSize;
  Flags.exitcode = Exitcode;
  OverrideCommonFlags(Flags);
}

void gasan::refuseExitcodeZero() {
  overrideFlags(common_flags()->malloc_context_size, Max(common_flags()->exitcode, 1));
}

void gasan::parseOptions(const char *Text, const char *Source) {
  const int Wrong = Text ? Parser(Source, false).parse(Text) : 0;
  // sanitizer_common's own minimum.
  overrideFlags(Max(common_flags()->malloc_context_size, 1), common_flags()->exitcode);
  if (Wrong) {
    refuseExitcodeZero();
    Die();
  }
}

void gasan::printOptions() {
  char Value[256], Allowed[MostText];
  Printf("Available flags for gasan:\n");
  for (const Option &Known : Table) {
    formatValue(Known, Value, sizeof Value);
    describeValues(Known, Allowed);
    Printf("\t%s\n\t\t- %s (Current Value: %s%s%s)\n", Known.Name, Known.Description, Value,
           Allowed[0] ? "; allowed: " : "", Allowed);
  }
  Printf("\tinclude\n\t\t- read more options from the given file\n"
         "\tinclude_if_exists\n\t\t- read more options from the given file (if it exists)\n");
}
