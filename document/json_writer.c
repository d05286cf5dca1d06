/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "document/json.h"

static void add(struct gasan_json_writer *json, const char *text) {
  gasan_text_add(json->text, text, strlen(text));
}

size_t gasan_json_character(const char *text, size_t length) {
  static const struct {
    unsigned char mask, lead;
    uint32_t least;
  } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
  for (size_t size = 1; size <= 4 && size <= length; size++) {
    const unsigned char first = (unsigned char)text[0];
    if ((first & forms[size - 1].mask) != forms[size - 1].lead)
      continue;
    uint32_t code = first & (unsigned char)~forms[size - 1].mask;
    for (size_t i = 1; i < size; i++) {
      if (((unsigned char)text[i] & 0xc0) != 0x80)
        return 0;
      code = code << 6 | ((unsigned char)text[i] & 0x3f);
    }
    return code >= forms[size - 1].least && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? size : 0;
  }
  return 0;
}

static void add_quoted(struct gasan_json_writer *json, const char *value) {
  static const char special[] = "\"\\\n\t\r\b\f", escapes[] = "\"\\ntrbf";
  add(json, "\"");
  for (size_t left = strlen(value), size; left; value += size, left -= size) {
    const char *found = strchr(special, *value);
    size = gasan_json_character(value, left);
    if (found)
      gasan_text_print(json->text, "\\%c", escapes[found - special]);
    else if (!size)
      add(json, "\xef\xbf\xbd");
    else if ((unsigned char)*value < 0x20 || *value == 0x7f)
      gasan_text_print(json->text, "\\u%04x", (unsigned)*value);
    else
      gasan_text_add(json->text, value, size);
    size = size ? size : 1;
  }
  add(json, "\"");
}

static bool is_flat(const struct gasan_json_writer *json) {
  return json->flat && json->depth >= json->flat;
}

static void break_line(struct gasan_json_writer *json) {
  if (json->depth)
    gasan_text_print(json->text, "\n%*s", 2 * (int)json->depth, "");
}

static void begin_member(struct gasan_json_writer *json, const char *name) {
  if (json->has_member)
    add(json, is_flat(json) ? ", " : ",");
  json->has_member = true;
  if (!is_flat(json))
    break_line(json);
  if (name) {
    add_quoted(json, name);
    add(json, ": ");
  }
}

void gasan_json_text(struct gasan_json_writer *json, const char *name, const char *value) {
  if (!value)
    return;
  begin_member(json, name);
  add_quoted(json, value);
}

void gasan_json_number(struct gasan_json_writer *json, const char *name, uint64_t value) {
  begin_member(json, name);
  gasan_text_print(json->text, "%llu", (unsigned long long)value);
}

void gasan_json_signed(struct gasan_json_writer *json, const char *name, int64_t value) {
  begin_member(json, name);
  gasan_text_print(json->text, "%lld", (long long)value);
}

void gasan_json_hex(struct gasan_json_writer *json, const char *name, uint64_t value) {
  begin_member(json, name);
  gasan_text_print(json->text, "\"0x%llx\"", (unsigned long long)value);
}

void gasan_json_boolean(struct gasan_json_writer *json, const char *name, bool value) {
  begin_member(json, name);
  add(json, value ? "true" : "false");
}

void gasan_json_three(struct gasan_json_writer *json, const char *name, const uint32_t value[3]) {
  begin_member(json, name);
  gasan_text_print(json->text, "[%u, %u, %u]", value[0], value[1], value[2]);
}

void gasan_json_open(struct gasan_json_writer *json, const char *name, char bracket) {
  begin_member(json, name);
  gasan_text_add(json->text, &bracket, 1);
  json->depth++;
  json->has_member = false;
}

void gasan_json_open_flat(struct gasan_json_writer *json, const char *name, char bracket) {
  gasan_json_open(json, name, bracket);
  if (!json->flat)
    json->flat = json->depth;
}

void gasan_json_close(struct gasan_json_writer *json, char bracket) {
  const bool flat = is_flat(json), empty = !json->has_member;
  if (json->flat == json->depth)
    json->flat = 0;
  json->depth--;
  if (!flat && !empty) {
    if (json->depth)
      break_line(json);
    else
      add(json, "\n");
  }
  gasan_text_add(json->text, &bracket, 1);
  json->has_member = true;
  if (!json->depth)
    add(json, "\n");
}
