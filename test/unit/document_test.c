/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The reader and the writers of documents: what they accept, that what is written is read again, and that no input is
 * too bad for them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document/escape.h"
#include "document/json.h"
#include "document/writers.h"
#include "greatest.h"

static bool parses(const char *text, size_t length, char message[256]) {
  struct gasan_arena arena = {0};
  char *exact = malloc(length ? length : 1); /* so that AddressSanitizer sees a read behind the end */
  memcpy(exact, text, length);
  const bool is_json = gasan_json_parse(&arena, exact, length, message, 256) != NULL;
  gasan_arena_free(&arena);
  free(exact);
  return is_json;
}

TEST json_is_accepted(void) {
  static const char *const texts[] = {"null",
                                      " [ ] ",
                                      "{}",
                                      "-0",
                                      "1.5e+10",
                                      "[1,2.0,\"\\u00e9\\ud83d\\ude00\\n\"]",
                                      "{\"a\":{\"a\":[true,false]}}",
                                      "\"\xc3\xa9\""};
  char message[256];
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    ASSERTm(texts[i], parses(texts[i], strlen(texts[i]), message));
  PASS();
}

TEST other_text_is_refused(void) {
  static const char *const texts[] = {"",
                                      " ",
                                      "[1,]",
                                      "{\"a\":1,}",
                                      "{a:1}",
                                      "{\"a\" 1}",
                                      "01",
                                      "1.",
                                      ".5",
                                      "+1",
                                      "1e",
                                      "nul",
                                      "\"\\x\"",
                                      "\"\\ud800\"",
                                      "\"\\udc00\"",
                                      "\"\\u0000\"",
                                      "\"a",
                                      "\"\t\"",
                                      "\"\xff\"",
                                      "\"\xc0\x80\"",
                                      "\"\xed\xa0\x80\"",
                                      "[1] 2",
                                      "{\"a\":1,\"a\":2}",
                                      "[1",
                                      "{\"a\":",
                                      "\"\\u12",
                                      "-",
                                      "'a'",
                                      "\"\\"};
  char message[256];
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    ASSERT_FALSEm(texts[i], parses(texts[i], strlen(texts[i]), message));
  ASSERT_FALSE(parses("\"a\0b\"", 5, message));
  ASSERT_FALSE(parses("[1,\n2,\n3", 8, message));
  ASSERT_STR_EQ("line 3: a comma or a bracket is missing", message);
  PASS();
}

TEST depth_has_a_limit(void) {
  char deep[100001], message[256];
  memset(deep, '[', sizeof deep);
  ASSERT_FALSE(parses(deep, sizeof deep, message));
  ASSERT_STR_EQ("line 1: more than 64 containers in each other", message);
  memset(deep + 64, ']', 64);
  ASSERT(parses(deep, 128, message));
  PASS();
}

static void fill(struct gasan_document *document) {
  document->version = "0";
  struct gasan_doc_process *process = gasan_doc_create_process(document);
  process->pid = 7;
  process->host = "h";
  process->directory = "/src";
  process->command = gasan_arena_allocate(&document->arena, 3 * sizeof *process->command);
  process->command[0] = "./a b";
  process->command[1] = "\xff\x01\"\\";
  for (uint32_t i = 0; i < 2; i++) {
    struct gasan_doc_report *report = gasan_doc_create_report();
    report->kind = i ? "double-free" : "heap-buffer-overflow";
    report->title = "title";
    report->text = "<text>\n";
    report->device = "cpu";
    report->has_address = report->has_access = report->has_size = report->has_access_address = true;
    report->address = report->access_address = UINT64_MAX;
    report->operation = "write";
    report->size = UINT64_MAX;
    report->location = (struct gasan_doc_frame){.function = "f(int)", .file = "/src/a b.cu", .line = 3, .column = 5};
    struct gasan_doc_stack *stack = gasan_doc_add_stack(report, GASAN_DOC_ACCESS);
    stack->has_device_thread = true;
    *gasan_doc_add_frame(report, stack) = report->location;
    stack = gasan_doc_add_stack(report, GASAN_DOC_LAUNCH);
    stack->kernel = "f";
    stack->has_shape = stack->has_host_thread = true;
    *gasan_doc_add_frame(report, stack) =
        (struct gasan_doc_frame){.function = "main", .module = "a", .offset = 16, .address = 1};
    *gasan_doc_add_object(report) = (struct gasan_doc_object){
        .type = "region", .relation = "after", .has_base = true, .base = 4096, .size = 4, .unit = "bytes"};
    *gasan_doc_add_neighbour(report) = (struct gasan_doc_object){.has_base = true, .base = 8192, .size = 4};
    *gasan_doc_add_value(report) = (struct gasan_doc_value){.expression = "n", .value = "1"};
    static const char *lines[] = {"</script>", "\xff"};
    report->source = lines;
    report->source_count = 2;
    report->source_line = 3;
    static uint64_t threads = 5;
    report->block_threads = &threads;
    report->block_words = 1;
    gasan_doc_name_process(report, 0);
    gasan_doc_add_report(document, report);
  }
}

TEST written_json_is_read_again(void) {
  struct gasan_document document = {0}, again = {0};
  struct gasan_text first = {0}, second = {0};
  char message[256] = "";
  fill(&document);
  gasan_write_json(&document, &first);
  ASSERTm(message, gasan_read_json(&again, first.bytes, first.length, message, sizeof message));
  gasan_write_json(&again, &second);
  ASSERT_STR_EQ(first.bytes, second.bytes);
  /* The same file once more: equal reports become one. */
  ASSERT(gasan_read_json(&again, first.bytes, first.length, message, sizeof message));
  ASSERT_EQ(2u, again.process_count);
  ASSERT_EQ(2u, again.reports->count);
  ASSERT_EQ(2u, again.reports->process_count);
  ASSERT_EQ(NULL, again.reports->next->next);
  gasan_doc_free(&document);
  gasan_doc_free(&again);
  gasan_text_free(&first);
  gasan_text_free(&second);
  PASS();
}

TEST sarif_names_code_without_symbols(void) {
  struct gasan_document document = {0};
  struct gasan_text out = {0};
  fill(&document);
  document.reports->stacks->next->frames->function = NULL;
  gasan_write_sarif(&document, &out);
  ASSERTm(out.bytes, strstr(out.bytes, "{\"fullyQualifiedName\": \"a+0x10\", \"kind\": \"function\"}"));
  gasan_doc_free(&document);
  gasan_text_free(&out);
  PASS();
}

TEST fingerprints_survive_moved_lines(void) {
  struct gasan_document document = {0};
  fill(&document);
  struct gasan_doc_report *report = document.reports;
  const uint64_t before = gasan_doc_fingerprint(report);
  report->stacks->frames->line += 10;
  report->stacks->next->frames->address += 64;
  ASSERT_EQ(before, gasan_doc_fingerprint(report));
  ASSERT_FALSE(before == gasan_doc_fingerprint(report->next));
  report->stacks->frames->function = "g(int)";
  ASSERT_FALSE(before == gasan_doc_fingerprint(report));
  gasan_doc_free(&document);
  PASS();
}

static uint64_t state = 1;

static uint32_t next_random(uint32_t limit) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % limit;
}

/* Changes, removes and repeats some bytes. Returns the new length. */
static size_t mutate(char *text, size_t length, size_t room) {
  static const char pieces[] = "{}[]\":,\\u0-9e.tfn \xff\xc3";
  for (uint32_t i = next_random(4) + 1; i > 0 && length > 1; i--) {
    const size_t at = next_random((uint32_t)length), more = next_random(16) + 1;
    if (next_random(3) == 0 && length + more < room && at + more < length) {
      memmove(text + at + more, text + at, length - at);
      length += more;
    } else if (next_random(2) == 0 && at + more < length) {
      memmove(text + at, text + at + more, length - at - more);
      length -= more;
    } else {
      text[at] = next_random(2) ? pieces[next_random(sizeof pieces - 1)] : (char)next_random(256);
    }
  }
  return next_random(8) ? length : next_random((uint32_t)length);
}

TEST no_text_is_too_bad(void) {
  struct gasan_document document = {0};
  struct gasan_text good = {0}, out = {0};
  uint32_t read = 0;
  char message[256];
  fill(&document);
  gasan_write_json(&document, &good);
  for (int i = 0; i < 20000; i++) {
    const size_t room = good.length + 64;
    char *text = malloc(room);
    memcpy(text, good.bytes, good.length);
    const size_t length = mutate(text, good.length, room);
    struct gasan_document copy = {0};
    char *exact = malloc(length ? length : 1);
    memcpy(exact, text, length);
    free(text);
    if (gasan_read_json(&copy, exact, length, message, sizeof message)) {
      read++;
      gasan_text_clear(&out);
      gasan_write_json(&copy, &out);
      gasan_write_sarif(&copy, &out);
      gasan_write_junit(&copy, &out);
      gasan_write_text(&copy, &out);
      gasan_write_html(&copy, &out);
      gasan_doc_leave_out_known(&copy, &document);
    }
    free(exact);
    gasan_doc_free(&copy);
  }
  ASSERT(read > 100 && read < 19900);
  gasan_doc_free(&document);
  gasan_text_free(&good);
  gasan_text_free(&out);
  PASS();
}

/* Adds a report whose innermost function is f0, f1, ... */
static void add_numbered(struct gasan_document *document, uint32_t number, uint32_t line) {
  struct gasan_doc_report *report = gasan_doc_create_report();
  char name[16];
  snprintf(name, sizeof name, "f%u", number);
  report->kind = "double-free";
  report->title = report->text = "";
  struct gasan_doc_stack *stack = gasan_doc_add_stack(report, GASAN_DOC_ACCESS);
  *gasan_doc_add_frame(report, stack) =
      (struct gasan_doc_frame){.function = gasan_arena_copy(&report->arena, name), .file = "a.cu", .line = line};
  gasan_doc_add_report(document, report);
}

/* The order stays, and each report is found among many. */
TEST many_reports_are_merged(void) {
  struct gasan_document document = {0}, known = {0};
  const uint32_t count = 30000;
  for (uint32_t i = 0; i < 3 * count; i++)
    add_numbered(&document, i % count, 1);
  uint32_t number = 0;
  for (struct gasan_doc_report *report = document.reports; report; report = report->next, number++) {
    ASSERT_EQ(number, (uint32_t)strtoul(report->stacks->frames->function + 1, NULL, 10));
    ASSERT_EQ(3u, report->count);
  }
  ASSERT_EQ(count, number);
  for (uint32_t i = 0; i < count; i += 2)
    add_numbered(&known, i, 1);
  ASSERT_EQ(count / 2, gasan_doc_leave_out_known(&document, &known));
  ASSERT_STR_EQ("f1", document.reports->stacks->frames->function);
  add_numbered(&document, 1, 1);
  ASSERT_EQ(4u, document.reports->count);
  gasan_doc_free(&document);
  gasan_doc_free(&known);
  PASS();
}

/* A known report stands for one report; an equal line comes before an equal function. */
TEST known_reports_count_once(void) {
  struct gasan_document document = {0}, known = {0};
  add_numbered(&document, 1, 10);
  add_numbered(&document, 1, 20);
  add_numbered(&document, 2, 1);
  add_numbered(&known, 1, 20);
  ASSERT_EQ(1u, gasan_doc_leave_out_known(&document, &known));
  ASSERT_EQ(10u, document.reports->stacks->frames->line);
  add_numbered(&known, 2, 99); /* the line has moved */
  ASSERT_EQ(2u, gasan_doc_leave_out_known(&document, &known));
  ASSERT_EQ(NULL, document.reports);
  add_numbered(&document, 3, 1);
  ASSERT_STR_EQ("f3", document.reports->stacks->frames->function);
  gasan_doc_free(&document);
  gasan_doc_free(&known);
  PASS();
}

/* A file that has only the members which version 1 has always had. */
TEST older_baseline_is_known(void) {
  static const char older[] =
      "{\"format\":\"gasan-report\",\"version\":1,\"tool\":{\"name\":\"gasan\"},\"processes\":[{\"pid\":1,\"command\":["
      "]}],"
      "\"reports\":[{\"kind\":\"double-free\",\"title\":\"\",\"fingerprint\":\"0000000000000000\",\"count\":1,"
      "\"processes\":[0],\"stacks\":[{\"role\":\"access\",\"frames\":[{\"function\":\"f1\",\"file\":\"b.cu\",\"line\":"
      "9}]}],"
      "\"objects\":[],\"text\":\"\"}]}";
  struct gasan_document document = {0}, known = {0};
  char message[256] = "";
  ASSERTm(message, gasan_read_json(&known, older, sizeof older - 1, message, sizeof message));
  add_numbered(&document, 1, 1);
  ASSERT_EQ(1u, gasan_doc_leave_out_known(&document, &known));
  gasan_doc_free(&document);
  gasan_doc_free(&known);
  PASS();
}

TEST xml_has_no_other_characters(void) {
  struct gasan_text out = {0};
  gasan_escape(&out, "a\x01\x1f\x7f\n\t<>&\"\xff\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd\xc3\xa9");
  ASSERT_STR_EQ(
      "a\xef\xbf\xbd\xef\xbf\xbd\x7f\n\t&lt;&gt;&amp;&quot;\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9",
      out.bytes);
  gasan_text_free(&out);
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(json_is_accepted);
  RUN_TEST(other_text_is_refused);
  RUN_TEST(depth_has_a_limit);
  RUN_TEST(written_json_is_read_again);
  RUN_TEST(sarif_names_code_without_symbols);
  RUN_TEST(fingerprints_survive_moved_lines);
  RUN_TEST(no_text_is_too_bad);
  RUN_TEST(many_reports_are_merged);
  RUN_TEST(known_reports_count_once);
  RUN_TEST(older_baseline_is_known);
  RUN_TEST(xml_has_no_other_characters);
  GREATEST_MAIN_END();
}
