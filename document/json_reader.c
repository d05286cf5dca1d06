/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <string.h>

#include "document/json.h"

#define MOST_DEPTH 64u

struct parser {
  struct gasan_arena *arena;
  const char *begin, *at, *end;
  uint32_t depth;
  const char *wrong; /* the first error; NULL: none */
  struct gasan_text text;
};

static bool fail(struct parser *parser, const char *why) {
  if (!parser->wrong)
    parser->wrong = why;
  return false;
}

static bool is_at(const struct parser *parser, char wanted) {
  return parser->at < parser->end && *parser->at == wanted;
}

static bool take(struct parser *parser, char wanted) {
  if (!is_at(parser, wanted))
    return false;
  parser->at++;
  return true;
}

static void skip_space(struct parser *parser) {
  while (parser->at < parser->end && memchr(" \t\n\r", *parser->at, 4))
    parser->at++;
}

static bool is_digit(const struct parser *parser) {
  return parser->at < parser->end && *parser->at >= '0' && *parser->at <= '9';
}

/* Parses four hexadecimal digits. */
static bool parse_unit(struct parser *parser, uint32_t *unit) {
  *unit = 0;
  for (int i = 0; i < 4; i++, parser->at++) {
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *digit = parser->at < parser->end && *parser->at ? strchr(digits, *parser->at) : NULL;
    if (!digit)
      return fail(parser, "\\u needs four hexadecimal digits");
    const uint32_t value = (uint32_t)(digit - digits);
    *unit = *unit << 4 | (value < 16 ? value : value - 6);
  }
  return true;
}

static void add_code(struct parser *parser, uint32_t code) {
  char bytes[4];
  size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (size_t i = size; i-- > 1; code >>= 6)
    bytes[i] = (char)(0x80 | (code & 0x3f));
  bytes[0] = (char)(leads[size] | code);
  gasan_text_add(&parser->text, bytes, size);
}

static bool parse_unicode(struct parser *parser) {
  uint32_t code, low;
  if (!parse_unit(parser, &code))
    return false;
  if (code >= 0xd800 && code < 0xdc00) {
    if (!take(parser, '\\') || !take(parser, 'u') || !parse_unit(parser, &low) || low < 0xdc00 || low > 0xdfff)
      return fail(parser, "half of a surrogate pair");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  } else if (code >= 0xdc00 && code < 0xe000) {
    return fail(parser, "half of a surrogate pair");
  }
  if (!code)
    return fail(parser, "a null character in a string");
  add_code(parser, code);
  return true;
}

static bool parse_escape(struct parser *parser) {
  static const char letters[] = "\"\\/ntrbf", values[] = "\"\\/\n\t\r\b\f";
  if (take(parser, 'u'))
    return parse_unicode(parser);
  const char *letter = parser->at < parser->end && *parser->at ? strchr(letters, *parser->at) : NULL;
  if (!letter)
    return fail(parser, "an unknown escape in a string");
  gasan_text_add(&parser->text, &values[letter - letters], 1);
  parser->at++;
  return true;
}

/* Parses a string behind its first quote. Returns NULL on an error. */
static const char *parse_string(struct parser *parser) {
  gasan_text_clear(&parser->text);
  while (!take(parser, '"')) {
    const size_t size = gasan_json_character(parser->at, (size_t)(parser->end - parser->at));
    if (parser->at == parser->end)
      fail(parser, "a string does not end");
    else if (!size)
      fail(parser, "a string is not UTF-8");
    else if ((unsigned char)*parser->at < 0x20)
      fail(parser, "a control character in a string");
    else if (take(parser, '\\'))
      parse_escape(parser);
    else {
      gasan_text_add(&parser->text, parser->at, size);
      parser->at += size;
    }
    if (parser->wrong)
      return NULL;
  }
  return gasan_arena_copy_part(parser->arena, parser->text.bytes ? parser->text.bytes : "", parser->text.length);
}

static void skip_digits(struct parser *parser) {
  if (!is_digit(parser))
    fail(parser, "a number without digits");
  while (is_digit(parser))
    parser->at++;
}

static void parse_number(struct parser *parser, struct gasan_json_value *value) {
  value->type = GASAN_JSON_NUMBER;
  value->is_whole = true;
  value->is_negative = take(parser, '-');
  const bool zero = is_at(parser, '0');
  const char *first = parser->at;
  skip_digits(parser);
  if (zero && parser->at - first > 1)
    fail(parser, "a number begins with 0");
  for (; first < parser->at; first++) {
    const uint64_t digit = (uint64_t)(*first - '0');
    value->is_whole &= value->number <= (UINT64_MAX - digit) / 10;
    value->number = value->number * 10 + digit;
  }
  if (take(parser, '.')) {
    value->is_whole = false;
    skip_digits(parser);
  }
  if (take(parser, 'e') || take(parser, 'E')) {
    value->is_whole = false;
    if (!take(parser, '-'))
      take(parser, '+');
    skip_digits(parser);
  }
}

static void parse_word(struct parser *parser, struct gasan_json_value *value) {
  static const struct {
    const char *word;
    enum gasan_json_type type;
  } words[] = {{"null", GASAN_JSON_NULL}, {"false", GASAN_JSON_FALSE}, {"true", GASAN_JSON_TRUE}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const size_t length = strlen(words[i].word);
    if ((size_t)(parser->end - parser->at) < length || memcmp(parser->at, words[i].word, length) != 0)
      continue;
    parser->at += length;
    value->type = words[i].type;
    return;
  }
  fail(parser, "a value is missing");
}

static struct gasan_json_value *parse_value(struct parser *parser);

static const char *parse_name(struct parser *parser, const struct gasan_json_value *object) {
  skip_space(parser);
  const char *name = take(parser, '"') ? parse_string(parser) : NULL;
  if (!name) {
    fail(parser, "a name is missing");
    return NULL;
  }
  if (gasan_json_member(object, name))
    fail(parser, "a name is there twice");
  skip_space(parser);
  if (!take(parser, ':'))
    fail(parser, "a colon is missing");
  return name;
}

/* Parses a container behind its first bracket. */
static void parse_container(struct parser *parser, struct gasan_json_value *container, char end) {
  const bool is_object = container->type == GASAN_JSON_OBJECT;
  struct gasan_json_value **last = &container->first;
  if (++parser->depth > MOST_DEPTH)
    fail(parser, "more than 64 containers in each other");
  skip_space(parser);
  bool more = !take(parser, end);
  while (more && !parser->wrong) {
    const char *name = is_object ? parse_name(parser, container) : NULL;
    struct gasan_json_value *value = parser->wrong ? NULL : parse_value(parser);
    if (!value)
      break;
    value->name = name;
    *last = value;
    last = &value->next;
    skip_space(parser);
    more = take(parser, ',');
    if (!more && !take(parser, end))
      fail(parser, "a comma or a bracket is missing");
  }
  parser->depth--;
}

static struct gasan_json_value *parse_value(struct parser *parser) {
  struct gasan_json_value *value = gasan_arena_allocate(parser->arena, sizeof *value);
  skip_space(parser);
  if (take(parser, '{')) {
    value->type = GASAN_JSON_OBJECT;
    parse_container(parser, value, '}');
  } else if (take(parser, '[')) {
    value->type = GASAN_JSON_ARRAY;
    parse_container(parser, value, ']');
  } else if (take(parser, '"')) {
    value->type = GASAN_JSON_TEXT;
    value->text = parse_string(parser);
  } else if (is_digit(parser) || is_at(parser, '-')) {
    parse_number(parser, value);
  } else {
    parse_word(parser, value);
  }
  return parser->wrong ? NULL : value;
}

const struct gasan_json_value *gasan_json_parse(struct gasan_arena *arena, const char *text, size_t length,
                                                char *message, size_t message_size) {
  struct parser parser = {.arena = arena, .begin = text, .at = text, .end = text + length};
  const struct gasan_json_value *value = parse_value(&parser);
  skip_space(&parser);
  if (!parser.wrong && parser.at != parser.end)
    fail(&parser, "more text behind the value");
  gasan_text_free(&parser.text);
  if (!parser.wrong)
    return value;
  unsigned long line = 1;
  for (const char *at = parser.begin; at < parser.at; at++)
    line += *at == '\n';
  snprintf(message, message_size, "line %lu: %s", line, parser.wrong);
  return NULL;
}

const struct gasan_json_value *gasan_json_member(const struct gasan_json_value *object, const char *name) {
  if (!object || object->type != GASAN_JSON_OBJECT)
    return NULL;
  const struct gasan_json_value *member = object->first;
  while (member && strcmp(member->name, name) != 0)
    member = member->next;
  return member;
}
