/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Implements matrix operations of a warp. Each lane has fragments of the matrices. The lanes exchange the addresses of
 * their fragments, and every lane computes its own elements of the result. Products of 16-bit types, and sums, are
 * computed in double and rounded once. (PTX does not specify their rounding.) */
#include "device/cpu/matrix.h"
#include "device/cpu/helpers/helper.h"

enum { LANES = 32, ALL_LANES = -1 };

/* A lane's fragments, and the addresses of the other lanes' fragments, which the exchange fills in. */
struct fragment {
  const struct fragment *lanes[LANES]; /* the first member: gasan_cpu_warp writes it */
  uint32_t a[GASAN_MATRIX_REGISTERS], b[GASAN_MATRIX_REGISTERS];
};

/* Makes all lanes' fragments readable until done(). */
static inline CONVERGENT void exchange(struct fragment *own) {
  gasan_cpu_warp(GASAN_WARP_GATHER, (uint32_t)ALL_LANES, (uint64_t)(uintptr_t)own, 0, 0, 0);
}
static inline CONVERGENT void done(void) {
  gasan_cpu_warp(GASAN_WARP_SYNC, (uint32_t)ALL_LANES, 0, 0, 0, 0);
}
/* Returns the lane's fragment. A lane that has ended, because of an error that is reported, has no fragment; the own
 * fragment replaces it. */
static inline const struct fragment *shown_by(uint32_t lane, const struct fragment *own) {
  return own->lanes[lane] ? own->lanes[lane] : own;
}

static uint32_t bits_of(uint32_t type) {
  switch (type) {
  case GASAN_MATRIX_F16:
  case GASAN_MATRIX_BF16:
    return 16;
  case GASAN_MATRIX_S8:
  case GASAN_MATRIX_U8:
    return 8;
  case GASAN_MATRIX_S4:
  case GASAN_MATRIX_U4:
    return 4;
  case GASAN_MATRIX_B1:
    return 1;
  case GASAN_MATRIX_F64:
    return 64;
  default:
    return 32;
  }
}

static uint64_t raw_element(uint32_t type, const uint32_t *words, uint32_t index) {
  uint32_t bits = bits_of(type);
  if (bits == 64)
    return words[2 * index] | (uint64_t)words[2 * index + 1] << 32;
  uint32_t per_word = 32 / bits;
  uint32_t word = words[index / per_word] >> (index % per_word * bits);
  return bits == 32 ? word : word & ((1u << bits) - 1);
}

static void set_raw_element(uint32_t type, uint32_t *words, uint32_t index, uint64_t value) {
  uint32_t bits = bits_of(type);
  if (bits == 64) {
    words[2 * index] = (uint32_t)value;
    words[2 * index + 1] = (uint32_t)(value >> 32);
    return;
  }
  uint32_t per_word = 32 / bits, shift = index % per_word * bits;
  uint32_t mask = bits == 32 ? ~0u : ((1u << bits) - 1) << shift;
  words[index / per_word] = (words[index / per_word] & ~mask) | ((uint32_t)value << shift & mask);
}

static double real_element(uint32_t type, const uint32_t *words, uint32_t index) {
  uint64_t raw = raw_element(type, words, index);
  uint16_t half = (uint16_t)raw;
  _Float16 value;
  switch (type) {
  case GASAN_MATRIX_F16:
    __builtin_memcpy(&value, &half, sizeof value);
    return value;
  case GASAN_MATRIX_BF16:
    return gasan_float_of_bits((uint32_t)raw << 16);
  case GASAN_MATRIX_TF32:
    return gasan_float_of_bits((uint32_t)raw & 0xffffe000u); /* the lower bits do not count */
  case GASAN_MATRIX_F64:
    return gasan_double_of_bits(raw);
  default:
    return gasan_float_of_bits((uint32_t)raw);
  }
}

static void set_real_element(uint32_t type, uint32_t *words, uint32_t index, double value) {
  uint16_t bits;
  _Float16 half;
  switch (type) {
  case GASAN_MATRIX_F16:
    half = (_Float16)(float)value;
    __builtin_memcpy(&bits, &half, sizeof bits);
    set_raw_element(type, words, index, bits);
    return;
  case GASAN_MATRIX_F64:
    set_raw_element(type, words, index, gasan_bits_of_double(value));
    return;
  default:
    set_raw_element(type, words, index, gasan_bits_of_float((float)value));
    return;
  }
}

static int64_t integer_element(uint32_t type, const uint32_t *words, uint32_t index) {
  uint64_t raw = raw_element(type, words, index);
  switch (type) {
  case GASAN_MATRIX_S8:
    return (int8_t)raw;
  case GASAN_MATRIX_S4:
    return (int64_t)(raw << 60) >> 60;
  case GASAN_MATRIX_S32:
    return (int32_t)raw;
  default:
    return (int64_t)raw;
  }
}

/* The place of an element: its lane, and its index among the lane's elements. */
struct place {
  uint32_t lane, index;
};

struct shape {
  uint32_t m, n, k, flags;
};

/* Returns the place of an element in PTX's layout for mma. A group of four lanes holds a row (of B: a column). A
 * register of each lane holds the next 32 bits of this row (of f64: 64). The following registers hold the row 8 below,
 * and then the rest of the rows. */
static struct place place_of_a(const struct shape *shape, uint32_t type, uint32_t row, uint32_t k) {
  if (!(shape->flags & GASAN_MATRIX_FRAGMENT_MMA)) {
    uint32_t linear = row * shape->k + k, per_lane = shape->m * shape->k / LANES;
    return (struct place){linear / per_lane, linear % per_lane};
  }
  uint32_t per_register = bits_of(type) >= 32 ? 1 : 32 / bits_of(type), in_group = k % (4 * per_register);
  uint32_t reg = k / (4 * per_register) * (shape->m / 8) + row / 8;
  return (struct place){row % 8 * 4 + in_group / per_register, reg * per_register + k % per_register};
}
static struct place place_of_b(const struct shape *shape, uint32_t type, uint32_t k, uint32_t column) {
  if (!(shape->flags & GASAN_MATRIX_FRAGMENT_MMA)) {
    uint32_t linear = column * shape->k + k, per_lane = shape->n * shape->k / LANES;
    return (struct place){linear / per_lane, linear % per_lane};
  }
  uint32_t per_register = bits_of(type) >= 32 ? 1 : 32 / bits_of(type), in_group = k % (4 * per_register);
  return (struct place){column * 4 + in_group / per_register, k / (4 * per_register) * per_register + k % per_register};
}
/* Sets *row and *column to the position of a lane's element of C or D. */
static void position_in_c(const struct shape *shape, uint32_t lane, uint32_t index, uint32_t *row, uint32_t *column) {
  if (shape->flags & GASAN_MATRIX_FRAGMENT_MMA) {
    *row = lane / 4 + index / 2 * 8;
    *column = lane % 4 * 2 + index % 2;
    return;
  }
  uint32_t linear = lane * (shape->m * shape->n / LANES) + index;
  *row = linear / shape->n;
  *column = linear % shape->n;
}

static uint32_t count_matches(uint32_t flags, uint64_t a, uint64_t b) {
  return (uint32_t)(flags & GASAN_MATRIX_AND ? a & b : a ^ b);
}

static int64_t clamp_to_int(int64_t value) {
  return value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value;
}

/* d = a * b + c. The types are those of A, B, C and D. */
__attribute__((noinline, nothrow, convergent)) void
NVVM(matrix_multiply)(uint32_t m, uint32_t n, uint32_t k, uint32_t flags, uint32_t type_a, uint32_t type_b,
                      uint32_t type_c, uint32_t type_d, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                      uint32_t *d) {
  const struct shape shape = {m, n, k, flags};
  struct fragment own;
  __builtin_memcpy(own.a, a, sizeof own.a);
  __builtin_memcpy(own.b, b, sizeof own.b);
  exchange(&own);
  uint32_t lane = THREAD.linear % LANES;
  for (uint32_t i = 0; i < m * n / LANES; ++i) {
    uint32_t row, column;
    position_in_c(&shape, lane, i, &row, &column);
    double real = 0;
    int64_t integer = 0;
    if (type_c == GASAN_MATRIX_S32)
      integer = integer_element(type_c, c, i);
    else
      real = real_element(type_c, c, i);
    for (uint32_t j = 0; j < k; ++j) {
      struct place pa = place_of_a(&shape, type_a, row, j), pb = place_of_b(&shape, type_b, j, column);
      const uint32_t *words_a = shown_by(pa.lane, &own)->a, *words_b = shown_by(pb.lane, &own)->b;
      if (type_c != GASAN_MATRIX_S32)
        real = __builtin_fma(real_element(type_a, words_a, pa.index), real_element(type_b, words_b, pb.index), real);
      else if (type_a == GASAN_MATRIX_B1)
        integer += count_matches(flags, raw_element(type_a, words_a, pa.index), raw_element(type_b, words_b, pb.index));
      else
        integer += integer_element(type_a, words_a, pa.index) * integer_element(type_b, words_b, pb.index);
    }
    if (type_c == GASAN_MATRIX_S32)
      set_raw_element(type_d, d, i, (uint64_t)(flags & GASAN_MATRIX_SATFINITE ? clamp_to_int(integer) : integer));
    else
      set_real_element(type_d, d, i, real);
  }
  done();
}

/* Returns the offset, in elements, at which a wmma load or store accesses element `index` of this lane. */
static uint64_t offset_in_memory(const struct shape *shape, uint32_t operand, uint32_t index, uint32_t column_major,
                                 uint32_t stride) {
  uint32_t lane = THREAD.linear % LANES, row, column;
  if (operand == GASAN_MATRIX_B) { /* the lanes have it column by column */
    uint32_t linear = lane * (shape->n * shape->k / LANES) + index;
    column = linear / shape->k;
    row = linear % shape->k;
  } else {
    uint32_t width = operand == GASAN_MATRIX_A ? shape->k : shape->n;
    uint32_t linear = lane * (shape->m * width / LANES) + index;
    row = linear / width;
    column = linear % width;
  }
  return column_major ? (uint64_t)column * stride + row : (uint64_t)row * stride + column;
}

static uint32_t elements_of(const struct shape *shape, uint32_t operand) {
  uint32_t rows = operand == GASAN_MATRIX_B ? shape->k : shape->m;
  uint32_t columns = operand == GASAN_MATRIX_A ? shape->k : shape->n;
  return rows * columns / LANES;
}

OUTLINE void NVVM(matrix_load)(uint32_t m, uint32_t n, uint32_t k, uint32_t operand, uint32_t type,
                               uint32_t column_major, const char *memory, uint32_t stride, uint32_t *registers) {
  const struct shape shape = {m, n, k, 0};
  uint32_t bits = bits_of(type);
  for (uint32_t i = 0; i < elements_of(&shape, operand); ++i) {
    uint64_t offset = offset_in_memory(&shape, operand, i, column_major, stride), raw = 0;
    if (bits < 8)
      raw = (uint8_t)memory[offset * bits / 8] >> (offset * bits % 8) & ((1u << bits) - 1);
    else
      __builtin_memcpy(&raw, memory + offset * (bits / 8), bits / 8);
    set_raw_element(type, registers, i, raw);
  }
}

/* Stores a lane's elements. Only results are stored, and their elements are whole bytes. */
OUTLINE void NVVM(matrix_store)(uint32_t m, uint32_t n, uint32_t k, uint32_t operand, uint32_t type,
                                uint32_t column_major, char *memory, uint32_t stride, const uint32_t *registers) {
  const struct shape shape = {m, n, k, 0};
  uint32_t bytes = bits_of(type) / 8;
  for (uint32_t i = 0; i < elements_of(&shape, operand); ++i) {
    uint64_t offset = offset_in_memory(&shape, operand, i, column_major, stride);
    uint64_t raw = raw_element(type, registers, i);
    __builtin_memcpy(memory + offset * bytes, &raw, bytes);
  }
}

/* ldmatrix: lane 8 i + r provides the address of row r of matrix i. A lane gets two adjacent elements of each matrix,
 * from a row or, if transposed, from a column. */
__attribute__((noinline, nothrow, convergent)) void NVVM(ldmatrix)(const char *address, uint32_t count, bool transposed,
                                                                   uint32_t *registers) {
  struct fragment own;
  uint64_t number = (uint64_t)(uintptr_t)address;
  __builtin_memcpy(own.a, &number, sizeof number);
  exchange(&own);
  uint32_t lane = THREAD.linear % LANES, group = lane / 4, two = lane % 4 * 2;
  for (uint32_t i = 0; i < count; ++i) {
    uint16_t pair[2];
    for (uint32_t j = 0; j < 2; ++j) {
      uint32_t row = transposed ? two + j : group, column = transposed ? group : two + j;
      const struct fragment *shown = own.lanes[8 * i + row];
      const char *start;
      pair[j] = 0;
      if (!shown) /* that lane has ended; this lane's value may be no address of a row */
        continue;
      __builtin_memcpy(&start, shown->a, sizeof start);
      __builtin_memcpy(&pair[j], start + 2 * column, sizeof pair[j]);
    }
    registers[i] = pair[0] | (uint32_t)pair[1] << 16;
  }
  done();
}

/* movmatrix: transposes an 8 x 8 matrix of 16-bit elements, two in each lane. */
__attribute__((noinline, nothrow, convergent)) uint32_t NVVM(movmatrix)(uint32_t value) {
  struct fragment own;
  own.a[0] = value;
  exchange(&own);
  uint32_t lane = THREAD.linear % LANES, result = 0;
  for (uint32_t j = 0; j < 2; ++j) {
    uint32_t row = lane % 4 * 2 + j, column = lane / 4;
    result |= (shown_by(row * 4 + column / 2, &own)->a[0] >> (column % 2 * 16) & 0xffff) << (16 * j);
  }
  done();
  return result;
}
