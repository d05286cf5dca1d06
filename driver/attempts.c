/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/attempts.h"
#include "driver/message.h"
#include "driver/process.h"

#include <string.h>

/* clang's exit status after errors that it has reported. A crash or a signal gives 128 or more, a fatal error of the
 * back end 70, any failure of ptxas 255. */
#define PLAIN_ERROR 1

#define PARTIAL_PROOF "-gasan-partial-proof"

static bool names_partial_proof(const struct gasan_strings *pass_options) {
  for (size_t i = 0; i < pass_options->count; i++)
    if (gasan_strings_start(pass_options->items[i], PARTIAL_PROOF))
      return true;
  return false;
}

/* Switches off the first variants that the options still request. Returns the option that did so. NULL: none are
 * left. */
static const char *drop_variants(const struct gasan_toolchain *toolchain, struct gasan_arguments *arguments) {
  if (strcmp(toolchain->mode, "bst") != 0 || strcmp(arguments->options.launch_proof, "on") != 0)
    return NULL;
  if (!names_partial_proof(&arguments->pass_options)) {
    struct gasan_strings more = {0};
    gasan_strings_push_all(&more, &arguments->pass_options);
    gasan_strings_push(&more, PARTIAL_PROOF "=false");
    arguments->pass_options = more;
    return "-mllvm " PARTIAL_PROOF "=false";
  }
  arguments->options.launch_proof = "off";
  return "-fsanitize-gpu-address-launch-proof=off";
}

int gasan_attempts_run(const struct gasan_toolchain *toolchain, const char *name, gasan_attempts_steps *steps,
                       void *context) {
  struct gasan_arguments arguments = *toolchain->arguments, fewer = arguments;
  struct gasan_toolchain current = *toolchain;
  current.arguments = &arguments;
  for (;;) {
    const char *dropped = drop_variants(toolchain, &fewer);
    current.may_fail = dropped != NULL;
    if (dropped)
      gasan_process_start_attempt();
    int result = steps(&current, context);
    bool again = dropped && result && result != PLAIN_ERROR;
    if (dropped)
      gasan_process_end_attempt(!again);
    if (!again)
      return result;
    if (arguments.verbose)
      gasan_message_warning("'%s': a step ended with status %d; compiling again with %s", name, result, dropped);
    arguments = fewer;
  }
}
