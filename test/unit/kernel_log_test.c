/* The lines of the kernel's log about a GPU: as drivers write them, of other processes, and random text. */
#include "gasan_rt/evidence/kernel_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "greatest.h"

/* An H100, driver 580, as /dev/kmsg gives the record. */
static const char h100[] =
    "4,1311,251043912,-;NVRM: Xid (PCI:0000:00:06): 31, pid=1054, name=shapes, channel 0x0000000a, intr 00000000. MMU "
    "Fault: ENGINE GRAPHICS GPC1 GPCCLIENT_T1_8 faulted @ 0x80_00600000. Fault is of type FAULT_PDE "
    "ACCESS_TYPE_VIRT_WRITE\n";

static bool parse(const char *text, struct gasan_log_fault *fault) {
  /* A copy without its end, so that the sanitizer sees a read behind it. */
  size_t size = strlen(text);
  char *copy = malloc(size ? size : 1);
  memcpy(copy, text, size);
  bool is_fault = gasan_log_parse(copy, size, fault);
  free(copy);
  return is_fault;
}

TEST line_of_an_h100(void) {
  struct gasan_log_fault fault;
  ASSERT(parse(h100, &fault));
  ASSERT_EQ(0x8000600000, fault.address);
  ASSERT_EQ(GASAN_LOG_WRITE, fault.access);
  ASSERT_EQ(1054, fault.pid);
  ASSERT_STR_EQ("shapes", fault.name);
  ASSERT_EQ(0, fault.domain);
  ASSERT_EQ(0, fault.bus);
  ASSERT_EQ(6, fault.slot);
  PASS();
}

TEST other_forms(void) {
  struct gasan_log_fault fault;
  ASSERT(
      parse("NVRM: Xid (PCI:0002:9b:1f): 31, pid='<unknown>', name=<unknown>, Ch 00000008, intr 10000000. MMU Fault: "
            "ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f4c_ffffF000. Fault is of type FAULT_PTE "
            "ACCESS_TYPE_VIRT_READ",
            &fault));
  ASSERT_EQ(0x7f4cfffff000, fault.address);
  ASSERT_EQ(GASAN_LOG_READ, fault.access);
  ASSERT_EQ(-1, fault.pid);
  ASSERT_STR_EQ("", fault.name);
  ASSERT_EQ(2, fault.domain);
  ASSERT_EQ(0x9b, fault.bus);
  ASSERT_EQ(0x1f, fault.slot);
  ASSERT(
      parse("NVRM: Xid (PCI:0000:00:06): 31, pid=7, name=a b, c, faulted @ 0x0_00000000 ACCESS_TYPE_VIRT_ATOMIC_WEAK",
            &fault));
  ASSERT_EQ(0, fault.address);
  ASSERT_EQ(GASAN_LOG_ATOMIC, fault.access);
  ASSERT_STR_EQ("a b", fault.name);
  ASSERT(parse("NVRM: Xid (PCI:0000:07:00 GPU-I:05): 31, pid=7, name=app, faulted @ 0x1_00001000.", &fault));
  ASSERT_EQ(7, fault.bus);
  ASSERT_EQ(0x100001000, fault.address);
  ASSERT(parse("NVRM: Xid (PCI:0000:00:06): 31, faulted @ 0x12", &fault));
  ASSERT_EQ(GASAN_LOG_ACCESS_UNKNOWN, fault.access);
  ASSERT_EQ(-1, fault.pid);
  PASS();
}

TEST other_lines(void) {
  static const char *const lines[] = {
      "",
      "NVRM: Xid (PCI:0000:00:06): 13, pid=1054, name=shapes, Graphics Exception: faulted @ 0x80_00600000",
      "NVRM: Xid (PCI:0000:00:06): 31, pid=1054, name=shapes, channel 0x0000000a",
      "NVRM: Xid (PCI:0000:00:06): 31, pid=1054, name=shapes, faulted @ 0x",
      "NVRM: Xid (PCI:0000:00:06): 31, pid=1054, name=shapes, faulted @ 0x123456789abcdef01",
      "NVRM: Xid (PCI:0000): 31, pid=1, name=a, faulted @ 0x1",
      "31, pid=1, name=a, faulted @ 0x1",
  };
  struct gasan_log_fault fault;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    ASSERT_FALSEm(lines[i], parse(lines[i], &fault));
  PASS();
}

TEST faults_of_this_process(void) {
  struct gasan_log_fault fault;
  ASSERT(parse(h100, &fault));
  struct gasan_log_process process = {
      .pid = 1054, .pid_is_global = true, .name = "worker", .file = "app", .pci = "0000:00:06.0"};
  ASSERT(gasan_log_matches(&fault, &process));
  process.pid = 1055;
  ASSERT_FALSE(gasan_log_matches(&fault, &process));
  strcpy(process.name, "shapes"); /* another process of the program */
  ASSERT_FALSE(gasan_log_matches(&fault, &process));
  process.pid_is_global = false;
  ASSERT(gasan_log_matches(&fault, &process));
  strcpy(process.name, "worker");
  ASSERT_FALSE(gasan_log_matches(&fault, &process));
  strcpy(process.file, "shapes");
  ASSERT(gasan_log_matches(&fault, &process));
  process.pid = 1054; /* a PID of the container: another number space */
  strcpy(process.file, "app");
  ASSERT_FALSE(gasan_log_matches(&fault, &process));
  strcpy(process.file, "shapes");
  process.pci = "0000:00:07.0";
  ASSERT_FALSE(gasan_log_matches(&fault, &process));
  process.pci = NULL;
  ASSERT(gasan_log_matches(&fault, &process));
  *fault.name = 0;
  ASSERT_FALSE(gasan_log_matches(&fault, &process));
  PASS();
}

/* The kernel cuts names off. */
TEST long_names(void) {
  struct gasan_log_fault fault = {.pid = 1, .name = "a_very_long_nam"};
  struct gasan_log_process process = {.pid = 2, .name = "a_very_long_nam", .file = ""};
  ASSERT(gasan_log_matches(&fault, &process));
  gasan_log_describe_self(&process);
  ASSERT_EQ(getpid(), process.pid);
  ASSERT_STR_EQ("kernel_log_test", process.name);
  ASSERT_STR_EQ("kernel_log_test", process.file);
  PASS();
}

/* Random text, and the line with random bytes in it. */
TEST random_text(void) {
  static const char *const words[] = {
      "NVRM: Xid (PCI:", "0000:00:06",   "): 31,", " pid=", "name=", "faulted @ 0x",
      "80_00600000",     "ACCESS_TYPE_", "VIRT_",  ", ",    "<",     "99999999999999999999"};
  char text[2000];
  struct gasan_log_fault fault;
  srand(1);
  for (int round = 0; round < 100000; round++) {
    *text = 0;
    if (round % 2)
      strcpy(text, h100);
    for (int i = rand() % 12; i > 0; i--)
      strcat(text, words[(size_t)rand() % (sizeof words / sizeof *words)]);
    for (int i = rand() % 8; i > 0 && *text; i--)
      text[(size_t)rand() % strlen(text)] = (char)(1 + rand() % 255);
    if (parse(text, &fault))
      ASSERT(strlen(fault.name) < sizeof fault.name);
  }
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(line_of_an_h100);
  RUN_TEST(other_forms);
  RUN_TEST(other_lines);
  RUN_TEST(faults_of_this_process);
  RUN_TEST(long_names);
  RUN_TEST(random_text);
  GREATEST_MAIN_END();
}
