/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/nvcc/host_options.h"
#include "driver/strings.h"

#include <stddef.h>
#include <string.h>

bool gasan_nvcc_is_question(const char *option) {
  return gasan_strings_start(option, "-dump") || gasan_strings_start(option, "-print-") ||
         gasan_strings_start(option, "--print-") || !strcmp(option, "--version");
}

bool gasan_nvcc_host_option_is_for_others(const char *option) {
  static const char *const prefixes[] = {
      "-Werror",
      "-fno-gnu-unique",
      "-fcanonical-system-headers",
      "-fno-canonical-system-headers",
      "-flifetime-dse",
      "-fno-lifetime-dse",
      "-fanalyzer",
      "-fgraphite",
      "-floop-",
      "-fcrossjumping",
      "-fno-crossjumping",
      "-fno-early-inlining",
      "-finline-limit",
      "-fext-numeric-literals",
      "-fimplicit-constexpr",
      "-fdiagnostics-plain-output",
      "-fdiagnostics-show-caret",
      "-fpredictive-commoning",
      "-funsafe-loop-optimizations",
      "-pass-exit-codes",
      "-fabi-version=",
      "-fdiagnostics-color",
      "-fpermissive",
      "-fconcepts",
      "-fno-var-tracking",
      "-fvar-tracking",
      "-flto-partition",
      "-fmax-errors=",
      "-ftree-",
      "-fno-tree-",
      "-fipa-",
      "-fno-ipa-",
      "-fgcse",
      "-fno-gcse",
      "-fira-",
      "-fsched",
      "-fno-sched",
      "-fvect-cost-model",
      "-frename-registers",
      "-fno-guess-branch-probability",
      "-mno-avx256-split-unaligned-load",
      "-static-libgcc",
      "--param",
  };
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (gasan_strings_start(option, prefixes[i]))
      return true;
  return false;
}
