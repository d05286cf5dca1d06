/* The host's definitions for the bodies of kernels.py, which run one thread at a time (judge.c). */
#ifndef GASAN_TEST_ORACLE_PROOFS_KERNELS_H
#define GASAN_TEST_ORACLE_PROOFS_KERNELS_H

#include <math.h>
#include <stdbool.h>

struct kernel {
  const char *name;
  void (*run)(void);
};

extern int tx, ty, bx, by, bdx, bdy, gdx; /* the current thread and the launch's shape */
extern int n, m, data[4];
extern unsigned u;
extern float s;
extern int ticks;   /* rounds of loops so far */
extern bool broken; /* this thread divided by 0, or had an undefined overflow */

void touch(int argument, int width, long long index);
/* Returns false if the index is bad: then the check ends the thread. */
bool touch_field(int argument, long long index, int size);

#define MOST_TICKS 3000
#define TICK                                                                                                           \
  if (broken || ++ticks > MOST_TICKS)                                                                                  \
  return
#define TOUCH(j, width, index) touch(j, width, (long long)(index))
#define TOUCH_FROM(j, width, start, index) touch(j, width, (long long)(start) + (long long)(index))
#define POINTER(j, width, p, start) long long p = (start)
#define TOUCH_AT(j, width, p, index) touch(j, width, p + (index))
#define COPY(j, size, index)                                                                                           \
  {                                                                                                                    \
    long long at = (index);                                                                                            \
    if (size)                                                                                                          \
      touch(j, 16, at);                                                                                                \
  }
#define TOUCH_FIELD(j, index)                                                                                          \
  if (!touch_field(j, (long long)(index), FIELD_SIZE))                                                                 \
  return
#define ARRAY(name, size)
#define STEP(name, size, index)                                                                                        \
  if ((unsigned long long)(long long)(index) >= (size))                                                                \
  return
#define D(k) data[k]

/* As kernels.py declares it for the device. A thread with a bad index does not count. */
extern struct table {
  int before, numbers[12];
  unsigned char bytes[16];
  short after;
} table;
#define ELEMENT(array, k) (array)[(unsigned long long)(k) < sizeof(array) / sizeof *(array) ? (k) : (broken = true, 0)]
#define N(k) ELEMENT(table.numbers, k)
#define B(k) ELEMENT(table.bytes, k)

static inline int least(int a, int b) {
  return a < b ? a : b;
}
static inline int greatest(int a, int b) {
  return a > b ? a : b;
}
#define MIN(a, b) least(a, b)
#define MAX(a, b) greatest(a, b)

/* Compared in the operands' common type. */
#define DIVISOR(a, b)                                                                                                  \
  ((b) == 0 || ((__typeof__((a) / 1 + (b)))-1 < 0 && (b) == -1 && (a) == (-__INT_MAX__ - 1)) ? (broken = true, 1) : (b))
#define DIV(a, b) ((a) / DIVISOR(a, b))
#define REM(a, b) ((a) % DIVISOR(a, b))

#define AMOUNT(a, b) ((b) < 0 || (b) >= 8 * (int)sizeof(a) ? (broken = true, 0) : (b))
#define SHR(a, b) ((a) >> AMOUNT(a, b))
#define SHL(a, b) ((a) << AMOUNT(a, b))
/* Of a number that the integer cannot have, each processor makes another one. */
static inline int integer_of(double a) {
  if (a > -2147483649.0 && a < 2147483648.0)
    return (int)a;
  broken = true;
  return 0;
}
#define INT(a) integer_of(a)
#define REVERSED(a) __builtin_bitreverse32(a)

/* The instructions bmsk.clamp.b32 and bfe.u32. */
static inline unsigned low_bits(unsigned width) {
  return width > 31 ? 0xffffffff : (1u << width) - 1;
}
static inline unsigned mask(unsigned start, unsigned width) {
  return start > 31 ? 0 : low_bits(width) << start;
}
static inline unsigned field(unsigned a, unsigned start, unsigned width) {
  return ((start & 255) > 31 ? 0 : a >> (start & 255)) & low_bits(width & 255);
}
#define MASK(start, width) mask((unsigned)(start), (unsigned)(width))
#define FIELD(a, start, width) field(a, (unsigned)(start), (unsigned)(width))

#endif
