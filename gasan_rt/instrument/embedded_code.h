/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The containers that nvcc has embedded in a program or a library: a program that loads one of them mostly loads the
 * others, too. Any thread. One lock (`objects_lock`), under which nothing is called. */
#ifndef GASAN_RT_EMBEDDED_CODE_H
#define GASAN_RT_EMBEDDED_CODE_H

/* Called with code that the program loads. If the code lies in a program or a library, starts the work for all other
 * code there; at the first call for each. */
void gasan_embedded_code_expect(const void *image, int architecture);

#endif
