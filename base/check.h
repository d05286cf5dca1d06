/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* GASAN_CHECK states an invariant of gasan. A failed check is a bug in gasan, never in the program under test. It
 * prints its place in the source and aborts the process. Any thread; does not allocate. */
#ifndef GASAN_BASE_CHECK_H
#define GASAN_BASE_CHECK_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define GASAN_COLD __attribute__((cold, noinline))
#define GASAN_NORETURN __attribute__((noreturn))
#else
#define GASAN_COLD
#define GASAN_NORETURN
#endif

GASAN_NORETURN GASAN_COLD void gasan_check_failed(const char *file, int line, const char *condition);

#define GASAN_CHECK(condition) ((condition) ? (void)0 : gasan_check_failed(__FILE__, __LINE__, #condition))

#ifdef __cplusplus
}
#endif
#endif
