/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Defines ASan's outlined entry points, so that device code instrumented by LLVM's own AddressSanitizer pass runs, too.
 * gasan_pass redirects direct calls of them to the checks, with a site number. Calls that arrive here have no site.
 *
 * Compiled once with all encodings, for gasan_pass. Compiled again for each GASAN_ASAN_GRANULE under ASan's plain
 * names, with all that a module needs, for device code that is linked with llvm-link. */
#include "gasan_rt/kernel/device_code.h" /* first: defines GASAN_DEVICE_CODE */

#include "base/sites.h"

#ifdef GASAN_ASAN_GRANULE
#define GASAN_ENTRY(name, granule) __attribute__((device)) name
#else
#define GASAN_ENTRY(name, granule) __attribute__((device)) name##_##granule
#endif

extern "C" {

#define GASAN_ASAN_ACCESS(kind, site, bytes, granule)                                                                  \
  void GASAN_ENTRY(__asan_##kind##bytes, granule)(uint64_t address) {                                                  \
    __gasan_check_range_##granule(address, bytes, site);                                                               \
  }                                                                                                                    \
  void GASAN_ENTRY(__asan_##kind##bytes##_noabort, granule)(uint64_t address) {                                        \
    __gasan_check_range_noabort_##granule(address, bytes, site);                                                       \
  }                                                                                                                    \
  void GASAN_ENTRY(__asan_report_##kind##bytes, granule)(uint64_t address) {                                           \
    __gasan_report_##granule(address, bytes, site);                                                                    \
  }                                                                                                                    \
  void GASAN_ENTRY(__asan_report_##kind##bytes##_noabort, granule)(uint64_t address) {                                 \
    __gasan_report_noabort_##granule(address, bytes, site);                                                            \
  }

#define GASAN_ASAN_KIND(kind, site, granule)                                                                           \
  GASAN_ASAN_ACCESS(kind, site, 1, granule)                                                                            \
  GASAN_ASAN_ACCESS(kind, site, 2, granule)                                                                            \
  GASAN_ASAN_ACCESS(kind, site, 4, granule)                                                                            \
  GASAN_ASAN_ACCESS(kind, site, 8, granule)                                                                            \
  GASAN_ASAN_ACCESS(kind, site, 16, granule)                                                                           \
  void GASAN_ENTRY(__asan_##kind##N, granule)(uint64_t address, uint64_t size) {                                       \
    __gasan_check_range_##granule(address, size, site);                                                                \
  }                                                                                                                    \
  void GASAN_ENTRY(__asan_##kind##N_noabort, granule)(uint64_t address, uint64_t size) {                               \
    __gasan_check_range_noabort_##granule(address, size, site);                                                        \
  }                                                                                                                    \
  void GASAN_ENTRY(__asan_report_##kind##_n, granule)(uint64_t address, uint64_t size) {                               \
    __gasan_report_##granule(address, size, site);                                                                     \
  }                                                                                                                    \
  void GASAN_ENTRY(__asan_report_##kind##_n_noabort, granule)(uint64_t address, uint64_t size) {                       \
    __gasan_report_noabort_##granule(address, size, site);                                                             \
  }

#define GASAN_ASAN_COPY(name, granule)                                                                                 \
  void *GASAN_ENTRY(__asan_##name, granule)(void *to, const void *from, uint64_t size) {                               \
    __gasan_check_range_##granule((uint64_t)from, size, GASAN_SITE_UNKNOWN_READ);                                      \
    __gasan_check_range_##granule((uint64_t)to, size, GASAN_SITE_UNKNOWN_WRITE);                                       \
    return __builtin_##name(to, from, size);                                                                           \
  }

#define GASAN_ASAN(granule)                                                                                            \
  GASAN_COLD void __gasan_report_##granule(uint64_t address, uint64_t size, uint32_t site);                            \
  GASAN_COLD_RETURNS void __gasan_report_noabort_##granule(uint64_t address, uint64_t size, uint32_t site);            \
  GASAN_NOINLINE void __gasan_check_range_##granule(uint64_t address, uint64_t size, uint32_t site);                   \
  GASAN_NOINLINE void __gasan_check_range_noabort_##granule(uint64_t address, uint64_t size, uint32_t site);           \
  GASAN_ASAN_KIND(load, GASAN_SITE_UNKNOWN_READ, granule)                                                              \
  GASAN_ASAN_KIND(store, GASAN_SITE_UNKNOWN_WRITE, granule)                                                            \
  GASAN_ASAN_COPY(memcpy, granule)                                                                                     \
  GASAN_ASAN_COPY(memmove, granule)                                                                                    \
  void *GASAN_ENTRY(__asan_memset, granule)(void *to, int value, uint64_t size) {                                      \
    __gasan_check_range_##granule((uint64_t)to, size, GASAN_SITE_UNKNOWN_WRITE);                                       \
    return __builtin_memset(to, value, size);                                                                          \
  }

/* These functions do nothing on the device, because the host does their work: it prepares the image and compares
 * versions. A device stack has no poison to clear before a call that does not return. */
GASAN_DEVICE void __asan_init(void) {}
GASAN_DEVICE void __asan_version_mismatch_check_v8(void) {}
GASAN_DEVICE void __asan_handle_no_return(void) {}

#ifndef GASAN_ASAN_GRANULE

GASAN_ASAN(8)
GASAN_ASAN(128)
GASAN_ASAN(256)

#else

#define GASAN_EXPAND(macro, argument) macro(argument)
GASAN_EXPAND(GASAN_ASAN, GASAN_ASAN_GRANULE)

/* Define the symbols by which the host recognises an image with checks: unset parameters, and a table without sites. */
__attribute__((device, constant, used)) const struct gasan_params __gasan_params = {
    .window_mask_high = GASAN_PARAMS_UNSET_MASK_HIGH,
    .window_base_high = GASAN_PARAMS_UNSET_BASE_HIGH,
    .abi_version = GASAN_ABI_VERSION,
};
extern __attribute__((device, used, aligned(8))) const struct gasan_site_table __gasan_sites = {
    .magic = GASAN_SITES_MAGIC,
    .abi_version = GASAN_ABI_VERSION,
    .total_size = sizeof(struct gasan_site_table),
    .shadow_scale = GASAN_ASAN_GRANULE == 8     ? GASAN_SCALE_8
                    : GASAN_ASAN_GRANULE == 128 ? GASAN_SCALE_128
                                                : GASAN_SCALE_256,
};

#endif
}
