/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What the files of this folder share. The public face is sanitizer.h.
#ifndef GASAN_RT_SANITIZER_INTERNAL_H
#define GASAN_RT_SANITIZER_INTERNAL_H

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_stacktrace.h"
#include "sanitizer_common/sanitizer_symbolizer.h"

namespace gasan {

using namespace __sanitizer;

/// Parses the options and sets everything up, once; cheap afterwards. Each public function begins with it.
void initialize();

/// Notes where our own library, the executable and the C library's code are. Called by initialize().
void initializeModules();
/// Is the code at Pc ours? Never true where gasan is linked into the executable itself.
bool isOwnCode(uptr Pc);
/// Is it code of the C library or the dynamic linker, which start main, threads and constructors?
bool isSystemCode(uptr Pc);
bool isExecutableCode(uptr Pc);
/// The directory that libgasan_rt.so (or the executable) lies in, absolute, without a slash at its end.
const char *ownDirectory();

/// Keeps the library usable in the child of a fork. Called by initialize().
void initializeFork();
/// Reads the suppressions file. Called by initialize().
void initializeSuppressions(const char *Path);

/// From now on the process ends with 1 where exitcode=0 was given: that is for reports, not for what keeps gasan from
/// working.
void refuseExitcodeZero();

/// Holds the process-wide report lock, which the same thread may take again.
class ReportLock {
public:
  ReportLock();
  ~ReportLock();
  ReportLock(const ReportLock &) = delete;
  ReportLock &operator=(const ReportLock &) = delete;
};

/// A stack in the depot: the api's name (a pointer), the return address inside the api's function, the program's
/// frames.
constexpr u32 StackApiName = 0;
constexpr u32 StackApiFrame = 1;
constexpr u32 StackFirstUserFrame = 2;

// Frames beyond malloc_context_size that are unwound: our own above the program's, and the start code below main, so
// that a stack that was cut short never ends in the middle of the start code.
constexpr u32 ExtraFrames = 24;
constexpr u32 MostContextFrames = kStackTraceMax - ExtraFrames;

/// The symbolizer, which looks at the loaded modules anew: nobody tells us of dlopen and dlclose. Under the report
/// lock.
Symbolizer *freshSymbolizer();

/// Is this frame the stub that the compiler makes for each kernel? A launch's stack starts there; the program's author
/// never wrote it, so reports leave it out.
bool isLaunchStub(const AddressInfo &Info);

} // namespace gasan

#endif
