/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* GASAN_EXPORT: the program or an image sees this function or variable, although the library hides its symbols. */
#ifndef GASAN_BASE_EXPORT_H
#define GASAN_BASE_EXPORT_H

#define GASAN_EXPORT __attribute__((visibility("default")))

#endif
