/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/toolchain.h"
#include "driver/architectures.h"
#include "driver/process.h"
#include "driver/toolkit.h"

#include <string.h>
#include <unistd.h>

void gasan_toolchain_push_clang(const struct gasan_toolchain *toolchain, struct gasan_strings *command) {
  gasan_strings_push(command, toolchain->paths.clang);
  if (toolchain->arguments->cxx)
    gasan_strings_push(command, "--driver-mode=g++");
  if (isatty(STDERR_FILENO)) /* the steps write to files, so they cannot detect the terminal */
    gasan_strings_push(command, "-fcolor-diagnostics");
}

/* Makes clang collect no files for a bug report if a crash of clang only costs variants. */
static void push_attempt(const struct gasan_toolchain *toolchain, struct gasan_strings *command) {
  if (toolchain->may_fail)
    gasan_strings_push(command, "-fno-crash-diagnostics");
}

void gasan_toolchain_push_ir_clang(const struct gasan_toolchain *toolchain, struct gasan_strings *command,
                                   const char *target) {
  gasan_strings_push_each(command, toolchain->paths.clang, "-x", "ir", gasan_strings_format("--target=%s", target),
                          "-Wno-override-module", "-Wno-pass-failed", "-Wno-unknown-cuda-version", NULL);
  push_attempt(toolchain, command);
}

void gasan_toolchain_push_plugin(const struct gasan_toolchain *toolchain, struct gasan_strings *command) {
  const char *plugin = toolchain->paths.pass_plugin;
  gasan_strings_push_each(command, gasan_strings_format("-fpass-plugin=%s", plugin), "-Xclang", "-load", "-Xclang",
                          plugin, NULL);
}

/* Makes LLVM's AddressSanitizer pass insert only calls before accesses. Its inline checks would read ASan's shadow of
 * the host. */
static void push_asan_calls(struct gasan_strings *command) {
  gasan_strings_push_each(command, "-Xclang", "-fsanitize-address-use-after-return=never", "-mllvm",
                          "-asan-instrumentation-with-call-threshold=0", "-mllvm", "-asan-stack=0", "-mllvm",
                          "-asan-instrument-dynamic-allocas=0", "-mllvm", "-gasan-asan-calls", NULL);
}

void gasan_toolchain_push_preparation(const struct gasan_toolchain *toolchain, struct gasan_strings *command) {
  gasan_toolchain_push_plugin(toolchain, command);
  gasan_strings_push_each(command, "-mllvm", "-gasan-prepare", "-mllvm",
                          gasan_strings_format("-gasan-mode=%s", toolchain->arguments->options.mode), NULL);
  if (gasan_arguments_keeps_device_debug(toolchain->arguments))
    gasan_strings_push_each(command, "-mllvm", "-gasan-keep-debug", NULL);
}

void gasan_toolchain_push_instrumentation(const struct gasan_toolchain *toolchain, struct gasan_strings *command,
                                          bool keep_debug) {
  gasan_toolchain_push_plugin(toolchain, command);
  if (gasan_arguments_host_checks(toolchain->arguments))
    gasan_strings_push_each(command, "-mllvm", "-gasan-prepare", "-mllvm",
                            gasan_strings_format("-gasan-mode=%s", toolchain->mode), NULL);
  else
    gasan_strings_push_each(
        command, "-mllvm", "-gasan-instrument", "-mllvm", gasan_strings_format("-gasan-granule=%s", toolchain->granule),
        "-mllvm", gasan_strings_format("-gasan-mode=%s", toolchain->mode), "-mllvm",
        gasan_strings_format("-gasan-pool=%s", toolchain->arguments->options.pool), "-mllvm",
        gasan_strings_format("-gasan-tags=%s", toolchain->tags), "-mllvm",
        gasan_strings_format("-gasan-launch-proof=%s", toolchain->arguments->options.launch_proof), "-mllvm",
        gasan_strings_format("-gasan-device-runtime=%s", toolchain->paths.device_runtime), NULL);
  /* LLVM reads the threshold that the pass gives to functions only at the end of a whole estimate. */
  if (!strcmp(toolchain->arguments->options.launch_proof, "on") && !strcmp(toolchain->mode, "bst"))
    gasan_strings_push_each(command, "-mllvm", "-inline-cost-full", NULL);
  for (size_t i = 0; i < toolchain->arguments->pass_options.count; i++)
    gasan_strings_push_each(command, "-mllvm", toolchain->arguments->pass_options.items[i], NULL);
  if (toolchain->arguments->coverage)
    gasan_strings_push_each(command, "-mllvm", "-gasan-coverage", NULL);
  if (toolchain->may_fail)
    gasan_strings_push_each(command, "-mllvm", "-gasan-time-limit=" GASAN_ATTEMPT_FACTOR, NULL);
  if (!strcmp(toolchain->arguments->options.print_proofs, "on"))
    gasan_strings_push_each(command, "-mllvm", "-gasan-print-proofs", NULL);
  if (!strcmp(toolchain->arguments->options.recover, "on") && !strcmp(toolchain->mode, "bst"))
    gasan_strings_push_each(command, "-mllvm", "-gasan-recover", NULL);
  if (!strcmp(toolchain->arguments->options.count_checks, "on"))
    gasan_strings_push_each(command, "-mllvm", "-gasan-count-checks", NULL);
  if (!strcmp(toolchain->arguments->options.trace, "on") && !strcmp(toolchain->mode, "bst"))
    gasan_strings_push_each(command, "-mllvm", "-gasan-trace", NULL);
  if (!strcmp(toolchain->arguments->options.strict_temporal, "on") && !strcmp(toolchain->mode, "bst"))
    gasan_strings_push_each(command, "-mllvm", "-gasan-strict-temporal", NULL);
  if (gasan_arguments_asan_checks(toolchain->arguments))
    push_asan_calls(command);
  if (keep_debug)
    gasan_strings_push_each(command, "-mllvm", "-gasan-keep-debug", NULL);
}

void gasan_toolchain_push_sanitizer(struct gasan_strings *command) {
  gasan_strings_push_each(command, "-Xclang", "-fsanitize=address", "-mllvm", "-asan-globals=0", "-mllvm",
                          "-asan-constructor-kind=none", NULL);
}

void gasan_toolchain_push_marks(const struct gasan_toolchain *toolchain, struct gasan_strings *command) {
  const struct gasan_arguments *arguments = toolchain->arguments;
  gasan_toolchain_push_sanitizer(command);
  for (size_t i = 0; i < arguments->count; i++)
    if (arguments->items[i].role == GASAN_ROLE_IGNORE_LIST)
      gasan_strings_push_each(command, "-Xclang",
                              gasan_strings_format("-fsanitize-ignorelist=%s", arguments->items[i].value), NULL);
  /* Headers must see the same macros on both sides; the host has this macro only with its own sanitizer. */
  if (!arguments->host_address)
    gasan_strings_push(command, "-U__SANITIZE_ADDRESS__");
  if (!gasan_arguments_has_debug(arguments))
    gasan_strings_push(command, "-gline-tables-only");
  /* For optimised device code clang keeps line directives only, without scopes and inline chains. The pass takes the
   * names of variables and fields from the other debug info, before the optimiser sees it. */
  bool bounds = gasan_arguments_bounds(arguments);
  if (!gasan_arguments_keeps_device_debug(arguments))
    gasan_strings_push_each(command, "-Xclang",
                            bounds ? "-debug-info-kind=limited" : "-debug-info-kind=line-tables-only", NULL);
  if (bounds) /* without it, scopes have no markers at -O0 */
    gasan_strings_push_each(command, "-Xclang", "-fsanitize-address-use-after-scope", NULL);
}

void gasan_toolchain_push_defaults(const struct gasan_toolchain *toolchain, struct gasan_strings *command) {
  const struct gasan_arguments *arguments = toolchain->arguments;
  if (!arguments->cuda_inputs)
    return;
  if (!arguments->cuda_path)
    gasan_strings_push(command, gasan_strings_format("--cuda-path=%s", toolchain->cuda));
  if (!arguments->roles[GASAN_ROLE_ARCH])
    gasan_strings_push(command, "--offload-arch=" GASAN_DEFAULT_ARCHITECTURE);
  gasan_strings_push(command, "-Wno-unknown-cuda-version"); /* clang does not know toolkits that came after it */
  gasan_toolkit_push_includes(toolchain->cuda, command);
  /* Without it clang cannot link with its own driver; Debian's clang package does not have it. CMake's test of a
   * CUDA compiler is such a link. */
  const char *wrapper = gasan_paths_llvm_tool(&toolchain->paths, "clang-linker-wrapper");
  if (access(wrapper, X_OK) && !arguments->roles[GASAN_ROLE_OFFLOAD])
    gasan_strings_push(command, "--no-offload-new-driver");
}

void gasan_toolchain_push_cuda(const struct gasan_toolchain *toolchain, struct gasan_strings *command) {
  gasan_strings_push_each(command, gasan_strings_format("--cuda-path=%s", toolchain->cuda), "-Wno-unknown-cuda-version",
                          "-Qunused-arguments", NULL);
  push_attempt(toolchain, command);
  gasan_toolkit_push_includes(toolchain->cuda, command);
  /* A system header is no dependency with -MMD. */
  gasan_strings_push_each(command, "-idirafter", toolchain->paths.include_folder, "-include", "gasan_managed.h", NULL);
  /* Since CUDA 13, thrust, cub and libcu++ have a folder of their own, which nvcc adds and clang does not know. */
  gasan_strings_push_each(command, "-idirafter", gasan_strings_format("%s/include/cccl", toolchain->cuda), NULL);
}
