/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* EXPORT marks functions that the program may call (calls/exports.map). */
#ifndef GASAN_RT_EXPORT_H
#define GASAN_RT_EXPORT_H

#define EXPORT __attribute__((visibility("default")))

#endif
