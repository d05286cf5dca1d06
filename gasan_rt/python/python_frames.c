/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "gasan_rt/python/python.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/map.h"
#include "gasan_rt/python/python_layout.h"

enum { OBJECT_TYPE = 8 }; /* the offset of an object's type */
enum { OWNED_BY_C = 3 };  /* frames with this owner or a greater one are not those of Python functions */
enum { MOST_CHARACTERS = 1024 };
enum { MOST_STEPS = 1 << 16 };      /* with care: a chain of frames that is longer is none */
#define WORD_IS_FRAME (1ull << 63)  /* no address of a process has this bit */
#define OBJECT_BITS (~(uintptr_t)7) /* since 3.14, a frame's reference has flags in its lowest bits */

static struct gasan_python_layout layout;
static void (*warn_once)(const char *format, ...);
static const char *version;

/* The frames are read with care, until a whole stack has passed all tests. */
enum { ABSENT, CAREFUL, TRUSTED };
static _Atomic int state;

struct record {
  struct gasan_map_entry by_hash;
  struct gasan_python_frame frame;
  char text[];
};
GASAN_MAP(records, 10);
static pthread_mutex_t frames_lock = PTHREAD_MUTEX_INITIALIZER;

struct walk {
  uintptr_t at;          /* the next frame; 0: none */
  uintptr_t frame, code; /* the present one */
  uintptr_t instruction;
  unsigned steps;
  bool careful, failed;
};

/* The kernel reads the word, and only then refuses the call for its first argument. */
static bool is_readable(uintptr_t address) {
  const int before = errno;
  bool readable = address && syscall(SYS_rt_sigprocmask, ~0, address & OBJECT_BITS, NULL, 8) == -1 && errno == EINVAL;
  errno = before;
  return readable;
}

/* Returns 0, and the walk has failed, if the memory cannot be read. */
static uintptr_t load(struct walk *walk, uintptr_t address) {
  uintptr_t word;
  walk->failed |= walk->careful && (address % sizeof word || !is_readable(address));
  if (walk->failed)
    return 0;
  memcpy(&word, (const void *)address, sizeof word);
  return word;
}

/* Without the date and the compiler: "3.14.2 free-threading build". */
static int version_length(void) {
  const char *end = strstr(version, " (");
  return (int)(end ? end - version : (ptrdiff_t)strlen(version));
}

static bool begin_walk(struct walk *walk, bool careful) {
  /* An interpreter that ends frees the states of daemon threads, which may be between these lines: then they read freed
   * memory, as they do in CPython when they take the lock. */
  void *thread = layout.is_initialized() ? layout.thread_state() : NULL;
  *walk = (struct walk){.careful = careful};
  if (!thread)
    return false;
  walk->at = load(walk, (uintptr_t)thread + layout.at.thread_frame);
  if (walk->at && layout.at.inner_frame != GASAN_PYTHON_NO_FIELD)
    walk->at = load(walk, walk->at + layout.at.inner_frame);
  return true;
}

static bool is_python_function(struct walk *walk) {
  if (layout.at.frame_owner != GASAN_PYTHON_NO_FIELD) {
    const uintptr_t owner = walk->frame + layout.at.frame_owner;
    if ((load(walk, owner & OBJECT_BITS) >> owner % 8 * 8 & 0xff) >= OWNED_BY_C)
      return false;
  }
  walk->code = load(walk, walk->frame + layout.at.frame_code) & OBJECT_BITS;
  return !walk->failed && walk->code && load(walk, walk->code + OBJECT_TYPE) == (uintptr_t)layout.code_type;
}

static uintptr_t instruction_of(struct walk *walk) {
  if (!layout.line_of_object)
    return load(walk, walk->frame + layout.at.frame_instruction);
  int index;
  memcpy(&index, (const void *)(walk->frame + layout.at.frame_instruction), sizeof index);
  return (uintptr_t)index;
}

/* Goes to the next frame of a Python function. */
static bool next_frame(struct walk *walk) {
  while (walk->at && !walk->failed) {
    walk->failed |= walk->careful && ++walk->steps > MOST_STEPS;
    walk->frame = walk->at;
    walk->at = load(walk, walk->frame + layout.at.frame_previous);
    if (!is_python_function(walk))
      continue;
    walk->instruction = instruction_of(walk);
    return !walk->failed;
  }
  return false;
}

static bool is_string(struct walk *walk, uintptr_t object) {
  return load(walk, object + OBJECT_TYPE) == (uintptr_t)layout.string_type;
}

/* Walks over the whole stack with care. A stack without frames proves nothing. */
static void examine(void) {
  struct walk walk;
  size_t found = 0;
  begin_walk(&walk, true);
  while (next_frame(&walk)) {
    found++;
    walk.failed |= !is_string(&walk, load(&walk, walk.code + layout.at.code_file)) ||
                   !is_string(&walk, load(&walk, walk.code + layout.at.code_name));
    load(&walk, walk.code + layout.at.code_lines);
  }
  int expected = CAREFUL;
  if (!walk.failed && !found)
    return;
  if (atomic_compare_exchange_strong(&state, &expected, walk.failed ? ABSENT : TRUSTED) && walk.failed)
    warn_once("stacks have no Python frames: they have another layout than those of Python %.*s", version_length(),
              version);
}

static bool is_ready(void) {
  if (atomic_load_explicit(&state, memory_order_acquire) == CAREFUL)
    examine();
  return atomic_load_explicit(&state, memory_order_acquire) == TRUSTED;
}

void gasan_python_start(void (*warn)(const char *format, ...)) {
  warn_once = warn;
  if (gasan_python_find_layout(&layout, &version)) {
    atomic_store(&state, CAREFUL);
    is_ready();
  } else if (version) {
    warn("stacks have no Python frames: gasan knows those of Python 3.9 to 3.14 with a GIL, not of %.*s; "
         "python_frames=0 silences this",
         version_length(), version);
  }
}

/* Two code objects at the same address, one after the other, differ in their tables. */
uint64_t gasan_python_position(size_t most) {
  struct walk walk;
  uint64_t hash = 0;
  if (!is_ready() || !begin_walk(&walk, false))
    return 0;
  for (size_t i = 0; i < most && next_frame(&walk); i++) {
    const uintptr_t parts[] = {walk.code, walk.instruction, load(&walk, walk.code + layout.at.code_lines),
                               load(&walk, walk.code + layout.at.code_name)};
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++) {
      hash = (hash ^ parts[part]) * 0x9e3779b97f4a7c15ull;
      hash ^= hash >> 29;
    }
    hash |= 1;
  }
  return hash;
}

/* Writes UTF-8, terminated; text without room is cut off. */
static void copy_string(struct walk *walk, uintptr_t object, char *text, size_t size) {
  wchar_t wide[MOST_CHARACTERS];
  long count = is_string(walk, object) ? layout.characters((void *)object, wide, MOST_CHARACTERS) : 0;
  size_t used = 0;
  for (long i = 0; i < count && used + 5 < size; i++) {
    const uint32_t c = (uint32_t)wide[i];
    const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    text[used++] = (char)(first[more] | c >> 6 * more);
    for (int left = more - 1; left >= 0; left--)
      text[used++] = (char)(0x80 | (c >> 6 * left & 0x3f));
  }
  text[used] = 0;
}

static int line_of(const struct walk *walk) {
  int line = layout.line_of_object ? layout.line_of_object((void *)walk->frame)
             : layout.line_of_code
                 ? layout.line_of_code((void *)walk->code, (int)(walk->instruction - walk->code - layout.at.code_bytes))
                 : layout.line_of_frame((const void *)walk->frame);
  return line > 0 ? line : 0;
}

static uint64_t hash_of(const char *function, const char *file, int line) {
  uint64_t hash = 0xcbf29ce484222325ull ^ (unsigned)line; /* FNV-1a */
  for (; *function; function++)
    hash = (hash ^ (unsigned char)*function) * 0x100000001b3ull;
  for (; *file; file++)
    hash = (hash ^ (unsigned char)*file) * 0x100000001b3ull;
  return hash;
}

static struct record *find_record(uint64_t hash, const struct gasan_python_frame *frame) {
  for (struct gasan_map_entry *entry = gasan_map_find(&records, hash); entry; entry = gasan_map_find_next(entry)) {
    struct record *known = GASAN_MAP_OWNER(entry, struct record, by_hash);
    if (known->frame.line == frame->line && !strcmp(known->frame.function, frame->function) &&
        !strcmp(known->frame.file, frame->file))
      return known;
  }
  return NULL;
}

static struct record *make_record(const struct gasan_python_frame *frame) {
  const size_t function_size = strlen(frame->function) + 1, file_size = strlen(frame->file) + 1;
  struct record *made = malloc(sizeof *made + function_size + file_size);
  if (!made)
    return NULL;
  memcpy(made->text, frame->function, function_size);
  memcpy(made->text + function_size, frame->file, file_size);
  made->frame = (struct gasan_python_frame){frame->line, made->text, made->text + function_size};
  return made;
}

static struct record *keep(const struct gasan_python_frame *frame) {
  const uint64_t hash = hash_of(frame->function, frame->file, frame->line);
  struct record *known = find_record(hash, frame);
  if (known)
    return known;
  struct record *made = make_record(frame);
  if (!made)
    return NULL;
  pthread_mutex_lock(&frames_lock);
  known = find_record(hash, frame);
  if (!known)
    gasan_map_insert(&records, &made->by_hash, hash);
  pthread_mutex_unlock(&frames_lock);
  if (!known)
    return made;
  free(made);
  return known;
}

size_t gasan_python_capture(uintptr_t *words, size_t most) {
  static const char import_system[] = "<frozen importlib";
  struct walk walk;
  size_t count = 0;
  if (!is_ready() || !begin_walk(&walk, false))
    return 0;
  while (count < most && next_frame(&walk)) {
    char function[MOST_CHARACTERS], file[4 * MOST_CHARACTERS];
    copy_string(&walk, load(&walk, walk.code + layout.at.code_name), function, sizeof function);
    copy_string(&walk, load(&walk, walk.code + layout.at.code_file), file, sizeof file);
    if (!strncmp(file, import_system, strlen(import_system)))
      continue;
    const struct record *kept = keep(&(struct gasan_python_frame){line_of(&walk), function, file});
    if (kept)
      words[count++] = (uintptr_t)kept | WORD_IS_FRAME;
  }
  return count;
}

const struct gasan_python_frame *gasan_python_find(uintptr_t word) {
  return word & WORD_IS_FRAME ? &((const struct record *)(word & ~WORD_IS_FRAME))->frame : NULL;
}

bool gasan_python_is_interpreter(uintptr_t pc) {
  return pc >= layout.code_begin && pc < layout.code_end;
}
