/* The program under test of sanitizer_test.c: C, optimised, without frame pointers. argv[1] names its action. */
#include "test/unit/sanitizer_probe.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static NOINLINE uint32_t allocate(void) {
  uint32_t stack = probe_malloc();
  __asm__ volatile("");
  return stack;
}

NOINLINE uint32_t __device_stub__scale(void) {
  uint32_t stack = probe_launch();
  __asm__ volatile("");
  return stack;
}

static NOINLINE uint32_t launch(void) {
  uint32_t stack = __device_stub__scale();
  __asm__ volatile("");
  return stack;
}

static inline __attribute__((always_inline)) uint32_t inlined(void) {
  return allocate();
}

static NOINLINE uint32_t recurse(int depth) {
  uint32_t stack = depth ? recurse(depth - 1) : probe_malloc();
  __asm__ volatile("");
  return stack;
}

static uint32_t sorted_stack;

static int compare(const void *left, const void *right) {
  sorted_stack = probe_malloc();
  return *(const char *)left - *(const char *)right;
}

static void do_report(void) {
  printf("before\n");
  fflush(stdout);
  uint32_t allocation = allocate();
  probe_report(launch(), allocation);
  printf("after\n");
}

static void do_stacks(void) {
  uint32_t ids[2];
  volatile int times = 2; /* not unrolled: both calls are the same one */
  for (int i = 0; i < times; i++)
    ids[i] = allocate();
  printf("same stack same id %d\n", ids[0] == ids[1] && ids[0] != 0);
  printf("other stack other id %d\n", launch() != ids[0]);
  fflush(stdout);
  probe_stack(recurse(3));
  fprintf(stderr, "sorted:\n");
  char letters[] = "ba";
  qsort(letters, 2, 1, compare);
  probe_stack(sorted_stack);
  fprintf(stderr, "callback:\n");
  probe_stack(probe_callback(allocate));
  fprintf(stderr, "inlined:\n");
  probe_stack(inlined());
  fprintf(stderr, "empty:\n");
  probe_stack(0);
}

static NOINLINE void *thread_start(void *argument) {
  uint32_t stack = allocate();
  fprintf(stderr, "thread T%u:\n", probe_thread_number());
  probe_stack(stack);
  probe_report(stack, stack);
  return argument;
}

static void do_small_thread(void) {
  printf("main T%u\n", probe_thread_number());
  fflush(stdout);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN + 16384);
  pthread_t thread;
  pthread_create(&thread, &attributes, thread_start, NULL);
  pthread_join(thread, NULL);
}

static void *print_lines(void *argument) {
  for (int i = 0; i < 20; i++) {
    allocate();
    probe_lines((int)(intptr_t)argument, 10);
  }
  return NULL;
}

static void do_threads(void) {
  pthread_t threads[8];
  for (int i = 0; i < 8; i++)
    pthread_create(&threads[i], NULL, print_lines, (void *)(intptr_t)i);
  for (int i = 0; i < 8; i++)
    pthread_join(threads[i], NULL);
}

static atomic_bool stop;

static void *hold_locks(void *argument) {
  for (uintptr_t i = 0; !stop; i++) {
    probe_store_stack((i << 8) + (uintptr_t)argument + 1);
    if (i % 1000 == 0)
      probe_lines((int)(intptr_t)argument, 0);
  }
  return NULL;
}

/* Parent and child print at the same time, both after the parent's symbolizer process has started; meanwhile other
 * threads hold the locks as often as they can. */
static void do_fork(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, hold_locks, (void *)(intptr_t)i);
  probe_stack(allocate());
  for (int i = 0; i < 4; i++) {
    pid_t child = fork();
    if (child < 0)
      abort();
    if (child == 0)
      alarm(20); /* a deadlock fails the test and leaves no process */
    for (int j = 0; j < 10; j++)
      probe_stack(allocate());
    if (child == 0)
      _exit(0);
    int status;
    waitpid(child, &status, 0);
    printf("child %d\n", status);
    fflush(stdout);
  }
  stop = true;
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
}

/* Modules that are loaded after the first stack was symbolized, the second mostly at the address where the first was.
 */
static void do_plugins(void) {
  static const char *const paths[] = {GASAN_TEST_PLUGIN_A, GASAN_TEST_PLUGIN_B};
  probe_stack(allocate());
  for (int i = 0; i < 2; i++) {
    void *plugin = dlopen(paths[i], RTLD_NOW);
    uint32_t (*plugin_allocate)(void) = NULL;
    if (plugin)
      *(void **)&plugin_allocate = dlsym(plugin, "plugin_allocate");
    if (!plugin_allocate) {
      printf("%s\n", dlerror());
      return;
    }
    probe_stack(plugin_allocate());
    dlclose(plugin);
  }
}

static void do_host_bug(void) {
  probe_options();
  volatile int index = 8;
  volatile char *memory = malloc(8);
  memory[index] = 1;
  free((void *)memory);
}

static void do_libraries(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[1024];
  int found = 0;
  probe_stack(allocate());
  while (fgets(line, sizeof line, maps))
    found |= strstr(line, "libstdc++") != NULL;
  fclose(maps);
  printf("libstdc++ %d\n", found);
}

int main(int count, char **arguments) {
  const char *role = count > 1 ? arguments[1] : "";
  if (strcmp(role, "set-options") == 0) {
    setenv("GASAN_OPTIONS", "redzone=4096", 1);
    probe_options();
    return 0;
  }
  static const struct {
    const char *name;
    void (*run)(void);
  } roles[] = {{"report", do_report},       {"stacks", do_stacks},  {"small-thread", do_small_thread},
               {"threads", do_threads},     {"fork", do_fork},      {"host-bug", do_host_bug},
               {"libraries", do_libraries}, {"texts", probe_texts}, {"options", probe_options},
               {"plugins", do_plugins}};
  for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
    if (strcmp(role, roles[i].name) == 0) {
      roles[i].run();
      return 0;
    }
  }
  if (strcmp(role, "suppressions") == 0) {
    probe_suppressions(allocate());
    return 0;
  }
  return 99;
}
