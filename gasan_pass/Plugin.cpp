// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plugin's entry: defines the options and registers the passes.
#include "gasan_pass/DriverOptions.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/Instrument.h"
#include "gasan_pass/instrument/SiteTable.h"
#include "gasan_pass/lift/Lift.h"
#include "gasan_pass/retarget/Retarget.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include <cstdlib>

using namespace llvm;

namespace gasan {

// Define a driver option of type bool, or of type string.
#define SWITCH(variable, member)                                                                                       \
  cl::opt<bool> variable(driver_options::member.Name, cl::init(driver_options::member.isOn()),                         \
                         cl::desc(driver_options::member.Description));
#define TEXT(variable, member)                                                                                         \
  cl::opt<std::string> variable(driver_options::member.Name, cl::init(driver_options::member.Default.str()),           \
                                cl::desc(driver_options::member.Description));
SWITCH(StrictTemporal, strict_temporal)
SWITCH(PrintProofs, print_proofs)
SWITCH(CountChecks, count_checks)
SWITCH(Trace, trace)
SWITCH(Recover, recover)
TEXT(LaunchProof, launch_proof)
TEXT(Pool, pool)
TEXT(Tags, tags)
TEXT(Devices, devices)
#undef SWITCH
#undef TEXT
#define GASAN_SAVING(variable, name, text)                                                                             \
  cl::opt<bool> variable("gasan-" name, cl::init(true), cl::Hidden, cl::desc(text));
#include "gasan_pass/savings.inc"
cl::opt<std::string> Mode(driver_options::mode.Name, cl::init(driver_options::mode_auto.str()),
                          cl::desc(driver_options::mode.Description));
cl::opt<unsigned> Granule(driver_options::granule.Name,
                          cl::init(unsigned(strtoul(driver_options::granule_auto.data(), nullptr, 10))),
                          cl::desc(driver_options::granule.Description));

cl::list<std::string> LiftFiles("gasan-lift", cl::desc("PTX file to fill an empty module with; several are linked"));
cl::opt<std::string> KernelTitle("gasan-kernel-title", cl::desc("Text for reports behind the names of kernels"));
cl::opt<bool> LiftStats("gasan-lift-stats", cl::desc("Print the number of instructions that stay inline asm"));
cl::opt<bool> Prepare("gasan-prepare", cl::desc("Mark the functions to instrument"));
cl::opt<bool> Instrument("gasan-instrument", cl::desc("Insert gasan's checks into NVPTX modules"));
cl::opt<bool> AsanCalls("gasan-asan-calls", cl::desc("Leave the checks to LLVM's AddressSanitizer pass"));
cl::opt<bool> Coverage("gasan-coverage", cl::desc("Insert counters for coverage-guided fuzzing on the CPU device"));
cl::opt<bool> AllPartitions("gasan-all-partitions", cl::Hidden,
                            cl::desc("Let each array in dynamic shared memory end where the next one begins"));
cl::opt<unsigned> TimeLimit("gasan-time-limit", cl::init(0),
                            cl::desc("End after N times the CPU time before the instrumentation, and a minute"));
cl::opt<unsigned> SharedReportsFrom("gasan-shared-reports", cl::init(4),
                                    cl::desc("Number of checks from which a function's checks share a report"));
cl::opt<std::string> DeviceRuntime("gasan-device-runtime", cl::desc("Bitcode of gasan's device runtime"));
cl::opt<std::string> CpuBitcode("gasan-cpu-bitcode", cl::desc("File for the instrumented module"));
cl::opt<bool> KeepDebug("gasan-keep-debug", cl::desc("Keep debug info in instrumented device code"));
cl::opt<bool> Retarget("gasan-retarget", cl::desc("Turn the device module into a CPU image"));
cl::opt<std::string> CpuImageId("gasan-cpu-image-id", cl::desc("Id that pairs the CPU image with its host object"));
cl::opt<std::string> CpuRuntime("gasan-cpu-runtime", cl::desc("Path of libgasan_rt.so"));
cl::opt<std::string> CpuHelpers("gasan-cpu-helpers", cl::desc("Bitcode of the CPU device's helpers"));

} // namespace gasan

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "gasan", "0.1", [](PassBuilder &Builder) {
            gasan::registerLift(Builder); // first: the module is empty before
            gasan::registerInstrument(Builder);
            gasan::registerRetarget(Builder);
            gasan::registerLiftEnd(Builder);
          }};
}
