// Each report is a JSON object and a SARIF result. The files are whole when the process ends right after a report.
// REQUIRES: schemas
// RUN: %gasan -O2 %s -o %t
// RUN: rm -rf %t.d
// RUN: env MINE=r3 %options=report_format=text,json,sarif,halt_on_error=0:report_path='%t.d/%%q{MINE}' \
// RUN:   %exit=9 %t 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %report_files --count 4 %t.d/r3.json %t.d/r3.sarif
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.d/r3.json
// RUN: FileCheck %s --check-prefix=SARIF --input-file=%t.d/r3.sarif
// RUN: %report_files --mutate %t.d/r3.sarif | FileCheck %s --check-prefix=MUTATED
//
// A process that a report ends has its exit code in the files; without %p, a second run writes the same file.
// RUN: %options=report_format=json,sarif:exitcode=5:report_path=%t.d/r3.json %exit=5 %t 2>&1 | \
// RUN:   FileCheck %s --check-prefix=QUIET --implicit-check-not={{.}}
// RUN: %report_files --count 1 --print processes.0.exit_code %t.d/r3.json | FileCheck %s --check-prefix=CODE
// RUN: %report_files --count 1 --print runs.0.invocations.0.exitCode %t.d/r3.sarif | FileCheck %s --check-prefix=CODE
//
// TEXT: ERROR: AddressSanitizer: heap-buffer-overflow
// TEXT: ERROR: AddressSanitizer: heap-use-after-free
// TEXT: ERROR: AddressSanitizer: heap-use-after-free
// TEXT: ERROR: AddressSanitizer: attempting double-free
// TEXT: ERROR: AddressSanitizer: heap-buffer-overflow
// TEXT-NOT: ERROR
// JSON: "kind": "heap-buffer-overflow",
// JSON: "count": 1,
// JSON: "access": {"operation": "write", "address": "0x{{[0-9a-f]+}}", "size": 4, "threads": 8},
// JSON: "location": {"function": "store(int*, int)", "file": "{{.*}}formats.cu",
// JSON-SAME: "line": [[#STORE:]], "column": {{[0-9]+}}},
// JSON: "role": "access",
// JSON-NEXT: "device_thread": {"thread": [0, 0, 0], "block": [0, 0, 0], "lane": 0},
// JSON: "function": "store(int*, int)", "file": "{{.*}}formats.cu", "line": [[#STORE]]
// JSON: "role": "launch",
// JSON-NEXT: "host_thread": 0,
// JSON-NEXT: "kernel": "store(int*, int)",
// JSON-NEXT: "grid_dim": [1, 1, 1],
// JSON-NEXT: "block_dim": [8, 1, 1],
// JSON: "function": "main"
// JSON: "role": "allocation",
// JSON: "function": "cudaMalloc"
// JSON: {"type": "region", "base": "0x{{[0-9a-f]+}}", "size": 100, "relation": "after", "distance": 0, "unit": "bytes"}
// JSON: "kind": "heap-use-after-free",
// JSON: "count": 2,
// JSON: "api": "cudaMemset"
// JSON: "role": "free",
// JSON: "kind": "double-free",
// JSON: "operation": "free"
// JSON: "kind": "heap-buffer-overflow",
// JSON: "count": 2,
// JSON: "role": "access",
// JSON-NEXT: "host_thread": {{[12]}},
// SARIF: "rules": [
// SARIF: "id": "heap-buffer-overflow",
// SARIF: "id": "heap-use-after-free",
// SARIF: "id": "double-free",
// SARIF-NOT: "id":
// SARIF: "message": {"text": "heap-buffer-overflow: write of 4 bytes, 0 bytes after a 100-byte region,
// SARIF-SAME: in kernel store(int*, int). Here first + threadIdx.x = 25, first = 25."},
// SARIF: "partialFingerprints": {"gasan/v1": "{{[0-9a-f]+}}"},
// SARIF: "message": {"text": "Allocated by host thread T0"}
// SARIF: "message": {"text": "Launched: store(int*, int)<<<(1,1,1), (8,1,1)>>> by host thread T0"}
// SARIF: "message": {"text": "Accessed by device thread (0,0,0) block (0,0,0)"}
// SARIF: "message": {"text": "Freed by host thread T0"}
// QUIET: =={{[0-9]+}}==gasan: heap-buffer-overflow, in {{.*}}.d/r3.json
// CODE: : 5
// MUTATED: refused: 14 mutations
#include <pthread.h>
#include <unistd.h>

__global__ void store(int *values, int first) {
  values[first + threadIdx.x] = 1;
}

static void *copy(void *values) {
  cudaMemset(values, 0, 101);
  return NULL;
}

int main() {
  int *values, *freed;
  cudaMalloc(&values, 100);
  cudaMalloc(&freed, 100);
  store<<<1, 8>>>(values, 25);
  cudaDeviceSynchronize();
  cudaFree(freed);
  for (int i = 0; i < 2; i++)
    cudaMemset(freed, 0, 4);
  cudaFree(freed);
  pthread_t threads[2];
  for (pthread_t &thread : threads)
    pthread_create(&thread, NULL, copy, values);
  for (pthread_t thread : threads)
    pthread_join(thread, NULL);
  _exit(9);
}
