/* judge TABLE SEED wrap|promise|lifted [NAME:ARGUMENT ...]: runs the kernels of kernels.py thread by thread, in random
 * launches from SEED. Each access must be in the range that a claim about its argument has for the launch. The program
 * skips the accesses by the named arguments, which keep their checks and need no claim. If all claims about indices of
 * arrays in structs hold, and none of these checks is kept (ARGUMENT is 10), each such index must be good. Code from
 * PTX (lifted) has no fields. It prints "FAIL ..." for each access outside of the claims, then "N passed, N failed". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "proof/kernel_claims.h"

#define ARGUMENTS 16 /* ten pointers, data, n, m, u, s, table */
#define POINTERS 10
#define FIELDS POINTERS /* in place of an argument: checks of indices */

extern const struct kernel kernels[];
extern const int kernel_count;

int tx, ty, bx, by, bdx, bdy, gdx, n, m, data[4], ticks;
unsigned u;
struct table table;
float s;
bool broken;

#define MOST_TOUCHES 100000
static struct touch {
  int argument, width;
  long long index;
} touches[MOST_TOUCHES]; /* the accesses of this thread */
static int touched;

static struct gasan_proof *proof;
static bool overflow_wraps, has_fields;
static bool ignored[POINTERS + 1], fields_are_proven;
static unsigned long accesses, bounded, claims;

static bool is_claimed(int argument, int width, uint64_t offset, bool *any) {
  for (uint32_t i = 0; i < proof->claim_count; i++) {
    const struct gasan_claim *claim = &proof->claims[i];
    if (claim->root != GASAN_ROOT_ARGUMENT || claim->argument != (uint32_t)argument)
      continue;
    *any = true;
    struct gasan_interval offsets = proof->values[claim->node].interval;
    uint64_t from = offset - offsets.low; /* the claim's first byte */
    if (!offsets.empty && from <= UINT64_MAX - (uint64_t)width &&
        from + (uint64_t)width - 1 <= offsets.span + (claim->width - 1))
      return true;
    if (!offsets.empty && offsets.span > UINT64_MAX - claim->width) /* all bytes, or all multiples of the width */
      return true;
  }
  return false;
}

void touch(int argument, int width, long long index) {
  if (!broken && touched < MOST_TOUCHES)
    touches[touched++] = (struct touch){argument, width, index};
}

bool touch_field(int argument, long long index, int size) {
  if (broken)
    return false;
  if (index >= 0 && index < size) {
    touch(argument, 4, index + 1);
    return true;
  }
  if (!has_fields) /* the thread goes on, but an index outside of an array is undefined */
    broken = true;
  else if (touched < MOST_TOUCHES)
    touches[touched++] = (struct touch){FIELDS, 4, index};
  return false;
}

static void judge_field(const struct touch *it) {
  if (!fields_are_proven)
    return;
  ignored[FIELDS] = true;
  printf(
      "FAIL %s has the index %lld of a field, thread %d %d, block %d %d; blockDim %d %d, gridDim.x %d, n %d, m %d, u "
      "%u, s %g, data %d %d %d %d\n",
      proof->name, it->index, tx, ty, bx, by, bdx, bdy, gdx, n, m, u, (double)s, data[0], data[1], data[2], data[3]);
}

static bool holds(const struct gasan_claim *claim) {
  struct gasan_interval index = proof->values[claim->node].interval;
  return index.empty || (index.low < claim->size && index.span < claim->size - index.low);
}

static void judge(const struct touch *it) {
  bool any = false;
  if (ignored[it->argument])
    return;
  accesses++;
  if (it->argument == FIELDS) {
    judge_field(it);
    return;
  }
  if (is_claimed(it->argument, it->width, (uint64_t)it->index * (uint64_t)it->width, &any) || !any)
    return;
  ignored[it->argument] = true;
  printf("FAIL %s touches a%d[%lld] (of %d bytes), thread %d %d, block %d %d; blockDim %d %d, gridDim.x %d, n %d, m "
         "%d, u %u, s %g, data %d %d %d %d\n",
         proof->name, it->argument, it->index, it->width, tx, ty, bx, by, bdx, bdy, gdx, n, m, u, (double)s, data[0],
         data[1], data[2], data[3]);
  for (uint32_t i = 0; i < proof->claim_count; i++)
    if (proof->claims[i].root == GASAN_ROOT_ARGUMENT && proof->claims[i].argument == (uint32_t)it->argument) {
      struct gasan_interval offsets = proof->values[proof->claims[i].node].interval;
      printf("  claimed: %s%lld and %llu on, %u bytes\n", offsets.empty ? "nothing, not " : "", (long long)offsets.low,
             (unsigned long long)offsets.span, proof->claims[i].width);
    }
}

/* A compiler assumes that no thread has undefined behaviour, also before the undefined operation: such threads do not
 * count. If overflow is undefined, threads with a long loop do not count either, since an overflow may end the loop. */
static void run_thread(const struct kernel *kernel) {
  ticks = touched = 0;
  broken = false;
  kernel->run();
  if (!broken && (overflow_wraps || ticks <= MOST_TICKS))
    for (int i = 0; i < touched; i++)
      judge(&touches[i]);
}

/* Called by the host's code at an undefined overflow (-fsanitize-minimal-runtime). */
#define BROKEN(name)                                                                                                   \
  void __ubsan_handle_##name##_overflow_minimal(void);                                                                 \
  void __ubsan_handle_##name##_overflow_minimal(void) {                                                                \
    broken = true;                                                                                                     \
  }
BROKEN(add)
BROKEN(sub)
BROKEN(mul)
BROKEN(negate)
BROKEN(divrem)

static int number(int usual) {
  static const int odd[] = {0,          1,       -1,  2, 3, 5, 7, 8, 16, 31, 33, 100, -5, 0x7fffffff, -0x7fffffff - 1,
                            0x7ffffff0, 1 << 30, -100};
  return rand() % 3 ? rand() % usual - usual / 10 : odd[(unsigned)rand() % (sizeof odd / sizeof *odd)];
}

static void launch(const struct kernel *kernel) {
  n = number(40);
  m = number(60);
  u = (unsigned)number(50);
  static const float factors[] = {0.5f, 2, 1.0f / 3, 0.1f, -1, 0, 1e-40f, 1e30f, INFINITY, NAN, 1.5f, 0.9999999f};
  s = factors[(unsigned)rand() % (sizeof factors / sizeof *factors)];
  for (int i = 0; i < 4; i++)
    data[i] = number(60);
  for (int i = 0; i < 12; i++)
    table.numbers[i] = number(40);
  for (int i = 0; i < 16; i++)
    table.bytes[i] = (unsigned char)number(40);
  bdx = 1 + rand() % 9;
  bdy = 1 + rand() % 3;
  gdx = 1 + rand() % 5;
  int gdy = 1 + rand() % 2;
  uint64_t zero = 0;
  void *arguments[ARGUMENTS];
  for (int i = 0; i < ARGUMENTS; i++)
    arguments[i] = &zero;
  arguments[ARGUMENTS - 5] = &n;
  arguments[ARGUMENTS - 4] = &m;
  arguments[ARGUMENTS - 3] = &u;
  arguments[ARGUMENTS - 2] = &s;
  arguments[ARGUMENTS - 1] = &table;
  struct gasan_proof_launch shape = {
      .grid = {(uint32_t)gdx, (uint32_t)gdy, 1}, .block = {(uint32_t)bdx, (uint32_t)bdy, 1}, .arguments = arguments};
  gasan_proof_evaluate(proof->nodes, proof->node_count, &shape, proof->values);
  for (uint32_t i = 0; i < proof->claim_count; i++, claims++)
    bounded += proof->values[proof->claims[i].node].interval.empty ||
               proof->values[proof->claims[i].node].interval.span < 100000;
  fields_are_proven = true;
  for (uint32_t i = 0; i < proof->claim_count; i++)
    fields_are_proven &= proof->claims[i].root != GASAN_ROOT_INDEX || holds(&proof->claims[i]);
  for (by = 0; by < gdy; by++)
    for (bx = 0; bx < gdx; bx++)
      for (ty = 0; ty < bdy; ty++)
        for (tx = 0; tx < bdx; tx++)
          run_thread(kernel);
}

static bool is_ignored(const char *name, int argument, char **list) {
  char wanted[64];
  snprintf(wanted, sizeof wanted, "%s:%d", name, argument);
  for (; *list; list++)
    if (!strcmp(*list, wanted))
      return true;
  return false;
}

int main(int argc, char **argv) {
  static char table[1 << 26];
  char why[500];
  FILE *file = argc > 3 ? fopen(argv[1], "rb") : NULL;
  if (!file)
    return puts("judge TABLE SEED wrap|promise|lifted [NAME:ARGUMENT ...]"), 2;
  size_t size = fread(table, 1, sizeof table, file);
  struct gasan_proofs *proofs = gasan_proofs_parse(table, size, why, sizeof why);
  if (!proofs)
    return printf("FAIL the table: %s\n", why), 1;
  int failed = 0, passed = 0;
  overflow_wraps = !strcmp(argv[3], "wrap");
  has_fields = strcmp(argv[3], "lifted") != 0;
  srand((unsigned)atoi(argv[2]));
  for (int i = 0; i < kernel_count; i++) {
    proof = gasan_proofs_kernel(proofs, kernels[i].name);
    if (!proof)
      continue;
    bool at_first[POINTERS + 1];
    for (int j = 0; j <= FIELDS; j++)
      at_first[j] = ignored[j] = is_ignored(kernels[i].name, j, argv + 4);
    for (int round = 0; round < 12; round++)
      launch(&kernels[i]);
    bool is_right = !memcmp(at_first, ignored, sizeof ignored);
    passed += is_right;
    failed += !is_right;
  }
  printf("%lu accesses, %lu of %lu evaluated claims within 100000 bytes\n", accesses, bounded, claims);
  printf("%d passed, %d failed\n", passed, failed);
  return failed || !passed;
}
