/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the command line of gasan-nvcc --front-end=nvcc: nvcc's options, and gasan's own among them. */
#ifndef GASAN_DRIVER_LIFT_FRONT_LINE_H
#define GASAN_DRIVER_LIFT_FRONT_LINE_H

#include <stdbool.h>

#include "driver/strings.h"

#define GASAN_FRONT_END "--front-end="

struct gasan_front_line {
  struct gasan_strings sources, objects; /* files with device code to compile; all other inputs */
  struct gasan_strings options;          /* nvcc's, without inputs and output */
  struct gasan_strings all;              /* nvcc's arguments, without gasan's options */
  struct gasan_strings checks;           /* -fsanitize-gpu-address-..., for GASAN_PTXAS_FLAGS */
  const char *output, *folder;           /* -o, -odir */
  bool compiles, relocatable, joins;     /* joins: -dlink, -lib */
  bool asks;                             /* nvcc prints or preprocesses only */
  bool plain;                            /* -fno-sanitize=gpu-address */
  bool debug, line_info, host_lines;     /* -G, -lineinfo, -g */
  bool all_are_cuda;                     /* -x cu */
  bool has_stream;                       /* the standard input is an input */
  const char *device_file;               /* -ptx, -cubin, -fatbin, -cuda: the output's extension; else NULL */
  const char *unchecked;                 /* -ltoir or -optix-ir: an output that cannot have checks; else NULL */
  const char *cuda;                      /* --cuda-path=, or NULL */
  bool dependencies, names_dependency_file, names_dependency_target; /* -MD or -MMD, -MF, -MT */
  bool runs;                                                         /* -run */
  struct gasan_strings run_arguments;
};

/* Reads the arguments, which gasan_nvcc_expand has expanded, and gasan's options in GASAN_NVCC_FLAGS. Ends the process
 * with a message for options of -fsanitize that nvcc's front end cannot have. */
struct gasan_front_line gasan_front_line_read(const struct gasan_strings *arguments);

/* Returns true for -dlink and -lib. */
bool gasan_front_line_is_joining(const char *text);
/* Returns true for -G. */
bool gasan_front_line_is_debug(const char *text);

#endif
