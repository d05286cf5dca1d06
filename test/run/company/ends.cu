// A report is whole whatever happens around it: signals while it is printed, an abort or _exit in a callback, another
// program by exec, and a process that ends by _exit.
// RUN: %gasan -O2 %s -o %t
// RUN: %exit=1 %t signals 2>&1 | FileCheck %s
// RUN: %exit=134 %t abort 2>&1 | FileCheck %s --check-prefixes=CHECK,CALLED
// RUN: %exit=5 %t exit 2>&1 | FileCheck %s --check-prefixes=CHECK,CALLED
// RUN: %options=halt_on_error=0 %exit=7 %t leave 2>&1 | FileCheck %s --check-prefixes=CHECK,GOES-ON
// RUN: %options=halt_on_error=0 %exit=1 %t exec 2>&1 | FileCheck %s --check-prefixes=CHECK,AGAIN
// RUN: %options=halt_on_error=0 %exit=1 %t fork 2>&1 | FileCheck %s --check-prefixes=CHECK,CHILD
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed signals 2>&1 | %silent
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK: #0 put(int*, int) {{.*}}ends.cu:[[#@LINE+18]]:
// CHECK: SUMMARY: AddressSanitizer: heap-buffer-overflow {{.*}}ends.cu:[[#@LINE+17]]:{{[0-9]+}} in put(int*, int)
// CALLED: called
// GOES-ON: the end
// AGAIN: ERROR: AddressSanitizer: heap-buffer-overflow
// AGAIN: SUMMARY: AddressSanitizer
// CHILD: the child ends
#include <gasan/gasan.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void put(int *values, int i) {
  values[i] = 1;
}

static volatile sig_atomic_t alarms;

static void count_alarm(int) {
  alarms++;
}

static void start_alarms() {
  struct sigaction action = {};
  action.sa_handler = count_alarm; // without SA_RESTART: calls of the system are interrupted
  sigaction(SIGALRM, &action, nullptr);
  const itimerval often = {{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &often, nullptr);
}

int main(int, char **arguments) {
  const char *what = arguments[1];
  int *values;
  cudaMalloc(&values, 400);
  if (!strcmp(what, "signals"))
    start_alarms();
  if (!strcmp(what, "abort"))
    gasan_set_error_report_callback([](const char *) {
      fprintf(stderr, "called\n");
      abort();
    });
  if (!strcmp(what, "exit"))
    gasan_set_death_callback([] {
      fprintf(stderr, "called\n");
      _exit(5);
    });
#ifdef FIXED
  put<<<1, 1>>>(values, 99);
#else
  put<<<1, 1>>>(values, 100);
#endif
  cudaDeviceSynchronize();
  if (!strcmp(what, "leave")) {
    fprintf(stderr, "the end\n");
    _exit(7);
  }
  if (!strcmp(what, "exec"))
    execl("/proc/self/exe", arguments[0], "again", nullptr);
  const pid_t child = strcmp(what, "fork") ? 0 : fork();
  if (!strcmp(what, "fork") && !child) {
    fprintf(stderr, "the child ends\n");
    exit(0);
  }
  int status = 0;
  if (child)
    waitpid(child, &status, 0);
  return status != 0;
}
