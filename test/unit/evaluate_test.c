/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Evaluating a kernel's nodes for one launch after the other gives the same values as evaluating them anew. */
#include <stdlib.h>
#include <string.h>

#include "greatest.h"
#include "proof/kernel_claims.h"

enum { PROGRAMS = 2000, NODES = 60, LAUNCHES = 20, ARGUMENTS = 4 };

struct program {
  struct gasan_proof_node nodes[NODES];
  uint32_t computations; /* nodes with operands */
};

static uint32_t below(uint32_t end) {
  return (uint32_t)rand() % end;
}

static struct gasan_proof_node random_node(uint32_t index) {
  static const uint8_t bits[] = {1, 8, 32, 64};
  const uint32_t operands = index ? index : 1;
  struct gasan_proof_node node = {.operation = (uint8_t)below(GASAN_PROOF_TIMES_UGE + 1),
                                  .bits = bits[below(sizeof bits)],
                                  .a = below(operands),
                                  .b = below(operands),
                                  .c = below(operands)};
  if (node.operation == GASAN_PROOF_CONSTANT || node.operation == GASAN_PROOF_BETWEEN) {
    node.value = below(40);
    node.value2 = node.value + below(9);
  } else if (node.operation == GASAN_PROOF_ARGUMENT_ELEMENT) {
    node.b = below(ARGUMENTS);
    node.c = below(9);
    node.value = below(4);
    node.value2 = 1u << below(3);
  } else if (node.operation < GASAN_PROOF_ADD) {
    node.a = below(node.operation == GASAN_PROOF_ARGUMENT ? ARGUMENTS : 3);
  }
  return node;
}

static struct program random_program(void) {
  static const struct gasan_proof_argument arguments[ARGUMENTS] = {{0, 8, 0}, {8, 8, 0}, {16, 8, 0}, {24, 8, 0}};
  struct program program = {.computations = 0};
  for (uint32_t i = 0; i < NODES;) {
    program.nodes[i] = random_node(i);
    if (gasan_proof_node_error(program.nodes, i, arguments, ARGUMENTS))
      continue;
    program.computations += program.nodes[i].operation >= GASAN_PROOF_ADD;
    i++;
  }
  return program;
}

/* Changes the launch in one place, or nowhere. */
static void change(struct gasan_proof_launch *launch, uint64_t *arguments) {
  switch (below(8)) {
  case 0:
    launch->grid[below(3)] = 1 + below(9);
    break;
  case 1:
    launch->block[below(3)] = 1 + below(9);
    break;
  case 2:
    launch->dynamic_shared = below(100);
    break;
  case 3:
    break;
  default:
    arguments[below(ARGUMENTS)] = below(2) ? below(50) : 0 - (uint64_t)below(50);
    break;
  }
}

static bool are_same(const struct gasan_proof_value *a, const struct gasan_proof_value *b) {
  return a->interval.empty == b->interval.empty &&
         (a->interval.empty || (a->interval.low == b->interval.low && a->interval.span == b->interval.span)) &&
         a->interval.bits == b->interval.bits && a->low.value == b->low.value && a->low.count == b->low.count;
}

TEST values_of_earlier_launches_change_nothing(void) {
  uint32_t computations = 0, changed = 0, kept = 0;
  srand(7);
  for (int i = 0; i < PROGRAMS; i++) {
    const struct program program = random_program();
    uint64_t values_of[ARGUMENTS] = {1, 2, 3, 4};
    void *arguments[ARGUMENTS] = {&values_of[0], &values_of[1], &values_of[2], &values_of[3]};
    struct gasan_proof_launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = arguments};
    struct gasan_proof_value values[NODES] = {0};
    for (int j = 0; j < LAUNCHES; j++) {
      struct gasan_proof_value fresh[NODES] = {0};
      change(&launch, values_of);
      gasan_proof_evaluate(program.nodes, NODES, &launch, values);
      gasan_proof_evaluate(program.nodes, NODES, &launch, fresh);
      for (int k = 0; k < NODES; k++) {
        ASSERT(are_same(&values[k], &fresh[k]));
        changed += values[k].has_changed;
        kept += !values[k].has_changed;
      }
    }
    computations += program.computations;
  }
  ASSERT(computations > PROGRAMS * NODES / 4);
  ASSERT(changed > PROGRAMS && kept > changed);
  PASS();
}

/* The interval of an array's elements has each element at a multiple of the step among the given distances, and none of
 * other bytes. */
TEST finds_elements_of_arguments(void) {
  enum { BYTES = 40, MOST = 30 };
  static const struct gasan_proof_argument arguments[] = {{0, 4, 0}, {8, BYTES, 0}};
  unsigned all = 0, known = 0;
  srand(11);
  for (int i = 0; i < 20000; i++) {
    unsigned char bytes[BYTES];
    for (int j = 0; j < BYTES; j++)
      bytes[j] = (unsigned char)below(256);
    void *pointers[] = {NULL, bytes};
    const uint32_t width = 1u << below(4), step = 1 + below(9), first = below(BYTES + 1);
    const uint32_t room = below(BYTES + 1 - first), low = below(MOST), high = low + below(12);
    const struct gasan_proof_node nodes[] = {
        {GASAN_PROOF_BETWEEN, 64, 0, 0, 0, 0, low, high},
        {GASAN_PROOF_ARGUMENT_ELEMENT, (uint8_t)(8 * width), 0, 0, 1, room, first, step}};
    struct gasan_proof_value values[2] = {0};
    const struct gasan_proof_launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = pointers};
    ASSERT(!gasan_proof_node_error(nodes, 1, arguments, 2));
    gasan_proof_evaluate(nodes, 2, &launch, values);
    const struct gasan_interval found = values[1].interval;
    const uint64_t mask = width == 8 ? UINT64_MAX : (1ull << 8 * width) - 1;
    ASSERT(!found.empty);
    if (found.span == mask) {
      all++;
      continue;
    }
    known++;
    ASSERT(high + width <= room);
    bool at_low = false, at_high = false;
    for (uint32_t at = 0; at <= high; at += step) {
      uint64_t value = 0;
      memcpy(&value, bytes + first + (at < low ? high : at), width);
      if (at < low)
        continue;
      ASSERT(((value - found.low) & mask) <= found.span);
      at_low |= value == found.low;
      at_high |= value == ((found.low + found.span) & mask);
    }
    ASSERT(at_low && at_high);
  }
  ASSERT(all > 100 && known > 1000);
  PASS();
}

/* A table with such a node outside of its argument, or of odd bits, is refused. */
TEST refuses_elements(void) {
  static const struct gasan_proof_argument arguments[] = {{0, 16, 0}};
  static const struct gasan_proof_node good = {GASAN_PROOF_ARGUMENT_ELEMENT, 32, 0, 0, 0, 12, 4, 4};
  struct gasan_proof_node nodes[] = {{GASAN_PROOF_BETWEEN, 64, 0, 0, 0, 0, 0, 8}, good};
  ASSERT_EQ(NULL, gasan_proof_node_error(nodes, 1, arguments, 1));
  nodes[1].c = 13;
  ASSERT_STR_EQ("bytes behind an argument's end", gasan_proof_node_error(nodes, 1, arguments, 1));
  nodes[1] = good;
  nodes[1].value = UINT64_MAX;
  ASSERT_STR_EQ("bytes behind an argument's end", gasan_proof_node_error(nodes, 1, arguments, 1));
  nodes[1] = good;
  nodes[1].b = 1;
  ASSERT_STR_EQ("an argument that the kernel does not have", gasan_proof_node_error(nodes, 1, arguments, 1));
  nodes[1] = good;
  nodes[1].value2 = 0;
  ASSERT(gasan_proof_node_error(nodes, 1, arguments, 1));
  nodes[1] = good;
  nodes[1].bits = 33;
  ASSERT(gasan_proof_node_error(nodes, 1, arguments, 1));
  nodes[1] = good;
  nodes[0].bits = 32;
  ASSERT(gasan_proof_node_error(nodes, 1, arguments, 1));
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(values_of_earlier_launches_change_nothing);
  RUN_TEST(finds_elements_of_arguments);
  RUN_TEST(refuses_elements);
  GREATEST_MAIN_END();
}
