/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads nvcc's command line. */
#ifndef GASAN_DRIVER_NVCC_COMMAND_LINE_H
#define GASAN_DRIVER_NVCC_COMMAND_LINE_H

#include "driver/nvcc/gpu_list.h"
#include "driver/strings.h"

enum gasan_nvcc_phase {
  GASAN_NVCC_LINK,
  GASAN_NVCC_COMPILE,
  GASAN_NVCC_DEVICE_LINK,
  GASAN_NVCC_ARCHIVE,
  GASAN_NVCC_PTX,
  GASAN_NVCC_CUBIN,
  GASAN_NVCC_FATBIN,
  GASAN_NVCC_INSPECT, /* preprocess, or check the syntax */
  GASAN_NVCC_DEPENDENCIES,
  GASAN_NVCC_RUN, /* start a program that is linked already */
};

enum gasan_nvcc_query { GASAN_NVCC_NOTHING, GASAN_NVCC_VERSION, GASAN_NVCC_HELP, GASAN_NVCC_VIRTUAL, GASAN_NVCC_REAL };

struct gasan_nvcc_line {
  struct gasan_strings clang, links; /* clang's options: for each step, and for links only */
  struct gasan_strings inputs;
  struct gasan_strings questions;     /* for the host compiler, such as -dumpversion */
  struct gasan_strings ignored;       /* with the reasons */
  struct gasan_strings run_arguments; /* of the program that --run starts */
  struct gasan_nvcc_gpus gpus;
  enum gasan_nvcc_phase phase;
  enum gasan_nvcc_query query;
  const char *cuda_runtime;                                     /* shared, static or none */
  const char *output, *output_folder, *optimisation, *standard; /* NULL: not given */
  const char *language;                                         /* clang's name of it. NULL: not given */
  bool rdc, debug, device_debug, line_info, verbose, only_prints;
  bool forwards; /* unknown options are for the host compiler */
};

/* Returns all arguments: with those of the variables NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS, which it removes from
 * the environment, and those of options files in the options' places. Ends the process with a message if a file cannot
 * be read. */
struct gasan_strings gasan_nvcc_expand(int count, char **arguments);
/* Reads expanded arguments. Ends the process with a message for an option that nvcc does not have, or that clang cannot
 * have. */
struct gasan_nvcc_line gasan_nvcc_read(const struct gasan_strings *arguments);

/* Returns true for an option of nvcc whose value is in the next argument: -arch, --gpu-architecture, but not
 * -arch=sm_90, -I. or -c. */
bool gasan_nvcc_takes_value(const char *argument);

#endif
