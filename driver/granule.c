#include "driver/granule.h"
#include "device/cpu/image.h"
#include "driver/elf_sections.h"
#include "driver/message.h"
#include "driver/rdc_container.h"

#include <string.h>

static void add(struct gasan_granules *granules, const char *file, const char *granule) {
  if (granules->granule && strcmp(granules->granule, granule))
    gasan_message_fatal("'%s' was compiled with -fsanitize-gpu-address-granule=%s, but '%s' with %s; compile both with "
                        "the same",
                        granules->file, granules->granule, file, granule);
  *granules = (struct gasan_granules){granule, file};
}

void gasan_granules_add(struct gasan_granules *granules, const char *file, struct gasan_bytes object) {
  struct gasan_bytes section;
  if (!gasan_elf_is_relocatable(object))
    return;
  if (gasan_elf_find_section(object, GASAN_CPU_SCALE_SECTION, &section))
    for (size_t i = 0; i < section.size; i++)
      add(granules, file, gasan_strings_format("%u", 1u << (section.data[i] & 31)));
  if (gasan_elf_find_section(object, GASAN_RDC_SECTION, &section)) {
    struct gasan_rdc_container container;
    for (size_t offset = 0; gasan_rdc_container_read(section, &offset, &container);)
      if (strcmp(container.mode, "bst")) /* which has no shadow */
        add(granules, file, container.granule);
  }
}
