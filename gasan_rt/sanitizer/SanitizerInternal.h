/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Shared by the files of this folder. The public interface is sanitizer.h.
#ifndef GASAN_RT_SANITIZER_INTERNAL_H
#define GASAN_RT_SANITIZER_INTERNAL_H

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_stacktrace.h"
#include "sanitizer_common/sanitizer_symbolizer.h"

namespace gasan {

using namespace __sanitizer;

/// Parses the options and initialises the library, once. Each public function calls it first.
void initialize();

/// Records the code ranges of our own library, of the executable and of the C library. Called by initialize().
void initializeModules();
/// Returns true if the code at Pc is ours. Always false if gasan is linked into the executable itself.
bool isOwnCode(uptr Pc);
/// Returns true for code of the C library or the dynamic linker, which start main, threads and constructors.
bool isSystemCode(uptr Pc);
bool isExecutableCode(uptr Pc);
/// Returns the directory of libgasan_rt.so (or of the executable), absolute, without a slash at its end.
const char *ownDirectory();

/// Keeps the library usable in the child of a fork. Called by initialize().
void initializeFork();
/// Reads the suppressions file. Called by initialize().
void initializeSuppressions(const char *Path);

/// Makes the process end with 1 although exitcode=0 was given. exitcode=0 is for reports, not for errors that keep
/// gasan from working.
void refuseExitcodeZero();

/// Holds the process-wide report lock, which is recursive.
class ReportLock {
public:
  ReportLock();
  ~ReportLock();
  ReportLock(const ReportLock &) = delete;
  ReportLock &operator=(const ReportLock &) = delete;
};

/// Prints a part of a report, and shows it to the observer. Needs the report lock.
void writeReport(const char *Text);
/// Prints the SUMMARY line; Info null: of the kind only. Needs the report lock.
void writeSummary(const char *Kind, const AddressInfo *Info);
/// Shows a frame to the observer. Needs the report lock.
void observeFrame(const AddressInfo &Info);

/// The first words of a stack in the depot: the api's name (a pointer), the return address inside the api's function,
/// then the program's frames. A frame is a return address, a word of gasan_python_capture, or a number of left out
/// frames.
constexpr u32 StackApiName = 0;
constexpr u32 StackApiFrame = 1;
constexpr u32 StackFirstUserFrame = 2;

constexpr uptr LeftOutMark = 3ull << 62; // no address and no word of a Python frame has both bits

inline uptr makeLeftOut(u32 Frames) {
  return LeftOutMark | Frames;
}

/// Returns the number of frames that are left out here; 0: the word is a frame.
inline u32 leftOutFrames(uptr Word) {
  return (Word & LeftOutMark) == LeftOutMark ? static_cast<u32>(Word) : 0;
}

// Number of frames that are unwound beyond malloc_context_size: our own above the program's, and the start code below
// main. So a truncated stack never ends inside the start code.
constexpr u32 ExtraFrames = 24;
constexpr u32 MostContextFrames = kStackTraceMax - ExtraFrames;

/// Returns the symbolizer, after it has read the list of loaded modules again: there is no notification of dlopen and
/// dlclose. Needs the report lock.
Symbolizer *freshSymbolizer();

/// Returns true for the stub that the compiler makes for each kernel. A launch's stack starts there, but the stub is
/// not in the program's source, so reports leave it out.
bool isLaunchStub(const AddressInfo &Info);

} // namespace gasan

#endif
