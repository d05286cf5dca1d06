/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/rdc_stub.h"
#include "driver/file.h"
#include "driver/process.h"
#include "driver/temporary.h"

#include <string.h>

/* The stub's start. The object that registers last ends the registration. If an object is not linked after all,
 * `finish` ends it: clang's module constructors and `finish` have the same priority, so they run in link order, and
 * `finish` mostly runs last. `handle` is volatile, because otherwise clang would run `finish` at compile time, before
 * all others. The symbols are hidden: a shared library and the program may each have a stub. */
static const char stub_start[] = "struct wrapper {\n"
                                 "  int magic, version;\n"
                                 "  const void *data;\n"
                                 "  void *unused;\n"
                                 "};\n"
                                 "void **__cudaRegisterFatBinary(void *wrapper);\n"
                                 "void __cudaRegisterFatBinaryEnd(void **handle);\n"
                                 "void __cudaUnregisterFatBinary(void **handle);\n"
                                 "int atexit(void (*function)(void));\n"
                                 "extern const char gasan_rdc_binary[] __attribute__((visibility(\"hidden\")));\n"
                                 "static struct wrapper wrapper __attribute__((section(\".nvFatBinSegment\"), used)) = "
                                 "{0x466243b1, 1, gasan_rdc_binary, 0};\n"
                                 "static void **volatile handle;\n"
                                 "static int added;\n"
                                 "static void unregister(void) { __cudaUnregisterFatBinary(handle); }\n"
                                 "static void add(void (*register_globals)(void **)) {\n"
                                 "  if (!handle) {\n"
                                 "    handle = __cudaRegisterFatBinary(&wrapper);\n"
                                 "    atexit(unregister);\n"
                                 "  }\n"
                                 "  register_globals(handle);\n"
                                 "  if (++added == REGISTRATIONS)\n"
                                 "    __cudaRegisterFatBinaryEnd(handle);\n"
                                 "}\n"
                                 "__attribute__((constructor)) static void finish(void) {\n"
                                 "  if (handle && added < REGISTRATIONS)\n"
                                 "    __cudaRegisterFatBinaryEnd(handle);\n"
                                 "}\n";

/* Returns the path, escaped for a string of an assembler directive inside a C string. */
static const char *quoted_path(const char *path) {
  char *quoted = gasan_strings_allocate(4 * strlen(path) + 1), *end = quoted;
  for (; *path; path++) {
    if (*path == '"' || *path == '\\')
      end = stpcpy(end, "\\\\\\");
    *end++ = *path;
  }
  return quoted;
}

static const char *stub_source(const char *gpu_binary, const struct gasan_strings *registrations) {
  struct gasan_strings parts = {0};
  gasan_strings_push(&parts, gasan_strings_format("#define REGISTRATIONS %zu", registrations->count));
  gasan_strings_push(&parts, stub_start);
  gasan_strings_push(&parts, gasan_strings_format("__asm__(\".pushsection .nv_fatbin,\\\"a\\\",@progbits\\n"
                                                  ".balign 16\\n"
                                                  ".hidden gasan_rdc_binary\\n"
                                                  ".globl gasan_rdc_binary\\n"
                                                  "gasan_rdc_binary: .incbin \\\"%s\\\"\\n"
                                                  ".popsection\");",
                                                  quoted_path(gpu_binary)));
  for (size_t i = 0; i < registrations->count; i++)
    gasan_strings_push(&parts, gasan_strings_format("__attribute__((visibility(\"hidden\")))\n"
                                                    "void %s(void (*register_globals)(void **), void *binary,\n"
                                                    "        const char *id, void *unused) {\n"
                                                    "  add(register_globals);\n"
                                                    "}",
                                                    registrations->items[i]));
  gasan_strings_push(&parts, "");
  return gasan_strings_join(&parts, '\n');
}

void gasan_rdc_stub_push_compile(const struct gasan_toolchain *toolchain, const char *gpu_binary,
                                 const struct gasan_strings *registrations, const char *stem, const char *object,
                                 struct gasan_strings *command) {
  const char *file = gasan_temporary_path(gasan_strings_format("%s-stub.c", stem));
  if (gasan_process_runs()) {
    const char *source = stub_source(gpu_binary, registrations);
    gasan_file_write(file, source, strlen(source));
  }
  gasan_strings_push_each(command, toolchain->paths.clang, "-x", "c", "-std=gnu11", "-O1", "-fPIC", "-w", "-c", file,
                          "-o", object, NULL);
}
