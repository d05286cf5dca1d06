/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/agreement.h"
#include "device/cpu/image.h"
#include "driver/elf_sections.h"
#include "driver/message.h"
#include "driver/rdc_container.h"

#include <string.h>

static void add(struct gasan_common_value *common, const char *option, const char *file, const char *value) {
  if (common->value && strcmp(common->value, value) != 0)
    gasan_message_fatal(
        "'%s' was compiled with -fsanitize-gpu-address-%s=%s, but '%s' with %s; compile both with the same",
        common->file, option, common->value, file, value);
  *common = (struct gasan_common_value){value, file};
}

static void add_note(struct gasan_agreement *agreement, const char *file, unsigned char note) {
  if (note & GASAN_CPU_NOTE_SCALE) /* absent in bst mode, which has no shadow */
    add(&agreement->granule, "granule", file, gasan_strings_format("%u", 1u << (note & GASAN_CPU_NOTE_SCALE)));
  add(&agreement->tags, "tags", file, note & GASAN_CPU_NOTE_TAGS ? "on" : "off");
}

const char *gasan_agreement_cuda(struct gasan_bytes object) {
  struct gasan_bytes section;
  if (!gasan_elf_find_section(object, ".gasan.cuda", &section) || !memchr(section.data, 0, section.size))
    return NULL;
  return (const char *)section.data;
}

static void add_cuda(struct gasan_common_value *common, const char *file, const char *cuda) {
  if (common->value && strcmp(common->value, cuda) != 0)
    gasan_message_fatal("'%s' was compiled with a CUDA %s toolkit, but '%s' with CUDA %s; compile both with the same",
                        common->file, common->value, file, cuda);
  *common = (struct gasan_common_value){cuda, file};
}

void gasan_agreement_add(struct gasan_agreement *agreement, const char *file, struct gasan_bytes object) {
  struct gasan_bytes section;
  if (!gasan_elf_is_relocatable(object))
    return;
  const char *cuda = gasan_agreement_cuda(object);
  if (cuda)
    add_cuda(&agreement->cuda, file, cuda);
  if (gasan_elf_find_section(object, GASAN_CPU_NOTE_SECTION, &section))
    for (size_t i = 0; i < section.size; i++)
      add_note(agreement, file, section.data[i]);
  if (gasan_elf_find_section(object, GASAN_RDC_SECTION, &section)) {
    struct gasan_rdc_container container;
    for (size_t offset = 0; gasan_rdc_container_read(section, &offset, &container);) {
      if (strcmp(container.mode, "bst") != 0)
        add(&agreement->granule, "granule", file, container.granule);
      add(&agreement->tags, "tags", file, container.tags);
    }
  }
}
