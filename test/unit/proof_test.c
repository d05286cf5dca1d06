/* Launch proofs: a table reads back, and a damaged one is refused; claims hold where they should, and nowhere else; a
 * decision is reused as long as its inputs are the same. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "greatest.h"
#include "proof/plausible.h"
#include "proof/proof.h"

/* scale(float *to, struct { int n; const float *from; } from, int scaled): to[i] = from.from[i] for i < n. */
enum {
  N_BLOCK,
  N_DIM,
  N_START,
  N_THREAD,
  N_INDEX,
  N_COUNT,
  N_GUARDED,
  N_LONG,
  N_FOUR,
  N_OFFSET,
  N_POINTER,
  N_ZERO,
  N_NOT_NULL,
  N_IF,
  N_DYNAMIC,
  NODES
};
enum { C_TO, C_FROM, C_SHARED, CLAIMS };

struct table {
  struct gasan_proof_table header;
  struct gasan_proof_kernel kernels[1];
  struct gasan_proof_argument arguments[3];
  struct gasan_hidden hidden[2];
  struct gasan_claim claims[CLAIMS];
  struct gasan_proof_node nodes[NODES];
  struct gasan_loaded_header loaded_header;
  struct gasan_loaded loaded[1];
  char strings[16];
};

#define AT(member) (uint32_t)offsetof(struct table, member)

static struct table good_table(void) {
  struct table t = {
      .header = {.magic = GASAN_PROOFS_MAGIC,
                 .abi_version = GASAN_ABI_VERSION,
                 .total_size = sizeof t,
                 .kernel_count = 1,
                 .kernels_offset = AT(kernels),
                 .argument_count = 3,
                 .arguments_offset = AT(arguments),
                 .claim_count = CLAIMS,
                 .claims_offset = AT(claims),
                 .node_count = NODES,
                 .nodes_offset = AT(nodes),
                 .hidden_count = 2,
                 .hidden_offset = AT(hidden),
                 .strings_size = 16,
                 .strings_offset = AT(strings),
                 .loaded_offset = AT(loaded_header)},
      .loaded_header = {.count = 1},
      .loaded = {{.claim = C_FROM, .argument = 0, .bits = 32, .is_signed = 1, .scale = 4}},
      .kernels = {{.name = 1, .argument_count = 3, .claim_count = CLAIMS, .node_count = NODES, .hidden_count = 2}},
      .arguments = {{0, 8, 0}, {8, 16, 0}, {24, 4, 0}},
      .hidden = {{.argument = 0}, {.argument = 1, .offset = 8}},
      .claims = {{GASAN_ROOT_ARGUMENT, 0, 4, 0, 0, N_OFFSET, 4, 7, 0},
                 {GASAN_ROOT_ARGUMENT, 0, 4, 1, 8, N_IF, 4, 8, 0},
                 {GASAN_ROOT_DYNAMIC_SHARED, 0, 1, 0, 0, N_DYNAMIC, 4, 9, 0}},
      .nodes = {[N_BLOCK] = {GASAN_PROOF_BLOCK_INDEX, 32, 0, 0, 0, 0, 0, 0},
                [N_DIM] = {GASAN_PROOF_BLOCK_DIM, 32, 0, 0, 0, 0, 0, 0},
                [N_START] = {GASAN_PROOF_MUL, 32, 0, N_BLOCK, N_DIM, 0, 0, 0},
                [N_THREAD] = {GASAN_PROOF_THREAD_INDEX, 32, 0, 0, 0, 0, 0, 0},
                [N_INDEX] = {GASAN_PROOF_ADD, 32, 0, N_START, N_THREAD, 0, 0, 0},
                [N_COUNT] = {GASAN_PROOF_ARGUMENT, 32, 0, 1, 0, 0, 0, 0},
                [N_GUARDED] = {GASAN_PROOF_WHERE_SLT, 32, 0, N_INDEX, N_COUNT, 0, 0, 0},
                [N_LONG] = {GASAN_PROOF_SEXT, 64, 0, N_GUARDED, 0, 0, 0, 0},
                [N_FOUR] = {GASAN_PROOF_CONSTANT, 64, 0, 0, 0, 0, 4, 0},
                [N_OFFSET] = {GASAN_PROOF_MUL, 64, 0, N_LONG, N_FOUR, 0, 0, 0},
                [N_POINTER] = {GASAN_PROOF_ARGUMENT, 64, 0, 1, 0, 0, 8, 0},
                [N_ZERO] = {GASAN_PROOF_CONSTANT, 64, 0, 0, 0, 0, 0, 0},
                [N_NOT_NULL] = {GASAN_PROOF_WHERE_NE, 64, 0, N_POINTER, N_ZERO, 0, 0, 0},
                [N_IF] = {GASAN_PROOF_IF, 64, 0, N_OFFSET, N_NOT_NULL, 0, 0, 0},
                [N_DYNAMIC] = {GASAN_PROOF_BETWEEN, 64, 0, 0, 0, 0, 0, 60}},
      .strings = "\0scale",
  };
  return t;
}

/* The memory: chunks of 4000 bytes, one every 4096 bytes. */
#define CHUNKS 0x700000000000ull
#define PLACE 4096u
#define SIZE 4000u

static bool dead[8];
static uint32_t asked;

static struct gasan_bounds find(void *context, uint64_t pointer) {
  asked++;
  if (pointer < GASAN_NULL_PAGE)
    return gasan_bounds_make(0, 0, GASAN_OBJECT_NULL);
  if (pointer - CHUNKS >= 8 * PLACE)
    return gasan_bounds_make(0, 0, GASAN_OBJECT_WILD);
  uint64_t chunk = (pointer - CHUNKS) / PLACE;
  return gasan_bounds_make(CHUNKS + chunk * PLACE, dead[chunk] ? 0 : SIZE, GASAN_OBJECT_MEMORY);
}

struct launch {
  uint64_t to;
  struct {
    int32_t n;
    uint64_t from;
  } from;
  int32_t scaled;
  uint32_t blocks, threads;
  uint64_t shared, epoch;
  uint64_t hidden[5];
};

static struct launch good_launch(void) {
  return (struct launch){
      .to = CHUNKS, .from = {1000, CHUNKS + PLACE}, .scaled = 3, .blocks = 4, .threads = 256, .shared = 64, .epoch = 1};
}

static bool lasts(void *context, uint64_t base) {
  return base != *(const uint64_t *)context;
}

/* `ending`: start of the object that may be freed, or NULL. */
static enum gasan_proof_variant decide_variant(struct gasan_proof *proof, struct launch *launch, uint64_t *ending) {
  void *arguments[] = {&launch->to, &launch->from, &launch->scaled};
  struct gasan_proof_launch shape = {.grid = {launch->blocks, 1, 1},
                                     .block = {launch->threads, 1, 1},
                                     .dynamic_shared = launch->shared,
                                     .arguments = arguments};
  struct gasan_proof_lookup lookup = {
      .find = find, .context = ending, .device = 0, .epoch = launch->epoch, .lasts = ending ? lasts : NULL};
  return gasan_proof_decide(proof, &shape, &lookup, launch->hidden);
}

static bool decide(struct gasan_proof *proof, struct launch *launch) {
  return decide_variant(proof, launch, NULL) == GASAN_VARIANT_PROVEN;
}

static struct gasan_proof_failure failure_of(struct gasan_proof *proof) {
  struct gasan_proof_counts counts;
  gasan_proof_counts(proof, &counts);
  return counts.failures.at[0];
}

static struct gasan_proofs *parse(const struct table *table);

/* Decides a good launch with this pointer, whose limit for accesses of `width` bytes is an argument. */
static struct launch with_limit(uint64_t from, uint32_t width, uint32_t alignment) {
  struct table t = good_table();
  t.kernels[0].claim_count = 0;
  t.header.loaded_offset = 0;
  t.hidden[1].width = width;
  t.hidden[1].alignment = alignment;
  struct gasan_proofs *proofs = parse(&t);
  struct launch launch = good_launch();
  launch.from.from = from;
  if (!proofs || !decide(gasan_proofs_kernel(proofs, "scale"), &launch))
    launch.hidden[3] = UINT64_MAX;
  gasan_proofs_free(proofs);
  return launch;
}

TEST passes_limits(void) {
  struct launch launch = with_limit(CHUNKS + PLACE + 8, 4, 1);
  ASSERT_EQ(CHUNKS + PLACE, launch.hidden[2]);
  ASSERT_EQ(SIZE - 3, launch.hidden[3]);
  ASSERT_EQ(SIZE, with_limit(CHUNKS + PLACE, 1, 1).hidden[3]);
  ASSERT_EQ(1u, with_limit(CHUNKS + PLACE, SIZE, 1).hidden[3]);
  ASSERT_EQ(0u, with_limit(CHUNKS + PLACE, SIZE + 1, 1).hidden[3]);
  ASSERT_EQ(SIZE - 3, with_limit(CHUNKS + PLACE + 8, 4, 8).hidden[3]);
  ASSERT_EQ(0u, with_limit(CHUNKS + PLACE + 8, 4, 16).hidden[3]); /* the pointer is misaligned */
  ASSERT_EQ(0u, with_limit(0, 4, 4).hidden[3]);
  PASS();
}

static struct gasan_proofs *parse(const struct table *table) {
  char why[256];
  memset(dead, 0, sizeof dead);
  return gasan_proofs_parse(table, sizeof *table, why, sizeof why);
}

TEST reads_back(void) {
  struct table t = good_table();
  struct gasan_proofs *proofs = parse(&t);
  ASSERT(proofs);
  struct gasan_proof *proof = gasan_proofs_kernel(proofs, "scale");
  ASSERT(proof);
  ASSERT_EQ(NULL, gasan_proofs_kernel(proofs, "scal"));
  ASSERT_STR_EQ("scale", gasan_proof_name(proof));
  ASSERT_EQ(3u, gasan_proof_argument_count(proof));
  ASSERT_EQ(2u, gasan_proof_hidden_count(proof));
  ASSERT_EQ(3u, gasan_proof_claim_count(proof));
  gasan_proofs_free(proofs);
  PASS();
}

TEST holds(void) {
  struct table t = good_table();
  struct gasan_proofs *proofs = parse(&t);
  struct gasan_proof *proof = gasan_proofs_kernel(proofs, "scale");
  struct launch launch = good_launch();
  ASSERT(decide(proof, &launch));
  ASSERT_EQ(CHUNKS, launch.hidden[0]);
  ASSERT_EQ(SIZE, launch.hidden[1]);
  ASSERT_EQ(CHUNKS + PLACE, launch.hidden[2]);
  ASSERT_EQ(SIZE, launch.hidden[3]);
  launch.blocks = 100; /* the guard stops them */
  ASSERT(decide(proof, &launch));
  launch.from.n = 0;
  ASSERT(decide(proof, &launch));
  launch.from.n = INT32_MIN;
  ASSERT(decide(proof, &launch));
  launch = good_launch();
  launch.from.from = 0; /* the kernel tests for null */
  ASSERT(decide(proof, &launch));
  ASSERT_EQ(0u, launch.hidden[3]);
  launch = good_launch();
  launch.to += 400;
  launch.from.n = 900;
  ASSERT(decide(proof, &launch));
  ASSERT_EQ(CHUNKS, launch.hidden[0]);
  gasan_proofs_free(proofs);
  PASS();
}

TEST fails(void) {
  struct table t = good_table();
  struct gasan_proofs *proofs = parse(&t);
  struct gasan_proof *proof = gasan_proofs_kernel(proofs, "scale");
  struct launch launch = good_launch();
  launch.from.n = 1001;
  ASSERT_FALSE(decide(proof, &launch));
  struct gasan_proof_failure failure = failure_of(proof);
  ASSERT_EQ(GASAN_PROOF_OUTSIDE, failure.reason);
  ASSERT_EQ(7u, failure.site);
  ASSERT_EQ(0u, failure.argument);
  ASSERT_EQ(0u, failure.low);
  ASSERT_EQ(4000u, failure.span);
  ASSERT_EQ(SIZE, failure.size);
  launch = good_launch();
  launch.to += 4;
  ASSERT_FALSE(decide(proof, &launch));
  launch = good_launch();
  launch.from.from -= 4; /* the chunk before it ends there */
  ASSERT_FALSE(decide(proof, &launch));
  ASSERT_EQ(8u, failure_of(proof).site);
  launch = good_launch();
  launch.to += 2;
  launch.from.n = 10;
  ASSERT_FALSE(decide(proof, &launch));
  ASSERT_EQ(GASAN_PROOF_MISALIGNED, failure_of(proof).reason);
  launch = good_launch();
  launch.to = 0;
  ASSERT_FALSE(decide(proof, &launch));
  ASSERT_EQ(GASAN_PROOF_NO_OBJECT, failure_of(proof).reason);
  launch = good_launch();
  launch.from.from = 1ull << 40; /* nobody's */
  launch.from.n = 0;
  ASSERT_FALSE(decide(proof, &launch));
  launch = good_launch();
  launch.shared = 60;
  ASSERT_FALSE(decide(proof, &launch));
  ASSERT_EQ(9u, failure_of(proof).site);
  ASSERT_EQ(GASAN_PROOF_NO_ARGUMENT, failure_of(proof).argument);
  launch = good_launch();
  launch.blocks = 1u << 31; /* i wraps around to below 0, and passes the guard */
  ASSERT_FALSE(decide(proof, &launch));
  launch = good_launch();
  launch.threads = 0;
  ASSERT_FALSE(decide(proof, &launch));
  ASSERT_EQ(GASAN_PROOF_NOT_TRIED, failure_of(proof).reason);
  launch = good_launch();
  launch.from.n = 0; /* nothing is accessed, but reports use the hidden arguments */
  dead[1] = true;
  launch.epoch++;
  ASSERT_FALSE(decide(proof, &launch));
  gasan_proofs_free(proofs);
  PASS();
}

/* The variant with all checks gets the claims that do not hold. */
TEST holds_in_part(void) {
  struct table t = good_table();
  t.kernels[0].has_bounded = 1;
  t.kernels[0].bounded_count = 2;
  struct gasan_proofs *proofs = parse(&t);
  struct gasan_proof *proof = gasan_proofs_kernel(proofs, "scale");
  struct gasan_proof_counts counts;
  ASSERT_EQ(5u, gasan_proof_bounded_count(proof));
  struct launch launch = good_launch();
  ASSERT_EQ(GASAN_VARIANT_PROVEN, decide_variant(proof, &launch, NULL));
  launch.from.n = 1001;
  for (int i = 0; i < 2; i++) { /* the second time, the decision is known */
    memset(launch.hidden, 0, sizeof launch.hidden);
    ASSERT_EQ(GASAN_VARIANT_BOUNDED, decide_variant(proof, &launch, NULL));
    ASSERT_EQ(CHUNKS, launch.hidden[0]);
    ASSERT_EQ(SIZE, launch.hidden[1]);
    ASSERT_EQ(CHUNKS + PLACE, launch.hidden[2]);
    ASSERT_EQ(SIZE, launch.hidden[3]);
    ASSERT_EQ(1ull << C_TO | 1ull << C_FROM, launch.hidden[4]);
  }
  gasan_proof_counts(proof, &counts);
  ASSERT_EQ(1u, counts.proven);
  ASSERT_EQ(2u, counts.partly);
  ASSERT_EQ(0u, counts.failed);
  ASSERT_EQ(2u, counts.failures.claims);
  ASSERT_EQ(2u, counts.failures.count);
  ASSERT_EQ(7u, counts.failures.at[0].site);
  ASSERT_EQ(8u, counts.failures.at[1].site);
  launch = good_launch();
  launch.shared = 60;
  ASSERT_EQ(GASAN_VARIANT_BOUNDED, decide_variant(proof, &launch, NULL));
  ASSERT_EQ(1ull << C_SHARED, launch.hidden[4]);
  launch.to = 0; /* a report says only that it is null */
  ASSERT_EQ(GASAN_VARIANT_BOUNDED, decide_variant(proof, &launch, NULL));
  ASSERT_EQ(0u, launch.hidden[1]);
  ASSERT_EQ(1ull << C_SHARED | 1ull << C_TO, launch.hidden[4]);
  launch.to = 1ull << 40; /* nobody's */
  ASSERT_EQ(GASAN_VARIANT_FULL, decide_variant(proof, &launch, NULL));
  launch = good_launch();
  launch.threads = 0;
  ASSERT_EQ(GASAN_VARIANT_FULL, decide_variant(proof, &launch, NULL));
  gasan_proofs_free(proofs);
  PASS();
}

/* The kernel itself looks up the pointers of a table that the host does not know. */
TEST passes_tables(void) {
  struct table t = good_table();
  t.kernels[0].claim_count = 0;
  t.header.loaded_offset = 0;
  t.hidden[0].place = GASAN_HIDDEN_FIRST;
  t.hidden[1].place = GASAN_HIDDEN_NEXT;
  t.kernels[0].has_bounded = 1;
  t.kernels[0].bounded_count = 2;
  struct gasan_proofs *proofs = parse(&t);
  struct gasan_proof *proof = gasan_proofs_kernel(proofs, "scale");
  struct launch launch = good_launch();
  void *arguments[5];
  dead[0] = true;
  ASSERT_EQ(GASAN_VARIANT_PROVEN, decide_variant(proof, &launch, NULL));
  ASSERT_EQ(0u, launch.hidden[1]);
  ASSERT_EQ(CHUNKS + PLACE, launch.hidden[2]);
  ASSERT_EQ(SIZE, launch.hidden[3]);
  ASSERT_EQ(1u, gasan_proof_place_hidden(proof, GASAN_VARIANT_PROVEN, launch.hidden, arguments));
  ASSERT_EQ(launch.hidden, arguments[0]);
  ASSERT_EQ(2u, gasan_proof_place_hidden(proof, GASAN_VARIANT_BOUNDED, launch.hidden, arguments));
  ASSERT_EQ(launch.hidden + 4, arguments[1]); /* the mask */
  gasan_proofs_free(proofs);

  t = good_table(); /* no table */
  proofs = parse(&t);
  proof = gasan_proofs_kernel(proofs, "scale");
  dead[0] = true;
  ASSERT_EQ(GASAN_VARIANT_FULL, decide_variant(proof, &launch, NULL));
  ASSERT_EQ(4u, gasan_proof_place_hidden(proof, GASAN_VARIANT_PROVEN, launch.hidden, arguments));
  for (int i = 0; i < 4; i++)
    ASSERT_EQ(launch.hidden + i, arguments[i]);
  gasan_proofs_free(proofs);
  PASS();
}

TEST keeps_decisions(void) {
  struct table t = good_table();
  struct gasan_proofs *proofs = parse(&t);
  struct gasan_proof *proof = gasan_proofs_kernel(proofs, "scale");
  struct gasan_proof_counts counts;
  struct launch launch = good_launch();
  asked = 0;
  for (int i = 0; i < 10; i++) {
    launch.scaled = i; /* nothing depends on it */
    ASSERT(decide(proof, &launch));
  }
  gasan_proof_counts(proof, &counts);
  ASSERT_EQ(1u, counts.evaluated);
  ASSERT_EQ(10u, counts.proven);
  ASSERT_EQ(2u, asked);
  launch.epoch++; /* other memory was allocated or freed */
  ASSERT(decide(proof, &launch));
  gasan_proof_counts(proof, &counts);
  ASSERT_EQ(1u, counts.evaluated);
  ASSERT_EQ(4u, asked);
  ASSERT(decide(proof, &launch));
  ASSERT_EQ(4u, asked);
  dead[0] = true;
  launch.epoch++;
  ASSERT_FALSE(decide(proof, &launch));
  dead[0] = false;
  launch.epoch++;
  ASSERT(decide(proof, &launch));
  /* More launches than the cache has room for: each decision in it is right. */
  for (int round = 0; round < 3; round++)
    for (int n = -4000; n < 1100; n++) {
      launch.from.n = n;
      ASSERT_EQ(n <= 1000, decide(proof, &launch));
    }
  gasan_proofs_free(proofs);
  PASS();
}

/* A cache may drop decisions only when it cannot grow: 4,096 launches that alternate are evaluated once each. */
TEST keeps_as_many_decisions_as_fit(void) {
  struct table t = good_table();
  struct gasan_proofs *proofs = parse(&t);
  struct gasan_proof *proof = gasan_proofs_kernel(proofs, "scale");
  struct gasan_proof_counts counts;
  struct launch launch = good_launch();
  for (int round = 0; round < 3; round++)
    for (int n = -3096; n < 1000; n++) {
      launch.from.n = n;
      ASSERT(decide(proof, &launch));
    }
  gasan_proof_counts(proof, &counts);
  ASSERT_EQ(4096u, counts.evaluated);
  gasan_proofs_free(proofs);
  PASS();
}

TEST asks_what_lasts_each_time(void) {
  struct table t = good_table();
  struct gasan_proofs *proofs = parse(&t);
  struct gasan_proof *proof = gasan_proofs_kernel(proofs, "scale");
  struct launch launch = good_launch();
  uint64_t other = CHUNKS + 5 * PLACE, second = CHUNKS + PLACE;
  launch.from.from += 8; /* into the object */
  launch.from.n = 100;
  ASSERT_EQ(GASAN_VARIANT_PROVEN, decide_variant(proof, &launch, &other));
  ASSERT_EQ(GASAN_VARIANT_FULL, decide_variant(proof, &launch, &second));
  ASSERT_EQ(GASAN_PROOF_MAY_END, failure_of(proof).reason);
  ASSERT_EQ(1u, failure_of(proof).argument);
  ASSERT(decide(proof, &launch));
  gasan_proofs_free(proofs);
  PASS();
}

static char why[256];

static bool refused(const struct table *table, const char *part) {
  why[0] = 0;
  struct gasan_proofs *proofs = gasan_proofs_parse(table, sizeof *table, why, sizeof why);
  if (proofs)
    gasan_proofs_free(proofs);
  return !proofs && strstr(why, part);
}

#define REFUSED(change, part)                                                                                          \
  do {                                                                                                                 \
    struct table t = good_table();                                                                                     \
    change;                                                                                                            \
    ASSERTm(why, refused(&t, part));                                                                                   \
  } while (0)

TEST refuses(void) {
  REFUSED(t.header.magic++, "no table");
  REFUSED(t.header.abi_version++, "another version");
  REFUSED(t.header.total_size++, "cut off");
  REFUSED(t.header.nodes_offset += 4, "outside");
  REFUSED(t.header.node_count += 8, "outside");
  REFUSED(t.header.claim_count = UINT32_MAX, "outside");
  REFUSED(t.kernels[0].name = 16, "kernel number 0");
  REFUSED(t.kernels[0].first_node = 1, "kernel number 0");
  REFUSED(t.kernels[0].claim_count = UINT32_MAX, "kernel number 0");
  REFUSED(t.nodes[N_OFFSET].a = N_OFFSET, "kernel scale, node 9: an operand that does not come before it");
  REFUSED(t.nodes[N_OFFSET].b = UINT32_MAX, "node 9: an operand that does not come before it");
  REFUSED(t.nodes[N_OFFSET].operation = 40, "node 9: an operation");
  REFUSED(t.nodes[N_OFFSET].operation = 255, "node 9: an operation");
  REFUSED(t.nodes[N_OFFSET].bits = 32, "node 9: operands of other bits");
  REFUSED(t.nodes[N_OFFSET].operation = GASAN_PROOF_RECURRENCE; t.nodes[N_OFFSET].c = N_OFFSET, "node 9: an operand");
  REFUSED(t.nodes[N_OFFSET].operation = GASAN_PROOF_TIMES_NE;
          t.nodes[N_OFFSET].c = N_DIM, "node 9: operands of other bits");
  REFUSED(t.nodes[N_LONG].bits = 32, "node 7: operands of other bits");
  REFUSED(t.nodes[N_DYNAMIC].bits = 0, "node 14: no bits");
  REFUSED(t.nodes[N_DYNAMIC].bits = 65, "node 14: no bits");
  REFUSED(t.nodes[N_BLOCK].a = 3, "node 0: an axis");
  REFUSED(t.nodes[N_COUNT].a = 3, "node 5: an argument");
  REFUSED(t.nodes[N_COUNT].value = 13, "node 5: bytes behind");
  REFUSED(t.nodes[N_COUNT].value = UINT64_MAX, "node 5: bytes behind");
  REFUSED(t.claims[C_FROM].node = NODES, "claim 1: a node");
  REFUSED(t.claims[C_FROM].node = N_INDEX, "claim 1: an offset");
  REFUSED(t.claims[C_FROM].offset = 9, "claim 1: a pointer");
  REFUSED(t.claims[C_FROM].argument = 2, "claim 1: a pointer");
  REFUSED(t.claims[C_FROM].root = 0, "claim 1: a root");
  REFUSED(t.claims[C_FROM].alignment = 6, "claim 1: an alignment");
  REFUSED(t.hidden[1].argument = 3, "hidden root 1");
  REFUSED(t.hidden[1].width = 4, "hidden root 1: an impossible description");
  REFUSED(t.hidden[1].width = t.hidden[1].alignment = 4;
          t.hidden[1].bits = 16, "hidden root 1: an impossible description");
  REFUSED(t.hidden[1].place = 3, "hidden root 1: an impossible place");
  REFUSED(t.hidden[1].place = GASAN_HIDDEN_NEXT, "hidden root 1: an impossible place");
  REFUSED(t.hidden[0].place = GASAN_HIDDEN_NEXT, "hidden root 0: an impossible place");
  REFUSED(t.hidden[0].place = GASAN_HIDDEN_FIRST; t.hidden[0].width = 4, "hidden root 0: an impossible place");
  REFUSED(t.kernels[0].bounded_count = 3, "kernel number 0");
  REFUSED(t.header.loaded_offset += 4, "its indices from memory");
  REFUSED(t.header.loaded_offset = UINT32_MAX - 7, "its indices from memory");
  REFUSED(t.loaded_header.count = 2, "its indices from memory");
  REFUSED(t.loaded[0].claim = CLAIMS, "index 0 from memory: a claim");
  REFUSED(t.loaded[0].claim = C_SHARED, "index 0 from memory: a claim");
  REFUSED(t.loaded[0].argument = 2, "index 0 from memory: a pointer");
  REFUSED(t.loaded[0].scale = 0, "index 0 from memory: an impossible number");
  REFUSED(t.loaded[0].bits = 65, "index 0 from memory: an impossible number");
  REFUSED(t.kernels[0].first_bounded = UINT32_MAX, "kernel number 0");
  REFUSED(t.hidden[1].argument = 3; t.kernels[0].hidden_count = 0; t.kernels[0].bounded_count = 2, "bounded root 1");
  PASS();
}

TEST refuses_any_part(void) {
  struct table t = good_table();
  for (size_t size = 0; size < sizeof t; size++) {
    void *part = malloc(size + 1);
    memcpy(part, &t, size);
    ASSERT_EQ(NULL, gasan_proofs_parse(part, size, why, sizeof why));
    free(part);
  }
  PASS();
}

/* Values that the proof reads are never dereferenced; it takes the arguments' sizes from the compiler. */
TEST survives_damage(void) {
  uint64_t random = 1;
  for (int n = 0; n < 200000; n++) {
    struct table t = good_table();
    unsigned char *bytes = (unsigned char *)&t;
    for (int i = 0; i < 1 + n % 3; i++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      size_t at = (random >> 33) % sizeof t;
      if (at < AT(arguments) || at >= AT(hidden))
        bytes[at] = random >> 20 & 1 ? (unsigned char)(random >> 24) : bytes[at] ^ 1 << (random >> 24) % 8;
    }
    if (memcmp(&t.kernels[0].first_argument, &(struct gasan_proof_kernel){.argument_count = 3}.first_argument, 8) !=
            0 ||
        t.header.arguments_offset != AT(arguments))
      continue;
    struct gasan_proofs *proofs = parse(&t);
    struct gasan_proof *proof = proofs ? gasan_proofs_kernel(proofs, "scale") : NULL;
    struct launch launch = good_launch();
    if (proof && gasan_proof_hidden_count(proof) <= 2 && gasan_proof_bounded_count(proof) <= 5)
      decide(proof, &launch);
    gasan_proofs_free(proofs);
  }
  PASS();
}

/* Claims that hold in no launch, and claims that hold in some. */
TEST judges(void) {
  enum {
    BEGIN,
    END,
    ONE,
    TIMES,
    I,
    I_LONG,
    THREAD,
    QUOTIENT,
    QUOTIENT_LONG,
    FLAG,
    NONE,
    THREAD_LONG,
    FOUR,
    FOUR_I,
    BYTE,
    LIMIT,
    LARGE,
    SOME,
    NODES
  };
  static const struct gasan_proof_node nodes[] = {
      [BEGIN] = {GASAN_PROOF_ARGUMENT, 32, 0, 5, 0, 0, 0, 0},
      [END] = {GASAN_PROOF_ARGUMENT, 32, 0, 5, 0, 0, 8, 0},
      [ONE] = {GASAN_PROOF_CONSTANT, 32, 0, 0, 0, 0, 1, 0},
      [TIMES] = {GASAN_PROOF_TIMES_NE, 64, 0, BEGIN, ONE, END, 0, 0},
      [I] = {GASAN_PROOF_RECURRENCE, 32, 0, BEGIN, ONE, TIMES, 0, 0},
      [I_LONG] = {GASAN_PROOF_ZEXT, 64, 0, I, 0, 0, 0, 0},
      [THREAD] = {GASAN_PROOF_THREAD_INDEX, 32, 0, 0, 0, 0, 0, 0},
      [QUOTIENT] = {GASAN_PROOF_UDIV, 32, 0, BEGIN, THREAD, 0, 0, 0},
      [QUOTIENT_LONG] = {GASAN_PROOF_ZEXT, 64, 0, QUOTIENT, 0, 0, 0, 0},
      [FLAG] = {GASAN_PROOF_WHERE_NE, 32, 0, ONE, ONE, 0, 0, 0},
      [NONE] = {GASAN_PROOF_IF, 64, 0, QUOTIENT_LONG, FLAG, 0, 0, 0},
      [THREAD_LONG] = {GASAN_PROOF_ZEXT, 64, 0, THREAD, 0, 0, 0, 0},
      [FOUR] = {GASAN_PROOF_CONSTANT, 64, 0, 0, 0, 0, 4, 0},
      [FOUR_I] = {GASAN_PROOF_MUL, 64, 0, THREAD_LONG, FOUR, 0, 0, 0},
      [BYTE] = {GASAN_PROOF_BETWEEN, 64, 0, 0, 0, 0, 0, 255},
      [LIMIT] = {GASAN_PROOF_CONSTANT, 32, 0, 0, 0, 0, 2000, 0},
      [LARGE] = {GASAN_PROOF_WHERE_UGT, 32, 0, BEGIN, LIMIT, 0, 0, 0},
      [SOME] = {GASAN_PROOF_IF, 64, 0, QUOTIENT_LONG, LARGE, 0, 0, 0},
  };
  static const struct gasan_claim claims[] = {
      {.root = GASAN_ROOT_ARGUMENT, .width = 4, .alignment = 1, .node = I_LONG},
      {.root = GASAN_ROOT_ARGUMENT, .width = 4, .alignment = 1, .node = QUOTIENT_LONG},
      {.root = GASAN_ROOT_ARGUMENT, .width = 4, .alignment = 1, .node = NONE}, /* never executed */
      {.root = GASAN_ROOT_ARGUMENT, .width = 4, .alignment = 1, .node = SOME}, /* in some launches */
      {.root = GASAN_ROOT_ARGUMENT, .width = 4, .alignment = 16, .node = I_LONG},
      {.root = GASAN_ROOT_ARGUMENT, .width = 4, .alignment = 16, .node = I_LONG, .aligns_each = 1},
      {.root = GASAN_ROOT_ARGUMENT, .width = 4, .alignment = 4, .node = FOUR_I, .aligns_each = 1},
      {.root = GASAN_ROOT_VARIABLE, .width = 4, .alignment = 1, .node = FOUR_I, .size = 256},
      {.root = GASAN_ROOT_VARIABLE, .width = 4, .alignment = 1, .node = FOUR_I, .size = 4}, /* one thread */
      {.root = GASAN_ROOT_VARIABLE, .width = 4, .alignment = 1, .node = BYTE, .size = 255},
      {.root = GASAN_ROOT_VARIABLE, .width = 4, .alignment = 1, .node = BYTE, .size = 259},
  };
  static const bool expected[] = {true, false, true, false, true, false, true, true, true, false, true};
  enum { COUNT = sizeof claims / sizeof *claims };
  _Static_assert(COUNT == sizeof expected, "one for each claim");
  bool plausible[COUNT];
  gasan_proof_plausible(nodes, NODES, claims, COUNT, plausible);
  for (int i = 0; i < COUNT; i++)
    ASSERT_EQ_FMT(expected[i], plausible[i], "%d");
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(reads_back);
  RUN_TEST(holds);
  RUN_TEST(fails);
  RUN_TEST(holds_in_part);
  RUN_TEST(passes_tables);
  RUN_TEST(passes_limits);
  RUN_TEST(keeps_decisions);
  RUN_TEST(keeps_as_many_decisions_as_fit);
  RUN_TEST(asks_what_lasts_each_time);
  RUN_TEST(refuses);
  RUN_TEST(refuses_any_part);
  RUN_TEST(survives_damage);
  RUN_TEST(judges);
  GREATEST_MAIN_END();
}
