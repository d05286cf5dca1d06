// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plugin's entry: options and where in the pipeline each pass runs.
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/Instrument.h"
#include "gasan_pass/retarget/Retarget.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"

using namespace llvm;

namespace gasan {

cl::opt<bool> Prepare("gasan-prepare", cl::desc("Mark the functions that gasan is to instrument"));
cl::opt<bool> Instrument("gasan-instrument", cl::desc("Put gasan's checks into NVPTX modules"));
cl::opt<bool> AsanCalls("gasan-asan-calls", cl::desc("Leave the checks to LLVM's AddressSanitizer pass"));
cl::opt<std::string> Mode("gasan-mode", cl::init("shadow"), cl::desc("What a check is: shadow or bst"));
cl::opt<bool> StrictTemporal("gasan-strict-temporal", cl::desc("Look bounds up again at each access"));
cl::opt<bool> GroupChecks("gasan-group-checks", cl::init(true),
                          cl::desc("Check accesses at constant distances together"));
cl::opt<std::string> LaunchProof("gasan-launch-proof", cl::init("off"),
                                 cl::desc("Do kernels get variants for launches that are proven: on or off"));
cl::opt<std::string> HiddenArguments("gasan-hidden-arguments", cl::init("on"),
                                     cl::desc("Are such variants given the bounds of their pointers: on or off"));
cl::opt<bool> LateUploads("gasan-late-uploads", cl::init(true),
                          cl::desc("Tell the host which variants look no bounds up"));
cl::opt<bool> PartialProof("gasan-partial-proof", cl::init(true),
                           cl::desc("Make variants for launches that are proven in part"));
cl::opt<unsigned> TimeLimit("gasan-time-limit", cl::init(0),
                            cl::desc("End after N times the CPU time before the instrumentation, and a minute"));
cl::opt<bool> PrintProofs("gasan-print-proofs", cl::desc("Print what would prove each check of a kernel"));
cl::opt<bool> CountChecks("gasan-count-checks", cl::desc("Count the checks and accesses that are executed"));
cl::opt<bool> StaticProof("gasan-static-proof", cl::init(true),
                          cl::desc("Leave out checks that hold for each possible offset"));
cl::opt<bool> DominatedChecks("gasan-dominated-checks", cl::init(true),
                              cl::desc("Leave out checks that others before them cover"));
cl::opt<bool> NarrowOffsets("gasan-narrow-offsets", cl::init(true),
                            cl::desc("Compare offsets in 32 bits where they fit"));
cl::opt<bool> LoopChecks("gasan-loop-checks", cl::init(true), cl::desc("Check all rounds of a counted loop before it"));
cl::opt<bool> HoistChecks("gasan-hoist-checks", cl::init(true),
                          cl::desc("Check addresses that a loop does not change before it"));
cl::opt<bool> IndexChecks("gasan-index-checks", cl::init(true), cl::desc("Check elements of arrays by their index"));
cl::opt<bool> BatchChecks("gasan-batch-checks", cl::init(true),
                          cl::desc("Decide checks of straight-line code by one branch"));
cl::opt<bool> CalleeLookups("gasan-callee-lookups", cl::init(true),
                            cl::desc("Look pointers up in functions that are called with what was just loaded"));
cl::opt<bool> MergedLookups("gasan-merged-lookups", cl::init(true),
                            cl::desc("Look pointers up where they come together"));
cl::opt<bool> LookupChecks("gasan-lookup-checks", cl::init(true),
                           cl::desc("Look pointers up in the one check that they are looked up for"));
cl::opt<bool> InlineReports("gasan-inline-reports", cl::init(true),
                            cl::desc("Report without calls in kernels with local arrays or with atomics in loops"));
cl::opt<unsigned> SharedReportsFrom("gasan-shared-reports", cl::init(4),
                                    cl::desc("From how many checks of a function on do they share a report"));
cl::opt<unsigned> Granule("gasan-granule", cl::init(128), cl::desc("Bytes a shadow byte stands for: 8, 128 or 256"));
cl::opt<std::string> Pool("gasan-pool", cl::init("window"),
                          cl::desc("What pointers are: addresses (window) or handles"));
cl::opt<std::string> Tags("gasan-tags", cl::init("off"), cl::desc("Do pointers have tags: on or off"));
cl::opt<std::string> DeviceRuntime("gasan-device-runtime", cl::desc("Bitcode of gasan's device runtime"));
cl::opt<std::string> CpuBitcode("gasan-cpu-bitcode", cl::desc("Where to write the instrumented module"));
cl::opt<bool> KeepDebug("gasan-keep-debug", cl::desc("Keep debug info in instrumented device code"));
cl::opt<bool> Retarget("gasan-retarget", cl::desc("Turn the device module into a CPU image"));
cl::opt<std::string> CpuImageId("gasan-cpu-image-id", cl::desc("Id that pairs the CPU image with its host object"));
cl::opt<UnknownPtxAction>
    UnknownPtx("gasan-unknown-ptx", cl::desc("What inline PTX that the CPU device does not have is"),
               cl::init(UnknownPtxAction::Error),
               cl::values(clEnumValN(UnknownPtxAction::Error, "error", "an error"),
                          clEnumValN(UnknownPtxAction::Trap, "trap", "a warning, and an error when it is run")));
cl::opt<std::string> CpuHelpers("gasan-cpu-helpers", cl::desc("Bitcode of the CPU device's helpers"));

} // namespace gasan

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "gasan", "0.1", [](PassBuilder &Builder) {
            gasan::registerInstrument(Builder);
            gasan::registerRetarget(Builder);
          }};
}
