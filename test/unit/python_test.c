/* gasan_rt/python beside an interpreter that this program stands in for: each test makes its structures in memory, with
 * the layout of a version, in a process of its own. Real interpreters: test/uninstrumented/python.test. */
#include "gasan_rt/python/python.h"

#include "greatest.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

/* The symbols that gasan looks for. */
int Py_IsInitialized(void);
const char *Py_GetVersion(void);
void *PyGILState_GetThisThreadState(void);
int PyCode_Addr2Line(void *code, int offset);
int PyFrame_GetLineNumber(void *frame);
int PyUnstable_InterpreterFrame_GetLine(const void *frame);
long PyUnicode_AsWideChar(void *string, wchar_t *to, long most);
extern uint64_t _PyRuntime[64];
extern uint64_t PyCode_Type[1], PyUnicode_Type[1];

uint64_t _PyRuntime[64], PyCode_Type[1], PyUnicode_Type[1];
static int initialized = 1;
static const char *version;
static void *thread_state;

struct string {
  uint64_t count, type;
  const wchar_t *text;
};

int Py_IsInitialized(void) {
  return initialized;
}
const char *Py_GetVersion(void) {
  return version;
}
void *PyGILState_GetThisThreadState(void) {
  return thread_state;
}
long PyUnicode_AsWideChar(void *string, wchar_t *to, long most) {
  const wchar_t *text = ((struct string *)string)->text;
  long length = (long)wcslen(text);
  length = length < most ? length : most;
  memcpy(to, text, (size_t)length * sizeof *to);
  return length;
}
int PyCode_Addr2Line(void *code, int offset) {
  return 1000 + offset;
}
int PyFrame_GetLineNumber(void *frame) {
  return 2000;
}
/* The tests keep a frame's line in front of it. */
int PyUnstable_InterpreterFrame_GetLine(const void *frame) {
  return (int)((const uint64_t *)frame)[-1];
}

static char warning[256];

static void note_warning(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(warning, sizeof warning, format, arguments);
  va_end(arguments);
}

/* A thread with three frames, of which C code owns the middle one. The words are those of 3.12 to 3.14: code, previous,
 * six others, instruction (at 56), owner (byte 2 of the word at 72, or byte 6 of the word at 64). */
static uint64_t frames[3][16], code[2][32], thread[32], cframe[4];
static struct string names[] = {{1, 0, L"inner"}, {1, 0, L"größe"}};
static struct string files[] = {{1, 0, L"/a/in.py"}, {1, 0, L"/b.py"}};

static void put(void *base, size_t offset, uint64_t value) {
  memcpy((char *)base + offset, &value, sizeof value);
}

static uint64_t *frame_at(int i) {
  return &frames[i][1]; /* its line is in front */
}

static void make_code(int i, int file_at, int name_at, int lines_at) {
  names[i].type = files[i].type = (uintptr_t)PyUnicode_Type;
  put(code[i], 8, (uintptr_t)PyCode_Type);
  put(code[i], (size_t)file_at, (uintptr_t)&files[i]);
  put(code[i], (size_t)name_at, (uintptr_t)&names[i]);
  put(code[i], (size_t)lines_at, 0x1234);
}

static void make_frames(int owner_at, uint64_t tag) {
  for (int i = 0; i < 3; i++) {
    frames[i][0] = (uint64_t)(10 + i);
    put(frame_at(i), 0, i == 1 ? (uintptr_t)PyUnicode_Type : (uintptr_t)code[i / 2] | tag);
    put(frame_at(i), 8, i < 2 ? (uintptr_t)frame_at(i + 1) : 0);
    put(frame_at(i), 56, (uint64_t)(0x5000 + i));
    ((unsigned char *)frame_at(i))[owner_at] = i == 1 ? 3 : 0;
  }
  make_code(0, 112, 128, 136);
  make_code(1, 112, 128, 136);
}

static void make_3_12(void) {
  version = "3.12.9 (main)";
  make_frames(70, 0);
  put(thread, 56, (uintptr_t)cframe);
  put(cframe, 0, (uintptr_t)frame_at(0));
  thread_state = thread;
}

/* 3.14 has a table, and flags in references. */
static void make_3_14(void) {
  static const struct {
    int place;
    uint64_t offset;
  } table[] = {{26, 72}, {32, 8}, {33, 0}, {34, 56}, {36, 74}, {40, 112}, {42, 128}, {43, 136}};
  version = "3.14.2 (main)";
  memcpy(_PyRuntime, "xdebugpy", 8);
  _PyRuntime[1] = 0x030e02f0;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    _PyRuntime[table[i].place] = table[i].offset;
  make_frames(74, 1);
  put(thread, 72, (uintptr_t)frame_at(0));
  thread_state = thread;
}

/* Runs the function in a process of its own, because gasan looks for an interpreter only once. */
static int in_process(int (*run)(void)) {
  int status = 0;
  pid_t child = fork();
  if (child == 0)
    _exit(run());
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

/* Returns 0 if the frames are those of make_frames; else the number of the wrong step. */
static int read_frames(void) {
  uintptr_t words[8];
  gasan_python_start(note_warning);
  if (*warning)
    return 1;
  const uint64_t position = gasan_python_position(8);
  if (!position || position != gasan_python_position(8) || position == gasan_python_position(1))
    return 2;
  if (gasan_python_capture(words, 8) != 2 || gasan_python_capture(words + 2, 1) != 1 || words[2] != words[0])
    return 3;
  const struct gasan_python_frame *inner = gasan_python_find(words[0]), *outer = gasan_python_find(words[1]);
  if (!inner || inner->line != 10 || strcmp(inner->function, "inner") != 0 || strcmp(inner->file, "/a/in.py") != 0)
    return 4;
  if (!outer || outer->line != 12 || strcmp(outer->function, "größe") != 0 || strcmp(outer->file, "/b.py") != 0)
    return 5;
  if (gasan_python_find((uintptr_t)&read_frames))
    return 6;
  put(frame_at(2), 56, 0x6000); /* the outer frame goes on */
  if (position == gasan_python_position(8) || gasan_python_position(1) == 0)
    return 7;
  put(code[1], 136, 0x4321); /* another code object at the same address */
  if (gasan_python_position(8) == position)
    return 8;
  if (!gasan_python_is_interpreter((uintptr_t)&Py_IsInitialized) || gasan_python_is_interpreter((uintptr_t)&fork))
    return 9;
  thread_state = NULL; /* a thread of C code */
  if (gasan_python_position(8) || gasan_python_capture(words, 8))
    return 10;
  thread_state = thread;
  initialized = 0; /* the interpreter ends */
  return gasan_python_position(8) || gasan_python_capture(words, 8) ? 11 : 0;
}

static int read_3_12(void) {
  make_3_12();
  return read_frames();
}

static int read_3_14(void) {
  make_3_14();
  return read_frames();
}

TEST frames_of_a_fixed_layout(void) {
  ASSERT_EQ(0, in_process(read_3_12));
  PASS();
}

TEST frames_of_a_table(void) {
  ASSERT_EQ(0, in_process(read_3_14));
  PASS();
}

/* The first frame is read later: the interpreter had none at the start. */
static int start_without_frames(void) {
  make_3_12();
  put(cframe, 0, 0);
  gasan_python_start(note_warning);
  if (*warning || gasan_python_position(8))
    return 1;
  put(cframe, 0, (uintptr_t)frame_at(0));
  return gasan_python_position(8) && !*warning ? 0 : 2;
}

TEST a_start_without_frames(void) {
  ASSERT_EQ(0, in_process(start_without_frames));
  PASS();
}

/* Returns 0 if there is a warning with this text, and no frames. */
static int refused(const char *text) {
  uintptr_t words[8];
  gasan_python_start(note_warning);
  return strstr(warning, text) && !gasan_python_position(8) && !gasan_python_capture(words, 8) ? 0 : 1;
}

static int lead_nowhere(void) {
  make_3_12();
  put(frame_at(0), 8, 0xdead0000beef0008);
  return refused("another layout than those of Python 3.12.9");
}

static int lead_to_no_string(void) {
  make_3_12();
  files[1].type = 0;
  return refused("another layout");
}

static int lead_to_no_page(void) {
  make_3_12();
  put(frame_at(2), 0, 0x10);
  return refused("another layout");
}

static int lead_in_a_circle(void) {
  make_3_12();
  put(frame_at(2), 8, (uintptr_t)frame_at(1));
  return refused("another layout");
}

static int spoil_the_table(void) {
  make_3_14();
  _PyRuntime[26] = 1 << 20;
  return refused("not of 3.14.2");
}

static int have_another_table(void) {
  make_3_14();
  _PyRuntime[1] = 0x030f00f0;
  return refused("not of 3.14.2");
}

static int be_too_old(void) {
  make_3_12();
  version = "3.8.18 (default, [GCC])";
  return refused("gasan knows those of Python 3.9 to 3.14 with a GIL, not of 3.8.18; python_frames=0");
}

static int be_too_new(void) {
  make_3_14();
  version = "3.15.0";
  return refused("not of 3.15.0");
}

static int have_no_lock(void) {
  make_3_14();
  version = "3.14.2 free-threading build (main)";
  return refused("not of 3.14.2 free-threading build");
}

TEST layouts_that_do_not_fit(void) {
  ASSERT_EQ(0, in_process(lead_nowhere));
  ASSERT_EQ(0, in_process(lead_to_no_string));
  ASSERT_EQ(0, in_process(lead_to_no_page));
  ASSERT_EQ(0, in_process(lead_in_a_circle));
  ASSERT_EQ(0, in_process(spoil_the_table));
  ASSERT_EQ(0, in_process(have_another_table));
  PASS();
}

TEST versions_that_are_not_known(void) {
  ASSERT_EQ(0, in_process(be_too_old));
  ASSERT_EQ(0, in_process(be_too_new));
  ASSERT_EQ(0, in_process(have_no_lock));
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(frames_of_a_fixed_layout);
  RUN_TEST(frames_of_a_table);
  RUN_TEST(a_start_without_frames);
  RUN_TEST(layouts_that_do_not_fit);
  RUN_TEST(versions_that_are_not_known);
  GREATEST_MAIN_END();
}
