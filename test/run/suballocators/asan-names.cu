// ASan's functions for device memory: an arena poisons its memory, and makes blocks accessible. Its callbacks see the
// report and the end.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t after 2>&1 | FileCheck %s --check-prefixes=NAMES,AFTER
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefixes=NAMES,FREED
// RUN: %run %t correct 2>&1 | FileCheck %s --check-prefixes=NAMES,CORRECT
// RUN: %gasan -O2 -DOPTIONS %s -o %t.options
// RUN: %exit=43 %t.options after 2>&1 | FileCheck %s --check-prefix=AFTER
// RUN: %options=exitcode=9 %exit=9 %t.options after 2>&1 | FileCheck %s --check-prefix=AFTER
// NAMES: fresh: no poison
// NAMES-NEXT: gasan: __asan_poison_memory_region leaves bytes in the middle of accessible memory accessible
// NAMES: poisoned: from byte 0
// NAMES-NEXT: two blocks: from byte 400
// NAMES-NEXT: joined: from byte 1000
// NAMES-NEXT: the end of a block: from byte 936
// NAMES-NEXT: located: heap, byte 0, 936 bytes
// NAMES-NEXT: a stack of {{[1-9]}} frames by T0
// NAMES-NEXT: is located 8 bytes inside of 936-byte region
// NAMES-NEXT: allocated by host thread T0 here:
// NAMES-NEXT: in __asan_unpoison_memory_region
// AFTER: ERROR: AddressSanitizer: heap-buffer-overflow
// AFTER: #0 fill(float*, int) {{.*}}asan-names.cu:[[#@LINE+17]]:
// AFTER: is located 0 bytes after 936-byte region
// AFTER: report: heap-buffer-overflow, {{[0-9]+}} bytes, whole
// AFTER: the end
// FREED: ERROR: AddressSanitizer: heap-use-after-free
// FREED: #0 fill(float*, int) {{.*}}asan-names.cu:[[#@LINE+12]]:
// FREED: freed by host thread T0 here:
// FREED-NEXT: in __asan_poison_memory_region
// FREED: report: heap-use-after-free
// CORRECT-NOT: ERROR
#include <gasan/gasan.h>

#include <cstdio>
#include <cstring>

__global__ void fill(float *values, int count) {
  if (threadIdx.x < count)
    values[threadIdx.x] = 1;
}

#ifdef OPTIONS
extern "C" const char *__gasan_default_options() {
  return "exitcode=43";
}
#endif

static void tell(const char *what, char *arena) {
  char *first = (char *)__asan_region_is_poisoned(arena, 4096);
  if (first)
    fprintf(stderr, "%s: from byte %d\n", what, int(first - arena));
  else
    fprintf(stderr, "%s: no poison\n", what);
}

static void see(const char *report) {
  const char *kind = strstr(report, "AddressSanitizer: ") + 18;
  fprintf(stderr, "report: %.*s, %d bytes, %s\n", int(strcspn(kind, " ")), kind, int(strlen(report)),
          strstr(report, "\nSUMMARY: ") ? "whole" : "without its end");
}

int main(int, char **arguments) {
  char *arena, name[8];
  void *base, *trace[8];
  size_t size;
  int thread = -1;
  cudaMalloc(&arena, 4096);
  __asan_set_error_report_callback(see);
  __asan_set_death_callback([] { fprintf(stderr, "the end\n"); });
  tell("fresh", arena);
  __asan_poison_memory_region(arena + 64, 64);
  __asan_poison_memory_region(arena, 4096);
  tell("poisoned", arena);
  __asan_unpoison_memory_region(arena, 400);
  __asan_unpoison_memory_region(arena + 512, 488);
  tell("two blocks", arena);
  __asan_unpoison_memory_region(arena + 400, 112);
  tell("joined", arena);
  __asan_poison_memory_region(arena + 936, 2000);
  tell("the end of a block", arena);
  const char *where = __asan_locate_address(arena + 8, name, sizeof name, &base, &size);
  fprintf(stderr, "located: %s, byte %d, %d bytes\n", where, int((char *)base - arena), int(size));
  fprintf(stderr, "a stack of %d frames", int(__asan_get_alloc_stack(arena + 8, trace, 8, &thread)));
  fprintf(stderr, " by T%d\n", thread);
  __asan_describe_address(arena + 8);
  if (!strcmp(arguments[1], "freed"))
    __asan_poison_memory_region(arena, 4096);
  fill<<<1, 256>>>((float *)arena, strcmp(arguments[1], "after") ? 234 : 235);
  return cudaDeviceSynchronize() != cudaSuccess;
}
