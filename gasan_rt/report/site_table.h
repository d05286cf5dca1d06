/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies and checks the site table of a device image (base/sites.h has the image's format). Any thread; no lock: a
 * table does not change. */
#ifndef GASAN_RT_SITE_TABLE_H
#define GASAN_RT_SITE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sites.h"

struct gasan_sites;

/* Copies the table from an image. Returns NULL if it is not a table of this version; each offset is checked here,
 * once. */
struct gasan_sites *gasan_sites_parse(const void *blob, size_t size);
void gasan_sites_free(struct gasan_sites *sites);

uint32_t gasan_sites_count(const struct gasan_sites *sites);
uint32_t gasan_sites_kernel_count(const struct gasan_sites *sites);
/* Returns the number of accesses in the image without a check. */
uint32_t gasan_sites_unchecked(const struct gasan_sites *sites);

/* Returns NULL if there is no such site. */
const struct gasan_site *gasan_sites_site(const struct gasan_sites *sites, uint32_t site);
/* Returns the site's i-th frame, 0 the innermost; i < frame_count. */
const struct gasan_frame *gasan_sites_frame(const struct gasan_sites *sites, const struct gasan_site *site, uint32_t i);
uint32_t gasan_sites_object_count(const struct gasan_sites *sites);
/* Returns the variable with this number, from 1, in records. NULL if there is none, and for enum gasan_object_code. */
const struct gasan_object *gasan_sites_object(const struct gasan_sites *sites, uint32_t object);
/* Returns "" for an offset outside the table. */
const char *gasan_sites_string(const struct gasan_sites *sites, uint32_t offset);
/* Returns the demangled name of the kernel with this symbol, or NULL. */
const char *gasan_sites_pretty_kernel(const struct gasan_sites *sites, const char *symbol);

/* Returns the kernel's enum gasan_kernel_flag; 0 if it is not in the table. */
uint32_t gasan_sites_kernel_flags(const struct gasan_sites *sites, const char *symbol);
/* Returns the number of sites that the kernel may run; 0 also if it is not in the table. */
uint32_t gasan_sites_kernel_sites(const struct gasan_sites *sites, const char *symbol);
/* Returns true if the kernel may run the site. */
bool gasan_sites_reaches(const struct gasan_sites *sites, const struct gasan_site *site, const char *symbol);

#endif
