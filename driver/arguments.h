/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Splits the command line into arguments, and classifies each by its role for the driver. */
#ifndef GASAN_DRIVER_ARGUMENTS_H
#define GASAN_DRIVER_ARGUMENTS_H

#include "driver/strings.h"

enum gasan_role {
  GASAN_ROLE_INPUT,
  GASAN_ROLE_OUTPUT,
  GASAN_ROLE_LANGUAGE,
  GASAN_ROLE_COMPILE,
  GASAN_ROLE_INSPECT,     /* stops before an object is written; clang alone does it */
  GASAN_ROLE_DEVICE_ONLY, /* as INSPECT, but instrumented */
  GASAN_ROLE_BOTH_SIDES,
  GASAN_ROLE_QUERY,
  GASAN_ROLE_PRINT_STEPS,
  GASAN_ROLE_VERBOSE,
  GASAN_ROLE_SAVE_TEMPS,
  GASAN_ROLE_SANITIZE, /* a list, from which gpu-address was removed */
  GASAN_ROLE_IGNORE_LIST,
  GASAN_ROLE_GPU_ADDRESS, /* -fsanitize-gpu-address-...= */
  GASAN_ROLE_ARCH,
  GASAN_ROLE_CUDA_PATH,
  GASAN_ROLE_INCLUDE_PTX,
  GASAN_ROLE_PTXAS,
  GASAN_ROLE_FATBINARY,
  GASAN_ROLE_RDC,
  GASAN_ROLE_OFFLOAD,
  GASAN_ROLE_NOOPT_DEBUG,
  GASAN_ROLE_CUID,
  GASAN_ROLE_DEPENDENCY, /* asks for a dependency file */
  GASAN_ROLE_DEPENDENCY_FILE,
  GASAN_ROLE_DEPENDENCY_TARGET,
  GASAN_ROLE_HOST,   /* for host compiles only */
  GASAN_ROLE_DEVICE, /* for device compiles only, not for links */
  GASAN_ROLE_WHOLE_PROGRAM,
  GASAN_ROLE_LIBRARY,
  GASAN_ROLE_LIBRARY_FOLDER,
  GASAN_ROLE_LINKER,
  GASAN_ROLE_PARTIAL_LINK,
  GASAN_ROLE_DEVICE_LINK, /* gasan-nvcc -dlink */
  GASAN_ROLE_STATIC,
  GASAN_ROLE_OTHER, /* for every step */
};

struct gasan_argument {
  enum gasan_role role;
  const char *text;
  const char *separate; /* the value if it is a separate argument, else NULL */
  const char *value;    /* the option's value in either form; an input's path */
  const char *language; /* for an input: the active -x, or NULL */
};

/* The values of the options -fsanitize-gpu-address-...=. */
struct gasan_driver_options {
#define GASAN_DRIVER_OPTION(member, name, text, standard) const char *member;
#define GASAN_DRIVER_VALUE(member, value)
#include "driver/options.inc"
};

struct gasan_arguments {
  struct gasan_argument *items;
  size_t count;
  bool cxx;               /* clang++ */
  bool gpu_address;       /* -fsanitize=gpu-address is on */
  bool names_gpu_address; /* some argument is gasan's, and must not reach clang */
  bool host_address;      /* -fsanitize=address */
  bool coverage;          /* -fsanitize=fuzzer or fuzzer-no-link: device code has libFuzzer's counters */
  bool fuzzer;            /* -fsanitize=fuzzer: libFuzzer is linked */
  bool rdc;
  bool print_steps, verbose;
  bool roles[GASAN_ROLE_OTHER + 1]; /* by role: some argument has it */
  struct gasan_driver_options options;
  struct gasan_strings pass_options; /* -mllvm -gasan-...: options of the pass, for the steps that insert checks */
  const char *output;                /* -o, or NULL */
  const char *optimisation;          /* last -O option, such as "-O2", or NULL */
  const char *debug;                 /* last -g option that sets a level, or NULL */
  const char *cuda_path;             /* last --cuda-path=, or NULL */
  size_t inputs, cuda_inputs;
};

/* Parses the command line. Ends the process with a message if one of gasan's options is wrong. */
struct gasan_arguments gasan_arguments_parse(const struct gasan_strings *texts, bool cxx);

bool gasan_arguments_is_cuda(const struct gasan_argument *input);
/* Returns the last -O option, or "-O0". */
const char *gasan_arguments_optimisation(const struct gasan_arguments *arguments);
/* Returns true if the arguments request debug info. -g0 and no -g at all are the same. */
bool gasan_arguments_has_debug(const struct gasan_arguments *arguments);
/* Returns true if full debug info is kept on the device, for a debugger. This makes the code slow. */
bool gasan_arguments_keeps_device_debug(const struct gasan_arguments *arguments);
/* Returns true for -fsanitize-gpu-address-checks=host. */
bool gasan_arguments_host_checks(const struct gasan_arguments *arguments);
/* Returns true for -fsanitize-gpu-address-devices=cpu, which checks=host implies. */
bool gasan_arguments_cpu_only(const struct gasan_arguments *arguments);
/* Returns true for -fsanitize-gpu-address-mode=bst with gasan's own checks. */
bool gasan_arguments_bounds(const struct gasan_arguments *arguments);
/* Returns true for -fsanitize-gpu-address-checks=asan. */
bool gasan_arguments_asan_checks(const struct gasan_arguments *arguments);
void gasan_arguments_push(struct gasan_strings *command, const struct gasan_argument *argument);
/* Adds all arguments except gasan's own, in order. */
void gasan_arguments_push_plain(struct gasan_strings *command, const struct gasan_arguments *arguments);
/* Adds the values of all arguments of one role. */
void gasan_arguments_push_values(struct gasan_strings *command, const struct gasan_arguments *arguments,
                                 enum gasan_role role);

#endif
