/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gasan-ptxas: takes ptxas's command line, puts checks into the PTX, and runs the toolkit's ptxas on the result. */
#ifndef GASAN_DRIVER_LIFT_PTXAS_H
#define GASAN_DRIVER_LIFT_PTXAS_H

#include "driver/paths.h"

/* The folder in which a compilation by nvcc leaves files for the CPU image; set by driver/lift/front_end.c. */
#define GASAN_LIFT_FOLDER "GASAN_LIFT_FOLDER"
#define GASAN_LIFT_ID "id" /* the id in the fat binary */

/* Returns the path there of the newest architecture's checked module, from which the CPU image is made; NULL: there is
 * none. nvcc compiles for several architectures one after the other, or at once (--threads). */
const char *gasan_ptxas_module(const char *folder);
/* Removes the modules of the source before. */
void gasan_ptxas_forget_modules(const char *folder);

/* Returns the path there of the PTX with checks that stands in for nvcc's `ptx`, for an architecture ("sm_90"). */
const char *gasan_ptxas_checked(const char *folder, const char *ptx, const char *architecture);

/* gasan-ptxas --gasan-load -arch=sm_90 [-c] FILE... -o OUTPUT, called by the runtime: FILE is PTX or a container of
 * nvcc, which has the newest PTX for the architecture; several files become one object. OUTPUT is a cubin, or PTX if
 * there is no ptxas. PTX that cannot be lifted is an error. */
#define GASAN_PTXAS_LOAD "--gasan-load"

/* gasan-ptxas --gasan-cpu=ID -arch=sm_90 FILE -o OUTPUT, called by gasan.run_ptx: the same for the CPU device. OUTPUT
 * is a shared library that registers a CPU image under the id. */
#define GASAN_PTXAS_CPU "--gasan-cpu="

/* Returns the exit status. `texts`: the arguments without the program's name. */
int gasan_ptxas_run(int count, char **texts, const struct gasan_paths *paths);

#endif
