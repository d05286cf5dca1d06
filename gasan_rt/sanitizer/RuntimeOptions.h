/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Parsing and help of GASAN_OPTIONS. Under the lock of initialize().
#ifndef GASAN_RT_RUNTIME_OPTIONS_H
#define GASAN_RT_RUNTIME_OPTIONS_H

#include "gasan_rt/sanitizer/sanitizer.h"

namespace gasan {

/// The runtime's own options; the defaults until they are parsed.
extern struct gasan_options Options;

/// Parses "name=value:name=value" (null: nothing) into Options and sanitizer_common's flags. Prints a line for each
/// unknown option and each bad value, and then ends the process with exitcode, or with 1 if that is 0.
void parseOptions(const char *Text, const char *Source);

/// Prints each option's name, description, value and allowed values, for help=1.
void printOptions();

} // namespace gasan

#endif
