/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/site_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/abi.h"

struct gasan_sites {
  const struct gasan_site_table *header;
  const struct gasan_site *sites;
  const struct gasan_frame *frames;
  const struct gasan_kernel_entry *kernels;
  const struct gasan_object *objects;
  const uint32_t *reach;
  const char *strings;
  _Alignas(8) unsigned char blob[];
};

static bool array_fits(uint32_t total, uint32_t offset, uint64_t count, size_t element, size_t alignment) {
  return offset % alignment == 0 && offset <= total && count <= (total - offset) / element;
}

#define FITS(array, count, type) array_fits(total, table->array##_offset, table->count, sizeof(type), _Alignof(type))

static bool table_fits(const struct gasan_site_table *table, size_t size) {
  uint32_t total = table->total_size;
  return table->magic == GASAN_SITES_MAGIC && table->abi_version == GASAN_ABI_VERSION && total <= size &&
         FITS(sites, site_count, struct gasan_site) && FITS(frames, frame_count, struct gasan_frame) &&
         FITS(kernels, kernel_count, struct gasan_kernel_entry) && FITS(objects, object_count, struct gasan_object) &&
         FITS(reach, reach_words, uint32_t) && table->strings_offset <= total &&
         table->strings_size <= total - table->strings_offset;
}

#undef FITS

static bool site_fits(const struct gasan_sites *sites, const struct gasan_site *site) {
  const struct gasan_site_table *table = sites->header;
  if (site->first_frame > table->frame_count || site->frame_count > table->frame_count - site->first_frame)
    return false;
  if (site->reach >= table->reach_words)
    return table->reach_words == 0;
  return sites->reach[site->reach] < table->reach_words - site->reach;
}

struct gasan_sites *gasan_sites_parse(const void *blob, size_t size) {
  if (size < sizeof(struct gasan_site_table))
    return NULL;
  struct gasan_sites *sites = malloc(sizeof *sites + size + 1);
  if (!sites)
    return NULL;
  memcpy(sites->blob, blob, size);
  sites->blob[size] = 0;
  const struct gasan_site_table *table = (const void *)sites->blob;
  sites->header = table;
  if (!table_fits(table, size)) {
    free(sites);
    return NULL;
  }
  sites->sites = (const void *)(sites->blob + table->sites_offset);
  sites->frames = (const void *)(sites->blob + table->frames_offset);
  sites->kernels = (const void *)(sites->blob + table->kernels_offset);
  sites->objects = (const void *)(sites->blob + table->objects_offset);
  sites->reach = (const void *)(sites->blob + table->reach_offset);
  sites->strings = (const char *)sites->blob + table->strings_offset;
  if (table->strings_size)
    sites->blob[table->strings_offset + table->strings_size - 1] = 0;
  for (uint32_t i = 0; i < table->site_count; i++)
    if (!site_fits(sites, &sites->sites[i])) {
      free(sites);
      return NULL;
    }
  return sites;
}

void gasan_sites_free(struct gasan_sites *sites) {
  free(sites);
}

uint32_t gasan_sites_count(const struct gasan_sites *sites) {
  return sites->header->site_count;
}

uint32_t gasan_sites_kernel_count(const struct gasan_sites *sites) {
  return sites->header->kernel_count;
}

uint32_t gasan_sites_unchecked(const struct gasan_sites *sites) {
  return sites->header->unchecked_count;
}

const struct gasan_site *gasan_sites_site(const struct gasan_sites *sites, uint32_t site) {
  return site < sites->header->site_count ? &sites->sites[site] : NULL;
}

const struct gasan_frame *gasan_sites_frame(const struct gasan_sites *sites, const struct gasan_site *site,
                                            uint32_t i) {
  return &sites->frames[site->first_frame + i];
}

uint32_t gasan_sites_object_count(const struct gasan_sites *sites) {
  return sites->header->object_count;
}

const struct gasan_object *gasan_sites_object(const struct gasan_sites *sites, uint32_t object) {
  return object > 0 && object <= sites->header->object_count ? &sites->objects[object - 1] : NULL;
}

const char *gasan_sites_string(const struct gasan_sites *sites, uint32_t offset) {
  return offset < sites->header->strings_size ? sites->strings + offset : "";
}

static const struct gasan_kernel_entry *find_kernel(const struct gasan_sites *sites, const char *symbol) {
  for (uint32_t i = 0; i < sites->header->kernel_count; i++)
    if (strcmp(gasan_sites_string(sites, sites->kernels[i].name), symbol) == 0)
      return &sites->kernels[i];
  return NULL;
}

const char *gasan_sites_pretty_kernel(const struct gasan_sites *sites, const char *symbol) {
  const struct gasan_kernel_entry *kernel = find_kernel(sites, symbol);
  return kernel ? gasan_sites_string(sites, kernel->pretty) : NULL;
}

uint32_t gasan_sites_kernel_flags(const struct gasan_sites *sites, const char *symbol) {
  const struct gasan_kernel_entry *kernel = find_kernel(sites, symbol);
  return kernel ? kernel->flags : 0;
}

uint32_t gasan_sites_kernel_sites(const struct gasan_sites *sites, const char *symbol) {
  const struct gasan_kernel_entry *kernel = find_kernel(sites, symbol);
  return kernel ? kernel->site_count : 0;
}

bool gasan_sites_reaches(const struct gasan_sites *sites, const struct gasan_site *site, const char *symbol) {
  if (site->reach >= sites->header->reach_words)
    return false;
  uint32_t count = sites->reach[site->reach];
  for (uint32_t i = 0; i < count; i++) {
    uint32_t kernel = sites->reach[site->reach + 1 + i];
    if (kernel < sites->header->kernel_count &&
        strcmp(gasan_sites_string(sites, sites->kernels[kernel].name), symbol) == 0)
      return true;
  }
  return false;
}
