// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gasan-lift: the passes of the plugin and LLVM's NVPTX back end in one static program, for machines without clang 22.
// It takes the plugin's options (-gasan-lift=FILE and those of the checks), and writes PTX as clang -O1 does.
#include "gasan_pass/Options.h"
#include "gasan_pass/tool/FatBinary.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

extern "C" PassPluginLibraryInfo llvmGetPassPluginInfo();

namespace {

constexpr const char *kTriple = "nvptx64-nvidia-cuda";

cl::opt<std::string> Output("o", cl::Required, cl::desc("File for the PTX"));
cl::opt<std::string> Architecture("arch", cl::init("sm_75"), cl::desc("Architecture of the PTX, for example sm_90"));
cl::opt<std::string> Extract("extract",
                             cl::desc("Only take the newest PTX for -arch from this fat binary or PTX file"));

// Prints errors as clang does.
struct Printer : DiagnosticHandler {
  bool Failed = false;

  bool handleDiagnostics(const DiagnosticInfo &Info) override {
    if (Info.getSeverity() == DS_Remark || Info.getSeverity() == DS_Note)
      return true;
    const bool IsError = Info.getSeverity() == DS_Error;
    Failed |= IsError;
    DiagnosticPrinterRawOStream Stream(IsError ? WithColor::error() : WithColor::warning());
    Info.print(Stream);
    errs() << '\n';
    return true;
  }
};

int fail(const Twine &Message) {
  WithColor::error() << Message << '\n';
  return 1;
}

unsigned versionOf(StringRef File) {
  unsigned Major = 0, Minor = 0;
  ErrorOr<std::unique_ptr<MemoryBuffer>> Text = MemoryBuffer::getFile(File);
  StringRef Rest = Text ? (*Text)->getBuffer() : StringRef();
  const size_t At = Rest.find(".version");
  Rest = At == StringRef::npos ? StringRef() : Rest.substr(At + strlen(".version")).ltrim();
  const bool IsVersion = !Rest.consumeInteger(10, Major) && Rest.consume_front(".") && !Rest.consumeInteger(10, Minor);
  return IsVersion ? Major * 10 + Minor : 90;
}

// Returns the feature for the version of PTX to write: that of the input, because an older ptxas (Triton's own) may
// read no newer one, but at least the version that has the architecture.
std::string featureFor(ArrayRef<std::string> Files) {
  struct {
    unsigned Architecture, Version;
  } static const Least[] = {{120, 87}, {110, 90}, {103, 88}, {100, 86}, {89, 78},
                            {87, 74},  {86, 71},  {80, 70},  {0, 64}};
  static const unsigned Known[] = {90, 88, 87, 86, 85, 84, 83, 82, 81, 80, 78, 77, 76, 75, 74, 73, 72, 71, 70, 65, 64};
  unsigned Number = 0, Version = 0;
  StringRef Name = Architecture;
  if (Name.consume_front("sm_"))
    Name.consumeInteger(10, Number);
  for (const std::string &File : Files)
    Version = std::max(Version, versionOf(File));
  if (Number == 90 && Name == "a")
    Version = std::max(Version, 80u);
  if (Name == "f")
    Version = std::max(Version, 88u);
  for (const auto &Entry : Least)
    if (Number >= Entry.Architecture) {
      Version = std::max(Version, Entry.Version);
      break;
    }
  for (unsigned Candidate : Known)
    if (Candidate <= Version)
      return "+ptx" + utostr(Candidate);
  return "";
}

void optimise(Module &M, TargetMachine &Machine) {
  PipelineTuningOptions Tuning;
  Tuning.LoopUnrolling = Tuning.LoopInterleaving = false; // as clang -O1
  PassBuilder Builder(&Machine, Tuning);
  llvmGetPassPluginInfo().RegisterPassBuilderCallbacks(Builder);
  LoopAnalysisManager InLoops;
  FunctionAnalysisManager InFunctions;
  CGSCCAnalysisManager InGraph;
  ModuleAnalysisManager InModule;
  InFunctions.registerPass([&] { return TargetLibraryAnalysis(TargetLibraryInfoImpl(Triple(kTriple))); });
  Builder.registerModuleAnalyses(InModule);
  Builder.registerCGSCCAnalyses(InGraph);
  Builder.registerFunctionAnalyses(InFunctions);
  Builder.registerLoopAnalyses(InLoops);
  Builder.crossRegisterProxies(InLoops, InFunctions, InGraph, InModule);
  Builder.buildPerModuleDefaultPipeline(OptimizationLevel::O1).run(M, InModule);
}

int writeAssembly(Module &M, TargetMachine &Machine) {
  std::error_code Error;
  ToolOutputFile File(Output, Error, sys::fs::OF_Text);
  if (Error)
    return fail("'" + Output + "': " + Error.message());
  legacy::PassManager Passes;
  Passes.add(new TargetLibraryInfoWrapperPass(TargetLibraryInfoImpl(Triple(kTriple))));
  if (Machine.addPassesToEmitFile(Passes, File.os(), nullptr, CodeGenFileType::AssemblyFile))
    return fail("the NVPTX back end writes no PTX");
  Passes.run(M);
  File.keep();
  return 0;
}

int extract() {
  std::string Text, Error;
  if (!gasan::extractPtx(Extract, Architecture, Text, Error))
    return fail("'" + Extract + "': " + Error);
  std::error_code Code;
  ToolOutputFile File(Output, Code, sys::fs::OF_None);
  if (Code)
    return fail("'" + Output + "': " + Code.message());
  File.os() << Text;
  File.keep();
  return 0;
}

} // namespace

int main(int Count, char **Arguments) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  cl::ParseCommandLineOptions(Count, Arguments, "gasan-lift: puts gasan's checks into PTX\n");
  if (!Extract.empty())
    return extract();
  LLVMContext Context;
  auto Owned = std::make_unique<Printer>();
  Printer *Diagnostics = Owned.get();
  Context.setDiagnosticHandler(std::move(Owned));
  std::string Error;
  const Triple Name(kTriple);
  const Target *Found = TargetRegistry::lookupTarget(Name, Error);
  if (!Found)
    return fail(Error);
  std::unique_ptr<TargetMachine> Machine(Found->createTargetMachine(Name, Architecture, featureFor(gasan::LiftFiles),
                                                                    TargetOptions(), std::nullopt, std::nullopt,
                                                                    CodeGenOptLevel::Less));
  Module M("lifted", Context);
  M.setTargetTriple(Name);
  M.setDataLayout(Machine->createDataLayout());
  optimise(M, *Machine);
  if (Diagnostics->Failed)
    return 1;
  const int Result = writeAssembly(M, *Machine);
  return Diagnostics->Failed ? 1 : Result;
}
