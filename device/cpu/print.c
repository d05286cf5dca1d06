/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cpu/print.h"
#include "base/export.h"
#include "base/round.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/cpu/limits.h"
#include "device/cpu/worker.h"

/* The buffer of printed text. As on a GPU, the text waits for the next launch or synchronisation. Unlike on a GPU, no
 * text is lost: when the buffer (cudaLimitPrintfFifoSize) is full, it is written at once. */
static struct {
  pthread_mutex_t lock;
  char *text;
  size_t room;
  _Atomic size_t length; /* written under the lock */
} printed = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void write_printed(void) {
  if (printed.length)
    fwrite(printed.text, 1, printed.length, stdout);
  printed.length = 0;
}

static bool make_room(size_t length) {
  if (printed.length + length <= printed.room)
    return true;
  size_t room = printed.room ? printed.room : 1 << 16;
  while (room < printed.length + length)
    room *= 2;
  char *text = realloc(printed.text, room);
  if (!text)
    return false;
  printed.text = text;
  printed.room = room;
  return true;
}

static void print(const char *text, size_t length) {
  pthread_mutex_lock(&printed.lock);
  if (printed.length + length > gasan_cpu_limit(cudaLimitPrintfFifoSize))
    write_printed();
  if (make_room(length)) {
    memcpy(printed.text + printed.length, text, length);
    printed.length += length;
  } else {
    write_printed();
    fwrite(text, 1, length, stdout);
  }
  pthread_mutex_unlock(&printed.lock);
}

void gasan_cpu_print_flush(void) {
  if (!atomic_load_explicit(&printed.length, memory_order_relaxed))
    return;
  pthread_mutex_lock(&printed.lock);
  write_printed();
  pthread_mutex_unlock(&printed.lock);
}

/* Reads the arguments of device printf: a packed buffer, in which each value is aligned to its size. */
struct argument_reader {
  const char *position;
};

static uint64_t read_argument(struct argument_reader *reader, size_t size) {
  uintptr_t aligned = gasan_round_up((uintptr_t)reader->position, size);
  uint64_t value = 0;
  memcpy(&value, (const void *)aligned, size);
  reader->position = (const char *)aligned + size;
  return value;
}

struct line_buffer {
  char text[4096];
  size_t length;
};

static void flush_line(struct line_buffer *line) {
  print(line->text, line->length);
  line->length = 0;
}

/* A conversion of printf, in which numbers replace `*`. */
struct conversion {
  char text[64];
  size_t length;
  bool wide; /* an integer of 8 bytes */
  char kind;
};

static void conversion_add(struct conversion *conversion, char c) {
  if (conversion->length < sizeof conversion->text - 1)
    conversion->text[conversion->length++] = c;
}

/* Parses a conversion. `format` points after the '%'. Returns the position after the conversion. */
static const char *parse_conversion(const char *format, struct argument_reader *reader, struct conversion *conversion) {
  *conversion = (struct conversion){.text = "%", .length = 1};
  for (; *format && strchr("-+ #0123456789.*hlLzjt", *format); format++) {
    if (*format == '*') {
      char number[16];
      snprintf(number, sizeof number, "%d", (int)read_argument(reader, 4));
      for (const char *digit = number; *digit; digit++)
        conversion_add(conversion, *digit);
      continue;
    }
    if (strchr("lzjt", *format))
      conversion->wide = true;
    if (*format != 'L') /* device long double is double */
      conversion_add(conversion, *format);
  }
  conversion->kind = *format;
  conversion_add(conversion, *format);
  conversion->text[conversion->length] = 0;
  return *format ? format + 1 : format;
}

/* Writes the converted value to `text`. Returns the result of snprintf. */
static int convert(const struct conversion *conversion, struct argument_reader *reader, char *text, size_t room) {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
  const char *format = conversion->text;
  double number;
  uint64_t bits;
  switch (conversion->kind) {
  case 'd':
  case 'i':
  case 'u':
  case 'x':
  case 'X':
  case 'o':
    if (conversion->wide)
      return snprintf(text, room, format, (long)read_argument(reader, 8));
    return snprintf(text, room, format, (int)read_argument(reader, 4));
  case 'c':
    return snprintf(text, room, format, (int)read_argument(reader, 4));
  case 'p':
    return snprintf(text, room, format, (void *)(uintptr_t)read_argument(reader, 8));
  case 's': {
    const char *string = (const char *)(uintptr_t)read_argument(reader, 8);
    return snprintf(text, room, format, string ? string : "(null)");
  }
  case 'f':
  case 'F':
  case 'e':
  case 'E':
  case 'g':
  case 'G':
  case 'a':
  case 'A':
    bits = read_argument(reader, 8);
    memcpy(&number, &bits, sizeof number);
    return snprintf(text, room, format, number);
  default:
    return snprintf(text, room, "%s", conversion->text); /* not a conversion: unchanged */
  }
#pragma clang diagnostic pop
}

static void print_conversion(struct line_buffer *line, const struct conversion *conversion,
                             struct argument_reader *reader) {
  struct argument_reader start = *reader;
  size_t room = sizeof line->text - line->length;
  int length = convert(conversion, reader, line->text + line->length, room);
  if (length >= (int)room) { /* repeat with the whole buffer */
    flush_line(line);
    *reader = start;
    length = convert(conversion, reader, line->text, sizeof line->text);
    if (length >= (int)sizeof line->text)
      length = (int)sizeof line->text - 1;
  }
  if (length > 0)
    line->length += (size_t)length;
}

GASAN_EXPORT int gasan_cpu_vprintf(const char *format, const void *arguments) {
  struct argument_reader reader = {arguments};
  struct line_buffer line;
  line.length = 0;
  int converted = 0;
  while (*format) {
    if (line.length == sizeof line.text)
      flush_line(&line);
    if (*format != '%') {
      line.text[line.length++] = *format++;
    } else if (format[1] == '%') {
      line.text[line.length++] = '%';
      format += 2;
    } else {
      struct conversion conversion;
      format = parse_conversion(format + 1, &reader, &conversion);
      print_conversion(&line, &conversion, &reader);
      converted++;
    }
  }
  flush_line(&line);
  return converted;
}
