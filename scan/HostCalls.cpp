/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Functions of the C and C++ libraries that give inputs, allocate or end the program.
#include "scan/Effects.h"
#include "scan/Executor.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;

namespace gasan::scan {

const Node *Executor::input(const Instruction &From, unsigned Width, const std::string &Otherwise) {
  std::string Name = userName(From);
  return variableFor(&From, 0, VariableKind::Input, Width, Name.empty() ? Otherwise : Name, "")->Use;
}

std::string Executor::nameOfTarget(const Value &Pointer, const llvm::Value *Code) {
  const Object *Only = nullptr;
  for (const Target &T : Pointer.Targets)
    if (T.Root->Where != Space::Null) {
      if (Only)
        return userName(*Code);
      Only = T.Root;
    }
  return Only && !Only->Name.empty() ? Only->Name : userName(*Code);
}

void Executor::storeInput(const Value &Pointer, unsigned Bits, bool Real, const std::string &Name) {
  for (const Target &T : Pointer.Targets) {
    Value New = Value::real();
    if (!Real)
      New = Value::integer(Nodes.createVariable(VariableKind::Input, Bits, Name.empty() ? "input" : Name)->Use);
    Memory.store(Now, T, New, Bits / 8, Path);
  }
}

// Writes the numbers that a scanf reads.
void Executor::scanText(const CallBase &Call, unsigned Format) {
  const std::string Text = text(Call.getArgOperand(Format));
  unsigned Next = Format + 1;
  for (size_t I = 0; I < Text.size() && Next < Call.arg_size(); I++) {
    if (Text[I] != '%' || ++I >= Text.size() || Text[I] == '%' || Text[I] == '*')
      continue;
    while (I < Text.size() && isdigit(Text[I]))
      I++;
    unsigned Bits = 32;
    for (; I < Text.size() && strchr("hlzjtL", Text[I]); I++)
      Bits = Text[I] == 'h' ? Bits / 2 : 64;
    const Value Pointer = argument(Call, Next);
    const std::string Name = nameOfTarget(Pointer, Call.getArgOperand(Next));
    Next++;
    const char Kind = I < Text.size() ? Text[I] : 0;
    if (strchr("diuxXo", Kind) && Kind)
      storeInput(Pointer, Bits, false, Name);
    else if (strchr("fegEG", Kind) && Kind)
      storeInput(Pointer, Bits, true, Name);
    else
      for (const Target &T : Pointer.Targets)
        Memory.makeInput(Now, T.Root, Name);
  }
  for (; Text.empty() && Next < Call.arg_size(); Next++)
    for (const Target &T : argument(Call, Next).Targets)
      Memory.blur(Now, T.Root, "memory that scanf writes");
}

bool Executor::callInput(const CallBase &Call, StringRef Name, Value &Result) {
  const Type *Type = Call.getType();
  static const StringSet<> Numbers = {"atoi",
                                      "atol",
                                      "atoll",
                                      "strtol",
                                      "strtoul",
                                      "strtoll",
                                      "strtoull",
                                      "__isoc23_strtol",
                                      "__isoc23_strtoul",
                                      "__isoc23_strtoll",
                                      "__isoc23_strtoull"};
  if (Numbers.contains(Name)) {
    const Node *Base = Call.arg_size() > 2 ? argumentNumber(Call, 2, 32) : Nodes.constant(32, 10);
    Result =
        Base->isConst()
            ? Value::integer(numberOfText(Call, argument(Call, 0), Type->getIntegerBitWidth(), unsigned(Base->Value)))
            : any(Call, "a number of an unknown base");
    if (Call.arg_size() > 1)
      for (const Target &T : argument(Call, 1).Targets)
        Memory.blur(Now, T.Root, "the end of a number's text");
    return true;
  }
  if (Name == "atof" || Name == "strtod" || Name == "strtof") {
    Result = Value::real();
    return true;
  }
  if (Name.contains("scanf")) {
    scanText(Call, Name.contains("sscanf") || Name.contains("fscanf") ? 1 : 0);
    Result = Value::integer(input(Call, 32, "the number of items read"));
    return true;
  }
  if (Name == "fread" || Name == "read" || Name == "fgets" || Name == "__fread_chk" || Name == "__read_chk") {
    const unsigned Buffer = Name == "read" ? 1 : 0;
    for (const Target &T : argument(Call, Buffer).Targets)
      Memory.makeInput(Now, T.Root, T.Root->Name);
    if (Type->isPointerTy()) { // fgets returns NULL at the end of the file
      const Node *Read = variableFor(&Call, 1, VariableKind::Input, 1, "a line is read", "")->Use;
      Result = Memory.choose(Read, argument(Call, Buffer), Memory.pointer(Memory.null()));
    } else {
      Result = Value::integer(input(Call, Type->getIntegerBitWidth(), "the number of items read"));
    }
    return true;
  }
  if (callText(Call, Name, Result))
    return true;
  if (Name == "getchar" || Name == "fgetc" || Name == "getc" || Name == "ftell") {
    Result = Value::integer(input(Call, Type->getIntegerBitWidth(), Name.str() + "()"));
    return true;
  }
  if (Name == "setenv" || Name == "putenv" || Name == "unsetenv" || Name == "clearenv") {
    EnvironmentChanges = true;
    Result = any(Call, "the result of " + Name.str());
    return true;
  }
  if (Name == "fopen" || Name == "fopen64" || Name == "fdopen" || Name == "popen") { // a file may be missing
    Object *File = Memory.create(Space::Host, "file", nullptr);
    Now.change(File);
    Result = Memory.choose(Nodes.createVariable(VariableKind::Input, 1, "a file opens")->Use, Memory.pointer(File),
                           Memory.pointer(Memory.null()));
    return true;
  }
  if (Name == "getenv") {
    const std::string Key = text(Call.getArgOperand(0));
    if (EnvironmentChanges || Key.empty()) {
      Result = any(Call, "a variable of the environment");
      return true;
    }
    auto &[Text, Exists] = Environment[Key];
    if (!Text) {
      Text = Memory.create(Space::Text, "getenv(" + Key + ")", Nodes.constant(64, 4096));
      Memory.makeInput(Now, Text, Text->Name);
      Text->Initial = Now.at(Text->Number); // one text in all states
      Now.forget(Text);
      Exists = Nodes.createVariable(VariableKind::Input, 1, Text->Name + " exists");
    }
    Result = Memory.choose(Exists->Use, Memory.pointer(Text), Memory.pointer(Memory.null()));
    return true;
  }
  // std::istream >> number: the last letter of the name is the number's type.
  if (Name.starts_with("_ZNSirsER") || Name.starts_with("_ZNSi10_M_extractI")) {
    const char Kind = Name.starts_with("_ZNSirsER") ? Name.back() : Name[18];
    const unsigned Bits = strchr("lmxyd", Kind) ? 64 : strchr("st", Kind) ? 16 : 32;
    const Value Pointer = argument(Call, 1);
    storeInput(Pointer, Bits, Kind == 'f' || Kind == 'd', nameOfTarget(Pointer, Call.getArgOperand(1)));
    Result = argument(Call, 0);
    return true;
  }
  return false;
}

bool Executor::callHost(const CallBase &Call, StringRef Name, Value &Result) {
  static const StringSet<> Ends = {"exit",           "abort",
                                   "_exit",          "quick_exit",
                                   "__assert_fail",  "_ZSt9terminatev",
                                   "__cxa_throw",    "__cxa_rethrow",
                                   "__cxa_bad_cast", "__clang_call_terminate"};
  static const StringSet<> Silent = {// write no memory that matters here
                                     "printf",       "puts",  "putchar", "fflush", "fclose", "perror",
                                     "__cxa_atexit", "putc",  "fputc",   "fputs",  "fwrite", "fprintf",
                                     "vprintf",      "srand", "usleep",  "sleep",  "atexit"};
  if (Ends.contains(Name) || (Name.starts_with("_ZSt") && Name.contains("__throw_"))) {
    endProgram();
    return true;
  }
  if (callInput(Call, Name, Result))
    return true;
  if (Name == "atexit" || Name == "__cxa_atexit" || Name == "at_quick_exit")
    for (const Target &T : argument(Call, 0).Targets)
      if (T.Root->Code && !T.Root->Code->isDeclaration() && effectsOf(*T.Root->Code).Launches)
        giveUp("'" + demangle(T.Root->Code->getName().str()) + "', which launches kernels behind the end of main");
  if (Silent.contains(Name)) {
    Result = Call.getType()->isVoidTy() ? Value() : any(Call, "the result of " + Name.str());
    return true;
  }
  if (Name == "malloc" || Name == "calloc" || Name == "aligned_alloc" || Name == "_Znwm" || Name == "_Znam" ||
      Name == "_ZnwmSt11align_val_t" || Name == "_ZnamSt11align_val_t" || Name == "realloc") {
    const Node *Bytes = argumentNumber(Call, 0, 64);
    if (Name == "calloc")
      Bytes = Nodes.mul(Bytes, argumentNumber(Call, 1, 64));
    if (Name == "aligned_alloc" || Name == "realloc")
      Bytes = argumentNumber(Call, 1, 64);
    Object *Root = allocate(Call, Space::HostHeap, Bytes, Name.starts_with("_Zn") ? "operator new" : Name.str().c_str(),
                            userName(Call));
    if (Name == "calloc")
      Now.change(Root).Rest = Background::zero();
    if (Name == "realloc") // the pointers in it, too
      for (const Target &T : argument(Call, 0).Targets)
        Memory.blur(Now, T.Root, "memory that realloc moved");
    if (Name == "realloc")
      Memory.blur(Now, Root, "memory that realloc moved");
    Result = Memory.pointer(Root);
    return true;
  }
  if (Name == "posix_memalign") {
    Object *Root = allocate(Call, Space::HostHeap, argumentNumber(Call, 2, 64), "posix_memalign", "");
    for (const Target &T : argument(Call, 0).Targets)
      Memory.store(Now, T, Memory.pointer(Root), 8, Path);
    Result = Value::integer(Nodes.constant(32, 0));
    return true;
  }
  if (Name == "free" || Name.starts_with("_ZdlPv") || Name.starts_with("_ZdaPv"))
    return true; // host memory is not the matter here
  if (Name == "memcpy" || Name == "memmove" || Name == "__memcpy_chk") {
    copy(argument(Call, 0), argument(Call, 1), argumentNumber(Call, 2, 64));
    Result = argument(Call, 0);
    return true;
  }
  if (Name == "memset") {
    for (const Target &T : argument(Call, 0).Targets)
      Memory.clear(Now, T, argumentNumber(Call, 2, 64), argumentNumber(Call, 1, 8)->isConst(0));
    Result = argument(Call, 0);
    return true;
  }
  if (Name == "rand" || Name == "random" || Name == "lrand48") {
    Variable *Var =
        Nodes.createVariable(VariableKind::Unknown, Call.getType()->getIntegerBitWidth(), "random", "a random number");
    Var->High = 0x7fffffff;
    Result = Value::integer(Var->Use);
    return true;
  }
  return false;
}

} // namespace gasan::scan
