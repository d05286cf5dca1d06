/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/lift/fatbinary.h"
#include "device/cpu/image.h"
#include "driver/file.h"
#include "driver/identity.h"
#include "driver/lift/ptxas.h"
#include "driver/lift/relocatable.h"
#include "driver/message.h"
#include "driver/process.h"
#include "driver/strings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ID_DIGITS 24
#define EMBEDDED "--embedded-fatbin="

/* The end of the data in the C file that fatbinary writes. */
static const char end_of_data[] = "\".text\\n\"";

/* Appends the trailer to the data in the C file. */
static void append_trailer(const char *path, const struct gasan_cpu_trailer *trailer) {
  const struct gasan_bytes file = gasan_file_read(path);
  const char *text = (const char *)file.data, *end = strstr(text, end_of_data);
  uint64_t words[sizeof *trailer / sizeof(uint64_t)];
  if (!end)
    gasan_message_fatal("'%s' has another form than this toolkit's fatbinary is known for; the CPU device cannot run "
                        "the program",
                        path);
  memcpy(words, trailer, sizeof words);
  char *quads = "\".quad ";
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    quads = gasan_strings_format("%s%s0x%016llx", quads, i ? "," : "", (unsigned long long)words[i]);
  const char *result = gasan_strings_format("%.*s%s\\n\"\n%s", (int)(end - text), text, quads, end);
  gasan_file_write(path, result, strlen(result));
}

/* Returns the id: a hash of the module and the fat binary's name, which differs for equal modules. */
static const char *make_id(const struct gasan_bytes *module, const char *path) {
  struct gasan_identity identity = gasan_identity_start();
  gasan_identity_add_text(&identity, path);
  gasan_identity_add(&identity, module->data, module->size);
  return gasan_identity_text(&identity, ID_DIGITS);
}

#define PTX_IMAGE "--image3=kind=ptx,sm="
#define FILE_OF_IMAGE ",file="

/* Returns the argument with checked PTX in place of nvcc's, which the driver compiles for newer GPUs. nvcc may have
 * given that PTX to ptxas for another architecture only; then it is given to gasan-ptxas once more. PTX that cannot
 * have checks stays, and a warning has said so. */
static const char *with_checks(const char *text, const char *folder) {
  const char *file = strstr(text, FILE_OF_IMAGE);
  if (!gasan_strings_start(text, PTX_IMAGE) || !file)
    return text;
  const char *number = gasan_strings_format("%.*s", (int)(file - text - strlen(PTX_IMAGE)), text + strlen(PTX_IMAGE));
  const char *path = file + strlen(FILE_OF_IMAGE);
  const char *checked = gasan_ptxas_checked(folder, path, gasan_strings_format("sm_%s", number));
  if (access(checked, R_OK)) {
    struct gasan_strings command = {0};
    gasan_strings_push_each(&command, gasan_strings_format("%s/toolkit/bin/ptxas", folder),
                            gasan_strings_format("-arch=compute_%s", number), path, NULL);
    gasan_process_run_one(&command);
  }
  return access(checked, R_OK)
             ? text
             : gasan_strings_format("%.*s%s", (int)(file + strlen(FILE_OF_IMAGE) - text), text, checked);
}

int gasan_fatbinary_run(int count, char **texts, const struct gasan_paths *paths) {
  const char *cuda = gasan_paths_cuda(NULL), *folder = getenv(GASAN_LIFT_FOLDER), *embedded = NULL;
  const char *tool = gasan_paths_cuda_tool(cuda, "fatbinary"), *real = realpath(tool, NULL);
  struct gasan_strings command = {0};
  struct gasan_bytes module;
  bool links = false;
  gasan_process_start(GASAN_PROCESS_RUN);
  if (real && !strcmp(real, paths->executable))
    gasan_message_fatal("'%s' is gasan's driver itself; set CUDA_HOME to the toolkit's folder", tool);
  gasan_strings_push(&command, tool);
  for (int i = 0; i < count; i++) {
    gasan_strings_push(&command, folder && !getenv(GASAN_LIFT_RELOCATABLE) ? with_checks(texts[i], folder) : texts[i]);
    if (gasan_strings_start(texts[i], EMBEDDED))
      embedded = texts[i] + strlen(EMBEDDED);
    links |= !strcmp(texts[i], "-link") || !strcmp(texts[i], "--link");
  }
  if (getenv(GASAN_LIFT_RELOCATABLE))
    return gasan_relocatable_embed(count, texts, paths);
  int result = gasan_process_run_one(&command);
  const char *newest = folder ? gasan_ptxas_module(folder) : NULL;
  if (result || !newest || !embedded || links || !gasan_file_try_read(newest, &module))
    return result;
  const char *id = make_id(&module, embedded);
  struct gasan_cpu_trailer trailer = {
      .magic = GASAN_FAT_BINARY_MAGIC, .version = 1, .header_size = sizeof trailer, .kind = GASAN_CPU_TRAILER_KIND};
  memcpy(trailer.id, id, ID_DIGITS);
  append_trailer(embedded, &trailer);
  gasan_file_write(gasan_strings_format("%s/" GASAN_LIFT_ID, folder), id, strlen(id));
  return 0;
}
