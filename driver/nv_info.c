/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/nv_info.h"
#include "base/proof_table.h"
#include "driver/elf_sections.h"
#include "driver/registers.h"
#include "driver/strings.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Attributes of the section: a format, a number and, for this format, the size of the value that follows. */
#define FORMAT_SIZED 4
#define REGISTERS 0x2f

bool gasan_nv_info_open(const char *path, struct gasan_nv_info *info) {
  *info = (struct gasan_nv_info){0};
  return gasan_file_try_read(path, &info->binary) && gasan_elf_find_section(info->binary, ".nv.info", &info->section);
}

const char *gasan_nv_info_next(struct gasan_nv_info *info, unsigned *registers) {
  while (info->section.size - info->at >= 4) {
    const unsigned char *attribute = (const unsigned char *)info->section.data + info->at;
    unsigned size = attribute[0] == FORMAT_SIZED ? attribute[2] | (unsigned)attribute[3] << 8 : 0;
    if (info->section.size - info->at - 4 < size)
      break;
    info->at += 4 + size;
    uint32_t values[2]; /* symbol, count */
    if (attribute[1] != REGISTERS || size != sizeof values)
      continue;
    memcpy(values, attribute + 4, sizeof values);
    *registers = values[1];
    return gasan_elf_symbol(info->binary, values[0]);
  }
  return NULL;
}

/* Returns true for kernels, which have a constant bank for their parameters; functions have none. */
static bool is_kernel_itself(struct gasan_bytes binary, const char *name) {
  struct gasan_bytes bank;
  return !gasan_strings_start(name, "__gasan_") &&
         gasan_elf_find_section(binary, gasan_strings_format(".nv.constant0.%s", name), &bank);
}

static void print_variant(struct gasan_nv_info info, const char *prefix, const char *kernel, const char *what) {
  unsigned registers;
  const char *name;
  info.at = 0;
  while ((name = gasan_nv_info_next(&info, &registers)))
    if (gasan_strings_start(name, prefix) && !strcmp(name + strlen(prefix), kernel))
      fprintf(stderr, "%s%u (%u blocks)", what, registers, gasan_registers_blocks(registers));
}

void gasan_nv_info_print(const char *path, const char *architecture) {
  struct gasan_nv_info info;
  unsigned registers;
  const char *name;
  if (!gasan_nv_info_open(path, &info))
    return;
  while ((name = gasan_nv_info_next(&info, &registers))) {
    if (!is_kernel_itself(info.binary, name))
      continue;
    fprintf(stderr, "gasan: kernel %s takes %u registers on %s (%u blocks of 256 threads)", name, registers,
            architecture, gasan_registers_blocks(registers));
    print_variant(info, GASAN_PROVEN_PREFIX, name, "; proven ");
    print_variant(info, GASAN_BOUNDED_PREFIX, name, "; in part ");
    print_variant(info, GASAN_WIDE_PREFIX, name, "; wide ");
    print_variant(info, GASAN_FITTED_PREFIX GASAN_PROVEN_PREFIX, name, "; proven, fitted ");
    fputc('\n', stderr);
  }
}
