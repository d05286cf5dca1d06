/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// gasan-scan: reads the command line, compiles, analyses, prints.
#include "scan/Compile.h"
#include "scan/Print.h"
#include "scan/Replay.h"
#include "scan/Suppressions.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

extern "C" {
#include "document/writers.h"
}

using namespace llvm;
using namespace gasan::scan;

// CPU time for the analysis, and with the compilations. Headers like cub's take 5 seconds to compile.
static constexpr int64_t kSeconds = 6, kAllSeconds = 9, kLeastSeconds = 2;

static const char kHelp[] =
    "usage: gasan-scan [options] [clang options] FILE.cu ...\n"
    "Proves for each memory access of each kernel that it stays in its memory for all inputs, or finds inputs with\n"
    "which it leaves it.\n\n"
    "  --entry=FUNCTION    start here instead of at main; the function's numbers are inputs\n"
    "  --partitions        pointers into dynamic shared memory begin arrays, which end where the next one begins\n"
    "  --replay            run the kernels of possible errors on the CPU device, and show gasan's reports\n"
    "  --query-time=MS     time for one question to the solver (default: 700)\n"
    "  --time=SECONDS      CPU time for the analysis, without the compilations (default: 6, or less, so that\n"
    "                      a file takes less than 10 in all)\n"
    "  -p FOLDER           scan the files of FOLDER/compile_commands.json\n"
    "  --json=FILE, --sarif=FILE  write possible errors, as gasan's reports; `gasan report` reads JSON and baselines\n"
    "  --suppressions=FILE  leave out the errors that a line TYPE:PATTERN of the file matches (docs/options.md)\n"
    "  --baseline=FILE     leave out the errors that the JSON file of an earlier scan has\n"
    "  --quiet             print possible errors and the totals only\n"
    "  --help, --version\n"
    "Exit code: 0 nothing is possible, 1 an error is possible, 2 the input does not compile.\n";

namespace {
struct CommandLine {
  std::vector<Source> Sources;
  Options Settings;
  unsigned Milliseconds = 700;
  unsigned Seconds = 0; // 0: kSeconds, or less
  bool Quiet = false, Replay = false;
  std::string Json, Sarif, Baseline;
  Suppressions Rules;
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

// Returns true for an argument that belongs to another step of a build. Sets Next if the next argument belongs to it.
static bool isOfOtherStep(StringRef Text, bool &Next) {
  Next = Text == "-o" || Text == "-MF" || Text == "-MT" || Text == "-MQ";
  if (Next || Text == "-c" || Text == "-S" || Text == "-MD" || Text == "-MMD")
    return true;
  for (const char *Begin : {"-O", "-fsanitize", "-l", "-L", "--offload-arch=all"})
    if (Text.starts_with(Begin))
      return true;
  return Text.ends_with(".o") || Text.ends_with(".a");
}

static Source sourceOfCommand(StringRef Directory, StringRef File, ArrayRef<std::string> Command) {
  Source Result = {File.str(), Directory.str(), {}};
  for (size_t I = 1; I < Command.size(); I++) {
    bool Next = false;
    if (isOfOtherStep(Command[I], Next)) {
      I += Next;
      continue;
    }
    if (Command[I] != File && Command[I] != "--")
      Result.Options.push_back(Command[I]);
  }
  return Result;
}

// Returns 0, or the exit code.
static int readCommands(StringRef Folder, std::vector<Source> &Result) {
  const std::string Path = (Folder + "/compile_commands.json").str();
  auto Text = MemoryBuffer::getFile(Path);
  if (!Text)
    return fail("cannot read " + Path + ": " + Text.getError().message() +
                ". CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON");
  Expected<json::Value> Parsed = json::parse((*Text)->getBuffer());
  if (!Parsed)
    return fail(Path + ": " + toString(Parsed.takeError()));
  const json::Array *List = Parsed->getAsArray();
  if (!List)
    return fail(Path + " has no list of commands");
  BumpPtrAllocator Texts;
  StringSaver Saver(Texts);
  for (const json::Value &Entry : *List) {
    const json::Object *Command = Entry.getAsObject();
    const std::optional<StringRef> File = Command ? Command->getString("file") : std::nullopt;
    if (!File)
      return fail(Path + ": an entry has no file");
    if (!isSource(*File)) { // such as assembly
      errs() << "gasan-scan: leaves out " << *File << ", which is no C, C++ or CUDA source\n";
      continue;
    }
    std::vector<std::string> Words;
    if (const json::Array *Arguments = Command->getArray("arguments")) {
      for (const json::Value &Word : *Arguments)
        Words.push_back(Word.getAsString().value_or("").str());
    } else if (std::optional<StringRef> Line = Command->getString("command")) {
      SmallVector<const char *, 64> Split;
      cl::TokenizeGNUCommandLine(*Line, Saver, Split);
      Words.assign(Split.begin(), Split.end());
    }
    Result.push_back(sourceOfCommand(Command->getString("directory").value_or(""), *File, Words));
  }
  return 0;
}

// Writes the possible errors. Returns 0, or the exit code.
static int writeDocument(const std::vector<Verdicts> &All, const std::string &Path,
                         void (*Write)(const gasan_document *, gasan_text *)) {
  if (Path.empty())
    return 0;
  gasan_document Document = {};
  Document.version = GASAN_VERSION;
  gasan_doc_add_this_process(&Document);
  for (const Verdicts &V : All)
    if (V.Result == Finding::Possible && V.Known.empty()) {
      gasan_doc_report *Report = createReport(V);
      gasan_doc_name_process(Report, 0);
      gasan_doc_add_report(&Document, Report);
    }
  gasan_text Text = {};
  Write(&Document, &Text);
  std::error_code Failure;
  raw_fd_ostream Out(Path, Failure);
  if (Failure)
    return fail("cannot write " + Path + ": " + Failure.message());
  Out << StringRef(Text.bytes, Text.length);
  gasan_text_free(&Text);
  gasan_doc_free(&Document);
  return 0;
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
    if (Text == "-p") {
      if (I + 1 == Count)
        return fail("-p needs the folder of a compile_commands.json");
      if (int Code = readCommands(Texts[++I], Result.Sources))
        return Code;
    } else if (Text.consume_front("--json=")) {
      Result.Json = Text.str();
    } else if (Text.consume_front("--sarif=")) {
      Result.Sarif = Text.str();
    } else if (Text.consume_front("--baseline=")) {
      Result.Baseline = Text.str();
    } else if (Text.consume_front("--suppressions=")) {
      std::string Message;
      if (!Result.Rules.read(Text.str(), Message))
        return fail(Message);
    } else if (Text == "--partitions") {
      Result.Settings.Partitions = true;
    } else if (Text == "--replay") {
      Result.Replay = true;
    } else if (Text == "--quiet") {
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
    } else if (bool Next = false; isOfOtherStep(Text, Next)) {
      I += Next;
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

// Prints the verdicts, and writes the files that the user wants. Returns the exit code.
static int report(CommandLine &Line, std::vector<Verdicts> &All) {
  std::string Message;
  for (Verdicts &V : All)
    if (V.Result == Finding::Possible)
      if (const std::string Rule = Line.Rules.find(V); !Rule.empty())
        V.Known = "suppressed by " + Rule;
  if (!Line.Baseline.empty() && !markKnown(All, Line.Baseline, Message))
    return fail(Message);
  const std::vector<Replayed> Runs =
      Line.Replay ? replay(All, Line.Sources, Line.Settings.Partitions) : std::vector<Replayed>(All.size());
  unsigned Confirmed = 0;
  for (size_t I = 0; I < All.size(); I++) {
    if (All[I].Result == Finding::Possible && All[I].Known.empty())
      errs() << reportText(All[I]) << Runs[I].Text;
    Confirmed += Runs[I].Confirmed;
  }
  if (!Line.Quiet)
    for (const Verdicts &V : All)
      outs() << describeVerdict(V) << "\n";
  if (int Code = writeDocument(All, Line.Json, gasan_write_json))
    return Code;
  if (int Code = writeDocument(All, Line.Sarif, gasan_write_sarif))
    return Code;
  const Totals Sum = countVerdicts(All);
  outs() << All.size() << " accesses: " << Sum.Proven << " proven, " << Sum.WithoutWrap
         << " proven if no signed integer overflows, " << Sum.Possible << " possible, " << Sum.Unknown << " unknown\n";
  if (Sum.Known)
    outs() << Sum.Known << " known or suppressed errors are left out\n";
  if (Line.Replay)
    outs() << Confirmed << " of " << Sum.Possible << " possible errors confirmed on the CPU device\n";
  return Sum.Possible ? 1 : 0;
}

// Returns the milliseconds of CPU time for the analysis.
static int64_t timeFor(const CommandLine &Line) {
  if (Line.Seconds)
    return int64_t(Line.Seconds) * 1000;
  const int64_t Files = int64_t(Line.Sources.size());
  const int64_t Rest = Files * kAllSeconds * 1000 - childTime() - cpuTime();
  return std::max(kLeastSeconds * 1000, std::min(kSeconds * 1000, Rest));
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
  Judge Opinion(Nodes, Line.Milliseconds);
  const Budget Time(timeFor(Line));
  Executor First(Nodes, *Code.Host, Code.Device.get(), Line.Settings);
  if (!Line.Settings.Entry.empty() && !First.hasEntry())
    return fail("no file has code of the function '" + Line.Settings.Entry + "' of --entry");
  First.run(Time.after(65));
  Opinion.add(First, /*OnlyPossible=*/false, Time.after(60));
  std::deque<Executor> Hunts; // the verdicts refer to their memory
  for (bool NoArguments : {true, false}) {
    if (!Opinion.wantsHunt() || (NoArguments && !First.hasArguments()))
      continue;
    Options Hunt = Line.Settings;
    Hunt.Hunt = true;
    Hunt.NoArguments = NoArguments;
    Executor &Next = Hunts.emplace_back(Nodes, *Code.Host, Code.Device.get(), Hunt);
    Next.run(Time.after(50));
    Opinion.add(Next, /*OnlyPossible=*/true, Time.after(NoArguments ? 50 : 100));
  }
  std::vector<Verdicts> All = Opinion.finish(First, Code.Device.get());
  const int Result = report(Line, All);
  outs().flush();
  std::_Exit(Result); // to free all formulas one by one takes up to a second
}
