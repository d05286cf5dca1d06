// Processes beside each other have files of their own. `gasan report` merges them.
// REQUIRES: schemas
// RUN: %gasan -O2 %s -o %t
// RUN: rm -rf %t.d
// RUN: %options=halt_on_error=0:report_format=json:report_path=%t.d/all %run %t 2>/dev/null
// RUN: ls %t.d | count 4
// RUN: %report_files %t.d/*.json
// RUN: not %gasan_report %t.d/*.json 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not %gasan_report --format json --output %t.d/merged.json %t.d/*.json
// RUN: %report_files --count 2 --print reports.0.count %t.d/merged.json | \
// RUN:   FileCheck %s --check-prefix=MERGED
// RUN: not %gasan_report --format=sarif --output=%t.d/merged.sarif %t.d/merged.json
// RUN: %report_files --count 2 %t.d/merged.sarif
// RUN: cd %S && not %gasan_report --format=sarif %t.d/merged.json | FileCheck %s --check-prefix=SARIF
// RUN: not %gasan_report --format=junit %t.d/merged.json | FileCheck %s --check-prefix=JUNIT
//
// Known reports are left out, and are known again when lines have moved and addresses differ.
// RUN: %gasan_report --baseline %t.d/merged.json %t.d/all.json 2>&1 | FileCheck %s --check-prefix=KNOWN
// RUN: sed 's/"line": /"line": 1/' %t.d/merged.json > %t.d/moved.json
// RUN: %gasan_report --baseline %t.d/moved.json %t.d/merged.json 2>&1 | FileCheck %s --check-prefix=KNOWN
//
// RUN: echo '{"format": "gasan-report", "version": 2}' > %t.d/newer.json
// RUN: echo '{"format": "gasan-report", ' > %t.d/broken.json
// RUN: not %gasan_report %t.d/newer.json %t.d/broken.json %t.d/no.json %s 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not %gasan_report 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not %gasan_report --format pdf %t.d/all.json 2>&1 | FileCheck %s --check-prefix=FORMAT
//
// A leak is a report. So is a copy of a process without other reports; a process without any has an empty file.
// RUN: rm -rf %t.e && %options=report_format=json:report_path=%t.e/clean %run %t clean
// RUN: %report_files --count 0 %t.e/clean.json
// RUN: %gasan_report --format junit %t.e/clean.json | FileCheck %s --check-prefix=PASSED
// RUN: %options=report_format=json:detect_leaks=1:report_path=%t.e/leak not %run %t clean 2>&1 | \
// RUN:   FileCheck %s --check-prefix=QUIET
// RUN: %report_files --count 1 --print reports.0.kind --print reports.0.leak --print reports.0.location.line \
// RUN:   %t.e/leak.json | FileCheck %s --check-prefix=LEAK
//
// TEXT: ERROR: AddressSanitizer: heap-buffer-overflow
// TEXT: Reported 3 times by rank {{[012]}} (process {{[0-9]+}} on
// TEXT: Reported 1 time by rank {{[012]}} (process
// TEXT: 2 different reports, 4 in all, by 4 processes
// MERGED: reports.0.count: 3
// SARIF: "locations": [
// SARIF-NEXT: {"physicalLocation": {"artifactLocation": {"uri": "processes.cu", "uriBaseId": "%SRCROOT%"},
// JUNIT: <testsuite name="gasan" tests="2" failures="2" errors="0">
// JUNIT: <failure type="heap-buffer-overflow" message="heap-buffer-overflow: write of 101 bytes by cudaMemset, 0 bytes
// JUNIT-SAME: after a 100-byte region.">
// JUNIT: </testsuites>
// KNOWN: gasan: {{[12]}} known report{{.*}} left out
// KNOWN: 0 different reports
// WRONG: newer.json: it has another version of the format; use the gasan that wrote it
// WRONG: broken.json: line 2: a name is missing
// WRONG: no.json: No such file
// WRONG: processes.cu: line 1: a value is missing
// NONE: gasan: error: report: no file is given
// FORMAT: gasan: error: pdf: is no format (text, json, sarif, junit or html)
// PASSED: <testcase classname="gasan" name="no reports"/>
// QUIET: gasan: memory-leak, in {{.*}}leak.json
// LEAK: reports.0.kind: memory-leak
// LEAK: reports.0.leak: {'bytes': 100, 'objects': 1}
// LEAK: reports.0.location.line: [[#@LINE+9]]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

static int work(int rank) {
  char *values;
  if (cudaMalloc(&values, 100))
    return 2;
  if (rank >= 0)
    cudaMemset(values, 0, 101);
  if (rank == 2)
    cudaMemset(values - 1, 0, 1);
  return 0;
}

int main(int count, char **arguments) {
  if (count > 1 && !strcmp(arguments[1], "clean"))
    return work(-1);
  for (int rank = 0; rank < 3; rank++) {
    char text[16];
    snprintf(text, sizeof text, "%d", rank);
    pid_t child = fork();
    if (!child) {
      setenv("OMPI_COMM_WORLD_RANK", text, 1);
      exit(work(rank));
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status && WEXITSTATUS(status) != 1)
      return 2;
  }
  return work(-1);
}
