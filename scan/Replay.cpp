/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "scan/Replay.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gasan::scan {

static constexpr unsigned kSecondsToCompile = 120, kSecondsToRun = 30;
static const char kMain[] = "gasan_scan_program_main"; // the name of the program's main() in a replay

// Functions of each generated program. A failure ends with 77 and a sentence.
static const char kFunctions[] = R"(
#include <cstdio>
#include <cstdlib>
#include <cstring>

static void gasan_scan_fail(const char *call, cudaError_t code) {
  if (code == cudaSuccess)
    return;
  fprintf(stderr, "gasan-scan: %s fails: %s\n", call, cudaGetErrorString(code));
  exit(77);
}

static char *gasan_scan_allocate(unsigned long long bytes, bool managed, bool zero) {
  void *result = nullptr;
  gasan_scan_fail("an allocation of the witness",
                  managed ? cudaMallocManaged(&result, bytes) : cudaMalloc(&result, bytes));
  if (zero)
    gasan_scan_fail("cudaMemset", cudaMemset(result, 0, bytes));
  return static_cast<char *>(result);
}

template <typename T>
static void gasan_scan_set(char *memory, unsigned long long at, T number) {
  gasan_scan_fail("cudaMemcpy", cudaMemcpy(memory + at, &number, sizeof number, cudaMemcpyHostToDevice));
}
)";

static void emitMemory(raw_ostream &Out, const Recipe &R) {
  for (size_t I = 0; I < R.Memory.size(); I++) {
    const RecipeMemory &M = R.Memory[I];
    Out << "  char *memory" << I << " = gasan_scan_allocate(" << M.Size << "ull, " << (M.Managed ? "true" : "false")
        << ", " << (M.Zero ? "true" : "false") << ");\n";
    for (auto [At, Byte] : M.Bytes)
      Out << "  gasan_scan_set<unsigned char>(memory" << I << ", " << At << "ull, " << unsigned(Byte) << ");\n";
  }
  for (size_t I = 0; I < R.Memory.size(); I++)
    for (const RecipePointer &P : R.Memory[I].Pointers)
      Out << "  gasan_scan_set<void *>(memory" << I << ", " << P.At << "ull, memory" << P.Memory << " + "
          << int64_t(P.Offset) << "ll);\n";
}

// Writes a function that launches the kernel as in the witness.
static void emitCase(raw_ostream &Out, const Verdicts &V, unsigned Number) {
  const Recipe &R = V.Values.Steps;
  const Witness &W = V.Values;
  Out << "extern \"C\" void gasan_scan_kernel" << Number << "() asm(\"" << R.Stub << "\");\n";
  Out << "static void gasan_scan_case" << Number << "() {\n";
  emitMemory(Out, R);
  std::vector<std::string> Arguments;
  for (size_t I = 0; I < R.Arguments.size(); I++) {
    const RecipeBytes &A = R.Arguments[I];
    const std::string Name = "argument" + std::to_string(I);
    Arguments.push_back(Name);
    Out << "  alignas(16) unsigned char " << Name << "[" << std::max<uint64_t>(A.Size, 1) << "] = {";
    for (uint64_t J = 0; J < A.Size; J++)
      Out << (J ? ", " : "") << (A.Bytes.count(J) ? unsigned(A.Bytes.at(J)) : 0);
    Out << "};\n";
    for (const RecipePointer &P : A.Pointers)
      Out << "  {\n    char *pointer = memory" << P.Memory << " + " << int64_t(P.Offset) << "ll;\n    memcpy(" << Name
          << " + " << P.At << ", &pointer, 8);\n  }\n";
  }
  for (size_t I = 0; I < R.Memory.size(); I++)
    if (R.Memory[I].Freed)
      Out << "  gasan_scan_fail(\"cudaFree\", cudaFree(memory" << I << "));\n";
  auto three = [](const uint64_t *N) {
    return "dim3(" + std::to_string(N[0]) + "u, " + std::to_string(N[1]) + "u, " + std::to_string(N[2]) + "u)";
  };
  Out << "  void *arguments[] = {" << join(Arguments, ", ") << (Arguments.empty() ? "nullptr" : "") << "};\n"
      << "  gasan_scan_fail(\"the launch\", cudaLaunchKernel(reinterpret_cast<const void *>(gasan_scan_kernel" << Number
      << "),\n      " << three(W.Grid) << ", " << three(W.Block) << ", arguments, " << W.SharedBytes
      << "ull, nullptr));\n"
      << "  gasan_scan_fail(\"cudaDeviceSynchronize\", cudaDeviceSynchronize());\n}\n\n";
}

static std::string fullPath(StringRef File, StringRef Folder) {
  SmallString<256> Path(File);
  if (!sys::path::is_absolute(Path) && !Folder.empty()) {
    Path = Folder;
    sys::path::append(Path, File);
  }
  SmallString<256> Real;
  if (sys::fs::real_path(Path, Real))
    sys::fs::make_absolute(Path);
  return std::string(Real.empty() ? Path : Real);
}

// Runs a command with its output in a file. Returns its exit code; -2: it took too long.
static int runCommand(const std::vector<std::string> &Command, StringRef Output, unsigned Seconds) {
  const std::vector<StringRef> Arguments(Command.begin(), Command.end());
  const std::optional<StringRef> Files[] = {StringRef(""), Output, Output};
  return sys::ExecuteAndWait(Command[0], Arguments, std::nullopt, Files, Seconds);
}

static std::string readFile(StringRef Path) {
  auto Text = MemoryBuffer::getFile(Path);
  return Text ? (*Text)->getBuffer().str() : "";
}

namespace {

// The replays of the kernels of one source, in one program.
class Bench {
public:
  Bench(const std::vector<Source> &Sources, size_t Mine, bool Partitions)
      : Sources(Sources), Mine(Mine), Partitions(Partitions) {}

  bool build(const std::vector<Verdicts> &All, const std::vector<size_t> &Cases) {
    if (sys::fs::createUniqueDirectory("gasan-scan", Folder))
      return false;
    std::string Text;
    raw_string_ostream Out(Text);
    const std::string File = fullPath(Sources[Mine].File, Sources[Mine].Directory);
    Out << "#define main " << kMain << "\n#include \"" << File << "\"\n#undef main\n" << kFunctions << "\n";
    for (size_t I : Cases)
      emitCase(Out, All[I], unsigned(I));
    Out << "int main(int argc, char **argv) {\n  switch (argc > 1 ? atoi(argv[1]) : -1) {\n";
    for (size_t I : Cases)
      Out << "  case " << I << ":\n    gasan_scan_case" << I << "();\n    return 0;\n";
    Out << "  }\n  return 77;\n}\n";
    {
      std::error_code Failure;
      raw_fd_ostream To(path("replay.cu"), Failure);
      To << Text;
    }
    std::vector<std::string> Link = command(Sources[Mine]);
    Link.insert(Link.end(), {"-idirafter", sys::path::parent_path(File).str()});
    for (size_t I = 0; I < Sources.size(); I++) {
      if (I == Mine)
        continue;
      std::vector<std::string> Other = command(Sources[I]);
      const std::string Object = path(std::to_string(I) + ".o");
      Other.insert(Other.end(), {std::string("-Dmain=") + kMain, "-c", "-o", Object,
                                 fullPath(Sources[I].File, Sources[I].Directory)});
      if (runCommand(Other, path("log"), kSecondsToCompile))
        return false;
      Link.push_back(Object);
    }
    Link.insert(Link.end(), {"-o", path("replay"), path("replay.cu")});
    return runCommand(Link, path("log"), kSecondsToCompile) == 0;
  }

  Replayed run(size_t Case, const Verdicts &V) {
    Replayed Result;
    sys::fs::remove(path("out"));
    const int Code = runCommand({path("replay"), std::to_string(Case)}, path("out"), kSecondsToRun);
    const std::string Output = readFile(path("out"));
    const std::string Wanted = sys::path::filename(V.Where.File).str() + ":" + std::to_string(V.Where.Line) + ":" +
                               std::to_string(V.Where.Column);
    std::string First;
    SmallVector<StringRef, 16> Blocks;
    StringRef(Output).split(Blocks, "=================================================================\n");
    for (StringRef Block : Blocks) {
      if (!Block.contains("ERROR: AddressSanitizer"))
        continue;
      if (First.empty())
        First = Block.str();
      for (StringRef Line : split(Block, '\n'))
        Result.Confirmed |= Line.trim().starts_with("#") && Line.rtrim().ends_with(Wanted);
      if (Result.Confirmed) {
        Result.Text = "Replayed on the CPU device. gasan reports:\n" + Block.str();
        return Result;
      }
    }
    if (!First.empty())
      Result.Text = "Not confirmed: gasan reports another error in the replay:\n" + First;
    else if (Code == -2)
      Result.Text = "Not confirmed: the replay took longer than " + std::to_string(kSecondsToRun) + " seconds.\n";
    else if (Code == 77)
      Result.Text = "Not confirmed: " + Output;
    else
      Result.Text =
          "Not confirmed: the replay ended with " + std::to_string(Code) + " and without a report.\n" + Output;
    return Result;
  }

  ~Bench() {
    if (!Folder.empty())
      sys::fs::remove_directories(Folder);
  }

  std::string log() const { return readFile(path("log")); }

private:
  std::string path(const std::string &Name) const { return (Folder + "/" + Name).str(); }

  std::vector<std::string> command(const Source &From) const {
    std::vector<std::string> Result = {driverPath()};
    if (!From.Directory.empty())
      Result.push_back("-working-directory=" + From.Directory);
    Result.insert(Result.end(), From.Options.begin(), From.Options.end());
    // A thread goes on after another error, which may come before that of the witness.
    Result.insert(Result.end(), {"-fsanitize=gpu-address", "-fsanitize-gpu-address-recover", "-g", "-O1", "-w"});
    if (Partitions)
      Result.insert(Result.end(), {"-mllvm", "-gasan-all-partitions"});
    return Result;
  }

  const std::vector<Source> &Sources;
  const size_t Mine;
  const bool Partitions;
  SmallString<128> Folder;
};

} // namespace

std::vector<Replayed> replay(const std::vector<Verdicts> &All, const std::vector<Source> &Sources, bool Partitions) {
  setenv("GASAN_OPTIONS", "device=cpu:halt_on_error=0:on_error=continue:print_limit=0:exitcode=76", /*overwrite=*/1);
  std::vector<Replayed> Result(All.size());
  std::map<size_t, std::vector<size_t>> Cases; // by source
  for (size_t I = 0; I < All.size(); I++) {
    if (All[I].Result != Finding::Possible || !All[I].Known.empty())
      continue;
    const Recipe &R = All[I].Values.Steps;
    Result[I].Text = "Not confirmed: " + (R.Unable.empty() ? "no source has the kernel" : R.Unable) + ".\n";
    if (!R.Unable.empty())
      continue;
    for (size_t J = 0; J < Sources.size(); J++)
      if (fullPath(Sources[J].File, Sources[J].Directory) == fullPath(R.File, R.Folder))
        Cases[J].push_back(I);
  }
  for (const auto &[Mine, Numbers] : Cases) {
    Bench Whole(Sources, Mine, Partitions);
    const bool Built = Whole.build(All, Numbers);
    for (size_t I : Numbers) {
      if (Built)
        Result[I] = Whole.run(I, All[I]);
      else
        Result[I].Text = "Not confirmed: the replay does not compile:\n" + Whole.log();
    }
  }
  return Result;
}

} // namespace gasan::scan
