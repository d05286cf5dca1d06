/* What device code prints (printf, assert) and its heap. */
#include <stdio.h>
#include <stdlib.h>

#include "device/cpu/worker.h"

/* The arguments of device printf: a packed buffer, each value aligned to its size. */
struct argument_reader {
  const char *position;
};

static uint64_t read_argument(struct argument_reader *reader, size_t size) {
  uintptr_t aligned = ((uintptr_t)reader->position + size - 1) & ~(uintptr_t)(size - 1);
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
  fwrite(line->text, 1, line->length, stdout);
  line->length = 0;
}

/* One conversion as printf has it, with any `*` replaced by its number. */
struct conversion {
  char text[64];
  size_t length;
  bool wide; /* 8-byte integer */
  char kind;
};

static void conversion_add(struct conversion *conversion, char c) {
  if (conversion->length < sizeof conversion->text - 1)
    conversion->text[conversion->length++] = c;
}

/* `format` points behind the '%'; returns the position behind the conversion. */
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

/* Appends the converted value; returns what snprintf returns. */
static int convert(const struct conversion *conversion, struct argument_reader *reader, char *text, size_t room) {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
  const char *format = conversion->text;
  double number;
  uint64_t bits;
  switch (conversion->kind) {
  case 'd': case 'i': case 'u': case 'x': case 'X': case 'o':
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
  case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': case 'A':
    bits = read_argument(reader, 8);
    memcpy(&number, &bits, sizeof number);
    return snprintf(text, room, format, number);
  default:
    return snprintf(text, room, "%s", conversion->text); /* not a conversion: as it stands */
  }
#pragma clang diagnostic pop
}

static void print_conversion(struct line_buffer *line, const struct conversion *conversion,
                             struct argument_reader *reader) {
  struct argument_reader start = *reader;
  size_t room = sizeof line->text - line->length;
  int length = convert(conversion, reader, line->text + line->length, room);
  if (length >= (int)room) { /* once more, with the whole buffer */
    flush_line(line);
    *reader = start;
    length = convert(conversion, reader, line->text, sizeof line->text);
    if (length >= (int)sizeof line->text)
      length = (int)sizeof line->text - 1;
  }
  if (length > 0)
    line->length += (size_t)length;
}

__attribute__((visibility("default"))) int gasan_cpu_vprintf(const char *format, const void *arguments) {
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

__attribute__((visibility("default"))) void gasan_cpu_assert_fail(const char *message, const char *file, uint32_t line,
                                                                  const char *function, uint64_t char_size) {
  const struct gasan_cpu_thread *thread = &gasan_cpu_thread;
  fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file, line, function,
          thread->ctaid[0], thread->ctaid[1], thread->ctaid[2], thread->tid[0], thread->tid[1], thread->tid[2], message);
  gasan_cpu_trap(GASAN_CPU_ERROR_ASSERT);
}

__attribute__((visibility("default"))) void *gasan_cpu_malloc(uint64_t size) {
  return malloc(size);
}

__attribute__((visibility("default"))) void gasan_cpu_free(void *pointer) {
  free(pointer);
}
