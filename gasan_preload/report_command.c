/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_preload/report_command.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "document/document.h"
#include "document/writers.h"

static const struct {
  const char *name;
  void (*write)(const struct gasan_document *document, struct gasan_text *out);
} formats[] = {{"text", gasan_write_text},
               {"json", gasan_write_json},
               {"sarif", gasan_write_sarif},
               {"junit", gasan_write_junit},
               {"html", gasan_write_html}};
#define FORMATS (sizeof formats / sizeof *formats)

struct command {
  size_t format;
  const char *output; /* NULL: standard output */
  struct gasan_document document, baseline;
  bool has_file, is_wrong;
};

static void fail(struct command *command, const char *what, const char *why) {
  fprintf(stderr, "gasan: error: %s: %s\n", what, why);
  command->is_wrong = true;
}

/* Returns false and errno. */
static bool read_file(const char *path, struct gasan_text *text) {
  char bytes[16384];
  FILE *file = fopen(path, "re");
  if (!file)
    return false;
  for (size_t length; (length = fread(bytes, 1, sizeof bytes, file)) > 0;)
    gasan_text_add(text, bytes, length);
  const bool read = !ferror(file);
  fclose(file);
  return read;
}

/* A file that is wrong does not keep the others from being merged. */
static void add_file(struct command *command, const char *path, struct gasan_document *document) {
  struct gasan_text text = {0};
  char message[256];
  if (!read_file(path, &text))
    fail(command, path, strerror(errno));
  else if (!gasan_read_json(document, text.bytes ? text.bytes : "", text.length, message, sizeof message))
    fail(command, path, message);
  gasan_text_free(&text);
}

static void choose_format(struct command *command, const char *name) {
  for (size_t i = 0; i < FORMATS; i++)
    if (strcmp(formats[i].name, name) == 0) {
      command->format = i;
      return;
    }
  fail(command, name, "is no format (text, json, sarif, junit or html)");
}

/* Uses the option and its value. Returns the number of used arguments; 0: it is no option. */
static int take_option(struct command *command, char **arguments) {
  static const char *const names[] = {"--format", "--output", "--baseline"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const size_t length = strlen(names[i]);
    if (strncmp(arguments[0], names[i], length) != 0 || (arguments[0][length] && arguments[0][length] != '='))
      continue;
    const bool is_joined = arguments[0][length] == '=';
    const char *value = is_joined ? arguments[0] + length + 1 : arguments[1];
    if (!value)
      fail(command, names[i], "needs a value");
    else if (i == 0)
      choose_format(command, value);
    else if (i == 1)
      command->output = value;
    else
      add_file(command, value, &command->baseline);
    return is_joined || !value ? 1 : 2;
  }
  return 0;
}

static void leave_out_known(struct command *command) {
  const uint32_t dropped = gasan_doc_drop_known(&command->document, &command->baseline);
  if (dropped)
    fprintf(stderr, "gasan: %u known report%s left out\n", dropped, dropped == 1 ? " is" : "s are");
}

static void write_output(struct command *command) {
  struct gasan_text text = {0};
  FILE *file = command->output ? fopen(command->output, "we") : stdout;
  formats[command->format].write(&command->document, &text);
  if (!file || fwrite(text.bytes, 1, text.length, file) != text.length || (file == stdout ? fflush : fclose)(file))
    fail(command, command->output ? command->output : "standard output", strerror(errno));
  gasan_text_free(&text);
}

int gasan_report_command(char **arguments) {
  struct command command = {0};
  bool options = true;
  for (; *arguments; arguments++) {
    const int taken = options && **arguments == '-' && (*arguments)[1] ? take_option(&command, arguments) : 0;
    if (taken) {
      arguments += taken - 1;
    } else if (options && strcmp(*arguments, "--") == 0) {
      options = false;
    } else if (options && **arguments == '-') {
      fail(&command, *arguments, "is an unknown option; `gasan --help` lists the options");
    } else {
      command.has_file = true;
      add_file(&command, *arguments, &command.document);
    }
  }
  if (!command.has_file && !command.is_wrong)
    fail(&command, "report", "no file is given; `gasan --help` shows how");
  char folder[PATH_MAX];
  command.document.root = getcwd(folder, sizeof folder);
  if (command.has_file) {
    leave_out_known(&command);
    write_output(&command);
  }
  const int code = command.is_wrong ? 2 : command.document.reports != NULL;
  gasan_doc_free(&command.document);
  gasan_doc_free(&command.baseline);
  return code;
}
