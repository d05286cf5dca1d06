/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/ptx_linking.h"
#include "base/proof_table.h"
#include "driver/ptx_text.h"
#include "driver/strings.h"

#include <stdio.h>
#include <string.h>

/* The device runtime's variable, one for all kernels with dynamic shared memory. */
#define RUNTIME_SHARED "__gasan_dynamic_shared"

/* Returns true for the declaration of a shared variable. ptxas joins accesses to shared memory only if it knows the
 * variable's address, which linking decides later. And nvlink gives each kernel all shared variables that other sources
 * could name, so kernels get more than they need. */
static bool is_shared_variable(const char *line) {
  static const char *const linkages[] = {".visible ", ".weak ", ".extern ", ".common "};
  line += strspn(line, " \t");
  for (size_t i = 0; i < sizeof linkages / sizeof *linkages; i++)
    if (gasan_strings_start(line, linkages[i]))
      line += strlen(linkages[i]);
  return gasan_strings_start(line, ".shared ") && !gasan_ptx_line_has(line, RUNTIME_SHARED);
}

/* The code of a kernel's proven variant (gasan_pass/instrument/proof/KernelVariants.h), as far as it has been read. */
struct variant {
  bool reports, looks_up, loops, local_arrays, subroutines, constants;
  bool *labels; /* by number: the label has been read, so a branch to it is a loop */
  size_t label_count;
};

/* Reads the number of a label "$L__BB<function>_<number>". */
static bool label_number(const char *text, unsigned *number) {
  unsigned function;
  return sscanf(text, "$L__BB%u_%u", &function, number) == 2;
}

static void add_label(struct variant *variant, unsigned number) {
  if (number >= variant->label_count) {
    size_t count = 2 * (size_t)number + 64;
    bool *labels = gasan_strings_allocate(count * sizeof *labels);
    if (variant->labels)
      memcpy(labels, variant->labels, variant->label_count * sizeof *labels);
    variant->labels = labels;
    variant->label_count = count;
  }
  variant->labels[number] = true;
}

static bool branches_back(const struct variant *variant, const char *line) {
  unsigned number;
  const char *target = memchr(line, '$', strcspn(line, "\n"));
  return target && gasan_ptx_line_has(line, "bra") && label_number(target, &number) && number < variant->label_count &&
         variant->labels[number];
}

/* Returns true for instructions that ptxas implements by a function of its own, as they appear at the start of a PTX
 * line. */
static bool is_subroutine(const char *line) {
  static const char *const instructions[] = {"div.r",   "rcp.r",   "sqrt.r",  "div.s64",
                                             "div.u64", "rem.s64", "rem.u64", "rcp.approx.ftz.f64"};
  for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
    if (gasan_strings_start(line, instructions[i]))
      return true;
  return false;
}

static void read_line(struct variant *variant, const char *line) {
  line += strspn(line, " \t");
  unsigned number;
  if (label_number(line, &number)) {
    add_label(variant, number);
    return;
  }
  variant->loops |= branches_back(variant, line);
  variant->local_arrays |= gasan_strings_start(line, ".local ");
  variant->subroutines |= is_subroutine(line);
  variant->constants |= gasan_strings_start(line, "ld.const");
  if (gasan_ptx_line_has(line, "call")) {
    variant->reports |= gasan_ptx_line_has(line, "__gasan_report");
    variant->looks_up |= gasan_ptx_line_has(line, "__gasan_bounds") || gasan_ptx_line_has(line, "__gasan_check");
  }
}

/* Returns true if the variant is faster in a file that is assembled as a whole.
 *
 * A warp's threads leave a loop one by one. ptxas reconverges them after the loop if it knows that a report does not
 * return. It learns that from the report's code, which an object to be linked does not have: there, the code after the
 * loop may run for each thread alone. A variant that looks up bounds gains more from the registers that linking saves.
 *
 * ptxas keeps no local array in registers in an object to be linked. It does not know where a constant variable lies,
 * and divisions and roots are calls that follow the ABI. */
static bool gains_as_a_whole(const struct variant *variant) {
  return variant->local_arrays ||
         (!variant->looks_up && ((variant->reports && variant->loops) || variant->subroutines || variant->constants));
}

bool gasan_ptx_linking_suits(const char *assembly) {
  struct variant variant = {0};
  bool in_variant = false, whole = false;
  for (const char *line = assembly; line && !whole; line = strchr(line, '\n')) {
    line += *line == '\n';
    const char *function = gasan_ptx_symbol(".func", line), *kernel = gasan_ptx_symbol(".entry", line);
    whole = (function && !gasan_ptx_is_runtime(function)) || is_shared_variable(line);
    if (in_variant)
      read_line(&variant, line);
    if (*line == '}') {
      whole = gains_as_a_whole(&variant);
      variant = (struct variant){0};
      in_variant = false;
    }
    if (kernel)
      in_variant = gasan_strings_start(kernel, GASAN_PROVEN_PREFIX);
  }
  return !whole;
}
