/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/lift/ptxas.h"
#include "driver/architectures.h"
#include "driver/attempts.h"
#include "driver/cubin.h"
#include "driver/device_image.h"
#include "driver/file.h"
#include "driver/lift/relocatable.h"
#include "driver/message.h"
#include "driver/process.h"
#include "driver/response.h"
#include "driver/strings.h"
#include "driver/temporary.h"
#include "driver/toolkit.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define VIRTUAL "compute_"

/* ptxas's command line. */
struct line {
  const char *input, *output, *architecture; /* input: the last one */
  struct gasan_strings inputs;
  struct gasan_strings options; /* for ptxas, without input, output and architecture */
  bool relocatable, debug, asks;
  bool strict, plain; /* our own options, from GASAN_PTXAS_FLAGS */
  const char *cpu_id; /* --gasan-cpu=ID: make a library for the CPU device (ptxas.h) */
  bool loads;         /* --gasan-load: for the runtime, which loads the output (ptxas.h) */
};

/* Options of ptxas whose value may be the next argument. Others have it behind a '=', or none. */
static const char *const with_value[] = {"-arch",
                                         "--gpu-name",
                                         "-o",
                                         "--output-file",
                                         "-m",
                                         "--machine",
                                         "-O",
                                         "--opt-level",
                                         "-maxrregcount",
                                         "--maxrregcount",
                                         "-e",
                                         "--entry",
                                         "-Ofc",
                                         "--Ofast-compile",
                                         "-allow-expensive-optimizations",
                                         "--allow-expensive-optimizations",
                                         "-device-stack-protector",
                                         "--device-stack-protector",
                                         "-fmad",
                                         "--fmad",
                                         "-pic",
                                         "--position-independent-code",
                                         "-regUsageLevel",
                                         "--register-usage-level",
                                         "-sanitize",
                                         "--sanitize",
                                         "-flcm",
                                         "--force-load-cache",
                                         "-fscm",
                                         "--force-store-cache",
                                         "-dlcm",
                                         "--def-load-cache",
                                         "-dscm",
                                         "--def-store-cache",
                                         "-func-maxrregcount",
                                         "--device-function-maxrregcount",
                                         "-split-compile",
                                         "--split-compile",
                                         "-minnctapersm",
                                         "--minnctapersm",
                                         "-maxntid",
                                         "--maxntid",
                                         NULL};

/* Returns the value if `text` is one of the two options, which may have it as the next argument. Advances *i then. */
static const char *value_of(const char *text, const char *short_name, const char *long_name, int count, char **texts,
                            int *i) {
  for (int k = 0; k < 2; k++) {
    const char *name = k ? long_name : short_name;
    const size_t length = strlen(name);
    if (!strcmp(text, name) && *i + 1 < count)
      return texts[++*i];
    if (!strncmp(text, name, length) && text[length] == '=')
      return text + length + 1;
  }
  return NULL;
}

static const char *new_input(const char *contents, size_t size) {
  static unsigned number;
  const char *path = gasan_temporary_path(gasan_strings_format("input-%u.ptx", ++number));
  gasan_file_write(path, contents, size);
  return path;
}

/* Reads all of a file of unknown size: a pipe, or the standard input. */
static const char *copy_stream(const char *path) {
  FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
  char *bytes = NULL;
  size_t size = 0, got = 1;
  while (file && got) {
    bytes = realloc(bytes, size + BUFSIZ);
    got = bytes ? fread(bytes + size, 1, BUFSIZ, file) : 0;
    size += got;
  }
  return file ? new_input(bytes, size) : path;
}

static bool is_stream(const char *path) {
  struct stat status;
  return !strcmp(path, "-") || (!stat(path, &status) && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)));
}

/* Writes arguments out: the options of -optf's files, and a file in place of -ias's text and of a stream, which can be
 * read once only. */
static struct gasan_strings write_out(int count, char **texts) {
  struct gasan_strings result = {0};
  for (int i = 0; i < count; i++) {
    const char *text = texts[i], *value;
    if ((value = value_of(text, "-optf", "--options-file", count, texts, &i))) {
      struct gasan_bytes contents;
      if (!gasan_file_try_read(value, &contents))
        gasan_message_fatal("cannot read the options in '%s'", value);
      struct gasan_strings words = gasan_response_words((const char *)contents.data);
      gasan_strings_push_all(&result, &words);
    } else if ((value = value_of(text, "-ias", "--input-as-string", count, texts, &i))) {
      gasan_strings_push(&result, new_input(value, strlen(value)));
    } else if (text[0] != '-' || !text[1]) {
      gasan_strings_push(&result, is_stream(text) ? copy_stream(text) : text);
    } else {
      gasan_strings_push(&result, text);
      if (gasan_strings_is_one_of(text, with_value) && i + 1 < count)
        gasan_strings_push(&result, texts[++i]);
    }
  }
  return result;
}

static struct line read_line(int count, char **texts) {
  struct line line = {.output = "elf.o", .architecture = "sm_75"};
  for (int i = 0; i < count; i++) {
    const char *text = texts[i], *value;
    if (!strcmp(text, GASAN_PTXAS_LOAD))
      line.loads = true;
    else if (gasan_strings_start(text, GASAN_PTXAS_CPU))
      line.cpu_id = text + strlen(GASAN_PTXAS_CPU);
    else if ((value = value_of(text, "-arch", "--gpu-name", count, texts, &i)))
      line.architecture = value;
    else if ((value = value_of(text, "-o", "--output-file", count, texts, &i)))
      line.output = value;
    else if (value_of(text, "-Ofc", "--Ofast-compile", count, texts, &i))
      continue; /* saves compile time only, and ptxas refuses it beside the level of checked code */
    else if (*text != '-') {
      line.input = text;
      gasan_strings_push(&line.inputs, text);
    } else {
      line.relocatable |= !strcmp(text, "-c") || !strcmp(text, "--compile-only") || !strcmp(text, "-ewp") ||
                          !strcmp(text, "--extensible-whole-program");
      line.debug |= !strcmp(text, "-g") || !strcmp(text, "--device-debug");
      line.asks |= !strcmp(text, "-V") || !strcmp(text, "--version") || !strcmp(text, "-h") || !strcmp(text, "--help");
      gasan_strings_push(&line.options, text);
      if (gasan_strings_is_one_of(text, with_value) && i + 1 < count)
        gasan_strings_push(&line.options, texts[++i]);
    }
  }
  return line;
}

static int run_real(const char *ptxas, const struct gasan_strings *texts) {
  struct gasan_strings command = {0};
  gasan_strings_push(&command, ptxas);
  gasan_strings_push_all(&command, texts);
  gasan_process_start(GASAN_PROCESS_RUN);
  return gasan_process_run_one(&command); /* temporary files are removed behind it */
}

/* Makes the arguments of a driver that compiles for the architecture, with ptxas's options. Those of GASAN_PTXAS_FLAGS
 * are the driver's, and --strict and --no-checks. */
static struct gasan_arguments driver_arguments(struct line *line) {
  struct gasan_strings texts = {0};
  const char *more = getenv("GASAN_PTXAS_FLAGS");
  struct gasan_strings words = gasan_response_words(more ? more : "");
  gasan_strings_push(&texts, "-fsanitize=gpu-address");
  for (size_t i = 0; i < words.count; i++)
    if (!strcmp(words.items[i], "--strict"))
      line->strict = true;
    else if (!strcmp(words.items[i], "--no-checks"))
      line->plain = true;
    else if (!strcmp(words.items[i], "-mllvm") && i + 1 < words.count)
      gasan_strings_push_each(&texts, "-mllvm", words.items[++i], NULL);
    else if (gasan_strings_start(words.items[i], "-fsanitize"))
      gasan_strings_push(&texts, words.items[i]);
    else
      gasan_message_fatal("GASAN_PTXAS_FLAGS has the unknown option '%s'; known: --strict, --no-checks, "
                          "-fsanitize-gpu-address-...",
                          words.items[i]);
  for (size_t i = 0; i < line->options.count; i++)
    gasan_strings_push_each(&texts, "-Xcuda-ptxas", line->options.items[i], NULL);
  return gasan_arguments_parse(&texts, /*cxx=*/true);
}

struct context {
  const struct line *line;
  const char *bitcode; /* for the CPU image, or NULL */
  const char *ptx;     /* with checks, or NULL */
};

/* Makes a command for gasan-lift from clang's: it takes the same options of the pass. */
static struct gasan_strings tool_command(const struct gasan_toolchain *toolchain, const struct line *line,
                                         const struct gasan_strings *clang) {
  struct gasan_strings command = {0};
  gasan_strings_push_each(&command, toolchain->paths.lift_tool, gasan_strings_format("-arch=%s", line->architecture),
                          NULL);
  for (size_t i = 1; i + 1 < clang->count; i++) {
    if (!strcmp(clang->items[i], "-o"))
      gasan_strings_push_each(&command, "-o", clang->items[++i], NULL);
    else if (!strcmp(clang->items[i], "-mllvm"))
      gasan_strings_push(&command, clang->items[++i]);
  }
  return command;
}

/* Returns true if the checked module is wanted for a CPU image. */
static bool wants_module(const struct line *line) {
  return line->cpu_id || (getenv(GASAN_LIFT_FOLDER) && !line->plain && !line->loads);
}

/* Makes clang's command, or gasan-lift's where that is installed. A user who chooses a clang gets it. */
static struct gasan_strings lift_command(const struct gasan_toolchain *toolchain, const struct line *line,
                                         const struct gasan_device_image *image) {
  static const char empty[] = "target triple = \"nvptx64-nvidia-cuda\"\n";
  const char *module = gasan_temporary_path("empty.ll");
  struct gasan_strings command = {0};
  gasan_file_write(module, empty, sizeof empty - 1);
  gasan_toolchain_push_ir_clang(toolchain, &command, "nvptx64-nvidia-cuda");
  gasan_strings_push_each(&command, gasan_strings_format("-march=%s", line->architecture), "-O1", "-Xclang",
                          "-target-feature", "-Xclang", "+ptx90", NULL);
  if (line->plain) {
    gasan_toolchain_push_plugin(toolchain, &command);
    for (size_t i = 0; i < toolchain->arguments->pass_options.count; i++)
      gasan_strings_push_each(&command, "-mllvm", toolchain->arguments->pass_options.items[i], NULL);
  } else
    gasan_toolchain_push_instrumentation(toolchain, &command, /*keep_debug=*/false);
  for (size_t i = 0; i < line->inputs.count; i++)
    gasan_strings_push_each(&command, "-mllvm", gasan_strings_format("-gasan-lift=%s", line->inputs.items[i]), NULL);
  if (wants_module(line))
    gasan_device_image_push_output(image, toolchain, 0, &command);
  else
    gasan_strings_push_each(&command, "-S", "-o", image->assembly.items[0], NULL);
  gasan_strings_push(&command, module);
  const bool has_tool = !access(toolchain->paths.lift_tool, X_OK) && !getenv("GASAN_CLANG");
  return has_tool && !gasan_arguments_cpu_only(toolchain->arguments) ? tool_command(toolchain, line, &command)
                                                                     : command;
}

/* Assembles the file as a whole: an object of a separate compilation, or code without checks. */
static int assemble_whole(const struct gasan_toolchain *toolchain, const struct line *line, const char *assembly) {
  struct gasan_strings command = {0};
  gasan_strings_push_each(&command, gasan_paths_cuda_tool(toolchain->cuda, "ptxas"), "-arch", line->architecture,
                          assembly, "-o", line->output, NULL);
  gasan_strings_push_all(&command, &line->options);
  return gasan_process_run_one(&command);
}

/* Makes an image without kernels, for programs of the CPU device only: fatbinary refuses an empty file. */
static int assemble_nothing(const struct gasan_toolchain *toolchain, const struct line *line) {
  const char *file = gasan_temporary_path("nothing.ptx");
  const char *text = gasan_strings_format(".version 8.0\n.target %s\n.address_size 64\n", line->architecture);
  gasan_file_write(file, text, strlen(text));
  return assemble_whole(toolchain, line, file);
}

/* Compiles the CPU image, and links it as a shared library. */
static int make_cpu_library(const struct gasan_toolchain *toolchain, const struct line *line,
                            struct gasan_device_image *image) {
  const struct gasan_paths *paths = &toolchain->paths;
  struct gasan_strings retarget = {0}, link = {0};
  gasan_device_image_push_retarget(image, toolchain, line->cpu_id, &retarget);
  int result = gasan_process_run_one(&retarget);
  gasan_strings_push_each(&link, gasan_paths_llvm_tool(paths, "ld.lld"), "-shared", image->cpu_object,
                          paths->runtime_library, "-rpath", paths->library_folder, "-o", line->output, NULL);
  return result ? result : gasan_process_run_one(&link);
}

static int lift_and_assemble(const struct gasan_toolchain *toolchain, void *context) {
  struct context *own = context;
  const struct line *line = own->line;
  struct gasan_device_image image;
  gasan_device_image_start(&image, toolchain, "lifted", "-O3", /*keep_debug=*/false);
  struct gasan_strings command = lift_command(toolchain, line, &image);
  int result = gasan_process_run_one(&command);
  if (result)
    return result;
  if (line->cpu_id)
    return make_cpu_library(toolchain, line, &image);
  own->bitcode = wants_module(line) ? image.cpu_bitcode : NULL;
  if (line->loads && access(gasan_paths_cuda_tool(toolchain->cuda, "ptxas"), X_OK)) { /* the driver assembles it */
    struct gasan_bytes text = gasan_file_read(image.assembly.items[0]);
    gasan_file_write(line->output, text.data, text.size + 1);
    return 0;
  }
  if (gasan_arguments_cpu_only(toolchain->arguments))
    return assemble_nothing(toolchain, line);
  if (line->relocatable || line->plain)
    return assemble_whole(toolchain, line, image.assembly.items[0]);
  struct gasan_strings binaries = {0};
  gasan_strings_push(&binaries, line->output);
  result = gasan_cubin_make(&image, toolchain, &binaries);
  if (!result && !line->loads)
    own->ptx = gasan_device_image_embedded_ptx(&image, toolchain, 0);
  return result;
}

const char *gasan_ptxas_checked(const char *folder, const char *ptx, const char *architecture) {
  return gasan_strings_format("%s/%s-%s.ptx", folder, gasan_strings_basename(ptx), architecture);
}

/* Another process may copy to the same name, so that the file gets its name when it is complete. */
static void copy_file(const char *from, const char *to) {
  struct gasan_bytes contents = gasan_file_read(from);
  const char *part = gasan_strings_format("%s.%d", to, (int)getpid());
  gasan_file_write(part, contents.data, contents.size);
  if (rename(part, to))
    gasan_message_fatal("cannot create '%s': %s", to, strerror(errno));
}

#define MODULE_START "cpu-"
#define MODULE_END ".bc"

/* Returns the names of the architectures whose modules are in the folder, oldest first. */
static struct gasan_strings find_modules(const char *folder) {
  struct gasan_strings names = {0};
  DIR *entries = opendir(folder);
  for (struct dirent *entry; entries && (entry = readdir(entries));)
    if (gasan_strings_start(entry->d_name, MODULE_START) && gasan_strings_end(entry->d_name, MODULE_END)) {
      const char *name = entry->d_name + strlen(MODULE_START);
      gasan_strings_push(&names, gasan_strings_format("%.*s", (int)(strlen(name) - strlen(MODULE_END)), name));
    }
  if (entries)
    closedir(entries);
  gasan_architectures_sort(&names);
  return names;
}

static const char *module_path(const char *folder, const char *architecture) {
  return gasan_strings_format("%s/" MODULE_START "%s" MODULE_END, folder, architecture);
}

const char *gasan_ptxas_module(const char *folder) {
  struct gasan_strings names = find_modules(folder);
  return names.count ? module_path(folder, names.items[names.count - 1]) : NULL;
}

void gasan_ptxas_forget_modules(const char *folder) {
  struct gasan_strings names = find_modules(folder);
  for (size_t i = 0; i < names.count; i++)
    unlink(module_path(folder, names.items[i]));
}

/* Copies the checked module and its PTX to the folder of nvcc's front end. */
static void keep_results(const struct line *line, const struct context *context) {
  const char *folder = getenv(GASAN_LIFT_FOLDER);
  if (folder && context->bitcode)
    copy_file(context->bitcode, module_path(folder, line->architecture));
  if (folder && context->ptx)
    copy_file(context->ptx, gasan_ptxas_checked(folder, line->input, line->architecture));
}

/* Returns the first target of PTX: sm_90a. "": there is none. */
static const char *target_of(const char *text) {
  static const char directive[] = ".target";
  const char *found = strstr(text, directive);
  if (!found)
    return "";
  found += strlen(directive);
  found += strspn(found, " \t");
  return gasan_strings_format("%.*s", (int)strcspn(found, " \t\r\n,"), found);
}

static int number_of(const char *architecture) {
  const char *digits = strchr(architecture, '_');
  return digits ? atoi(digits + 1) : 0;
}

/* Returns true for PTX of a newer GPU, or of another GPU only (sm_90a): LLVM would make code for this architecture. */
static bool is_for_others(const char *target, const char *architecture) {
  const int wanted = number_of(target), present = number_of(architecture);
  return wanted > present || (gasan_strings_end(target, "a") && wanted != present) ||
         (gasan_strings_end(target, "f") && wanted / 10 != present / 10);
}

/* Takes the PTX out of a file that the runtime wants to load, and chooses its architecture: the GPU's, or, if the PTX
 * is for one GPU only, that one (sm_90a). The name of the new file has the input's number (checked_code.c). */
static const char *take_ptx(struct line *line, size_t number, const struct gasan_paths *paths) {
  const char *text = gasan_temporary_path(gasan_strings_format("loaded-%zu.ptx", number + 1));
  struct gasan_strings command = {0};
  gasan_strings_push_each(&command, paths->lift_tool, gasan_strings_format("-extract=%s", line->inputs.items[number]),
                          gasan_strings_format("-arch=%s", line->architecture), "-o", text, NULL);
  gasan_process_start(GASAN_PROCESS_RUN);
  if (gasan_process_run_one(&command))
    exit(1);
  const char *contents = (const char *)gasan_file_read(text).data, *target = target_of(contents);
  if (strstr(contents, "__gasan_params"))
    gasan_message_fatal("the PTX has gasan's checks already");
  if (is_for_others(target, line->architecture)) /* the driver refuses it, with its own error */
    gasan_message_fatal("PTX for %s is loaded on %s", target, line->architecture);
  if (gasan_strings_end(target, "a") || gasan_strings_end(target, "f"))
    line->architecture = target;
  return text;
}

/* Makes the image that the runtime loads in place of its own. The name exists when the image is complete. */
static int load(struct line *line, const struct gasan_paths *paths) {
  const char *output = line->output;
  struct gasan_toolchain toolchain = {.paths = *paths, .cuda = gasan_paths_cuda(NULL)};
  const char *const needed[] = {paths->lift_tool, paths->device_runtime, paths->pass_plugin, paths->cpu_helpers};
  const char *const tools[] = {paths->clang, gasan_paths_llvm_tool(paths, "ld.lld")};
  prctl(PR_SET_PDEATHSIG, SIGTERM); /* without the program, the result has no use */
  if (!line->inputs.count)
    gasan_message_fatal(GASAN_PTXAS_LOAD " needs a file with PTX");
  for (size_t i = 0; i < sizeof tools / sizeof *tools && line->cpu_id; i++)
    if (access(tools[i], X_OK))
      gasan_message_fatal("'%s' is missing; the CPU device needs clang 22 and lld 22 (Debian's clang-22 and lld-22)",
                          tools[i]);
  for (size_t i = 0; i < (line->cpu_id ? 4 : 2); i++)
    if (access(needed[i], R_OK))
      gasan_message_fatal("'%s' is missing; gasan is not completely built or installed", needed[i]);
  for (size_t i = 0; i < line->inputs.count; i++)
    line->inputs.items[i] = take_ptx(line, i, paths);
  struct gasan_arguments arguments = driver_arguments(line);
  toolchain.arguments = &arguments;
  toolchain.granule = arguments.options.granule;
  toolchain.mode = arguments.options.mode;
  toolchain.tags = arguments.options.tags;
  if (strcmp(toolchain.mode, "bst") != 0 && !line->cpu_id)
    gasan_message_fatal("GASAN_PTXAS_FLAGS: -fsanitize-gpu-address-mode=%s is not possible for code that a program "
                        "loads; leave it out",
                        toolchain.mode);
  gasan_strings_push(&toolchain.architectures, line->architecture);
  line->output = gasan_strings_format("%s.part", output);
  struct context context = {.line = line};
  int result = gasan_attempts_run(&toolchain, line->input, lift_and_assemble, &context);
  if (!result && rename(line->output, output))
    gasan_message_fatal("cannot create '%s': %s", output, strerror(errno));
  if (result)
    unlink(line->output);
  return result;
}

int gasan_ptxas_run(int count, char **texts, const struct gasan_paths *paths) {
  const struct gasan_strings written = write_out(count, texts);
  struct line line = read_line((int)written.count, (char **)written.items);
  line.loads |= line.cpu_id != NULL;
  if (line.loads)
    return load(&line, paths);
  struct gasan_toolchain toolchain = {.paths = *paths, .cuda = gasan_paths_cuda(NULL)};
  const char *ptxas = gasan_paths_cuda_tool(toolchain.cuda, "ptxas");
  const char *real = realpath(ptxas, NULL);
  if (real && !strcmp(real, paths->executable))
    gasan_message_fatal("'%s' is gasan-ptxas itself; set CUDA_HOME to the toolkit's folder", ptxas);
  if (line.asks || !line.inputs.count)
    return run_real(ptxas, &written);
  struct gasan_arguments arguments = driver_arguments(&line);
  if (line.debug) {
    gasan_message_warning("'%s': code for a debugger (-G) is assembled without checks", line.input);
    return run_real(ptxas, &written);
  }
  struct gasan_bytes text;
  if (gasan_file_try_read(line.input, &text) && is_for_others(target_of((const char *)text.data), line.architecture)) {
    const int result = run_real(ptxas, &written); /* ptxas's own error */
    if (result)
      return result;
  }
  toolchain.arguments = &arguments;
  toolchain.granule = arguments.options.granule;
  toolchain.mode = arguments.options.mode;
  toolchain.tags = arguments.options.tags;
  if (getenv(GASAN_LIFT_FOLDER) || access(paths->lift_tool, X_OK)) /* else clang is not needed */
    gasan_paths_require_own(paths);
  gasan_process_start(GASAN_PROCESS_RUN);
  if (gasan_strings_start(line.architecture, VIRTUAL)) { /* ptxas only checks the PTX, which nvcc embeds */
    line.architecture = gasan_strings_format("sm_%s", line.architecture + strlen(VIRTUAL));
    line.output = gasan_temporary_path("checked.cubin");
  }
  gasan_strings_push(&toolchain.architectures, line.architecture);
  if (getenv(GASAN_LIFT_RELOCATABLE)) {
    if (gasan_relocatable_lift(&toolchain, line.input, line.architecture, line.output))
      gasan_message_fatal("'%s' cannot be relocatable device code, because the step above has failed; compile this "
                          "source without -rdc=true, or by clang's front end",
                          line.input);
    return 0;
  }
  struct context context = {.line = &line};
  int result = gasan_attempts_run(&toolchain, line.input, lift_and_assemble, &context);
  if (!result) {
    keep_results(&line, &context);
    return 0;
  }
  if (line.strict)
    return result;
  gasan_message_warning("'%s' is assembled without checks, because the step above has failed; "
                        "GASAN_PTXAS_FLAGS=--strict makes this an error",
                        line.input);
  return run_real(ptxas, &written);
}
