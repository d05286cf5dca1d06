// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Implements llvm-symbolizer's protocol, as sanitizer_common uses it, in one executable that needs no LLVM. Reads lines
// `CODE "module" 0xoffset`, `DATA ...` and `FRAME ...` from stdin. Writes each answer to stdout in llvm-symbolizer's
// format, followed by an empty line. Its installed name begins with "llvm-symbolizer", because sanitizer_common chooses
// the protocol by the tool's name.
#include "llvm/DebugInfo/Symbolize/DIPrinter.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include "llvm/Support/raw_ostream.h"

#include <iostream>
#include <string>

using namespace llvm;
using namespace llvm::symbolize;

namespace {

enum class Command { Code, Data, Frame };

struct Query {
  Command Kind = Command::Code;
  StringRef Module;
  uint64_t Offset = 0;
};

struct Settings {
  LLVMSymbolizer::Options Options;
  bool Inlines = true;
};

Settings parseArguments(int Count, char **Arguments) {
  Settings Result;
  Result.Options.RelativeAddresses = false;
  for (int I = 1; I < Count; ++I) {
    StringRef Argument(Arguments[I]);
    if (Argument == "--demangle" || Argument == "--no-demangle")
      Result.Options.Demangle = Argument == "--demangle";
    else if (Argument == "--inlines" || Argument == "--no-inlines")
      Result.Inlines = Argument == "--inlines";
    else if (Argument.consume_front("--default-arch="))
      Result.Options.DefaultArch = Argument.str();
    else
      errs() << "gasan-symbolizer: unknown argument " << Argument << "\n";
  }
  return Result;
}

bool parseQuery(StringRef Line, Query &Result) {
  Line = Line.trim();
  if (Line.consume_front("CODE "))
    Result.Kind = Command::Code;
  else if (Line.consume_front("DATA "))
    Result.Kind = Command::Data;
  else if (Line.consume_front("FRAME "))
    Result.Kind = Command::Frame;
  Line = Line.ltrim();
  StringRef OffsetText;
  if (Line.consume_front("\""))
    std::tie(Result.Module, OffsetText) = Line.split('"');
  else
    std::tie(Result.Module, OffsetText) = Line.split(' ');
  return !Result.Module.empty() && !OffsetText.trim().getAsInteger(0, Result.Offset);
}

/// Removes the suffix by which the pass distinguishes its copies of a function: users know only the function.
void removeSuffix(DILineInfo &Frame) {
  StringRef Name = Frame.FunctionName;
  for (StringRef Suffix : {" (.bounds)", " (.proven)", " (.bounded)"})
    if (Name.consume_back(Suffix)) {
      Frame.FunctionName = Name.str();
      return;
    }
}

/// Prints the answer; or the error to stderr and an empty answer, so that the caller always gets one.
template <typename T>
void printAnswer(DIPrinter &Printer, const Request &Asked, Expected<T> Answer) {
  if (Answer) {
    Printer.print(Asked, *Answer);
    return;
  }
  handleAllErrors(Answer.takeError(), [&](const ErrorInfoBase &Info) { Printer.printError(Asked, Info); });
  Printer.print(Asked, T());
}

void answer(LLVMSymbolizer &Symbolizer, DIPrinter &Printer, const Query &Asked, bool Inlines) {
  Request Where{Asked.Module, Asked.Offset, StringRef()};
  object::SectionedAddress Address{Asked.Offset, object::SectionedAddress::UndefSection};
  switch (Asked.Kind) {
  case Command::Code:
    if (Inlines) {
      Expected<DIInliningInfo> Frames = Symbolizer.symbolizeInlinedCode(Asked.Module, Address);
      if (Frames)
        for (unsigned I = 0; I < Frames->getNumberOfFrames(); ++I)
          removeSuffix(*Frames->getMutableFrame(I));
      printAnswer(Printer, Where, std::move(Frames));
    } else {
      Expected<DILineInfo> Frame = Symbolizer.symbolizeCode(Asked.Module, Address);
      if (Frame)
        removeSuffix(*Frame);
      printAnswer(Printer, Where, std::move(Frame));
    }
    break;
  case Command::Data:
    printAnswer(Printer, Where, Symbolizer.symbolizeData(Asked.Module, Address));
    break;
  case Command::Frame:
    printAnswer(Printer, Where, Symbolizer.symbolizeFrame(Asked.Module, Address));
    break;
  }
}

} // namespace

int main(int argc, char **argv) {
  Settings Chosen = parseArguments(argc, argv);
  LLVMSymbolizer Symbolizer(Chosen.Options);
  PrinterConfig Config = {/*PrintAddress=*/false, /*PrintFunctions=*/true, /*Pretty=*/false, /*Verbose=*/false,
                          /*SourceContextLines=*/0};
  LLVMPrinter Printer(
      outs(),
      [](const ErrorInfoBase &Error, StringRef Banner) {
        errs() << "gasan-symbolizer: " << Banner << ": " << Error.message() << "\n";
      },
      Config);
  for (std::string Line; std::getline(std::cin, Line);) {
    Query Asked;
    if (parseQuery(Line, Asked))
      answer(Symbolizer, Printer, Asked, Chosen.Inlines);
    else
      outs() << Line << "\n\n";
    outs().flush();
  }
  return 0;
}
