/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The plugin's command line (given by the driver as -mllvm options). Both passes do nothing unless they are asked for.
#ifndef GASAN_PASS_OPTIONS_H
#define GASAN_PASS_OPTIONS_H

#include "llvm/Support/CommandLine.h"
#include <string>

namespace gasan {

// -gasan-prepare: only turn `sanitize_address` into the attribute kSanitizeAttr (compiling for -fgpu-rdc, where the
// instrumentation runs on the linked module, and for the host's AddressSanitizer). Implied by -gasan-instrument.
extern llvm::cl::opt<bool> Prepare;
// -gasan-instrument: put checks into NVPTX modules.
extern llvm::cl::opt<bool> Instrument;
// -gasan-asan-calls: the checks are calls of ASan's entry points, which LLVM's own AddressSanitizer pass puts in, and
// none of ours. (Such calls are always numbered.)
extern llvm::cl::opt<bool> AsanCalls;
// -gasan-mode=shadow|bst: each access loads its shadow byte, or compares with its object's bounds (DESIGN 5).
extern llvm::cl::opt<std::string> Mode;
// -gasan-strict-temporal: bounds are looked up again at each access (gpuarmor 7.2).
extern llvm::cl::opt<bool> StrictTemporal;
// -gasan-group-checks=false: in mode bst each access has a check of its own.
extern llvm::cl::opt<bool> GroupChecks;
// -gasan-launch-proof=on|off: kernels of mode bst get variants without the checks that the host may prove superfluous
// (instrument/proof).
extern llvm::cl::opt<std::string> LaunchProof;
// -gasan-hidden-arguments=on|off: such variants are given the bounds of their pointers.
extern llvm::cl::opt<std::string> HiddenArguments;
// -gasan-late-uploads=false: the host takes all variants to look bounds up.
extern llvm::cl::opt<bool> LateUploads;
// -gasan-partial-proof=false: there are none for launches that are proven in part.
extern llvm::cl::opt<bool> PartialProof;
// -gasan-time-limit=N: SIGXCPU ends the compiler when it has used N times the CPU time that it had used before the
// instrumentation, and a minute. 0: never.
extern llvm::cl::opt<unsigned> TimeLimit;
// -gasan-print-proofs: say of each check of a kernel what would prove it, or why nothing does.
extern llvm::cl::opt<bool> PrintProofs;
// -gasan-count-checks: in mode bst, code counts the checks and accesses that it executes.
extern llvm::cl::opt<bool> CountChecks;
// -gasan-static-proof=false: what can only have offsets that are in bounds is checked, too, unless the offset is a
// constant.
extern llvm::cl::opt<bool> StaticProof;
// -gasan-dominated-checks=false: what checks before it compare on every way is checked again.
extern llvm::cl::opt<bool> DominatedChecks;
// -gasan-narrow-offsets=false: offsets are compared in 64 bits.
extern llvm::cl::opt<bool> NarrowOffsets;
// -gasan-loop-checks=false: what is compared in each round of a counted loop is not compared once for all of them.
extern llvm::cl::opt<bool> LoopChecks;
// -gasan-hoist-checks=false: a check of one address stays in its loop.
extern llvm::cl::opt<bool> HoistChecks;
// -gasan-index-checks=false: elements of arrays are checked by their addresses.
extern llvm::cl::opt<bool> IndexChecks;
// -gasan-batch-checks=false: each check has a branch of its own.
extern llvm::cl::opt<bool> BatchChecks;
// -gasan-callee-lookups=false: bounds of loaded pointers go with them into functions.
extern llvm::cl::opt<bool> CalleeLookups;
// -gasan-merged-lookups=false: pointers from memory are looked up where they are loaded, wherever they come together.
extern llvm::cl::opt<bool> MergedLookups;
// -gasan-lookup-checks=false: bounds that are looked up are kept, for the report.
extern llvm::cl::opt<bool> LookupChecks;
// -gasan-inline-reports=false: variants of kernels with local arrays or with atomics in loops call the runtime to
// report, as others do.
extern llvm::cl::opt<bool> InlineReports;
// -gasan-shared-reports=N: in mode bst, checks share the call that reports in functions of N checks or more.
extern llvm::cl::opt<unsigned> SharedReportsFrom;
// -gasan-granule=8|128|256: bytes that a shadow byte stands for.
extern llvm::cl::opt<unsigned> Granule;
// -gasan-pool=window|handles: what the program's pointers are (base/abi.h, enum gasan_code).
extern llvm::cl::opt<std::string> Pool;
// -gasan-tags=on|off: do pointers have tags (shadow/tags.h)?
extern llvm::cl::opt<std::string> Tags;
// -gasan-device-runtime=FILE: bitcode of gasan_rt/kernel, linked into the module.
extern llvm::cl::opt<std::string> DeviceRuntime;
// -gasan-cpu-bitcode=FILE: write the instrumented or, for the host's AddressSanitizer, marked module there (with debug
// info), as input for -gasan-retarget.
extern llvm::cl::opt<std::string> CpuBitcode;
// -gasan-keep-debug: keep debug info in the device code (else it is dropped after the sites are known).
extern llvm::cl::opt<bool> KeepDebug;

// -gasan-retarget: turn the device module into a CPU image.
extern llvm::cl::opt<bool> Retarget;
// -gasan-cpu-image-id=ID: the id that pairs the image with the host object (device/cpu/image.h).
extern llvm::cl::opt<std::string> CpuImageId;
// -gasan-unknown-ptx=error|trap: what inline PTX and intrinsics that the CPU device does not have are.
enum class UnknownPtxAction { Error, Trap };
extern llvm::cl::opt<UnknownPtxAction> UnknownPtx;
// -gasan-cpu-helpers=FILE: bitcode of device/cpu/helpers.
extern llvm::cl::opt<std::string> CpuHelpers;

// Functions that are to be instrumented carry this string attribute in objects for -fgpu-rdc (clang gives them
// `sanitize_address`, which must be gone before LLVM's own AddressSanitizer pass runs at OptimizerLast).
constexpr const char *kSanitizeAttr = "gasan-sanitize";
// Marks a function of the device runtime.
constexpr const char *kRuntimeAttr = "gasan-runtime";

} // namespace gasan

#endif
