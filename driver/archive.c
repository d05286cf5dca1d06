/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/archive.h"
#include "driver/strings.h"

#include <ar.h>
#include <stdlib.h>
#include <string.h>

#define THIN_MAGIC "!<thin>\n"

static bool is_thin(struct gasan_bytes file) {
  return file.size >= SARMAG && !memcmp(file.data, THIN_MAGIC, SARMAG);
}

bool gasan_archive_is(struct gasan_bytes file) {
  return file.size >= SARMAG && (!memcmp(file.data, ARMAG, SARMAG) || is_thin(file));
}

static bool read_header(struct gasan_bytes archive, size_t position, struct ar_hdr *header, size_t *size) {
  if (position + sizeof *header > archive.size)
    return false;
  memcpy(header, archive.data + position, sizeof *header);
  char digits[sizeof header->ar_size + 1] = {0};
  memcpy(digits, header->ar_size, sizeof header->ar_size);
  *size = strtoull(digits, NULL, 10);
  return !memcmp(header->ar_fmag, ARFMAG, sizeof header->ar_fmag);
}

static bool is_table(const struct ar_hdr *header) {
  return !strncmp(header->ar_name, "/ ", 2) || !strncmp(header->ar_name, "// ", 3) ||
         !strncmp(header->ar_name, "/SYM64/ ", 8);
}

/* Returns the table of long names, or NULL. */
static const char *long_names(struct gasan_bytes archive, size_t *length) {
  struct ar_hdr header;
  size_t size;
  for (size_t position = SARMAG; read_header(archive, position, &header, &size) && is_table(&header);
       position += sizeof header + size + (size & 1)) {
    if (strncmp(header.ar_name, "// ", 3) != 0 || size > archive.size - position - sizeof header)
      continue;
    *length = size;
    return (const char *)archive.data + position + sizeof header;
  }
  return NULL;
}

static const char *member_name(struct gasan_bytes archive, const struct ar_hdr *header) {
  const char *text = header->ar_name;
  size_t capacity = sizeof header->ar_name, length = 0;
  if (text[0] == '/') {
    size_t names_length = 0, offset = strtoull(text + 1, NULL, 10);
    const char *names = long_names(archive, &names_length);
    if (!names || offset >= names_length)
      return "";
    text = names + offset;
    capacity = names_length - offset;
    while (length < capacity && text[length] != '\n')
      length++;
  } else {
    while (length < capacity && text[length] != ' ')
      length++;
  }
  if (length && text[length - 1] == '/')
    length--;
  return gasan_strings_format("%.*s", (int)length, text);
}

static struct gasan_bytes read_thin_member(const char *path, const char *name) {
  struct gasan_bytes contents = {0};
  size_t folder_length = (size_t)(gasan_strings_basename(path) - path);
  const char *file = name[0] == '/' ? name : gasan_strings_format("%.*s%s", (int)folder_length, path, name);
  if (!gasan_file_try_read(file, &contents))
    contents.size = 0;
  return contents;
}

bool gasan_archive_next(const char *path, struct gasan_bytes archive, size_t *position,
                        struct gasan_archive_member *member) {
  struct ar_hdr header;
  size_t size;
  if (!*position)
    *position = SARMAG;
  while (read_header(archive, *position, &header, &size)) {
    size_t start = *position + sizeof header;
    bool table = is_table(&header), stored = table || !is_thin(archive);
    if (stored && size > archive.size - start)
      return false;
    *position = stored ? start + size + (size & 1) : start;
    if (table)
      continue;
    member->name = member_name(archive, &header);
    member->contents = stored ? (struct gasan_bytes){archive.data + start, size} : read_thin_member(path, member->name);
    return true;
  }
  return false;
}
