/* The simulator of bench/mlb, against small traces that are computed by hand. */
#include "bench/mlb/coverage.h"
#include "bench/mlb/model.h"
#include "bench/mlb/sets.h"

#include <stdlib.h>
#include <string.h>

#include "gasan_rt/memory/trace_group.h"
#include "greatest.h"

#define MOST_WORDS 4096

/* Allocation k is [0x10000 * (k + 1), + 0x1000). */
static struct mlb_allocation allocations[1000];
static uint64_t words[MOST_WORDS];

static uint64_t address_of(uint64_t allocation) {
  return 0x10000 * (allocation + 1);
}

static struct mlb_launch empty_launch(uint64_t count) {
  for (uint64_t i = 0; i < count; i++)
    allocations[i] = (struct mlb_allocation){address_of(i), 0x1000};
  return (struct mlb_launch){.head = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .allocations = count},
                             .name = "k",
                             .allocations = allocations,
                             .allocation_count = count,
                             .changed = true,
                             .words = words};
}

static void add(struct mlb_launch *launch, uint32_t block, uint32_t warp, uint8_t type, uint64_t first, uint64_t step,
                uint32_t mask) {
  const struct gasan_trace_record head = {
      .type = type, .affine = 1, .block = block, .warp = warp, .mask = mask, .size = 4};
  memcpy(words + launch->head.record_words, &head, sizeof head);
  words[launch->head.record_words + GASAN_TRACE_HEADER_WORDS] = first;
  words[launch->head.record_words + GASAN_TRACE_HEADER_WORDS + 1] = step;
  launch->head.record_words += GASAN_TRACE_HEADER_WORDS + 2;
}

static struct mlb_result run(struct mlb_machine machine, const struct mlb_launch *launch) {
  struct mlb_stream stream;
  struct mlb_model *model = mlb_model_make(machine);
  if (!model || !mlb_stream_make(&stream, launch, true, machine.sms))
    abort();
  mlb_model_run(model, launch, &stream);
  const struct mlb_result result = mlb_model_result(model);
  mlb_stream_free(&stream);
  mlb_model_free(model);
  return result;
}

static struct mlb_machine one_sm(uint32_t entries, enum mlb_structure structure, bool hardware_only) {
  struct mlb_machine machine = mlb_machine_default();
  machine.sms = 1;
  machine.entries = entries;
  machine.structure = structure;
  machine.hardware_only = hardware_only;
  return machine;
}

/* Allocations 0 1 0 2 0 1. With two entries, 2 replaces 1, and 0 stays. With three, the last access hits, too. */
TEST lru_keeps_the_most_recent(void) {
  struct mlb_launch launch = empty_launch(3);
  const uint64_t order[] = {0, 1, 0, 2, 0, 1};
  for (int i = 0; i < 6; i++)
    add(&launch, 0, 0, GASAN_TRACE_READ, address_of(order[i]), 4, ~0u);
  ASSERT_EQ(0, run(one_sm(1, MLB_TABLE, true), &launch).lookup_hits);
  ASSERT_EQ(2, run(one_sm(2, MLB_TABLE, true), &launch).lookup_hits); /* the second and third 0 */
  ASSERT_EQ(3, run(one_sm(3, MLB_TABLE, true), &launch).lookup_hits);
  ASSERT_EQ(6, run(one_sm(3, MLB_TABLE, true), &launch).lookups);
  PASS();
}

/* A lane's accesses count by its latest lookup in their allocation. */
TEST coverage_knows_the_roots(void) {
  struct mlb_launch launch = empty_launch(2);
  struct mlb_coverage found = {0};
  add(&launch, 0, 0, GASAN_TRACE_READ, address_of(0), 4, 1);       /* none: nothing was looked up */
  add(&launch, 0, 0, GASAN_TRACE_LOOKUP, address_of(0), 0, 3);     /* lanes 0 and 1: the base */
  add(&launch, 0, 0, GASAN_TRACE_READ, address_of(0), 4, 7);       /* base, base, none: lane 2 */
  add(&launch, 0, 1, GASAN_TRACE_READ, address_of(0), 4, 1);       /* none: another warp */
  add(&launch, 0, 0, GASAN_TRACE_READ, address_of(1), 4, 1);       /* none: another allocation */
  add(&launch, 0, 0, GASAN_TRACE_LOOKUP, address_of(0) + 8, 0, 1); /* lane 0: inside */
  add(&launch, 0, 0, GASAN_TRACE_WRITE, address_of(0), 4, 3);      /* inside, base */
  add(&launch, 0, 0, GASAN_TRACE_WRITE, address_of(0) + 8, 4, 1);  /* the address itself */
  add(&launch, 0, 0, GASAN_TRACE_READ, 0x100, 4, 1);               /* unknown memory */
  ASSERT(mlb_coverage_run(&found, &launch));
  ASSERT_EQ(3u, found.base);
  ASSERT_EQ(1u, found.inside);
  ASSERT_EQ(1u, found.address);
  ASSERT_EQ(4u, found.none);
  struct mlb_launch many = empty_launch(1);
  struct mlb_coverage of_many = {0};
  for (uint32_t warp = 0; warp < 400; warp++)
    add(&many, warp, 3, GASAN_TRACE_LOOKUP, address_of(0), 0, 1u << 31);
  for (uint32_t warp = 0; warp < 400; warp++)
    add(&many, warp, 3, GASAN_TRACE_READ, address_of(0) + warp, 0, 1u << 31);
  ASSERT(mlb_coverage_run(&of_many, &many));
  ASSERT_EQ(400u, of_many.base);
  PASS();
}

TEST random_replacement_keeps_what_fits(void) {
  struct mlb_buffer buffer = {.entries = 2, .random = true};
  ASSERT_FALSE(mlb_buffer_find(&buffer, 7));
  mlb_buffer_put(&buffer, 7);
  mlb_buffer_put(&buffer, 8);
  ASSERT(mlb_buffer_find(&buffer, 7) && mlb_buffer_find(&buffer, 8));
  mlb_buffer_put(&buffer, 9);
  ASSERT(mlb_buffer_find(&buffer, 9));
  ASSERT_EQ(1, mlb_buffer_find(&buffer, 7) + mlb_buffer_find(&buffer, 8));
  PASS();
}

/* Lanes 4 bytes apart touch one line of 128 bytes; 128 bytes apart, 32 lines. A step over allocations makes 32 requests
 * of 32 allocations. */
TEST warps_are_coalesced_by_lines(void) {
  struct mlb_launch launch = empty_launch(40);
  add(&launch, 0, 0, GASAN_TRACE_READ, address_of(0), 4, ~0u);
  add(&launch, 0, 0, GASAN_TRACE_READ, address_of(0), 128, ~0u);
  add(&launch, 0, 0, GASAN_TRACE_READ, address_of(0), 0x10000, ~0u);
  add(&launch, 0, 0, GASAN_TRACE_READ, address_of(0), 128, 0xff);
  const struct mlb_result result = run(one_sm(8, MLB_TABLE, true), &launch);
  ASSERT_EQ(1 + 32 + 32 + 8, result.lookups);
  ASSERT_EQ(32 + 1 + 7, result.lookup_hits); /* misses: the first, 31 new allocations, and 0 again */
  PASS();
}

/* The loads of the search for allocation 5 of 7: the table 1; the tree 3, 5; the list 0 to 5. */
TEST structures_have_their_loads(void) {
  struct mlb_launch launch = empty_launch(7);
  add(&launch, 0, 0, GASAN_TRACE_LOOKUP, address_of(5), 0, ~0u);
  ASSERT_EQ(1, run(one_sm(0, MLB_TABLE, false), &launch).loads);
  ASSERT_EQ(2, run(one_sm(0, MLB_TREE, false), &launch).loads);
  ASSERT_EQ(6, run(one_sm(0, MLB_LIST, false), &launch).loads);
  ASSERT_EQ(7 * 16, mlb_structure_size(MLB_TABLE, 7));
  ASSERT_EQ(7 * 32, mlb_structure_size(MLB_TREE, 7));
  PASS();
}

/* Allocation 999 of a list: 64 loads are simulated, in 16 lines. 32,000 bytes stay in the L1 cache, so the other 936
 * loads take 33 cycles each. Then the program's read, from memory. */
TEST long_lists_are_estimated(void) {
  struct mlb_launch launch = empty_launch(1000);
  add(&launch, 0, 0, GASAN_TRACE_READ, address_of(999), 4, ~0u);
  const struct mlb_result result = run(one_sm(0, MLB_LIST, true), &launch);
  ASSERT_EQ(1000, result.loads);
  ASSERT_EQ(1000 - 16, result.l1_hits);
  ASSERT_EQ(470, result.base_cycles);
  ASSERT_EQ(470 + 2 + 3 + 16 * 470 + (1000 - 16) * 33, result.cycles);
  PASS();
}

/* A lookup misses and searches the tree (2 loads); the checks hit, or load 16 bytes each without a buffer. */
TEST checks_know_the_location(void) {
  struct mlb_launch launch = empty_launch(7);
  add(&launch, 0, 0, GASAN_TRACE_LOOKUP, address_of(5), 0, ~0u);
  add(&launch, 0, 0, GASAN_TRACE_READ, address_of(5), 4, ~0u);
  add(&launch, 0, 0, GASAN_TRACE_WRITE, address_of(5), 128, ~0u); /* one allocation: one request */
  struct mlb_result result = run(one_sm(8, MLB_TREE, false), &launch);
  ASSERT_EQ(1, result.lookups);
  ASSERT_EQ(0, result.lookup_hits);
  ASSERT_EQ(2, result.checks);
  ASSERT_EQ(2, result.check_hits);
  ASSERT_EQ(2, result.loads);
  result = run(one_sm(0, MLB_TREE, false), &launch);
  ASSERT_EQ(0, result.check_hits);
  ASSERT_EQ(2 + 2, result.loads);
  PASS();
}

/* One warp, no instructions. The program's read: 470 cycles from memory. Hardware only, without a buffer, with the
 * table: a read of metadata from memory before it, 2 + 470 + 3 cycles; again: 2 + 33 + 3. */
TEST cycles_are_those_of_the_latencies(void) {
  struct mlb_launch launch = empty_launch(1);
  add(&launch, 0, 0, GASAN_TRACE_READ, address_of(0), 4, ~0u);
  add(&launch, 0, 0, GASAN_TRACE_READ, address_of(0), 4, ~0u);
  struct mlb_result result = run(one_sm(0, MLB_TABLE, true), &launch);
  ASSERT_EQ(470 + 33, result.base_cycles);
  ASSERT_EQ(470 + 33 + 2 + 470 + 3 + 2 + 33 + 3, result.cycles);
  result = run(one_sm(1, MLB_TABLE, true), &launch);
  ASSERT_EQ(470 + 33 + 2 + 470 + 3 + 2 + 3, result.cycles);
  PASS();
}

/* Blocks 0 and 4 run on multiprocessor 0 of 4. A shared buffer serves all. */
TEST buffers_are_private_or_shared(void) {
  struct mlb_launch launch = empty_launch(1);
  launch.head.grid[0] = 5;
  for (uint32_t block = 0; block < 5; block++)
    add(&launch, block, 0, GASAN_TRACE_READ, address_of(0), 4, ~0u);
  struct mlb_machine machine = one_sm(8, MLB_TREE, true);
  machine.sms = 4;
  ASSERT_EQ(1, run(machine, &launch).lookup_hits);
  machine.share = 4;
  ASSERT_EQ(4, run(machine, &launch).lookup_hits);
  PASS();
}

/* Memory outside of all allocations makes no request. */
TEST unknown_memory_makes_no_request(void) {
  struct mlb_launch launch = empty_launch(1);
  add(&launch, 0, 0, GASAN_TRACE_READ, address_of(0) + 0x1000, 4, 1);
  add(&launch, 0, 0, GASAN_TRACE_READ, address_of(0) - 1, 4, 1);
  struct mlb_stream stream;
  ASSERT(mlb_stream_make(&stream, &launch, true, 1));
  ASSERT_EQ(2, stream.unknown);
  ASSERT_EQ(0, stream.request_count);
  mlb_stream_free(&stream);
  ASSERT_EQ(0, run(one_sm(8, MLB_TREE, true), &launch).lookups);
  PASS();
}

/* 0 1 2 0 1 2: each second access is at distance 3. */
TEST working_sets_are_distances(void) {
  struct mlb_launch launch = empty_launch(3);
  for (int i = 0; i < 6; i++)
    add(&launch, 0, 0, GASAN_TRACE_READ, address_of((uint64_t)i % 3), 4, ~0u);
  struct mlb_stream stream;
  static struct mlb_working_set set;
  ASSERT(mlb_stream_make(&stream, &launch, true, 1) && mlb_working_set_make(&set, 1));
  mlb_working_set_run(&set, &launch, &stream);
  ASSERT_EQ(3, set.first);
  ASSERT_EQ(3, set.at[3]);
  ASSERT_EQ(3, mlb_working_set_entries(&set, 1));
  mlb_working_set_free(&set);
  mlb_stream_free(&stream);
  PASS();
}

/* Warps 0 and 1 look up 0 and 1 in turns: a warp of one entry misses always, one of two entries only first; a block
 * misses only twice. */
TEST software_caches_hit(void) {
  struct mlb_launch launch = empty_launch(2);
  for (uint32_t i = 0; i < 4; i++)
    for (uint32_t warp = 0; warp < 2; warp++)
      add(&launch, 0, warp, GASAN_TRACE_LOOKUP, address_of(i % 2), 0, ~0u);
  struct mlb_stream stream;
  struct mlb_software software = {0};
  ASSERT(mlb_stream_make(&stream, &launch, true, 1));
  mlb_software_run(&software, &stream);
  ASSERT_EQ(8, software.lookups);
  ASSERT_EQ(0, software.warp_hits[0]);
  ASSERT_EQ(4, software.warp_hits[1]);
  ASSERT_EQ(6, software.block_hits[0]);
  mlb_stream_free(&stream);
  PASS();
}

static uint64_t push_lane(uint64_t *to, uint64_t at, uint32_t lane, uint32_t site, uint64_t address) {
  const struct gasan_trace_record head = {.site = site, .type = GASAN_TRACE_READ, .mask = 1u << lane, .size = 4};
  memcpy(to + at, &head, sizeof head);
  to[at + GASAN_TRACE_HEADER_WORDS] = address;
  return at + GASAN_TRACE_HEADER_WORDS + 1;
}

/* Lane 0 runs site 1 twice and then site 2, lane 3 runs site 1 once and then site 2. */
TEST lanes_are_joined_by_occurrence(void) {
  uint64_t lanes[32] = {0}, at = 0;
  at = push_lane(lanes, at, 0, 1, 1000);
  at = push_lane(lanes, at, 0, 1, 2000);
  at = push_lane(lanes, at, 0, 2, 3000);
  at = push_lane(lanes, at, 3, 1, 1008);
  at = push_lane(lanes, at, 3, 2, 3000);
  struct gasan_trace_words joined = gasan_trace_join(lanes, at + 4); /* behind it: not written */
  ASSERT(joined.complete);
  struct mlb_launch launch = {.head = {.record_words = joined.count}, .words = joined.words};
  struct mlb_record record;
  const uint32_t masks[] = {9, 1, 9}, sites[] = {1, 1, 2};
  const uint64_t last[] = {1008, 2000, 3000};
  uint64_t word = 0;
  for (int i = 0; i < 3; i++) {
    ASSERT(mlb_record_next(&launch, &word, &record));
    ASSERT_EQ(masks[i], record.head.mask);
    ASSERT_EQ(sites[i], record.head.site);
    ASSERT_EQ(last[i], record.addresses[record.lanes - 1]);
  }
  ASSERT_FALSE(mlb_record_next(&launch, &word, &record));
  free(joined.words);
  PASS();
}

TEST records_of_warps_are_packed(void) {
  uint64_t raw[2 * (GASAN_TRACE_HEADER_WORDS + 4)] = {0};
  const struct gasan_trace_record head = {.type = GASAN_TRACE_WRITE, .mask = 0xf, .size = 8};
  const uint64_t even[] = {64, 72, 80, 88}, odd[] = {64, 72, 80, 96};
  memcpy(raw, &head, sizeof head);
  memcpy(raw + 3, even, sizeof even);
  memcpy(raw + 7, &head, sizeof head);
  memcpy(raw + 10, odd, sizeof odd);
  struct gasan_trace_words packed = gasan_trace_pack(raw, 14);
  ASSERT_EQ(5 + 7, packed.count);
  struct mlb_launch launch = {.head = {.record_words = packed.count}, .words = packed.words};
  struct mlb_record record;
  uint64_t word = 0;
  ASSERT(mlb_record_next(&launch, &word, &record) && record.addresses[3] == 88);
  ASSERT(mlb_record_next(&launch, &word, &record) && record.addresses[3] == 96);
  free(packed.words);
  PASS();
}

/* Writes a file of one launch, whose last bytes are left out. */
static int read_file(uint64_t left_out, uint8_t type) {
  struct gasan_trace_file file = {.magic = GASAN_TRACE_MAGIC, .cpu = 1, .sample = 1};
  struct gasan_trace_launch head = {.name_size = 8, .allocations = 1, .record_words = 5};
  const struct gasan_trace_record record = {.type = type, .affine = 1, .mask = 1};
  const uint64_t allocation[] = {4096, 64}, address[] = {4096, 0};
  char path[] = "/tmp/mlb_testXXXXXX";
  FILE *out = fdopen(mkstemp(path), "wb");
  fwrite(&file, sizeof file, 1, out);
  fwrite(&head, sizeof head, 1, out);
  fwrite("kernel\0", 8, 1, out);
  fwrite(allocation, sizeof allocation, 1, out);
  fwrite(&record, sizeof record, 1, out);
  fwrite(address, sizeof address - left_out, 1, out);
  fclose(out);
  struct mlb_trace *trace = mlb_trace_open(path);
  struct mlb_launch launch;
  int status = mlb_trace_next(trace, &launch);
  if (status > 0 && (strcmp(launch.name, "kernel") != 0 || mlb_trace_next(trace, &launch) != 0))
    status = -2;
  mlb_trace_close(trace);
  remove(path);
  return status;
}

TEST damaged_files_are_errors(void) {
  ASSERT_EQ(1, read_file(0, GASAN_TRACE_READ));
  ASSERT_EQ(-1, read_file(8, GASAN_TRACE_READ));
  ASSERT_EQ(-1, read_file(0, 9));
  ASSERT_EQ(NULL, mlb_trace_open("/dev/null"));
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(lru_keeps_the_most_recent);
  RUN_TEST(coverage_knows_the_roots);
  RUN_TEST(random_replacement_keeps_what_fits);
  RUN_TEST(warps_are_coalesced_by_lines);
  RUN_TEST(structures_have_their_loads);
  RUN_TEST(long_lists_are_estimated);
  RUN_TEST(checks_know_the_location);
  RUN_TEST(cycles_are_those_of_the_latencies);
  RUN_TEST(buffers_are_private_or_shared);
  RUN_TEST(unknown_memory_makes_no_request);
  RUN_TEST(working_sets_are_distances);
  RUN_TEST(software_caches_hit);
  RUN_TEST(lanes_are_joined_by_occurrence);
  RUN_TEST(records_of_warps_are_packed);
  RUN_TEST(damaged_files_are_errors);
  GREATEST_MAIN_END();
}
