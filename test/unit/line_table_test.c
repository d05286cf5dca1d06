/* The line table of device code: as ptxas 13.0 writes it, as DWARF 3 to 5 have it, and damaged. */
#include "gasan_rt/evidence/line_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "greatest.h"

/* .debug_line of this file by `nvcc -arch=sm_90 -cubin -lineinfo two.cu`:
 *
 *   1  #include <cstdio>
 *   2  __device__ __forceinline__ void deep2(int *p, int v) { atomicAdd(p, v); }
 *   3  __device__ __forceinline__ void deep1(int *p, int v) { deep2(p + 1, v); p[77] = v; }
 *   4  __global__ void one(int *p) { deep1(p, 3);
 *   5   p[5] = 1; }
 *   6  __global__ void two(int *p, float *f) { if (p[3]) atomicAdd(f, 1.0f);
 *   7    deep1(p + threadIdx.x, 5);
 *   8    deep2(p, 1); }
 *
 * It has a sequence for `two`, then one for `one`. */
static const char ptxas_lines[] =
    "120200000200a80000000101fb0e0a0001010101000000012f746d702f73617373002f7573722f6c6f63616c2f637564612f62696e2f"
    "2e2e2f746172676574732f7838365f36342d6c696e75782f696e636c756465000074776f2e63750001ea86a2d806dd02646576696365"
    "5f61746f6d69635f66756e6374696f6e732e6870700002da8ec5d606f651736d5f32305f61746f6d69635f66756e6374696f6e732e68"
    "70700002da8ec5d6068b200000000000000902000000000000000004010305010301023001f0000390030c037a010402000390041803"
    "e9000104010003900000039c7f0210010003900600037c010003900000f20230010403000390095003ce000104020003900418031702"
    "30010401000390060003987f0210010402000390041803e8000210010401000390060003987f0220010003900e0c037f010402000390"
    "0f1803e900010401000390060003987f0230010402000390041803e80002100104010003900000039d7f02100102b001000101000902"
    "000000000000000004010303010210010003900200037f01000390030c037f010402000390041803e900010401000390020003987f02"
    "20010402000390041803e8000210010401000390020003987f022001000390000003020220010402000390041803e600021001040100"
    "0390020003987f0230010402000390041803e8000220010401000390020003987f0230010003900000f102e001000101";
static const char ptxas_strings[] = "_Z5deep1Pii\0_Z5deep2Pii\0"
                                    "_ZN36_INTERNAL_7db11668_6_two_cu__Z3onePi9atomicAddEPii\0"
                                    "_ZN36_INTERNAL_7db11668_6_two_cu__Z3onePi9atomicAddEPff";
/* Where the sequences set their addresses, which the driver relocates. */
#define TWO_ADDRESS 0xb5
#define ONE_ADDRESS 0x17a
#define TWO 0x7f0000000000ull
#define ONE 0x7f0000001000ull

static uint8_t bytes[4096];
static size_t size;

static struct gasan_line_sections read_ptxas_lines(void) {
  size = strlen(ptxas_lines) / 2;
  for (size_t i = 0; i < size; i++) {
    unsigned byte;
    sscanf(ptxas_lines + 2 * i, "%2x", &byte);
    bytes[i] = (uint8_t)byte;
  }
  const uint64_t addresses[2] = {TWO, ONE};
  memcpy(bytes + TWO_ADDRESS, &addresses[0], 8);
  memcpy(bytes + ONE_ADDRESS, &addresses[1], 8);
  return (struct gasan_line_sections){.lines = {bytes, size},
                                      .strings = {(const uint8_t *)ptxas_strings, sizeof ptxas_strings}};
}

/* Writes "file:line function < file:line function ...". */
static const char *describe(const struct gasan_line_sections *sections, uint64_t address) {
  static char text[1000];
  struct gasan_line lines[8];
  uint32_t count = gasan_line_table_find(sections, address, lines, 8);
  *text = 0;
  for (uint32_t i = 0; i < count; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s/%s:%u %s", i ? " < " : "", lines[i].folder,
             lines[i].file, lines[i].line, lines[i].function ? lines[i].function : "-");
  return text;
}

TEST lines_of_ptxas(void) {
  struct gasan_line_sections sections = read_ptxas_lines();
  ASSERT_STR_EQ("/tmp/sass/two.cu:6 -", describe(&sections, TWO));
  ASSERT_STR_EQ("/tmp/sass/two.cu:6 -", describe(&sections, TWO + 0x2f));
  ASSERT_STR_EQ("/tmp/sass/two.cu:7 -", describe(&sections, TWO + 0x30));
  ASSERT_STR_EQ("/tmp/sass/two.cu:8 -", describe(&sections, TWO + 0x1ff));
  ASSERT_STR_EQ("", describe(&sections, TWO + 0x200));
  ASSERT_STR_EQ("", describe(&sections, TWO - 1));
  ASSERT_STR_EQ("/tmp/sass/two.cu:5 -", describe(&sections, ONE + 0x1f0));
  ASSERT_STR_EQ("", describe(&sections, 0));
  PASS();
}

/* Rows are numbered in each sequence, from 1. */
TEST inlined_calls_of_ptxas(void) {
#define CUDA "/usr/local/cuda/bin/../targets/x86_64-linux/include"
#define SPACE "_ZN36_INTERNAL_7db11668_6_two_cu__Z3onePi"
  struct gasan_line_sections sections = read_ptxas_lines();
  ASSERT_STR_EQ(CUDA "/device_atomic_functions.hpp:107 " SPACE "9atomicAddEPii < /tmp/sass/two.cu:2 _Z5deep2Pii < "
                     "/tmp/sass/two.cu:8 -",
                describe(&sections, TWO + 0x40));
  ASSERT_STR_EQ("/tmp/sass/two.cu:3 _Z5deep1Pii < /tmp/sass/two.cu:7 -", describe(&sections, TWO + 0x50));
  ASSERT_STR_EQ(CUDA "/sm_20_atomic_functions.hpp:84 " SPACE "9atomicAddEPff < /tmp/sass/two.cu:6 -",
                describe(&sections, TWO + 0x90));
  ASSERT_STR_EQ(CUDA "/device_atomic_functions.hpp:107 " SPACE "9atomicAddEPii < /tmp/sass/two.cu:2 _Z5deep2Pii < "
                     "/tmp/sass/two.cu:3 _Z5deep1Pii < /tmp/sass/two.cu:4 -",
                describe(&sections, ONE + 0x10));
  ASSERT_STR_EQ("/tmp/sass/two.cu:3 _Z5deep1Pii < /tmp/sass/two.cu:4 -", describe(&sections, ONE + 0x30));
  struct gasan_line lines[2];
  ASSERT_EQ(2, gasan_line_table_find(&sections, ONE + 0x10, lines, 2)); /* no more than asked for */
  PASS();
}

static void put(uint64_t value, size_t count) {
  memcpy(bytes + size, &value, count);
  size += count;
}

static void put_text(const char *text) {
  put(0, strlen(text) + 1);
  memcpy(bytes + size - strlen(text) - 1, text, strlen(text));
}

static void put_folders_and_files(unsigned version, bool wide) {
  if (version < 5) {
    put_text("/folder");
    put_text("");
    put_text("a.cu");
    put(0x000001, 3); /* folder, time, size */
    put_text("b.cu");
    put(0x000001, 3);
    put_text("");
    return;
  }
  put(1, 1); /* a folder has a path, a DW_FORM_line_strp */
  put(0x1f01, 2);
  put(2, 1);
  put(0, wide ? 8 : 4);
  put(5, wide ? 8 : 4);
  put(3, 1); /* a file has a path, a folder (udata), and an MD5 */
  put(0x0801, 2);
  put(0x0f02, 2);
  put(0x1e05, 2);
  put(3, 1);
  for (int i = 0; i < 3; i++) {
    put_text(i == 2 ? "b.cu" : "a.cu");
    put(1, 1);
    put(0, 8);
    put(0, 8);
  }
}

/* A table with two rows: a.cu:10 at 0x1000, b.cu:300 at 0x1010, which end at 0x1100. */
static struct gasan_line_sections write_table(unsigned version, bool wide) {
  static const uint8_t lengths[12] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
  size = 0;
  if (wide)
    put(0xffffffff, 4);
  const size_t begin = size;
  put(0, wide ? 8 : 4);
  put(version, 2);
  if (version == 5)
    put(0x0008, 2);
  const size_t length = size;
  put(0, wide ? 8 : 4);
  put(1, 1);
  if (version >= 4)
    put(1, 1);
  put(1, 1);
  put(0xfb, 1); /* line base -5 */
  put(14, 1);
  put(13, 1);
  memcpy(bytes + size, lengths, sizeof lengths);
  size += sizeof lengths;
  put_folders_and_files(version, wide);
  const uint64_t header = size - length - (wide ? 8 : 4);
  memcpy(bytes + length, &header, wide ? 8 : 4);
  put(0x020900, 3); /* DW_LNE_set_address */
  put(0x1000, 8);
  put(0x0903, 2);           /* advance_line 9 */
  put(0x01, 1);             /* copy */
  put(0x0204, 2);           /* set_file 2 */
  put(0x02a103, 3);         /* advance_line 289 */
  put(13 + 14 * 16 + 6, 1); /* special: address + 16, line + 1 */
  put(0x01f002, 3);         /* advance_pc 240 */
  put(0x010100, 3);         /* end_sequence */
  const uint64_t all = size - begin - (wide ? 8 : 4);
  memcpy(bytes + begin, &all, wide ? 8 : 4);
  return (struct gasan_line_sections){.lines = {bytes, size}, .line_strings = {(const uint8_t *)"/cwd\0/folder", 13}};
}

TEST all_versions(void) {
  for (unsigned version = 2; version <= 5; version++)
    for (int wide = 0; wide < 2; wide++) {
      struct gasan_line_sections sections = write_table(version, wide);
      ASSERT_STR_EQ("/folder/a.cu:10 -", describe(&sections, 0x100f));
      ASSERT_STR_EQ("/folder/b.cu:300 -", describe(&sections, 0x1010));
      ASSERT_STR_EQ("/folder/b.cu:300 -", describe(&sections, 0x10ff));
      ASSERT_STR_EQ("", describe(&sections, 0x1100));
    }
  struct gasan_line_sections sections = write_table(6, false);
  ASSERT_STR_EQ("", describe(&sections, 0x1000));
  PASS();
}

/* Bytes are copied to the end of an allocation, so that the sanitizer sees each read behind them. */
static void find_in_copy(const struct gasan_line_sections *sections, uint64_t address) {
  struct gasan_line lines[8];
  uint8_t *copy = malloc(sections->lines.size + 1);
  memcpy(copy + 1, sections->lines.at, sections->lines.size);
  struct gasan_line_sections copied = *sections;
  copied.lines.at = copy + 1;
  uint32_t count = gasan_line_table_find(&copied, address, lines, 8);
  for (uint32_t i = 0; i < count; i++)
    if (strlen(lines[i].file) + strlen(lines[i].folder) > 5000)
      abort();
  free(copy);
}

TEST damaged_tables(void) {
  srand(1);
  for (unsigned version = 1; version <= 5; version++) {
    for (int round = 0; round < 5000; round++) {
      struct gasan_line_sections sections = version == 1 ? read_ptxas_lines() : write_table(version, round % 2);
      if (round % 4 == 0)
        sections.lines.size = (uint64_t)rand() % (size + 1);
      for (int i = rand() % 6; i > 0; i--)
        bytes[(size_t)rand() % size] = (uint8_t)(rand() % 3 ? rand() : rand() % 2 ? 0xff : 0);
      find_in_copy(&sections, version == 1 ? ONE + (uint64_t)rand() % 0x200 : 0x1010);
    }
  }
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(lines_of_ptxas);
  RUN_TEST(inlined_calls_of_ptxas);
  RUN_TEST(all_versions);
  RUN_TEST(damaged_tables);
  GREATEST_MAIN_END();
}
