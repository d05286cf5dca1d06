/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "proof/formula_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DEEPEST 32u

static const struct gasan_proof_node *node_at(const struct gasan_formula *formula, uint32_t node) {
  return &formula->proof->nodes[node];
}

static bool is_all(const struct gasan_proof_node *node) {
  return node->operation == GASAN_PROOF_BETWEEN && node->value == 0 &&
         node->value2 == (node->bits == 64 ? UINT64_MAX : (1ull << node->bits) - 1);
}

/* Returns true for "a, unless a promise of the program is broken" and for a condition that may not apply, which the
 * pass writes as a UNION. */
static bool is_guarded(const struct gasan_formula *formula, const struct gasan_proof_node *node) {
  if (node->operation != GASAN_PROOF_UNION || node_at(formula, node->b)->operation != GASAN_PROOF_IF)
    return false;
  const struct gasan_proof_node *a = node_at(formula, node->a), *b = node_at(formula, node->b);
  const bool is_relation = a->operation == GASAN_PROOF_WHERE_SLE || a->operation == GASAN_PROOF_WHERE_EQ;
  return is_all(node_at(formula, b->a)) || (is_relation && a->a == b->a);
}

/* Returns the operand that decides the value of a UNION for this thread; the node itself: both do. */
static uint32_t decided_operand(const struct gasan_formula *formula, uint32_t number) {
  const struct gasan_proof_node *node = node_at(formula, number);
  const struct gasan_interval *a = &formula->values[node->a].interval, *b = &formula->values[node->b].interval;
  if (is_guarded(formula, node) || b->empty)
    return node->a;
  if (a->empty)
    return node->b;
  return !a->span && !b->span && a->low == b->low ? node->a : number;
}

/* Returns the operand that the node passes on; the node itself: it computes. */
static uint32_t pass_through(const struct gasan_formula *formula, uint32_t number, bool *is_unsigned) {
  const struct gasan_proof_node *node = node_at(formula, number);
  if ((node->operation >= GASAN_PROOF_WHERE_EQ && node->operation <= GASAN_PROOF_IF) ||
      node->operation == GASAN_PROOF_WHERE_CONGRUENT)
    return node->a;
  if (node->operation == GASAN_PROOF_UNION)
    return decided_operand(formula, number);
  if (node->operation == GASAN_PROOF_SEXT || node->operation == GASAN_PROOF_ZEXT) {
    *is_unsigned = node->operation == GASAN_PROOF_ZEXT;
    return node->a;
  }
  return number;
}

uint32_t gasan_formula_skip(const struct gasan_formula *formula, uint32_t node, bool *is_unsigned) {
  for (;;) {
    const uint32_t next = pass_through(formula, node, is_unsigned);
    if (next == node)
      return node;
    node = next;
  }
}

bool gasan_formula_value(const struct gasan_formula *formula, uint32_t node, uint64_t *value) {
  const struct gasan_interval *interval = &formula->values[node].interval;
  *value = node == formula->loop ? formula->loop_value : interval->low;
  return node == formula->loop || (!interval->empty && !interval->span);
}

static __int128 signed_value(uint64_t value, uint32_t bits) {
  return bits == 64 ? (int64_t)value : (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static __int128 exact(const struct gasan_formula *formula, uint32_t number, bool is_unsigned, bool *is_exact,
                      uint32_t depth) {
  number = gasan_formula_skip(formula, number, &is_unsigned);
  const struct gasan_proof_node *node = node_at(formula, number);
  uint64_t value = 0;
  if (depth > DEEPEST)
    *is_exact = false;
  if (!*is_exact)
    return 0;
  if (number != formula->loop && node->operation >= GASAN_PROOF_ADD && node->operation <= GASAN_PROOF_MUL) {
    const __int128 a = exact(formula, node->a, is_unsigned, is_exact, depth + 1);
    const __int128 b = exact(formula, node->b, is_unsigned, is_exact, depth + 1);
    return node->operation == GASAN_PROOF_ADD ? a + b : node->operation == GASAN_PROOF_SUB ? a - b : a * b;
  }
  if (node->operation == GASAN_PROOF_SHL && number != formula->loop && gasan_formula_value(formula, node->b, &value) &&
      value < node->bits)
    return exact(formula, node->a, is_unsigned, is_exact, depth + 1) * ((__int128)1 << value);
  if (!gasan_formula_value(formula, number, &value))
    *is_exact = false;
  return is_unsigned && node->operation != GASAN_PROOF_CONSTANT ? (__int128)value : signed_value(value, node->bits);
}

__int128 gasan_formula_exact(const struct gasan_formula *formula, uint32_t node, bool *is_exact) {
  *is_exact = true;
  return exact(formula, node, false, is_exact, 0);
}

static void find_loops(const struct gasan_formula *formula, uint32_t number, uint32_t *found, uint32_t *count,
                       uint32_t depth) {
  bool is_unsigned = false;
  number = gasan_formula_skip(formula, number, &is_unsigned);
  const struct gasan_proof_node *node = node_at(formula, number);
  uint64_t value;
  if (gasan_formula_value(formula, number, &value) || *found == number)
    return;
  if (depth < DEEPEST && node->operation >= GASAN_PROOF_ADD && node->operation <= GASAN_PROOF_MUL) {
    find_loops(formula, node->a, found, count, depth + 1);
    find_loops(formula, node->b, found, count, depth + 1);
    return;
  }
  if (depth < DEEPEST && node->operation == GASAN_PROOF_SHL) {
    find_loops(formula, node->a, found, count, depth + 1);
    return;
  }
  *count += node->operation == GASAN_PROOF_RECURRENCE ? 1 : 2;
  *found = number;
}

uint32_t gasan_formula_find_loop(const struct gasan_formula *formula, uint32_t node, uint32_t *count) {
  uint32_t found = GASAN_FORMULA_NO_NODE;
  *count = 0;
  find_loops(formula, node, &found, count, 0);
  return found;
}

/* A text under construction; `fits` becomes false for good if something cannot be shown. */
struct out {
  char *text;
  size_t size, length;
  bool fits;
};

static void add(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct out *out, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = out->fits ? vsnprintf(out->text + out->length, out->size - out->length, format, arguments) : 0;
  va_end(arguments);
  if (length < 0 || (size_t)length >= out->size - out->length)
    out->fits = false;
  else
    out->length += (size_t)length;
}

/* C's operators, with their precedence. */
struct infix {
  const char *text;
  int precedence;
};

static struct infix infix_of(uint32_t operation) {
  switch (operation) {
  case GASAN_PROOF_ADD:
    return (struct infix){"+", 5};
  case GASAN_PROOF_SUB:
    return (struct infix){"-", 5};
  case GASAN_PROOF_MUL:
    return (struct infix){"*", 6};
  case GASAN_PROOF_UDIV:
  case GASAN_PROOF_SDIV:
    return (struct infix){"/", 6};
  case GASAN_PROOF_UREM:
  case GASAN_PROOF_SREM:
    return (struct infix){"%", 6};
  case GASAN_PROOF_SHL:
    return (struct infix){"<<", 4};
  case GASAN_PROOF_LSHR:
  case GASAN_PROOF_ASHR:
    return (struct infix){">>", 4};
  case GASAN_PROOF_AND:
    return (struct infix){"&", 3};
  case GASAN_PROOF_XOR:
    return (struct infix){"^", 2};
  case GASAN_PROOF_OR:
    return (struct infix){"|", 1};
  default:
    return (struct infix){NULL, 0};
  }
}

void gasan_formula_name(const struct gasan_formula *formula, uint32_t node, char *text, size_t size) {
  const struct gasan_proof_node *at = node_at(formula, node);
  *text = 0;
  if (at->operation != GASAN_PROOF_ARGUMENT)
    return;
  const struct gasan_proof_argument *argument = &formula->proof->arguments[at->a];
  const char *name = formula->proof->strings + argument->name;
  if (argument->size > 8 && *name)
    snprintf(text, size, "%s[byte %llu]", name, (unsigned long long)at->value); /* of a structure */
  else if (*name)
    snprintf(text, size, "%s", name);
  else
    snprintf(text, size, "argument %u", at->a + 1);
}

static void write_leaf(const struct gasan_formula *formula, uint32_t number, struct out *out) {
  const struct gasan_proof_node *node = node_at(formula, number);
  char name[128];
  uint64_t value;
  switch (node->operation) {
  case GASAN_PROOF_ARGUMENT:
    gasan_formula_name(formula, number, name, sizeof name);
    add(out, "%s", name);
    return;
  case GASAN_PROOF_THREAD_INDEX:
    add(out, "threadIdx.%c", "xyz"[node->a]);
    return;
  case GASAN_PROOF_BLOCK_INDEX:
    add(out, "blockIdx.%c", "xyz"[node->a]);
    return;
  case GASAN_PROOF_LANE:
    add(out, "lane");
    return;
  default:
    if (gasan_formula_value(formula, number, &value))
      add(out, "%lld", (long long)signed_value(value, node->bits));
    else
      out->fits = false;
  }
}

static void write_node(const struct gasan_formula *formula, uint32_t number, int outer, struct out *out,
                       uint32_t depth);

static void write_call(const struct gasan_formula *formula, const struct gasan_proof_node *node, const char *name,
                       struct out *out, uint32_t depth) {
  add(out, "%s(", name);
  write_node(formula, node->a, 0, out, depth + 1);
  add(out, ", ");
  write_node(formula, node->b, 0, out, depth + 1);
  add(out, ")");
}

/* Writes "a + -1" as "a - 1", and "a << 3" as "a * 8". */
static void write_binary(const struct gasan_formula *formula, const struct gasan_proof_node *node, int outer,
                         struct out *out, uint32_t depth) {
  struct infix infix = infix_of(node->operation);
  const struct gasan_proof_node *b = node_at(formula, node->b);
  const bool has_constant = b->operation == GASAN_PROOF_CONSTANT;
  const int64_t constant = has_constant ? (int64_t)signed_value(b->value, b->bits) : 0;
  const bool is_shift = node->operation == GASAN_PROOF_SHL && has_constant && constant >= 0 && constant < 62;
  const bool is_minus = node->operation == GASAN_PROOF_ADD && constant < 0 && constant > INT64_MIN;
  if (is_shift)
    infix = (struct infix){"*", 6};
  const bool has_brackets = infix.precedence < outer;
  add(out, "%s", has_brackets ? "(" : "");
  write_node(formula, node->a, infix.precedence, out, depth + 1);
  add(out, " %s ", is_minus ? "-" : infix.text);
  if (is_shift || is_minus)
    add(out, "%lld", (long long)(is_shift ? 1ll << constant : -constant));
  else
    write_node(formula, node->b, infix.precedence + 1, out, depth + 1);
  add(out, "%s", has_brackets ? ")" : "");
}

static void write_node(const struct gasan_formula *formula, uint32_t number, int outer, struct out *out,
                       uint32_t depth) {
  bool is_unsigned = false;
  number = gasan_formula_skip(formula, number, &is_unsigned);
  const struct gasan_proof_node *node = node_at(formula, number);
  if (depth > DEEPEST)
    out->fits = false;
  if (!out->fits)
    return;
  if (number == formula->loop)
    add(out, "counter");
  else if (node->operation < GASAN_PROOF_ADD || node->operation == GASAN_PROOF_ARGUMENT_ELEMENT)
    write_leaf(formula, number, out);
  else if (infix_of(node->operation).text)
    write_binary(formula, node, outer, out, depth);
  else if (node->operation == GASAN_PROOF_SMIN || node->operation == GASAN_PROOF_UMIN)
    write_call(formula, node, "min", out, depth);
  else if (node->operation == GASAN_PROOF_SMAX || node->operation == GASAN_PROOF_UMAX)
    write_call(formula, node, "max", out, depth);
  else if (node->operation == GASAN_PROOF_TRUNC)
    write_node(formula, node->a, outer, out, depth + 1);
  else
    out->fits = false;
}

bool gasan_formula_write(const struct gasan_formula *formula, uint32_t node, char *text, size_t size) {
  struct out out = {.text = text, .size = size, .fits = true};
  *text = 0;
  write_node(formula, node, 0, &out, 0);
  return out.fits;
}
