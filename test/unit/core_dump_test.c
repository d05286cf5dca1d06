/* GPU core dumps: as drivers write them (the values are those of an H100 with driver 580), of older drivers, and
 * damaged. `write KIND FILE` writes one for other tests, and `print FILE` prints the contents of one. */
#include "gasan_rt/evidence/core_dump.h"

#include <stdio.h>

#include "elf_writer.h"
#include "greatest.h"

#define CODE 0x7f76837ac200ull /* of the kernel */
#define WIDE_LOAD 0x20         /* offsets of instructions */
#define LOAD 0x50
#define STORE 0x60
/* The value of the load's address registers in lane 0. A test that writes a dump puts another one in its place. */
#define ADDRESS 0x1122334455667788ull

/* The contents of a dump. */
struct plan {
  uint64_t offset; /* of the instruction; its lanes wait at the next one */
  bool ran_on;     /* the lanes have run on */
  bool ended;      /* the threads have ended */
  bool old;        /* of a driver before r555 */
  bool two_warps;  /* the second of which, of an earlier block, has one stopped lane */
  bool extended;   /* as with very many sections */
  bool inner;      /* the instruction is in a function that the kernel calls */
  const char *kernel;
};

/* An instruction's words: LDG.E R0, [R2.64]; STG.E [R2.64], R5 and so on. */
static void put_instruction(uint8_t *code, size_t offset, uint64_t low, uint64_t high) {
  memcpy(code + offset, &low, 8);
  memcpy(code + offset + 8, &high, 8);
}

static size_t write_lines(uint8_t *lines) {
  static const uint8_t head[] = {2, 0, 0,   0,   0,   0,   1, 1, 0xfb, 14,  10,  0,   1, 1, 1, 1, 0, 0,
                                 0, 1, '/', 's', 'r', 'c', 0, 0, 'f',  '.', 'c', 'u', 0, 1, 0, 0, 0};
  const uint64_t code = CODE;
  const uint32_t header_length = sizeof head - 6;
  size_t size = 4;
  memcpy(lines + size, head, sizeof head);
  memcpy(lines + 6, &header_length, 4);
  size += sizeof head;
  memcpy(lines + size, "\x00\x09\x02", 3);
  memcpy(lines + size + 3, &code, 8);
  memcpy(lines + size + 11, "\x03\x05\x01\x02\x20\x03\x01\x01\x02\xe0\x02\x00\x01\x01", 14);
  size += 25;
  const uint32_t length = (uint32_t)size - 4;
  memcpy(lines, &length, 4);
  return size;
}

static void add_image(struct elf_writer *dump, uint32_t modules, const struct plan *plan) {
  struct elf_writer *image = elf_writer_begin(ET_EXEC, 190, 0x41);
  uint8_t code[0x180] = {0}, lines[128];
  char names[64] = "", section[64];
  strcpy(names + 1, plan->kernel);
  snprintf(section, sizeof section, ".text.%s", plan->kernel);
  const size_t inner = 1 + strlen(plan->kernel) + 1;
  strcpy(names + inner, "$fill$_Z4leafPfl");
  put_instruction(code, WIDE_LOAD, 0x0001900402027981, 0x000162000c1f5d00); /* LDG.E.128 R2, [R2.64+0x190] */
  put_instruction(code, LOAD, 0x0001900402007981, 0x000162000c1f5900);      /* LDG.E R0, [R2.64+0x190] */
  put_instruction(code, STORE, 0x0000000402007986, 0x0003e8000c101d04);     /* STG.E.128 [R2.64], R4 */
  uint32_t strings = elf_writer_add(image, ".strtab", (Elf64_Shdr){.sh_type = SHT_STRTAB}, names, sizeof names);
  Elf64_Sym symbols[3] = {{0},
                          {.st_name = 1,
                           .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                           .st_other = 0x10,
                           .st_shndx = 3,
                           .st_value = CODE,
                           .st_size = sizeof code},
                          {.st_name = (Elf64_Word)inner,
                           .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
                           .st_shndx = 3,
                           .st_value = CODE + (plan->inner ? 0x10 : 0x100),
                           .st_size = 0x80}};
  elf_writer_add(image, ".symtab",
                 (Elf64_Shdr){.sh_type = SHT_SYMTAB, .sh_link = strings, .sh_entsize = sizeof *symbols}, symbols,
                 sizeof symbols);
  elf_writer_add(image, section,
                 (Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = CODE}, code,
                 sizeof code);
  elf_writer_add(image, ".debug_line", (Elf64_Shdr){.sh_type = SHT_PROGBITS}, lines, write_lines(lines));
  elf_writer_end(image, false);
  elf_writer_add(dump, ".cudbg.relfimg.dev0.ctx0",
                 (Elf64_Shdr){.sh_type = SHT_LOUSER + 7, .sh_link = modules, .sh_info = 0}, image->bytes, image->size);
  free(image);
}

/* Adds a table of entries of `size` bytes. */
static uint32_t add_table(struct elf_writer *dump, const char *name, uint32_t type, uint32_t link, uint32_t info,
                          const void *entries, size_t count, size_t size) {
  return elf_writer_add(
      dump, name, (Elf64_Shdr){.sh_type = SHT_LOUSER + type, .sh_link = link, .sh_info = info, .sh_entsize = size},
      entries, count * size);
}

static void put32(void *entry, size_t offset, uint32_t value) {
  memcpy((uint8_t *)entry + offset, &value, 4);
}

static void put64(void *entry, size_t offset, uint64_t value) {
  memcpy((uint8_t *)entry + offset, &value, 8);
}

/* Adds an SM's block with two warps; the lanes `from` to 31 of the second one have stopped. */
static void add_block(struct elf_writer *dump, uint32_t sms, uint32_t sm, uint32_t block_x, uint32_t from,
                      const struct plan *plan) {
  uint8_t block[56] = {0}, warps[2][64] = {{0}}, lanes[32][56] = {{0}};
  put64(block, 0, 2); /* the grid */
  put32(block, 8, block_x);
  uint32_t blocks = add_table(dump, ".cudbg.ctatbl", 13, sms, sm, block, 1, sizeof block);
  put64(warps[1], 0, CODE + plan->offset);
  put32(warps[1], 24, 1);
  uint32_t warp_table = add_table(dump, ".cudbg.wptbl", 14, blocks, 0, warps, 2, sizeof *warps);
  for (uint32_t i = 0; i < 32; i++) {
    put64(lanes[i], 0, CODE + plan->offset + (plan->ran_on ? 32 : 16));
    put32(lanes[i], 20, 32 + i);
    put32(lanes[i], 24, 3);
    put32(lanes[i], 32, i >= from ? 14 : 0);
  }
  add_table(dump, ".cudbg.lntbl", 15, warp_table, 0, lanes[0], 0, sizeof *lanes);
  uint32_t lane_table = add_table(dump, ".cudbg.lntbl", 15, warp_table, 1, lanes, 32, sizeof *lanes);
  for (uint32_t i = 0; i < 32; i++) {
    uint32_t registers[16] = {0};
    put64(registers, 8, ADDRESS + 4ull * i);
    add_table(dump, ".cudbg.regs", 5, lane_table, i, registers, 16, 4);
  }
}

static struct elf_writer *write_dump(const struct plan *plan) {
  struct elf_writer *dump = elf_writer_begin(ET_CORE, 190, 0x33);
  uint8_t device[88] = {0}, sms[3][56] = {{0}}, grids[2][136] = {{0}};
  const size_t sm_size = plan->old ? 8 : 48;
  uint32_t devices = add_table(dump, ".cudbg.devtbl", 9, 0, 0, device, 1, sizeof device);
  uint32_t modules = add_table(dump, ".cudbg.modtbl.dev0.ctx0", 16, 0, 0, device, 1, 8);
  add_image(dump, modules, plan);
  put64(grids[0], 0, 1);
  put64(grids[1], 0, 2);
  put64(grids[1], 24, CODE);
  for (uint32_t i = 0; i < 6; i++)
    put32(grids[1], 72 + 4 * i, (const uint32_t[]){7, 1, 1, 64, 4, 1}[i]);
  add_table(dump, ".cudbg.gridtbl.dev0", 12, devices, 0, grids, plan->ended ? 0 : 2, sizeof *grids);
  uint8_t *last = (uint8_t *)sms + 2 * sm_size;
  if (!plan->old) {
    put32(last, 8, 14);
    put32(last, 12, 1);
    put64(last, 16, CODE + plan->offset);
  }
  uint32_t sm_table = add_table(dump, ".cudbg.smtbl.dev0", 11, devices, 0, sms, 3, sm_size);
  if (!plan->ended)
    add_block(dump, sm_table, 2, 4, 0, plan);
  if (plan->two_warps)
    add_block(dump, sm_table, 1, 2, 31, plan);
  elf_writer_end(dump, plan->extended);
  return dump;
}

/* Reads a copy of the dump, so that the sanitizer sees each read behind it. The copy lives until the next call. */
static bool read_copy(const uint8_t *bytes, size_t size, struct gasan_dump_fault *fault) {
  static uint8_t *copy;
  free(copy);
  copy = malloc(size + 1);
  memcpy(copy + 1, bytes, size);
  return gasan_core_dump_read((struct gasan_bytes){copy + 1, size}, fault);
}

static bool read_plan(const struct plan *plan, struct gasan_dump_fault *fault) {
  struct elf_writer *dump = write_dump(plan);
  bool read = read_copy(dump->bytes, dump->size, fault);
  free(dump);
  return read;
}

TEST stopped_load(void) {
  struct gasan_dump_fault fault;
  for (int extended = 0; extended < 2; extended++) {
    ASSERT(read_plan(&(struct plan){.offset = LOAD, .extended = extended, .kernel = "fill"}, &fault));
    ASSERT_EQ(CODE + LOAD, fault.pc);
    ASSERT_STR_EQ("fill", fault.kernel);
    ASSERT_STR_EQ("fill", fault.function);
    ASSERT_EQ(LOAD, fault.offset);
    ASSERT_EQ(GASAN_INSTRUCTION_READ, fault.instruction.access);
    ASSERT_EQ(4, fault.instruction.size);
    ASSERT_EQ(1, fault.line_count);
    ASSERT_STR_EQ("/src", fault.lines[0].folder);
    ASSERT_STR_EQ("f.cu", fault.lines[0].file);
    ASSERT_EQ(7, fault.lines[0].line);
    ASSERT(fault.has_grid);
    ASSERT_EQ(7, fault.grid_size[0]);
    ASSERT_EQ(64, fault.block_size[0]);
    ASSERT_EQ(4, fault.block_size[1]);
    ASSERT_EQ(32, fault.threads);
    ASSERT_EQ(4, fault.block[0]);
    ASSERT_EQ(32, fault.thread[0]);
    ASSERT_EQ(3, fault.thread[1]);
    ASSERT_EQ(32, fault.address_count);
    ASSERT_EQ(ADDRESS + 0x190, fault.addresses[0]);
    ASSERT_EQ(ADDRESS + 0x190 + 124, fault.addresses[31]);
    ASSERT_EQ(63, fault.address_threads[31][0]);
  }
  PASS();
}

/* Registers count only while they certainly have the address. */
TEST addresses_that_are_gone(void) {
  struct gasan_dump_fault fault;
  ASSERT(read_plan(&(struct plan){.offset = LOAD, .ran_on = true, .kernel = "fill"}, &fault));
  ASSERT_EQ(0, fault.address_count);
  ASSERT(read_plan(&(struct plan){.offset = STORE, .kernel = "fill"}, &fault));
  ASSERT_EQ(GASAN_INSTRUCTION_WRITE, fault.instruction.access);
  ASSERT_EQ(16, fault.instruction.size);
  ASSERT_EQ(0, fault.address_count);
  ASSERT(read_plan(&(struct plan){.offset = WIDE_LOAD, .kernel = "fill"}, &fault));
  ASSERT_EQ(16, fault.instruction.size);
  ASSERT_EQ(0, fault.address_count); /* the load may have overwritten them */
  PASS();
}

TEST threads_that_have_ended(void) {
  struct gasan_dump_fault fault;
  ASSERT(read_plan(&(struct plan){.offset = STORE, .ended = true, .kernel = "fill"}, &fault));
  ASSERT_EQ(CODE + STORE, fault.pc);
  ASSERT_STR_EQ("fill", fault.kernel);
  ASSERT_EQ(0, fault.threads);
  ASSERT_FALSE(fault.has_grid);
  ASSERT_EQ(7, fault.lines[0].line);
  ASSERT_FALSE(read_plan(&(struct plan){.offset = STORE, .ended = true, .old = true, .kernel = "fill"}, &fault));
  PASS();
}

TEST older_drivers(void) {
  struct gasan_dump_fault fault;
  ASSERT(read_plan(&(struct plan){.offset = LOAD, .old = true, .kernel = "fill"}, &fault));
  ASSERT_EQ(CODE + LOAD, fault.pc);
  ASSERT_EQ(32, fault.threads);
  PASS();
}

TEST first_thread_of_the_grid(void) {
  struct gasan_dump_fault fault;
  ASSERT(read_plan(&(struct plan){.offset = LOAD, .two_warps = true, .kernel = "fill"}, &fault));
  ASSERT_EQ(33, fault.threads);
  ASSERT_EQ(2, fault.block[0]);
  ASSERT_EQ(63, fault.thread[0]);
  ASSERT_EQ(1, fault.address_count);
  PASS();
}

TEST function_inside_of_a_kernel(void) {
  struct gasan_dump_fault fault;
  ASSERT(read_plan(&(struct plan){.offset = LOAD, .inner = true, .kernel = "fill"}, &fault));
  ASSERT_STR_EQ("fill", fault.kernel);
  ASSERT_STR_EQ("$fill$_Z4leafPfl", fault.function);
  ASSERT_EQ(LOAD - 0x10, fault.offset);
  PASS();
}

TEST complete_files(void) {
  struct elf_writer *dump = write_dump(&(struct plan){.offset = LOAD, .kernel = "fill"});
  ASSERT(gasan_core_dump_is_complete((struct gasan_bytes){dump->bytes, dump->size}));
  for (size_t size = 0; size < dump->size; size += 1 + size / 50)
    ASSERT_FALSE(gasan_core_dump_is_complete((struct gasan_bytes){dump->bytes, size}));
  ASSERT_FALSE(gasan_core_dump_is_complete((struct gasan_bytes){dump->bytes, dump->size - 1}));
  free(dump);
  PASS();
}

/* The words are those of ptxas 13.0; an H100 ran those of sm_90. */
TEST instructions(void) {
  static const struct {
    uint64_t low, high;
    enum gasan_instruction_access access;
    uint32_t size;
  } table[] = {
      {0x0000000402007981, 0x000162000c1e1900, GASAN_INSTRUCTION_READ, 4},   /* LDG.E */
      {0x0000000402007981, 0x000964000c1e1700, GASAN_INSTRUCTION_READ, 2},   /* LDG.E.S16 */
      {0x0000000402007981, 0x000162000c1e9900, GASAN_INSTRUCTION_READ, 4},   /* LDG.E.CONSTANT */
      {0x0000000402007980, 0x000162000c101900, GASAN_INSTRUCTION_READ, 4},   /* LD.E */
      {0x0000000502007986, 0x0001e2000c101904, GASAN_INSTRUCTION_WRITE, 4},  /* STG.E */
      {0x0000000402007986, 0x0001e2000c101104, GASAN_INSTRUCTION_WRITE, 1},  /* STG.E.U8 */
      {0x0000000804007986, 0x0005e2000c101d04, GASAN_INSTRUCTION_WRITE, 16}, /* STG.E.128 */
      {0x0000000402008986, 0x0003e8000c101d04, GASAN_INSTRUCTION_WRITE, 16}, /* @!P0 STG.E.128 */
      {0x00000005020079a8, 0x00016200081ee1c4, GASAN_INSTRUCTION_WRITE, 0},  /* ATOMG.E.ADD */
      {0x00000005020079a6, 0x0003e2000c10f384, GASAN_INSTRUCTION_WRITE, 0},  /* REDG.E.ADD.F32 */
      {0x00000004020073a9, 0x00076200001ee105, GASAN_INSTRUCTION_WRITE, 0},  /* ATOMG.E.CAS */
      {0x0000000000007918, 0x000fc00000000000, GASAN_INSTRUCTION_OTHER, 0},  /* NOP */
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    struct gasan_instruction instruction = gasan_instruction_decode(table[i].low, table[i].high);
    ASSERT_EQ(table[i].access, instruction.access);
    ASSERT_EQ(table[i].size, instruction.size);
  }
  struct gasan_instruction load = gasan_instruction_decode(0xfffff00402007981, 0x000162000c1e1900);
  ASSERT(load.has_address);
  ASSERT_EQ(2, load.address_register);
  ASSERT_EQ(-16, load.offset);
  PASS();
}

/* Uses all that was read, so that the sanitizer sees wrong pointers. */
static size_t use(const struct gasan_dump_fault *fault) {
  size_t sum = fault->kernel ? strlen(fault->kernel) : 0;
  sum += fault->function ? strlen(fault->function) : 0;
  for (uint32_t i = 0; i < fault->line_count; i++)
    sum += strlen(fault->lines[i].file) + strlen(fault->lines[i].folder) +
           (fault->lines[i].function ? strlen(fault->lines[i].function) : 0);
  return sum;
}

TEST damaged_dumps(void) {
  struct elf_writer *dump = write_dump(&(struct plan){.offset = LOAD, .two_warps = true, .kernel = "fill"});
  uint8_t *bytes = malloc(dump->size);
  size_t sum = 0;
  srand(1);
  for (int round = 0; round < 10000; round++) {
    struct gasan_dump_fault fault;
    size_t size = round % 8 ? dump->size : (size_t)rand() % dump->size;
    memcpy(bytes, dump->bytes, size);
    const size_t headers = dump->count * sizeof(Elf64_Shdr);
    for (int i = rand() % 8; i > 0 && size; i--) {
      /* Half of the changes are in the file's headers. */
      size_t at = rand() % 2 && size == dump->size ? size - 1 - (size_t)rand() % headers : (size_t)rand() % size;
      bytes[at] = (uint8_t)(rand() % 3 ? rand() : rand() % 2 ? 0xff : 0);
    }
    if (read_copy(bytes, size, &fault))
      sum += use(&fault);
  }
  free(bytes);
  free(dump);
  ASSERT(sum > 0);
  PASS();
}

/* KIND: load, store, ended (threads). */
static int write_file(const char *kind, const char *path) {
  struct elf_writer *dump = write_dump(&(struct plan){
      .offset = strcmp(kind, "load") == 0 ? LOAD : STORE, .ended = strcmp(kind, "ended") == 0, .kernel = "fill"});
  FILE *file = fopen(path, "wb");
  bool written = file && fwrite(dump->bytes, dump->size, 1, file) == 1;
  free(dump);
  return file && fclose(file) == 0 && written ? 0 : 1;
}

static int print_file(const char *path) {
  FILE *file = fopen(path, "rb");
  struct gasan_dump_fault fault;
  if (!file || fseek(file, 0, SEEK_END))
    return 1;
  size_t size = (size_t)ftell(file);
  uint8_t *bytes = malloc(size);
  rewind(file);
  bool read = fread(bytes, size, 1, file) == 1 && gasan_core_dump_read((struct gasan_bytes){bytes, size}, &fault);
  fclose(file);
  if (!read) {
    free(bytes);
    return 1;
  }
  printf("%s+0x%llx in kernel %s, access %d of size %u, %llu threads, first (%u,%u,%u) of block (%u,%u,%u)\n",
         fault.function ? fault.function : "?", (unsigned long long)fault.offset, fault.kernel ? fault.kernel : "?",
         (int)fault.instruction.access, fault.instruction.size, (unsigned long long)fault.threads, fault.thread[0],
         fault.thread[1], fault.thread[2], fault.block[0], fault.block[1], fault.block[2]);
  for (uint32_t i = 0; i < fault.line_count; i++)
    printf("  %s/%s:%u %s\n", fault.lines[i].folder, fault.lines[i].file, fault.lines[i].line,
           fault.lines[i].function ? fault.lines[i].function : "");
  if (fault.address_count)
    printf("  %u addresses from 0x%llx\n", fault.address_count, (unsigned long long)fault.addresses[0]);
  free(bytes);
  return 0;
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "write") == 0)
    return write_file(argv[2], argv[3]);
  if (argc == 3 && strcmp(argv[1], "print") == 0)
    return print_file(argv[2]);
  GREATEST_MAIN_BEGIN();
  RUN_TEST(stopped_load);
  RUN_TEST(addresses_that_are_gone);
  RUN_TEST(threads_that_have_ended);
  RUN_TEST(older_drivers);
  RUN_TEST(first_thread_of_the_grid);
  RUN_TEST(function_inside_of_a_kernel);
  RUN_TEST(complete_files);
  RUN_TEST(instructions);
  RUN_TEST(damaged_dumps);
  GREATEST_MAIN_END();
}
