/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/evidence/line_table.h"

#include <stddef.h>
#include <string.h>

/* Operations of the line program (DWARF 5, 6.2.5). */
enum standard_operation {
  EXTENDED = 0,
  COPY = 1,
  ADVANCE_PC = 2,
  ADVANCE_LINE = 3,
  SET_FILE = 4,
  CONST_ADD_PC = 8,
  FIXED_ADVANCE_PC = 9,
};
enum extended_operation {
  END_SEQUENCE = 1,
  SET_ADDRESS = 2,
  INLINED_CALL = 0x90, /* NVIDIA's: the number of the caller's row in the sequence, from 1, and the function's name */
};

/* Forms of a header's fields in DWARF 5. */
enum form {
  FORM_BLOCK = 0x09,
  FORM_DATA2 = 0x05,
  FORM_DATA4 = 0x06,
  FORM_DATA8 = 0x07,
  FORM_STRING = 0x08,
  FORM_DATA1 = 0x0b,
  FORM_STRP = 0x0e,
  FORM_UDATA = 0x0f,
  FORM_DATA16 = 0x1e,
  FORM_LINE_STRP = 0x1f,
};
enum content { CONTENT_PATH = 1, CONTENT_FOLDER = 2 };

/* Reads a section from a place on. `failed` once it has left the section. */
struct reader {
  struct gasan_bytes bytes;
  uint64_t at;
  bool failed;
};

static uint64_t read_number(struct reader *reader, unsigned size) {
  uint64_t value = 0;
  struct gasan_bytes part = gasan_bytes_part(reader->bytes, reader->at, size);
  if (!part.size)
    reader->failed = true;
  else
    memcpy(&value, part.at, size);
  reader->at += part.size;
  return value;
}

static uint64_t read_leb(struct reader *reader, bool is_signed) {
  uint64_t value = 0, byte = 0x80;
  for (unsigned shift = 0; byte & 0x80 && !reader->failed; shift += 7) {
    byte = read_number(reader, 1);
    if (shift < 64)
      value |= (byte & 0x7f) << shift;
    if (is_signed && !(byte & 0x80) && byte & 0x40 && shift < 57)
      value |= ~0ull << (shift + 7);
  }
  return value;
}

static const char *read_string(struct reader *reader) {
  const char *text = gasan_bytes_string(reader->bytes, reader->at);
  if (reader->at >= reader->bytes.size)
    reader->failed = true;
  reader->at += strlen(text) + 1;
  return text;
}

static void skip(struct reader *reader, uint64_t size) {
  if (size > reader->bytes.size || reader->at > reader->bytes.size - size)
    reader->failed = true;
  else
    reader->at += size;
}

/* The header of one line table. */
struct table {
  const struct gasan_line_sections *sections;
  struct gasan_bytes bytes; /* from the section's start to the table's end */
  uint64_t program;         /* offsets */
  uint64_t names;           /* of the lists of folders and files */
  unsigned version, offset_size, address_size;
  uint64_t least_step;
  int line_base;
  unsigned line_range, first_special;
  uint8_t lengths[256]; /* operands of standard operations */
};

/* Reads the header at the reader's place, and moves the reader to the next one. */
static bool read_table(struct reader *reader, const struct gasan_line_sections *sections, struct table *table) {
  *table = (struct table){.sections = sections, .offset_size = 4, .address_size = 8};
  uint64_t size = read_number(reader, 4);
  if (size == 0xffffffffu) {
    table->offset_size = 8;
    size = read_number(reader, 8);
  }
  struct reader header = *reader;
  skip(reader, size);
  if (reader->failed)
    return false;
  header.bytes.size = reader->at;
  table->bytes = header.bytes;
  table->version = (unsigned)read_number(&header, 2);
  if (table->version < 2 || table->version > 5)
    return false;
  if (table->version == 5) {
    table->address_size = (unsigned)read_number(&header, 1);
    read_number(&header, 1);
  }
  uint64_t length = read_number(&header, table->offset_size);
  table->program = header.at + length;
  table->least_step = read_number(&header, 1);
  if (table->version >= 4)
    read_number(&header, 1); /* operations of an instruction */
  read_number(&header, 1);   /* is_stmt */
  table->line_base = (int8_t)read_number(&header, 1);
  table->line_range = (unsigned)read_number(&header, 1);
  table->first_special = (unsigned)read_number(&header, 1);
  for (unsigned i = 1; i < table->first_special; i++)
    table->lengths[i] = (uint8_t)read_number(&header, 1);
  table->names = header.at;
  return !header.failed && length <= table->bytes.size && table->program <= table->bytes.size && table->line_range &&
         table->first_special;
}

/* Names a file: by its number in the header, and its folder's. */
struct file_name {
  const char *name;
  uint64_t folder;
};

/* Reads one value of DWARF 5's lists. */
static const char *read_form(struct reader *reader, const struct table *table, uint64_t form, uint64_t *number) {
  *number = 0;
  switch (form) {
  case FORM_STRING:
    return read_string(reader);
  case FORM_STRP:
  case FORM_LINE_STRP: {
    uint64_t offset = read_number(reader, table->offset_size);
    return gasan_bytes_string(form == FORM_STRP ? table->sections->strings : table->sections->line_strings, offset);
  }
  case FORM_DATA1:
    *number = read_number(reader, 1);
    break;
  case FORM_DATA2:
    *number = read_number(reader, 2);
    break;
  case FORM_DATA4:
    *number = read_number(reader, 4);
    break;
  case FORM_DATA8:
    *number = read_number(reader, 8);
    break;
  case FORM_UDATA:
    *number = read_leb(reader, false);
    break;
  case FORM_DATA16:
    skip(reader, 16);
    break;
  case FORM_BLOCK:
    skip(reader, read_leb(reader, false));
    break;
  default:
    reader->failed = true;
  }
  return "";
}

/* Reads a list of DWARF 5, folders or files, up to its end; finds the entry with the number `wanted`. */
static struct file_name find_entry(struct reader *reader, const struct table *table, uint64_t wanted) {
  struct file_name found = {"", 0};
  uint64_t kinds[8], forms[8];
  const uint64_t fields = read_number(reader, 1);
  for (uint64_t i = 0; i < fields; i++) {
    uint64_t kind = read_leb(reader, false), form = read_leb(reader, false);
    if (i >= 8) {
      reader->failed = true;
      return found;
    }
    kinds[i] = kind;
    forms[i] = form;
  }
  const uint64_t count = read_leb(reader, false);
  for (uint64_t entry = 0; fields && entry < count && !reader->failed; entry++)
    for (uint64_t i = 0; i < fields; i++) {
      uint64_t number;
      const char *text = read_form(reader, table, forms[i], &number);
      if (entry != wanted)
        continue;
      if (kinds[i] == CONTENT_PATH)
        found.name = text;
      else if (kinds[i] == CONTENT_FOLDER)
        found.folder = number;
    }
  return found;
}

/* DWARF 2 to 4: both lists end with an empty string, and numbers begin with 1. */
static const char *find_old_folder(struct reader *reader, uint64_t wanted) {
  const char *found = "";
  for (uint64_t number = 1;; number++) {
    const char *name = read_string(reader);
    if (reader->failed || !*name)
      return found;
    if (number == wanted)
      found = name;
  }
}

static struct file_name find_old_file(struct reader *reader, uint64_t wanted) {
  for (uint64_t number = 1;; number++) {
    const char *name = read_string(reader);
    if (reader->failed || !*name)
      return (struct file_name){"", 0};
    uint64_t folder = read_leb(reader, false);
    read_leb(reader, false); /* time */
    read_leb(reader, false); /* size */
    if (number == wanted)
      return (struct file_name){name, folder};
  }
}

static void find_file(const struct table *table, uint64_t number, struct gasan_line *line) {
  struct reader folders = {{table->bytes.at, table->program}, table->names, false}, files = folders;
  if (table->version == 5) {
    find_entry(&files, table, 0);
    struct file_name file = find_entry(&files, table, number);
    line->file = file.name;
    line->folder = find_entry(&folders, table, file.folder).name;
    return;
  }
  find_old_folder(&files, 0);
  struct file_name file = find_old_file(&files, number);
  line->file = file.name;
  line->folder = file.folder ? find_old_folder(&folders, file.folder) : "";
}

/* A row of the table. */
struct row {
  uint64_t number; /* in its sequence, from 1; 0: there is none */
  uint64_t sequence;
  uint64_t address, file, line;
  uint64_t caller, function; /* the caller's row, 0: nothing is inlined here; the offset of the function's name */
};

/* The aim of a run of the program: the row that covers an address, or a row by its numbers. */
struct search {
  uint64_t address;
  uint64_t sequence, number; /* number 0: by address */
  struct row found;
};

/* `row` is complete, and `next` is the address of the row behind it. Of rows with one address, the last one counts. */
static bool examine(struct search *search, const struct row *row, uint64_t next) {
  if (!row->number)
    return false;
  if (search->number ? row->sequence != search->sequence || row->number != search->number
                     : search->address < row->address || search->address >= next)
    return false;
  search->found = *row;
  return true;
}

static void run_extended(struct reader *reader, struct row *state, bool *ends) {
  uint64_t size = read_leb(reader, false), end = reader->at + size;
  if (!size || size > reader->bytes.size || end > reader->bytes.size) {
    reader->failed = true;
    return;
  }
  uint64_t operation = read_number(reader, 1);
  *ends = operation == END_SEQUENCE;
  if (operation == SET_ADDRESS)
    state->address = read_number(reader, size - 1 < 8 ? (unsigned)(size - 1) : 8);
  if (operation == INLINED_CALL) {
    state->caller = read_leb(reader, false);
    state->function = read_leb(reader, false);
  }
  reader->at = end;
}

/* Runs one operation. Returns true if the state has become a row. */
static bool run_operation(struct reader *reader, const struct table *table, struct row *state, bool *ends) {
  unsigned operation = (unsigned)read_number(reader, 1);
  if (operation >= table->first_special) {
    unsigned special = operation - table->first_special;
    state->address += special / table->line_range * table->least_step;
    state->line += (uint64_t)(int64_t)(table->line_base + (int)(special % table->line_range));
    return true;
  }
  switch (operation) {
  case EXTENDED:
    run_extended(reader, state, ends);
    return *ends;
  case COPY:
    return true;
  case ADVANCE_PC:
    state->address += read_leb(reader, false) * table->least_step;
    return false;
  case ADVANCE_LINE:
    state->line += read_leb(reader, true);
    return false;
  case SET_FILE:
    state->file = read_leb(reader, false);
    return false;
  case CONST_ADD_PC:
    state->address += (255 - table->first_special) / table->line_range * table->least_step;
    return false;
  case FIXED_ADVANCE_PC:
    state->address += read_number(reader, 2);
    return false;
  default:
    for (unsigned i = 0; i < table->lengths[operation]; i++)
      read_leb(reader, false);
    return false;
  }
}

/* Runs the program until it has found the row. */
static bool run_program(const struct table *table, struct search *search) {
  static const struct row start = {.file = 1, .line = 1};
  struct reader reader = {table->bytes, table->program, false};
  struct row state = start, last = {0};
  state.sequence = 1;
  while (reader.at < reader.bytes.size && !reader.failed) {
    bool ends = false;
    if (!run_operation(&reader, table, &state, &ends) || reader.failed)
      continue;
    if (examine(search, &last, state.address))
      return true;
    if (ends) {
      uint64_t sequence = state.sequence + 1;
      state = start;
      state.sequence = sequence;
      last = (struct row){0};
    } else {
      state.number = last.number + 1;
      last = state;
    }
  }
  return false;
}

/* A caller's row is in front of the rows of what it inlines, so the numbers decrease and the loop ends. */
static uint32_t write_lines(const struct table *table, struct search *search, struct gasan_line *lines, uint32_t most) {
  uint32_t count = 0;
  while (count < most) {
    const struct row *row = &search->found;
    struct gasan_line *line = &lines[count++];
    const char *function = gasan_bytes_string(table->sections->strings, row->function);
    *line = (struct gasan_line){.line = (uint32_t)row->line, .function = row->caller && *function ? function : NULL};
    find_file(table, row->file, line);
    if (!row->caller || row->caller >= row->number)
      break;
    *search = (struct search){.sequence = row->sequence, .number = row->caller};
    if (!run_program(table, search))
      break;
  }
  return count;
}

uint32_t gasan_line_table_find(const struct gasan_line_sections *sections, uint64_t address, struct gasan_line *lines,
                               uint32_t most) {
  struct reader reader = {sections->lines, 0, false};
  while (reader.at < reader.bytes.size && !reader.failed) {
    struct table table;
    struct search search = {.address = address};
    if (read_table(&reader, sections, &table) && run_program(&table, &search))
      return write_lines(&table, &search, lines, most);
  }
  return 0;
}
