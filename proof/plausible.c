/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "proof/plausible.h"

#include <stdlib.h>
#include <string.h>

#include "proof/kernel_claims.h"

/* An unknown 32-bit value, even if it counts bytes, has nearly this span. */
#define GREATEST_SPAN ((1ull << 32) - (1ull << 16))

/* The ordinary launches that are tried. Argument number a, or the a-th 8 bytes of an argument, has the value first + (a
 * % period) * step. In some launches the arguments ascend and in others they descend, for the limits of loops. Some
 * values are divisible by steps. Flags are odd in some launches and even in others. */
#define PERIOD 16u
static const struct {
  uint32_t grid[3], block[3];
  uint32_t first, step, period;
} shapes[] = {
    {{8, 1, 1}, {128, 1, 1}, 1001, 3, PERIOD},
    {{4, 4, 2}, {16, 16, 1}, 64, 64, PERIOD},
    {{16, 2, 1}, {32, 8, 1}, 1024, -32u, PERIOD},
    {{1, 1, 1}, {64, 1, 1}, 64, 0, PERIOD},
    {{8, 1, 1}, {256, 1, 1}, 8192, 64, PERIOD}, /* for tiles of thousands of elements */
    {{4, 1, 1}, {64, 1, 1}, 5, 1, PERIOD},      /* for exponents and amounts of shifts */
    {{4, 1, 1}, {64, 1, 1}, 14, 1, PERIOD},     /* for logarithms of numbers of elements */
    /* For some kernels only. That others reach their accesses in these launches, too, says nothing about them. */
    {{4, 1, 1}, {64, 1, 1}, 2, 20, 3}, /* for strides that are much smaller than sizes */
    {{4, 1, 1}, {64, 1, 1}, 2, 20, 5},
    {{4, 1, 1}, {64, 1, 1}, 5, 0, PERIOD}, /* for numbers of dimensions */
    {{1, 1, 1}, {1, 1, 1}, 1, 0, PERIOD},  /* not ordinary: indices that only data decides are no smaller here */
};
#define SHAPES (sizeof shapes / sizeof *shapes)
#define ORDINARY (SHAPES - 1)
#define FOR_ALL (ORDINARY - 3) /* the first ones */

struct buffers {
  uint32_t count;
  uint64_t size; /* of each, in bytes */
  void **arguments;
  unsigned char *bytes;
};

static unsigned char *buffer_of(const struct buffers *buffers, uint32_t argument) {
  return buffers->bytes + argument * buffers->size;
}

/* Makes a buffer for each argument that the nodes read; all have the same size. Returns false if there is no memory. */
static bool make_buffers(struct buffers *buffers, const struct gasan_proof_node *nodes, uint32_t node_count) {
  buffers->count = 0;
  buffers->size = 0;
  for (uint32_t i = 0; i < node_count; i++) {
    const bool is_element = nodes[i].operation == GASAN_PROOF_ARGUMENT_ELEMENT;
    if (!is_element && nodes[i].operation != GASAN_PROOF_ARGUMENT)
      continue;
    const uint64_t end = nodes[i].value + (is_element ? nodes[i].c : 0) + sizeof(uint64_t);
    const uint32_t argument = is_element ? nodes[i].b : nodes[i].a;
    buffers->size = end > buffers->size ? end : buffers->size;
    buffers->count = argument >= buffers->count ? argument + 1 : buffers->count;
  }
  buffers->arguments = calloc(buffers->count + 1u, sizeof *buffers->arguments);
  buffers->bytes = calloc(buffers->count + 1u, buffers->size + 1);
  if (!buffers->arguments || !buffers->bytes)
    return false;
  for (uint32_t i = 0; i < buffers->count; i++)
    buffers->arguments[i] = buffer_of(buffers, i);
  return true;
}

static void fill(const struct buffers *buffers, const struct gasan_proof_node *nodes, uint32_t node_count,
                 uint32_t first, uint32_t step, uint32_t period) {
  for (uint32_t i = 0; i < node_count; i++)
    for (uint64_t at = 0; nodes[i].operation == GASAN_PROOF_ARGUMENT_ELEMENT && at < nodes[i].c;
         at += nodes[i].value2) {
      const uint64_t value = first + (nodes[i].b + (uint32_t)at / 8) % period * step;
      memcpy(buffer_of(buffers, nodes[i].b) + nodes[i].value + at, &value, nodes[i].bits / 8u);
    }
  for (uint32_t i = 0; i < node_count; i++)
    if (nodes[i].operation == GASAN_PROOF_ARGUMENT) {
      uint64_t value = first + (nodes[i].a + (uint32_t)nodes[i].value / 8) % period * step;
      memcpy(buffer_of(buffers, nodes[i].a) + nodes[i].value, &value, (nodes[i].bits + 7u) / 8);
    }
  for (uint32_t i = 0; i < node_count; i++) {
    const struct gasan_proof_node *from = &nodes[nodes[i].a];
    if (nodes[i].operation == GASAN_PROOF_FLOAT_OF_BITS && from->operation == GASAN_PROOF_ARGUMENT) {
      const double ratio = 1;
      const float narrow = 1;
      memcpy(buffer_of(buffers, from->a) + from->value, from->bits == 32 ? (const void *)&narrow : &ratio,
             from->bits / 8);
    }
  }
}

static bool is_bounded(const struct gasan_claim *claim, const struct gasan_proof_value *offsets) {
  return offsets->interval.span < GREATEST_SPAN && gasan_claim_is_aligned(claim, offsets, 0);
}

static bool is_inside(const struct gasan_claim *claim, struct gasan_interval offsets) {
  bool is_known =
      claim->root == GASAN_ROOT_STATIC_SHARED || claim->root == GASAN_ROOT_VARIABLE || claim->root == GASAN_ROOT_INDEX;
  return !is_known || (claim->width <= claim->size && offsets.low <= claim->size - claim->width &&
                       offsets.span <= claim->size - claim->width - offsets.low);
}

/* The findings about a claim in the launches so far. A launch that does not reach the accesses adds none. */
struct finding {
  bool reached, bounded, inside; /* reached: by an ordinary launch for all kernels */
};

static bool may_hold(const struct finding *finding) {
  return !finding->reached || (finding->bounded && finding->inside);
}

void gasan_proof_plausible(const struct gasan_proof_node *nodes, uint32_t node_count, const struct gasan_claim *claims,
                           uint32_t claim_count, bool *plausible) {
  struct buffers buffers;
  struct gasan_proof_value *values = calloc(node_count + 1u, sizeof *values);
  struct finding *findings = calloc(claim_count + 1u, sizeof *findings);
  bool possible = make_buffers(&buffers, nodes, node_count) && values && findings;
  for (size_t shape = 0; possible && shape < SHAPES; shape++) {
    struct gasan_proof_launch launch = {.dynamic_shared = 4096, .arguments = buffers.arguments};
    memcpy(launch.grid, shapes[shape].grid, sizeof launch.grid);
    memcpy(launch.block, shapes[shape].block, sizeof launch.block);
    fill(&buffers, nodes, node_count, shapes[shape].first, shapes[shape].step, shapes[shape].period);
    gasan_proof_evaluate(nodes, node_count, &launch, values);
    for (uint32_t i = 0; i < claim_count; i++) {
      const struct gasan_proof_value *offsets = &values[claims[i].node];
      if (offsets->interval.empty)
        continue;
      findings[i].reached |= shape < FOR_ALL;
      findings[i].bounded |= shape < ORDINARY && is_bounded(&claims[i], offsets);
      findings[i].inside |= is_inside(&claims[i], offsets->interval);
    }
  }
  for (uint32_t i = 0; i < claim_count; i++)
    plausible[i] = !possible || may_hold(&findings[i]);
  free(values);
  free(findings);
  free(buffers.arguments);
  free(buffers.bytes);
}
