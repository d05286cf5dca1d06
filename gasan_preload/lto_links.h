/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Links of LTO-IR by nvJitLink, for instrument=on. Only NVIDIA's tools read LTO-IR, but nvJitLink makes PTX of a link
 * that has nothing else (-lto -ptx). The link's other PTX is linked with that PTX by gasan-lift. nvJitLink drops
 * functions of LTO-IR that only other PTX calls; such a link fails here, and gets no checks. So a link is made twice:
 * for its PTX, whose checked cubin is then the program's result, and by the program itself if there is no such cubin. A
 * link is used by one thread at a time, as nvJitLink demands; one lock is for the list of links. */
#ifndef GASAN_PRELOAD_LTO_LINKS_H
#define GASAN_PRELOAD_LTO_LINKS_H

#include <stdbool.h>
#include <stddef.h>

/* nvJitLink's functions of the program's library, and the endings of their names ("_13_0", or ""). */
struct gasan_lto_library {
  const void *function; /* any function of the library */
  const char *ending;
  int (*create)(void **linker, unsigned count, const char **options);
  int (*add)(void *linker, int type, const void *data, size_t size, const char *name);
  int (*complete)(void *linker);
  int (*destroy)(void **linker);
};

/* Call after a link was created. Remembers links with -lto, but for those whose PTX the program wants. */
void gasan_lto_link_start(void *linker, unsigned count, const char **options);
/* Returns true for a link that was remembered. */
bool gasan_lto_link_is(void *linker);
/* Copies an input that was added. */
void gasan_lto_link_add(void *linker, int type, const void *data, size_t size, const char *name);
/* Makes the checked cubin. Returns false if there can be none, after the reason. */
bool gasan_lto_link_complete(void *linker, const struct gasan_lto_library *library);
/* Returns the checked cubin, which lives as long as the link; NULL: there is none. */
const void *gasan_lto_link_cubin(void *linker, size_t *size);
void gasan_lto_link_end(void *linker);

#endif
