/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "scan/Compile.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace gasan::scan {

std::string driverPath() {
  std::string Mine = sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&driverPath));
  SmallString<128> Result(sys::path::parent_path(Mine));
  sys::path::append(Result, "gasan-clang++");
  return std::string(Result);
}

// The folder of gasan's headers, in a build folder and installed.
static std::string headerFolder() {
  SmallString<128> Result(sys::path::parent_path(sys::path::parent_path(driverPath())));
  sys::path::append(Result, "lib", "gasan", "include");
  return std::string(Result);
}

static bool isCuda(const Source &From) {
  for (size_t I = 0; I + 1 < From.Options.size(); I++)
    if (From.Options[I] == "-x" && From.Options[I + 1] == "cuda")
      return true;
  return StringRef(From.File).ends_with(".cu");
}

// The toolkit, as gasan-clang++ finds it.
static std::string cudaFolder(const Source &From) {
  for (StringRef Option : From.Options)
    if (Option.consume_front("--cuda-path="))
      return Option.str();
  const char *Variable = getenv("CUDA_HOME");
  return Variable && *Variable ? Variable : GASAN_CUDA_PATH;
}

namespace {

// One side of a source while clang compiles it. clang's own passes are off: they take promises of the language for
// facts.
struct Side {
  SmallString<128> Output;
  SmallString<128> Messages; // the file of clang's messages; empty: clang prints them
  sys::ProcessInfo Running;
  bool Started = false;
};

} // namespace

static void start(const Source &From, bool Device, Side &Result) {
  if (sys::fs::createTemporaryFile("gasan-scan", "bc", Result.Output))
    return;
  // Both sides have most errors in common, which the device's compilation prints.
  if (isCuda(From) && !Device && sys::fs::createTemporaryFile("gasan-scan", "txt", Result.Messages))
    return;
  std::vector<std::string> Command = {driverPath()};
  if (!From.Directory.empty())
    Command.push_back("-working-directory=" + From.Directory);
  Command.insert(Command.end(), From.Options.begin(), From.Options.end());
  if (isCuda(From))
    Command.push_back(Device ? "--cuda-device-only" : "--cuda-host-only");
  // gasan/gasan.h; libcu++, cub and thrust; and __managed__, as in a compilation with checks.
  Command.insert(Command.end(), {"-idirafter", headerFolder(), "-idirafter", cudaFolder(From) + "/include/cccl"});
  if (isCuda(From))
    Command.insert(Command.end(), {"-include", "gasan_managed.h"});
  if (!Device)
    Command.push_back("-w"); // warnings are printed once, by the device's compilation
  for (const char *Option :
       {"-O1", "-g", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", "-Wno-unknown-cuda-version", "-o"})
    Command.push_back(Option);
  if (Device) // the names of variables, which clang leaves out of optimised device code
    Command.insert(Command.end() - 1, {"-Xclang", "-debug-info-kind=constructor"});
  Command.push_back(std::string(Result.Output));
  Command.push_back(From.File);
  std::vector<StringRef> Arguments(Command.begin(), Command.end());
  std::string Message;
  bool Failed = false;
  std::vector<std::optional<StringRef>> Files;
  if (!Result.Messages.empty())
    Files = {std::nullopt, std::nullopt, StringRef(Result.Messages)};
  Result.Running = sys::ExecuteNoWait(Command[0], Arguments, std::nullopt, Files, 0, &Message, &Failed);
  Result.Started = !Failed;
  if (Failed)
    errs() << "gasan-scan: cannot run " << Command[0] << ": " << Message << "\n";
}

static std::unique_ptr<Module> finish(Side &From, LLVMContext &Context) {
  std::unique_ptr<Module> Result;
  if (From.Started && sys::Wait(From.Running, std::nullopt).ReturnCode == 0) {
    SMDiagnostic Diagnostic;
    Result = parseIRFile(From.Output, Diagnostic, Context);
    if (!Result)
      Diagnostic.print("gasan-scan", errs());
  }
  sys::fs::remove(From.Output);
  return Result;
}

// Prints clang's messages about the host's side.
static void printMessages(const Side &Host) {
  if (auto Text = MemoryBuffer::getFile(Host.Messages))
    errs() << (*Text)->getBuffer();
}

static void prepare(Module &M) {
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Graph;
  ModuleAnalysisManager Modules;
  PassBuilder Builder;
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(Graph);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Functions, Graph, Modules);
  FunctionPassManager Passes;
  Passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  Passes.addPass(LoopSimplifyPass());
  Passes.addPass(LCSSAPass());
  for (Function &Code : M)
    if (!Code.isDeclaration())
      Passes.run(Code, Functions);
}

static bool add(std::unique_ptr<Module> &To, std::unique_ptr<Module> New) {
  if (!To) {
    To = std::move(New);
    return true;
  }
  return !Linker::linkModules(*To, std::move(New));
}

bool compileProgram(const std::vector<Source> &Sources, LLVMContext &Context, Program &Result) {
  Context.setDiagnosticHandlerCallBack([](const DiagnosticInfo *, void *) {});
  for (const Source &From : Sources) {
    Side Both[2];
    start(From, false, Both[0]);
    if (isCuda(From))
      start(From, true, Both[1]);
    std::unique_ptr<Module> Host = finish(Both[0], Context), Device = finish(Both[1], Context);
    if (!Both[0].Messages.empty()) {
      if (Device)
        printMessages(Both[0]);
      sys::fs::remove(Both[0].Messages);
    }
    if (!Host)
      return false;
    if (isCuda(From)) {
      if (!Device)
        return false;
      if (!add(Result.Device, std::move(Device))) {
        errs() << "gasan-scan: cannot link the device code of " << From.File
               << ". Two files may define one device function: scan them one by one.\n";
        return false;
      }
    }
    if (!add(Result.Host, std::move(Host))) {
      errs() << "gasan-scan: cannot link the host code of " << From.File
             << ". Two files may define one function, such as main: scan them one by one.\n";
      return false;
    }
  }
  prepare(*Result.Host);
  if (Result.Device)
    prepare(*Result.Device);
  return true;
}

} // namespace gasan::scan
