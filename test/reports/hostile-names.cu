// Strange names: of report_path, of files and folders, of kernels. Each is written, or one line says why not.
// REQUIRES: cpu, schemas
// RUN: %gasan -O2 %s -o %t
//
// Variables have any text. A variable that is not set is empty, and a line says so.
// RUN: rm -rf %t.d
// RUN: env 'STRANGE=a b/%%p#"' %options=report_format=json,sarif:report_path='%t.d/%%q{STRANGE}' not %run %t 2>&1 | \
// RUN:   FileCheck %s --check-prefix=STRANGE
// RUN: %report_files --count 1 '%t.d/a b/%%p#".json' '%t.d/a b/%%p#".sarif'
// RUN: %options=report_format=json:report_path=%t.d/rank%%q{GASAN_UNSET}.json not %run %t 2>&1 | \
// RUN:   FileCheck %s --check-prefix=UNSET
// RUN: %report_files --count 1 %t.d/rank.json
// STRANGE: gasan: heap-buffer-overflow, in {{.*}}.d/a b/%p#".json
// UNSET: gasan: WARNING: report_path has %q{GASAN_UNSET}, but the environment variable GASAN_UNSET is not set; its
// UNSET-SAME: {{^}} place is empty
// UNSET-NOT: WARNING
//
// Without a name, the text is printed.
// RUN: %options=report_format=json:report_path=%t.d/%%q{A not %run %t 2>&1 | FileCheck %s --check-prefixes=OPEN,TEXT
// RUN: %options=report_format=json:report_path=%t.d/%%d not %run %t 2>&1 | FileCheck %s --check-prefixes=OTHER,TEXT
// RUN: %options=report_format=json:report_path=%t.d/ not %run %t 2>&1 | FileCheck %s --check-prefixes=FOLDER,TEXT
// RUN: env LONG=$(printf %%04000d 1) %options=report_format=json:report_path=%t.d/%%q{LONG}%%q{LONG} not %run %t \
// RUN:   2>&1 | FileCheck %s --check-prefixes=LONG,TEXT
// RUN: mkdir %t.d/full.json && %options=report_format=json:report_path=%t.d/full not %run %t 2>&1 | \
// RUN:   FileCheck %s --check-prefixes=IS-FOLDER,TEXT
// RUN: mkfifo %t.d/pipe.json && %options=report_format=json:report_path=%t.d/pipe not %run %t 2>&1 | \
// RUN:   FileCheck %s --check-prefixes=PIPE,TEXT
// OPEN: gasan: ERROR: the report cannot be written to {{.*}}%q{A: "%q{A" is none of %p, %q{NAME} and %%; set
// OTHER: ERROR: the report cannot be written to {{.*}}%d: "%d" is none of
// FOLDER: ERROR: the report cannot be written to {{.*}}.d/: it names a folder; add the name of a file, for example %p;
// LONG: ERROR: the report cannot be written to {{.*}}: the name is longer than {{[0-9]+}} bytes;
// IS-FOLDER: ERROR: the report cannot be written to {{.*}}full.json: Is a directory;
// PIPE: ERROR: the report cannot be written to {{.*}}pipe.json: No such device or address;
// TEXT: ERROR: AddressSanitizer: heap-buffer-overflow
// TEXT: ABORTING
//
// A relative name is relative to the folder in which the program has started.
// RUN: cd %t.d && %options=report_format=json:report_path=relative not %run %t move 2>/dev/null
// RUN: %report_files --count 1 %t.d/relative.json
//
// Source files with blanks, '#', bytes that are no UTF-8 and the end of a script; a kernel with such a name.
// RUN: mkdir -p '%t.d/a #1/x<' && %python %S/inputs/odd_name.py %s '%t.d/a #1/x<'
// RUN: cd '%t.d/a #1' && %gasan -O2 'x</script>/'* -o %t.odd
// RUN: cd '%t.d/a #1' && %options=report_format=json,sarif:report_path=odd not %run %t.odd 2>/dev/null
// RUN: %report_files --count 1 '%t.d/a #1/odd.json' '%t.d/a #1/odd.sarif'
// RUN: FileCheck %s --check-prefix=URI --input-file='%t.d/a #1/odd.sarif'
// RUN: not %gasan_report --format html --output %t.d/odd.html '%t.d/a #1/odd.json'
// RUN: %report_files --count 1 %t.d/odd.html
// RUN: FileCheck %s --check-prefix=HTML --implicit-check-not='</script>' --input-file=%t.d/odd.html
// URI: "originalUriBaseIds": {
// URI-NEXT: "%SRCROOT%": {"uri": "file://{{.*}}.d/a%20%231/"}
// URI: "artifactLocation": {"uri": "x%3C/script%3E/odd%20%23%FF.cu", "uriBaseId": "%SRCROOT%"}
// HTML: x&lt;/script&gt;/odd #{{.*}}.cu
//
// Processes that run at once and name one file do not lose reports.
// RUN: rm -rf %t.e && %options=report_format=json:report_path=%t.e/all %exit=0 %S/inputs/beside.sh 12 %t
// RUN: ls %t.e | count 12
// RUN: not %gasan_report %t.e/*.json | FileCheck %s --check-prefix=ALL
// ALL: 1 different report, 12 in all, by 12 processes
//
// A file whose writer still runs stays, also if it is older than the other process; with %p, too (as in containers).
// RUN: rm -rf %t.f && %options=report_format=json:halt_on_error=0:report_path=%t.f/one not %run %t again %t 2>/dev/null
// RUN: not %gasan_report %t.f/one.json %t.f/one.*.json | FileCheck %s --check-prefix=TWO
// TWO: Reported 2 times by process
// TWO: 1 different report, 2 in all, by 2 processes
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

template <typename T>
__global__ void put(T *values, int i) {
  values[i] = 1;
}

int main(int count, char **arguments) {
  int *values;
  if (count > 1 && !strcmp(arguments[1], "move") && chdir("/"))
    return 2;
  cudaMalloc(&values, 100);
  put<int><<<1, 1>>>(values, 25);
  cudaDeviceSynchronize();
  if (count > 2 && !strcmp(arguments[1], "again")) {
    sleep(1);
    pid_t child = fork();
    if (!child)
      execl(arguments[2], arguments[2], nullptr);
    waitpid(child, nullptr, 0);
  }
  return 0;
}
