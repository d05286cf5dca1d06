/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks the strings that printf reads. */
#include "gasan_rt/kernel/device_code.h" /* first: defines GASAN_DEVICE_CODE */

#include "base/printf.h"
#include "gasan_rt/kernel/local_bounds.h"
#include "shadow/bounds.h"
#include "shadow/tags.h"

/* Returns the address of a pointer's byte, without the tag. */
GASAN_INLINE const char *gasan_bytes_at(uint64_t address) {
  return (const char *)(__gasan_params.flags & GASAN_FLAG_TAGS ? gasan_tag_strip(address) : address);
}

extern "C" {

GASAN_NOINLINE struct gasan_bounds __gasan_bounds_any(uint64_t pointer, uint32_t site);
GASAN_COLD void __gasan_report_bounds(uint64_t address, uint64_t size, uint32_t site, uint64_t base,
                                      uint64_t bounds_size, uint32_t object);

/* Returns the number of bytes that printf reads from a string: up to its terminator, at most `most`. If the object ends
 * before the terminator, returns one byte more than the object has. Returns 0 if the object is not known, and for the
 * null pointer, which printf prints as a word. Reads only bytes of the object. */
GASAN_NOINLINE uint64_t __gasan_string_size(uint64_t address, uint64_t base, uint64_t size, uint64_t most) {
  uint64_t offset = address - base, left = offset < size ? size - offset : 0, read = 0;
  if (!address || size >= gasan_unknown_bounds().size)
    return 0;
  const char *string = gasan_bytes_at(address);
  while (read < left && read < most)
    if (!string[read++])
      return read;
  return read < most ? read + 1 : read;
}

/* Checks the string arguments of a printf whose format the compiler does not know. Reads only [base, base + size) of
 * the format, and `room` bytes of the arguments. */
GASAN_NOINLINE void __gasan_check_printf(uint64_t format, uint64_t base, uint64_t size, uint64_t arguments,
                                         uint64_t room, uint32_t site) {
  uint64_t length = __gasan_string_size(format, base, size, GASAN_PRINTF_NONE), offset = format - base;
  uint64_t left = offset < size ? size - offset : 0;
  const char *text = gasan_bytes_at(format);
  struct gasan_printf_reader reader = {text, text + (length < left ? length : left), 0};
  struct gasan_printf_string string;
  while (length && arguments && gasan_printf_next(&reader, &string) && string.pointer_at + sizeof(uint64_t) <= room) {
    uint64_t pointer = *(const uint64_t *)gasan_bytes_at(arguments + string.pointer_at);
    struct gasan_bounds bounds = __gasan_bounds_any(pointer, site);
    uint64_t read = __gasan_string_size(pointer, bounds.base, bounds.size, string.precision);
    if (read && !gasan_bounds_allow(bounds, pointer, read))
      __gasan_report_bounds(pointer, read, site, bounds.base, bounds.size, bounds.object);
  }
}

/* Returns the number of argument bytes that the format reads. Returns 0 if the format has a conversion that CUDA does
 * not know: the arguments after it cannot be located. */
GASAN_INLINE uint64_t gasan_arguments_size(const char *format) {
  struct gasan_printf_reader reader = {format, (const char *)GASAN_PRINTF_NONE, 0};
  struct gasan_printf_string string;
  while (gasan_printf_next(&reader, &string))
    ;
  return gasan_printf_peek(&reader) ? 0 : reader.arguments;
}

/* Returns the arguments' buffer for printf. CUDA's printf follows string pointers, so these must have no tags. The
 * buffer has `room` bytes, or GASAN_PRINTF_NONE for an unknown number. The result is `copy` (of `room` bytes, or of
 * GASAN_PRINTF_MOST) with the tags removed. Arguments that may not fit into the copy are changed in place. */
GASAN_NOINLINE uint64_t __gasan_untag_strings(uint64_t format, uint64_t arguments, uint64_t room, uint64_t copy) {
  if (!format || !arguments || !(__gasan_params.flags & GASAN_FLAG_TAGS))
    return arguments;
  uint64_t size = room;
  if (room == GASAN_PRINTF_NONE) {
    uint64_t wanted = gasan_arguments_size((const char *)format);
    size = wanted <= GASAN_PRINTF_MOST ? wanted : 0;
  }
  for (uint64_t i = 0; i < size; ++i)
    ((volatile char *)copy)[i] = ((const char *)arguments)[i];
  uint64_t printed = size ? copy : arguments;
  struct gasan_printf_reader reader = {(const char *)format, (const char *)GASAN_PRINTF_NONE, 0};
  struct gasan_printf_string string;
  while (gasan_printf_next(&reader, &string) && string.pointer_at + sizeof(uint64_t) <= room) {
    uint64_t *pointer = (uint64_t *)(printed + string.pointer_at);
    /* Write only where there is a tag: a read-only buffer has none. */
    if (gasan_tag_of(*pointer))
      *pointer = gasan_tag_strip(*pointer);
  }
  return printed;
}
}
