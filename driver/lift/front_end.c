/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/lift/front_end.h"
#include "driver/device_image.h"
#include "driver/file.h"
#include "driver/gpu_address.h"
#include "driver/lift/front_line.h"
#include "driver/lift/ptxas.h"
#include "driver/lift/relocatable.h"
#include "driver/message.h"
#include "driver/nvcc/command_line.h"
#include "driver/process.h"
#include "driver/response.h"
#include "driver/strings.h"
#include "driver/temporary.h"
#include "driver/toolchain.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void link_file(const char *from, const char *to) {
  if (symlink(from, to) && errno != EEXIST)
    gasan_message_fatal("cannot create '%s': %s", to, strerror(errno));
}

static void link_each(const char *from, const char *to) {
  DIR *folder = opendir(from);
  if (!folder)
    gasan_message_fatal("no complete CUDA toolkit: cannot read '%s': %s", from, strerror(errno));
  for (struct dirent *entry; (entry = readdir(folder));)
    if (*entry->d_name != '.')
      link_file(gasan_strings_format("%s/%s", from, entry->d_name), gasan_strings_format("%s/%s", to, entry->d_name));
  closedir(folder);
}

static void replace_tool(const char *bin, const char *name, const char *executable) {
  const char *path = gasan_strings_format("%s/%s", bin, name);
  unlink(path);
  link_file(executable, path);
}

/* Writes nvcc's profile so that headers and libraries are the toolkit's own: their paths are in debug info and in files
 * with dependencies, and this folder is removed. */
static void write_profile(const char *bin, const char *cuda) {
  static const char here[] = "$(_HERE_)/..";
  const char *path = gasan_strings_format("%s/nvcc.profile", bin);
  struct gasan_bytes contents;
  if (!gasan_file_try_read(path, &contents))
    return;
  const char *text = (const char *)contents.data, *found = strstr(text, here);
  unlink(path); /* a link */
  const char *changed =
      found ? gasan_strings_format("%.*s%s%s", (int)(found - text), text, cuda, found + strlen(here)) : text;
  gasan_file_write(path, changed, strlen(changed));
}

/* Makes a folder that looks like the toolkit, with this driver in the place of two tools. nvcc finds its tools beside
 * its own file, so nvcc is a copy. Returns the path of nvcc. */
static const char *make_toolkit(const char *folder, const char *cuda, const struct gasan_paths *paths) {
  const char *bin = gasan_strings_format("%s/toolkit/bin", folder);
  const char *real = realpath(cuda, NULL);
  mkdir(gasan_strings_format("%s/toolkit", folder), 0700);
  mkdir(bin, 0700);
  link_each(real ? real : cuda, gasan_strings_format("%s/toolkit", folder));
  link_each(gasan_strings_format("%s/bin", real ? real : cuda), bin);
  const char *nvcc = gasan_strings_format("%s/nvcc", bin);
  struct gasan_bytes contents = gasan_file_read(gasan_paths_cuda_tool(cuda, "nvcc"));
  unlink(nvcc);
  gasan_file_write(nvcc, contents.data, contents.size);
  chmod(nvcc, 0700);
  if (access(nvcc, X_OK)) /* a file system that is mounted with noexec */
    gasan_message_fatal("'%s' cannot be executed: %s; TMPDIR must name a folder in which programs can run", nvcc,
                        strerror(errno));
  write_profile(bin, real ? real : cuda);
  replace_tool(bin, "ptxas", paths->executable);
  replace_tool(bin, "fatbinary", paths->executable);
  return nvcc;
}

struct job {
  const struct gasan_front_line *line;
  const char *nvcc, *folder;
  struct gasan_toolchain toolchain;
};

/* Makes the CPU image's object from the module that gasan-ptxas has left, and joins it with nvcc's object. */
static int add_cpu_image(const struct job *job, const char *object) {
  struct gasan_bytes id;
  const char *bitcode = gasan_ptxas_module(job->folder);
  if (!bitcode || !gasan_file_try_read(gasan_strings_format("%s/" GASAN_LIFT_ID, job->folder), &id))
    return 0; /* no device code, or none with checks */
  struct gasan_device_image image = {.stem = "lifted", .optimisation = "-O2", .cpu_bitcode = bitcode};
  image.cpu_object = gasan_strings_format("%s/cpu.o", job->folder);
  struct gasan_strings retarget = {0}, join = {0};
  gasan_device_image_push_retarget(&image, &job->toolchain, (const char *)id.data, &retarget);
  int result = gasan_process_run_one(&retarget);
  const char *joined = gasan_strings_format("%s/joined.o", job->folder);
  gasan_strings_push_each(&join, gasan_paths_llvm_tool(&job->toolchain.paths, "ld.lld"), "-r", object, image.cpu_object,
                          "-o", joined, NULL);
  if (!result)
    result = gasan_process_run_one(&join);
  if (!result) {
    struct gasan_bytes contents = gasan_file_read(joined);
    gasan_file_write(object, contents.data, contents.size);
  }
  return result;
}

/* Starts nvcc's command for one source. */
static struct gasan_strings source_command(const struct job *job) {
  struct gasan_strings command = {0};
  unlink(gasan_strings_format("%s/" GASAN_LIFT_ID, job->folder));
  gasan_ptxas_forget_modules(job->folder);
  const struct gasan_front_line *line = job->line;
  gasan_strings_push(&command, job->nvcc);
  for (size_t i = 0; i < line->options.count; i++)
    if (!gasan_front_line_is_joining(line->options.items[i]) && !gasan_front_line_is_debug(line->options.items[i]))
      gasan_strings_push(&command, line->options.items[i]);
  if (!line->line_info)
    gasan_strings_push(&command, "-lineinfo");
  return command;
}

/* Adds nvcc's own names of the file with dependencies and its target, for a command whose output gets another name. */
static void push_dependencies(const struct gasan_front_line *line, const char *source, struct gasan_strings *command) {
  const char *name = line->output ? line->output : gasan_strings_basename(source);
  const char *target = line->output ? line->output : gasan_strings_replace_extension(name, ".o");
  if (line->dependencies && !line->names_dependency_file)
    gasan_strings_push_each(command, "-MF", gasan_strings_replace_extension(name, ".d"), NULL);
  if (line->dependencies && !line->names_dependency_target)
    gasan_strings_push_each(command, "-MT", target, NULL);
}

/* Puts the checks into the PTX that nvcc has written: gasan-ptxas leaves the checked PTX in the folder. */
static int check_ptx(const struct job *job, const char *source, const char *ptx, const char *output) {
  static const char target[] = ".target";
  const char *text = (const char *)gasan_file_read(ptx).data, *found = strstr(text, target);
  if (!found)
    gasan_message_fatal("nvcc has written no PTX for '%s'", source);
  found += strlen(target);
  found += strspn(found, " \t");
  const char *architecture = gasan_strings_format("%.*s", (int)strcspn(found, " \t\r\n,"), found);
  struct gasan_strings command = {0};
  struct gasan_bytes checked;
  gasan_strings_push_each(&command, gasan_strings_format("%s/toolkit/bin/ptxas", job->folder), "-arch", architecture,
                          ptx, "-o", gasan_strings_format("%s/checked.cubin", job->folder), NULL);
  int result = gasan_process_run_one(&command);
  if (result)
    return result;
  if (!gasan_file_try_read(gasan_ptxas_checked(job->folder, ptx, architecture), &checked))
    checked = gasan_file_read(ptx); /* a warning has said that it has no checks */
  gasan_file_write(output, checked.data, checked.size);
  return 0;
}

/* Makes a file with device code only. */
static int make_device_file(const struct job *job, const char *source, const char *output) {
  struct gasan_strings command = source_command(job);
  const bool is_ptx = !strcmp(job->line->device_file, ".ptx");
  const char *file = is_ptx ? gasan_strings_format("%s/%s.ptx", job->folder, gasan_strings_basename(source)) : output;
  if (is_ptx)
    push_dependencies(job->line, source, &command);
  gasan_strings_push_each(&command, source, "-o", file, NULL);
  int result = gasan_process_run_one(&command);
  if (!strcmp(output, "-")) /* nvcc's name for the standard output, with -ptx only */
    output = "/dev/stdout";
  return result || !is_ptx ? result : check_ptx(job, source, file, output);
}

static int compile_source(const struct job *job, const char *source, const char *object) {
  struct gasan_strings command = source_command(job);
  const struct gasan_front_line *line = job->line;
  if (!line->host_lines) /* stacks in reports have lines */
    gasan_strings_push_each(&command, "-Xcompiler", "-g1", NULL);
  if (!line->compiles) {
    gasan_strings_push(&command, "-c");
    push_dependencies(line, source, &command);
  }
  gasan_strings_push_each(&command, source, "-o", object, NULL);
  int result = gasan_process_run_one(&command);
  return result || line->relocatable ? result : add_cpu_image(job, object);
}

/* Links, makes a library, or links device code, as for objects of clang's front end: where device code is relocatable,
 * both kinds have the same container. */
static int join_objects(const struct job *job, const struct gasan_strings *objects) {
  const char *own = job->toolchain.paths.executable, *flags = getenv("GASAN_NVCC_FLAGS");
  struct gasan_strings command = {0}, words = gasan_response_words(flags ? flags : "");
  const struct gasan_strings checks = gasan_response_words(getenv("GASAN_PTXAS_FLAGS")); /* pass_checks_on has set it */
  gasan_strings_push_each(&command,
                          gasan_strings_format("%.*sgasan-nvcc", (int)(gasan_strings_basename(own) - own), own),
                          GASAN_FRONT_END "clang", NULL);
  for (size_t i = 0; i < job->line->options.count; i++)
    if (!gasan_front_line_is_debug(job->line->options.items[i]))
      gasan_strings_push(&command, job->line->options.items[i]);
  if (job->line->all_are_cuda)
    gasan_strings_push_each(&command, "-x", "none", NULL);
  gasan_strings_push_all(&command, objects);
  gasan_strings_push_all(&command, &job->line->objects);
  if (job->line->output)
    gasan_strings_push_each(&command, "-o", job->line->output, NULL);
  for (size_t i = 0; i < checks.count; i++) /* the link puts the checks in */
    if (gasan_strings_start(checks.items[i], "-fsanitize-gpu-address"))
      gasan_strings_push(&words, checks.items[i]);
  setenv("GASAN_NVCC_FLAGS", gasan_response_quote(&words), 1);
  return gasan_process_run_one(&command);
}

static int link_program(const struct job *job, const struct gasan_strings *objects) {
  const struct gasan_paths *paths = &job->toolchain.paths;
  struct gasan_strings command = {0};
  gasan_strings_push(&command, job->nvcc);
  for (size_t i = 0; i < job->line->options.count; i++) {
    const char *text = job->line->options.items[i];
    if (gasan_strings_start(text, "-cudart") || gasan_strings_start(text, "--cudart") ||
        gasan_strings_start(text, "-x"))
      i += strchr(text, '=') == NULL; /* gasan's runtime stands in for CUDA's; all sources are objects now */
    else
      gasan_strings_push(&command, text);
  }
  gasan_strings_push_all(&command, objects);
  gasan_strings_push_all(&command, &job->line->objects);
  gasan_strings_push_each(&command, "-cudart", "none", paths->runtime_library, "-Xlinker",
                          gasan_strings_format("-rpath,%s", paths->library_folder), "-o",
                          job->line->output ? job->line->output : "a.out", NULL);
  return gasan_process_run_one(&command);
}

static const char *object_name(const struct gasan_front_line *line, const char *source) {
  const char *name =
      gasan_strings_replace_extension(gasan_strings_basename(source), line->device_file ? line->device_file : ".o");
  return line->output ? line->output : line->folder ? gasan_strings_format("%s/%s", line->folder, name) : name;
}

/* Compiles the host's sources, which nvcc gives to the host's compiler. */
static int compile_others(const struct job *job) {
  const struct gasan_front_line *line = job->line;
  for (size_t i = 0; i < line->objects.count; i++) {
    const char *source = line->objects.items[i];
    struct gasan_strings command = {0};
    if (gasan_strings_end(source, ".o") || gasan_strings_end(source, ".a") || gasan_strings_end(source, ".so"))
      continue;
    gasan_strings_push(&command, job->nvcc);
    gasan_strings_push_all(&command, &line->options);
    gasan_strings_push_each(&command, source, "-o", object_name(line, source), NULL);
    int result = gasan_process_run_one(&command);
    if (result)
      return result;
  }
  return 0;
}

static int run_program(const struct gasan_front_line *line) {
  struct gasan_strings command = {0};
  const char *name = line->output ? line->output : "a.out";
  gasan_strings_push(&command, strchr(name, '/') ? name : gasan_strings_format("./%s", name));
  gasan_strings_push_all(&command, &line->run_arguments);
  return gasan_process_run_one(&command);
}

static int build(const struct job *job) {
  const struct gasan_front_line *line = job->line;
  struct gasan_strings objects = {0};
  if ((line->compiles || line->device_file) && line->output && line->sources.count + line->objects.count > 1)
    gasan_message_fatal("-o names one output, and the command has %zu inputs; compile them one by one, or leave -o out",
                        line->sources.count + line->objects.count);
  if (!line->device_file && !line->relocatable)
    for (size_t i = 0; i < line->sources.count; i++)
      if (gasan_strings_end(line->sources.items[i], ".ptx"))
        gasan_message_fatal("'%s': nvcc takes PTX with -cubin, -fatbin and -dc only; link the object of -dc",
                            line->sources.items[i]);
  for (size_t i = 0; line->device_file && i < line->sources.count; i++) {
    int result = make_device_file(job, line->sources.items[i], object_name(line, line->sources.items[i]));
    if (result)
      return result;
  }
  for (size_t i = 0; !line->device_file && i < line->sources.count; i++) {
    const char *source = line->sources.items[i];
    const char *object = line->compiles
                             ? object_name(line, source)
                             : gasan_strings_format("%s/%zu-%s.o", job->folder, i, gasan_strings_basename(source));
    int result = compile_source(job, source, object);
    if (result)
      return result;
    gasan_strings_push(&objects, object);
  }
  if (line->compiles || line->device_file)
    return line->compiles ? compile_others(job) : 0;
  const bool joins = line->relocatable || line->joins || gasan_relocatable_has_inputs(&line->options, &line->objects);
  if (!objects.count && !line->objects.count)
    gasan_message_fatal("no input files");
  int result = (joins ? join_objects : link_program)(job, &objects);
  return result || !line->runs ? result : run_program(line);
}

bool gasan_front_end_wanted(const struct gasan_strings *arguments) {
  const char *chosen = NULL, *ptx = NULL;
  bool identifies = false;
  for (size_t i = 0; i < arguments->count; i++) {
    const char *text = arguments->items[i], *name = text + strlen(GASAN_FRONT_END);
    if (*text != '-') {
      identifies |= !strcmp(gasan_strings_basename(text), "CMakeCUDACompilerId.cu");
      ptx = gasan_strings_end(text, ".ptx") ? text : ptx;
    } else if (gasan_strings_start(text, GASAN_FRONT_END)) {
      if (strcmp(name, "nvcc") != 0 && strcmp(name, "clang") != 0)
        gasan_message_fatal(GASAN_FRONT_END "%s: choose nvcc or clang", name);
      chosen = name;
    }
    i += gasan_nvcc_takes_value(text); /* -o file.ptx */
  }
  if (ptx && chosen && strcmp(chosen, "nvcc") != 0)
    gasan_message_fatal("'%s': clang's front end takes no PTX; leave " GASAN_FRONT_END "clang out", ptx);
  return (ptx || (chosen && !strcmp(chosen, "nvcc"))) && !identifies;
}

/* Gives the options of checks to gasan-ptxas, in front of those of GASAN_PTXAS_FLAGS. */
static void pass_checks_on(const struct gasan_strings *checks) {
  struct gasan_strings all = *checks;
  const char *flags = getenv("GASAN_PTXAS_FLAGS");
  struct gasan_strings own = gasan_response_words(flags ? flags : "");
  gasan_strings_push_all(&all, &own);
  setenv("GASAN_PTXAS_FLAGS", gasan_response_quote(&all), 1);
}

/* Runs the toolkit's nvcc as it is. */
static int run_plain(const struct gasan_front_line *line, const char *cuda) {
  struct gasan_strings command = {0};
  gasan_strings_push(&command, gasan_paths_cuda_tool(cuda, "nvcc"));
  gasan_strings_push_all(&command, &line->all);
  return gasan_process_run_one(&command);
}

static void warn(const struct gasan_front_line *line, const struct gasan_arguments *arguments) {
  if (line->sources.count)
    gasan_gpu_address_warn(&arguments->options);
  if (line->sources.count && strcmp(arguments->options.scan, "off") != 0)
    gasan_message_warning("-fsanitize-gpu-address-scan does nothing with --front-end=nvcc; gasan-scan itself takes "
                          "sources that clang can compile");
  if (line->debug && line->sources.count)
    gasan_message_warning("-G has no effect with " GASAN_FRONT_END "nvcc: device code has checks and lines in place of "
                          "what a debugger needs");
  if (line->device_file && line->relocatable && strcmp(line->device_file, ".cu.cpp.ii") != 0)
    gasan_message_warning("-%s of relocatable device code has no checks; leave -rdc=true out for checks",
                          line->device_file + 1);
  if (line->unchecked)
    gasan_message_warning("%s: this output has no checks; they are put into PTX, and nvcc makes none for it",
                          line->unchecked);
}

int gasan_front_end_run(const struct gasan_strings *given, const struct gasan_paths *paths) {
  const struct gasan_front_line line = gasan_front_line_read(given);
  const char *cuda = gasan_paths_cuda(line.cuda);
  gasan_paths_require_cuda(cuda);
  gasan_process_start(GASAN_PROCESS_RUN);
  if (line.asks || line.plain)
    return run_plain(&line, cuda);
  pass_checks_on(&line.checks);
  struct gasan_arguments arguments = gasan_relocatable_arguments();
  warn(&line, &arguments);
  if (line.unchecked || (line.device_file && line.relocatable) ||
      (!line.sources.count && (line.compiles || line.device_file)))
    return run_plain(&line, cuda);
  if (line.has_stream)
    gasan_message_fatal(GASAN_FRONT_END "nvcc compiles CUDA source from files only, not from standard input");
  gasan_paths_require_own(paths);
  const char *folder = gasan_temporary_tree("gasan-nvcc");
  setenv("CUDA_HOME", cuda, 1);
  setenv(GASAN_LIFT_FOLDER, folder, 1);
  if (line.relocatable)
    setenv(GASAN_LIFT_RELOCATABLE, "1", 1);
  struct job job = {.line = &line, .folder = folder, .nvcc = make_toolkit(folder, cuda, paths)};
  job.toolchain = (struct gasan_toolchain){.arguments = &arguments,
                                           .paths = *paths,
                                           .cuda = cuda,
                                           .granule = arguments.options.granule,
                                           .mode = arguments.options.mode,
                                           .tags = arguments.options.tags};
  return build(&job);
}
