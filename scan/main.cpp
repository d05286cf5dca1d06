/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// gasan-scan: reads the command line, compiles, analyses, prints.
#include "scan/Compile.h"
#include "scan/Print.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gasan::scan;

static const char kHelp[] =
    "usage: gasan-scan [options] [clang options] FILE.cu ...\n"
    "Proves for each memory access of each kernel that it stays in its memory for all inputs, or finds inputs with\n"
    "which it leaves it.\n\n"
    "  --entry=FUNCTION    start here instead of at main; the function's numbers are inputs\n"
    "  --query-time=MS     time for one question to the solver (default: 700)\n"
    "  --time=SECONDS      time for all questions of a run (default: 8)\n"
    "  --quiet             print possible errors and the totals only\n"
    "  --help, --version\n"
    "Exit code: 0 nothing is possible, 1 an error is possible, 2 the input does not compile.\n";

namespace {
struct CommandLine {
  std::vector<Source> Sources;
  Options Settings;
  unsigned Milliseconds = 700, Seconds = 8;
  bool Quiet = false;
};
} // namespace

static bool isSource(StringRef Text) {
  for (const char *End : {".cu", ".cpp", ".cc", ".cxx", ".c++", ".c"})
    if (Text.ends_with(End) && !Text.starts_with("-"))
      return true;
  return false;
}

static int fail(const Twine &Message) {
  errs() << "gasan-scan: " << Message << "\n";
  return 2;
}

// Returns -1, or the exit code.
static int parse(int Count, char **Texts, CommandLine &Result) {
  std::vector<std::string> Files, Others;
  for (int I = 1; I < Count; I++) {
    StringRef Text = Texts[I];
    if (Text == "--help") {
      outs() << kHelp;
      return 0;
    }
    if (Text == "--version") {
      outs() << "gasan-scan " << GASAN_VERSION << "\n";
      return 0;
    }
    if (Text == "--quiet") {
      Result.Quiet = true;
    } else if (Text.consume_front("--entry=")) {
      Result.Settings.Entry = Text.str();
    } else if (Text.consume_front("--query-time=")) {
      if (Text.getAsInteger(10, Result.Milliseconds) || !Result.Milliseconds)
        return fail("--query-time=" + Text + " is no number of milliseconds");
    } else if (Text.consume_front("--time=")) {
      if (Text.getAsInteger(10, Result.Seconds) || !Result.Seconds)
        return fail("--time=" + Text + " is no number of seconds");
    } else if (isSource(Text)) {
      Files.push_back(Text.str());
    } else if (Text == "-o" || Text == "-MF" || Text == "-MT" || Text == "-MQ") {
      I++;
    } else if (Text == "-c" || Text.starts_with("-O") || Text.starts_with("-fsanitize") || Text == "-S" ||
               Text == "-MD" || Text == "-MMD" || Text.starts_with("-l") || Text.starts_with("-L") ||
               Text.ends_with(".o") || Text.ends_with(".a")) {
      continue; // of another step of a build
    } else {
      Others.push_back(Text.str());
    }
  }
  for (const std::string &File : Files)
    Result.Sources.push_back({File, "", Others});
  if (Result.Sources.empty())
    return fail("no source file. gasan-scan --help lists the options");
  return -1;
}

int main(int Count, char **Texts) {
  CommandLine Line;
  if (int Code = parse(Count, Texts, Line); Code >= 0)
    return Code;
  LLVMContext Context;
  Program Code;
  if (!compileProgram(Line.Sources, Context, Code))
    return 2;
  Expressions Nodes;
  Judge Opinion(Nodes, Line.Milliseconds, Line.Seconds);
  Executor First(Nodes, *Code.Host, Code.Device.get(), Line.Settings);
  First.run();
  Opinion.add(First, /*OnlyPossible=*/false);
  Options Hunt = Line.Settings;
  Hunt.Hunt = true;
  Executor Second(Nodes, *Code.Host, Code.Device.get(), Hunt);
  if (Opinion.wantsHunt()) {
    Second.run();
    Opinion.add(Second, /*OnlyPossible=*/true);
  }
  const std::vector<Verdicts> All = Opinion.finish(First, Code.Device.get());
  for (const Verdicts &V : All)
    if (V.Result == Finding::Possible)
      errs() << reportText(V);
  if (!Line.Quiet)
    for (const Verdicts &V : All)
      outs() << describeVerdict(V) << "\n";
  const Totals Sum = countVerdicts(All);
  outs() << All.size() << " accesses: " << Sum.Proven << " proven, " << Sum.WithoutWrap
         << " proven if no signed integer overflows, " << Sum.Possible << " possible, " << Sum.Unknown << " unknown\n";
  return Sum.Possible ? 1 : 0;
}
