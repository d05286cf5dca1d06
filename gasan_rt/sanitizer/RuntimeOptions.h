/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// GASAN_OPTIONS: parsing and help. Under the lock of initialize().
#ifndef GASAN_RT_RUNTIME_OPTIONS_H
#define GASAN_RT_RUNTIME_OPTIONS_H

#include "gasan_rt/sanitizer/sanitizer.h"

namespace gasan {

/// The runtime's own options, with their defaults until they are parsed.
extern struct gasan_options Options;

/// Takes "name=value:name=value" (null: nothing) into Options and sanitizer_common's flags. Ends the process, with
/// exitcode or 1, after a line for each option that is unknown or has a value that the option does not take.
void parseOptions(const char *Text);

/// help=1: names, descriptions, values and what is allowed.
void printOptions();

} // namespace gasan

#endif
