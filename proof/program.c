/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Validates and evaluates the nodes of formulas. */
#include "proof/floats.h"
#include "proof/kernel_claims.h"
#include "proof/ranges.h"

enum form {
  FORM_NONE,   /* no such operation */
  FORM_LAUNCH, /* a value of the launch */
  FORM_AXIS,   /* a value of the launch for one axis */
  FORM_BINARY,
  FORM_IF, /* the second operand may have other bits */
  FORM_EXTEND,
  FORM_TRUNCATE,
  FORM_FLOAT_BINARY,
  FORM_FLOAT_SAME, /* of the operand's bits */
  FORM_OF_INTEGER, /* of an integer of any bits */
  FORM_TO_INTEGER, /* of any bits */
  FORM_FLOAT_RESIZE,
  FORM_ELEMENT, /* a value of the launch at a computed place */
  FORM_RECURRENCE,
  FORM_CONGRUENT,
  FORM_TIMES, /* of 64 bits; the operands have bits of their own */
};

static const struct {
  enum form form;
  gasan_interval_binary *binary;
  gasan_interval_cast *cast;
  gasan_interval_loop *loop;
  gasan_low_bits_operation *low; /* NULL: the low bits are unknown */
} operations[] = {
    [GASAN_PROOF_CONSTANT] = {.form = FORM_LAUNCH},
    [GASAN_PROOF_ARGUMENT] = {.form = FORM_LAUNCH},
    [GASAN_PROOF_THREAD_INDEX] = {.form = FORM_AXIS},
    [GASAN_PROOF_BLOCK_INDEX] = {.form = FORM_AXIS},
    [GASAN_PROOF_BLOCK_DIM] = {.form = FORM_AXIS},
    [GASAN_PROOF_GRID_DIM] = {.form = FORM_AXIS},
    [GASAN_PROOF_LANE] = {.form = FORM_LAUNCH},
    [GASAN_PROOF_DYNAMIC_SHARED_SIZE] = {.form = FORM_LAUNCH},
    [GASAN_PROOF_BETWEEN] = {.form = FORM_LAUNCH},
    [GASAN_PROOF_ADD] = {FORM_BINARY, .binary = gasan_interval_add, .low = gasan_low_bits_add},
    [GASAN_PROOF_SUB] = {FORM_BINARY, .binary = gasan_interval_sub, .low = gasan_low_bits_sub},
    [GASAN_PROOF_MUL] = {FORM_BINARY, .binary = gasan_interval_mul, .low = gasan_low_bits_mul},
    [GASAN_PROOF_UDIV] = {FORM_BINARY, .binary = gasan_interval_udiv},
    [GASAN_PROOF_SDIV] = {FORM_BINARY, .binary = gasan_interval_sdiv},
    [GASAN_PROOF_UREM] = {FORM_BINARY, .binary = gasan_interval_urem, .low = gasan_low_bits_rem},
    [GASAN_PROOF_SREM] = {FORM_BINARY, .binary = gasan_interval_srem, .low = gasan_low_bits_rem},
    [GASAN_PROOF_AND] = {FORM_BINARY, .binary = gasan_interval_and, .low = gasan_low_bits_and},
    [GASAN_PROOF_OR] = {FORM_BINARY, .binary = gasan_interval_or, .low = gasan_low_bits_or},
    [GASAN_PROOF_XOR] = {FORM_BINARY, .binary = gasan_interval_xor, .low = gasan_low_bits_xor},
    [GASAN_PROOF_SHL] = {FORM_BINARY, .binary = gasan_interval_shl, .low = gasan_low_bits_shl},
    [GASAN_PROOF_LSHR] = {FORM_BINARY, .binary = gasan_interval_lshr, .low = gasan_low_bits_shr},
    [GASAN_PROOF_ASHR] = {FORM_BINARY, .binary = gasan_interval_ashr, .low = gasan_low_bits_shr},
    [GASAN_PROOF_SMIN] = {FORM_BINARY, .binary = gasan_interval_smin, .low = gasan_low_bits_either},
    [GASAN_PROOF_SMAX] = {FORM_BINARY, .binary = gasan_interval_smax, .low = gasan_low_bits_either},
    [GASAN_PROOF_UMIN] = {FORM_BINARY, .binary = gasan_interval_umin, .low = gasan_low_bits_either},
    [GASAN_PROOF_UMAX] = {FORM_BINARY, .binary = gasan_interval_umax, .low = gasan_low_bits_either},
    [GASAN_PROOF_UNION] = {FORM_BINARY, .binary = gasan_interval_unite, .low = gasan_low_bits_either},
    [GASAN_PROOF_SEXT] = {FORM_EXTEND, .cast = gasan_interval_sext, .low = gasan_low_bits_first},
    [GASAN_PROOF_ZEXT] = {FORM_EXTEND, .cast = gasan_interval_zext, .low = gasan_low_bits_first},
    [GASAN_PROOF_TRUNC] = {FORM_TRUNCATE, .cast = gasan_interval_trunc, .low = gasan_low_bits_first},
    [GASAN_PROOF_FLOAT_ADD] = {FORM_FLOAT_BINARY, .binary = gasan_ordinals_add},
    [GASAN_PROOF_FLOAT_SUB] = {FORM_FLOAT_BINARY, .binary = gasan_ordinals_sub},
    [GASAN_PROOF_FLOAT_MUL] = {FORM_FLOAT_BINARY, .binary = gasan_ordinals_mul},
    [GASAN_PROOF_FLOAT_REAL_MUL] = {FORM_FLOAT_BINARY, .binary = gasan_ordinals_real_mul},
    [GASAN_PROOF_FLOAT_DIV] = {FORM_FLOAT_BINARY, .binary = gasan_ordinals_div},
    [GASAN_PROOF_FLOAT_OF_BITS] = {FORM_FLOAT_SAME, .cast = gasan_ordinals_of_bits},
    [GASAN_PROOF_FLOAT_OF_SIGNED] = {FORM_OF_INTEGER, .cast = gasan_ordinals_of_signed},
    [GASAN_PROOF_FLOAT_OF_UNSIGNED] = {FORM_OF_INTEGER, .cast = gasan_ordinals_of_unsigned},
    [GASAN_PROOF_FLOAT_TO_SIGNED] = {FORM_TO_INTEGER, .cast = gasan_ordinals_to_signed},
    [GASAN_PROOF_FLOAT_TO_UNSIGNED] = {FORM_TO_INTEGER, .cast = gasan_ordinals_to_unsigned},
    [GASAN_PROOF_FLOAT_FLOOR] = {FORM_FLOAT_SAME, .cast = gasan_ordinals_floor},
    [GASAN_PROOF_FLOAT_CEIL] = {FORM_FLOAT_SAME, .cast = gasan_ordinals_ceil},
    [GASAN_PROOF_FLOAT_CHOP] = {FORM_FLOAT_SAME, .cast = gasan_ordinals_chop},
    [GASAN_PROOF_FLOAT_EVEN] = {FORM_FLOAT_SAME, .cast = gasan_ordinals_even},
    [GASAN_PROOF_FLOAT_RESIZE] = {FORM_FLOAT_RESIZE, .cast = gasan_ordinals_resize},
    [GASAN_PROOF_FLOAT_SQRT] = {FORM_FLOAT_SAME, .cast = gasan_ordinals_sqrt},
    [GASAN_PROOF_ARGUMENT_ELEMENT] = {.form = FORM_ELEMENT},
    [GASAN_PROOF_WHERE_EQ] = {FORM_BINARY, .binary = gasan_interval_where_eq, .low = gasan_low_bits_first},
    [GASAN_PROOF_WHERE_NE] = {FORM_BINARY, .binary = gasan_interval_where_ne, .low = gasan_low_bits_first},
    [GASAN_PROOF_WHERE_SLT] = {FORM_BINARY, .binary = gasan_interval_where_slt, .low = gasan_low_bits_first},
    [GASAN_PROOF_WHERE_SLE] = {FORM_BINARY, .binary = gasan_interval_where_sle, .low = gasan_low_bits_first},
    [GASAN_PROOF_WHERE_SGT] = {FORM_BINARY, .binary = gasan_interval_where_sgt, .low = gasan_low_bits_first},
    [GASAN_PROOF_WHERE_SGE] = {FORM_BINARY, .binary = gasan_interval_where_sge, .low = gasan_low_bits_first},
    [GASAN_PROOF_WHERE_ULT] = {FORM_BINARY, .binary = gasan_interval_where_ult, .low = gasan_low_bits_first},
    [GASAN_PROOF_WHERE_ULE] = {FORM_BINARY, .binary = gasan_interval_where_ule, .low = gasan_low_bits_first},
    [GASAN_PROOF_WHERE_UGT] = {FORM_BINARY, .binary = gasan_interval_where_ugt, .low = gasan_low_bits_first},
    [GASAN_PROOF_WHERE_UGE] = {FORM_BINARY, .binary = gasan_interval_where_uge, .low = gasan_low_bits_first},
    [GASAN_PROOF_IF] = {FORM_IF, .binary = gasan_interval_if, .low = gasan_low_bits_first},
    [GASAN_PROOF_RECURRENCE] = {FORM_RECURRENCE, .loop = gasan_interval_recurrence, .low = gasan_low_bits_recurrence},
    [GASAN_PROOF_WHERE_CONGRUENT] = {.form = FORM_CONGRUENT},
    [GASAN_PROOF_TIMES_NE] = {FORM_TIMES, .loop = gasan_interval_times_ne},
    [GASAN_PROOF_TIMES_SLT] = {FORM_TIMES, .loop = gasan_interval_times_slt},
    [GASAN_PROOF_TIMES_SLE] = {FORM_TIMES, .loop = gasan_interval_times_sle},
    [GASAN_PROOF_TIMES_SGT] = {FORM_TIMES, .loop = gasan_interval_times_sgt},
    [GASAN_PROOF_TIMES_SGE] = {FORM_TIMES, .loop = gasan_interval_times_sge},
    [GASAN_PROOF_TIMES_ULT] = {FORM_TIMES, .loop = gasan_interval_times_ult},
    [GASAN_PROOF_TIMES_ULE] = {FORM_TIMES, .loop = gasan_interval_times_ule},
    [GASAN_PROOF_TIMES_UGT] = {FORM_TIMES, .loop = gasan_interval_times_ugt},
    [GASAN_PROOF_TIMES_UGE] = {FORM_TIMES, .loop = gasan_interval_times_uge},
};

static const char *launch_error(const struct gasan_proof_node *node, const struct gasan_proof_argument *arguments,
                                uint32_t argument_count) {
  if (node->operation != GASAN_PROOF_ARGUMENT)
    return NULL;
  if (node->a >= argument_count)
    return "an argument that the kernel does not have";
  uint64_t size = arguments[node->a].size, bytes = (node->bits + 7u) / 8;
  return node->value > size || bytes > size - node->value ? "bytes behind an argument's end" : NULL;
}

static const char *element_error(const struct gasan_proof_node *nodes, const struct gasan_proof_node *node,
                                 const struct gasan_proof_argument *arguments, uint32_t argument_count) {
  if (node->b >= argument_count)
    return "an argument that the kernel does not have";
  if (nodes[node->a].bits != 64 || node->bits % 8 || !node->value2)
    return "operands of other bits than it takes";
  const uint64_t size = arguments[node->b].size;
  return node->value > size || node->c > size - node->value ? "bytes behind an argument's end" : NULL;
}

/* Returns the number of the fields a, b and c that name nodes. */
static uint32_t operand_count(enum form form) {
  switch (form) {
  case FORM_BINARY:
  case FORM_IF:
  case FORM_FLOAT_BINARY:
    return 2;
  case FORM_EXTEND:
  case FORM_TRUNCATE:
  case FORM_FLOAT_SAME:
  case FORM_OF_INTEGER:
  case FORM_TO_INTEGER:
  case FORM_FLOAT_RESIZE:
  case FORM_ELEMENT:
    return 1;
  case FORM_RECURRENCE:
  case FORM_CONGRUENT:
  case FORM_TIMES:
    return 3;
  default:
    return 0;
  }
}

uint32_t gasan_proof_operand_count(const struct gasan_proof_node *node) {
  return operand_count(operations[node->operation].form);
}

static bool is_float(uint32_t bits) {
  return bits == 32 || bits == 64;
}

static bool bits_fit(enum form form, const struct gasan_proof_node *nodes, const struct gasan_proof_node *node) {
  uint32_t a = nodes[node->a].bits;
  switch (form) {
  case FORM_EXTEND:
    return a < node->bits;
  case FORM_TRUNCATE:
    return a > node->bits;
  case FORM_IF:
    return a == node->bits;
  case FORM_FLOAT_BINARY:
    return is_float(a) && a == node->bits && nodes[node->b].bits == a;
  case FORM_FLOAT_SAME:
    return is_float(a) && a == node->bits;
  case FORM_OF_INTEGER:
    return is_float(node->bits);
  case FORM_TO_INTEGER:
    return is_float(a);
  case FORM_FLOAT_RESIZE:
    return is_float(a) && is_float(node->bits) && a != node->bits;
  case FORM_TIMES:
    return node->bits == 64 && nodes[node->b].bits == a && nodes[node->c].bits == a;
  default:
    return a == node->bits && nodes[node->b].bits == node->bits;
  }
}

const char *gasan_proof_node_error(const struct gasan_proof_node *nodes, uint32_t index,
                                   const struct gasan_proof_argument *arguments, uint32_t argument_count) {
  const struct gasan_proof_node *node = &nodes[index];
  enum form form =
      node->operation < sizeof operations / sizeof *operations ? operations[node->operation].form : FORM_NONE;
  if (form == FORM_NONE)
    return "an operation that this version does not know";
  if (node->bits < 1 || node->bits > 64)
    return "no bits, or more than 64";
  if (form == FORM_LAUNCH)
    return launch_error(node, arguments, argument_count);
  if (form == FORM_AXIS)
    return node->a > 2 ? "an axis that is none" : NULL;
  const uint32_t operands[] = {node->a, node->b, node->c};
  for (uint32_t i = 0; i < operand_count(form); i++)
    if (operands[i] >= index)
      return "an operand that does not come before it";
  if (form == FORM_ELEMENT)
    return element_error(nodes, node, arguments, argument_count);
  return bits_fit(form, nodes, node) ? NULL : "operands of other bits than it takes";
}

/* Returns the 64-bit interval [first, last], truncated to the node's bits. */
static struct gasan_interval narrow(uint32_t bits, uint64_t first, uint64_t last) {
  return gasan_interval_trunc(gasan_interval_between(64, first, last), bits);
}

/* Returns the index of the launch's thread or block in an axis; for all threads, the interval from 0 to size - 1. */
static struct gasan_interval index_of(uint32_t bits, const uint32_t *index, uint32_t size, uint32_t axis) {
  return index ? narrow(bits, index[axis], index[axis]) : narrow(bits, 0, size - 1);
}

static uint64_t lane_of(const struct gasan_proof_launch *launch) {
  const uint32_t *at = launch->thread->thread, *block = launch->block;
  return (((uint64_t)at[2] * block[1] + at[1]) * block[0] + at[0]) % 32;
}

static uint64_t last_lane(const struct gasan_proof_launch *launch) {
  uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
  return threads < 32 ? threads - 1 : 31;
}

static struct gasan_interval launch_value(const struct gasan_proof_node *node,
                                          const struct gasan_proof_launch *launch) {
  switch (node->operation) {
  case GASAN_PROOF_CONSTANT:
    return narrow(node->bits, node->value, node->value);
  case GASAN_PROOF_ARGUMENT: {
    struct gasan_proof_input input = {node->a, (uint32_t)node->value, (node->bits + 7u) / 8};
    uint64_t value = gasan_proof_read(launch, &input);
    return narrow(node->bits, value, value);
  }
  case GASAN_PROOF_THREAD_INDEX:
    return index_of(node->bits, launch->thread ? launch->thread->thread : NULL, launch->block[node->a], node->a);
  case GASAN_PROOF_BLOCK_INDEX:
    return index_of(node->bits, launch->thread ? launch->thread->block : NULL, launch->grid[node->a], node->a);
  case GASAN_PROOF_BLOCK_DIM:
    return narrow(node->bits, launch->block[node->a], launch->block[node->a]);
  case GASAN_PROOF_GRID_DIM:
    return narrow(node->bits, launch->grid[node->a], launch->grid[node->a]);
  case GASAN_PROOF_LANE:
    return launch->thread ? narrow(node->bits, lane_of(launch), lane_of(launch))
                          : narrow(node->bits, 0, last_lane(launch));
  case GASAN_PROOF_DYNAMIC_SHARED_SIZE:
    return narrow(node->bits, launch->dynamic_shared, launch->dynamic_shared);
  case GASAN_PROOF_BETWEEN:
    return gasan_interval_between(node->bits, node->value, node->value2);
  }
  return gasan_interval_all(node->bits);
}

/* Returns the smallest interval with the elements that begin at these distances from the node's first byte. */
static struct gasan_interval elements(const struct gasan_proof_node *node, struct gasan_interval at,
                                      const struct gasan_proof_launch *launch) {
  const uint64_t step = node->value2, width = node->bits / 8u;
  struct gasan_interval result = gasan_interval_empty(node->bits);
  if (at.empty)
    return result;
  if (at.low > node->c || at.span > node->c - at.low || width > node->c - at.low - at.span)
    return gasan_interval_all(node->bits);
  const uint64_t first = (at.low + step - 1) / step * step, last = at.low + at.span;
  if (first > last || (last - first) / step >= GASAN_PROOF_MOST_ELEMENTS)
    return gasan_interval_all(node->bits);
  for (uint64_t distance = first; distance <= last; distance += step) {
    const struct gasan_proof_input input = {node->b, (uint32_t)(node->value + distance), (uint32_t)width};
    const uint64_t value = gasan_proof_read(launch, &input);
    result = gasan_interval_unite(result, narrow(node->bits, value, value));
  }
  return result;
}

static struct gasan_interval interval_of(const struct gasan_proof_node *node, const struct gasan_proof_value *values,
                                         const struct gasan_proof_launch *launch) {
  switch (operations[node->operation].form) {
  case FORM_BINARY:
  case FORM_IF:
  case FORM_FLOAT_BINARY:
    return operations[node->operation].binary(values[node->a].interval, values[node->b].interval);
  case FORM_EXTEND:
  case FORM_TRUNCATE:
  case FORM_FLOAT_SAME:
  case FORM_OF_INTEGER:
  case FORM_TO_INTEGER:
  case FORM_FLOAT_RESIZE:
    return operations[node->operation].cast(values[node->a].interval, node->bits);
  case FORM_ELEMENT:
    return elements(node, values[node->a].interval, launch);
  case FORM_RECURRENCE:
  case FORM_TIMES:
    return operations[node->operation].loop(values[node->a].interval, values[node->b].interval,
                                            values[node->c].interval);
  case FORM_CONGRUENT:
    return gasan_interval_if(gasan_interval_if(values[node->a].interval, values[node->b].interval),
                             values[node->c].interval);
  default:
    return launch_value(node, launch);
  }
}

/* Sets *low to the value's low bits as far as the operands determine them. Returns false if the operands contradict
 * each other. */
static bool find_low_bits(const struct gasan_proof_node *node, const struct gasan_proof_value *values,
                          struct gasan_low_bits *low) {
  static const struct gasan_proof_value unused;
  const enum form form = operations[node->operation].form;
  const uint32_t count = operand_count(form);
  const struct gasan_proof_value *a = count > 0 ? &values[node->a] : &unused, *b = count > 1 ? &values[node->b] : a;
  *low = (struct gasan_low_bits){0};
  if (form == FORM_CONGRUENT)
    return gasan_low_bits_meet(a->low, gasan_low_bits_dividend(node->bits, values[node->c].low, b->low), low);
  if (node->operation == GASAN_PROOF_WHERE_EQ)
    return gasan_low_bits_meet(a->low, b->low, low);
  if (node->operation == GASAN_PROOF_UNION && (a->interval.empty || b->interval.empty))
    *low = a->interval.empty ? b->low : a->low;
  else if (form == FORM_RECURRENCE && (b->interval.empty || values[node->c].interval.empty))
    *low = a->low;
  else if (operations[node->operation].low)
    *low = operations[node->operation].low(node->bits, a->low, b->low);
  return true;
}

static void compute(const struct gasan_proof_node *node, const struct gasan_proof_value *values,
                    const struct gasan_proof_launch *launch, struct gasan_proof_value *value) {
  value->interval = interval_of(node, values, launch);
  if (!find_low_bits(node, values, &value->low))
    value->interval = gasan_interval_empty(node->bits);
  gasan_low_bits_narrow(&value->interval, &value->low);
}

static bool are_equal(const struct gasan_proof_value *a, const struct gasan_proof_value *b) {
  return a->interval.low == b->interval.low && a->interval.span == b->interval.span &&
         a->interval.empty == b->interval.empty && a->low.value == b->low.value && a->low.count == b->low.count;
}

static bool operands_have_changed(const struct gasan_proof_node *node, const struct gasan_proof_value *values) {
  if (node->operation == GASAN_PROOF_CONSTANT || node->operation == GASAN_PROOF_BETWEEN)
    return false;
  const enum form form = operations[node->operation].form;
  const uint32_t count = operand_count(form);
  return !count || form == FORM_ELEMENT || values[node->a].has_changed || (count > 1 && values[node->b].has_changed) ||
         (count > 2 && values[node->c].has_changed);
}

void gasan_proof_evaluate(const struct gasan_proof_node *nodes, uint32_t node_count,
                          const struct gasan_proof_launch *launch, struct gasan_proof_value *values) {
  for (uint32_t i = 0; i < node_count; i++) {
    struct gasan_proof_value *value = &values[i];
    value->has_changed = !value->is_computed || operands_have_changed(&nodes[i], values);
    if (!value->has_changed)
      continue;
    const struct gasan_proof_value earlier = *value;
    compute(&nodes[i], values, launch, value);
    value->has_changed = !earlier.is_computed || !are_equal(value, &earlier);
    value->is_computed = true;
  }
}
