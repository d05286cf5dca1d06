/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Declares the plugin's command-line options, which the driver passes as -mllvm options. Without -gasan-prepare,
// -gasan-instrument or -gasan-retarget, the plugin does nothing.
#ifndef GASAN_PASS_OPTIONS_H
#define GASAN_PASS_OPTIONS_H

#include "llvm/Support/CommandLine.h"
#include <string>

namespace gasan {

// The options of driver/options.inc, as -gasan-<name>. That table has their descriptions and defaults. Here the value
// "auto" does not exist: the default is what "auto" stands for (GASAN_DRIVER_AUTO). An option of type bool takes true
// and false; an on/off option of type string takes on and off.
extern llvm::cl::opt<std::string> Mode, LaunchProof, Pool, Tags, Devices;
extern llvm::cl::opt<bool> StrictTemporal, PrintProofs, CountChecks, Recover, Trace;
extern llvm::cl::opt<unsigned> Granule;

#define GASAN_SAVING(variable, name, text) extern llvm::cl::opt<bool> variable;
#include "gasan_pass/savings.inc"

// -gasan-lift: the PTX files whose code fills the module, which is empty before. -gasan-lift-stats: print counts.
extern llvm::cl::list<std::string> LiftFiles;
extern llvm::cl::opt<bool> LiftStats;
// -gasan-prepare: only turn `sanitize_address` into the attribute kSanitizeAttr, for -fgpu-rdc, where the linked module
// is instrumented, and for the host's AddressSanitizer. Implied by -gasan-instrument.
extern llvm::cl::opt<bool> Prepare;
// -gasan-instrument: insert checks into NVPTX modules.
extern llvm::cl::opt<bool> Instrument;
// -gasan-asan-calls: insert no checks; LLVM's own AddressSanitizer pass inserts calls of ASan's entry points. The pass
// gives each such call a site, with or without this option.
extern llvm::cl::opt<bool> AsanCalls;
// -gasan-coverage: insert counters of edges and calls that trace comparisons, before the checks. The module must have
// code for the CPU device only.
extern llvm::cl::opt<bool> Coverage;
// -gasan-all-partitions: pointer variables into dynamic shared memory are arrays, as if each had the annotation
// gasan_partition. For replays of gasan-scan --partitions, which has found an error by the same rule.
extern llvm::cl::opt<bool> AllPartitions;
// -gasan-time-limit=N: SIGXCPU ends the compiler when its CPU time exceeds N times the CPU time used before the
// instrumentation, plus one minute. 0: no limit.
extern llvm::cl::opt<unsigned> TimeLimit;
// -gasan-shared-reports=N: in mode=bst, the checks of a function with N or more checks share one call of the report.
extern llvm::cl::opt<unsigned> SharedReportsFrom;
// -gasan-device-runtime=FILE: bitcode of gasan_rt/kernel, linked into the module.
extern llvm::cl::opt<std::string> DeviceRuntime;
// -gasan-cpu-bitcode=FILE: write the module to FILE, with debug info, as input for -gasan-retarget. The module is
// instrumented or, for the host's AddressSanitizer, only marked.
extern llvm::cl::opt<std::string> CpuBitcode;
// -gasan-keep-debug: keep debug info in the device code. Otherwise it is dropped when the sites are known.
extern llvm::cl::opt<bool> KeepDebug;

// -gasan-retarget: turn the device module into a CPU image.
extern llvm::cl::opt<bool> Retarget;
// -gasan-cpu-image-id=ID: the id that pairs the image with the host object (device/cpu/image.h).
extern llvm::cl::opt<std::string> CpuImageId;
// -gasan-cpu-runtime=FILE: libgasan_rt.so, for programs that are linked without it.
extern llvm::cl::opt<std::string> CpuRuntime;
// -gasan-cpu-helpers=FILE: bitcode of device/cpu/helpers.
extern llvm::cl::opt<std::string> CpuHelpers;

// The attribute of functions to instrument, in objects for -fgpu-rdc. It replaces clang's `sanitize_address`, which
// must be gone before LLVM's own AddressSanitizer pass runs at OptimizerLast.
constexpr const char *kSanitizeAttr = "gasan-sanitize";
// Marks a function of the device runtime.
constexpr const char *kRuntimeAttr = "gasan-runtime";
// The mark of functions from PTX.
constexpr const char *kLiftedAttr = "gasan-lifted";

} // namespace gasan

#endif
